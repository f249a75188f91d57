// SPDX-License-Identifier: Apache-2.0
/* Spilled registers of which only the number of words is known, put into a trace and its counters. */
#include <stdlib.h>
#include <string.h>

#include "measure/bits.h"
#include "measure/spill_places.h"

enum { WORD = 4, LINE_BYTES = 128, LINE_SECTORS = 4 };

/* A trace with spills, kept with the one without: it depends on that and on the numbers in the key. */
struct spilled {
    struct memo_entry entry;
    struct trace *trace;
    uint32_t slots;                                  /* words of a thread */
    uint64_t stores, loads, store_lanes, load_lanes; /* executed */
};

struct spilling {
    const struct trace *from;
    struct trace_builder *builder;
    struct spill_places places;
    uint64_t frame;     /* where it begins in the thread's local memory */
    uint32_t *starts;   /* by instruction of `from`: its first in the new trace; [insns + 1] */
    uint32_t *slots;    /* by instruction of the new trace */
    uint32_t *loads_at; /* by instruction of `from`: how many come before it */
    struct spilled *out;
};

/* ---- the code ---------------------------------------------------------------------------------- */

static uint32_t add_spill(struct spilling *s, const struct spill *spill, bool is_load)
{
    const struct trace_insn *at = &s->from->insns[spill->insn];
    struct trace_insn insn = {
        .pc = at->pc,
        .access_pc = at->pc,
        .line = at->line,
        .source_line = at->source_line,
        .file = at->file,
        .op = is_load ? "ld.local.b32" : "st.local.b32",
        .class_id = is_load ? CLASS_MEM_LOCAL_LOAD : CLASS_MEM_LOCAL_STORE,
        .operation = is_load ? TRACE_LOAD : TRACE_STORE,
        .space = SPACE_LOCAL,
        .bytes = WORD,
        .is_spill = true,
    };
    uint32_t word = s->from->register_count + 1 + spill->slot;
    const uint32_t *read = is_load ? &word : &spill->reg;
    const uint32_t *written = is_load ? &spill->reg : &word;
    uint32_t added = trace_builder_add_insn(s->builder, &insn, read, 1, written, 1);
    s->slots[added] = spill->slot;
    return added;
}

/* Each instruction behind what it reloads and before what is stored behind it. */
static void add_code(struct spilling *s)
{
    const struct trace *from = s->from;
    const struct spill_places *places = &s->places;
    uint32_t load = 0, store = 0, count = 0;
    for (uint32_t i = 0; i < from->insn_count; i++) {
        const struct trace_insn *insn = &from->insns[i];
        s->starts[i] = count;
        for (; load < places->load_count && places->loads[load].insn == i; load++) {
            count = add_spill(s, &places->loads[load], true) + 1;
            s->loads_at[i]++;
        }
        count = trace_builder_add_insn(s->builder, insn, trace_reads(from, insn), insn->read_count,
                                       trace_writes(from, insn), insn->write_count) +
                1;
        for (; store < places->store_count && places->stores[store].insn == i; store++)
            count = add_spill(s, &places->stores[store], false) + 1;
    }
    s->starts[from->insn_count] = count;
}

/* ---- what is executed --------------------------------------------------------------------------- */

static struct access access_of(const struct trace *trace, const struct trace_access *access,
                               uint64_t addresses[32])
{
    const struct trace_pattern *p = &trace->patterns[access->pattern];
    unsigned lowest = bits_lowest(p->mask);
    trace_lanes(trace, access, addresses);
    return (struct access){.space = p->space,
                           .shape = p->shape,
                           .bytes = p->bytes,
                           .mask = p->mask,
                           .base = access->base - (lowest < 16 || p->shape != ACCESS_HALVES
                                                       ? lowest * (uint64_t)p->stride
                                                       : 0),
                           .base2 = access->base + (uint64_t)p->second,
                           .stride = p->stride,
                           .addresses = addresses};
}

static void step_spill(struct spilling *s, uint32_t insn, uint32_t active)
{
    uint64_t address = s->frame + (uint64_t)s->slots[insn] * WORD;
    struct access access = {.space = SPACE_LOCAL,
                            .shape = ACCESS_UNIFORM,
                            .bytes = WORD,
                            .mask = active,
                            .base = address};
    uint64_t addresses[32];
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = address;
    access.addresses = addresses;
    trace_builder_step(s->builder, insn, active, active, &access, 1);
}

