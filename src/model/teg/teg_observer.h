// SPDX-License-Identifier: Apache-2.0
/* What happens in the timing engine, for who draws it. Times in ticks (teg_machine.h). */
#ifndef MODEL_TEG_OBSERVER_H
#define MODEL_TEG_OBSERVER_H

#include "model/teg/teg_machine.h"

/* Where the time between two issues of a warp went: from `since` on, part after part until `ends`,
 * each for its cause (enum teg_stall). Parts may be empty. */
enum { TEG_WAIT_PARTS = 4 };
struct teg_wait {
    teg_time since, ends[TEG_WAIT_PARTS];
    uint8_t causes[TEG_WAIT_PARTS];
};

/* One issue; what it keeps busy (teg_span) was told before. */
struct teg_event {
    unsigned sm, scheduler;
    unsigned place; /* of the block among the resident ones of its SM */
    uint64_t block; /* in the order of launch */
    uint32_t warp, insn;
    uint32_t on;  /* lanes whose guard is true */
    uint8_t unit; /* enum teg_unit */
    teg_time ready, issue, unit_free, done;
    struct teg_wait wait; /* before it */
};

enum teg_span_kind {
    TEG_SPAN_UNIT,    /* a unit is busy */
    TEG_SPAN_BLOCK,   /* from launch to retirement */
    TEG_SPAN_WARP,    /* likewise; `wait` is what it waited for at its end */
    TEG_SPAN_BARRIER, /* opens: begin = end */
    TEG_SPAN_ACCESS,  /* of a warp to global or local memory, until its data are back or gone */
    TEG_SPAN_L2,      /* serves; likewise the next two. Of all SMs of the cluster */
    TEG_SPAN_DRAM,
    TEG_SPAN_CHANNEL, /* cc 1.x */
};
struct teg_span {
    uint8_t kind; /* enum teg_span_kind */
    uint8_t unit; /* enum teg_unit */
    unsigned sm, scheduler;
    unsigned place;  /* as in teg_event */
    unsigned number; /* of the barrier or channel */
    uint64_t block;
    uint32_t warp, insn; /* of a warp: its last instruction */
    teg_time begin, end;
    uint32_t sectors, l1_hits, l2_hits, dram; /* of 32 bytes, that are moved or found */
    struct teg_wait wait;
};

struct teg_setup;
struct teg_observer {
    void (*issue)(void *self, const struct teg_event *event);
    void *self;
    /* May be NULL. */
    void (*begin)(void *self, const struct teg_setup *setup);
    void (*span)(void *self, const struct teg_span *span);
};

#endif
