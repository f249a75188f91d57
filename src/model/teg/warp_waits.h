// SPDX-License-Identifier: Apache-2.0
/* What the estimate of teg has beyond others (estimate_details). */
#ifndef MODEL_WARP_WAITS_H
#define MODEL_WARP_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "model/core/component.h"

/* Where the time of the resident warps goes, in Nsight Compute's words. */
struct wait_cause {
    const char *id, *text;    /* "long_scoreboard", "for global or local memory" */
    enum component component; /* what limits where nothing is busy and warps wait so; or none */
    double share;             /* of the time of all resident warps */
};
struct wait_line { /* all instructions of one source line, or one PTX line */
    const char *file;
    uint32_t line;                  /* of `file`, or of the PTX if that is NULL */
    double share;                   /* of the time of all resident warps */
    const struct wait_cause *cause; /* the greatest there, `selected` not counted */
    double cause_share;             /* of the line's own time */
};
struct scaling_point { /* so many warps alone on an SM, each with its work */
    unsigned warps;
    double cycles, ipc;
};
struct warp_waits {
    size_t cause_count, line_count, scaling_count, pc_count;
    const struct wait_cause *causes;
    /* By instruction_profile.pc and cause: shares of the time of all resident warps; the last row is of what
     * belongs to no instruction of the profile. */
    const double *pc_shares;       /* [pc_count + 1][cause_count] */
    const struct wait_line *lines; /* greatest share first */
    const struct scaling_point *scaling;
};

#endif
