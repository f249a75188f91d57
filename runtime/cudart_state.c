// SPDX-License-Identifier: Apache-2.0
/* The state of the process: start on first use, errors as CUDA keeps them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_runtime.h"
#include "host_check.h"
#include "virtual_time.h"

struct runtime runtime = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP};

static _Thread_local cudaError_t last;

cudaError_t *api_last(void)
{
    return &last;
}

cudaError_t fail(ws_status status)
{
    if (status == WS_OK) return cudaSuccess;
    tell("%s", ws_context_error(runtime.context));
    switch (status) {
    case WS_ERR_MEMORY:
        return cudaErrorMemoryAllocation;
    case WS_ERR_UNSUPPORTED:
        return cudaErrorNotSupported;
    case WS_ERR_LAUNCH:
        return cudaErrorInvalidConfiguration;
    case WS_ERR_INPUT:
        return cudaErrorInvalidPtx;
    default:
        return cudaErrorInvalidValue;
    }
}

/* What kernels print is the program's own output. */
static bool write_printed(void *user, const char *bytes, size_t size)
{
    (void)user;
    return fwrite(bytes, 1, size, stdout) == size;
}

static ws_status load_machine(void)
{
    ws_context *context = runtime.context;
    const struct options *options = &runtime.options;
    ws_status status = WS_OK;
    if (options->machines) status = ws_context_set_machine_dir(context, options->machines);
    if (options->tools && status == WS_OK)
        status = ws_context_set_tool_path(context, options->tools);
    if (status == WS_OK) status = ws_machine_load(context, options->gpu, &runtime.machine);
    if (status == WS_OK) status = ws_machine_prepare_launch(runtime.machine, &runtime.prepared);
    if (status != WS_OK) return status;
    if (ws_machine_get(runtime.machine, "dram.bandwidth", &runtime.bandwidth) != WS_OK)
        runtime.bandwidth = 0;
    if (ws_machine_get(runtime.machine, "l2.size", &runtime.l2_bytes) != WS_OK)
        runtime.l2_bytes = 0;
    return WS_OK;
}

/* Taken for a GPU whose file does not say how much memory it has: a program asks, and gives up at 0. */
#define MEMORY_BYTES_ASSUMED (UINT64_C(16) << 30)

static ws_status create_device(void)
{
    double bytes;
    runtime.memory_bytes = MEMORY_BYTES_ASSUMED;
    if (ws_machine_get(runtime.machine, "dram.size", &bytes) == WS_OK && bytes >= 1)
        runtime.memory_bytes = (uint64_t)bytes;
    else
        note("The machine file of %s lacks dram.size: the program sees 16 GiB.",
             ws_machine_id(runtime.machine));
    ws_device_options options = {.size = sizeof options,
                                 .max_bytes = runtime.memory_bytes,
                                 .threads = runtime.options.threads,
                                 .host_addresses = true,
                                 .as_hardware = true,
                                 .l2_history =
                                     runtime.options.l2 && !strcmp(runtime.options.l2, "kept"),
                                 .keep_programs = true,
                                 .check = runtime.check,
                                 .call = device_runtime_call,
                                 .host_isa = runtime.options.host_isa,
                                 .engine = runtime.options.engine};
    ws_status status = ws_device_create(runtime.context, &options, &runtime.device);
    if (status != WS_OK) return status;
    uint64_t most = ws_device_max_bytes(runtime.device);
    if (most < runtime.memory_bytes)
        note("Address space is limited (ulimit -v): the program sees %llu MiB of memory, not the "
             "GPU's %llu.",
             (unsigned long long)(most >> 20), (unsigned long long)(runtime.memory_bytes >> 20));
    runtime.memory_bytes = most;
    return WS_OK;
}

static cudaError_t start(void)
{
    session_start(&runtime.options);
    if (!runtime.options.gpu) {
        tell("no simulated GPU: start the program with `warpsage run`");
        return cudaErrorNoDevice;
    }
    row_create("used"); /* whatever fails from here on, CUDA was called */
    if (ws_context_create(&runtime.context) != WS_OK) return cudaErrorMemoryAllocation;
    runtime.prepared = (ws_launch){.size = sizeof runtime.prepared};
    ws_context_set_print(runtime.context, write_printed, NULL);
    ws_context_set_cancel(runtime.context, session_is_over, NULL);
    ws_status status = load_machine();
    if (status == WS_OK) status = check_start();
    if (status == WS_OK) status = create_device();
    if (status == WS_OK) return cudaSuccess;
    tell("%s", ws_context_error(runtime.context));
    return cudaErrorInitializationError;
}

void api_lock(void)
{
    pthread_mutex_lock(&runtime.lock);
    time_enter();
}

void api_unlock(void)
{
    time_leave();
    pthread_mutex_unlock(&runtime.lock);
}

cudaError_t device_start(void)
{
    if (!runtime.started) {
        runtime.started = true;
        runtime.start_failure = start();
    }
    return runtime.start_failure;
}

cudaError_t device_begin(void)
{
    api_lock();
    if (device_start()) return runtime.start_failure;
    if (runtime.pending) {
        runtime.sticky = runtime.pending;
        runtime.pending = cudaSuccess;
    }
    return runtime.sticky;
}

cudaError_t api_begin_as(const char *name)
{
    cudaError_t error = device_begin();
    runtime.used = true;
    api_called(name);
    return error;
}

cudaError_t api_end(cudaError_t error)
{
    /* cudaErrorNotReady is an answer, not an error. */
    if (error && error != cudaErrorNotReady) last = error;
    check_call_end(error);
    api_unlock();
    return error;
}

/* ---- errors ---------------------------------------------------------------------------------- */

CUDART cudaError_t cudaGetLastError(void);
CUDART cudaError_t cudaPeekAtLastError(void);
CUDART const char *cudaGetErrorName(cudaError_t error);
CUDART const char *cudaGetErrorString(cudaError_t error);

/* A fault that no call has told yet is not seen here: the kernel could still be running. */
cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last;
    last = runtime.sticky;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last;
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch ((int)error) {
#define CUDA_ERROR(name, number, words)                                                            \
    case number:                                                                                   \
        return #name;
#include "cuda_errors.def"
#undef CUDA_ERROR
    default:
        return "unrecognized error code";
    }
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch ((int)error) {
#define CUDA_ERROR(name, number, words)                                                            \
    case number:                                                                                   \
        return words;
#include "cuda_errors.def"
#undef CUDA_ERROR
    default:
        return "unrecognized error code";
    }
}
