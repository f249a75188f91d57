// SPDX-License-Identifier: Apache-2.0
/* Calls of the driver API with one mistake, and ways to end; host_checks.py says what must be found.
 *
 *     host_checks CASE */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void *library;

static void *find(const char *name)
{
    void *function = dlsym(library, name);
    if (function) return function;
    fprintf(stderr, "%s is missing\n", name);
    exit(3);
}

/* The result of the call. */
#define CALL(result, name, types, ...)                                                             \
    do {                                                                                           \
        union {                                                                                    \
            void *address;                                                                         \
            int(*function) types;                                                                  \
        } to = {find(#name)};                                                                      \
        result = to.function(__VA_ARGS__);                                                         \
    } while (0)

typedef void *handle;
enum { BYTES = 1024 };

static uint64_t allocate(size_t bytes)
{
    uint64_t memory = 0;
    int error;
    CALL(error, cuMemAlloc_v2, (uint64_t *, size_t), &memory, bytes);
    return error ? 0 : memory;
}

static int release(uint64_t memory)
{
    int error;
    CALL(error, cuMemFree_v2, (uint64_t), memory);
    return error;
}

static int copy_to_device(uint64_t memory, size_t bytes)
{
    static char host[4 * BYTES];
    int error;
    CALL(error, cuMemcpyHtoD_v2, (uint64_t, const void *, size_t), memory, host, bytes);
    return error;
}

static uint64_t late; /* freed by a handler of atexit */

static void free_late(void)
{
    release(late);
}

/* The child uses and leaks nothing that its own findings would have. */
static void fork_here(void)
{
    pid_t child = fork();
    if (!child) exit(0);
    waitpid(child, NULL, 0);
}

static int run(const char *name, uint64_t memory)
{
    handle stream, event;
    int error = 0;
    if (!strcmp(name, "overrun")) copy_to_device(memory, BYTES + 1);
    if (!strcmp(name, "interior")) release(memory + 8);
    if (!strcmp(name, "double")) release(memory);
    if (!strcmp(name, "double")) return release(memory) ? 0 : 1;
    if (!strcmp(name, "late")) late = allocate(BYTES), atexit(free_late);
    if (!strcmp(name, "stream")) {
        CALL(error, cuStreamCreate, (handle *, unsigned), &stream, 0);
        CALL(error, cuStreamDestroy_v2, (handle), stream);
        CALL(error, cuStreamSynchronize, (handle), stream);
    }
    if (!strcmp(name, "events"))
        for (int i = 0; i < 3; i++)
            CALL(error, cuEventCreate, (handle *, unsigned), &event, 0);
    if (!strcmp(name, "fork")) fork_here();
    if (!strcmp(name, "leak")) return 0;
    if (!strcmp(name, "leak_exit")) exit(7);
    if (!strcmp(name, "leak__exit")) _exit(0);
    if (!strcmp(name, "leak_abort")) abort();
    if (!strcmp(name, "overrun_abort")) copy_to_device(memory, BYTES + 1), abort();
    if (!strcmp(name, "probes")) {
        CALL(error, cuStreamQuery, (handle), NULL);
        CALL(error, cuDeviceGet, (int *, int), &error, 99);
        CALL(error, cuPointerGetAttribute, (void *, int, uint64_t), &stream, 2,
             (uint64_t)(uintptr_t)&event);
    }
    release(memory);
    return 0;
}

int main(int argc, char **argv)
{
    handle context;
    int error;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library || argc < 2) return 2;
    CALL(error, cuInit, (unsigned), 0);
    if (!error) CALL(error, cuCtxCreate_v2, (handle *, unsigned, int), &context, 0, 0);
    return error ? 2 : run(argv[1], allocate(BYTES));
}
