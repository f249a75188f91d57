// SPDX-License-Identifier: Apache-2.0
/* The tool `sync` (doc/checks.md#sync): what the engine asks of it while a block runs. Everything here is called only
 * where x->checks has CHECK_SYNC. */
#ifndef EMULATE_CHECK_SYNC_H
#define EMULATE_CHECK_SYNC_H

#include "base/hash_table.h"
#include "emulate/splits.h"

/* The first arrival of a generation of a barrier. */
struct sync_arrival {
    const struct insn *insn; /* NULL: none yet */
    uint32_t warp, lane, count;
    bool counted;
};

/* Lanes that went past the end of a branch while others, inside it, waited for them: told when they have left. Until
 * then they may still come, at another place. */
struct sync_skip {
    uint32_t block; /* where the others wait: code block; CODE_END: none */
    uint32_t lanes;
    uint8_t grade;
    const struct insn *beyond; /* where they went on */
};

/* A register that holds values of lanes that did not take part in a shuffle. */
struct sync_taint {
    uint32_t at, lanes; /* offset in the warp's registers */
    struct check_place origin;
};
enum { SYNC_TAINTS_MAX = 64 }; /* more are not followed */

struct sync_warp {
    uint32_t taint_count;
    struct sync_taint taints[SYNC_TAINTS_MAX];
    uint32_t *visited; /* by code block: the generation in which the warp was there last, plus 1 */
    struct sync_skip skip;    /* of a .sync operation */
    struct sync_skip barrier; /* the same of a barrier without .aligned */
    /* Where a split waits in a .sync operation (code block), the lanes that lived when it began to, and those of them that
     * executed an operation with another mask since. */
    uint32_t wait_block, wait_alive, wait_moved;
    /* By lane: the warp's stamp at its last .sync operation, and whom that named. */
    uint64_t met_at[WARP_LANES];
    uint32_t met_with[WARP_LANES];
    uint32_t left_at; /* the generation in which its last lane left, plus 1 */
};

/* Of a block: check_endless.c */
struct sync_cycle {
    const void *of;       /* of what, to tell it from others */
    unsigned char *saved; /* an earlier state */
    size_t bytes, room;
    uint64_t rounds, next_save; /* since memory changed last; when the state is saved again */
    uint64_t changes, polls;    /* of exec, when the state was saved */
};

struct sync_state {
    uint32_t warp_count, code_count, generation;
    struct sync_warp *warps;
    struct sync_arrival arrivals[BARRIERS];
    struct hash_table objects; /* mbarrier objects of the block (check_mbarrier.c) */
    bool repeats; /* at the end of its last turn the block was where it had been before */
    struct sync_cycle cycle, spin; /* of the block; of a split that goes round in a loop */
};

/* check_barrier.c. A block begins, with the state of one that went before it, or NULL. */
struct sync_state *sync_begin(struct sync_state *state, const struct launch *launch);
void sync_destroy(struct sync_state *state);

static inline void sync_visit(const struct exec *x, const struct warp *warp, uint32_t block)
{
    struct sync_state *state = x->block->sync;
    state->warps[warp->index].visited[block] = state->generation + 1;
}

static inline bool sync_has_taints(const struct exec *x)
{
    return x->block->sync->warps[x->warp->index].taint_count != 0;
}

/* `lanes` of a split arrive at barrier `id`; counted: for `count` threads. */
void sync_arrive(struct exec *x, const struct warp *warp, const struct insn *insn, uint32_t lanes,
                 uint32_t id, bool counted, uint32_t count);
/* All that wait at barrier `id` are about to go on. */
void sync_complete(struct exec *x, struct block *block, uint32_t id);
/* All threads of a cluster have come to its barrier. */
void sync_cluster_done(const struct cluster *cluster);
/* The lanes that wait at a node are about to go on without the others. */
void sync_release(struct exec *x, struct warp *warp, int32_t node);
/* Every lane of the warp has left. */
void sync_leave(struct exec *x, const struct warp *warp);
/* The block has ended. */
void sync_end(struct exec *x, struct block *block);

/* check_lanes.c. A .sync operation runs for `on`, which all name `members`. */
void sync_operate(struct exec *x, const struct warp *warp, const struct uop *u, uint32_t on,
                  uint32_t members);
/* The split's operation is complete: did lanes that it named leave instead? */
void sync_met(struct exec *x, const struct warp *warp, const struct split *split,
              const struct insn *insn, uint32_t on, uint32_t members);
/* Lanes meet at two places. */
void sync_apart(struct exec *x, const struct warp *warp, const struct insn *insn,
                const struct insn *other, uint32_t lane, uint32_t other_lane);
/* Of the lanes at one place, `on` name the same; `rest` name others. */
void sync_differ(struct exec *x, const struct warp *warp, const struct uop *u, uint32_t on,
                 uint32_t rest);
/* A split begins to wait in a .sync operation for lanes that do not come yet. */
void sync_wait(struct exec *x, const struct warp *warp, const struct split *split,
               uint32_t members);

/* check_endless.c: all warps of the block have had a turn. Does its state repeat, so that it will for ever? Then some of
 * its lanes poll memory that nobody can change, or all go round without. */
enum sync_repeat { SYNC_GOES_ON, SYNC_POLLS, SYNC_ENDLESS };
enum sync_repeat sync_repeats(struct worker *worker, struct block *block);

/* A split has made many turns of a loop: does it go round for ever, whatever others do? */
bool sync_spins(struct exec *x, const struct warp *warp, const struct split *split);

/* check_taint.c: as warp_run_body, for a warp that has taints. */
void sync_taint_body(struct exec *x, const struct code *code, bool is_whole);
/* What a shuffle gives `on`: `bad` read lanes that do not take part, lane i reads lane sources[i]. */
void sync_taint_shuffle(struct exec *x, const struct warp *warp, const struct uop *u, uint32_t on,
                        uint32_t bad, const uint32_t *sources);
/* Other operations between lanes. */
void sync_taint_join(struct exec *x, const struct uop *u, uint32_t on);

/* check_mbarrier.c: a lane is about to operate on the mbarrier object at an address of shared memory, which holds
 * `bits`. */
void sync_mbarrier(struct exec *x, const struct insn *insn, uint32_t lane, uint64_t address,
                   uint64_t bits, uint64_t operand);
void sync_mbarriers_reset(struct sync_state *state);

/* Sends a report with the place of a lane of the warp. */
struct check_report sync_report_at(const struct exec *x, enum check_code code,
                                   const struct insn *insn, uint32_t warp, uint32_t lane);
void sync_send(const struct exec *x, const struct check_report *report);

#endif
