// SPDX-License-Identifier: Apache-2.0
#include "calibrate/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void *nvml_device;
struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instances[2];
};

/* FUNCTION(field, "symbol", is it needed, parameters): names and numbers of NVML's documented ABI. */
#define FUNCTIONS(FUNCTION)                                                                        \
    FUNCTION(init, "nvmlInit_v2", true, (void))                                                    \
    FUNCTION(shut_down, "nvmlShutdown", true, (void))                                              \
    FUNCTION(by_index, "nvmlDeviceGetHandleByIndex_v2", true, (unsigned index, nvml_device *out))  \
    FUNCTION(by_uuid, "nvmlDeviceGetHandleByUUID", false, (const char *uuid, nvml_device *out))    \
    FUNCTION(power, "nvmlDeviceGetPowerUsage", false, (nvml_device device, unsigned *out_mw))      \
    FUNCTION(temperature, "nvmlDeviceGetTemperature", false,                                       \
             (nvml_device device, int sensor, unsigned *out))                                      \
    FUNCTION(clock, "nvmlDeviceGetClockInfo", false,                                               \
             (nvml_device device, int kind, unsigned *out_mhz))                                    \
    FUNCTION(reasons, "nvmlDeviceGetCurrentClocksThrottleReasons", false,                          \
             (nvml_device device, unsigned long long *out))                                        \
    FUNCTION(processes, "nvmlDeviceGetComputeRunningProcesses_v3", false,                          \
             (nvml_device device, unsigned *count, struct process *out))

enum { NOT_SUPPORTED = 3, NO_PERMISSION = 4, DRIVER_NOT_LOADED = 9, TOO_SMALL = 7 };
enum { SENSOR_GPU = 0, CLOCK_SM = 1, CLOCK_MEMORY = 2 };

struct nvml {
    void *library;
    nvml_device device;
#define FIELD(field, symbol, is_needed, parameters) int(*field) parameters;
    FUNCTIONS(FIELD)
#undef FIELD
};

static const char *words_of(int error)
{
    switch (error) {
    case NOT_SUPPORTED:
        return "this GPU does not support it";
    case NO_PERMISSION:
        return "no permission: ask the administrator, or run as root";
    case DRIVER_NOT_LOADED:
        return "the driver is not loaded";
    default:
        return "NVML failed";
    }
}

static bool find_functions(struct nvml *nvml, char *why, size_t why_bytes)
{
    static const struct {
        const char *symbol;
        bool is_needed;
        size_t place;
    } rows[] = {
#define ROW(field, symbol, is_needed, parameters) {symbol, is_needed, offsetof(struct nvml, field)},
        FUNCTIONS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *function = dlsym(nvml->library, rows[i].symbol);
        if (!function && rows[i].is_needed) {
            snprintf(why, why_bytes, "libnvidia-ml.so.1 has no %s: update the driver",
                     rows[i].symbol);
            return false;
        }
        memcpy((char *)nvml + rows[i].place, &function, sizeof function);
    }
    return true;
}

/* NVML numbers GPUs otherwise than CUDA may. */
static int find_device(struct nvml *nvml, const struct gpu_facts *gpu, unsigned number)
{
    char uuid[64];
    const char *hex = gpu->uuid;
    if (strlen(hex) == 32) {
        snprintf(uuid, sizeof uuid, "GPU-%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12,
                 hex + 16, hex + 20);
        if (nvml->by_uuid && nvml->by_uuid(uuid, &nvml->device) == 0) return 0;
    }
    return nvml->by_index(number, &nvml->device);
}

static bool start(struct nvml *nvml, const struct gpu_facts *gpu, unsigned number, char *why,
                  size_t why_bytes)
{
    int error = nvml->init();
    if (!error) {
        error = find_device(nvml, gpu, number);
        if (error) nvml->shut_down();
    }
    if (error) snprintf(why, why_bytes, "NVML: %s (error %d)", words_of(error), error);
    return !error;
}

struct nvml *nvml_open(const struct gpu_facts *gpu, unsigned number, char *why, size_t why_bytes)
{
    struct nvml *nvml = calibrate_alloc(sizeof *nvml);
    nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        snprintf(why, why_bytes, "libnvidia-ml.so.1 cannot be opened; it is part of the driver");
    else if (find_functions(nvml, why, why_bytes) && start(nvml, gpu, number, why, why_bytes))
        return nvml;
    if (nvml->library) dlclose(nvml->library);
    free(nvml);
    return NULL;
}

void nvml_close(struct nvml *nvml)
{
    if (!nvml) return;
    nvml->shut_down();
    dlclose(nvml->library);
    free(nvml);
}

double nvml_watts(const struct nvml *nvml)
{
    unsigned milliwatts;
    if (!nvml->power || nvml->power(nvml->device, &milliwatts) != 0) return NAN;
    return 1e-3 * milliwatts;
}

const char *nvml_no_power(const struct nvml *nvml)
{
    unsigned milliwatts;
    int error = nvml->power ? nvml->power(nvml->device, &milliwatts) : NOT_SUPPORTED;
    return error ? words_of(error) : NULL;
}

double nvml_celsius(const struct nvml *nvml)
{
    unsigned celsius;
    if (!nvml->temperature || nvml->temperature(nvml->device, SENSOR_GPU, &celsius) != 0)
        return NAN;
    return celsius;
}

static double clock_of(const struct nvml *nvml, int kind)
{
    unsigned mhz;
    if (!nvml->clock || nvml->clock(nvml->device, kind, &mhz) != 0) return NAN;
    return 1e6 * mhz;
}

double nvml_clock(const struct nvml *nvml)
{
    return clock_of(nvml, CLOCK_SM);
}

double nvml_memory_clock(const struct nvml *nvml)
{
    return clock_of(nvml, CLOCK_MEMORY);
}

/* An idle GPU and clocks set by an application do not disturb. */
const char *nvml_throttles(const struct nvml *nvml)
{
    static const struct {
        unsigned long long bit;
        const char *text;
    } rows[] = {
        {0x4, "throttled: at its power limit"}, {0x8, "throttled: hardware slowdown"},
        {0x20, "throttled: too hot"},           {0x40, "throttled: too hot (hardware)"},
        {0x80, "throttled: power brake"},
    };
    unsigned long long reasons;
    if (!nvml->reasons || nvml->reasons(nvml->device, &reasons) != 0) return "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (reasons & rows[i].bit) return rows[i].text;
    return "";
}

unsigned nvml_others(const struct nvml *nvml)
{
    enum { ROOM = 64 };
    struct process processes[ROOM];
    unsigned count = ROOM, others = 0;
    if (!nvml->processes) return 0;
    int error = nvml->processes(nvml->device, &count, processes);
    if (error == TOO_SMALL) return ROOM;
    if (error) return 0;
    for (unsigned i = 0; i < count && i < ROOM; i++)
        others += processes[i].pid != (unsigned)getpid();
    return others;
}
