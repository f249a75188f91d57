// SPDX-License-Identifier: Apache-2.0
/* A warp is a small table of splits {code block, lanes, reconvergence node}; warp.c runs them.
 *
 * A divergent branch whose lanes meet again at block R makes a node {R, lanes}; both sides run below
 * it. A split that reaches R waits at the node; when all lanes of the node have come (or left), one
 * split goes on from R. So the default order is that of immediate post-dominators. */
#ifndef EMULATE_SPLITS_H
#define EMULATE_SPLITS_H

#include "emulate/defined.h"

/* ---- what an operation sees of its split ----------------------------------------------------- */

static inline void warp_set_mask(struct exec *x, uint32_t mask)
{
    if (x->mask == mask) return;
    x->mask = mask;
    expand_mask(mask, x->lane_mask);
}

/* From one warp to another in a frame of the same function. */
static inline void warp_set_places(struct exec *x, struct warp *warp, struct frame *frame)
{
    x->frame = frame;
    x->base[BASE_FRAME] = warp->registers + frame->registers;
    x->parameters = warp->parameters + frame->parameters;
}

static inline void warp_set_frame(struct exec *x, struct warp *warp, struct frame *frame)
{
    warp_set_places(x, warp, frame);
    x->parameter_bytes = x->launch->program->functions[frame->function].parameter_bytes;
    if (!x->tracks) return;
    x->undefined = warp->defined->registers + frame->registers;
    x->origins = warp->defined->origins + frame->registers / 4;
}

/* The 32-bit lanes of an operand; a predicate is one word. */
static inline uint32_t *operand_words(const struct exec *x, operand_ref ref)
{
    return (uint32_t *)(void *)(x->base[ref >> 30] + (ref & 0x3fffffff));
}

/* Those of `mask` for which the guard of the operation that ends the code block holds. */
static inline uint32_t guard_lanes(const struct exec *x, const struct code *code, uint32_t mask)
{
    if (code->guard != REF_NONE) {
        uint32_t p = *operand_words(x, code->guard);
        mask &= code->guard_negated ? ~p : p;
    }
    if (code->condition == REF_NONE) return mask;
    uint32_t p = *operand_words(x, code->condition);
    return mask & (code->condition_negated ? ~p : p);
}

static inline void observe_guard(struct exec *x, const struct warp *warp, const struct code *code,
                                 uint32_t mask, uint32_t on)
{
    if (x->observe && code->guard != REF_NONE)
        x->observe->guard(x->observer_worker, &warp->ref, code->last_index, mask, on);
}

/* warp.c: the operations of a code block before its end. */
void warp_run_body(struct exec *x, const struct code *code, bool is_whole);

/* Backward branches, and splits run, between two looks at the user's wish and the limit. A guess: even
 * where each goes through tens of thousands of instructions that is a fraction of a second. */
enum { STOP_INTERVAL = 256 };

/* paths.c: a compiled path that the split may follow from where it stands; NULL: none. */
const struct engine_path *path_find(const struct exec *x, const struct warp *warp,
                                    const struct split *split);
/* The look that is due after so many turns is due at their ends, and the path passes some: is it among those? */
static inline bool path_passes_look(const struct engine_path *path, const struct split *split)
{
    uint32_t turns = path->most_turns;
    return turns && split->turns.backward % STOP_INTERVAL + turns >= STOP_INTERVAL;
}
/* Follows it, for as long as the next look at the user's wish is not due. Returns the code block to whose end the split
 * has come. */
uint32_t path_run(struct exec *x, struct warp *warp, struct split *split,
                  const struct engine_path *path);

/* How one turn round a path went, or the begin of one, as the observer is told: up to step `last`, which is in no arm,
 * by the lanes of `mask`, of which `taken` take the branch behind it. */
enum { PIECES_MAX = 3 * PATH_FORKS_MAX + 1 };
struct path_passed {
    struct path_piece pieces[PIECES_MAX];
    uint32_t count;
    uint64_t insns, compiled;
};
void path_pieces(const struct engine_path *path, const struct path_turn *turn, uint32_t last,
                 uint32_t mask, uint32_t taken, struct path_passed *out);
