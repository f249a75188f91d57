// SPDX-License-Identifier: Apache-2.0
#include "model/teg/native_order.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "isa/insn.h"
#include "model/teg/teg_memo.h"

/* Latencies by which paths are compared; the schedule needs their order only. */
enum { GLOBAL_LATENCY = 200, SHARED_LATENCY = 30, SPECIAL_LATENCY = 20, PLAIN_LATENCY = 5 };
/* Registers that a kernel needs beside hoisted values, and the least that are hoisted (guesses). */
enum { OTHER_REGISTERS = 8, HOISTED_LEAST = 8 };

void native_order_init(struct native_order *order, const struct trace *trace, unsigned registers)
{
    *order = (struct native_order){.trace = trace, .hoisted_max = HOISTED_LEAST};
    order->unrolled = mem_zalloc(trace->insn_count + 1, 1);
    order->recent = mem_zalloc(trace->insn_count + 1, sizeof *order->recent);
    if (registers > OTHER_REGISTERS + HOISTED_LEAST)
        order->hoisted_max = registers - OTHER_REGISTERS;
}

void native_order_clear(struct native_order *order)
{
    mem_free(order->recent);
    mem_free(order->unrolled);
    *order = (struct native_order){0};
}

bool native_ends_region(const struct trace_insn *insn)
{
    return insn->flags & (TRACE_EXIT | TRACE_BRANCH | TRACE_TO_SHARED | TRACE_COPY_COMMIT |
                          TRACE_COPY_WAIT) ||
           insn->barrier || insn->class_id == CLASS_FENCE || insn->class_id == CLASS_BARRIER ||
           insn->clock_reads || insn->async;
}

/* ---- dependences of a region ----------------------------------------------------------------- */

enum { ALIASES = 4 };

/* One step of the region. */
struct member {
    const struct trace_insn *insn;
    bool is_dropped;
    unsigned waiting;                /* predecessors that are not in the order yet */
    unsigned first_read, read_count; /* in region.reads */
    uint32_t slot;                   /* step_place.slot */
    uint32_t height;
    bool is_load, is_read; /* a load; somebody who reads it is in the order */
    unsigned first, count; /* successors */
};

/* What a register of a copy is: the member that writes it, or other registers if that one folds. */
enum { FROM_BEFORE = -1, FOLDED = -2 };
struct value {
    int writer; /* index of a member, or one of those */
    unsigned alias_count;
    uint32_t aliases[ALIASES];
};

struct edge {
    uint16_t from, to;
};

struct region {
    struct native_order *order;
    unsigned hoisted_max, hoisted_most; /* allowed; that there were */
    uint32_t first;
    unsigned body, count;
    struct member *members;
    struct value *values; /* by register and copy */
    uint32_t *current;    /* by register: register and copy that holds it now */
    struct edge *edges;
    unsigned edge_count, edge_capacity;
    uint32_t *reads; /* registers and copies, member after member */
    unsigned read_count, read_capacity;
    uint32_t slot_count;
};

static void add_edge(struct region *r, int from, unsigned to)
{
    if (from < 0 || (unsigned)from == to) return;
    GROW(r->edges, r->edge_count, r->edge_capacity);
    r->edges[r->edge_count++] = (struct edge){(uint16_t)from, (uint16_t)to};
    r->members[to].waiting++;
}

static const uint32_t *reads_of(const struct region *r, const struct member *member)
{
    return r->reads + member->first_read;
}

/* Of the last member so far. */
static void add_read(struct region *r, unsigned index, uint32_t physical)
{
    struct member *member = &r->members[index];
    for (unsigned i = 0; i < member->read_count; i++)
        if (reads_of(r, member)[i] == physical) return;
    GROW(r->reads, r->read_count, r->read_capacity);
    r->reads[r->read_count++] = physical;
    member->read_count++;
    add_edge(r, r->values[physical].writer, index);
}

static void read_register(struct region *r, unsigned index, uint32_t reg)
{
    uint32_t physical = r->current[reg];
    const struct value *value = &r->values[physical];
    if (value->writer != FOLDED) {
        add_read(r, index, physical);
        return;
    }
    for (unsigned i = 0; i < value->alias_count; i++)
        add_read(r, index, value->aliases[i]);
}

