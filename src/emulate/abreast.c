// SPDX-License-Identifier: Apache-2.0
/* Their order is that of the other way to run warps (block.c, run_round): who comes last to a barrier goes on at once,
 * and the others follow. So where a warp leaves the path, it and those behind it go on as if each had come by itself. */
#include "emulate/abreast.h"

#include "emulate/cluster.h"

/* Paths between two looks at the user's wish. A guess, as STOP_INTERVAL. */
enum { CANCEL_INTERVAL = 64 };

struct abreast {
    struct worker *worker;
    struct block *block;
    const struct engine_path *path;
    const struct code *end; /* the code block that ends it */
    uint32_t barrier;       /* to which it leads; BARRIERS: to the end of the kernel */
    uint32_t
        mask; /* of the warps from `from` to before `to`: they went the same way, and nobody was */
    struct path_turn turn; /* told of that */
    uint32_t from, to;
};

/* ---- may they? ------------------------------------------------------------------------------- */

static bool stands_whole(const struct warp *warp)
{
    const struct split *split = &warp->splits[0];
    return warp->split_count == 1 && split->state == SPLIT_READY && split->node < 0 &&
           split->frame == &warp->root && (split->mask | warp->dead) == UINT32_MAX &&
           warp->follows_paths && !turns_wait(&split->turns);
}

bool abreast_stand(const struct exec *x, const struct block *block)
{
    const struct split *first = NULL;
    if (!x->engine_code || x->clustered || block->arrivals || (x->observe && !x->observe->paths))
        return false;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct warp *warp = &block->warps[w];
        if (warp->done) continue;
        if (!first) first = &warp->splits[0];
        if (!stands_whole(warp) || warp->splits[0].block != first->block) return false;
    }
    return first != NULL;
}

/* The barrier to which the code block leads all lanes that wait for all; BARRIERS: it ends the kernel; NO_BARRIER: it
 * does something else. */
#define NO_BARRIER UINT32_MAX
static uint32_t find_barrier(const struct exec *x, const struct code *code)
{
    if (code->guard != REF_NONE) return NO_BARRIER;
    if (code->terminator == TERM_EXIT || code->terminator == TERM_RET) return BARRIERS;
    if (code->terminator != TERM_BARRIER) return NO_BARRIER;
    const struct uop *u = &code->uops[code->uop_count];
    bool is_plain = barrier_waits_for_all(u->insn) && u->src[0] >> 30 == BASE_POOL;
    uint32_t id = is_plain ? *operand_words(x, u->src[0]) : NO_BARRIER;
    return id < BARRIERS ? id : NO_BARRIER;
}

/* The path from where they stand; false: there is none that they may follow to a barrier or the end. */
static bool find_path(struct abreast *a, const struct warp *warp)
{
    const struct exec *x = &a->worker->exec;
    const struct split *split = &warp->splits[0];
    const struct engine_path *path = path_find(x, warp, split);
    if (!path || path->returns) return false;
    uint64_t most = (uint64_t)path->insn_count * a->block->warp_count;
    if (a->block->instructions + most > x->launch->max_instructions) return false;
    a->path = path;
    a->end = &x->launch->program->code[path->steps[path->count - 1].code_block];
    a->barrier = find_barrier(x, a->end);
    return a->barrier != NO_BARRIER;
}

/* ---- what they did --------------------------------------------------------------------------- */

static void tell(struct abreast *a)
{
    struct exec *x = &a->worker->exec;
    uint64_t warps = a->to - a->from;
    struct path_passed passed;
    if (!warps) return;
    path_pieces(a->path, &a->turn, a->path->count - 1, a->mask, 0, &passed);
    uint32_t insn = a->barrier == BARRIERS ? NO_BRANCH : a->end->last_index;
    if (x->observe)
        x->observe->paths(x->observer_worker, &a->block->warps[a->from].ref, (uint32_t)warps,
                          passed.pieces, passed.count, insn);
    a->block->instructions += warps * passed.insns;
    x->compiled += warps * passed.compiled;
    for (uint32_t w = a->from; w < a->to; w++)
        a->block->warps[w].instructions += passed.insns;
    a->from = a->to;
}

static bool went_the_same_way(const struct path_turn *a, const struct path_turn *b)
{
    if (a->ways != b->ways) return false;
    for (uint32_t i = 0; a->ways >= PATH_PARTED && i < PATH_FORKS_MAX; i++)
        if (a->ways & PATH_PARTED << i && a->taken[i] != b->taken[i]) return false;
    return true;
}

