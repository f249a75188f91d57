// SPDX-License-Identifier: Apache-2.0
/* Speed of the emulator on this CPU: kernels in full size, by both engines and at every instruction-set
 * level, and beside PoCL and Oclgrind where they are installed. Figures of one run on one machine;
 * compare the ratios, not the seconds of two machines. */
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <warpsage/warpsage.h>

#include "emulate/emulate.h"
#include "runs.h"

#ifdef __clang__
#define WS_COMPILER __VERSION__
#else
#define WS_COMPILER "gcc " __VERSION__
#endif

enum { LEVELS_MAX = 3 };

/* What one kernel gave; filled by a child process. */
struct result {
    struct outcome off, on[LEVELS_MAX], two; /* on: by level; off and two at the best */
    struct outcome compiled, compiled_off;   /* by the compiled engine, and without counters */
    double beyond_data;                      /* bytes */
};

static int best_level(void)
{
    return device_isa_levels() - 1;
}

static double rate(const struct outcome *outcome, const struct outcome *counted)
{
    return counted->thread_instructions / outcome->seconds * 1e-6;
}

static void print_cpu(void)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0) {
            char *name = strchr(line, ':');
            printf("CPU      %s", name ? name + 2 : line);
            break;
        }
    if (file) fclose(file);
}

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

static void fill_result(const struct bench *bench, struct result *out)
{
    float *buffers[BUFFERS_MAX];
    double bytes = bench_fill(bench, buffers);
    out->off = bench_run(bench, buffers, &(struct run){1, false, -1, NULL, NULL});
    out->two = bench_run(bench, buffers, &(struct run){2, true, -1, NULL, NULL});
    out->compiled = bench_run(bench, buffers, &(struct run){1, true, -1, "compiled", NULL});
    out->compiled_off = bench_run(bench, buffers, &(struct run){1, false, -1, "compiled", NULL});
    for (int level = best_level(); level >= 0; level--)
        out->on[level] = bench_run(bench, buffers, &(struct run){1, true, level, NULL, NULL});
    /* The process holds each buffer twice: the guest's and ours. */
    out->beyond_data = peak_bytes() - 2 * bytes;
    bench_free(buffers);
}

