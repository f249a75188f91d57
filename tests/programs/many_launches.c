// SPDX-License-Identifier: Apache-2.0
/* Launches kernels of a PTX text by the driver API, many times on several streams, with copies and fills between:
 *
 *     many_launches ROUNDS
 *
 * A round: two launches, of kernels whose names have markup, on stream ROUND % 3; a copy of 4096 bytes to the device before
 * each tenth round, and a fill of 1024 after it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static const char ptx[] =
    ".version 7.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry _Z1kIRKcEvv()\n{\nret;\n}\n"
    ".visible .entry _Z4grow(.param .u64 p)\n{\n.reg .b64 %d<4>;\n.reg .b32 "
    "%r<4>;\nld.param.u64 %d1,[p];\nmov.u32 %r1,%tid.x;\n"
    "mul.wide.u32 %d2,%r1,4;\nadd.s64 %d3,%d1,%d2;\nld.global.u32 %r2,[%d3];\n"
    "add.u32 %r3,%r2,1;\nst.global.u32 [%d3],%r3;\nret;\n}\n";

static void *library;

static void *find(const char *name)
{
    void *function = dlsym(library, name);
    if (function) return function;
    fprintf(stderr, "%s is missing\n", name);
    exit(1);
}

static void check(int error, const char *what)
{
    if (!error) return;
    fprintf(stderr, "%s: error %d\n", what, error);
    exit(1);
}

#define CALL(name, types, ...)                                                                     \
    do {                                                                                           \
        union {                                                                                    \
            void *address;                                                                         \
            int(*function) types;                                                                  \
        } to = {find(#name)};                                                                      \
        check(to.function(__VA_ARGS__), #name);                                                    \
    } while (0)

typedef void *handle;
enum { STREAMS = 3, BYTES = 4096 };

static void launch(handle function, handle stream, void **arguments)
{
    CALL(cuLaunchKernel,
         (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle,
          void **, void **),
         function, 1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL);
}

int main(int argc, char **argv)
{
    static uint32_t host[BYTES / 4];
    handle context, module, empty, grow, streams[STREAMS];
    uint64_t memory;
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) return 1;
    CALL(cuInit, (unsigned), 0);
    CALL(cuCtxCreate_v2, (handle *, unsigned, int), &context, 0, 0);
    CALL(cuModuleLoadData, (handle *, const void *), &module, ptx);
    CALL(cuModuleGetFunction, (handle *, handle, const char *), &empty, module, "_Z1kIRKcEvv");
    CALL(cuModuleGetFunction, (handle *, handle, const char *), &grow, module, "_Z4grow");
    CALL(cuMemAlloc_v2, (uint64_t *, size_t), &memory, BYTES);
    for (int i = 0; i < STREAMS; i++)
        CALL(cuStreamCreate, (handle *, unsigned), &streams[i], 0);
    for (long i = 0; i < rounds; i++) {
        handle stream = streams[i % STREAMS];
        void *arguments[] = {&memory};
        if (i % 10 == 0)
            CALL(cuMemcpyHtoD_v2, (uint64_t, const void *, size_t), memory, host, BYTES);
        launch(empty, stream, NULL);
        launch(grow, stream, arguments);
        if (i % 10 == 0)
            CALL(cuMemsetD8_v2, (uint64_t, unsigned char, size_t), memory, 0, BYTES / 4);
    }
    CALL(cuStreamSynchronize, (handle), streams[0]);
    puts("PASSED");
    return 0;
}
