// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_steps.h"

#include <string.h>

#include "base/memory.h"
#include "model/teg/teg_memo.h"

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
    for (uint32_t i = 0; i < count; i++) {
        add_insn(table, i);
        if (trace_accesses_most(&trace->insns[i]) > table->accesses_most)
            table->accesses_most = trace_accesses_most(&trace->insns[i]);
    }
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

/* ---- decoding -------------------------------------------------------------------------------- */

static void clear_decoder(struct step_decoder *decoder)
{
    trace_cursor_clear(&decoder->trace);
    mem_free(decoder->way.regions);
    mem_free(decoder->way.slots);
    mem_free(decoder->way.accesses);
}

/* So many items more, of which there are `count`. */
static void *reserve(void *items, uint32_t count, uint32_t more, uint32_t *capacity, size_t bytes)
{
    uint32_t wanted = count + more;
    if (wanted <= *capacity) return items;
    *capacity = wanted > 2 * *capacity ? wanted : 2 * *capacity;
    return mem_realloc(items, *capacity * bytes);
}

/* The next `count` steps, of one run. */
static void decode(const struct step_table *table, struct step_decoder *decoder, uint32_t count)
{
    struct trace_cursor *from = &decoder->trace;
    struct step_way *way = &decoder->way;
    uint32_t first = table->data_before[from->next];
    uint32_t slots = table->data_before[from->next + count] - first;
    if (slots) {
        way->slots = reserve(way->slots, way->slot_count, slots, &decoder->slot_capacity,
                             sizeof *way->slots);
        way->accesses = reserve(way->accesses, way->access_count, slots * table->accesses_most,
                                &decoder->access_capacity, sizeof *way->accesses);
        way->access_count =
            trace_cursor_decode_all(from, table->data + first, slots, way->slots + way->slot_count,
                                    way->accesses, way->access_count);
        way->slot_count += slots;
    }
    trace_cursor_pass(from, count);
}

static struct step_region *add_region(struct step_decoder *decoder)
{
    struct step_way *way = &decoder->way;
    GROW(way->regions, way->region_count, decoder->region_capacity);
    return &way->regions[way->region_count++];
}

/* ---- the order of the trace ------------------------------------------------------------------ */

static bool decode_traced(const struct step_table *table, struct step_decoder *decoder)
{
    const struct trace_cursor *from = &decoder->trace;
    if (!trace_cursor_peek(&decoder->trace)) return false;
    struct step_region *region = add_region(decoder);
    region->schedule = NULL;
    region->first = from->next;
    region->count = least(from->left, PIECE_MAX);
    region->active = from->active;
    region->slot = decoder->way.slot_count;
    decode(table, decoder, region->count);
    return true;
}

/* ---- the order of native code ---------------------------------------------------------------- */

/* Steps of a region while they are read. */
struct body {
    uint32_t first, count, spills, active;
    bool is_whole; /* the last one ends the region */
};

/* Steps that follow each other, up to one that ends the region. Where long ones are cut does not depend on
 * spills. There is a first one. */
