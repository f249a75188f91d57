// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_state.h"

#include <string.h>

/* ---- who watches ----------------------------------------------------------------------------- */

static void watch(const struct teg_engine *e, const struct teg_block *block, struct teg_span span)
{
    const struct teg_observer *observer = e->setup->observer;
    span.sm = block->sm->index;
    span.place = (unsigned)(block - block->sm->blocks);
    span.block = block->index;
    observer->span(observer->self, &span);
}

static void watch_end(const struct teg_engine *e, const struct teg_warp *warp)
{
    struct teg_span span = {.kind = TEG_SPAN_WARP,
                            .warp = warp->index,
                            .insn = warp->step->insn,
                            .begin = warp->begun,
                            .end = teg_end_time(warp->done)};
    span.wait.since = later(warp->issued + e->interval, warp->begun);
    for (unsigned i = 0; i < TEG_WAIT_PARTS; i++) {
        span.wait.ends[i] = i ? span.end : warp->again;
        span.wait.causes[i] = i ? teg_end_cause(warp->done) : TEG_STALL_WAIT;
    }
    watch(e, warp->block, span);
}

/* ---- warps ----------------------------------------------------------------------------------- */

struct teg_scheduler *teg_place(const struct teg_engine *e, const struct teg_sm *sm, unsigned block,
                                uint32_t warp, unsigned *out_place)
{
    unsigned number = block * e->warps_per_block + warp;
    *out_place = number / e->machine->schedulers;
    return &sm->schedulers[number % e->machine->schedulers];
}

static struct teg_scheduler *scheduler_of(const struct teg_engine *e, const struct teg_warp *warp,
                                          unsigned *out_place)
{
    const struct teg_sm *sm = warp->block->sm;
    return teg_place(e, sm, (unsigned)(warp->block - sm->blocks), warp->index, out_place);
}

void teg_wake(struct teg_engine *e, const struct teg_warp *warp, teg_time ready)
{
    unsigned place;
    struct teg_scheduler *s = scheduler_of(e, warp, &place);
    teg_put(s, place, ready);
    teg_bring_forward(e, s, later(ready, s->slot));
}

void teg_lanes_leave(struct teg_engine *e, struct teg_warp *warp, uint32_t lanes, teg_time now)
{
    lanes &= warp->threads & ~warp->left;
    warp->left |= lanes;
    warp->block->live_lanes -= (uint32_t)__builtin_popcount(lanes);
    if (lanes) teg_open_barriers(e, warp->block, now);
}

/* The resident blocks have their part of L2 and DRAM, as those of the other SMs, which are as far. The
 * last block of this SM is the last on some of the others only. */
static void set_share(struct teg_engine *e, const struct teg_sm *sm)
{
    uint64_t own = 0, all = 0, last = e->setup->block_count - 1;
    unsigned active = e->machine->active_sms;
    if (e->setup->running) active = e->setup->running[e->out->block_count];
    for (unsigned i = 0; i < e->setup->blocks_per_sm; i++) {
        const struct teg_block *block = &sm->blocks[i];
        if (!block->used) continue;
        bool is_last = block->index == last && e->setup->last_sms;
        own++;
        all += is_last ? e->setup->last_sms : active;
    }
    if (!own) return;
    teg_memory_share(&e->memory, own, all);
    teg_atomics_share(&e->atomics, own, all);
}

static void note_longer(struct teg_engine *e, const struct teg_block *block, teg_time now)
{
    double more = (block->stretch - 1) * (double)block->traced->work;
    if (more <= e->out->longer.more) return;
    e->out->longer = (struct teg_longer){block->index, now, block->stretch, more};
}

static void add_end(struct teg_engine *e, teg_time now)
{
    e->out->block_issued[e->out->block_count] = e->out->issued;
    e->out->block_ends[e->out->block_count++] = now;
}

