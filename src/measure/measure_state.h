// SPDX-License-Identifier: Apache-2.0
/* What the counting observer keeps: the plan of a launch (constant while it runs), one worker a
 * host thread, and the sums into which workers are merged. All sums are integers, so that they do
 * not depend on which worker executed which block. */
#ifndef MEASURE_MEASURE_STATE_H
#define MEASURE_MEASURE_STATE_H

#include "isa/bulk.h"
#include "measure/access_cost.h"
#include "measure/access_groups.h"
#include "measure/footprint.h"
#include "measure/history.h"
#include "measure/measure_sample.h"
#include "measure/pattern_table.h"
#include "measure/profile.h"
#include "measure/reach.h"
#include "measure/trace_record.h"

enum {
    STAGE_COUNT = 1025, /* ordinals 0 to 1023, and one for all later ones */
    STAGE_LAST = STAGE_COUNT - 1,
    RATIO_BITS = 60, /* of means over blocks: fixed point, below the precision of a double */
};

#define NO_SITE UINT32_MAX /* not a memory instruction */

__extension__ typedef unsigned __int128 measure_u128;

/* Executions of one code block, and Σ lanes of their active masks. */
struct cell {
    uint64_t executions, lanes;
};

typedef uint64_t cost_sums[COST_FIELDS];

struct stage_sums {
    struct cell *cells; /* by code block */
    uint64_t lanes_off; /* lanes with false guard */
    uint64_t divergent;
    uint64_t blocks; /* thread blocks that came here */
    /* Σ over blocks of (Σ over warps / max of a warp) · 2^RATIO_BITS, the same of threads. Not
     * doubles: their sum would depend on the order of the blocks. */
    measure_u128 warps_working, threads_working;
    uint64_t shared_blocks;            /* those that accessed shared memory here */
    measure_u128 shared_warps_working; /* of accesses to shared memory, over these blocks */
    cost_sums kinds[MEMORY_KIND_COUNT];
};

/* By memory instruction; a generic one may reach three spaces. */
enum { SITE_GLOBAL, SITE_LOCAL, SITE_SHARED, SITE_SPACES };
struct site_sums {
    cost_sums spaces[SITE_SPACES];
};
static inline unsigned site_space(enum memory_kind kind)
{
    return kind < KIND_LOCAL_LOAD    ? SITE_GLOBAL
           : kind < KIND_SHARED_LOAD ? SITE_LOCAL
                                     : SITE_SHARED;
}

/* Of an instruction whose class is a memory class. */
static inline enum memory_operation insn_operation(const struct insn *insn)
{
    if (insn_is_mbarrier_wait(insn)) return MEMORY_LOAD;
    return (enum memory_operation)((insn->class_id - CLASS_MEM_GLOBAL_LOAD) % 3);
}
/* Copies read one memory and write the other. */
static inline enum memory_operation insn_operation_in(const struct insn *insn, enum mem_space space)
{
    if (insn->bulk && space == SPACE_SHARED)
        return insn->bulk->from == BULK_SHARED ? MEMORY_LOAD : MEMORY_STORE;
    bool writes = insn->op == OP_N_LDGSTS && space == SPACE_SHARED;
    return writes ? MEMORY_STORE : insn_operation(insn);
}

struct measure {
    struct observer observer;
    struct counting_rules rules;
    enum isa_view view;
    uint32_t record_blocks; /* whose warps are traced */
    uint64_t record_bytes;
    bool records_first;              /* the first block, too */
    struct trace_recorder *recorder; /* NULL: none are */
    struct launch_view launch;       /* with own copies of the arrays */
    enum origin origin;              /* of counts that are not sampled */
    struct dep_plan dep;
    struct load_plan loads;
    uint32_t *site_of; /* by instruction: memory instruction or NO_SITE */
    uint32_t site_count;
    uint32_t *site_insns; /* by site */
    bool *is_texture;     /* by site: a texture fetch by the view */
    bool *is_exit;        /* by instruction: exit, or ret of the entry */
    bool *ends_in_exit;   /* by code block: all its lanes leave */
    /* Sums of the workers merged so far. */
    uint64_t blocks;
    struct dep_sums dep_sums;
    uint64_t load_groups;
    uint64_t *lanes_off, *divergent; /* by instruction */
    struct site_sums *sites;
    struct stage_sums *stages[STAGE_COUNT];
    struct footprint read, written, texture;
    struct insn_view *views;   /* by instruction; NULL: no view */
    struct sample_sums sample; /* of a sample of the blocks */
    struct grid_work work;
};

