// SPDX-License-Identifier: Apache-2.0
/* Events of an execution. Two producers (emulate, replay), consumers in measure.
 *
 * A host thread that executes blocks asks the observer for a worker; all events of a block come
 * from one worker, in order. A worker may hold several blocks at once (ordered kernels).
 * Consumers must only keep sums that do not depend on which worker did which block. */
#ifndef EMULATE_OBSERVER_H
#define EMULATE_OBSERVER_H

#include <stdint.h>

#include "decode/module.h"
#include "emulate/block_sample.h"

struct address_range {
    uint64_t first, bytes;
};

struct launch_view {
    const struct module *module;
    uint32_t entry; /* function index */
    uint32_t grid[3], block[3];
    uint64_t static_shared_bytes, dynamic_shared_bytes;
    uint32_t warps_per_block;
    uint64_t block_count;              /* of the grid */
    uint32_t cluster_blocks;           /* that begin together; 0: no clusters */
    const struct block_sample *sample; /* the blocks that are executed; NULL: all */
    uint64_t seed;                     /* of the draws (block_sample.h) */
    /* Buffers in device memory, ascending; filled in where only a sample is executed. */
    uint32_t buffer_count;
    const struct address_range *buffers;
    int isa_level; /* at which the lanes are computed; 0: baseline */
    /* Code of all functions reachable from the entry, numbered through. */
    uint32_t insn_count;
    const struct insn *const *insns; /* by launch instruction index */
    uint32_t code_block_count;
    const struct code_block *code_blocks; /* basic blocks by launch index */
};

static inline uint64_t launch_executed_blocks(const struct launch_view *launch)
{
    return launch->sample ? launch->sample->executed : launch->block_count;
}

/* Index in the grid of the ordinal-th block that is executed. */
static inline uint64_t launch_block_index(const struct launch_view *launch, uint64_t ordinal)
{
    return launch->sample ? launch->sample->blocks[ordinal] : ordinal;
}

/* A basic block of the launch. Instruction indices are launch indices. */
struct code_block {
    uint32_t first, count;
    const struct function *function;
    const struct basic_block *block;
    uint32_t vreg_base; /* added to a register number: unique over the launch's functions */
};

enum access_shape {
    ACCESS_UNIFORM, /* every active lane: base */
    ACCESS_STRIDED, /* lane i: base + i * stride (lane 0 need not be active) */
    ACCESS_HALVES,  /* lanes 0-15: base + i * stride; lanes 16-31: base2 + (i - 16) * stride */
    ACCESS_GENERAL, /* addresses[i] */
};

/* One execution of one memory instruction by one warp (split). Addresses are offsets in their
 * space: device address (global, const, param), offset in the block's shared memory, offset in
 * the thread's local memory. */
struct access {
    uint8_t space; /* enum mem_space, never GENERIC */
    uint8_t shape;
    uint8_t bytes; /* by lane: 1 .. 16 */
    uint32_t mask; /* lanes with true guard that access this space; not 0 */
    uint64_t base, base2;
    int64_t stride;
    const uint64_t *addresses; /* [32], valid for every shape in the lanes of mask */
};

enum { GROUPS_AT_ONCE = 16 }; /* handed over in one quick call */

/* Addresses of the lanes of a warp, as of an access. */
struct access_base {
    uint64_t base, base2;
    int64_t stride;
    uint32_t shape; /* enum access_shape */
    uint64_t addresses[32] __attribute__((aligned(64)));
};

/* Instructions that access memory at fixed distances from one address by lane. The groups of a program are numbered
 * from 0. */
struct access_group {
    uint32_t number, count;
    uint8_t space; /* enum mem_space, never GENERIC */
    const struct grouped_access {
        uint32_t insn;
        uint8_t bytes;
        int64_t offset;
    } * accesses;
};

/* An operation on an mbarrier object of the own block: of a wait, that the phase had ended; of an arrival, or of the
 * end of a copy in bulk whose bytes the object counts, that it ended the phase. */
struct phase_event {
    uint64_t address; /* of the object, in shared memory */
    uint32_t lanes;
    bool waits, ended;
};

