// SPDX-License-Identifier: Apache-2.0
/* Kernels of launching_kernels.ptx, which launch kernels, by the driver API: no tool of NVIDIA is needed.
 *
 *     launching_kernels FILE.ptx
 *
 * Element i begins as i. down(depth) doubles it and, coming back, adds 1 at each of depth + 1 levels; what follows in the
 * stream of `start` multiplies by 10. A launch of 5000 threads is an invalid configuration (error 9). */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 64, DEPTH = 20, INVALID_CONFIGURATION = 9 };

static void *find(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (found) return found;
    printf("no %s\n", name);
    exit(1);
}

/* Of functions whose arguments are all as wide as a pointer. */
static void call(const char *name, uint64_t a, uint64_t b, uint64_t c)
{
    int (*function)(uint64_t, uint64_t, uint64_t);
    void *found = find(name);
    memcpy(&function, &found, sizeof function);
    int error = function(a, b, c);
    if (!error) return;
    printf("%s: error %d\n", name, error);
    exit(1);
}
#define P(x) ((uint64_t)(uintptr_t)(x))

static void launch(void *kernel, void **arguments)
{
    int (*function)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                    void *, void **, void **);
    void *found = find("cuLaunchKernel");
    memcpy(&function, &found, sizeof function);
    int error = function(kernel, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL);
    if (!error) return;
    printf("cuLaunchKernel: error %d\n", error);
    exit(1);
}

static bool check(const int *got, int error)
{
    if (error != INVALID_CONFIGURATION) {
        printf("the kernel got error %d\n", error);
        return false;
    }
    for (int i = 0; i < N; i++)
        if (got[i] != 10 * (2 * i + DEPTH + 1)) {
            printf("element %d is %d\n", i, got[i]);
            return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    void *context, *module, *kernel;
    uint64_t x, told;
    int n = N, depth = DEPTH, got[N], error;
    if (argc != 2 || !dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL)) return 2;
    call("cuInit", 0, 0, 0);
    call("cuDevicePrimaryCtxRetain", P(&context), 0, 0);
    call("cuCtxSetCurrent", P(context), 0, 0);
    call("cuModuleLoad", P(&module), P(argv[1]), 0);
    call("cuModuleGetFunction", P(&kernel), P(module), P("start"));
    call("cuMemAlloc_v2", P(&x), sizeof got, 0);
    call("cuMemAlloc_v2", P(&told), sizeof error, 0);
    void *arguments[] = {&x, &n, &depth, &told};
    launch(kernel, arguments);
    call("cuMemcpyDtoH_v2", P(got), x, sizeof got);
    call("cuMemcpyDtoH_v2", P(&error), told, sizeof error);
    bool good = check(got, error);
    puts(good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