/* A stage as one worker sees it. */
struct stage {
    struct stage_sums sums;
    struct tally tally;    /* of costs, by their number in the worker's pattern table */
    struct tally groups;   /* of patterns of groups, which stand for costs */
    struct tally passes;   /* of paths: two by each, passages and the lanes that made them */
    struct tally passages; /* of warps, by number */
};

/* The first steps of a path, as one worker sees them. */
struct path_pass {
    const struct code_path *path; /* NULL: not passed yet */
    uint32_t steps;
    uint32_t tally; /* the first of two numbers, halved: those of the stages' tallies */
    uint32_t off;   /* guarded branches between the steps that no lane takes */
    bool exits;     /* behind the last */
};

/* What a warp executed in a stage. */
struct stage_work {
    uint64_t insns, thread_sum, thread_max;
};

/* What a warp passes from one barrier to the next, or to the end of the kernel, and what that comes to. */
enum { PASSAGE_PIECES = 4, PASSAGE_PLACES = 256 };
struct passage {
    struct path_piece pieces[PASSAGE_PIECES];
    uint32_t count, threads, dead, history; /* three of the warp before it */
    uint32_t insn;                          /* the barrier; NO_BRANCH: the end */
    uint32_t to;                            /* its history behind the barrier */
    struct stage_work work;
    struct history_sums sums;
};

struct worker {
    const struct measure *measure;
    struct measure *target;
    struct pattern_table patterns;
    struct access_site *sites;
    struct tally *site_tallies; /* as of a stage */
    struct access_groups groups;
    struct site_sums *unlisted; /* costs without a number; NULL until there is one */
    struct stage *stages[STAGE_COUNT];
    uint64_t *lanes_off, *divergent;
    uint64_t blocks;
    struct path_pass *passes; /* by number */
    uint32_t pass_count, passed;
    struct passage *passages;
    uint32_t passage_count, passage_room;
    uint32_t passage_places[PASSAGE_PLACES]; /* number + 1 of the last one that has this place */
    struct history_table histories;
    struct history_sums sums;
    struct footprint read, written, texture; /* sectors of global memory */
    struct sample_worker sample;
    struct block_state *free_blocks;
};

enum { TOUCH_READ, TOUCH_WRITTEN, TOUCH_TEXTURE, TOUCH_COUNT };

static inline void cost_add(uint64_t *sums, const struct cost *cost, uint64_t count)
{
    for (unsigned i = 0; i < COST_FIELDS; i++)
        sums[i] += cost->fields[i] * count;
}

struct stage_sums *stage_sums_create(const struct measure *measure);
void stage_sums_destroy(struct stage_sums *sums);
/* Adds what the costs of a tally come to, by kind. */
void stage_sums_add_tally(struct stage_sums *sums, const struct pattern_table *patterns,
                          const struct tally *tally);
/* Cells, costs and lanes of `from`; the means over blocks are left out. */
void stage_sums_add(struct stage_sums *to, const struct stage_sums *from, uint32_t code_blocks);

/* The counters that follow from what is summed over all stages (measure_result.c). */
void measure_expand(const struct measure *measure, const struct stage_sums *all, uint64_t blocks,
                    uint64_t load_groups, uint64_t counts[COUNTER_COUNT]);
/* Is this memory instruction a load that does not look into the L1? */
bool measure_is_past_l1(const struct measure *measure, uint32_t site);

/* The observer's callbacks (measure_events.c). */
extern const struct observer_ops measure_ops;
/* A list of them. */
void measure_blocks_destroy(struct block_state *block);

/* measure_groups.c: one of these callbacks. */
bool measure_groups_quickly(void *worker, const struct warp_ref *ref,
                            const struct access_group *groups,
                            const struct access_base *const *bases, uint32_t count,
                            uint32_t active);

/* measure_paths.c: one of these callbacks. */
void measure_path(void *worker, const struct warp_ref *ref, const struct path_piece *pieces,
                  uint32_t count, uint64_t times, bool is_end);
/* Adds passages to the code blocks and branches of their paths. */
void measure_expand_passes(struct worker *w);

/* measure_passages.c: one of these callbacks. */
void measure_paths(void *worker, const struct warp_ref *first, uint32_t warps,
                   const struct path_piece *pieces, uint32_t count, uint32_t insn);
/* Adds passages of warps to those of paths. */
void measure_expand_passages(struct worker *w);

/* measure_merge.c: puts what was counted by group and by passage of a path where single accesses and blocks are counted. */
void measure_settle(struct worker *w);
/* One of these callbacks. */
void measure_worker_end(void *self, void *worker);

#endif
