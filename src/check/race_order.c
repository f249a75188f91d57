// SPDX-License-Identifier: Apache-2.0
/* What orders accesses: lanes that run together, barriers, fences; and whether two accesses are ordered. */
#include <string.h>

#include "check/race.h"

static struct race_warp *warp_at(struct race_block *block, unsigned warp)
{
    return &block->warps[warp];
}

/* ---- segments -------------------------------------------------------------------------------- */

enum { SEGMENTS_LEAST = 1 << 12, SEGMENTS_MOST = 1 << 20 };

static void grow_segments(struct race *race)
{
    uint64_t room = race->segment_room ? 2 * race->segment_room : SEGMENTS_LEAST;
    struct segment *made = mem_zalloc(room, sizeof *made);
    for (uint64_t i = race->oldest_segment; i < race->next_segment; i++)
        made[i & (room - 1)] = *segment_at(race, i);
    mem_free(race->segments);
    mem_keep(made);
    race->segments = made;
    race->segment_room = room;
}

/* Numbers have run out: all is forgotten. */
static void renumber(struct race *race)
{
    findings_note(race->findings,
                  "race: very many synchronisations; accesses before one of them were "
                  "forgotten, races with them are not found");
    cells_clear(&race->shadow);
    for (struct race_block *block = race->blocks; block; block = block->next) {
        if (block->shared)
            memset(block->shared, 0, (block->shared_bytes + 3) / 4 * sizeof *block->shared);
        block->first_segment = block->barrier_segment = block->alone_segment = 1;
        mbarriers_forget(block);
        for (unsigned w = 0; w < block->warp_count; w++) {
            block->warps[w].segment = 0;
            block->warps[w].copy_count = 0;
            block->warps[w].product_segment = 0;
        }
    }
    race->next_segment = race->oldest_segment = 1;
}

uint64_t order_new_segment(struct race *race, struct race_block *block, unsigned warp)
{
    if (race->next_segment >= ENTRY_SEGMENT_MAX) renumber(race);
    if (race->next_segment - race->oldest_segment >= race->segment_room) {
        if (race->segment_room < SEGMENTS_MOST) {
            grow_segments(race);
        } else {
            race->oldest_segment++;
            findings_note(
                race->findings,
                "race: more synchronisations within a kernel than are remembered; races with "
                "accesses long before are not found");
        }
    }
    uint64_t number = race->next_segment++;
    *segment_at(race, number) = (struct segment){.block = block->index,
                                                 .owner = block->owner,
                                                 .time = block->warps[warp].time,
                                                 .launch = race->launches,
                                                 .warp = (uint8_t)warp};
    return number;
}

uint64_t order_segment(struct race *race, struct race_block *block, unsigned warp)
{
    struct race_warp *w = warp_at(block, warp);
    if (!w->segment) w->segment = order_new_segment(race, block, warp);
    return w->segment;
}

void order_advance(struct race_block *block, unsigned warp)
{
    warp_at(block, warp)->time = ++block->now;
    warp_at(block, warp)->segment = 0;
}

/* ---- clocks of lanes ------------------------------------------------------------------------- */

static struct lane_clocks hold_clocks(const struct lane_clocks *clocks)
{
    return (struct lane_clocks){
        clock_hold(clocks->known),
        clock_hold(clocks->strict),
        {clock_hold(clocks->fenced[0]), clock_hold(clocks->fenced[1])},
        clock_hold(clocks->seen),
    };
}

void order_drop_clocks(struct race *race, struct lane_clocks *clocks)
{
    clock_drop(&race->clocks, clocks->known);
    clock_drop(&race->clocks, clocks->strict);
    clock_drop(&race->clocks, clocks->fenced[0]);
    clock_drop(&race->clocks, clocks->fenced[1]);
    clock_drop(&race->clocks, clocks->seen);
    *clocks = (struct lane_clocks){0};
}

static void add_clocks(struct race *race, struct lane_clocks *into, const struct lane_clocks *more)
{
    clock_add(&race->clocks, &into->known, more->known);
    clock_add(&race->clocks, &into->strict, more->strict);
    clock_add(&race->clocks, &into->fenced[0], more->fenced[0]);
    clock_add(&race->clocks, &into->fenced[1], more->fenced[1]);
    clock_add(&race->clocks, &into->seen, more->seen);
}

