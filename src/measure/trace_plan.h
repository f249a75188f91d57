// SPDX-License-Identifier: Apache-2.0
/* The static side of a recorded trace: which instructions a launch's PTX becomes under a view, and
 * what must be noted when a code block runs. */
#ifndef MEASURE_TRACE_PLAN_H
#define MEASURE_TRACE_PLAN_H

#include "measure/trace.h"

#define TRACE_NO_ITEM UINT32_MAX

/* An instruction that says something at each execution: its guard, its accesses. */
struct trace_item {
    bool guarded;
    unsigned accesses_most; /* trace_accesses_most */
    uint32_t site;          /* or TRACE_NO_SITE */
};

struct trace_plan_block {
    uint32_t first, count; /* instructions of the trace */
    uint32_t first_item, item_count;
    bool reorders; /* accesses happen elsewhere than in PTX: a load was folded */
    /* Code blocks that are issued behind it even if no lane gets there: branches that became guards. */
    uint32_t followers[2], follower_count;
    bool is_guarded; /* as one of those: by the lanes that get there; else all lanes execute it */
};

struct trace_plan {
    struct trace_plan_block *blocks; /* by code block */
    struct trace_item *items;
    uint32_t item_count, site_count;
    bool has_followers;                   /* any code block */
    uint32_t *guard_items, *access_items; /* by launch instruction; or TRACE_NO_ITEM */
};

/* Adds the instructions of the launch to the builder. */
void trace_plan_init(struct trace_plan *plan, const struct launch_view *launch, enum isa_view view,
                     struct trace_builder *builder);
void trace_plan_clear(struct trace_plan *plan);

#endif
