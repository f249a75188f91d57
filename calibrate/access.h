// SPDX-License-Identifier: Apache-2.0
/* Kernels whose warps load or store independently of each other, `a` times over, with `b` bytes from time to time. */
#ifndef CALIBRATE_ACCESS_H
#define CALIBRATE_ACCESS_H

#include "calibrate/fit.h"
#include "calibrate/kernel_text.h"

enum access_operation {
    ACCESS_LOAD,
    ACCESS_STORE,
    ACCESS_SCALE /* load, then store there */
};

/* What the threads of a kernel access: `unroll` words of `width` bytes (4 or 16), `step` bytes apart. */
struct access {
    const char *name;
    const char *place; /* PTX that sets %r0: the first byte of the thread */
    const char *cache; /* "ca", "cg" */
    enum access_operation operation;
    unsigned width, unroll, step;
};

char *access_text(const struct plan *plan, const struct access *access);
/* The kernel of that name; made if the plan has none. */
unsigned access_kernel(struct plan *plan, const struct access *access);

/* Slope of the times of two points, x[axis] = `few` and `many`, others as in `x`, by what differs: cycles of the SMs, or seconds
 * between events. NAN: not measured. */
double access_cycles(const struct raw *raw, const char *bench, const double *x, unsigned axis,
                     double few, double many);
double access_seconds(const struct raw *raw, const char *bench, const double *x, unsigned axis,
                      double few, double many);

#endif
