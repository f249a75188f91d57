// SPDX-License-Identifier: Apache-2.0
/* mbarrier objects: what arrivals publish and waits learn. Who sees that a phase has ended learns what all published
 * that arrived in it or before, and nothing of arrivals in the phase that goes on.
 *
 * Copies that cp.async.mbarrier.arrive ties to an object are done for who has learned that the phase has ended, the
 * thread that made them included. When they were tied is a time of a block of its own in clocks, beside the
 * block of the threads: that these have reached some time does not mean that their copies have. */
#include "check/race.h"

struct object {
    uint64_t key;                  /* address, plus 1 */
    struct clock *arrived, *ended; /* in the current phase, in earlier ones */
    entry begin;                   /* who initialised it; 0: nobody */
};

static void drop_clocks(struct race *race, struct object *object)
{
    clock_drop(&race->clocks, object->arrived);
    clock_drop(&race->clocks, object->ended);
    object->arrived = object->ended = NULL;
}

static struct object *object_at(struct race_block *block, uint64_t address)
{
    struct object *object = hash_table_add(&block->mbarriers, address + 1, sizeof *object);
    mem_keep(block->mbarriers.entries);
    return object;
}

entry *mbarrier_begin(struct race_block *block, uint64_t address)
{
    return &object_at(block, address)->begin;
}

void mbarriers_clear(struct race *race, struct hash_table *objects)
{
    for (struct object *object = NULL; (object = hash_table_next(objects, object, sizeof *object));)
        drop_clocks(race, object);
    hash_table_clear(objects);
}

void mbarriers_forget(struct race_block *block)
{
    for (struct object *object = NULL;
         (object = hash_table_next(&block->mbarriers, object, sizeof *object));)
        object->begin = 0;
}

uint64_t mbarrier_clock_blocks(const struct launch_view *view)
{
    for (uint32_t i = 0; i < view->insn_count; i++)
        if (view->insns[i]->op == OP_MBARRIER_COPIES) return 2 * view->block_count;
    return view->block_count;
}

static uint32_t ordinal_of_copies(const struct race *race, uint32_t ordinal)
{
    return (uint32_t)race->view->block_count + ordinal;
}

/* What the lanes know, themselves included; of a relaxed arrival, what they knew at their last fence. */
static void publish(struct race *race, struct race_block *block, const struct check_mbarrier *event,
                    struct object *object)
{
    const struct race_warp *w = &block->warps[event->warp];
    bool releases = event->insn->semantics != MEM_RELAXED;
    for (uint32_t left = event->lanes; left; left &= left - 1) {
        const struct lane_clocks *clocks = order_see(w, (unsigned)__builtin_ctz(left));
        clock_add(&race->clocks, &object->arrived,
                  releases ? clocks->known : clocks->fenced[FENCED_CTA]);
        if (w->is_uniform) break;
    }
    if (!releases) return;
    struct clock *itself =
        clock_with(&race->clocks, NULL, block->ordinal, block->barrier_time, event->warp, w->time);
    clock_add(&race->clocks, &object->arrived, itself);
    clock_drop(&race->clocks, itself);
    block->has_clocks = true;
    order_advance(block, event->warp);
}

static void tie_copies(struct race *race, struct race_block *block,
                       const struct check_mbarrier *event, struct object *object)
{
    uint32_t time = order_tie_copies(race, block, event->warp, event->lanes);
    struct clock *copies = clock_with(&race->clocks, NULL, ordinal_of_copies(race, block->ordinal),
                                      0, event->warp, time);
    clock_add(&race->clocks, &object->arrived, copies);
    clock_drop(&race->clocks, copies);
}

static void learn(struct race *race, struct race_block *block, const struct check_mbarrier *event,
                  struct clock *clock)
{
    const struct race_warp *w = &block->warps[event->warp];
    bool acquires = event->insn->semantics != MEM_RELAXED;
    bool is_whole = w->is_uniform && event->lanes == w->threads;
    if (!clock) return;
    for (uint32_t left = event->lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct lane_clocks *has = order_see(w, lane);
        if (has->known == clock && (!acquires || has->strict == clock)) continue;
        struct lane_clocks *clocks = is_whole ? &block->warps[event->warp].clocks[0]
                                              : order_lane(race, block, event->warp, lane);
        clock_add(&race->clocks, &clocks->known, clock);
        if (acquires) clock_add(&race->clocks, &clocks->strict, clock);
        if (is_whole) break;
    }
    block->has_clocks = true;
}

void race_mbarrier(void *self, const struct check_mbarrier *event)
{
    struct race *race = self;
    struct race_block *block = event->block;
    struct object *object = object_at(block, event->address);
    switch (event->insn->op) {
    case OP_MBARRIER_INIT:
    case OP_MBARRIER_INVAL:
        drop_clocks(race, object);
        break;
    case OP_MBARRIER_ARRIVE:
    case OP_MBARRIER_ARRIVE_DROP:
        publish(race, block, event, object);
        break;
    case OP_MBARRIER_COPIES:
        tie_copies(race, block, event, object);
        break;
    case OP_MBARRIER_TEST_WAIT:
    case OP_MBARRIER_TRY_WAIT:
        learn(race, block, event, object->ended);
        break;
    default:
        break;
    }
    if (!event->ends) return;
    clock_add(&race->clocks, &object->ended, object->arrived);
    clock_drop(&race->clocks, object->arrived);
    object->arrived = NULL;
}

enum relation mbarrier_copies_between(const struct race *race, const struct lane_clocks *clocks,
                                      const struct segment *segment)
{
    uint32_t ordinal = ordinal_of_copies(race, segment->owner - race->launch_owners);
    const struct clocks *all = &race->clocks;
    if (clock_knows(all, clocks->strict, ordinal, segment->warp, segment->tied_at)) return ORDERED;
    return clock_knows(all, clocks->known, ordinal, segment->warp, segment->tied_at) ? WARNED
                                                                                     : UNORDERED;
}