struct lane_clocks *order_lane(struct race *race, struct race_block *block, unsigned warp,
                               unsigned lane)
{
    struct race_warp *w = warp_at(block, warp);
    (void)race;
    block->has_clocks = true;
    if (!w->is_uniform) return &w->clocks[lane];
    if (w->threads == 1) return &w->clocks[0];
    for (unsigned i = 1; i < LANES; i++)
        w->clocks[i] = hold_clocks(&w->clocks[0]);
    w->is_uniform = false;
    return &w->clocks[lane];
}

static void make_uniform(struct race *race, struct race_warp *w)
{
    if (w->is_uniform) return;
    for (unsigned i = 1; i < LANES; i++)
        order_drop_clocks(race, &w->clocks[i]);
    w->is_uniform = true;
}

/* Lanes learn what any of them knows; of `strict` only at a barrier. */
static void join_lanes(struct race *race, struct race_warp *w, uint32_t lanes, bool is_barrier)
{
    if (w->is_uniform || !(lanes & (lanes - 1))) return;
    struct lane_clocks joint = {0};
    for (uint32_t left = lanes; left; left &= left - 1)
        add_clocks(race, &joint, &w->clocks[__builtin_ctz(left)]);
    for (uint32_t left = lanes; left; left &= left - 1) {
        struct lane_clocks *one = &w->clocks[__builtin_ctz(left)];
        struct clock *strict = is_barrier ? joint.strict : one->strict;
        struct lane_clocks next = hold_clocks(&(struct lane_clocks){
            joint.known, strict, {joint.fenced[0], joint.fenced[1]}, joint.seen});
        order_drop_clocks(race, one);
        *one = next;
    }
    order_drop_clocks(race, &joint);
    bool is_same = lanes == w->threads;
    unsigned first = (unsigned)__builtin_ctz(lanes);
    for (uint32_t left = lanes; is_same && left; left &= left - 1)
        is_same = w->clocks[__builtin_ctz(left)].strict == w->clocks[first].strict;
    if (is_same) make_uniform(race, w);
}

/* ---- inside a warp --------------------------------------------------------------------------- */

typedef uint32_t matrix[LANES];

static void fill_matrix(matrix **matrix_, uint32_t time)
{
    if (!*matrix_) {
        *matrix_ = mem_alloc(LANES * sizeof **matrix_);
        mem_keep(*matrix_);
    }
    for (unsigned i = 0; i < LANES; i++)
        for (unsigned k = 0; k < LANES; k++)
            (*matrix_)[i][k] = time;
}

/* The lanes are together at `time`: each knows what any of them does. */
static void meet_in_matrix(matrix *known, uint32_t lanes, uint32_t time)
{
    uint32_t row[LANES] = {0};
    for (uint32_t left = lanes; left; left &= left - 1) {
        const uint32_t *one = known[__builtin_ctz(left)];
        for (unsigned k = 0; k < LANES; k++)
            row[k] = race_later(row[k], one[k]);
    }
    for (unsigned k = 0; k < LANES; k++)
        row[k] = (lanes >> k) & 1 ? time : row[k];
    for (uint32_t left = lanes; left; left &= left - 1)
        memcpy(known[__builtin_ctz(left)], row, sizeof row);
}

void race_runs(void *self, void *block_, uint32_t warp, uint32_t lanes)
{
    struct race *race = self;
    struct race_block *block = block_;
    struct race_warp *w = warp_at(block, warp);
    if (w->lanes == lanes) return;
    if (lanes != w->threads && !w->is_apart) {
        fill_matrix(&w->known, w->time); /* until now all ran together */
        w->is_apart = true;
    } else if (w->is_apart && w->lanes) {
        meet_in_matrix(w->known, w->lanes, w->time);
    }
    if (lanes == w->threads)
        w->is_apart = false;
    else
        meet_in_matrix(w->known, lanes, w->time);
    w->lanes = lanes;
    order_advance(block, warp);
    join_lanes(race, w, lanes, false);
}

