// SPDX-License-Identifier: Apache-2.0
#include "measure/spill_places.h"

#include <stdlib.h>

/* Never used again; none. */
#define NOWHERE UINT32_MAX

/* A use of a register; uses of one register are a chain in the order of the code. */
struct use {
    uint32_t insn, reg, next; /* index of the next use of the same register */
    bool is_read;
};

/* What is known of a register as the code is walked. */
struct value {
    uint32_t next;    /* its next use, in `uses` */
    uint32_t made_by; /* instruction that wrote it; NOWHERE: none so far */
    uint32_t store;   /* its value's, in places.stores; NOWHERE: not stored */
    bool is_held;     /* in a register */
};

struct walk {
    const struct trace *trace;
    struct use *uses;
    uint32_t use_count;
    uint32_t *first; /* by register: its first use */
    struct value *values;
    uint32_t *held; /* registers of the trace in registers of the GPU */
    uint32_t held_count;
    struct spill_places places; /* slot of a store: its number; of a load: that of its store */
    uint32_t store_room, load_room;
};

static void add_use(struct walk *w, uint32_t *last, uint32_t insn, uint32_t reg, bool is_read)
{
    uint32_t at = w->use_count++;
    w->uses[at] = (struct use){insn, reg, NOWHERE, is_read};
    if (last[reg] == NOWHERE)
        w->first[reg] = at;
    else
        w->uses[last[reg]].next = at;
    last[reg] = at;
}

static void list_uses(struct walk *w)
{
    const struct trace *trace = w->trace;
    size_t total = 0;
    uint32_t *last = mem_alloc((trace->register_count + 1u) * sizeof *last);
    for (uint32_t r = 0; r < trace->register_count; r++)
        last[r] = w->first[r] = NOWHERE;
    for (uint32_t i = 0; i < trace->insn_count; i++)
        total += (size_t)trace->insns[i].read_count + trace->insns[i].write_count;
    w->uses = mem_alloc((total + 1) * sizeof *w->uses);
    for (uint32_t i = 0; i < trace->insn_count; i++) {
        const struct trace_insn *insn = &trace->insns[i];
        for (unsigned k = 0; k < insn->read_count; k++)
            add_use(w, last, i, trace_reads(trace, insn)[k], true);
        for (unsigned k = 0; k < insn->write_count; k++)
            add_use(w, last, i, trace_writes(trace, insn)[k], false);
    }
    mem_free(last);
}

/* What is overwritten next, or not used any more, is needed nowhere. */
static uint32_t next_read(const struct walk *w, uint32_t reg)
{
    uint32_t next = w->values[reg].next;
    return next != NOWHERE && w->uses[next].is_read ? w->uses[next].insn : NOWHERE;
}

static void evict(struct walk *w, uint32_t now)
{
    uint32_t furthest = 0;
    for (uint32_t i = 1; i < w->held_count; i++)
        if (next_read(w, w->held[i]) > next_read(w, w->held[furthest])) furthest = i;
    uint32_t reg = w->held[furthest];
    struct value *value = &w->values[reg];
    w->held[furthest] = w->held[--w->held_count];
    value->is_held = false;
    if (next_read(w, reg) == NOWHERE || value->store != NOWHERE) return;
    struct spill_places *places = &w->places;
    uint32_t behind = value->made_by == NOWHERE ? now : value->made_by;
    value->store = places->store_count;
    GROW(places->stores, places->store_count, w->store_room);
    places->stores[places->store_count++] = (struct spill){behind, reg, value->store};
}

static void hold(struct walk *w, uint32_t reg, uint32_t registers, uint32_t now)
{
    if (w->values[reg].is_held) return;
    if (w->held_count == registers) evict(w, now);
    w->values[reg].is_held = true;
    w->held[w->held_count++] = reg;
}

