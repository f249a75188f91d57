// SPDX-License-Identifier: Apache-2.0
/* dep.distance: the mean dynamic distance from an instruction to its nearest producer in the warp
 * (1 to 32). Within a code block it is static. Only an instruction all of whose producers lie
 * before its block needs the warp's history; such instructions are grouped by the registers they
 * read. */
#ifndef MEASURE_DEPENDENCE_H
#define MEASURE_DEPENDENCE_H

#include "emulate/observer.h"

enum { DISTANCE_MAX = 32 };

/* Instructions of one block that read the same registers from before the block. */
struct dep_group {
    uint32_t first_register; /* in dep_plan.registers */
    uint32_t register_count, insn_count;
    uint32_t position; /* of the first of them in the block */
};

struct dep_write {
    uint32_t slot, position; /* last write of this register in the block */
};

struct dep_block {
    uint32_t first_group, group_count, first_write, write_count, insn_count;
    uint64_t distance;  /* static part of the sum of distances ... */
    uint64_t consumers; /* ... and the number of instructions in it */
};

struct dep_plan {
    struct dep_block *blocks; /* by code block */
    struct dep_group *groups;
    struct dep_write *writes;
    uint32_t *registers;              /* slots of the groups */
    uint32_t (*tables)[DISTANCE_MAX]; /* by group: sum of distances by distance at block start */
    uint32_t slot_count;              /* registers that live across code blocks */
};

/* A warp's history: the dynamic index of the last write by slot, 0 if there was none. */
struct dep_warp {
    uint32_t now; /* index of the next instruction, from 1 */
    uint32_t *last;
};

struct dep_sums {
    uint64_t distance, consumers;
};

void dep_plan_init(struct dep_plan *plan, const struct launch_view *launch);
void dep_plan_clear(struct dep_plan *plan);
/* Keeps indices small; distances beyond the cap need not be exact. */
void dep_warp_rebase(const struct dep_plan *plan, struct dep_warp *warp);

/* One execution of a code block. */
static inline void dep_run(const struct dep_plan *plan, const struct dep_block *block,
                           struct dep_warp *warp, struct dep_sums *sums)
{
    uint32_t now = warp->now;
    const struct dep_group *group = plan->groups + block->first_group;
    for (const struct dep_group *end = group + block->group_count; group < end; group++) {
        const uint32_t *registers = plan->registers + group->first_register;
        uint32_t newest = warp->last[registers[0]];
        for (unsigned i = 1; i < group->register_count; i++) {
            uint32_t other = warp->last[registers[i]];
            if (other > newest) newest = other;
        }
        if (!newest) continue; /* never written: no producer */
        uint32_t distance = now - newest;
        sums->consumers += group->insn_count;
        if (distance >= DISTANCE_MAX)
            sums->distance += (uint64_t)DISTANCE_MAX * group->insn_count;
        else if (group->insn_count > 1)
            sums->distance += plan->tables[group - plan->groups][distance];
        else if (distance + group->position < DISTANCE_MAX)
            sums->distance += distance + group->position;
        else
            sums->distance += DISTANCE_MAX;
    }
    const struct dep_write *write = plan->writes + block->first_write;
    for (const struct dep_write *end = write + block->write_count; write < end; write++)
        warp->last[write->slot] = now + write->position;
    warp->now = now + block->insn_count;
    if (warp->now > UINT32_MAX / 2) dep_warp_rebase(plan, warp);
}

#endif
