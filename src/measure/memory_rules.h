// SPDX-License-Identifier: Apache-2.0
/* The protocols by which memory serves the lanes of a half-warp or a phase, as plain functions: one
 * call, one group of lanes (doc/definitions.md#counters). Addresses are aligned to the
 * width, as the ISA demands. access_cost.h applies them to whole requests, faster. */
#ifndef MEASURE_MEMORY_RULES_H
#define MEASURE_MEMORY_RULES_H

#include <stdbool.h>
#include <stdint.h>

struct transactions {
    uint32_t count, bytes;
};

/* Lane i of the group accesses addresses[i] if bit i of `mask` is set; `bytes` wide each. */

/* cc 1.2 and 1.3 (Zhang & Owens 2011, 4.3): the segment of the lowest pending lane's address, all
 * lanes inside it; the segment is halved while only one half is used, down to min_segment. */
struct transactions coalesce_cc12(const uint64_t *addresses, uint32_t mask, unsigned bytes,
                                  unsigned initial_segment, unsigned min_segment);
/* The same with the place of each segment; at most one a lane of `mask`. */
struct segment {
    uint64_t start;
    uint32_t bytes;
};
unsigned coalesce_cc12_segments(const uint64_t *addresses, uint32_t mask, unsigned bytes,
                                unsigned initial_segment, unsigned min_segment,
                                struct segment *out);
/* Initial segment by width: 32 bytes for 1, 64 for 2, 128 for wider words. */
unsigned coalesce_cc12_initial_segment(unsigned bytes);

/* cc 1.0 and 1.1 (Hong 2012, 2.1.3): lane k on word k of an aligned segment, else one transaction
 * of 32 bytes a lane. */
struct transactions coalesce_cc10(const uint64_t *addresses, uint32_t mask, unsigned bytes);

/* Passes of one phase: the maximum over the banks of the number of distinct 4-byte words there. */
unsigned bank_wavefronts(const uint64_t *addresses, uint32_t mask, unsigned bytes, unsigned banks);

/* Do the lanes of wide words meet in pairs, so that two phases become one: the halves of a warp with 8 bytes, the
 * quarters of each half with 16? That is where, all over the warp, the lanes i and i xor 1, or i and i xor 2, have
 * the same address or one of them none (measured on a V100 and an A100; doc/definitions.md#shared-memory). */
bool bank_joins(const uint64_t *addresses, uint32_t mask, unsigned bytes);

/* cc 1.x: steps of one half-warp; each takes the word of the lowest pending lane as the broadcast
 * word, and one lane of every other bank. Wide words are several word accesses in sequence. */
unsigned bank_steps(const uint64_t *addresses, uint32_t mask, unsigned bytes, unsigned banks);

#endif
