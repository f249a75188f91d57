// SPDX-License-Identifier: Apache-2.0
/* Goes through the streams of a block as the cursor (trace.c) does, but looks where it steps. */
#include "measure/trace_file.h"
#include "measure/trace_writer.h"

struct walk {
    const struct trace *trace;
    const struct trace_block *block;
    const uint8_t *run, *run_end, *data, *data_end;
    const char *fault;
    bool knows_async;
};

static uint64_t number(struct walk *w, const uint8_t **at, const uint8_t *end)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (*at == end) break;
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
    w->fault = "unterminated number in the steps of a warp";
    return 0;
}

static void skip(struct walk *w, const uint8_t **at, const uint8_t *end, unsigned bytes)
{
    if ((size_t)(end - *at) < bytes)
        w->fault = "truncated steps of a warp";
    else
        *at += bytes;
}

static uint8_t byte(struct walk *w)
{
    if (w->data == w->data_end) {
        w->fault = "truncated steps of a warp";
        return 0;
    }
    return *w->data++;
}

static void walk_guard(struct walk *w)
{
    uint8_t kind = byte(w);
    if (kind > GUARD_SAID) w->fault = "invalid guard";
    if (kind == GUARD_SAID) skip(w, &w->data, w->data_end, 4);
}

/* A site that never said its pattern has the first. */
static void walk_accesses(struct walk *w, unsigned most)
{
    for (unsigned count = 0; !w->fault; count++) {
        uint8_t head = byte(w);
        if (w->fault || (!(head & ACCESS_PRESENT) && !count)) return;
        uint64_t pattern = 0;
        if (head & ACCESS_NEW_PATTERN) pattern = number(w, &w->data, w->data_end);
        if (head & ACCESS_NEW_DELTA) (void)number(w, &w->data, w->data_end);
        if (pattern >= w->block->pattern_count || count >= most || !(head & ACCESS_PRESENT))
            w->fault = "invalid access";
        if (!(head & ACCESS_MORE)) return;
    }
}

/* Returns how many steps; *first is where the run before ended. */
static uint64_t walk_run(struct walk *w, uint64_t *first)
{
    uint64_t head = number(w, &w->run, w->run_end);
    uint64_t zigzag = head >> 1, distance = zigzag >> 1 ^ -(zigzag & 1);
    uint64_t begin = (uint32_t)(*first + distance), count = number(w, &w->run, w->run_end);
    if (head & 1) skip(w, &w->run, w->run_end, 4);
    if (w->fault) return 0;
    if (!count || begin >= w->trace->insn_count || count > w->trace->insn_count - begin) {
        w->fault = "step to an unknown instruction";
        return 0;
    }
    for (uint64_t i = begin; i < begin + count && !w->fault; i++) {
        if (w->trace->insns[i].guarded) walk_guard(w);
        const struct trace_insn *insn = &w->trace->insns[i];
        if (insn->site != TRACE_NO_SITE)
            walk_accesses(w, w->knows_async ? trace_accesses_most(insn) : TRACE_ACCESSES_MAX);
    }
    *first = begin + count;
    return count;
}

static void walk_warp(struct walk *w, const struct trace_warp *warp)
{
    uint64_t steps = 0, first = 0;
    w->run = warp->runs;
    w->run_end = warp->runs + warp->run_bytes;
    w->data = warp->data;
    w->data_end = warp->data + warp->data_bytes;
    while (w->run != w->run_end && !w->fault)
        steps += walk_run(w, &first);
    if (!w->fault && (steps != warp->step_count || w->data != w->data_end))
        w->fault = "step count of a warp does not match its header";
}

const char *trace_block_fault(const struct trace *trace, const struct trace_block *block,
                              bool knows_async)
{
    struct walk w = {.trace = trace, .block = block, .knows_async = knows_async};
    for (uint32_t i = 0; i < trace->head.warps_per_block && !w.fault; i++)
        walk_warp(&w, &block->warps[i]);
    return w.fault;
}
