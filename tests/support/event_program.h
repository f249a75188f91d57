// SPDX-License-Identifier: Apache-2.0
/* Random programs, the events of executing them at random, and a plain second implementation of the
 * counting observer: it walks every instruction of every execution and keeps no tables. */
#ifndef SUPPORT_EVENT_PROGRAM_H
#define SUPPORT_EVENT_PROGRAM_H

#include "measure/access_cost.h"
#include "measure/dependence.h"
#include "measure/profile.h"

enum {
    FUNCTIONS = 2,
    BLOCKS = 14,
    FIRST_OF_SECOND = 10, /* code blocks from here on belong to the second function */
    INSNS_MAX = 60,
    STAGES_MAX = 1025,
    WARPS = 3,
    THREADS = 80, /* the last warp has 16 */
};

struct program {
    struct module module;
    struct function functions[FUNCTIONS];
    struct basic_block basic_blocks[BLOCKS];
    struct code_block code_blocks[BLOCKS];
    struct insn insns[BLOCKS * INSNS_MAX];
    const struct insn *pointers[BLOCKS * INSNS_MAX];
    struct launch_view launch;
};

struct reference_warp {
    uint64_t now, written[256];
    bool open, result[256];
    uint32_t stage;
    bool passed[32]; /* lanes that have passed a barrier that others have not */
};

struct reference {
    uint64_t launch[COUNTER_COUNT];
    uint64_t stages[STAGES_MAX][COUNTER_COUNT];
    uint64_t insns[BLOCKS * INSNS_MAX][COUNTER_COUNT];
    uint64_t distance, consumers, loads, groups, paths, block_insns;
    long double warps_working[STAGES_MAX], threads_working[STAGES_MAX];
    long double shared_warps_working[STAGES_MAX];
    uint64_t stage_blocks[STAGES_MAX], shared_blocks[STAGES_MAX];
    uint64_t *sectors[2]; /* of global memory, each time one is read, written */
    size_t sector_count[2], sector_room[2];
    /* of the block that runs */
    struct reference_warp warps[WARPS];
    uint64_t by_warp[STAGES_MAX][WARPS], by_thread[STAGES_MAX][THREADS];
    uint64_t shared_by_warp[STAGES_MAX][WARPS];
};

/* To be freed. Sets the generator that play and next_random go on with. */
struct program *make_program(uint64_t seed);
uint32_t next_random(uint32_t below);
/* What ends a code block of `count` instructions; kind 0 is a barrier. */
struct insn last_insn(uint32_t count, uint32_t kind);
/* Who hears of a block: a worker of the observer, and the reference if there is one. */
struct listener {
    const struct program *program;
    const struct observer_ops *ops;
    void *worker;
    struct reference *reference;
    uint32_t alive[WARPS];
};

/* One thread block, about `steps` code blocks long. */
void play_thread_block(struct listener *listener, uint64_t seed, uint64_t index, unsigned steps);
/* Executes `steps` code blocks or so a thread block; blocks are dealt out to the workers (at most 4)
 * in turn, from either end. `reference` may be NULL. */
struct profile *play(const struct program *program, uint64_t seed, unsigned workers, unsigned steps,
                     bool backwards, unsigned rules, struct reference *reference);
/* Distinct sectors read (side 0) or written (1); frees their list. */
uint64_t distinct_sectors(struct reference *reference, int side);

#endif
