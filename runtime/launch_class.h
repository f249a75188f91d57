// SPDX-License-Identifier: Apache-2.0
/* Like launches: those of one kernel with the same geometry and the same scalar arguments are a class.
 *
 * If data decide nothing of what a kernel executes, all launches of a class have the same counts: one is
 * counted. Else launches are counted until what was learnt tells the time of the next within a few percent;
 * then some run without counters, more and more of them as long as the next counted one is told well, none
 * once it is not, or once a launch executes a number of instructions unlike all that were counted. */
#ifndef RUNTIME_LAUNCH_CLASS_H
#define RUNTIME_LAUNCH_CLASS_H

#include "power_log.h"

/* A counted launch. */
struct class_point {
    uint64_t instructions;             /* of warps, executed */
    double seconds;                    /* predicted with what it found in the L2 ... */
    double l2_found;                   /* ... a share of the sectors that it reads */
    double cold_seconds, warm_seconds; /* with none and with all of them */
    uint64_t number;                   /* of the counted launches of the process */
    struct class_power power;          /* predicted with the time */
};

struct launch_class;
struct launch_classes {
    struct launch_class *first;
    unsigned count;
};

struct launch_class *launch_class_find(struct launch_classes *classes, const struct kernel *kernel,
                                       const ws_launch *launch);
/* Is the next launch of the class to be counted? */
bool launch_class_wants_counters(const struct launch_class *one);
/* A launch was counted. */
void launch_class_learn(struct launch_class *one, const struct class_point *point);
/* Seconds of a launch that was not, with that share of its sectors found in the L2. *out_same: one with as many
 * instructions was counted, *out_number; else that is the nearest. */
double launch_class_estimate(struct launch_class *one, uint64_t instructions, double l2_found,
                             bool *out_same, uint64_t *out_number);
/* Of a launch with so many instructions, with that share of its sectors found in the L2: that of the nearest
 * counted one. Of no class: unknown. */
struct launch_power launch_class_power(const struct launch_class *one, uint64_t instructions,
                                       double l2_found);

#endif