static void write_register(struct region *r, unsigned index, uint32_t reg, unsigned copy)
{
    const struct member *member = &r->members[index];
    uint32_t physical = reg + copy * r->order->trace->register_count;
    struct value *value = &r->values[physical];
    r->current[reg] = physical;
    *value = (struct value){.writer = (int)index};
    if (!member->is_dropped) return;
    value->writer = FOLDED;
    for (unsigned i = 0; i < member->read_count && i < ALIASES; i++)
        value->aliases[value->alias_count++] = reads_of(r, member)[i];
}

static bool is_last_iteration(const struct region *r, unsigned index)
{
    return index + r->body >= r->count;
}

/* The counter of a loop, its test and its branch are those of the last iteration. */
static bool drops(const struct region *r, unsigned index)
{
    return r->members[index].insn->every > 1 && !is_last_iteration(r, index);
}

static bool is_ordered(const struct trace_insn *insn)
{
    bool is_constant = insn->space == SPACE_PARAM || insn->space == SPACE_CONST;
    return insn->operation != TRACE_NO_ACCESS && !is_constant && !insn->is_spill &&
           !(insn->flags & TRACE_READ_ONLY);
}

/* Accesses to memory that may be the same keep their order, unless both are loads. */
static void order_accesses(struct region *r, unsigned index)
{
    const struct trace_insn *insn = r->members[index].insn;
    if (!is_ordered(insn)) return;
    bool is_shared = insn->space == SPACE_SHARED, is_load = insn->operation == TRACE_LOAD;
    for (unsigned i = index; i-- > 0;) {
        const struct trace_insn *before = r->members[i].insn;
        bool is_load_too = before->operation == TRACE_LOAD;
        if (r->members[i].is_dropped || !is_ordered(before)) continue;
        if ((before->space == SPACE_SHARED) != is_shared && before->space != SPACE_GENERIC &&
            insn->space != SPACE_GENERIC)
            continue;
        if (is_load && is_load_too) continue;
        add_edge(r, (int)i, index);
        if (!is_load_too) return; /* what is before that store is before this, too */
    }
}

static void add_member(struct region *r, unsigned index)
{
    const struct trace *trace = r->order->trace;
    struct member *member = &r->members[index];
    unsigned copy = index / r->body + 1;
    member->insn = &trace->insns[r->first + index % r->body];
    member->first_read = r->read_count;
    member->slot = trace_has_data(member->insn) ? r->slot_count++ : STEP_NO_SLOT;
    member->is_dropped = drops(r, index);
    member->is_load = member->insn->operation == TRACE_LOAD && !member->is_dropped &&
                      member->insn->space != SPACE_PARAM && member->insn->space != SPACE_CONST;
    for (unsigned i = 0; i < member->insn->read_count; i++)
        read_register(r, index, trace_reads(trace, member->insn)[i]);
    for (unsigned i = 0; i < member->insn->write_count && member->insn->guarded; i++)
        read_register(r, index, trace_writes(trace, member->insn)[i]); /* may stay as it is */
    if (!member->is_dropped) order_accesses(r, index);
    for (unsigned i = 0; i < member->insn->write_count; i++)
        write_register(r, index, trace_writes(trace, member->insn)[i], copy);
}

/* ---- the schedule ---------------------------------------------------------------------------- */

static uint32_t latency_of(const struct trace_insn *insn)
{
    if (insn->is_spill && insn->operation == TRACE_STORE) return 0;
    if (insn->operation == TRACE_LOAD || insn->operation == TRACE_ATOMIC)
        return insn->space == SPACE_SHARED || insn->is_spill ? SHARED_LATENCY : GLOBAL_LATENCY;
    return insn->class_id >= CLASS_SFU_RCP && insn->class_id <= CLASS_SFU_TANH ? SPECIAL_LATENCY
                                                                               : PLAIN_LATENCY;
}

static int by_from(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->to > y->to) - (x->to < y->to);
}

