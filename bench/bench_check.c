// SPDX-License-Identifier: Apache-2.0
/* What checks cost: user time of launches under `warpsage check` as a multiple of that under
 * `warpsage run` of the same program on one thread of the interpreter, and memory as a multiple of
 * what the program allocates. Starts itself under both, from the folder that it lies in, as a
 * program of the driver API.
 *
 *     bench_check                  all kernels, and 1 GB of memory
 *     bench_check NAME ...         these kernels; `memory` is the memory
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 3, ARGUMENTS_MAX = 6 };

static void must(const char *what, int failed)
{
    if (!failed) return;
    fprintf(stderr, "bench_check: %s: error %d\n", what, failed);
    exit(1);
}

/* ---- the kernels ------------------------------------------------------------------------------- */

#define EXAMPLE(name) SOURCE_DIR "/examples/kernels/" name "/" name ".ptx"
#define OWN SOURCE_DIR "/bench/check_kernels.ptx"
enum argument_kind { NONE, WORD, FLOATS, INDICES, ZEROS };
struct argument {
    enum argument_kind kind;
    uint32_t value; /* the word's bits, or the words of the buffer */
};
#define ONE_HALF 0x3f000000u

struct workload {
    const char *name, *ptx, *kernel;
    unsigned grid[2], block[2], shared;
    struct argument arguments[ARGUMENTS_MAX];
};

#define K 1024u
#define M (K * K)
static const struct workload workloads[] = {
    {"saxpy",
     EXAMPLE("saxpy"),
     "saxpy",
     {4 * K, 1},
     {256, 1},
     0,
     {{WORD, M}, {WORD, ONE_HALF}, {FLOATS, M}, {FLOATS, M}}},
    {"reduce",
     EXAMPLE("reduce"),
     "reduce",
     {4 * K, 1},
     {256, 1},
     0,
     {{WORD, 2 * M}, {FLOATS, 2 * M}, {ZEROS, 4 * K}}},
    {"sgemm_tiled",
     EXAMPLE("sgemm_tiled"),
     "sgemm_tiled",
     {16, 16},
     {16, 16},
     0,
     {{WORD, 256}, {FLOATS, 64 * K}, {FLOATS, 64 * K}, {ZEROS, 64 * K}}},
    {"histogram_int",
     EXAMPLE("histogram"),
     "histogram_int",
     {256, 1},
     {256, 1},
     0,
     {{WORD, M}, {INDICES, M}, {WORD, 256}, {ZEROS, 256}}},
    {"histogram_private",
     EXAMPLE("histogram"),
     "histogram_private",
     {256, 1},
     {256, 1},
     1024,
     {{WORD, M}, {INDICES, M}, {WORD, 256}, {ZEROS, 256}}},
    {"stencil2d_global",
     EXAMPLE("stencil2d"),
     "stencil2d_global",
     {32, 128},
     {32, 8},
     0,
     {{WORD, K}, {WORD, K}, {WORD, ONE_HALF}, {WORD, ONE_HALF}, {FLOATS, M}, {ZEROS, M}}},
    {"stencil2d_shared",
     EXAMPLE("stencil2d"),
     "stencil2d_shared",
     {32, 128},
     {32, 8},
     0,
     {{WORD, K}, {WORD, K}, {WORD, ONE_HALF}, {WORD, ONE_HALF}, {FLOATS, M}, {ZEROS, M}}},
    {"transpose_tiled",
     EXAMPLE("transpose"),
     "transpose_tiled",
     {32, 32},
     {32, 8},
     0,
     {{WORD, K}, {FLOATS, M}, {ZEROS, M}}},
    {"nbody",
     EXAMPLE("nbody"),
     "nbody",
     {16, 1},
     {128, 1},
     0,
     {{WORD, 2 * K},
      {WORD, ONE_HALF},
      {WORD, ONE_HALF},
      {FLOATS, 8 * K},
      {FLOATS, 8 * K},
      {ZEROS, 8 * K}}},
    {"scan",
     OWN,
     "scan",
     {2 * K, 1},
     {256, 1},
     0,
     {{WORD, 512 * K}, {INDICES, 512 * K}, {ZEROS, 512 * K}}},
    {"sort", OWN, "sort", {512, 1}, {256, 1}, 0, {{INDICES, 256 * K}, {ZEROS, 256 * K}}},
    {"gather",
     OWN,
     "gather",
     {4 * K, 1},
     {256, 1},
     0,
     {{WORD, M}, {INDICES, M}, {FLOATS, M}, {ZEROS, M}}},
    {"warp_sum",
     OWN,
     "warp_sum",
     {4 * K, 1},
     {256, 1},
     0,
     {{WORD, M}, {FLOATS, M}, {ZEROS, M / 32}}},
};
enum { WORKLOADS = sizeof workloads / sizeof workloads[0] };
/* Two arrays of half a gigabyte. */
static const struct workload memory_workload = {
    "memory",
    EXAMPLE("saxpy"),
    "saxpy",
    {512 * K, 1},
    {256, 1},
    0,
    {{WORD, 128 * M}, {WORD, ONE_HALF}, {ZEROS, 128 * M}, {ZEROS, 128 * M}}};

