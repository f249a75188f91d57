// SPDX-License-Identifier: Apache-2.0
/* A symbol for every function of the driver API. Weak ones stand for what no other file defines: they
 * count the call for the report and say that it is not supported. */
#include "driver.h"

#include <stdio.h>
#include <string.h>

#include "cudart_names.h"

#define NAME(name)                                                                                 \
    CUDART __attribute__((weak)) driver_result name(void);                                         \
    driver_result name(void)                                                                       \
    {                                                                                              \
        cudaError_t error = device_begin();                                                        \
        note_missing(#name);                                                                       \
        api_unlock();                                                                              \
        return error ? (driver_result)error : CUDA_ERROR_NOT_SUPPORTED;                            \
    }
#define PER_THREAD(name, base)
#include "driver_names.def"
#undef NAME
#undef PER_THREAD

#define NAME(name)
#define PER_THREAD(name, base) JUMP_TO(driver_result, name, base)
#include "driver_names.def"
#undef NAME
#undef PER_THREAD

struct driver_name {
    const char *name;
    void (*function)(void);
};
static const struct driver_name names[] = {
#define NAME(name) {#name, (void (*)(void))name},
#define PER_THREAD(name, base) {#name, (void (*)(void))name},
#include "driver_names.def"
#undef NAME
#undef PER_THREAD
};

/* ---- by name --------------------------------------------------------------------------------- */

/* Versions of functions came with versions of CUDA; the second ones of 3.2 are not told one by one. */
static const struct {
    const char *name;
    int since;
} since[] = {
    {"cuCtxCreate_v3", 11040},       {"cuCtxCreate_v4", 12050},
    {"cuMemAdvise_v2", 12020},       {"cuMemPrefetchAsync_v2", 12020},
    {"cuGraphAddNode_v2", 12030},    {"cuGraphAddKernelNode_v2", 12000},
    {"cuGraphExecUpdate_v2", 12000}, {"cuEventElapsedTime_v2", 12080},
    {"cuCtxGetDevice_v2", 13000},    {"cuCtxSynchronize_v2", 13000},
    {"cuGraphGetEdges_v2", 12030},   {"cuStreamGetCaptureInfo_v2", 11030},
};

static int version_of(const char *name)
{
    for (size_t i = 0; i < sizeof since / sizeof *since; i++)
        if (!strcmp(since[i].name, name)) return since[i].since;
    return 0;
}

static const struct driver_name *find_exactly(const char *name)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].name, name)) return &names[i];
    return NULL;
}

void *driver_find(const char *name, int version)
{
    enum { NEWEST = 4 };
    char text[128];
    for (int number = NEWEST; number > 1; number--) {
        snprintf(text, sizeof text, "%s_v%d", name, number);
        const struct driver_name *found = find_exactly(text);
        if (found && version_of(text) <= version) return (void *)(uintptr_t)found->function;
    }
    const struct driver_name *found = find_exactly(name);
    return found ? (void *)(uintptr_t)found->function : NULL;
}
