// SPDX-License-Identifier: Apache-2.0
/* What kernels read as %clock, %clock64, %clock_hi, %globaltimer, %smid and %nsmid.
 *
 * Without struct launch_clocks a clock counts the warp instructions of its block so far. With it, but without
 * `find`, it counts from the launch's begin on. With `find` each warp reads what a timing model found: the
 * times of its first, second ... clock read. Reads beyond those go on at the pace of the known ones, by the
 * warp's own instructions. */
#ifndef EMULATE_CLOCK_H
#define EMULATE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* The clock reads of a warp, in ticks from the launch's begin on; ascending. */
struct warp_clocks {
    int64_t *ticks;
    uint64_t count, room;
};

/* Of a block. */
struct block_clocks {
    uint32_t sm;
    int64_t shift;                   /* ticks to add */
    const struct warp_clocks *warps; /* by warp; NULL: unknown */
    bool is_own;                     /* of this block itself, not of one that stands for it */
};

struct launch_clocks {
    double ticks_per_cycle, ticks_per_ns;
    uint64_t begin_cycles, begin_ns; /* of the launch */
    uint32_t sm_count;
    double jitter; /* each interval between two reads of a warp is off by at most this part of it */
    uint64_t seed;
    /* NULL: nothing is known. From several threads. */
    void (*find)(void *self, uint64_t block, struct block_clocks *out);
    void *self;
};

/* A number from -1 to 1 by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), the same for the same keys. */
double clock_error(uint64_t seed, uint64_t a, uint64_t b);

#endif