static void retire(struct teg_engine *e, struct teg_warp *warp)
{
    struct teg_block *block = warp->block;
    teg_time now = teg_end_time(warp->done);
    teg_time *stalls = warp->op->stalls;
    e->out->warp_time += now - warp->begun;
    stalls[TEG_STALL_WAIT] += warp->again - later(warp->issued + e->interval, warp->begun);
    stalls[teg_end_cause(warp->done)] += now - warp->again;
    if (e->is_watched) watch_end(e, warp);
    if (--block->live_warps) return;
    if (e->is_watched)
        watch(e, block,
              (struct teg_span){.kind = TEG_SPAN_BLOCK, .begin = block->begun, .end = now});
    block->used = false;
    e->running--;
    add_end(e, now);
    e->out->retired = later(e->out->retired, now);
    note_longer(e, block, now);
    if (!teg_launch_block(e, block->sm, now)) set_share(e, block->sm);
}

/* Nothing more to issue: its lanes hold up no barrier, but its place is free only when all that it
 * asked for is there. */
void teg_begin_leaving(struct teg_engine *e, struct teg_warp *warp)
{
    struct teg_sm *sm = warp->block->sm;
    warp->alive = false;
    teg_lanes_leave(e, warp, UINT32_MAX, warp->again);
    warp->done = later(warp->done, teg_end_of(warp->again, TEG_STALL_WAIT));
    sm->leaving[sm->leaving_count++] = warp;
    *sm->next_leaves = sooner(*sm->next_leaves, teg_end_time(warp->done));
    e->first_leaves = sooner(e->first_leaves, *sm->next_leaves);
}

void teg_leave(struct teg_engine *e, struct teg_sm *sm, teg_time now)
{
    unsigned count = sm->leaving_count;
    *sm->next_leaves = TEG_NEVER;
    sm->leaving_count = 0;
    for (unsigned i = 0; i < count; i++) {
        struct teg_warp *warp = sm->leaving[i];
        if (teg_end_time(warp->done) <= now) {
            retire(e, warp);
            continue;
        }
        sm->leaving[sm->leaving_count++] = warp;
        *sm->next_leaves = sooner(*sm->next_leaves, teg_end_time(warp->done));
    }
}

/* ---- barriers -------------------------------------------------------------------------------- */

void teg_release_barrier(struct teg_engine *e, struct teg_block *block, unsigned id, teg_time now)
{
    block->barriers[id] = (struct teg_barrier){0};
    block->open &= ~(UINT32_C(1) << id);
    if (e->is_watched)
        watch(e, block,
              (struct teg_span){.kind = TEG_SPAN_BARRIER, .number = id, .begin = now, .end = now});
    for (uint32_t i = 0; i < e->warps_per_block; i++) {
        struct teg_warp *warp = block->warps[i];
        if (!warp->alive || warp->waiting_for != id + 1) continue;
        warp->waiting_for = 0;
        warp->arrived = 0;
        teg_time ready = later(teg_end_time(warp->operands), now);
        warp->operands = teg_end_of(ready, TEG_STALL_BARRIER);
        teg_wake(e, warp, later(warp->again, ready));
    }
}

void teg_open_barriers(struct teg_engine *e, struct teg_block *block, teg_time now)
{
    for (uint32_t left = block->open; left; left &= left - 1) {
        unsigned id = (unsigned)__builtin_ctz(left);
        const struct teg_barrier *barrier = &block->barriers[id];
        uint32_t wanted = barrier->wanted;
        if (!wanted || (e->setup->warps_per_sm && wanted > block->live_lanes))
            wanted = block->live_lanes;
        if (barrier->lanes >= wanted) teg_release_barrier(e, block, id, now);
    }
}