struct warp_ref {
    void *block;      /* what block_begin returned */
    uint32_t index;   /* warp in block */
    uint32_t threads; /* mask of the lanes that exist */
};

/* Code blocks each of which leads to the next one, by a branch that all lanes take or none. */
#define NO_BRANCH UINT32_MAX
struct path_step {
    uint32_t code_block;
    uint32_t branch; /* launch instruction; NO_BRANCH: it falls through */
    bool is_taken;
};
struct code_path {
    const struct path_step *steps;
    uint32_t count;
    uint32_t number;             /* paths of a launch take `count` numbers each, from 0 on */
    const uint32_t *insn_counts; /* by step: of it and those before it */
};

/* The first `steps` of a path, passed by the lanes `active`; those of `taken` take the branch behind the last of them,
 * if that ends in one. */
struct path_piece {
    const struct code_path *path;
    uint32_t steps, active, taken;
};

struct observer {
    const struct observer_ops *ops;
    void *self;
};

struct observer_ops {
    /* Once a launch, before and after everything. */
    void (*launch_begin)(void *self, const struct launch_view *launch);
    void (*launch_end)(void *self);
    /* A host thread's own state; worker_end merges it (called in worker order, one at a time). */
    void *(*worker_begin)(void *self);
    void (*worker_end)(void *self, void *worker);
    void *(*block_begin)(void *worker, uint64_t block);
    void (*block_end)(void *worker, void *block);
    /* The lanes `active` execute code block `code_block` from its first to its last instruction. */
    void (*run)(void *worker, const struct warp_ref *warp, uint32_t code_block, uint32_t active);
    /* Must the events of this warp come one by one, in order? Else the memory events and guards of a path come
     * before it. */
    bool (*is_ordered)(void *worker, const struct warp_ref *warp);
    /* A warp passes these pieces one after the other, and that `times` times. Stands for the calls of run and branch,
     * but at an end for the branch behind the last piece. */
    void (*path)(void *worker, const struct warp_ref *warp, const struct path_piece *pieces,
                 uint32_t count, uint64_t times, bool is_end);
    /* `warps` warps of a block, from this one on, each pass these pieces, with the same lanes, and come to the end of what
     * is behind them: to the barrier `insn`, which waits for all, or to the end of the kernel (NO_BRANCH). Stands for the
     * calls of path and barrier for each of them. NULL: they come one by one. */
    void (*paths)(void *worker, const struct warp_ref *first, uint32_t warps,
                  const struct path_piece *pieces, uint32_t count, uint32_t insn);
    /* A guarded instruction other than bra, before its memory event: lanes with true guard. */
    void (*guard)(void *worker, const struct warp_ref *warp, uint32_t insn, uint32_t active,
                  uint32_t on);
    void (*memory)(void *worker, const struct warp_ref *warp, uint32_t insn,
                   const struct access *access);
    /* Behind the memory events of the instruction. NULL: nobody wants to know. */
    void (*phase)(void *worker, const struct warp_ref *warp, uint32_t insn,
                  const struct phase_event *event);
    /* Stands for the calls of memory for all accesses of these groups by the lanes `active`. Loads of the kernel's
     * parameters, which nobody counts, are in no group. */
    void (*groups)(void *worker, const struct warp_ref *warp, const struct access_group *groups,
                   const struct access_base *const *bases, uint32_t count, uint32_t active);
    /* The same for at most GROUPS_AT_ONCE groups, if that takes no vector registers, which then keep their values; else
     * false, and nothing was counted. */
    bool (*groups_quickly)(void *worker, const struct warp_ref *warp,
                           const struct access_group *groups,
                           const struct access_base *const *bases, uint32_t count, uint32_t active);
    /* bra or brx: lanes that take it, number of different places the active lanes go to. */
    void (*branch)(void *worker, const struct warp_ref *warp, uint32_t insn, uint32_t active,
                   uint32_t taken, uint32_t targets);
    /* A warp has passed a block-wide or named barrier; `waits` is false for arrive. */
    void (*barrier)(void *worker, const struct warp_ref *warp, uint32_t insn, bool waits);
};

#endif
