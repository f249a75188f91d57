// SPDX-License-Identifier: Apache-2.0
/* What one SM does while the model teg executes a trace, cycle by cycle, as records that can be
 * drawn: an observer of the engine that keeps those of a window, at most so many of them.
 *
 *     struct timeline timeline;
 *     timeline_init(&timeline, &query);
 *     ... model_predict with options.only = "teg", options.observer = &timeline.observer
 *     timeline_finish(&timeline);
 *     ... timeline.records
 *     timeline_clear(&timeline);
 *
 * Times in ticks (teg_machine.h). Records are those of the window whose begin comes first; from
 * `cut` on there are none, and before it none is missing. */
#ifndef MODEL_TIMELINE_H
#define MODEL_TIMELINE_H

#include "model/teg/teg_engine.h"

enum timeline_kind {
    TIMELINE_ISSUE,   /* a scheduler issues; track: scheduler * width + place in a pair */
    TIMELINE_UNIT,    /* a unit works; track: timeline_unit_track */
    TIMELINE_BLOCK,   /* is resident; track: place on the SM, also of barriers */
    TIMELINE_BARRIER, /* opens: begin = end */
    TIMELINE_WARP,    /* is resident; track: place * warps_per_block + warp, also of the next two */
    TIMELINE_RUN,     /* issues */
    TIMELINE_WAIT,    /* waits; cause */
    TIMELINE_L2,      /* serves the cluster; track 0; likewise the next two */
    TIMELINE_DRAM,
    TIMELINE_CHANNEL, /* track: channel */
    TIMELINE_FLIGHT,  /* sectors in flight change by `sectors`: begin = end */
};

struct timeline_record {
    teg_time begin, end;
    uint64_t order; /* in which the engine told */
    uint64_t block; /* in the order of launch */
    uint32_t warp, insn, on, track;
    uint8_t kind;    /* enum timeline_kind */
    uint8_t cause;   /* enum teg_stall, of TIMELINE_WAIT */
    uint8_t number;  /* of the barrier */
    int32_t sectors; /* of 32 bytes; of a unit: the request's */
    uint32_t l1_hits, l2_hits, dram;
};

struct timeline_query {
    unsigned sm;
    teg_time first, last; /* last TEG_NEVER: to the end */
    size_t most;          /* records */
};

/* An instruction keeps two units busy, or one for each of its accesses. */
enum { TIMELINE_PENDING = TRACE_ACCESSES_MAX };

struct timeline {
    struct teg_observer observer;
    struct timeline_query query;
    /* Of the execution, once it began. */
    const struct trace *trace;
    unsigned sms, schedulers, width, blocks_per_sm, warps_per_block, channels;
    teg_time interval;
    size_t count, capacity;
    struct timeline_record *records; /* by begin, longer ones first */
    teg_time cut;                    /* TEG_NEVER: nothing was left out */
    int64_t first_in_flight;         /* sectors when the window begins */
    /* While it is recorded. */
    uint64_t order;
    struct timeline_record pending[TIMELINE_PENDING]; /* busy units of the issue that follows */
    unsigned pending_count;
    struct teg_span access; /* of that issue */
    teg_time *last_issues;  /* by scheduler */
    unsigned *issued_at_once;
};

void timeline_init(struct timeline *timeline, const struct timeline_query *query);
/* Sorts the records and leaves out what is beyond `most`. */
void timeline_finish(struct timeline *timeline);
void timeline_clear(struct timeline *timeline);

/* Units of the whole SM come first, then those of each scheduler. */
static inline uint32_t timeline_unit_track(unsigned unit, unsigned scheduler, bool of_sm)
{
    return (of_sm ? 0 : (scheduler + 1) * TEG_UNIT_COUNT) + unit;
}

#endif
