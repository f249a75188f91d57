// SPDX-License-Identifier: Apache-2.0
/* What the estimate of mwp-cwp has beyond others (estimate_details); NULL: the kernel does not access memory, and has
 * neither MWP nor CWP. */
#ifndef MODEL_WARP_PARALLELISM_H
#define MODEL_WARP_PARALLELISM_H

#include <stddef.h>

struct parallelism_point { /* so many warps on an SM */
    unsigned warps;
    double mwp, cwp, seconds; /* of the launch */
    int case_number;
};
/* Up to what an SM holds, and the grid has. */
struct warp_parallelism {
    unsigned here; /* warps per SM of the launch */
    size_t count;
    const struct parallelism_point *points; /* ascending, the launch's among them */
};

#endif
