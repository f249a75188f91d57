// SPDX-License-Identifier: Apache-2.0
/* Machine code that a program loads by the driver API, and runs:
 *
 *     native_images data FILE       cuModuleLoadData of its bytes
 *     native_images path FILE       cuModuleLoad
 *     native_images link FILE ...   cuLinkAddData of each, as its name tells, then cuModuleLoadData
 *
 * then, of the kernels of tests/native/basic.cu and linked_a.cu, those that are there, with 8 threads on the numbers 0 to
 * 31, and exchange with 64 on floats. Prints a line for each step: its name, the result, the first 8 numbers. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *cuda;

static void *find(const char *name)
{
    void *function = dlsym(cuda, name);
    if (!function) printf("missing %s\n", name), exit(1);
    return function;
}

#define CALL(name, types, ...) (((int(*) types)(uintptr_t)find(name))(__VA_ARGS__))

static void show(const char *step, int result)
{
    const char *name = "?";
    CALL("cuGetErrorName", (int, const char **), result, &name);
    printf("%s %s\n", step, name);
}

static void must(const char *step, int result)
{
    if (!result) return;
    show(step, result);
    exit(1);
}

static void *read_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(1 << 20);
    if (!file || !bytes) printf("cannot read %s\n", path), exit(1);
    *out_size = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    char *exact = malloc(*out_size + 1); /* what lies behind is not the file's */
    memcpy(exact, bytes, *out_size);
    exact[*out_size] = 0;
    free(bytes);
    return exact;
}

/* CUjitInputType by the name's ending. */
static int kind_of(const char *path)
{
    static const char *const endings[] = {".cubin", ".ptx", ".fatbin", ".o", ".a"};
    const char *end = strrchr(path, '.');
    for (int i = 0; end && i < 5; i++)
        if (!strcmp(end, endings[i])) return i;
    return 0;
}

static int link_files(void **module, char **files, int count)
{
    void *state, *cubin;
    size_t size;
    must("cuLinkCreate",
         CALL("cuLinkCreate_v2", (unsigned, int *, void **, void **), 0, NULL, NULL, &state));
    for (int i = 0; i < count; i++) {
        void *bytes = read_file(files[i], &size);
        int result = CALL("cuLinkAddData_v2",
                          (void *, int, void *, size_t, const char *, unsigned, int *, void **),
                          state, kind_of(files[i]), bytes, size, files[i], 0, NULL, NULL);
        free(bytes);
        if (result) return result;
    }
    int result = CALL("cuLinkComplete", (void *, void **, size_t *), state, &cubin, &size);
    if (!result) result = CALL("cuModuleLoadData", (void **, void *), module, cubin);
    must("cuLinkDestroy", CALL("cuLinkDestroy", (void *), state));
    return result;
}

struct run {
    const char *kernel;
    unsigned threads, shared;
    int is_float;
    int which;
};

static void run_kernel(void *module, const struct run *run)
{
    void *function;
    uint64_t buffer;
    int numbers[64], which = run->which;
    long long n = 3;
    float floats[64];
    if (CALL("cuModuleGetFunction", (void **, void *, const char *), &function, module,
             run->kernel))
        return;
    for (int i = 0; i < 64; i++)
        numbers[i] = i, floats[i] = (float)i;
    void *host = run->is_float ? (void *)floats : (void *)numbers;
    must("cuMemAlloc", CALL("cuMemAlloc_v2", (uint64_t *, size_t), &buffer, sizeof numbers));
    must("cuMemcpyHtoD", CALL("cuMemcpyHtoD_v2", (uint64_t, void *, size_t), buffer, host, 256));
    void *arguments[] = {&buffer, &which, &n};
    int result = CALL("cuLaunchKernel",
                      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       void *, void **, void **),
                      function, 1, 1, 1, run->threads, 1, 1, run->shared, NULL, arguments, NULL);
    if (!result) result = ((int (*)(void))(uintptr_t)find("cuCtxSynchronize"))();
    if (result) {
        show(run->kernel, result);
        return;
    }
    must("cuMemcpyDtoH", CALL("cuMemcpyDtoH_v2", (void *, uint64_t, size_t), host, buffer, 256));
    printf("%s", run->kernel);
    for (int i = 0; i < 8; i++)
        run->is_float ? printf(" %g", (double)floats[i]) : printf(" %d", numbers[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    static const struct run runs[] = {{"choose", 8, 0, 0, 2},
                                      {"choose", 8, 0, 0, 7},
                                      {"exchange", 64, 256, 1, 0},
                                      {"linked", 8, 0, 0, 0}};
    void *device, *context, *module = NULL;
    size_t size;
    int result;
    if (argc < 3) return 2;
    cuda = dlopen("libcuda.so.1", RTLD_NOW);
    if (!cuda) printf("%s\n", dlerror()), exit(1);
    must("cuInit", CALL("cuInit", (unsigned), 0));
    must("cuDeviceGet", CALL("cuDeviceGet", (void *, int), &device, 0));
    must("cuCtxCreate", CALL("cuCtxCreate_v2", (void **, unsigned, int), &context, 0, 0));
    if (!strcmp(argv[1], "link")) {
        result = link_files(&module, argv + 2, argc - 2);
    } else if (!strcmp(argv[1], "path")) {
        result = CALL("cuModuleLoad", (void **, const char *), &module, argv[2]);
    } else {
        void *bytes = read_file(argv[2], &size);
        result = CALL("cuModuleLoadData", (void **, void *), &module, bytes);
        free(bytes);
    }
    show("load", result);
    for (size_t i = 0; !result && i < sizeof runs / sizeof *runs; i++)
        run_kernel(module, &runs[i]);
    return 0;
}
