// SPDX-License-Identifier: Apache-2.0
/* Walking a trace. */
#include "measure/trace.h"

#include <stdlib.h>
#include <string.h>

#include "measure/bits.h"
#include "measure/trace_writer.h"

struct trace *trace_create(void)
{
    struct trace *trace = mem_zalloc(1, sizeof *trace);
    trace->references = 1;
    trace->memo = mem_zalloc(1, sizeof *trace->memo);
    return trace;
}

struct trace *trace_share(struct trace *trace)
{
    if (trace) __atomic_fetch_add(&trace->references, 1, __ATOMIC_RELAXED);
    return trace;
}

void trace_destroy(struct trace *trace)
{
    if (!trace || __atomic_fetch_sub(&trace->references, 1, __ATOMIC_ACQ_REL) > 1) return;
    mem_free(trace->insns);
    mem_free(trace->registers);
    mem_free(trace->patterns);
    mem_free(trace->offsets);
    mem_free(trace->wide_offsets);
    mem_free(trace->blocks);
    memo_clear(trace->memo);
    mem_free(trace->memo);
    arena_clear(&trace->arena);
    mem_free(trace);
}

void trace_keep(struct trace *trace)
{
    void *const blocks[] = {trace->insns,   trace->registers,    trace->patterns,
                            trace->offsets, trace->wide_offsets, trace->blocks};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (blocks[i]) mem_keep(blocks[i]);
    mem_keep(trace->memo);
    arena_keep(&trace->arena);
    mem_keep(trace);
}

bool trace_fits(const struct trace *trace, const struct profile *profile)
{
    const struct trace_head *head = &trace->head;
    return !strcmp(head->kernel, profile->kernel ? profile->kernel : "") &&
           !memcmp(head->grid, profile->grid, sizeof head->grid) &&
           !memcmp(head->block, profile->block, sizeof head->block);
}

void trace_lanes(const struct trace *trace, const struct trace_access *access,
                 uint64_t addresses[32])
{
    const struct trace_pattern *p = &trace->patterns[access->pattern];
    unsigned lowest = bits_lowest(p->mask);
    for (uint32_t left = p->mask; left; left &= left - 1) {
        unsigned lane = bits_lowest(left);
        uint64_t offset;
        if (p->shape == ACCESS_GENERAL)
            offset = p->wide ? (uint64_t)trace->wide_offsets[p->first + lane]
                             : (uint64_t)(int64_t)trace->offsets[p->first + lane];
        else if (p->shape == ACCESS_HALVES && lane >= 16)
            offset = (uint64_t)p->second + (lane - 16) * (uint64_t)p->stride;
        else
            offset = (lane - lowest) * (uint64_t)p->stride;
        addresses[lane] = access->base + offset;
    }
}

/* ---- the cursor ------------------------------------------------------------------------------ */

void trace_cursor_init(struct trace_cursor *cursor, const struct trace *trace,
                       const struct trace_block *block, uint32_t warp)
{
    *cursor = (struct trace_cursor){.trace = trace};
    cursor->sites = mem_alloc((trace->site_count + 1) * sizeof *cursor->sites);
    trace_cursor_restart(cursor, block, warp);
}

void trace_cursor_restart(struct trace_cursor *cursor, const struct trace_block *block,
                          uint32_t warp)
{
    const struct trace_warp *at = &block->warps[warp];
    cursor->pattern_ids = block->pattern_ids;
    cursor->run = at->runs;
    cursor->run_end = at->runs + at->run_bytes;
    cursor->data = at->data;
    cursor->next = cursor->left = cursor->active = cursor->guard = 0;
    memset(cursor->sites, 0, cursor->trace->site_count * sizeof *cursor->sites);
}

void trace_cursor_begin(struct trace_cursor *cursor, const struct trace *trace,
                        const struct trace_block *block, uint32_t warp)
{
    if (cursor->trace)
        trace_cursor_restart(cursor, block, warp);
    else
        trace_cursor_init(cursor, trace, block, warp);
}

void trace_cursor_clear(struct trace_cursor *cursor)
{
    mem_free(cursor->sites);
    *cursor = (struct trace_cursor){0};
}

static inline uint64_t get_number(const uint8_t **at)
{
    const uint8_t *p = *at;
    uint64_t value = *p & 0x7f;
    for (unsigned shift = 7; *p++ & 0x80; shift += 7)
        value |= (uint64_t)(*p & 0x7f) << shift;
    *at = p;
    return value;
}

static inline uint32_t get_mask(const uint8_t **at)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < 4; i++)
        mask |= (uint32_t)(*at)[i] << (8 * i);
    *at += 4;
    return mask;
}

static inline uint64_t unzigzag(uint64_t value)
{
    return value >> 1 ^ -(value & 1);
}

bool trace_cursor_next_run(struct trace_cursor *c)
{
    if (c->run == c->run_end) return false;
    uint64_t head = get_number(&c->run);
    c->next += (uint32_t)unzigzag(head >> 1);
    c->left = (uint32_t)get_number(&c->run);
    if (head & 1) c->active = get_mask(&c->run);
    return true;
}

static inline uint32_t next_guard(struct trace_cursor *c)
{
    switch (*c->data++) {
    case GUARD_ALL:
        return c->active;
    case GUARD_NONE:
        return 0;
    case GUARD_SAID:
        c->guard = get_mask(&c->data);
        return c->guard;
    default:
        return c->guard;
    }
}

static inline unsigned next_accesses(struct trace_cursor *c, uint32_t site,
                                     struct trace_access *accesses)
{
    struct trace_site_state *state = &c->sites[site];
    unsigned count = 0;
    for (;;) {
        unsigned head = *c->data++;
        if (!(head & ACCESS_PRESENT)) return 0;
        if (head & ACCESS_NEW_PATTERN) state->pattern = (uint32_t)get_number(&c->data);
        if (head & ACCESS_NEW_DELTA) state->delta = unzigzag(get_number(&c->data));
        state->base += state->delta;
        accesses[count++] = (struct trace_access){c->pattern_ids[state->pattern], state->base};
        if (!(head & ACCESS_MORE)) return count;
    }
}

static inline unsigned next_data(struct trace_cursor *c, const struct trace_insn *insn,
                                 uint32_t *out_on, struct trace_access *accesses)
{
    *out_on = insn->guarded ? next_guard(c) : c->active;
    return insn->site == TRACE_NO_SITE ? 0 : next_accesses(c, insn->site, accesses);
}

unsigned trace_cursor_decode(struct trace_cursor *cursor, const struct trace_insn *insn,
                             uint32_t *out_on, struct trace_access *accesses)
{
    return next_data(cursor, insn, out_on, accesses);
}

uint32_t trace_cursor_decode_all(struct trace_cursor *cursor, const uint32_t *insns, uint32_t count,
                                 struct trace_slot *out, struct trace_access *accesses,
                                 uint32_t first)
{
    for (uint32_t i = 0; i < count; i++, out++) {
        struct trace_access *to = accesses + first;
        unsigned found = next_data(cursor, &cursor->trace->insns[insns[i]], &out->on, to);
        out->pattern = found == 1 ? to->pattern : TRACE_NO_PATTERN;
        out->base = found == 1 ? to->base : first * (TRACE_ACCESSES_MAX + UINT64_C(1)) + found;
        first += found > 1 ? found : 0;
    }
    return first;
}
