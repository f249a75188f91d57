// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_steps.h"

#include "base/memory.h"

/* Steps of a region with spills; of the order of the trace that are decoded at a time. */
enum { REGION_MAX = 8 * NATIVE_STEPS, PIECE_MAX = 32 };

static inline uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* ---- once a simulation ----------------------------------------------------------------------- */

static void add_insn(struct step_table *table, uint32_t index)
{
    const struct trace *trace = table->trace;
    static const uint32_t none[1];
    const struct trace_insn *insn = &trace->insns[index];
    uint32_t slot = table->data_before[index];
    bool has_data = trace_has_data(insn);
    table->places[index] = (struct step_place){
        .registers = trace->registers ? trace_reads(trace, insn) : none,
        .insn = index,
        .read_count = insn->read_count,
        .slot = has_data ? slot : STEP_NO_SLOT,
    };
    if (has_data) table->data[slot] = index;
    table->data_before[index + 1] = slot + has_data;
    table->spills_before[index + 1] = table->spills_before[index] + insn->is_spill;
}

void step_table_init(struct step_table *table, const struct trace *trace, unsigned native_registers)
{
    uint32_t count = trace->insn_count;
    *table = (struct step_table){.trace = trace, .is_native = native_registers != 0};
    if (table->is_native) native_order_init(&table->native, trace, native_registers);
    table->places = mem_alloc((count + 1) * sizeof *table->places);
    table->data_before = mem_zalloc(count + 1, sizeof *table->data_before);
    table->spills_before = mem_zalloc(count + 1, sizeof *table->spills_before);
    table->to_end = mem_zalloc(count + 1, sizeof *table->to_end);
    table->data = mem_alloc((count + 1) * sizeof *table->data);
    for (uint32_t i = 0; i < count; i++)
        add_insn(table, i);
    for (uint32_t i = count; i-- > 0;)
        table->to_end[i] = native_ends_region(&trace->insns[i]) ? 1 : table->to_end[i + 1] + 1;
}

void step_table_clear(struct step_table *table)
{
    if (table->is_native) native_order_clear(&table->native);
    mem_free(table->places);
    mem_free(table->data_before);
    mem_free(table->spills_before);
    mem_free(table->to_end);
    mem_free(table->data);
    *table = (struct step_table){0};
}

/* ---- a warp's way ---------------------------------------------------------------------------- */

void step_cursor_begin(struct step_cursor *cursor, const struct trace *trace,
                       const struct trace_block *block, uint32_t warp)
{
    trace_cursor_begin(&cursor->trace, trace, block, warp);
    cursor->next = cursor->end = NULL;
    cursor->schedule = NULL;
}

void step_cursor_clear(struct step_cursor *cursor)
{
    trace_cursor_clear(&cursor->trace);
    mem_free(cursor->slots);
    mem_free(cursor->accesses);
    mem_free(cursor->moved);
    *cursor = (struct step_cursor){0};
}

/* So many slots more, and what accesses they may have. */
static void reserve(struct step_cursor *cursor, uint32_t count)
{
    uint32_t slots = cursor->slot_count + count;
    uint32_t accesses = cursor->access_count + count * TRACE_ACCESSES_MAX;
    if (slots > cursor->slot_capacity) {
        cursor->slot_capacity = slots;
        cursor->slots = mem_realloc(cursor->slots, slots * sizeof *cursor->slots);
    }
    if (accesses > cursor->access_capacity) {
        cursor->access_capacity = accesses;
        cursor->accesses = mem_realloc(cursor->accesses, accesses * sizeof *cursor->accesses);
    }
}

/* The next `count` steps, of one run. */
static void decode(const struct step_table *table, struct step_cursor *cursor, uint32_t count)
{
    struct trace_cursor *from = &cursor->trace;
    uint32_t first = table->data_before[from->next];
    uint32_t slots = table->data_before[from->next + count] - first;
    if (slots) {
        reserve(cursor, slots);
        cursor->access_count = trace_cursor_decode_all(from, table->data + first, slots,
                                                       cursor->slots + cursor->slot_count,
                                                       cursor->accesses, cursor->access_count);
        cursor->slot_count += slots;
    }
    trace_cursor_pass(from, count);
}

