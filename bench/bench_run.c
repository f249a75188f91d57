// SPDX-License-Identifier: Apache-2.0
/* What `warpsage run` costs: microseconds of an API call and of a launch, and a whole program. Starts itself
 * under `warpsage run`, from the folder that it lies in, as a program of the driver API. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 200000, LAUNCHES = 20000, PROGRAMS = 10 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
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

/* One block, whose work is next to nothing: the first launch is counted, later ones are reused. */
static void bench_launches(void)
{
    void *module, *kernel;
    unsigned n = 256;
    float factor = 2;
    uint64_t x, y;
    must("cuModuleLoad", cu.cuModuleLoad(&module, SOURCE_DIR "/examples/kernels/saxpy/saxpy.ptx"));
    must("cuModuleGetFunction", cu.cuModuleGetFunction(&kernel, module, "saxpy"));
    must("cuMemAlloc", cu.cuMemAlloc_v2(&x, n * sizeof(float)));
    must("cuMemAlloc", cu.cuMemAlloc_v2(&y, n * sizeof(float)));
    void *arguments[] = {&n, &factor, &x, &y};
    double begin = seconds_now();
    must("cuLaunchKernel", cu.cuLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
    printf("%-44s %10.3f us\n", "the first launch, counted and predicted",
           1e6 * (seconds_now() - begin));
    begin = seconds_now();
    for (unsigned i = 0; i < LAUNCHES; i++)
        must("cuLaunchKernel",
             cu.cuLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
    tell("a launch of saxpy with one block", seconds_now() - begin, LAUNCHES, 50);
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

static void bench_program(const char *warpsage)
{
    fflush(stdout);
    double best = 1e9;
    for (int i = 0; i < PROGRAMS; i++) {
        double begin = seconds_now();
        run(warpsage, SOURCE_DIR "/tests/programs/prebuilt/vector_add", NULL);
        double seconds = seconds_now() - begin;
        if (seconds < best) best = seconds;
    }
    printf("%-44s %10.3f s   (at most 0.3)\n", "vector_add with its report, from start to end",
           best);
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