void race_meets(void *self, void *block_, uint32_t warp, uint32_t lanes, bool is_barrier)
{
    struct race *race = self;
    struct race_block *block = block_;
    struct race_warp *w = warp_at(block, warp);
    bool is_whole = lanes == w->threads;
    if (w->is_apart) {
        if (w->lanes) meet_in_matrix(w->known, w->lanes, w->time);
        meet_in_matrix(w->known, lanes, w->time);
    }
    join_lanes(race, w, lanes, is_barrier);
    if (is_barrier && is_whole) {
        w->strict_all = w->time;
        w->is_uneven = false;
    } else if (is_barrier) {
        if (!w->is_uneven) fill_matrix(&w->strict, w->strict_all);
        w->is_uneven = true;
        meet_in_matrix(w->strict, lanes, w->time);
    }
    if (is_barrier || w->is_apart) order_advance(block, warp);
}

/* ---- barriers -------------------------------------------------------------------------------- */

/* What the lane knows, itself included. */
static struct clock *with_itself(struct race *race, struct race_block *block, unsigned warp,
                                 struct clock *clock)
{
    return clock_with(&race->clocks, clock, block->ordinal, block->barrier_time, warp,
                      warp_at(block, warp)->time);
}

void race_arrive(void *self, void *block_, uint32_t warp, uint32_t lanes, uint32_t id, bool waits,
                 bool counted)
{
    struct race *race = self;
    struct race_block *block = block_;
    struct race_warp *w = warp_at(block, warp);
    struct race_barrier *barrier = &block->barriers[id];
    if (!waits) barrier->is_passed = true;
    if (counted) {
        for (uint32_t left = lanes; left; left &= left - 1) {
            add_clocks(race, &barrier->joint, order_see(w, (unsigned)__builtin_ctz(left)));
            if (w->is_uniform) break;
        }
        struct clock *itself = with_itself(race, block, warp, NULL);
        clock_add(&race->clocks, &barrier->joint.known, itself);
        clock_add(&race->clocks, &barrier->joint.strict, itself);
        clock_drop(&race->clocks, itself);
    }
    if (waits) barrier->waiting[warp] |= lanes;
    order_advance(block, warp);
}

/* All threads of the block are ordered with all that any did. */
static void pass_whole(struct race *race, struct race_block *block)
{
    struct lane_clocks all = {0};
    for (unsigned k = 0; block->has_clocks && k < block->warp_count; k++) {
        struct race_warp *w = warp_at(block, k);
        for (unsigned lane = 0; lane < (w->is_uniform ? 1 : LANES); lane++)
            add_clocks(race, &all, &w->clocks[lane]);
    }
    block->barrier_time = ++block->now;
    for (unsigned k = 0; k < block->warp_count; k++) {
        struct race_warp *w = warp_at(block, k);
        order_advance(block, k);
        w->strict_all = block->barrier_time;
        w->is_uneven = false;
        if (!block->has_clocks) continue;
        make_uniform(race, w);
        struct lane_clocks next = hold_clocks(&all);
        order_drop_clocks(race, &w->clocks[0]);
        w->clocks[0] = next;
    }
    block->barrier_segment = race->next_segment;
    order_drop_clocks(race, &all);
}

/* Those of the warp who wait learn what all knew who came. */
static void pass_waiting(struct race *race, struct race_block *block, unsigned warp,
                         const struct race_barrier *barrier)
{
    struct race_warp *w = warp_at(block, warp);
    uint32_t waiting = barrier->waiting[warp];
    if (!waiting) return;
    if (waiting == w->threads && w->is_uniform) {
        block->has_clocks = true;
        add_clocks(race, &w->clocks[0], &barrier->joint);
        return;
    }
    for (uint32_t left = waiting; left; left &= left - 1)
        add_clocks(race, order_lane(race, block, warp, (unsigned)__builtin_ctz(left)),
                   &barrier->joint);
}

void race_barrier_done(void *self, void *block_, uint32_t id, bool is_whole)
{
    struct race *race = self;
    struct race_block *block = block_;
    struct race_barrier *barrier = &block->barriers[id];
    if (is_whole && !barrier->is_passed)
        pass_whole(race, block);
    else
        for (unsigned k = 0; k < block->warp_count; k++)
            pass_waiting(race, block, k, barrier);
    order_drop_clocks(race, &barrier->joint);
    memset(barrier, 0, sizeof *barrier);
}

/* ---- publishing and learning ----------------------------------------------------------------- */

