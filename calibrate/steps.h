// SPDX-License-Identifier: Apache-2.0
/* Benchmarks whose kernels do the same thing in two or more numbers of steps: what a step takes is the slope. */
#ifndef CALIBRATE_STEPS_H
#define CALIBRATE_STEPS_H

#include "calibrate/fit.h"

enum { STEPS_POINTS = 128 };
/* Of shared.bandwidth: chains of a warp; bytes between its lanes where no banks conflict (x[1]). */
enum { SHARED_CHAINS = 8, WORD_BYTES = 4 };

/* Many warps: as many as a block may have whose threads have 64 registers. */
unsigned many_warps(const struct gpu_facts *gpu);
/* Warps per SM to be measured; short: many_warps alone. Their number. */
unsigned list_warps(const struct gpu_facts *gpu, bool is_short, unsigned *out);
/* Grid and block with so many warps on an SM: one block, or as many on every SM as it takes. */
void launch_warps(const struct gpu_facts *gpu, unsigned warps, struct point *point);

/* Cycles of a step of the benchmark's points at these places: x[i] == at[i], but for the axis of the steps. */
bool fit_steps(const struct fit *fit, const char *bench, unsigned axis, const double *at,
               struct line *out);
/* The places of an axis, ascending; their number. */
unsigned fit_places(const struct fit *fit, const char *bench, unsigned axis, double *out);

/* By warps per SM (axis 0): things a cycle, where a step of a warp has `per_step` of them. */
struct rates {
    double warps[STEPS_POINTS], values[STEPS_POINTS];
    double top, top_half;
    unsigned count;
};
/* `at`: other axes than warps and steps. */
bool fit_rates(const struct fit *fit, const char *bench, unsigned axis, const double *at,
               double per_step, struct rates *out);
/* A picture beside the line through the origin up to the top. */
void draw_rates(struct fit *fit, const struct bench *bench, const struct rates *rates,
                const char *unit);
/* Key is a curve by warps of the machine file. */
void keep_rates(struct fit *fit, const struct bench *bench, const char *key, const char *unit,
                const struct rates *rates);

#endif
