// SPDX-License-Identifier: Apache-2.0
#include "model/teg/timeline.h"

#include <assert.h>
#include <stdlib.h>

/* ---- keeping --------------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
    const struct timeline_record *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end > y->end ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Whole instants are kept, so that what is there is complete up to the cut. */
static void leave_out(struct timeline *t)
{
    qsort(t->records, t->count, sizeof *t->records, by_begin);
    if (t->count <= t->query.most) return;
    t->cut = t->records[t->query.most].begin;
    t->count = t->query.most;
    while (t->count && t->records[t->count - 1].begin >= t->cut)
        t->count--;
}

static void keep(struct timeline *t, struct timeline_record record)
{
    teg_time last = t->query.last < t->cut ? t->query.last : t->cut;
    bool is_instant = record.begin == record.end;
    if (record.begin >= last) return;
    if (is_instant ? record.begin < t->query.first : record.end <= t->query.first) return;
    if (t->count >= 2 * t->query.most) leave_out(t);
    if (record.begin >= t->cut) return;
    GROW(t->records, t->count, t->capacity);
    record.order = t->order++;
    t->records[t->count++] = record;
}

/* ---- what happens ---------------------------------------------------------------------------- */

static void keep_flight(struct timeline *t, teg_time at, int32_t sectors)
{
    if (at < t->query.first)
        t->first_in_flight += sectors;
    else
        keep(t, (struct timeline_record){
                    .kind = TIMELINE_FLIGHT, .begin = at, .end = at, .sectors = sectors});
}

static void keep_unit(struct timeline *t, const struct teg_span *span)
{
    if (span->begin == span->end) return;
    assert(t->pending_count < TIMELINE_PENDING);
    struct timeline_record *record = &t->pending[t->pending_count++];
    *record =
        (struct timeline_record){.kind = TIMELINE_UNIT,
                                 .begin = span->begin,
                                 .end = span->end,
                                 .track = timeline_unit_track(span->unit, span->scheduler,
                                                              teg_unit_infos[span->unit].of_sm)};
    if (span->unit != TEG_GLOBAL) return;
    record->sectors = (int32_t)t->access.sectors;
    record->l1_hits = t->access.l1_hits;
    record->l2_hits = t->access.l2_hits;
    record->dram = t->access.dram;
}

static uint32_t warp_track(const struct timeline *t, unsigned place, uint32_t warp)
{
    return place * t->warps_per_block + warp;
}

static void keep_wait(struct timeline *t, const struct teg_wait *wait,
                      struct timeline_record record)
{
    record.kind = TIMELINE_WAIT;
    record.begin = wait->since;
    for (unsigned i = 0; i < TEG_WAIT_PARTS; i++) {
        record.end = wait->ends[i];
        record.cause = wait->causes[i];
        if (record.end > record.begin) keep(t, record);
        record.begin = record.end;
    }
}

static void keep_warp(struct timeline *t, const struct teg_span *span)
{
    struct timeline_record record = {.kind = TIMELINE_WARP,
                                     .begin = span->begin,
                                     .end = span->end,
                                     .track = warp_track(t, span->place, span->warp),
                                     .block = span->block,
                                     .warp = span->warp,
                                     .insn = span->insn};
    keep(t, record);
    keep_wait(t, &span->wait, record);
}

static void on_span(void *self, const struct teg_span *span)
{
    struct timeline *t = self;
    bool is_shared = span->kind >= TEG_SPAN_L2;
    struct timeline_record record = {.begin = span->begin,
                                     .end = span->end,
                                     .track = span->place,
                                     .block = span->block,
                                     .sectors = (int32_t)span->sectors};
    if (!is_shared && span->sm != t->query.sm) return;
    switch ((enum teg_span_kind)span->kind) {
    case TEG_SPAN_UNIT:
        keep_unit(t, span);
        return;
    case TEG_SPAN_WARP:
        keep_warp(t, span);
        return;
    case TEG_SPAN_ACCESS:
        t->access = *span;
        keep_flight(t, span->begin, (int32_t)span->sectors);
        keep_flight(t, span->end, -(int32_t)span->sectors);
        return;
    case TEG_SPAN_BLOCK:
        record.kind = TIMELINE_BLOCK;
        break;
    case TEG_SPAN_BARRIER:
        record.kind = TIMELINE_BARRIER;
        record.number = (uint8_t)span->number;
        break;
    case TEG_SPAN_L2:
        record.kind = TIMELINE_L2;
        break;
    case TEG_SPAN_DRAM:
        record.kind = TIMELINE_DRAM;
        break;
    case TEG_SPAN_CHANNEL:
        record.kind = TIMELINE_CHANNEL;
        record.track = span->number;
        break;
    }
    if (record.kind == TIMELINE_BARRIER || record.end > record.begin) keep(t, record);
}

static void on_issue(void *self, const struct teg_event *event)
{
    struct timeline *t = self;
    if (event->sm != t->query.sm) return;
    unsigned *at_once = &t->issued_at_once[event->scheduler];
    bool is_second = t->last_issues[event->scheduler] == event->issue;
    *at_once = is_second && *at_once + 1 < t->width ? *at_once + 1 : 0;
    t->last_issues[event->scheduler] = event->issue;
    struct timeline_record record = {.begin = event->issue,
                                     .end = event->issue + t->interval,
                                     .block = event->block,
                                     .warp = event->warp,
                                     .insn = event->insn,
                                     .on = event->on};
    for (unsigned i = 0; i < t->pending_count; i++) {
        struct timeline_record unit = t->pending[i];
        unit.block = record.block;
        unit.warp = record.warp;
        unit.insn = record.insn;
        keep(t, unit);
    }
    t->pending_count = 0;
    record.kind = TIMELINE_ISSUE;
    record.track = event->scheduler * t->width + *at_once;
    keep(t, record);
    record.kind = TIMELINE_RUN;
    record.track = warp_track(t, event->place, event->warp);
    if (!is_second) keep(t, record);
    keep_wait(t, &event->wait, record);
}

static void on_begin(void *self, const struct teg_setup *setup)
{
    struct timeline *t = self;
    t->trace = setup->trace;
    t->sms = setup->sms;
    t->schedulers = setup->machine->schedulers;
    t->width = setup->machine->width;
    t->interval = setup->machine->interval;
    t->channels = setup->machine->rule == RULE_IS_SECTOR ? 0 : setup->machine->channels;
    t->blocks_per_sm = setup->blocks_per_sm;
    t->warps_per_block = setup->trace->head.warps_per_block;
    t->last_issues = mem_alloc((t->schedulers + 1) * sizeof *t->last_issues);
    t->issued_at_once = mem_zalloc(t->schedulers + 1, sizeof *t->issued_at_once);
    for (unsigned i = 0; i < t->schedulers; i++)
        t->last_issues[i] = -1;
}

/* ---- life ------------------------------------------------------------------------------------ */

void timeline_init(struct timeline *t, const struct timeline_query *query)
{
    *t = (struct timeline){.query = *query, .cut = TEG_NEVER};
    t->observer =
        (struct teg_observer){.issue = on_issue, .self = t, .begin = on_begin, .span = on_span};
}

void timeline_finish(struct timeline *t)
{
    if (t->count) leave_out(t);
}

void timeline_clear(struct timeline *t)
{
    mem_free(t->records);
    mem_free(t->last_issues);
    mem_free(t->issued_at_once);
    *t = (struct timeline){0};
}