static void step(struct spilling *s, const struct trace_step *step)
{
    uint32_t at = s->starts[step->insn], end = s->starts[step->insn + 1];
    uint32_t loads = s->loads_at[step->insn], stores = end - at - loads - 1;
    struct access accesses[TRACE_ACCESSES_MAX];
    uint64_t addresses[TRACE_ACCESSES_MAX][32];
    for (uint32_t i = 0; i < step->access_count; i++)
        accesses[i] = access_of(s->from, &step->accesses[i], addresses[i]);
    uint64_t lanes = (unsigned)__builtin_popcount(step->active);
    s->out->loads += loads;
    s->out->load_lanes += loads * lanes;
    s->out->stores += stores;
    s->out->store_lanes += stores * lanes;
    for (; loads; loads--)
        step_spill(s, at++, step->active);
    trace_builder_step(s->builder, at++, step->active, step->on, accesses, step->access_count);
    for (; stores; stores--)
        step_spill(s, at++, step->active);
}

static void execute(struct spilling *s)
{
    const struct trace *from = s->from;
    struct trace_cursor cursor = {0};
    for (uint32_t b = 0; b < from->block_count; b++) {
        trace_builder_begin_block(s->builder, from->blocks[b].index);
        for (uint32_t w = 0; w < from->head.warps_per_block; w++) {
            trace_builder_begin_warp(s->builder, w, from->blocks[b].warps[w].threads);
            trace_cursor_begin(&cursor, from, &from->blocks[b], w);
            for (struct trace_step now; trace_cursor_next(&cursor, &now);)
                step(s, &now);
        }
    }
    trace_cursor_clear(&cursor);
}

/* Which blocks stand for which, and how global addresses move, is as it was. */
static void copy_grid(const struct spilling *s, struct trace *to)
{
    const struct trace *from = s->from;
    for (uint32_t b = 0; b < from->block_count; b++)
        to->blocks[b].work = from->blocks[b].work;
    to->part_blocks = from->part_blocks;
    to->part_count = from->part_count;
    if (from->part_count) {
        size_t parts = from->part_count;
        to->work = ARENA_ARRAY(&to->arena, float, parts);
        to->stand_ins = ARENA_ARRAY(&to->arena, uint32_t, parts);
        memcpy(to->work, from->work, parts * sizeof *to->work);
        memcpy(to->stand_ins, from->stand_ins, parts * sizeof *to->stand_ins);
    }
    if (!from->site_strides) return;
    to->is_linear = from->is_linear;
    to->stride_count = from->stride_count;
    to->strides = arena_alloc(&to->arena, (from->stride_count + 1u) * sizeof *to->strides);
    memcpy(to->strides, from->strides, from->stride_count * sizeof *to->strides);
    to->site_strides = ARENA_ARRAY(&to->arena, uint32_t, to->site_count + 1u);
    for (uint32_t i = 0; i < from->insn_count; i++) {
        uint32_t site = from->insns[i].site;
        if (site == TRACE_NO_SITE) continue;
        uint32_t now = to->insns[s->starts[i] + s->loads_at[i]].site;
        to->site_strides[now] = from->site_strides[site];
    }
}

static struct trace *spill(struct spilling *s)
{
    uint32_t insns = s->from->insn_count;
    uint32_t all = insns + s->places.store_count + s->places.load_count;
    s->starts = mem_zalloc(insns + 1u, sizeof *s->starts);
    s->loads_at = mem_zalloc(insns + 1u, sizeof *s->loads_at);
    s->slots = mem_zalloc(all + 1u, sizeof *s->slots);
    s->builder = trace_builder_create(&s->from->head);
    add_code(s);
    execute(s);
    struct trace *out = trace_builder_finish(s->builder);
    copy_grid(s, out);
    mem_free(s->starts);
    mem_free(s->loads_at);
    mem_free(s->slots);
    return out;
}

static void release(struct memo_entry *entry)
{
    trace_destroy(((struct spilled *)(void *)entry)->trace);
}

static struct spilled *make(const struct trace *from, const struct register_count *registers,
                            uint64_t frame)
{
    struct spilled *out = mem_zalloc(1, sizeof *out);
    struct spilling s = {.from = from, .frame = frame, .out = out};
    spill_places_find(from, registers->spill_store_bytes / WORD, registers->spill_load_bytes / WORD,
                      &s.places);
    out->trace = spill(&s);
    out->slots = s.places.slot_count;
    out->entry.release = release;
    spill_places_clear(&s.places);
    return out;
}

