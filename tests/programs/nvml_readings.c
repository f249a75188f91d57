// SPDX-License-Identifier: Apache-2.0
/* What a program reads of NVML under `warpsage run`: nvml_readings KERNEL.ptx ROUNDS LAUNCHES [MICROSECONDS]: so
 * long it sleeps in the end. It opens NVML and
 * the driver by their names, as programs do that run without them, too, and prints lines KEY VALUE that
 * nvml.py checks. A reading that fails prints -1 - its error. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 30, BYTES = 16 << 20 };

struct memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
};
struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned instances[2];
};
struct pci {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char bus_id[32];
};
struct field {
    unsigned id, scope;
    long long timestamp, latency;
    int type, result;
    unsigned long long value;
};
struct sample {
    unsigned long long timestamp, value;
};

static void *nvml, *cuda, *device;

static void *find(void *library, const char *name)
{
    void *function = dlsym(library, name);
    if (!function) printf("missing %s\n", name), exit(1);
    return function;
}

/* Of a function with one result: all of them are called alike. */
static void show(const char *name)
{
    unsigned long long value = 0;
    int (*get)(void *, void *) = (int (*)(void *, void *))(uintptr_t)find(nvml, name);
    int result = get(device, &value);
    if (result)
        printf("%s %d\n", name, -1 - result);
    else
        printf("%s %llu\n", name, value);
}

static void show_of(const char *key, const char *name, int which)
{
    unsigned value = 0;
    int (*get)(void *, int, void *) = (int (*)(void *, int, void *))(uintptr_t)find(nvml, name);
    int result = get(device, which, &value);
    printf("%s %d\n", key, result ? -1 - result : (int)value);
}

static void show_text(const char *name)
{
    char text[96] = "", little[2];
    int (*get)(void *, char *, unsigned) =
        (int (*)(void *, char *, unsigned))(uintptr_t)find(nvml, name);
    int result = get(device, text, sizeof text), short_result = get(device, little, sizeof little);
    printf("%s %d %d %s\n", name, result, short_result, text);
}

static void show_version(const char *name)
{
    char text[96] = "";
    int (*get)(char *, unsigned) = (int (*)(char *, unsigned))(uintptr_t)find(nvml, name);
    int result = get(text, sizeof text);
    printf("%s %d %s\n", name, result, text);
}

static void show_sensors(const char *when)
{
    struct field fields[4] = {{.id = 185}, {.id = 186}, {.id = 83}, {.id = 1}};
    struct sample samples[64];
    unsigned utilization[2] = {0, 0}, count = 64;
    int type = -1;
    int (*get)(void *, int, void *) =
        (int (*)(void *, int, void *))(uintptr_t)find(nvml, "nvmlDeviceGetFieldValues");
    int (*sample)(void *, int, unsigned long long, int *, unsigned *, void *) =
        (int (*)(void *, int, unsigned long long, int *, unsigned *, void *))(uintptr_t)find(
            nvml, "nvmlDeviceGetSamples");
    int (*use)(void *, void *) =
        (int (*)(void *, void *))(uintptr_t)find(nvml, "nvmlDeviceGetUtilizationRates");
    printf("when %s\n", when);
    show("nvmlDeviceGetPowerUsage");
    show("nvmlDeviceGetTotalEnergyConsumption");
    show_of("temperature", "nvmlDeviceGetTemperature", 0);
    show("nvmlDeviceGetCurrentClocksThrottleReasons");
    printf("utilization %d", use(device, utilization));
    printf(" %u %u\n", utilization[0], utilization[1]);
    printf("fields %d", get(device, 4, fields));
    for (int i = 0; i < 4; i++)
        printf(" %d:%llu", fields[i].result, fields[i].value);
    int result = sample(device, 0, 0, &type, &count, samples);
    printf("\nsamples %d", result);
    for (unsigned i = 0; !result && i < count; i++)
        printf(" %llu:%u", samples[i].timestamp, (unsigned)samples[i].value);
    puts("");
}