void order_publish(struct race *race, struct race_block *block, unsigned warp, uint32_t lanes,
                   bool releases, struct clock **into)
{
    const struct race_warp *w = warp_at(block, warp);
    for (uint32_t left = lanes; left; left &= left - 1) {
        const struct lane_clocks *clocks = order_see(w, (unsigned)__builtin_ctz(left));
        clock_add(&race->clocks, into, releases ? clocks->known : clocks->fenced[FENCED_CTA]);
        if (w->is_uniform) break;
    }
    if (!releases) return;
    struct clock *itself = with_itself(race, block, warp, NULL);
    clock_add(&race->clocks, into, itself);
    clock_drop(&race->clocks, itself);
    block->has_clocks = true;
    order_advance(block, warp);
}

void order_learn(struct race *race, struct race_block *block, unsigned warp, uint32_t lanes,
                 struct clock *clock, bool acquires)
{
    struct race_warp *w = warp_at(block, warp);
    bool is_whole = w->is_uniform && lanes == w->threads;
    if (!clock) return;
    for (uint32_t left = lanes; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const struct lane_clocks *has = order_see(w, lane);
        if (has->known == clock && (!acquires || has->strict == clock)) continue;
        struct lane_clocks *clocks = is_whole ? &w->clocks[0] : order_lane(race, block, warp, lane);
        clock_add(&race->clocks, &clocks->known, clock);
        if (acquires) clock_add(&race->clocks, &clocks->strict, clock);
        if (is_whole) break;
    }
    block->has_clocks = true;
}

/* ---- fences ---------------------------------------------------------------------------------- */

/* The clock of `lane` becomes what it knows, itself included. */
static void fence_clocks(struct race *race, struct race_block *block, unsigned warp,
                         struct lane_clocks *clocks, unsigned scope)
{
    struct clock *itself = with_itself(race, block, warp, clocks->known);
    struct lane_clocks next = {
        .known = clock_hold(clocks->known),
        .strict = clock_hold(clocks->known),
        .fenced = {clock_hold(itself),
                   clock_hold(race_is_wide(race, scope) ? itself : clocks->fenced[FENCED_GPU])},
        .seen = clock_hold(clocks->seen),
    };
    order_drop_clocks(race, clocks);
    clock_drop(&race->clocks, itself);
    *clocks = next;
}

void race_fence(void *self, void *block_, uint32_t warp, uint32_t lanes, unsigned scope)
{
    struct race *race = self;
    struct race_block *block = block_;
    struct race_warp *w = warp_at(block, warp);
    block->has_clocks = true;
    if (w->is_uniform && lanes == w->threads) {
        fence_clocks(race, block, warp, &w->clocks[0], scope);
    } else {
        for (uint32_t left = lanes; left; left &= left - 1)
            fence_clocks(race, block, warp,
                         order_lane(race, block, warp, (unsigned)__builtin_ctz(left)), scope);
    }
    order_advance(block, warp);
}

static void fence_clocks_proxy(struct race *race, struct race_block *block, unsigned warp,
                               struct lane_clocks *clocks)
{
    struct clock *itself = with_itself(race, block, warp, clocks->known);
    struct clock *all = clock_fence(&race->clocks, itself);
    struct clock **parts[] = {&clocks->known, &clocks->strict, &clocks->fenced[FENCED_CTA],
                              &clocks->fenced[FENCED_GPU]};
    clock_drop(&race->clocks, clocks->known);
    clocks->known = all;
    for (unsigned k = 1; k < sizeof parts / sizeof *parts; k++) {
        struct clock *fenced = clock_fence(&race->clocks, *parts[k]);
        clock_drop(&race->clocks, *parts[k]);
        *parts[k] = fenced;
    }
    clock_drop(&race->clocks, itself);
}

void race_fence_proxy(void *self, void *block_, uint32_t warp, uint32_t lanes)
{
    struct race *race = self;
    struct race_block *block = block_;
    struct race_warp *w = warp_at(block, warp);
    block->has_clocks = true;
    if (w->is_uniform && lanes == w->threads) {
        fence_clocks_proxy(race, block, warp, &w->clocks[0]);
    } else {
        for (uint32_t left = lanes; left; left &= left - 1)
            fence_clocks_proxy(race, block, warp,
                               order_lane(race, block, warp, (unsigned)__builtin_ctz(left)));
    }
    order_advance(block, warp);
}

