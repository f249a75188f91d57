// SPDX-License-Identifier: Apache-2.0
/* "H200 is 2.31 +- 0.20 times faster than A100": headlines of one question side by side. */
#ifndef ANSWER_COMPARISON_H
#define ANSWER_COMPARISON_H

#include "base/arena.h"
#include "model/core/estimate.h"

/* The fastest against another: machines for one kernel, or kernels on one machine. */
struct comparison {
    const char *kernel, *machine;             /* the faster */
    const char *other_kernel, *other_machine; /* the slower */
    double ratio;                             /* time of the slower divided by that of the faster */
    double spread; /* of the ratio, from both error bands; NAN: one of them is unknown */
};

/* Of `count` predictions of `kernel_count` kernels, those of a kernel one after the other. For each kernel the
 * fastest machine against the others, then, unless kernels do different things, for each machine the fastest kernel
 * against the others; in the arena. Returns their number. */
size_t compare_headlines(struct arena *arena, const struct prediction *const *predictions,
                         const char *const *kernels, size_t kernel_count, size_t count,
                         bool are_different, struct comparison **out);

#endif