static struct body read_body(const struct step_table *table, struct step_decoder *decoder)
{
    struct trace_cursor *from = &decoder->trace;
    struct body body = {.first = from->next, .active = from->active};
    do {
        uint32_t next = body.first + body.count;
        if (from->next != next || from->active != body.active) break;
        uint32_t room = least(NATIVE_STEPS - (body.count - body.spills), REGION_MAX - body.count);
        uint32_t count = least(least(from->left, table->to_end[next]), room);
        body.is_whole = count == table->to_end[next] &&
                        native_ends_region(&table->trace->insns[next + count - 1]);
        body.spills += table->spills_before[next + count] - table->spills_before[next];
        body.count += count;
        decode(table, decoder, count);
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

static bool decode_native(struct step_table *table, struct step_decoder *decoder)
{
    struct trace_cursor *from = &decoder->trace;
    uint32_t slot = decoder->way.slot_count;
    if (!trace_cursor_peek(from)) return false;
    struct body body = read_body(table, decoder);
    unsigned every = iterations(table, &body);
    uint32_t count = body.count;
    for (struct body last = body; every > 1 && last.is_whole; every--) {
        if (!trace_cursor_peek(from) || from->next != body.first || from->active != body.active)
            break;
        last = read_body(table, decoder);
        count += last.count;
    }
    struct step_region *region = add_region(decoder);
    region->schedule = native_find_schedule(&table->native, body.first, count, body.count);
    region->active = body.active;
    region->slot = slot;
    return true;
}

/* The next region; false at the end of the warp. */
static bool decode_region(struct step_table *table, struct step_decoder *decoder)
{
    return table->is_native ? decode_native(table, decoder) : decode_traced(table, decoder);
}

/* ---- once a trace ---------------------------------------------------------------------------- */

struct kept_way {
    struct memo_entry entry; /* of trace.memo; the arrays are in the same block */
    struct step_way way;
};

/* What is kept of a trace, in bytes, and the greatest warp of which all is kept: bytes of the trace, and steps. */
enum { KEPT_MAX = 1 << 22, WARP_BYTES_MAX = 1 << 16, WARP_STEPS_MAX = 1 << 18 };

static struct kept_way *pack(const struct step_way *from, const struct memo_key *key, size_t *bytes)
{
    size_t regions = from->region_count * sizeof *from->regions,
           slots = from->slot_count * sizeof *from->slots,
           accesses = from->access_count * sizeof *from->accesses;
    *bytes = sizeof(struct kept_way) + regions + accesses + slots;
    struct kept_way *out = mem_alloc(*bytes);
    *out = (struct kept_way){.entry.key = *key, .way = *from};
    out->way.regions = (struct step_region *)(void *)(out + 1);
    out->way.accesses = (struct trace_access *)(void *)(out->way.regions + from->region_count);
    out->way.slots = (struct trace_slot *)(void *)(out->way.accesses + from->access_count);
    if (regions) memcpy(out->way.regions, from->regions, regions);
    if (accesses) memcpy(out->way.accesses, from->accesses, accesses);
    if (slots) memcpy(out->way.slots, from->slots, slots);
    return out;
}

static const struct kept_way *keep_way(struct step_table *table, const struct trace_block *block,
                                       uint32_t warp, const struct memo_key *key)
{
    size_t bytes;
    struct step_decoder decoder = {0};
    trace_cursor_init(&decoder.trace, table->trace, block, warp);
    while (decode_region(table, &decoder))
        ;
    struct kept_way *made = pack(&decoder.way, key, &bytes);
    clear_decoder(&decoder);
    memo_take(table->trace->memo, bytes);
    return (const struct kept_way *)(const void *)memo_add(table->trace->memo, &made->entry);
}

/* NULL: it is not to be kept. */
static const struct step_way *find_way(struct step_table *table, const struct trace_block *block,
                                       uint32_t warp)
{
    const struct trace *trace = table->trace;
    const struct trace_warp *of = &block->warps[warp];
    uint64_t order = table->is_native ? table->native.hoisted_max : 0;
    const struct memo_key key = {{TEG_MEMO_STEPS, order, (uint64_t)(block - trace->blocks), warp}};
    if (of->data_bytes > WARP_BYTES_MAX || of->step_count > WARP_STEPS_MAX) return NULL;
    const struct kept_way *kept = (const void *)memo_find(trace->memo, &key);
    if (!kept && memo_taken(trace->memo) < KEPT_MAX) kept = keep_way(table, block, warp, &key);
    return kept ? &kept->way : NULL;
}

/* ---- a warp's way ---------------------------------------------------------------------------- */

void step_cursor_begin(struct step_cursor *cursor, struct step_table *table,
                       const struct trace_block *block, uint32_t warp)
{
    cursor->next = cursor->end = NULL;
    cursor->region = cursor->last = NULL;
    cursor->whole.pattern = TRACE_NO_PATTERN;
    cursor->way = find_way(table, block, warp);
    cursor->is_own = !cursor->way;
    if (cursor->way) {
        cursor->region = cursor->way->regions;
        cursor->last = cursor->region + cursor->way->region_count;
        return;
    }
    if (!cursor->own) cursor->own = mem_zalloc(1, sizeof *cursor->own);
    trace_cursor_begin(&cursor->own->trace, table->trace, block, warp);
}

void step_cursor_clear(struct step_cursor *cursor)
{
    if (cursor->own) clear_decoder(cursor->own);
    mem_free(cursor->own);
    mem_free(cursor->moved);
    *cursor = (struct step_cursor){0};
}

/* The next one of those that are decoded one by one. */
static bool decode_next(struct step_table *table, struct step_cursor *cursor)
{
    struct step_way *way = &cursor->own->way;
    way->region_count = way->slot_count = way->access_count = 0;
    if (!decode_region(table, cursor->own)) return false;
    cursor->way = way;
    cursor->region = way->regions;
    cursor->last = cursor->region + 1;
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

static void enter_region(const struct step_table *table, struct step_cursor *cursor)
{
    const struct step_region *region = cursor->region++;
    cursor->schedule = region->schedule;
    cursor->whole.on = region->active;
    cursor->slots = cursor->way->slots + region->slot;
    cursor->accesses = cursor->way->accesses;
    if (region->schedule) {
        cursor->first_slot = 0;
        cursor->next = region->schedule->places;
        cursor->end = cursor->next + region->schedule->count;
    } else {
        cursor->first_slot = table->data_before[region->first];
        cursor->next = table->places + region->first;
        cursor->end = cursor->next + region->count;
    }
}

bool step_read_region(struct step_table *table, struct step_cursor *cursor, int64_t *ends)
{
    do {
        move_registers(cursor, table->trace, ends);
        bool is_over = cursor->region == cursor->last;
        if (is_over && !(cursor->is_own && decode_next(table, cursor))) return false;
        enter_region(table, cursor);
    } while (cursor->next == cursor->end);
    return true;
}