uint32_t order_tie_copies(struct race *race, struct race_block *block, unsigned warp,
                          uint32_t lanes)
{
    struct race_warp *w = warp_at(block, warp);
    order_advance(block, warp);
    for (unsigned k = 0; k < w->copy_count; k++) {
        struct segment *segment = segment_at(race, w->copies[k].segment);
        if (w->copies[k].kind != COPY_PLAIN) continue;
        if (!segment->tied) {
            segment->tied_at = w->time;
            segment->tied_key = clock_key(&race->clocks, CLOCK_COPIES, block->ordinal);
            segment->tied_slot = (uint8_t)warp;
        }
        segment->tied |= lanes & w->copies[k].lanes;
    }
    return w->time;
}

/* ---- the question ---------------------------------------------------------------------------- */

/* Lanes whose earlier access up to `time` is not ordered by running together. */
static bool ran_together(const struct race_warp *w, unsigned lane, uint32_t others, uint32_t time)
{
    if (!w->is_apart) return true;
    for (uint32_t left = others & ~w->lanes; left; left &= left - 1)
        if (w->known[lane][__builtin_ctz(left)] < time) return false;
    return true;
}

static bool met_at_barrier(const struct race_warp *w, unsigned lane, uint32_t others, uint32_t time)
{
    if (time <= w->strict_all) return true;
    if (!w->is_uneven) return false;
    for (uint32_t left = others; left; left &= left - 1)
        if (w->strict[lane][__builtin_ctz(left)] < time) return false;
    return true;
}

/* Copies that end for who knows of it. */
static enum relation tied_between(const struct race *race, const struct lane_clocks *clocks,
                                  const struct segment *segment)
{
    const struct clocks *all = &race->clocks;
    uint64_t key = segment->tied_key;
    if (clock_knows(all, clocks->strict, key, segment->tied_slot, segment->tied_at)) return ORDERED;
    return clock_knows(all, clocks->known, key, segment->tied_slot, segment->tied_at) ? WARNED
                                                                                      : UNORDERED;
}

bool order_is_fenced(const struct race *race, const struct race_block *block, unsigned warp,
                     unsigned lane, const struct segment *segment)
{
    const struct clock *known = order_see(&block->warps[warp], lane)->known;
    bool is_tied = segment->is_async && segment->tied && !segment->done;
    uint64_t key =
        is_tied ? segment->tied_key
                : clock_key(&race->clocks, CLOCK_THREADS, segment->owner - race->launch_owners);
    return clock_knows(&race->clocks, known, key + clock_key(&race->clocks, CLOCK_FENCED, 0),
                       is_tied ? segment->tied_slot : segment->warp,
                       is_tied ? segment->tied_at : segment->time);
}

enum relation order_between(const struct race *race, const struct race_block *block, unsigned warp,
                            unsigned lane, const struct segment *segment, unsigned of, bool many,
                            bool is_write)
{
    const struct race_warp *w = &block->warps[warp];
    const struct lane_clocks *clocks = order_see(w, lane);
    uint32_t time = segment->time;
    if (segment->launch != race->launches) return ORDERED;
    if (segment->is_async && !((segment->done >> of) & 1))
        return (segment->tied >> of) & 1 ? tied_between(race, clocks, segment) : UNORDERED;
    uint32_t ordinal = segment->owner - race->launch_owners;
    bool in_block = segment->owner == block->owner;
    if (in_block && time < block->barrier_time) return ORDERED;
    bool in_warp = in_block && segment->warp == warp;
    if (in_warp && of == lane && !many) return ORDERED;
    uint32_t others = (many ? w->threads : 1u << of) & ~(1u << lane);
    if (in_warp && met_at_barrier(w, lane, others, time)) return ORDERED;
    bool together = in_warp && ran_together(w, lane, others, time);
    if (together && race->is_lockstep) return ORDERED;
    if (clock_knows(&race->clocks, clocks->strict, ordinal, segment->warp, time)) return ORDERED;
    if (together || clock_knows(&race->clocks, clocks->known, ordinal, segment->warp, time))
        return WARNED;
    bool was_read =
        !is_write && clock_knows(&race->clocks, clocks->seen, ordinal, segment->warp, time);
    return was_read ? WARNED : UNORDERED;
}