static void find_heights(struct region *r)
{
    if (r->edge_count) qsort(r->edges, r->edge_count, sizeof *r->edges, by_from);
    for (unsigned i = 0, at = 0; i < r->count; i++) {
        r->members[i].first = at;
        while (at < r->edge_count && r->edges[at].from == i)
            at++;
        r->members[i].count = at - r->members[i].first;
    }
    for (unsigned i = r->count; i-- > 0;) {
        struct member *member = &r->members[i];
        for (unsigned k = 0; k < member->count; k++) {
            uint32_t beyond = r->members[r->edges[member->first + k].to].height;
            if (beyond > member->height) member->height = beyond;
        }
        member->height += latency_of(member->insn);
    }
}

/* The ready member with the longest path; a load only if its value has a register. The end of the region is
 * last. */
static unsigned choose(const struct region *r, const bool *done, unsigned hoisted)
{
    unsigned best = r->count, load = r->count;
    for (unsigned i = 0; i + 1 < r->count; i++) {
        const struct member *member = &r->members[i];
        if (done[i] || member->waiting) continue;
        unsigned *of = member->is_load ? &load : &best;
        if (*of == r->count || member->height > r->members[*of].height) *of = i;
    }
    if (load < r->count && (best == r->count || hoisted < r->hoisted_max) &&
        (best == r->count || r->members[load].height >= r->members[best].height))
        return load;
    if (best < r->count) return best;
    return load < r->count ? load : r->count - 1; /* all others are in the order */
}

static void put(const struct region *r, unsigned index, struct native_schedule *out,
                uint32_t **registers)
{
    const struct trace *trace = r->order->trace;
    const struct member *member = &r->members[index];
    unsigned copy = index / r->body + 1;
    out->places[out->count++] = (struct step_place){.registers = *registers,
                                                    .insn = r->first + index % r->body,
                                                    .read_count = member->read_count,
                                                    .slot = member->slot};
    for (unsigned i = 0; i < member->read_count; i++)
        *(*registers)++ = reads_of(r, member)[i];
    for (unsigned i = 0; i < member->insn->write_count; i++)
        *(*registers)++ = trace_writes(trace, member->insn)[i] + copy * trace->register_count;
}

/* Registers as the region leaves them; what folded is there when what it was made of is: the first. */
static void find_moves(const struct region *r, struct native_schedule *out)
{
    uint32_t registers = r->order->trace->register_count;
    for (uint32_t reg = 0; reg < registers; reg++) {
        uint32_t at = r->current[reg];
        if (at == reg) continue;
        const struct value *value = &r->values[at];
        bool is_folded = value->writer == FOLDED;
        if (is_folded && !value->alias_count) continue;
        uint32_t from = is_folded ? value->aliases[0] : at;
        if (from != reg) out->moves[out->move_count++] = (struct native_move){from, reg};
    }
}

/* With room for all that the region may need, in one block. */
static struct native_schedule *alloc_schedule(const struct region *r)
{
    size_t count = r->count, moves = r->order->trace->register_count, registers = 0;
    for (unsigned i = 0; i < r->count; i++)
        registers += r->members[i].read_count + r->members[i].insn->write_count;
    struct native_schedule *out =
        mem_zalloc(1, sizeof *out + count * sizeof *out->places + moves * sizeof *out->moves +
                          registers * sizeof *out->registers);
    out->places = (struct step_place *)(void *)(out + 1);
    out->moves = (struct native_move *)(void *)(out->places + count);
    out->registers = (uint32_t *)(void *)(out->moves + moves);
    return out;
}

static struct native_schedule *make_schedule(struct region *r)
{
    struct native_schedule *out = alloc_schedule(r);
    bool *done = mem_zalloc(r->count, sizeof *done);
    uint32_t *registers = out->registers;
    unsigned left = 0, hoisted = 0;
    for (unsigned i = 0; i < r->count; i++) {
        done[i] = r->members[i].is_dropped;
        left += !done[i];
    }
    for (; left; left--) {
        unsigned index = choose(r, done, hoisted);
        struct member *member = &r->members[index];
        put(r, index, out, &registers);
        done[index] = true;
        hoisted += member->is_load;
        if (hoisted > r->hoisted_most) r->hoisted_most = hoisted;
        for (unsigned i = 0; i < member->read_count; i++) {
            int writer = r->values[reads_of(r, member)[i]].writer;
            if (writer < 0 || !r->members[writer].is_load || r->members[writer].is_read) continue;
            r->members[writer].is_read = true;
            hoisted--;
        }
        for (unsigned i = 0; i < member->count; i++)
            r->members[r->edges[member->first + i].to].waiting--;
    }
    find_moves(r, out);
    mem_free(done);
    return out;
}

