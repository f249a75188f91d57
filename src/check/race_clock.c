// SPDX-License-Identifier: Apache-2.0
/* Clocks: persistent trees with shared parts, so that what thousands of blocks learn from one counter costs a path
 * each. */
#include <string.h>

#include "check/race.h"

enum { SLAB_CLOCKS = 256 };

static struct clock *take(struct clocks *clocks)
{
    if (!clocks->free) {
        struct clock *slab = mem_alloc(SLAB_CLOCKS * sizeof *slab);
        mem_keep(slab);
        GROW(clocks->slabs, clocks->slab_count, clocks->slab_room);
        mem_keep(clocks->slabs);
        clocks->slabs[clocks->slab_count++] = slab;
        for (unsigned i = 0; i < SLAB_CLOCKS; i++) {
            slab[i].u.child[0] = clocks->free;
            clocks->free = &slab[i];
        }
    }
    struct clock *clock = clocks->free;
    clocks->free = clock->u.child[0];
    memset(clock, 0, sizeof *clock);
    clock->references = 1;
    return clock;
}

void clocks_clear(struct clocks *clocks)
{
    for (size_t i = 0; i < clocks->slab_count; i++)
        mem_free(clocks->slabs[i]);
    mem_free(clocks->slabs);
    *clocks = (struct clocks){0};
}

void clocks_begin(struct clocks *clocks, uint64_t blocks, bool has_kinds)
{
    clocks_clear(clocks);
    for (uint64_t reach = 1; reach < blocks; reach *= FANOUT)
        clocks->depth++;
    clocks->kind_shift = FANOUT_BITS * clocks->depth;
    clocks->has_kinds = has_kinds;
    if (has_kinds) clocks->depth++;
}

/* depth: inner nodes on the way from this one, it included; a leaf has 0. */
void clock_drop_at(struct clocks *clocks, struct clock *clock, unsigned depth)
{
    if (!clock || --clock->references) return;
    for (unsigned i = 0; depth && i < FANOUT; i++)
        clock_drop_at(clocks, clock->u.child[i], depth - 1);
    clock->u.child[0] = clocks->free;
    clocks->free = clock;
}

void clock_drop(struct clocks *clocks, struct clock *clock)
{
    clock_drop_at(clocks, clock, clocks->depth);
}

static struct clock *join_leaves(struct clocks *clocks, struct clock *a, struct clock *b)
{
    bool a_has_all = a->base >= b->base, b_has_all = b->base >= a->base;
    for (unsigned w = 0; w < BLOCK_WARPS; w++) {
        uint32_t of_a = race_later(a->base, a->u.times[w]),
                 of_b = race_later(b->base, b->u.times[w]);
        a_has_all = a_has_all && of_a >= of_b;
        b_has_all = b_has_all && of_b >= of_a;
    }
    if (a_has_all) return clock_hold(a);
    if (b_has_all) return clock_hold(b);
    struct clock *joint = take(clocks);
    joint->base = race_later(a->base, b->base);
    for (unsigned w = 0; w < BLOCK_WARPS; w++)
        joint->u.times[w] = race_later(a->u.times[w], b->u.times[w]);
    return joint;
}

static struct clock *join(struct clocks *clocks, struct clock *a, struct clock *b, unsigned depth)
{
    if (a == b || !b) return clock_hold(a);
    if (!a) return clock_hold(b);
    if (!depth) return join_leaves(clocks, a, b);
    struct clock *child[FANOUT];
    bool is_a = true, is_b = true;
    for (unsigned i = 0; i < FANOUT; i++) {
        child[i] = join(clocks, a->u.child[i], b->u.child[i], depth - 1);
        is_a = is_a && child[i] == a->u.child[i];
        is_b = is_b && child[i] == b->u.child[i];
    }
    if (is_a || is_b) {
        for (unsigned i = 0; i < FANOUT; i++)
            clock_drop_at(clocks, child[i], depth - 1);
        return clock_hold(is_a ? a : b);
    }
    struct clock *joint = take(clocks);
    memcpy(joint->u.child, child, sizeof child);
    return joint;
}

struct clock *clock_join(struct clocks *clocks, struct clock *a, struct clock *b)
{
    return join(clocks, a, b, clocks->depth);
}

void clock_add(struct clocks *clocks, struct clock **into, struct clock *more)
{
    if (!more || *into == more) return;
    struct clock *joint = clock_join(clocks, *into, more);
    clock_drop(clocks, *into);
    *into = joint;
}

struct clock *clock_with(struct clocks *clocks, struct clock *clock, uint64_t block, uint32_t base,
                         uint32_t warp, uint32_t time)
{
    struct clock *path = take(clocks);
    path->base = base;
    path->u.times[warp] = time;
    for (unsigned depth = 0; depth < clocks->depth; depth++) {
        struct clock *above = take(clocks);
        above->u.child[block >> (FANOUT_BITS * depth) & (FANOUT - 1)] = path;
        path = above;
    }
    struct clock *joint = clock_join(clocks, clock, path);
    clock_drop(clocks, path);
    return joint;
}

struct clock *clock_fence(struct clocks *clocks, struct clock *clock)
{
    if (!clocks->has_kinds || !clock) return clock_hold(clock);
    struct clock *fenced = take(clocks);
    for (unsigned i = 0; i < FANOUT; i++) {
        bool is_fenced = i == CLOCK_FENCED + CLOCK_THREADS || i == CLOCK_FENCED + CLOCK_COPIES;
        struct clock *more = is_fenced ? clock->u.child[i - CLOCK_FENCED] : NULL;
        fenced->u.child[i] = join(clocks, clock->u.child[i], more, clocks->depth - 1);
    }
    return fenced;
}

bool clock_knows(const struct clocks *clocks, const struct clock *clock, uint64_t block,
                 uint32_t warp, uint32_t time)
{
    for (unsigned depth = clocks->depth; clock && depth-- > 0;)
        clock = clock->u.child[block >> (FANOUT_BITS * depth) & (FANOUT - 1)];
    return clock && (clock->base >= time || clock->u.times[warp] >= time);
}