/* A process each: the peak of its memory is its own. */
static bool fill_in_child(const struct bench *bench, struct result *out)
{
    pid_t child = fork();
    int status = 1;
    if (child == 0) {
        fill_result(bench, out);
        _exit(0);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static void print_engine(const struct result *results)
{
    printf("%-18s %10s %10s %12s %10s %10s %11s\n", "", "thread-", "same,", "per warp", "counters",
           "2 threads", "memory");
    printf("%-18s %10s %10s %12s %10s %10s %11s\n", "kernel", "insts/s", "no counts", "instruction",
           "cost", "gain", "beyond data");
    for (int i = 0; i < BENCH_COUNT; i++) {
        const struct result *r = &results[i];
        const struct outcome *on = &r->on[best_level()];
        printf("%-18s %8.0f M %8.0f M %9.2f ns %8.2f x %8.2f x %8.0f MB\n", benches[i].title,
               rate(on, on), rate(&r->off, on), on->seconds / on->warp_instructions * 1e9,
               on->seconds / r->off.seconds, on->seconds / r->two.seconds, r->beyond_data * 1e-6);
    }
    printf(
        "\nthread-insts/s: lanes with true guard, counters on, 1 host thread. Memory: the peak of "
        "the\nprocess less the buffers, which it holds twice: the guest's and its own.\n");
}

static void print_compiled(const struct result *results)
{
    printf("\n%-18s %10s %10s %10s %12s %12s\n", "", "thread-", "by the in-", "", "same, no",
           "in-");
    printf("%-18s %10s %10s %10s %12s %12s\n", "compiled engine", "insts/s", "terpreter", "ratio",
           "counts", "terpreter");
    for (int i = 0; i < BENCH_COUNT; i++) {
        const struct result *r = &results[i];
        const struct outcome *on = &r->on[best_level()];
        printf("%-18s %8.0f M %8.0f M %8.2f x %10.0f M %10.0f M\n", benches[i].title,
               rate(&r->compiled, on), rate(on, on), on->seconds / r->compiled.seconds,
               rate(&r->compiled_off, on), rate(&r->off, on));
    }
}

static void print_levels(const struct result *results)
{
    printf("\n%-18s", "thread-insts/s at");
    for (int i = 0; i < BENCH_COUNT; i++)
        printf(" %18s", benches[i].title);
    printf(" %15s\n", "geometric mean");
    for (int level = best_level(); level >= 0; level--) {
        double logs = 0;
        printf("%-18s", device_isa_name(level));
        for (int i = 0; i < BENCH_COUNT; i++) {
            double value = rate(&results[i].on[level], &results[i].on[level]);
            logs += log(value);
            printf(" %16.0f M", value);
        }
        printf(" %13.0f M\n", exp(logs / BENCH_COUNT));
    }
}

/* ---- beside others --------------------------------------------------------------------------- */

static const struct other {
    const char *name, *prefix, *platform, *size, *packages;
} others[] = {
    {"PoCL", "POCL_MAX_PTHREAD_COUNT=1 POCL_CPU_MAX_CU_COUNT=1", "Portable Computing", "full",
     "pocl-opencl-icd"},
    {"Oclgrind", "oclgrind", "Oclgrind", "small", "oclgrind"},
};
enum { OTHER_COUNT = sizeof others / sizeof *others };

/* Seconds of kernel `index`, as bench_opencl prints them; 0 if it cannot be run. */
static double seconds_of_other(const struct other *other, const char *folder, int index)
{
    char command[4200];
    double seconds = 0;
    snprintf(command, sizeof command, "%s '%s/bench_opencl' '%s' %d %s 2>/dev/null", other->prefix,
             folder, other->platform, index, other->size);
    FILE *pipe = popen(command, "r");
    if (!pipe) return 0;
    if (fscanf(pipe, "%lf", &seconds) != 1) seconds = 0;
    if (pclose(pipe) != 0) seconds = 0;
    return seconds;
}

/* Seconds of the full size: a smaller one counts as often as it fits in. */
static void print_other(const struct other *other, const char *folder)
{
    bool is_small = !strcmp(other->size, "small");
    printf("%-18s", other->name);
    for (int i = 0; i < OPENCL_COUNT; i++) {
        double ratio, seconds = seconds_of_other(other, folder, i);
        (void)bench_shrunk(&benches[i], &ratio);
        if (seconds == 0) {
            printf(" not there: install %s and ocl-icd-opencl-dev, and build bench_opencl\n",
                   other->packages);
            return;
        }
        printf(" %16.3f s", is_small ? seconds * ratio : seconds);
    }
    printf("\n");
    fflush(stdout);
}

static void print_others(const struct result *results, const char *folder)
{
    printf("\n%-18s", "seconds of");
    for (int i = 0; i < OPENCL_COUNT; i++)
        printf(" %18s", benches[i].title);
    printf("\n%-18s", "warpsage");
    for (int i = 0; i < OPENCL_COUNT; i++)
        printf(" %16.3f s", results[i].on[best_level()].seconds);
    printf("\n%-18s", "  no counts");
    for (int i = 0; i < OPENCL_COUNT; i++)
        printf(" %16.3f s", results[i].off.seconds);
    printf("\n");
    fflush(stdout);
    for (int i = 0; i < OTHER_COUNT; i++)
        print_other(&others[i], folder);
    printf("\nPoCL and Oclgrind run bench/kernels.cl, the same kernels in OpenCL C, on the same "
           "buffers; "
           "the\nlaunch alone, best of %d. PoCL compiles to machine code, checks and counts "
           "nothing; one "
           "thread\n(POCL_MAX_PTHREAD_COUNT=1). Oclgrind interprets and checks memory, plugins at "
           "their "
           "defaults, on\nall cores; it runs sgemm of 64^2 and 64 K elements, its seconds times "
           "512 and "
           "256.\n",
           REPETITIONS);
}

int main(int argc, char **argv)
{
    print_cpu();
    printf("warpsage %s, %s; best of %d launches\n\n", ws_version(), WS_COMPILER, REPETITIONS);
    fflush(stdout);
    struct result *results = mmap(NULL, BENCH_COUNT * sizeof *results, PROT_READ | PROT_WRITE,
                                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (results == MAP_FAILED) return 1;
    for (int i = 0; i < BENCH_COUNT; i++)
        if (!fill_in_child(&benches[i], &results[i])) return 1;
    print_engine(results);
    print_compiled(results);
    print_levels(results);
    print_others(results, argc > 0 ? dirname(argv[0]) : ".");
    return 0;
}
