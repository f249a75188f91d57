// SPDX-License-Identifier: Apache-2.0
/* What the compiler of the driver makes of kernels, where a ptxas and a disassembler (nvdisasm or cuobjdump) are in
 * PATH: the native instructions between the first two clocks that are what was meant, counted. The driver's own
 * compiler may be of another version. */
#ifndef CALIBRATE_NATIVE_COUNT_H
#define CALIBRATE_NATIVE_COUNT_H

#include "calibrate/bench.h"

/* Sets the remarks of kernels that differ, and tells them. Without the tools, or a target that they do not know, nothing
 * happens. The number of kernels that were compared. */
unsigned native_count(const struct calibration *calibration, const struct bench *bench,
                      struct plan *plan);

#endif