static double allocated_bytes(const struct workload *workload)
{
    double bytes = 0;
    for (unsigned i = 0; i < ARGUMENTS_MAX; i++)
        if (workload->arguments[i].kind > WORD) bytes += 4.0 * workload->arguments[i].value;
    return bytes;
}

/* ---- under warpsage ---------------------------------------------------------------------------- */

#define FUNCTIONS                                                                                  \
    F(cuInit, (unsigned))                                                                          \
    F(cuCtxCreate_v2, (void **, unsigned, int))                                                    \
    F(cuCtxSynchronize, (void))                                                                    \
    F(cuModuleLoad, (void **, const char *))                                                       \
    F(cuModuleGetFunction, (void **, void *, const char *))                                        \
    F(cuMemAlloc_v2, (uint64_t *, size_t))                                                         \
    F(cuMemFree_v2, (uint64_t))                                                                    \
    F(cuMemcpyHtoD_v2, (uint64_t, const void *, size_t))                                           \
    F(cuMemsetD32_v2, (uint64_t, unsigned, size_t))                                                \
    F(cuLaunchKernel, (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,         \
                       unsigned, void *, void **, void **))
static struct {
#define F(name, parameters) int(*name) parameters;
    FUNCTIONS
#undef F
} cu;

static void find_functions(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    must("libcuda.so.1", !library);
#define F(name, parameters) *(void **)(void *)&cu.name = dlsym(library, #name);
    FUNCTIONS
#undef F
}