/* Made once for all machines and predictions, and with what models keep with it. */
static const struct spilled *find(const struct trace *from, const struct register_count *registers,
                                  uint64_t frame)
{
    const struct memo_key key = {
        {TRACE_MEMO_SPILLS, registers->spill_store_bytes, registers->spill_load_bytes, frame}};
    const struct memo_entry *known = memo_find(from->memo, &key);
    if (!known) {
        struct spilled *made = make(from, registers, frame);
        made->entry.key = key;
        if (!mem_is_of_call(from->memo)) trace_keep(made->trace);
        known = memo_add(from->memo, &made->entry);
    }
    return (const struct spilled *)(const void *)known;
}

/* ---- the counters ------------------------------------------------------------------------------- */

static void raise(struct profile *profile, unsigned counter, double by)
{
    struct counter_value *value = &profile->counters[counter];
    if (value->origin == ORIGIN_NONE) return;
    value->value += by;
    value->lo += by;
    value->hi += by;
}

/* `first`: of the operation's counters. Each request is one line. */
static void count(struct profile *profile, unsigned class_id, unsigned first, double requests,
                  double lanes)
{
#define OFFSET(name) (COUNTER_MEM_LOCAL_LOAD_##name - COUNTER_MEM_LOCAL_LOAD_REQUESTS)
    raise(profile, COUNTER_INST_WARP, requests);
    raise(profile, COUNTER_INST_WARP_FIRST + class_id, requests);
    raise(profile, COUNTER_INST_UNIT_FIRST + UNIT_LOCAL, requests);
    raise(profile, COUNTER_INST_THREAD, lanes);
    raise(profile, COUNTER_INST_THREAD_ACTIVE, lanes);
    raise(profile, first + OFFSET(REQUESTS), requests);
    raise(profile, first + OFFSET(BYTES_REQUESTED), lanes * WORD);
    raise(profile, first + OFFSET(SECTORS32), requests * LINE_SECTORS);
    raise(profile, first + OFFSET(LINES128), requests);
    raise(profile, first + OFFSET(COALESCED_SECTOR), requests);
    raise(profile, first + OFFSET(COALESCED_CC10), requests);
    raise(profile, first + OFFSET(TRANSACTIONS_CC10), 2 * requests); /* a half-warp each */
    raise(profile, first + OFFSET(BYTES_CC10), requests * LINE_BYTES);
    raise(profile, first + OFFSET(COALESCED_CC12), requests);
    raise(profile, first + OFFSET(TRANSACTIONS_CC12), 2 * requests);
    raise(profile, first + OFFSET(BYTES_CC12), requests * LINE_BYTES);
#undef OFFSET
}

static void add_counters(struct profile *profile, const struct trace *from,
                         const struct spilled *spilled)
{
    double scale = profile_get(profile, COUNTER_INST_WARP) / (double)from->step_count;
    count(profile, CLASS_MEM_LOCAL_LOAD, COUNTER_MEM_LOCAL_LOAD_REQUESTS,
          scale * (double)spilled->loads, scale * (double)spilled->load_lanes);
    count(profile, CLASS_MEM_LOCAL_STORE, COUNTER_MEM_LOCAL_STORE_REQUESTS,
          scale * (double)spilled->stores, scale * (double)spilled->store_lanes);
}

struct profile *profile_with_spills(const struct profile *profile, unsigned target)
{
    const struct register_count *registers = profile_register_entry(profile, target);
    if (!registers || !(registers->spill_store_bytes + registers->spill_load_bytes)) return NULL;
    const struct trace *trace = profile->trace;
    if (!trace || !trace->insn_count || !trace->step_count || profile_is_native(profile))
        return NULL;
    uint64_t frame = (profile->local_bytes_per_thread + WORD - 1) / WORD * WORD;
    const struct spilled *spilled = find(trace, registers, frame);
    struct profile *out = mem_zalloc(1, sizeof *out);
    profile_copy_fields(out, profile);
    out->arena = (struct arena){0};
    out->trace = trace_share(spilled->trace);
    out->local_bytes_per_thread = frame + (uint64_t)spilled->slots * WORD;
    add_counters(out, trace, spilled);
    return out;
}

void profile_drop_spills(struct profile *profile)
{
    if (!profile) return;
    trace_destroy(profile->trace);
    mem_free(profile);
}
