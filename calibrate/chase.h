// SPDX-License-Identifier: Apache-2.0
/* Kernels that chase pointers: each load needs the address that the one before brings. */
#ifndef CALIBRATE_CHASE_H
#define CALIBRATE_CHASE_H

#include "calibrate/fit.h"
#include "calibrate/kernel_text.h"

/* A kernel whose threads follow the chase in `data`, `length` loads unrolled, `a` times over, from `a` place of their own:
 * thread t begins at byte t / c * b + t % c * 8. Passes go on where the one before ended. Loads are "ca" or "cg". */
char *chase_text(const struct plan *plan, const char *name, const char *cache, unsigned length);
/* A point of one thread that follows `bytes` in strides; expects where it must end. */
struct point chase_point(unsigned kernel, unsigned length, unsigned rounds, uint64_t bytes,
                         uint64_t stride);

/* Cycles of a point, middle of its repeats; NAN: not measured. */
double chase_cycles(const struct raw *raw, const char *bench, double x, double y, double z);
/* Slope of the cycles by the first axis, over all points of the benchmark; false: too few. */
bool chase_slope(const struct fit *fit, const char *bench, struct line *out);

#endif
