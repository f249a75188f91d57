// SPDX-License-Identifier: Apache-2.0
/* What counting irregular accesses does with the 32 addresses of a warp: the same loops, compiled
 * once an instruction-set level like the lane loops of emulate/. */
#ifndef MEASURE_LANE_MATH_H
#define MEASURE_LANE_MATH_H

#include <stdbool.h>
#include <stdint.h>

/* How many lanes there are, and how many lines of 128 bytes, sectors of 32 and words they access. */
struct lane_counts {
    uint32_t leaders; /* first lanes of the lines */
    unsigned lanes, lines, sectors, words;
};

struct lane_math {
    /* Addresses relative to the one of the first active lane, 0 in inactive lanes, and a hash of
     * them. False if a difference does not fit in 32 bits. */
    bool (*relative)(const uint64_t *addresses, uint32_t mask, int32_t *relative, uint64_t *hash);
    /* same[i], for the lanes i of mask: those lanes of mask that have the same address >> shift as
     * lane i. Returns the first lane of each such group. */
    uint32_t (*groups)(const uint64_t *addresses, uint32_t mask, unsigned shift, uint32_t *same);
    /* line_of[i]: as same[i] of the lines. Words lie within sectors. */
    void (*count)(const uint64_t *addresses, uint32_t mask, unsigned word_shift, uint32_t *line_of,
                  struct lane_counts *out);
    /* The most lanes in any of same[i], for the lanes i of mask. */
    unsigned (*most)(const uint32_t *same, uint32_t mask);
};

extern const struct lane_math lane_math_base;
#if defined(__x86_64__)
extern const struct lane_math lane_math_v3, lane_math_v4;
#endif

/* 0 baseline, 1 x86-64-v3, 2 x86-64-v4, which the host must run (device_isa_levels). */
const struct lane_math *lane_math_at(int level);

#endif