/* The warp has come to the end of the path. */
static void note(struct abreast *a, const struct path_turn *turn, const struct warp *warp,
                 uint32_t mask)
{
    bool is_next = warp->index == a->to && mask == a->mask && went_the_same_way(turn, &a->turn);
    if (!is_next) {
        tell(a);
        a->from = warp->index;
        a->mask = mask;
        a->turn.ways = turn->ways;
        for (uint32_t i = 0; turn->ways >= PATH_PARTED && i < PATH_FORKS_MAX; i++)
            a->turn.taken[i] = turn->taken[i];
    }
    a->to = warp->index + 1;
}

/* ---- going on -------------------------------------------------------------------------------- */

static void arrive(struct abreast *a, struct warp *warp)
{
    struct exec *x = &a->worker->exec;
    struct split *split = &warp->splits[0];
    if (x->changed) turns_changed(x, &split->turns);
    split->turns.backward += a->path->turns[a->path->count - 1];
    split->block = a->end->next;
    if (a->barrier != BARRIERS) return;
    uint32_t lanes = split->mask;
    split_drop(warp, 0);
    warp_leave(x, warp, lanes);
    warp->done = true;
}

/* False: it stays where it is, has come to the end of another code block, or to a fault. */
static bool go_along(struct abreast *a, struct warp *warp)
{
    struct exec *x = &a->worker->exec;
    struct split *split = &warp->splits[0];
    if (path_passes_look(a->path, split)) {
        tell(a);
        return false;
    }
    x->warp = warp;
    x->base[BASE_WARP] = (unsigned char *)x->launch->warp_specials[warp->index];
    x->locals = warp->locals;
    warp_set_places(x, warp, &warp->root);
    warp_set_mask(x, split->mask);
    path_enter(x, 0);
    uint32_t at = a->path->run(x);
    bool is_end = at == a->path->count - 1 && !x->fault.kind;
    if (is_end) {
        note(a, x->turn, warp, split->mask);
        arrive(a, warp);
    } else {
        tell(a);
        x->ended = &x->launch->program->code[path_leave(x, warp, split, a->path, at, 0)];
    }
    return is_end;
}

/* Warps from `first` on, up to before `until`, wait at the barrier for those that went another way. */
static void wait(struct abreast *a, uint32_t first, uint32_t until)
{
    struct block *block = a->block;
    const struct program *program = a->worker->launch->program;
    for (uint32_t w = first; w != until; w = w + 1 == block->warp_count ? 0 : w + 1) {
        struct split *split = &block->warps[w].splits[0];
        if (block->warps[w].done) continue;
        split->state = SPLIT_AT_BARRIER;
        split->barrier = (uint8_t)a->barrier;
        split->block = (uint32_t)(a->end - program->code);
        block->arrivals |= UINT32_C(1) << a->barrier;
        block->barriers[a->barrier].arrived +=
            program->warps_at_barriers ? WARP_LANES : lanes_count(split->mask);
    }
}

/* All go along the path, beginning with warp `first`. Returns the last of them, which is the first to go on. If not all
 * come to its end, or all have ended, *goes_on is false: then it returns the one that did not, or how many there are. */
static uint32_t go_all(struct abreast *a, uint32_t first, struct round *round, bool *goes_on)
{
    struct block *block = a->block;
    uint32_t last = first, warps = block->warp_count;
    *goes_on = false;
    a->from = a->to = first;
    for (uint32_t i = 0, w = first; i < warps; i++, w++) {
        if (w == warps) {
            tell(a);
            *round = round_begin(&a->worker->exec, block);
            w = 0;
        }
        if (block->warps[w].done) continue;
        if (!go_along(a, &block->warps[w])) {
            if (a->barrier != BARRIERS) wait(a, first, w);
            return w;
        }
        last = w;
    }
    tell(a);
    a->worker->exec.last = a->end->last;
    if (a->barrier == BARRIERS) return warps;
    a->worker->exec.releases++;
    *goes_on = true;
    return last;
}

uint32_t abreast_run(struct worker *worker, struct block *block, uint32_t at, struct round *round)
{
    struct abreast a = {.worker = worker, .block = block};
    if (!abreast_stand(&worker->exec, block)) return at;
    worker->exec.follows_paths = true;
    warp_set_frame(&worker->exec, &block->warps[at], &block->warps[at].root);
    for (uint32_t i = 1; find_path(&a, &block->warps[at]); i++) {
        bool goes_on;
        at = go_all(&a, at, round, &goes_on);
        if (!goes_on || (i % CANCEL_INTERVAL == 0 && launch_cancelled(worker->launch))) break;
    }
    return at;
}
