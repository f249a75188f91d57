// SPDX-License-Identifier: Apache-2.0
/* The text of a kernel. All have the same parameters and the same frame:
 *
 *     .entry NAME(.param .u64 out, .param .u64 data, .param .u32 a, .param .u32 b, .param .u32 c, .param .u32 d)
 *
 * Its body runs `passes` times; before and after it the clock is read, and the last pass counts: the code is
 * then in the instruction cache. The first lane of each warp writes {begin, end, SM, result} to out[warp].
 *
 * Registers: %out %data (u64) %a %b %c %d (u32); %me (in the block) %group (block) %threads (of a block) %thread,
 * %warp (both in the grid) %lane; %result (b32), the body's; pools %r<96> b32, %l<96> b64, %f<96> f32, %g<96> f64, %h<96> b16,
 * %p<16> pred. Values that the compiler may not know come from the parameters. */
#ifndef CALIBRATE_KERNEL_TEXT_H
#define CALIBRATE_KERNEL_TEXT_H

#include "calibrate/bench.h"

struct kernel_writer {
    FILE *out; /* for the body: lines, each ended by ";\n" */
    char *text;
    size_t size;
    const char *name;
    const struct gpu_facts *gpu;
};

/* Head, parameters, registers; then comes what sets values. `shared` bytes are static, as `smem`. */
void kernel_begin(struct kernel_writer *writer, const struct gpu_facts *gpu, const char *name,
                  unsigned shared);
/* Begins the passes: a barrier, then the clock. What comes next is timed. */
void kernel_clock(struct kernel_writer *writer);
/* The same with a number of passes: 1 where data must be met for the first time. */
void kernel_clock_passes(struct kernel_writer *writer, unsigned passes);
/* Ends the passes and the kernel; %result holds the result. The module's text, which the caller owns. */
char *kernel_end(struct kernel_writer *writer);
/* Ends a kernel that reads no clock: the label `leave`, where it stores %result only if that is %d. Such a kernel
 * writes nothing, so a launch that repeats another needs no execution. */
char *kernel_end_unless(struct kernel_writer *writer);
void put(struct kernel_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

enum { KERNEL_PASSES = 2 };

#endif
