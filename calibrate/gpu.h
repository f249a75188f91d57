// SPDX-License-Identifier: Apache-2.0
/* A GPU behind its driver (libcuda.so.1, opened when needed; no toolkit). */
#ifndef CALIBRATE_GPU_H
#define CALIBRATE_GPU_H

#include "calibrate/raw.h"

const struct gpu_facts *gpu_facts(const struct gpu *gpu);

/* A plan's kernels, loaded. false: told why. */
bool gpu_load(struct gpu *gpu, const struct plan *plan);
void gpu_unload(struct gpu *gpu);
/* Fills its data and runs the point `repeats` times; timings go to `out`, whose identity is set. false: told. */
bool gpu_time(struct gpu *gpu, const struct plan *plan, const struct point *point, unsigned repeats,
              struct raw_point *out);
/* Blocks of this point that an SM holds; 0: none fits, or the driver does not say. */
unsigned gpu_resident(const struct gpu *gpu, const struct point *point);
/* Fills a point's data, for the functions below; gpu_time does it itself. false: told. */
bool gpu_prepare(struct gpu *gpu, const struct plan *plan, const struct point *point);
/* Launches the point so often without waiting. false: told. */
bool gpu_start(struct gpu *gpu, const struct plan *plan, const struct point *point,
               unsigned launches);
/* Waits for what was started: seconds between events, NAN: failed (told). */
double gpu_wait(struct gpu *gpu, const struct plan *plan, const struct point *point);
/* Launches the point so often without waiting, then waits: seconds between events, NAN: failed (told). */
double gpu_repeat(struct gpu *gpu, const struct plan *plan, const struct point *point,
                  unsigned launches);

#endif