/* Through the code with so many registers. */
static void walk(struct walk *w, uint32_t registers)
{
    struct spill_places *places = &w->places;
    places->store_count = places->load_count = w->held_count = 0;
    for (uint32_t r = 0; r < w->trace->register_count; r++)
        w->values[r] = (struct value){w->first[r], NOWHERE, NOWHERE, false};
    for (uint32_t i = 0; i < w->use_count; i++) {
        const struct use *use = &w->uses[i];
        struct value *value = &w->values[use->reg];
        value->next = use->next;
        if (use->is_read && !value->is_held && value->store != NOWHERE) {
            GROW(places->loads, places->load_count, w->load_room);
            places->loads[places->load_count++] = (struct spill){use->insn, use->reg, value->store};
        }
        if (!use->is_read) {
            value->made_by = use->insn;
            value->store = NOWHERE;
        }
        hold(w, use->reg, registers, use->insn);
    }
}

/* Of a thread on any GPU, so that a step takes at most so many comparisons. */
enum { REGISTERS_MOST = 255 };

/* Most registers with which so many words are stored and loaded; the least if none. */
static void walk_with_most(struct walk *w, uint32_t stores, uint32_t loads)
{
    uint32_t known = w->trace->register_count;
    uint32_t low = 1, high = (known < REGISTERS_MOST ? known : REGISTERS_MOST) + 1;
    while (high - low > 1) { /* low gives enough, or is the least */
        uint32_t middle = low + (high - low) / 2;
        walk(w, middle);
        bool is_enough = w->places.store_count >= stores && w->places.load_count >= loads;
        *(is_enough ? &low : &high) = middle;
    }
    walk(w, low);
}

/* ---- as many as are known ---------------------------------------------------------------------- */

/* Code in which nothing can be spilled, as traces without registers: evenly. */
static struct spill anywhere(const struct trace *trace, uint32_t i, uint32_t count)
{
    uint32_t insn = (uint32_t)((uint64_t)i * trace->insn_count / count);
    return (struct spill){insn, trace->register_count, 0};
}

static int by_insn(const void *a, const void *b)
{
    const struct spill *x = a, *y = b;
    if (x->insn != y->insn) return x->insn < y->insn ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Of `found` those at even distances; with fewer some of them more than once. */
static struct spill *take(const struct walk *w, const struct spill *found, uint32_t found_count,
                          uint32_t count)
{
    uint32_t slots = w->places.slot_count, stored = w->places.store_count;
    struct spill *out = mem_alloc((count + 1u) * sizeof *out);
    for (uint32_t i = 0; i < count; i++) {
        out[i] =
            found_count ? found[(uint64_t)i * found_count / count] : anywhere(w->trace, i, count);
        out[i].slot = found_count ? (uint32_t)((uint64_t)out[i].slot * slots / stored) : i % slots;
    }
    qsort(out, count, sizeof *out, by_insn);
    return out;
}

void spill_places_find(const struct trace *trace, uint32_t stores, uint32_t loads,
                       struct spill_places *out)
{
    struct walk w = {.trace = trace};
    size_t registers = trace->register_count + 1u;
    w.first = mem_alloc(registers * sizeof *w.first);
    w.values = mem_alloc(registers * sizeof *w.values);
    w.held = mem_alloc(registers * sizeof *w.held);
    list_uses(&w);
    walk_with_most(&w, stores, loads);
    w.places.slot_count = stores ? stores : 1;
    *out = (struct spill_places){
        .store_count = stores, .load_count = loads, .slot_count = w.places.slot_count};
    out->stores = take(&w, w.places.stores, w.places.store_count, stores);
    out->loads = take(&w, w.places.loads, w.places.load_count, loads);
    spill_places_clear(&w.places);
    mem_free(w.first);
    mem_free(w.values);
    mem_free(w.held);
    mem_free(w.uses);
}

void spill_places_clear(struct spill_places *places)
{
    mem_free(places->stores);
    mem_free(places->loads);
    *places = (struct spill_places){0};
}
