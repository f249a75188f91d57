// SPDX-License-Identifier: Apache-2.0
/* Kernels in PTX written by a test, executed and timed by the model teg through the public interface. */
#ifndef SUPPORT_TEG_KERNEL_H
#define SUPPORT_TEG_KERNEL_H

#include <stdint.h>
#include <stdio.h>

enum { KERNEL_CHANGES_MAX = 16 };

/* A machine file with figures changed ("machine.sm.count=2"), and a launch. */
struct kernel_run {
    const char *gpu;
    const char *changes[KERNEL_CHANGES_MAX]; /* as many as are not NULL */
    unsigned grid, block;                    /* 0: 1 and 32 */
    const char *without;                     /* effects, NULL: none; `fetch` always */
    const char
        *options;   /* of the model, NULL: none; order=ptx, as written, unless they say otherwise */
    const char *l2; /* what the launch finds there, NULL: nothing */
    const char *spills; /* NULL: all are executed */
    uint64_t bytes;     /* of a buffer of 64-bit words, each of them the address of the word
                     * `step` bytes further on, round and round; its address is in %rd0 */
    uint64_t step;
    unsigned spilled_stores, spilled_loads; /* words of a thread's code */
};

/* Writes the instructions; `count` of what is timed. Registers: %f0-%f63, %d0-%d31, %r0-%r31,
 * %rd0-%rd31, %p0-%p7; %r0 is the thread in its block, %r1 the block; %f0, %f1, %d0, %d1 are 1; 16 KiB of
 * shared memory: `words`. */
typedef void kernel_body(FILE *out, unsigned count);

/* `count` instructions that do not depend on each other: `format` has a %u for the register written, of `registers` from
 * the third on. */
void kernel_independent(FILE *out, unsigned count, const char *format, unsigned registers);

/* A figure of the report on the machine, where the model teg alone answers: "caches/l2_hit_rate". Fails the test if
 * it is unknown. */
double kernel_figure(const struct kernel_run *run, kernel_body *body, unsigned count,
                     const char *path);
/* Cycles that the model teg answers. */
double kernel_cycles(const struct kernel_run *run, kernel_body *body, unsigned count);
/* Cycles by which one more of what is timed takes longer, from `count` to twice as many. */
double kernel_slope(const struct kernel_run *run, kernel_body *body, unsigned count);

#endif
