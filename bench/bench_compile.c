// SPDX-License-Identifier: Apache-2.0
/* What compiling costs: each kernel of the files is launched with one thread, and stopped at its first fault or a few
 * instructions later, by the compiled engine and by the interpreter; the difference in the thread's own time is
 * the compiler's.
 *
 *     bench_compile [FILE.ptx ...]      the kernels of bench_engine without */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/memory.h"
#include "compile/compile.h"
#include "emulate/emulate.h"

enum { LAUNCHES = 50, INSTRUCTIONS_MAX = 1000 };

static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of a launch, the least of many: what lies above is other programs'. */
static double launch_seconds(const struct module *module, uint32_t entry,
                             const struct engine *engine)
{
    double best = 1e9;
    const struct device_options options = {.threads = 1, .isa_level = -1, .engine = engine};
    unsigned char *parameters = mem_zalloc(1, module->functions[entry].parameter_bytes + 8);
    const struct launch_options launch = {
        .entry = entry,
        .grid = {1, 1, 1},
        .block = {1, 1, 1},
        .parameters = parameters,
        .parameter_bytes = module->functions[entry].parameter_bytes,
        .max_instructions = INSTRUCTIONS_MAX,
    };
    for (unsigned i = 0; i < LAUNCHES; i++) {
        struct diag diag = {0};
        struct device *device;
        if (device_create(&diag, &options, &device) != WS_OK) break;
        double begin = thread_seconds();
        (void)device_launch(&diag, device, module, &launch,
                            NULL); /* a fault is as good as an end */
        double seconds = thread_seconds() - begin;
        if (seconds < best) best = seconds;
        device_destroy(device);
        diag_clear(&diag);
    }
    mem_free(parameters);
    return best;
}

struct sums {
    double instructions, seconds;
};

static void measure(const struct module *module, uint32_t entry, struct sums *sums)
{
    const struct function *function = &module->functions[entry];
    double interpreted = launch_seconds(module, entry, NULL);
    double compiled = launch_seconds(module, entry, compile_engine());
    double seconds = compiled > interpreted ? compiled - interpreted : 0;
    printf("%-32.32s %6u instructions %9.3f ms %9.3f ms for 100\n", function->name,
           function->insn_count, 1e3 * seconds, 1e5 * seconds / function->insn_count);
    sums->instructions += function->insn_count;
    sums->seconds += seconds;
}

static bool measure_file(const char *path, struct sums *sums)
{
    struct diag diag = {0};
    struct module *module = NULL;
    if (module_load_file(&diag, path, NULL, &module) != WS_OK) {
        fprintf(stderr, "%s\n", diag.text);
        diag_clear(&diag);
        return false;
    }
    for (uint32_t f = 0; f < module->function_count; f++)
        if (module->functions[f].is_entry && module->functions[f].insn_count)
            measure(module, f, sums);
    module_destroy(module);
    return true;
}

int main(int argc, char **argv)
{
    struct sums sums = {0};
    bool ok = true;
    for (int i = 1; i < argc; i++)
        ok = measure_file(argv[i], &sums) && ok;
    if (argc == 1) ok = measure_file(SOURCE_DIR "/bench/engine_kernels.ptx", &sums);
    if (sums.instructions > 0)
        printf("all %34.0f instructions %9.3f ms %9.3f ms for 100\n", sums.instructions,
               1e3 * sums.seconds, 1e5 * sums.seconds / sums.instructions);
    return ok ? 0 : 1;
}
