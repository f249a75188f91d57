// SPDX-License-Identifier: Apache-2.0
/* What kernels ask the device runtime about the device and its kernels. */
#include "device_questions.h"

#include <string.h>

#include "device_runtime.h"

static cudaError_t give(const ws_device_call *call, const void *value, uint32_t bytes)
{
    ws_device_call_write(call, call->arguments[0], value, bytes);
    return cudaSuccess;
}
static cudaError_t give_int(const ws_device_call *call, int value)
{
    return give(call, &value, sizeof value);
}

static cudaError_t give_attribute(const ws_device_call *call)
{
    int value = 0;
    cudaError_t error = device_attribute((int)call->arguments[1], (int)call->arguments[2], &value);
    return error ? error : give_int(call, value);
}

static cudaError_t give_limit(const ws_device_call *call)
{
    size_t value = 0;
    cudaError_t error = device_limit((int)call->arguments[1], &value);
    return error ? error : give(call, &value, sizeof value);
}

static cudaError_t give_function(const ws_device_call *call)
{
    struct cudaFuncAttributes attributes;
    const struct kernel *kernel = device_runtime_kernel(call->arguments[1]);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    kernel_attributes(kernel, &attributes);
    return give(call, &attributes, sizeof attributes);
}

static cudaError_t give_occupancy(const ws_device_call *call)
{
    int blocks = 0;
    const struct kernel *kernel = device_runtime_kernel(call->arguments[1]);
    if (!kernel) return cudaErrorInvalidDeviceFunction;
    cudaError_t error =
        kernel_blocks_per_sm(kernel, (int)call->arguments[2], call->arguments[3], &blocks);
    return error ? error : give_int(call, blocks);
}

static cudaError_t give_count(const ws_device_call *call)
{
    return give_int(call, 1);
}
static cudaError_t give_number(const ws_device_call *call)
{
    return give_int(call, 0);
}
static cudaError_t give_bank_size(const ws_device_call *call)
{
    return give_int(call, 1); /* four bytes */
}
static cudaError_t give_version(const ws_device_call *call)
{
    return give_int(call, (int)runtime_version() * 1000);
}

/* Functions that answer through the pointer that comes first. */
static const struct {
    const char *name;
    cudaError_t (*call)(const ws_device_call *call);
} questions[] = {
    {"FuncGetAttributes", give_function},
    {"OccupancyMaxActiveBlocksPerMultiprocessor", give_occupancy},
    {"OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", give_occupancy},
    {"DeviceGetAttribute", give_attribute},
    {"DeviceGetLimit", give_limit},
    {"GetDeviceCount", give_count},
    {"GetDevice", give_number},
    {"DeviceGetCacheConfig", give_number},
    {"DeviceGetSharedMemConfig", give_bank_size},
    {"RuntimeGetVersion", give_version},
};

cudaError_t device_question(const ws_device_call *call)
{
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (!strcmp(call->function, questions[i].name)) return questions[i].call(call);
    return cudaErrorNotSupported;
}
