// SPDX-License-Identifier: Apache-2.0
/* What compiled bodies know of their loads and stores while they run. Private to compile/. */
#ifndef COMPILE_RUN_ACCESSES_H
#define COMPILE_RUN_ACCESSES_H

#include "emulate/exec.h"

enum { SHAPES_MAX = 16, SLOW_JUMPS_MAX = 8 };

/* Of 32 addresses, without the offset of an access (sem_memory.h, find_shape). */
struct body_shape {
    uint64_t low, high;   /* least and greatest */
    uint64_t base, base2; /* of lanes 0 and 16 */
    uint64_t stride;      /* SHAPE_GENERAL: none */
    uint64_t bits;        /* base | base2 | stride */
    uint32_t kind;        /* enum access_shape */
    uint32_t unused[3];
    uint64_t addresses[WARP_LANES];
};
#define SHAPE_GENERAL INT64_MAX

/* One access of a body. */
struct body_access {
    const struct uop *uop;
    uint32_t shape; /* of the frame; SHAPES_MAX: its address is `offset` in every lane */
    uint8_t space;
    int64_t offset;
    const uint64_t *addresses; /* of a fixed one */
};

struct body_frame {
    uint64_t saved_rsp;
    uint64_t told; /* accesses that the observer knows of */
    uint64_t host; /* of address 0 in global memory */
    uint64_t unused[5];
    struct body_shape shapes[SHAPES_MAX];
};

/* Tells the observer of the accesses from frame->told to `end`. */
void body_tell(struct exec *x, const struct body_access *accesses, struct body_frame *frame,
               uint64_t end);

#endif