/* ---- the order of the trace ------------------------------------------------------------------ */

static bool read_traced(const struct step_table *table, struct step_cursor *cursor)
{
    struct trace_cursor *from = &cursor->trace;
    if (!trace_cursor_peek(from)) return false;
    uint32_t count = least(from->left, PIECE_MAX);
    cursor->next = table->places + from->next;
    cursor->end = cursor->next + count;
    cursor->whole.on = from->active;
    cursor->slot_count = cursor->access_count = 0;
    cursor->first_slot = table->data_before[from->next];
    decode(table, cursor, count);
    return true;
}

/* ---- the order of native code ---------------------------------------------------------------- */

/* Steps of a region while they are read. */
struct body {
    uint32_t first, count, spills;
    bool is_whole; /* the last one ends the region */
};

/* Steps that follow each other, up to one that ends the region. Where long ones are cut does not depend on
 * spills. There is a first one. */
static struct body read_body(const struct step_table *table, struct step_cursor *cursor)
{
    struct trace_cursor *from = &cursor->trace;
    struct body body = {.first = from->next};
    cursor->whole.on = from->active;
    do {
        uint32_t next = body.first + body.count;
        if (from->next != next || from->active != cursor->whole.on) break;
        uint32_t room = least(NATIVE_STEPS - (body.count - body.spills), REGION_MAX - body.count);
        uint32_t count = least(least(from->left, table->to_end[next]), room);
        body.is_whole = count == table->to_end[next] &&
                        native_ends_region(&table->trace->insns[next + count - 1]);
        body.spills += table->spills_before[next + count] - table->spills_before[next];
        body.count += count;
        decode(table, cursor, count);
    } while (!body.is_whole && body.count - body.spills < NATIVE_STEPS && body.count < REGION_MAX &&
             trace_cursor_peek(from));
    return body;
}

/* How often it is executed in a row as one region. */
static unsigned iterations(struct step_table *table, const struct body *body)
{
    uint32_t own = body->count - body->spills, end = body->first + body->count;
    unsigned every = body->is_whole ? table->trace->insns[end - 1].every : 1;
    if (every * own > NATIVE_STEPS || every * body->count > REGION_MAX) every = 1;
    return every > 1 ? native_unrolled(&table->native, body->first, body->count, every) : every;
}

static bool read_native(struct step_table *table, struct step_cursor *cursor)
{
    struct trace_cursor *from = &cursor->trace;
    cursor->slot_count = cursor->access_count = 0;
    cursor->schedule = NULL;
    if (!trace_cursor_peek(from)) return false;
    struct body body = read_body(table, cursor);
    unsigned every = iterations(table, &body);
    uint32_t count = body.count;
    for (struct body last = body; every > 1 && last.is_whole; every--) {
        if (!trace_cursor_peek(from) || from->next != body.first ||
            from->active != cursor->whole.on)
            break;
        last = read_body(table, cursor);
        count += last.count;
    }
    cursor->schedule = native_find_schedule(&table->native, body.first, count, body.count);
    cursor->next = cursor->schedule->places;
    cursor->end = cursor->next + cursor->schedule->count;
    return true;
}

/* All at once: a register may be moved from and to. */
static void move_registers(struct step_cursor *cursor, const struct trace *trace, int64_t *ends)
{
    const struct native_schedule *over = cursor->schedule;
    if (!over || !over->move_count) return;
    if (!cursor->moved)
        cursor->moved = mem_alloc((trace->register_count + 1) * sizeof *cursor->moved);
    for (uint32_t i = 0; i < over->move_count; i++)
        cursor->moved[i] = ends[over->moves[i].from];
    for (uint32_t i = 0; i < over->move_count; i++)
        ends[over->moves[i].to] = cursor->moved[i];
}

bool step_read_region(struct step_table *table, struct step_cursor *cursor, int64_t *ends)
{
    if (!table->is_native) return read_traced(table, cursor);
    do {
        move_registers(cursor, table->trace, ends);
        if (!read_native(table, cursor)) return false;
    } while (cursor->next == cursor->end);
    return true;
}