/* What path_run does before and behind the code: at most so many returns; where it ended, and after how many. */
void path_enter(struct exec *x, uint64_t most);
uint32_t path_leave(struct exec *x, struct warp *warp, struct split *split,
                    const struct engine_path *path, uint32_t at, uint64_t times);

/* Memory was changed by lanes that have these turns. */
static inline void turns_changed(struct exec *x, struct turns *turns)
{
    turns->quiet = 0;
    x->changes++;
    x->changed = 0;
    x->idle_turns = 0;
}

/* warp.c: lanes of the warp have left the kernel. */
void warp_leave(struct exec *x, struct warp *warp, uint32_t lanes);

/* ---- the table ------------------------------------------------------------------------------- */

struct frame *frame_alloc(struct warp *warp);
void frame_release(struct warp *warp, struct frame *frame);

/* Index of the new split, which holds the frame. */
uint32_t split_add(struct warp *warp, uint32_t block, uint32_t mask, int32_t node,
                   struct frame *frame, struct turns turns);
void split_drop(struct warp *warp, uint32_t at);
/* A ready split that has reached its node's block waits there. True if it was consumed. */
bool split_arrive(struct warp *warp, uint32_t at);
/* Puts the lanes of split `from` into split `into`, which stands at the same place. */
void split_merge(struct warp *warp, uint32_t into, uint32_t from);
/* Ready splits of one node that stand where split `at` does join it; its new index. */
uint32_t split_merge_ready(struct warp *warp, uint32_t at);

/* Lanes `live` will meet again at `block` of `frame`. */
int32_t node_add(struct warp *warp, uint32_t block, uint32_t live, int32_t parent,
                 struct frame *frame);
/* Lanes have left the code below these nodes. Ends before node `until` (-1: the root). */
void nodes_leave(struct warp *warp, int32_t at, uint32_t lanes, int32_t until);

/* meet.c: a split has come to a .sync operation. It goes on when all lanes that the operation names
 * have come, or waits there. */
void meet(struct exec *x, struct warp *warp, uint32_t at);
/* Lanes that waiting splits named may have left meanwhile. True if a split went on. */
bool meet_again(struct exec *x, struct warp *warp);
/* The lanes that split `at`, which waits there, names. */
uint32_t meet_members(struct exec *x, struct warp *warp, uint32_t at);

/* converge.c (native): the split has come to a BSYNC; it goes on, with those that came before it, when all lanes
 * of its barrier have come. True if splits went on. */
bool converge(struct exec *x, struct warp *warp, uint32_t at);
/* Does the running split wait there for just its own lanes? */
bool converge_alone(const struct exec *x, const struct warp *warp, uint32_t at);
/* Lets lanes that wait at a BSYNC go on without the others; false if none do. */
bool converge_release(struct exec *x, struct warp *warp);
/* As converge, for WARPSYNC.COLLECTIVE. */
bool collect(struct exec *x, struct warp *warp, uint32_t at);
/* Lanes that the split waits for at a BSYNC or a WARPSYNC.COLLECTIVE. */
uint32_t converge_members(const struct exec *x, const struct warp *warp, uint32_t at);

/* warpgroup.c: the split has come to a wgmma.wait_group; true: it goes on at once. */
bool products_wait(struct exec *x, const struct warp *warp, struct split *split,
                   const struct code *code);
/* Warps that have not come to the last product that the warp executed. */
uint32_t products_lagging(const struct block *block, const struct warp *warp);

/* call.c: lanes with true guard call; all meet again after the call. True if the split was
 * replaced. A fault may have been recorded. */
bool split_call(struct exec *x, struct warp *warp, uint32_t at, const struct code *code,
                uint32_t lanes);
/* Lanes `lanes` of a split in a called function go back to the caller. True if the split is gone. */
bool split_return(struct exec *x, struct warp *warp, uint32_t at, uint32_t lanes);
void frame_zero_registers(unsigned char *registers, const struct program_function *function);

#endif
