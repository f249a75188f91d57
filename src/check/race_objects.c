// SPDX-License-Identifier: Apache-2.0
/* Words through which threads synchronise: what strong writes publish there, and strong reads learn.
 *
 * A relaxed write publishes what its lane knew at its last fence, a release what it knows. Device scope publishes to
 * all; what only a fence of block scope covers, to the writer's block. Words are never taken back: who reads a word
 * learns what all earlier writers of it published, which may hide a race but makes none. */
#include "check/race.h"

/* What was published for threads of one block only. */
struct block_clock {
    struct block_clock *next;
    uint32_t owner;
    struct clock *clock;
};

struct object {
    uint64_t key; /* number of the word, plus 1 */
    struct clock *all, *seen;
    struct block_clock *blocks;
};

enum { OBJECTS_MOST = 1 << 20, BLOCK_CLOCKS_MOST = 16 };

void objects_clear(struct race *race, struct hash_table *objects)
{
    for (struct object *object = NULL;
         (object = hash_table_next(objects, object, sizeof *object));) {
        clock_drop(&race->clocks, object->all);
        clock_drop(&race->clocks, object->seen);
        for (struct block_clock *next, *one = object->blocks; one; one = next) {
            next = one->next;
            clock_drop(&race->clocks, one->clock);
            mem_free(one);
        }
    }
    hash_table_clear(objects);
}

/* Of the access at hand. */
static struct hash_table *objects_of(struct race *race, unsigned space)
{
    struct race_block *home = race->access->home;
    return space == SPACE_SHARED ? &home->objects : &race->objects;
}

static void learn(struct race *race, struct race_block *block, unsigned warp, unsigned lane,
                  const struct place *place, struct clock *clock)
{
    const struct lane_clocks *has = order_see(&block->warps[warp], lane);
    if (!clock || (has->known == clock && (!place->acquires || has->strict == clock))) return;
    struct lane_clocks *clocks = order_lane(race, block, warp, lane);
    clock_add(&race->clocks, &clocks->known, clock);
    if (place->acquires) clock_add(&race->clocks, &clocks->strict, clock);
}

void objects_acquire(struct race *race, struct race_block *block, unsigned warp, unsigned lane,
                     const struct place *place, unsigned space, uint64_t address, unsigned bytes)
{
    struct hash_table *objects = objects_of(race, space);
    learn(race, block, warp, lane, place, race->overflow);
    if (!objects->used) return;
    for (uint64_t word = address >> 2; word <= (address + bytes - 1) >> 2; word++) {
        struct object *object = hash_table_find(objects, word + 1, sizeof *object);
        if (!object) continue;
        learn(race, block, warp, lane, place, object->all);
        if (object->seen && order_see(&block->warps[warp], lane)->seen != object->seen)
            clock_add(&race->clocks, &order_lane(race, block, warp, lane)->seen, object->seen);
        for (struct block_clock *one = object->blocks; one; one = one->next)
            if (one->owner == block->owner) learn(race, block, warp, lane, place, one->clock);
    }
}

static void publish_in_block(struct race *race, const struct race_block *block,
                             struct object *object, struct clock *clock)
{
    struct block_clock *one = object->blocks;
    unsigned count = 0;
    for (; one && one->owner != block->owner; one = one->next)
        count++;
    if (!one && count >= BLOCK_CLOCKS_MOST) {
        clock_add(&race->clocks, &object->all, clock);
        return;
    }
    if (!one) {
        one = mem_zalloc(1, sizeof *one);
        mem_keep(one);
        one->owner = block->owner;
        one->next = object->blocks;
        object->blocks = one;
    }
    clock_add(&race->clocks, &one->clock, clock);
}

static void publish_word(struct race *race, const struct race_block *block,
                         struct hash_table *objects, uint64_t word, struct clock *all,
                         struct clock *in_block)
{
    struct object *object = hash_table_find(objects, word + 1, sizeof *object);
    if (!object && objects->used >= OBJECTS_MOST) {
        findings_note(race->findings,
                      "race: more words synchronise threads than are remembered; what "
                      "is published through the others counts for all threads");
        clock_add(&race->clocks, &race->overflow, in_block);
        return;
    }
    if (!object) {
        object = hash_table_add(objects, word + 1, sizeof *object);
        mem_keep(objects->entries);
    }
    clock_add(&race->clocks, &object->all, all);
    if (in_block != all) publish_in_block(race, block, object, in_block);
}

void objects_publish_seen(struct race *race, struct race_block *block, unsigned warp, unsigned lane,
                          uint64_t address, unsigned bytes)
{
    const struct lane_clocks *clocks = order_see(&block->warps[warp], lane);
    struct clock *itself = clock_with(&race->clocks, clocks->seen, block->ordinal,
                                      block->barrier_time, warp, block->warps[warp].time);
    for (uint64_t word = address >> 2; word <= (address + bytes - 1) >> 2; word++) {
        struct object *object = hash_table_find(&race->objects, word + 1, sizeof *object);
        if (!object && race->objects.used >= OBJECTS_MOST) continue;
        if (!object) object = hash_table_add(&race->objects, word + 1, sizeof *object);
        mem_keep(race->objects.entries);
        clock_add(&race->clocks, &object->seen, itself);
    }
    clock_drop(&race->clocks, itself);
}

void objects_publish(struct race *race, struct race_block *block, unsigned warp, unsigned lane,
                     const struct place *place, unsigned space, uint64_t address, unsigned bytes)
{
    const struct lane_clocks *clocks = order_see(&block->warps[warp], lane);
    struct clock *in_block = clock_hold(clocks->fenced[FENCED_CTA]);
    struct clock *all =
        race_is_wide(race, place->scope) ? clock_hold(clocks->fenced[FENCED_GPU]) : NULL;
    if (place->releases) {
        clock_drop(&race->clocks, in_block);
        in_block = clock_with(&race->clocks, clocks->known, block->ordinal, block->barrier_time,
                              warp, block->warps[warp].time);
        if (all || race_is_wide(race, place->scope)) {
            clock_drop(&race->clocks, all);
            all = clock_hold(in_block);
        }
    }
    if (in_block || all) {
        if (!in_block) in_block = clock_hold(all);
        struct hash_table *objects = objects_of(race, space);
        for (uint64_t word = address >> 2; word <= (address + bytes - 1) >> 2; word++)
            publish_word(race, block, objects, word, all, in_block);
    }
    clock_drop(&race->clocks, in_block);
    clock_drop(&race->clocks, all);
}
