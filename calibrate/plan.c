// SPDX-License-Identifier: Apache-2.0
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/bench.h"

void *calibrate_alloc(size_t bytes)
{
    void *memory = calloc(1, bytes ? bytes : 1);
    if (memory) return memory;
    fputs("warpsage: out of memory\n", stderr);
    exit(CALIBRATE_USAGE);
}

void *calibrate_grow(void *items, size_t count, size_t item_bytes)
{
    if (count & (count - 1)) return items; /* room for the next power of two */
    void *more = realloc(items, (count ? 2 * count : 1) * item_bytes);
    if (more) return more;
    fputs("warpsage: out of memory\n", stderr);
    exit(CALIBRATE_USAGE);
}

char *calibrate_format(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? calibrate_alloc(1) : text;
}

bool calibrate_tell(const struct calibration *calibration, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0) text = NULL;
    va_end(arguments);
    if (text) calibration->tell(calibration->user, text);
    free(text);
    return false;
}

unsigned plan_kernel(struct plan *plan, const char *name, char *ptx)
{
    plan->kernels = calibrate_grow(plan->kernels, plan->kernel_count, sizeof *plan->kernels);
    plan->kernels[plan->kernel_count] =
        (struct kernel_text){.name = calibrate_format("%s", name), .ptx = ptx};
    return plan->kernel_count++;
}

unsigned plan_native(struct plan *plan, unsigned kernel, const char *native, unsigned count)
{
    plan->kernels[kernel].native = native;
    plan->kernels[kernel].native_count = count;
    return kernel;
}

struct point *plan_point(struct plan *plan, const struct point *point)
{
    plan->points = calibrate_grow(plan->points, plan->point_count, sizeof *plan->points);
    plan->points[plan->point_count] = *point;
    return &plan->points[plan->point_count++];
}

void plan_clear(struct plan *plan)
{
    for (unsigned i = 0; i < plan->kernel_count; i++) {
        free((void *)(uintptr_t)plan->kernels[i].name);
        free(plan->kernels[i].ptx);
        free(plan->kernels[i].remark);
    }
    free(plan->kernels);
    free(plan->points);
    *plan = (struct plan){0};
}
