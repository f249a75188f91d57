// SPDX-License-Identifier: Apache-2.0
/* What `warpsage run` costs: microseconds of an API call and of launches, and a whole program. Starts itself
 * under `warpsage run`, from the folder that it lies in, as a program of the driver API. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 200000, LAUNCHES = 20000, PROGRAMS = 10 };

/* Processor time of this process: other programs may run beside it. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The same of the programs that it started. */
static double seconds_of_children(void)
{
    struct rusage use;
    getrusage(RUSAGE_CHILDREN, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

static void must(const char *what, int failed)
{
    if (!failed) return;
    fprintf(stderr, "bench_run: %s: error %d\n", what, failed);
    exit(1);
}

/* ---- under warpsage run ------------------------------------------------------------------------ */

#define FUNCTIONS                                                                                  \
    F(cuInit, (unsigned))                                                                          \
    F(cuCtxCreate_v2, (void **, unsigned, int))                                                    \
    F(cuCtxSynchronize, (void))                                                                    \
    F(cuModuleLoad, (void **, const char *))                                                       \
    F(cuModuleGetFunction, (void **, void *, const char *))                                        \
    F(cuMemAlloc_v2, (uint64_t *, size_t))                                                         \
    F(cuMemFree_v2, (uint64_t))                                                                    \
    F(cuMemcpyHtoD_v2, (uint64_t, const void *, size_t))                                           \
    F(cuEventCreate, (void **, unsigned))                                                          \
    F(cuEventRecord, (void *, void *))                                                             \
    F(cuStreamCreate, (void **, unsigned))                                                         \
    F(cuStreamBeginCapture_v2, (void *, int))                                                      \
    F(cuStreamEndCapture, (void *, void **))                                                       \
    F(cuGraphInstantiateWithFlags, (void **, void *, unsigned long long))                          \
    F(cuGraphLaunch, (void *, void *))                                                             \
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

static void tell(const char *what, double seconds, unsigned count, double goal)
{
    printf("%-44s %10.3f us  (at most %g)\n", what, 1e6 * seconds / count, goal);
}

static void bench_calls(void)
{
    void *event;
    uint64_t memory;
    int word = 0;
    must("cuEventCreate", cu.cuEventCreate(&event, 0));
    must("cuMemAlloc", cu.cuMemAlloc_v2(&memory, sizeof word));
    double begin = seconds_now();
    for (unsigned i = 0; i < CALLS; i++)
        must("cuEventRecord", cu.cuEventRecord(event, NULL));
    tell("cuEventRecord", seconds_now() - begin, CALLS, 2);
    begin = seconds_now();
    for (unsigned i = 0; i < CALLS; i++)
        must("cuCtxSynchronize", cu.cuCtxSynchronize());
    tell("cuCtxSynchronize", seconds_now() - begin, CALLS, 2);
    begin = seconds_now();
    for (unsigned i = 0; i < CALLS; i++)
        must("cuMemcpyHtoD", cu.cuMemcpyHtoD_v2(memory, &word, sizeof word));
    tell("cuMemcpyHtoD of 4 bytes", seconds_now() - begin, CALLS, 2);
    begin = seconds_now();
    for (unsigned i = 0; i < CALLS / 2; i++) {
        must("cuMemFree", cu.cuMemFree_v2(memory));
        must("cuMemAlloc", cu.cuMemAlloc_v2(&memory, sizeof word));
    }
    tell("cuMemFree, cuMemAlloc", seconds_now() - begin, CALLS, 2);
}

/* One block of saxpy, whose work is next to nothing. */
struct launch {
    const char *what;
    unsigned threads, elements;
    bool changes_factor; /* a scalar argument */
    bool alternates;     /* between two buffers */
    bool is_of_stream;   /* not of the default one */
    double microseconds; /* at most */
};
static const struct launch launches[] = {
    {"launch that repeats the one before", 32, 0, false, false, false, 2},
    {"launch of a warp", 32, 32, false, false, false, 5},
    {"launch of 8 warps", 256, 256, false, false, false, 5},
    {"launch with another scalar", 32, 32, true, false, false, 5},
    {"launch with another buffer", 32, 32, false, true, false, 5},
    {"launch in a stream", 32, 32, false, false, true, 5},
};

static void launch(void *kernel, const struct launch *how, unsigned number, void *stream,
                   uint64_t buffers[3])
{
    unsigned n = how->elements;
    float factor = how->changes_factor ? (float)(number % 8) : 2;
    uint64_t *y = &buffers[how->alternates ? 1 + number % 2 : 1];
    void *arguments[] = {&n, &factor, &buffers[0], y};
    must("cuLaunchKernel", cu.cuLaunchKernel(kernel, 1, 1, 1, how->threads, 1, 1, 0,
                                             how->is_of_stream ? stream : NULL, arguments, NULL));
}

static void bench_graph(void *kernel, void *stream, uint64_t buffers[3])
{
    enum { NODES = 100 };
    static const struct launch node = {.threads = 32, .elements = 32, .is_of_stream = true};
    void *graph, *made;
    must("cuStreamBeginCapture", cu.cuStreamBeginCapture_v2(stream, 0));
    for (unsigned i = 0; i < NODES; i++)
        launch(kernel, &node, i, stream, buffers);
    must("cuStreamEndCapture", cu.cuStreamEndCapture(stream, &graph));
    must("cuGraphInstantiate", cu.cuGraphInstantiateWithFlags(&made, graph, 0));
    double begin = seconds_now();
    for (unsigned i = 0; i < LAUNCHES / NODES; i++)
        must("cuGraphLaunch", cu.cuGraphLaunch(made, stream));
    tell("launch in a graph", seconds_now() - begin, LAUNCHES, 5);
}

/* The first launch of a kind is counted, later ones are reused. */
static void bench_launches(void)
{
    void *module, *kernel, *stream;
    uint64_t buffers[3];
    must("cuModuleLoad", cu.cuModuleLoad(&module, SOURCE_DIR "/examples/kernels/saxpy/saxpy.ptx"));
    must("cuModuleGetFunction", cu.cuModuleGetFunction(&kernel, module, "saxpy"));
    must("cuStreamCreate", cu.cuStreamCreate(&stream, 0));
    for (unsigned i = 0; i < 3; i++)
        must("cuMemAlloc", cu.cuMemAlloc_v2(&buffers[i], 256 * sizeof(float)));
    double begin = seconds_now();
    launch(kernel, &launches[0], 0, stream, buffers);
    printf("%-44s %10.3f us\n", "the first launch, counted and predicted",
           1e6 * (seconds_now() - begin));
    for (size_t k = 0; k < sizeof launches / sizeof *launches; k++) {
        begin = seconds_now();
        for (unsigned i = 0; i < LAUNCHES; i++)
            launch(kernel, &launches[k], i, stream, buffers);
        tell(launches[k].what, seconds_now() - begin, LAUNCHES, launches[k].microseconds);
    }
    bench_graph(kernel, stream, buffers);
}

static int bench_inside(void)
{
    void *context;
    find_functions();
    must("cuInit", cu.cuInit(0));
    must("cuCtxCreate", cu.cuCtxCreate_v2(&context, 0, 0));
    bench_calls();
    bench_launches();
    return 0;
}

/* ---- outside --------------------------------------------------------------------------------- */

/* Without an argument: and without its output. */
static void run(const char *warpsage, const char *program, const char *argument)
{
    pid_t child = fork();
    int status;
    if (child == 0) {
        if (!argument && !freopen("/dev/null", "w", stdout)) _exit(127);
        execl(warpsage, warpsage, "run", "--gpu", "v100", "-o", "/dev/null", "--", program,
              argument, (char *)NULL);
        perror(warpsage);
        _exit(127);
    }
    must("fork", child < 0);
    waitpid(child, &status, 0);
    must(program, status);
}

static double best_of(const char *warpsage, const char *program)
{
    fflush(stdout);
    double best = 1e9;
    for (int i = 0; i < PROGRAMS; i++) {
        double begin = seconds_of_children();
        run(warpsage, program, NULL);
        double seconds = seconds_of_children() - begin;
        if (seconds < best) best = seconds;
    }
    return best;
}

static void bench_program(const char *warpsage)
{
    double empty = best_of(warpsage, "/bin/true");
    double whole = best_of(warpsage, SOURCE_DIR "/tests/programs/prebuilt/vector_add");
    printf("%-44s %10.3f s\n", "a program without CUDA, from start to end", empty);
    printf("%-44s %10.3f s   (at most 0.3)\n", "vector_add with its report, from start to end",
           whole);
}

int main(int argc, char **argv)
{
    char self[4096], warpsage[4200];
    if (argc > 1 && !strcmp(argv[1], "inside")) return bench_inside();
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    must("/proc/self/exe", length < 0);
    self[length] = '\0';
    int folder = (int)(strrchr(self, '/') - self);
    snprintf(warpsage, sizeof warpsage, "%.*s/warpsage", folder, self);
    run(warpsage, self, "inside");
    bench_program(warpsage);
    return 0;
}
