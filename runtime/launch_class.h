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

/* Predicted with what a launch found in the L2, with none of it and with all. */
struct class_seconds {
    double own, cold, warm;
};

/* A counted launch. */
struct class_point {
    uint64_t instructions;      /* of warps, executed */
    double l2_found;            /* a share of the sectors that it reads */
    struct class_seconds table; /* what the report says */
    struct class_seconds clock; /* what it takes of virtual time */
    double busy;                /* part of the time in which the unit with the most work has some */
    uint64_t number;            /* of the counted launches of the process */
    struct class_power power;   /* predicted with the time */
};

struct launch_class;
enum { CLASS_BUCKETS = 128 };
struct launch_classes {
    struct launch_class *buckets[CLASS_BUCKETS]; /* by shape and scalars */
    struct launch_class *any;                    /* the first of any scalars; NULL: none */
    unsigned count;
};

struct launch_class *launch_class_find(struct launch_classes *classes, const struct kernel *kernel,
                                       const ws_launch *launch);
/* Is the next launch of the class to be counted? If virtual time is a model's, each is whose work may differ or which reads
 * a clock, and the first two: the second finds the kernel's code. */
bool launch_class_wants_counters(const struct launch_class *one);
/* Is each counted in a model's virtual time? */
bool launch_class_is_always(const struct launch_class *one);
/* A launch was counted. */
void launch_class_learn(struct launch_class *one, const struct class_point *point);
/* Of a launch that was not: seconds of the report and of virtual time. */
struct class_estimate {
    double table, clock;
    double busy;     /* as in class_point */
    bool is_same;    /* one with as many instructions was counted ... */
    uint64_t number; /* ... this; else it is the nearest */
};
/* With that share of its sectors found in the L2. */
struct class_estimate launch_class_estimate(struct launch_class *one, uint64_t instructions,
                                            double l2_found);
/* Of a launch with so many instructions, with that share of its sectors found in the L2: that of the nearest
 * counted one. Of no class: unknown. */
struct launch_power launch_class_power(const struct launch_class *one, uint64_t instructions,
                                       double l2_found);

#endif