static void show_device(void)
{
    struct memory_v2 memory = {.version = sizeof memory | 2 << 24};
    struct process processes[2];
    struct pci pci;
    unsigned count = 2, handles = 0;
    void *other = NULL;
    int (*get)(void *, void *) =
        (int (*)(void *, void *))(uintptr_t)find(nvml, "nvmlDeviceGetMemoryInfo_v2");
    int (*by_id)(const char *, void **) =
        (int (*)(const char *, void **))(uintptr_t)find(nvml, "nvmlDeviceGetHandleByPciBusId_v2");
    int (*by_uuid)(const char *, void **) =
        (int (*)(const char *, void **))(uintptr_t)find(nvml, "nvmlDeviceGetHandleByUUID");
    int (*pci_of)(void *, void *) =
        (int (*)(void *, void *))(uintptr_t)find(nvml, "nvmlDeviceGetPciInfo_v3");
    int (*processes_of)(void *, unsigned *, void *) = (int (*)(void *, unsigned *, void *))(
        uintptr_t)find(nvml, "nvmlDeviceGetComputeRunningProcesses_v3");
    printf("memory %d", get(device, &memory));
    printf(" %llu %llu\n", memory.total, memory.used);
    printf("memory_version %d\n", (memory.version = 1, get(device, &memory)));
    printf("pci %d %s", pci_of(device, &pci), pci.bus_id);
    printf(" %d", by_id(pci.bus_id, &other) == 0 && other == device);
    printf(" %d\n", by_id("0000:01:00.0", &other));
    handles = by_uuid("GPU-00000000-0000-0000-0000-000000000000", &other) == 0 && other == device;
    printf("uuid %u %d\n", handles, by_uuid("GPU-1", &other));
    printf("processes %d", processes_of(device, &count, processes));
    printf(" %u %llu\n", count, count ? processes[0].bytes : 0);
    show_text("nvmlDeviceGetName");
    show_of("clock", "nvmlDeviceGetClockInfo", 1);
    show_of("memory_clock", "nvmlDeviceGetClockInfo", 2);
    show_of("no_clock", "nvmlDeviceGetClockInfo", 9);
    show("nvmlDeviceGetEnforcedPowerLimit");
    show("nvmlDeviceGetFanSpeed");
    show("nvmlDeviceGetPerformanceState");
    show("nvmlDeviceResetGpuLockedClocks");
    void *mine = device;
    device = &mine;
    show("nvmlDeviceGetPerformanceState");
    device = mine;
}

/* A function of the driver; those of no arguments take one more without harm. */
#define CUDA(name, ...) (*(int (*)())(uintptr_t)find(cuda, name))(__VA_ARGS__)

static void launch(const char *path, unsigned rounds, unsigned launches)
{
    static char text[65536];
    void *context, *module, *kernel, *begin, *end;
    uint64_t buffer;
    float milliseconds = 0;
    FILE *file = fopen(path, "r");
    if (!file || !fread(text, 1, sizeof text - 1, file)) exit(2);
    fclose(file);
    int failures = CUDA("cuInit", 0) + CUDA("cuCtxCreate_v2", &context, 0, 0) +
                   CUDA("cuModuleLoadData", &module, text) +
                   CUDA("cuModuleGetFunction", &kernel, module, "read_lines") +
                   CUDA("cuMemAlloc_v2", &buffer, (size_t)BYTES) +
                   CUDA("cuEventCreate", &begin, 0) + CUDA("cuEventCreate", &end, 0) +
                   CUDA("cuEventRecord", begin, NULL);
    void *arguments[] = {&buffer, &rounds};
    for (unsigned i = 0; i < launches; i++)
        failures +=
            CUDA("cuLaunchKernel", kernel, BLOCKS, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL);
    failures += CUDA("cuEventRecord", end, NULL) + CUDA("cuCtxSynchronize", 0) +
                CUDA("cuEventElapsedTime", &milliseconds, begin, end);
    printf("failures %d\nmilliseconds %.9g\n", failures, milliseconds);
}

int main(int count, char **words)
{
    if (count < 4) return 2;
    nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    cuda = dlopen("libcuda.so.1", RTLD_NOW);
    if (!nvml || !cuda) return puts(dlerror()), 1;
    int (*init)(void) = (int (*)(void))(uintptr_t)find(nvml, "nvmlInit_v2");
    int (*end)(void) = (int (*)(void))(uintptr_t)find(nvml, "nvmlShutdown");
    int (*handle)(unsigned, void **) =
        (int (*)(unsigned, void **))(uintptr_t)find(nvml, "nvmlDeviceGetHandleByIndex_v2");
    printf("before %d %d\n", handle(0, &device), end());
    printf("init %d\n", init());
    printf("handle %d %d\n", handle(0, &device), handle(1, &device));
    printf("unknown %d\n", dlsym(nvml, "nvmlDeviceSetFanSpeed_v2") != NULL);
    const char *(*words_of)(int) = (const char *(*)(int))(uintptr_t)find(nvml, "nvmlErrorString");
    printf("words %s\n", words_of(3));
    show_version("nvmlSystemGetDriverVersion");
    show_version("nvmlSystemGetNVMLVersion");
    show_sensors("idle");
    launch(words[1], (unsigned)atoi(words[2]), (unsigned)atoi(words[3]));
    show_sensors("busy");
    show_device();
    if (count > 4) {
        usleep((useconds_t)atoi(words[4]));
        show_sensors("rested");
    }
    printf("end %d %d\n", end(), end());
    return 0;
}