/* *out_hoisted: how many loads are under way at once. */
static struct native_schedule *plan(struct native_order *order, uint32_t first, unsigned count,
                                    unsigned body, unsigned hoisted_max, unsigned *out_hoisted)
{
    uint32_t registers = order->trace->register_count;
    struct region r = {
        .order = order, .hoisted_max = hoisted_max, .first = first, .body = body, .count = count};
    r.members = mem_zalloc(count, sizeof *r.members);
    r.values = mem_alloc(((size_t)registers * NATIVE_COPIES + 1) * sizeof *r.values);
    r.current = mem_alloc((registers + 1) * sizeof *r.current);
    for (size_t i = 0; i < (size_t)registers * NATIVE_COPIES; i++)
        r.values[i] = (struct value){.writer = FROM_BEFORE};
    for (uint32_t i = 0; i < registers; i++)
        r.current[i] = i;
    for (unsigned i = 0; i < count; i++)
        add_member(&r, i);
    find_heights(&r);
    struct native_schedule *out = make_schedule(&r);
    mem_free(r.members);
    mem_free(r.values);
    mem_free(r.current);
    mem_free(r.edges);
    mem_free(r.reads);
    *out_hoisted = r.hoisted_most;
    return out;
}

/* ---- once a trace ---------------------------------------------------------------------------- */

static struct memo_key key_of(const struct native_order *order, enum teg_memo kind, uint32_t first,
                              unsigned count, unsigned body)
{
    return (struct memo_key){
        {kind, order->hoisted_max, (uint64_t)first << 32 | (uint64_t)count << 16 | body}};
}

const struct native_schedule *native_find_schedule(struct native_order *order, uint32_t first,
                                                   unsigned count, unsigned body)
{
    const struct memo_key key = key_of(order, TEG_MEMO_SCHEDULE, first, count, body);
    const struct native_schedule **recent = &order->recent[first];
    if (*recent && (*recent)->entry.key.words[2] == key.words[2]) return *recent;
    const struct memo_entry *known = memo_find(order->trace->memo, &key);
    if (!known) {
        unsigned hoisted;
        struct native_schedule *made =
            plan(order, first, count, body, order->hoisted_max, &hoisted);
        made->entry.key = key;
        known = memo_add(order->trace->memo, &made->entry);
    }
    return *recent = (const struct native_schedule *)(const void *)known;
}

struct unrolled_loop {
    struct memo_entry entry;
    unsigned every;
};

/* The compiler takes the registers that an unrolled loop's loads need: a kernel that has fewer was unrolled less. */
static unsigned choose_unrolled(struct native_order *order, uint32_t first, unsigned body,
                                unsigned every)
{
    for (; every > 1; every /= 2) {
        unsigned hoisted;
        mem_free(plan(order, first, every * body, body, UINT_MAX, &hoisted));
        if (hoisted <= order->hoisted_max) break;
    }
    return every ? every : 1;
}

unsigned native_unrolled(struct native_order *order, uint32_t first, unsigned body, unsigned every)
{
    if (order->unrolled[first]) return order->unrolled[first];
    const struct memo_key key = key_of(order, TEG_MEMO_UNROLLED, first, every, body);
    const struct memo_entry *known = memo_find(order->trace->memo, &key);
    if (!known) {
        struct unrolled_loop *made = mem_zalloc(1, sizeof *made);
        made->entry.key = key;
        made->every = choose_unrolled(order, first, body, every);
        known = memo_add(order->trace->memo, &made->entry);
    }
    every = ((const struct unrolled_loop *)(const void *)known)->every;
    return order->unrolled[first] = (uint8_t)every;
}