static double user_seconds(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static uint64_t make_buffer(const struct argument *argument)
{
    uint64_t address;
    size_t bytes = (size_t)argument->value * 4;
    must("cuMemAlloc", cu.cuMemAlloc_v2(&address, bytes));
    if (argument->kind == ZEROS) {
        must("cuMemsetD32", cu.cuMemsetD32_v2(address, 0, argument->value));
        return address;
    }
    uint32_t *words = malloc(bytes), state = 1;
    must("malloc", !words);
    for (uint32_t i = 0; i < argument->value; i++) {
        state = state * 1664525u + 1013904223u; /* Numerical Recipes' quick generator */
        float fraction = (float)(state >> 8) * 0x1p-24f;
        memcpy(&words[i], &fraction, sizeof fraction);
        if (argument->kind == INDICES) words[i] = state >> 8;
    }
    must("cuMemcpyHtoD", cu.cuMemcpyHtoD_v2(address, words, bytes));
    free(words);
    return address;
}

/* Prints the user time of the launch. */
static void run_inside(const struct workload *workload)
{
    void *context, *module, *kernel, *pointers[ARGUMENTS_MAX];
    uint64_t values[ARGUMENTS_MAX];
    find_functions();
    must("cuInit", cu.cuInit(0));
    must("cuCtxCreate", cu.cuCtxCreate_v2(&context, 0, 0));
    must("cuModuleLoad", cu.cuModuleLoad(&module, workload->ptx));
    must("cuModuleGetFunction", cu.cuModuleGetFunction(&kernel, module, workload->kernel));
    for (unsigned i = 0; i < ARGUMENTS_MAX; i++) {
        const struct argument *argument = &workload->arguments[i];
        values[i] = argument->kind > WORD ? make_buffer(argument) : argument->value;
        pointers[i] = &values[i];
    }
    double begin = user_seconds(RUSAGE_SELF);
    must("cuLaunchKernel",
         cu.cuLaunchKernel(kernel, workload->grid[0], workload->grid[1], 1, workload->block[0],
                           workload->block[1], 1, workload->shared, NULL, pointers, NULL));
    must("cuCtxSynchronize", cu.cuCtxSynchronize());
    printf("%.9f\n", user_seconds(RUSAGE_SELF) - begin);
    for (unsigned i = 0; i < ARGUMENTS_MAX; i++)
        if (workload->arguments[i].kind > WORD) must("cuMemFree", cu.cuMemFree_v2(values[i]));
}

/* ---- outside ----------------------------------------------------------------------------------- */

struct cost {
    double seconds, peak_bytes;
};

/* ALL and CHEAP are judged beside RUN, which counts what it executes; BARE does not. */
enum way { RUN, BARE, CHEAP, ALL, WAYS };
static const char *const names[WAYS] = {"run", "not counted", "memory,sync", "all"};
static const char *const words[WAYS][12] = {
    [RUN] = {"run", "--isa", "ptx", "--engine", "interpreter", "-t", "1", "-o", "/dev/null"},
    [BARE] = {"run", "--isa", "ptx", "--engine", "interpreter", "-t", "1", "-o", "/dev/null",
              "--only", "^$"},
    [CHEAP] = {"check", "--tool", "memory,sync", "-o", "/dev/null"},
    [ALL] = {"check", "-o", "/dev/null"}};

static void start(const char *self, enum way way, const char *workload, int out)
{
    const char *command[20], **next = command;
    char warpsage[4200];
    snprintf(warpsage, sizeof warpsage, "%.*s/warpsage", (int)(strrchr(self, '/') - self), self);
    *next++ = warpsage;
    for (const char *const *word = words[way]; *word; word++)
        *next++ = *word;
    *next++ = "--";
    *next++ = self;
    *next++ = "inside";
    *next++ = workload;
    *next = NULL;
    dup2(out, STDOUT_FILENO);
    execv(warpsage, (char **)(uintptr_t)command);
    perror(warpsage);
    _exit(127);
}

static struct cost measure(const char *self, enum way way, const struct workload *workload)
{
    int ends[2], status;
    char line[64] = "";
    struct rusage usage;
    must("pipe", pipe(ends));
    pid_t child = fork();
    must("fork", child < 0);
    if (child == 0) start(self, way, workload->name, ends[1]);
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    must("pipe", !said || !fgets(line, sizeof line, said));
    fclose(said);
    must("wait4", wait4(child, &status, 0, &usage) < 0);
    must(workload->name, status);
    /* Of warpsage or of the program, its child: the larger one. */
    return (struct cost){strtod(line, NULL), 1024.0 * (double)usage.ru_maxrss};
}

/* Ways take turns, so that what else this computer does hits all of them. */
static void compare(const char *self, const struct workload *workload)
{
    bool is_memory = workload == &memory_workload;
    struct cost least[WAYS];
    for (unsigned i = 0; i < (is_memory ? 1 : REPEATS); i++)
        for (enum way way = 0; way < WAYS; way++) {
            struct cost one = measure(self, way, workload);
            if (i == 0 || one.seconds < least[way].seconds) least[way] = one;
        }
    printf("%-18s %10.3f s", workload->name, least[RUN].seconds);
    for (enum way way = BARE; way < WAYS; way++)
        printf("%12.2fx", least[way].seconds / least[RUN].seconds);
    for (enum way way = 0; way < WAYS && is_memory; way++)
        printf("%s %.2f%s", way ? "," : "\npeak memory by what the program allocates:",
               least[way].peak_bytes / allocated_bytes(workload),
               way == CHEAP || way == ALL ? " (at most 6)" : "");
    printf("\n");
    fflush(stdout);
}

static const struct workload *find_workload(const char *name)
{
    for (unsigned i = 0; i < WORKLOADS; i++)
        if (!strcmp(workloads[i].name, name)) return &workloads[i];
    if (!strcmp(memory_workload.name, name)) return &memory_workload;
    fprintf(stderr, "bench_check: unknown workload '%s'\n", name);
    exit(2);
}

static void print_heading(void)
{
    printf("%-18s %12s", "user time", names[RUN]);
    for (enum way way = BARE; way < WAYS; way++)
        printf("%13s", names[way]);
    printf("\n%-18s %12s%13s%13s%13s\n", "", "", "", "(at most 1.5)", "(at most 10)");
}

int main(int argc, char **argv)
{
    char self[4096];
    if (argc > 2 && !strcmp(argv[1], "inside")) {
        run_inside(find_workload(argv[2]));
        return 0;
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    must("/proc/self/exe", length < 0);
    self[length] = '\0';
    print_heading();
    if (argc > 1)
        for (int i = 1; i < argc; i++)
            compare(self, find_workload(argv[i]));
    for (unsigned i = 0; argc == 1 && i < WORKLOADS; i++)
        compare(self, &workloads[i]);
    if (argc == 1) compare(self, &memory_workload);
    return 0;
}
