// SPDX-License-Identifier: Apache-2.0
/* mbarrier objects: what arrivals publish and waits learn. Who sees that a phase has ended learns what all published
 * that arrived in it or before, and nothing of arrivals in the phase that goes on.
 *
 * Copies that cp.async.mbarrier.arrive ties to an object, and copies in bulk whose bytes it counts, are done for who
 * has learned that the phase has ended, the thread that made them included. When they were tied is a time of its own
 * in clocks, beside that of the threads: that these have reached some time does not mean that their copies have. */
#include "check/race.h"

struct object {
    uint64_t key; /* address, plus 1 */
    struct phases phases;
    entry begin; /* who initialised it; 0: nobody */
    uint32_t number;
};

void phases_clear(struct race *race, struct phases *phases)
{
    clock_drop(&race->clocks, phases->arrived);
    clock_drop(&race->clocks, phases->ended);
    *phases = (struct phases){0};
}

void phases_end(struct race *race, struct phases *phases)
{
    clock_add(&race->clocks, &phases->ended, phases->arrived);
    clock_drop(&race->clocks, phases->arrived);
    phases->arrived = NULL;
}

static struct object *object_at(struct race_block *block, uint64_t address)
{
    struct object *object = hash_table_add(&block->mbarriers, address + 1, sizeof *object);
    mem_keep(block->mbarriers.entries);
    if (!object->number) object->number = ++block->mbarrier_count;
    return object;
}

unsigned mbarrier_slot(struct race_block *block, uint64_t address)
{
    return object_at(block, address)->number % BLOCK_WARPS;
}

entry *mbarrier_begin(struct race_block *block, uint64_t address)
{
    return &object_at(block, address)->begin;
}

void mbarriers_clear(struct race *race, struct hash_table *objects)
{
    for (struct object *object = NULL; (object = hash_table_next(objects, object, sizeof *object));)
        phases_clear(race, &object->phases);
    hash_table_clear(objects);
}

void mbarriers_forget(struct race_block *block)
{
    for (struct object *object = NULL;
         (object = hash_table_next(&block->mbarriers, object, sizeof *object));)
        object->begin = 0;
}

static void tie_copies(struct race *race, struct race_block *block,
                       const struct check_mbarrier *event, struct object *object)
{
    uint32_t time = order_tie_copies(race, block, event->warp, event->lanes);
    struct clock *copies =
        clock_with(&race->clocks, NULL, clock_key(&race->clocks, CLOCK_COPIES, block->ordinal), 0,
                   event->warp, time);
    clock_add(&race->clocks, &object->phases.arrived, copies);
    clock_drop(&race->clocks, copies);
}

/* Who learns that the phase has ended knows that the copy has. */
static void tie_bulk(struct race *race, struct object *object)
{
    struct clock *copy =
        clock_with(&race->clocks, NULL, race->bulk_key, 0, race->bulk_slot, race->bulk_time);
    clock_add(&race->clocks, &object->phases.arrived, copy);
    clock_drop(&race->clocks, copy);
}

void race_mbarrier(void *self, const struct check_mbarrier *event)
{
    struct race *race = self;
    struct race_block *block = event->block;
    struct object *object = object_at(event->home, event->address);
    struct phases *phases = &object->phases;
    bool is_relaxed = event->insn->semantics == MEM_RELAXED;
    if (op_infos[event->insn->op].form == FORM_BULK) tie_bulk(race, object);
    switch (event->insn->op) {
    case OP_MBARRIER_INIT:
    case OP_MBARRIER_INVAL:
        phases_clear(race, phases);
        break;
    case OP_MBARRIER_ARRIVE:
    case OP_MBARRIER_ARRIVE_DROP:
        order_publish(race, block, event->warp, event->lanes, !is_relaxed, &phases->arrived);
        break;
    case OP_MBARRIER_COPIES:
        tie_copies(race, block, event, object);
        break;
    case OP_MBARRIER_TEST_WAIT:
    case OP_MBARRIER_TRY_WAIT:
        order_learn(race, block, event->warp, event->lanes, phases->ended, !is_relaxed);
        break;
    default:
        break;
    }
    if (event->ends) phases_end(race, phases);
}
