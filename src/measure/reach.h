// SPDX-License-Identifier: Apache-2.0
/* Which 32-byte sectors of global memory a sample of the blocks touches, and how many runs of blocks
 * touch each: what the footprint of the whole grid is estimated from (doc/sampling.md#footprints). */
#ifndef MEASURE_REACH_H
#define MEASURE_REACH_H

#include "base/hash_table.h"
#include "emulate/observer.h"

struct reach_entry {
    uint64_t key; /* sector + 1 */
    uint32_t last_run, last_block;
    uint32_t runs, blocks; /* that touch it */
    uint32_t later_blocks; /* of the blocks, those that are not the first of their run */
    uint32_t later_new;    /* of these, the first of their run that touch it */
};

struct reach {
    struct hash_table entries;
    uint64_t touched; /* runs that touch a sector, summed over the sectors that are kept */
    uint32_t one_of;  /* 1: all sectors are kept; REACH_ONE_OF: those that a hash picks */
};

/* Of samples of many blocks so many sectors tell as much as all of them. */
enum { REACH_ONE_OF = 8, REACH_ALL_BLOCKS = 1024 };

/* Of a sample of `blocks` blocks. */
void reach_init(struct reach *reach, uint64_t blocks);

/* A block of the sample. */
struct reach_block {
    uint32_t run, number; /* number: different for two blocks that follow each other here */
    bool is_run_begin;
};

/* The sectors of an access by a block. Runs may follow each other in any order, but one must end before
 * the next begins. */
void reach_add(struct reach *reach, const struct access *access, const struct reach_block *block);
/* Of runs that the other did not see. */
void reach_merge(struct reach *to, const struct reach *from);
void reach_clear(struct reach *reach);

/* Distinct sectors that a grid touches, of which a part `fraction` was executed in runs. `relative`:
 * half the width of the interval of what runs touch, relative to it; *out_low and *out_high follow. */
double reach_estimate(const struct reach *reach, const struct launch_view *launch, double fraction,
                      double relative, double *out_low, double *out_high);

#endif