bool teg_come_to_barrier(struct teg_warp *warp, const struct trace_insn *insn, uint32_t on)
{
    unsigned id = insn->barrier_id < TEG_BARRIERS ? insn->barrier_id : 0;
    struct teg_barrier *barrier = &warp->block->barriers[id];
    bool counted = insn->barrier_threads != TRACE_BARRIER_ALL &&
                   insn->barrier_threads != TRACE_BARRIER_UNKNOWN;
    warp->block->open |= UINT32_C(1) << id;
    barrier->wanted = counted ? insn->barrier_threads : 0;
    barrier->lanes += (uint32_t)__builtin_popcount(on);
    if (insn->barrier != TRACE_BARRIER_SYNC) return false;
    warp->arrived |= on;
    if ((warp->threads & ~warp->left) & ~warp->arrived) return false;
    warp->waiting_for = (uint8_t)(id + 1);
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void start_warp(struct teg_engine *e, struct teg_warp *warp, const struct trace_block *block,
                       teg_time now)
{
    memset(warp->registers, 0, e->warp_registers * sizeof *warp->registers);
    step_cursor_begin(&warp->steps, &e->steps, block, warp->index);
    warp->issued = now - e->interval;
    warp->again = warp->begun = now;
    warp->last_access = 0;
    warp->done = warp->loads = teg_end_of(0, TEG_STALL_WAIT);
    for (unsigned i = 0; i < TEG_COUNTERS; i++)
        warp->counters[i] = warp->done;
    warp->copies = (struct teg_copies){0};
    warp->left = warp->arrived = 0;
    warp->threads = block->warps[warp->index].threads;
    warp->waiting_for = 0;
    warp->line = e->machine->fetch.is_used ? TEG_NO_LINE : 0;
    warp->age = e->ages++;
    warp->alive = true;
    warp->block->live_warps++;
    warp->block->live_lanes += (uint32_t)__builtin_popcount(warp->threads);
}

static void fill_block(struct teg_engine *e, struct teg_block *block, teg_time now)
{
    const struct trace_block *from = block->traced;
    unsigned limit = e->setup->warps_per_sm;
    block->live_warps = block->live_lanes = 0;
    memset(block->barriers, 0, sizeof block->barriers);
    block->open = 0;
    hash_table_clear(&block->phases);
    for (uint32_t i = 0; i < e->warps_per_block; i++) {
        if (!from->warps[i].step_count) continue;
        if (limit && block->sm->warps == limit) break;
        block->sm->warps++;
        start_warp(e, block->warps[i], from, now);
    }
}

/* The next block of the queue that executes anything; the others are over as they begin. */
static bool take_block(struct teg_engine *e, struct teg_block *block, teg_time now)
{
    for (; e->next_block < e->setup->block_count; add_end(e, now)) {
        block->index = e->next_block++;
        struct teg_dealt dealt = teg_deal_next(&e->deal, block->index);
        block->traced = dealt.traced;
        block->stretch = dealt.stretch;
        e->out->work += (double)block->traced->work;
        teg_deal_shifts(&e->deal, &dealt, e->machine->interleave, block->shifts);
        fill_block(e, block, now);
        if (block->live_warps) return true;
    }
    return false;
}

bool teg_launch_block(struct teg_engine *e, struct teg_sm *sm, teg_time now)
{
    unsigned number = 0;
    while (number < e->setup->blocks_per_sm && sm->blocks[number].used)
        number++;
    if (number == e->setup->blocks_per_sm) return false;
    struct teg_block *block = &sm->blocks[number];
    now = later(now, sm->dealt);
    if (!take_block(e, block, now)) return false;
    block->used = true;
    block->begun = now;
    sm->dealt = now + e->machine->deal;
    e->running++;
    for (uint32_t i = 0; i < e->warps_per_block; i++) {
        unsigned place;
        if (!block->warps[i]->alive) continue;
        struct teg_scheduler *s = teg_place(e, sm, number, i, &place);
        teg_set_youngest(s, place);
        teg_begin(e, s, block->warps[i], now);
        teg_bring_forward(e, s, later(now, s->slot));
    }
    set_share(e, sm);
    return true;
}
