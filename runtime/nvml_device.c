// SPDX-License-Identifier: Apache-2.0
#include "nvml_device.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "power_log.h"

struct nvml_device {
    char unused;
};
static struct nvml_device the_device;
static unsigned users; /* calls of nvmlInit without nvmlShutdown */

nvml_result nvml_begin(void)
{
    api_lock();
    return users ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

nvml_result nvml_begin_with(nvmlDevice_t device)
{
    nvml_result result = nvml_begin();
    if (result) return result;
    return device == &the_device ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvml_result nvml_end(nvml_result result)
{
    api_unlock();
    return result;
}

/* ---- start and end --------------------------------------------------------------------------- */

CUDART nvml_result nvmlInitWithFlags(unsigned flags);
CUDART nvml_result nvmlInit_v2(void);
CUDART nvml_result nvmlInit(void);
CUDART const char *nvmlErrorString(nvml_result result);

/* Flags only allow for machines without a GPU. */
nvml_result nvmlInitWithFlags(unsigned flags)
{
    (void)flags;
    api_lock();
    if (device_start()) return nvml_end(NVML_ERROR_DRIVER_NOT_LOADED);
    users++;
    power_log_use();
    return nvml_end(NVML_SUCCESS);
}

nvml_result nvmlInit_v2(void)
{
    return nvmlInitWithFlags(0);
}

nvml_result nvmlInit(void)
{
    return nvmlInitWithFlags(0);
}

static nvml_result shut_down(void)
{
    users--;
    return NVML_SUCCESS;
}

NVML(nvmlShutdown, (void), shut_down())

const char *nvmlErrorString(nvml_result result)
{
    switch (result) {
#define NVML_RESULT(name, number, words)                                                           \
    case name:                                                                                     \
        return words;
#include "nvml_results.def"
#undef NVML_RESULT
    }
    return "unknown error";
}

/* ---- versions -------------------------------------------------------------------------------- */

static nvml_result put_text(char *out, unsigned length, const char *text)
{
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    if (length <= strlen(text)) return NVML_ERROR_INSUFFICIENT_SIZE;
    memcpy(out, text, strlen(text) + 1);
    return NVML_SUCCESS;
}

/* The first driver of that version of CUDA (CUDA release notes). */
static const char *driver_version(void)
{
    unsigned cuda = runtime_version();
    return cuda >= 13 ? "580.65.06" : cuda == 12 ? "525.60.13" : "450.80.02";
}

static nvml_result put_library_version(char *out, unsigned length)
{
    char text[32];
    snprintf(text, sizeof text, "%u.%s", runtime_version(), driver_version());
    return put_text(out, length, text);
}

static nvml_result put_cuda_version(int *out)
{
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    *out = (int)runtime_version() * 1000;
    return NVML_SUCCESS;
}

NVML(nvmlSystemGetDriverVersion, (char *out, unsigned length),
     put_text(out, length, driver_version()))
NVML(nvmlSystemGetNVMLVersion, (char *out, unsigned length), put_library_version(out, length))
NVML(nvmlSystemGetCudaDriverVersion, (int *out), put_cuda_version(out))
NVML(nvmlSystemGetCudaDriverVersion_v2, (int *out), put_cuda_version(out))

/* ---- which device ---------------------------------------------------------------------------- */

/* The same as cudaDeviceGetPCIBusId and cuDeviceGetUuid give. */
static const char uuid[] = "GPU-00000000-0000-0000-0000-000000000000";
static const char legacy_bus_id[] = "0000:00:00.0", bus_id[] = "00000000:00:00.0";

static nvml_result put_count(unsigned *out)
{
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    *out = 1;
    return NVML_SUCCESS;
}

static nvml_result put_handle(nvmlDevice_t *out, bool found, nvml_result otherwise)
{
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    if (!found) return otherwise;
    *out = &the_device;
    return NVML_SUCCESS;
}

/* domain:bus:device.function, of which the first and the last may be missing. */
static bool is_bus_id(const char *text)
{
    unsigned a, b, c = 0;
    int parts = text ? sscanf(text, "%x:%x:%x", &a, &b, &c) : 0;
    return parts >= 2 && !a && !b && !c;
}

static nvml_result find_bus_id(const char *text, nvmlDevice_t *out)
{
    return text ? put_handle(out, is_bus_id(text), NVML_ERROR_NOT_FOUND)
                : NVML_ERROR_INVALID_ARGUMENT;
}

static nvml_result find_uuid(const char *text, nvmlDevice_t *out)
{
    return text ? put_handle(out, !strcmp(text, uuid), NVML_ERROR_NOT_FOUND)
                : NVML_ERROR_INVALID_ARGUMENT;
}

static nvml_result put_pci(nvmlPciInfo_t *out)
{
    enum { VENDOR_NVIDIA = 0x10de };
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    *out = (nvmlPciInfo_t){.pciDeviceId = VENDOR_NVIDIA};
    memcpy(out->busIdLegacy, legacy_bus_id, sizeof legacy_bus_id);
    memcpy(out->busId, bus_id, sizeof bus_id);
    return NVML_SUCCESS;
}

static nvml_result put_capability(int *major, int *minor)
{
    unsigned target = ws_machine_target(runtime.machine);
    if (!major || !minor) return NVML_ERROR_INVALID_ARGUMENT;
    *major = (int)target / 10;
    *minor = (int)target % 10;
    return NVML_SUCCESS;
}

NVML(nvmlDeviceGetCount, (unsigned *out), put_count(out))
NVML(nvmlDeviceGetCount_v2, (unsigned *out), put_count(out))
NVML(nvmlDeviceGetHandleByIndex, (unsigned index, nvmlDevice_t *out),
     put_handle(out, !index, NVML_ERROR_INVALID_ARGUMENT))
NVML(nvmlDeviceGetHandleByIndex_v2, (unsigned index, nvmlDevice_t *out),
     put_handle(out, !index, NVML_ERROR_INVALID_ARGUMENT))
NVML(nvmlDeviceGetHandleByPciBusId, (const char *text, nvmlDevice_t *out), find_bus_id(text, out))
NVML(nvmlDeviceGetHandleByPciBusId_v2, (const char *text, nvmlDevice_t *out),
     find_bus_id(text, out))
NVML(nvmlDeviceGetHandleByUUID, (const char *text, nvmlDevice_t *out), find_uuid(text, out))
NVML_OF(nvmlDeviceGetName, (nvmlDevice_t device, char *out, unsigned length),
        put_text(out, length, ws_machine_name(runtime.machine)))
NVML_OF(nvmlDeviceGetUUID, (nvmlDevice_t device, char *out, unsigned length),
        put_text(out, length, uuid))
NVML_OF(nvmlDeviceGetPciInfo_v3, (nvmlDevice_t device, nvmlPciInfo_t *out), put_pci(out))
NVML_OF(nvmlDeviceGetCudaComputeCapability, (nvmlDevice_t device, int *major, int *minor),
        put_capability(major, minor))

/* ---- memory and processes -------------------------------------------------------------------- */

static nvml_result put_memory(nvmlMemory_t *out)
{
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    out->total = runtime.memory_bytes;
    out->used = ws_device_used_bytes(runtime.device);
    out->free = out->total - out->used;
    return NVML_SUCCESS;
}

static nvml_result put_memory_v2(nvmlMemory_v2_t *out)
{
    enum { VERSION = sizeof *out | 2 << 24 };
    nvmlMemory_t all;
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    if (out->version != VERSION) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    nvml_result result = put_memory(&all);
    *out = (nvmlMemory_v2_t){VERSION, all.total, 0, all.free, all.used};
    return result;
}

/* This process, once it has used the GPU: each process has a GPU of its own. */
static nvml_result put_processes(unsigned *count, void *out, size_t bytes_each)
{
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    unsigned room = *count;
    unsigned long long used = ws_device_used_bytes(runtime.device);
    *count = runtime.used || runtime.launches || used > 0;
    if (!*count) return NVML_SUCCESS;
    if (!out || !room) return NVML_ERROR_INSUFFICIENT_SIZE;
    const nvmlProcessInfo_t all = {(unsigned)getpid(), used, UINT_MAX, UINT_MAX};
    memcpy(out, &all, bytes_each); /* older structures are the first part of it */
    return NVML_SUCCESS;
}

NVML_OF(nvmlDeviceGetMemoryInfo, (nvmlDevice_t device, nvmlMemory_t *out), put_memory(out))
NVML_OF(nvmlDeviceGetMemoryInfo_v2, (nvmlDevice_t device, nvmlMemory_v2_t *out), put_memory_v2(out))
NVML_OF(nvmlDeviceGetComputeRunningProcesses,
        (nvmlDevice_t device, unsigned *count, nvmlProcessInfo_v1_t *out),
        put_processes(count, out, sizeof *out))
NVML_OF(nvmlDeviceGetComputeRunningProcesses_v2,
        (nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *out),
        put_processes(count, out, sizeof *out))
NVML_OF(nvmlDeviceGetComputeRunningProcesses_v3,
        (nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *out),
        put_processes(count, out, sizeof *out))

/* ---- modes ----------------------------------------------------------------------------------- */

/* Persistence off, any number of processes, the fastest of the performance states: each is number 0. */
static nvml_result put_zero(int *out)
{
    if (!out) return NVML_ERROR_INVALID_ARGUMENT;
    *out = 0;
    return NVML_SUCCESS;
}

NVML_OF(nvmlDeviceGetPersistenceMode, (nvmlDevice_t device, int *out), put_zero(out))
NVML_OF(nvmlDeviceGetComputeMode, (nvmlDevice_t device, int *out), put_zero(out))
NVML_OF(nvmlDeviceGetPerformanceState, (nvmlDevice_t device, int *out), put_zero(out))
NVML_OF(nvmlDeviceSetPersistenceMode, (nvmlDevice_t device, int mode),
        ((void)mode, NVML_ERROR_NO_PERMISSION))
NVML_OF(nvmlDeviceSetGpuLockedClocks, (nvmlDevice_t device, unsigned least, unsigned most),
        ((void)least, (void)most, NVML_ERROR_NO_PERMISSION))
NVML_OF(nvmlDeviceResetGpuLockedClocks, (nvmlDevice_t device), NVML_ERROR_NO_PERMISSION)
