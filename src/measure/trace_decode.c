// SPDX-License-Identifier: Apache-2.0
/* The order of the fields is that of trace_encode.c. Nothing of the bytes is trusted. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass.h"
#include "measure/trace_file.h"

enum { THREADS_MAX = 1024, LANES = 32 };

struct reader {
    struct diag *diag;
    const char *name;
    const uint8_t *bytes;
    size_t size, at;
    const char *fault; /* the first thing that is wrong, and where */
    size_t fault_at;
    struct trace *trace;
    uint32_t register_capacity, register_end;
};

static void refuse(struct reader *r, const char *what)
{
    if (r->fault) return;
    r->fault = what;
    r->fault_at = r->at;
}

static bool check(struct reader *r, bool is_good, const char *what)
{
    if (!is_good) refuse(r, what);
    return is_good;
}

/* 0 behind a fault: callers need not look after each number. */
static uint64_t get(struct reader *r, unsigned bytes)
{
    uint64_t value = 0;
    if (r->fault || !check(r, r->size - r->at >= bytes, "truncated number")) return 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)r->bytes[r->at + i] << (8 * i);
    r->at += bytes;
    return value;
}

static uint32_t get32(struct reader *r)
{
    return (uint32_t)get(r, 4);
}

/* At most `most`; the byte that is named is that of the number. */
static uint8_t get_small(struct reader *r, unsigned most, const char *what)
{
    uint64_t value = get(r, 1);
    if (value <= most) return (uint8_t)value;
    r->at--;
    refuse(r, what);
    return 0;
}

/* How many items follow that take at least `bytes` each. */
static uint64_t get_count(struct reader *r, unsigned width, unsigned bytes)
{
    uint64_t count = get(r, width);
    if (r->fault || count <= (r->size - r->at) / bytes) return r->fault ? 0 : count;
    refuse(r, "item count exceeds the remaining bytes");
    return 0;
}

static const char *get_text(struct reader *r)
{
    uint32_t length = get32(r);
    if (r->fault || length == UINT32_MAX) return NULL;
    if (!check(r, length <= r->size - r->at, "truncated string")) return NULL;
    const char *text = (const char *)r->bytes + r->at;
    if (!check(r, !memchr(text, '\0', length), "string contains NUL")) return NULL;
    r->at += length;
    return arena_copy_n(&r->trace->arena, text, length);
}

/* ---- the static part ------------------------------------------------------------------------- */

static void get_triple(struct reader *r, uint32_t out[3])
{
    for (unsigned i = 0; i < 3; i++)
        out[i] = get32(r);
}

static uint64_t product(const uint32_t values[3], uint64_t most)
{
    uint64_t result = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (!values[i] || values[i] > most / result) return 0;
        result *= values[i];
    }
    return result;
}

static void get_head(struct reader *r)
{
    struct trace *trace = r->trace;
    struct trace_head *head = &trace->head;
    head->kernel = get_text(r);
    head->isa = get_text(r);
    head->target = get32(r);
    head->view = get_small(r, ISA_VIEW_COUNT - 1, "unknown ISA view");
    get_triple(r, head->grid);
    get_triple(r, head->block);
    head->static_shared_bytes = get(r, 8);
    head->dynamic_shared_bytes = get(r, 8);
    head->registers = get32(r);
    trace->bytes = get(r, 8);
    uint64_t threads = product(head->block, THREADS_MAX);
    check(r, head->kernel && head->isa, "missing kernel name");
    check(r, threads && product(head->grid, UINT64_MAX / 2), "invalid grid or block size");
    head->warps_per_block = (uint32_t)((threads + LANES - 1) / LANES);
}

static bool is_width(unsigned bytes, unsigned most)
{
    return bytes && bytes <= most && !(bytes & (bytes - 1));
}

static void get_registers(struct reader *r, struct trace_insn *insn)
{
    struct trace *trace = r->trace;
    insn->read_count = (uint8_t)get(r, 1);
    insn->write_count = (uint8_t)get(r, 1);
    insn->first_register = r->register_end;
    for (unsigned i = 0; i < (unsigned)insn->read_count + insn->write_count && !r->fault; i++) {
        uint32_t reg = get32(r);
        /* Numbers are dense: each costs 4 bytes of the file at least once. */
        if (!check(r, reg < r->size / 4, "invalid register")) return;
        GROW(trace->registers, r->register_end, r->register_capacity);
        trace->registers[r->register_end++] = reg;
        if (reg >= trace->register_count) trace->register_count = reg + 1;
    }
}

static void get_insn(struct reader *r, struct trace_insn *insn)
{
    const uint8_t flags = TRACE_SHARED_OPERAND | TRACE_READ_ONLY | TRACE_TO_SHARED | TRACE_EXIT |
                          TRACE_BRANCH | TRACE_COPY_COMMIT | TRACE_COPY_WAIT | TRACE_ADDED_UP;
    struct trace *trace = r->trace;
    insn->op = get_text(r);
    insn->file = get_text(r);
    const char *class_id = get_text(r);
    int id = class_id ? class_find(class_id) : -1;
    if (!check(r, insn->op && id >= 0, "unknown instruction class")) return;
    insn->class_id = (uint8_t)id;
    insn->pc = get32(r);
    insn->access_pc = get32(r);
    insn->line = get32(r);
    insn->source_line = get32(r);
    insn->barrier_threads = (uint16_t)get(r, 2);
    insn->operation = get_small(r, TRACE_ATOMIC, "invalid operation");
    insn->space = get_small(r, SPACE_COUNT - 1, "invalid memory space");
    insn->bytes = (uint8_t)get(r, 1);
    insn->cache_op = get_small(r, CACHE_WT, "invalid cache operator");
    insn->semantics = get_small(r, MEM_VOLATILE, "invalid memory semantics");
    insn->flags = get_small(r, flags, "invalid flags");
    insn->barrier = get_small(r, TRACE_BARRIER_WARP, "invalid barrier");
    insn->barrier_id = (uint8_t)get(r, 1);
    uint8_t guarded =
        get_small(r, TRACE_CLOCKS_MAX << 5 | 1 << 4 | VIEW_UNROLL << 1 | 1, "invalid guard flag");
    insn->guarded = guarded & 1;
    insn->every = guarded >> 1 & 7;
    insn->reads_parameters = guarded >> 4 & 1;
    insn->clock_reads = guarded >> 5;
    check(r, insn->every <= VIEW_UNROLL, "invalid unrolling");
    bool has_access = insn->operation != TRACE_NO_ACCESS;
    check(r, !has_access || is_width(insn->bytes, TRACE_LANE_BYTES), "invalid access width");
    insn->site = has_access ? trace->site_count++ : TRACE_NO_SITE;
    get_registers(r, insn);
}

static void get_insns(struct reader *r)
{
    enum { INSN_BYTES_LEAST = 30 };
    struct trace *trace = r->trace;
    uint32_t count = (uint32_t)get_count(r, 4, INSN_BYTES_LEAST);
    trace->insns = mem_zalloc(count + 1u, sizeof *trace->insns);
    for (trace->insn_count = 0; trace->insn_count < count && !r->fault; trace->insn_count++)
        get_insn(r, &trace->insns[trace->insn_count]);
}

static void get_pattern(struct reader *r, struct trace_pattern *p)
{
    struct trace *trace = r->trace;
    p->mask = get32(r);
    p->space = get_small(r, SPACE_COUNT - 1, "invalid memory space");
    p->bytes = (uint8_t)get(r, 1);
    p->shape = get_small(r, ACCESS_GENERAL, "invalid access shape");
    p->wide = get_small(r, 1, "invalid width flag");
    p->stride = (int64_t)get(r, 8);
    p->second = (int64_t)get(r, 8);
    p->first = get(r, 8);
    uint64_t room = p->wide ? trace->wide_offset_count : trace->offset_count;
    bool is_general = p->shape == ACCESS_GENERAL;
    unsigned most = p->space == SPACE_GLOBAL ? TRACE_PIECE_BYTES : TRACE_LANE_BYTES;
    check(r,
          p->mask && is_width(p->bytes, most) && p->space != SPACE_GENERIC &&
              p->space != SPACE_NONE,
          "invalid access");
    check(r, !is_general || (room >= LANES && p->first <= room - LANES),
          "missing addresses of an access pattern");
}

static void get_patterns(struct reader *r)
{
    enum { PATTERN_BYTES = 32 };
    struct trace *trace = r->trace;
    uint64_t count = get_count(r, 8, 4);
    trace->offsets = mem_alloc((count + 1) * sizeof *trace->offsets);
    for (trace->offset_count = 0; trace->offset_count < count; trace->offset_count++)
        trace->offsets[trace->offset_count] = (int32_t)get32(r);
    count = get_count(r, 8, 8);
    trace->wide_offsets = mem_alloc((count + 1) * sizeof *trace->wide_offsets);
    for (trace->wide_offset_count = 0; trace->wide_offset_count < count; trace->wide_offset_count++)
        trace->wide_offsets[trace->wide_offset_count] = (int64_t)get(r, 8);
    count = get_count(r, 4, PATTERN_BYTES);
    trace->patterns = mem_zalloc(count + 1, sizeof *trace->patterns);
    for (trace->pattern_count = 0; trace->pattern_count < count && !r->fault;
         trace->pattern_count++)
        get_pattern(r, &trace->patterns[trace->pattern_count]);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static const uint8_t *get_stream(struct reader *r, uint64_t size)
{
    static const uint8_t nothing[1];
    if (r->fault || !size) return nothing;
    if (!check(r, size <= r->size - r->at, "truncated steps of a warp")) return nothing;
    uint8_t *copy = arena_alloc(&r->trace->arena, size);
    memcpy(copy, r->bytes + r->at, size);
    r->at += size;
    return copy;
}

static void get_warp(struct reader *r, struct trace_warp *warp)
{
    warp->threads = get32(r);
    warp->step_count = get(r, 8);
    warp->run_bytes = get(r, 8);
    warp->data_bytes = get(r, 8);
    warp->runs = get_stream(r, warp->run_bytes);
    warp->data = get_stream(r, warp->data_bytes);
}

static void get_pattern_ids(struct reader *r, struct trace_block *block)
{
    uint32_t count = (uint32_t)get_count(r, 4, 4);
    uint32_t *ids = ARENA_ARRAY(&r->trace->arena, uint32_t, count + 1u);
    for (uint32_t i = 0; i < count; i++) {
        ids[i] = get32(r);
        check(r, ids[i] < r->trace->pattern_count, "unknown access pattern");
    }
    block->pattern_ids = ids;
    block->pattern_count = count;
}

static void get_block(struct reader *r, const struct trace_block *before, struct trace_block *block)
{
    struct trace *trace = r->trace;
    uint64_t blocks = product(trace->head.grid, UINT64_MAX / 2);
    size_t start = r->at;
    block->index = get(r, 8);
    if (!check(r, block->index < blocks && (!before || block->index > before->index),
               "block outside the grid or out of order"))
        return;
    block->work = get(r, 8);
    get_pattern_ids(r, block);
    block->warps = ARENA_ARRAY(&trace->arena, struct trace_warp, trace->head.warps_per_block);
    for (uint32_t i = 0; i < trace->head.warps_per_block; i++) {
        get_warp(r, &block->warps[i]);
        block->step_count += block->warps[i].step_count;
    }
    const char *fault = r->fault ? NULL : trace_block_fault(trace, block, false);
    if (fault) {
        r->at = start;
        refuse(r, fault);
    }
    trace->step_count += block->step_count;
}

static void get_blocks(struct reader *r)
{
    enum { BLOCK_BYTES_LEAST = 20 };
    struct trace *trace = r->trace;
    uint32_t count = (uint32_t)get_count(r, 4, BLOCK_BYTES_LEAST);
    trace->blocks = mem_zalloc(count + 1u, sizeof *trace->blocks);
    for (; trace->block_count < count && !r->fault; trace->block_count++) {
        struct trace_block *block = &trace->blocks[trace->block_count];
        get_block(r, trace->block_count ? block - 1 : NULL, block);
    }
    check(r, trace->block_count > 0, "no blocks");
}

static void get_parts(struct reader *r)
{
    enum { PART_BYTES = 8 };
    struct trace *trace = r->trace;
    uint64_t blocks = product(trace->head.grid, UINT64_MAX / 2);
    trace->part_blocks = get(r, 8);
    uint32_t count = (uint32_t)get_count(r, 4, PART_BYTES);
    check(r,
          !count || (trace->part_blocks && trace->part_blocks <= blocks &&
                     (blocks - 1) / trace->part_blocks < count),
          "parts that are not those of the grid");
    trace->work = ARENA_ARRAY(&trace->arena, float, count + 1u);
    trace->stand_ins = ARENA_ARRAY(&trace->arena, uint32_t, count + 1u);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits = get32(r);
        memcpy(&trace->work[i], &bits, sizeof bits);
        trace->stand_ins[i] = get32(r);
        check(r, isfinite(trace->work[i]) && trace->work[i] >= 0, "instructions of a part");
        check(r, trace->stand_ins[i] < trace->block_count, "unknown block for a part");
    }
    if (!r->fault) trace->part_count = count;
}

static void get_control(struct reader *r, struct insn_control *out)
{
    enum { STALL_MAX = 15 };
    uint8_t issue = get_small(r, STALL_MAX << 2 | 3, "invalid stall count");
    out->is_set = issue & 1;
    out->stays = issue >> 1 & 1;
    out->stall = issue >> 2;
    out->writes = get_small(r, CONTROL_NO_COUNTER, "invalid write counter");
    out->reads = get_small(r, CONTROL_NO_COUNTER, "invalid read counter");
    out->awaited = get_small(r, (1 << CONTROL_COUNTERS) - 1, "invalid awaited counters");
    out->reuse = get_small(r, 15, "invalid reuse bits");
    for (unsigned i = 0; i < CONTROL_SLOTS; i++)
        out->slots[i] = (uint8_t)get(r, 1);
}

/* Of native code, and before asynchronous work. */
static void get_controls(struct reader *r)
{
    if (r->fault || r->at == r->size) return;
    for (uint32_t i = 0; i < r->trace->insn_count && !r->fault; i++)
        get_control(r, &r->trace->insns[i].control);
}

/* The last part, of code that leaves something to go on. */
static void get_asyncs(struct reader *r)
{
    if (r->fault || r->at == r->size) return;
    for (uint32_t i = 0; i < r->trace->insn_count && !r->fault; i++) {
        r->trace->insns[i].async =
            get_small(r, TRACE_PHASE_WAIT, "unknown kind of asynchronous work");
        r->trace->insns[i].product_bytes = (uint16_t)get(r, 2);
    }
}

/* Only what is asynchronous has more accesses than there are spaces. */
static void check_accesses(struct reader *r)
{
    for (uint32_t i = 0; i < r->trace->block_count && !r->fault; i++) {
        const char *fault = trace_block_fault(r->trace, &r->trace->blocks[i], true);
        check(r, !fault, fault);
    }
}

ws_status trace_decode(struct diag *diag, const char *name, const void *bytes, size_t size,
                       struct trace **out)
{
    struct reader r = {.diag = diag, .name = name, .bytes = bytes, .size = size};
    *out = NULL;
    r.trace = trace_create();
    get_head(&r);
    get_insns(&r);
    get_patterns(&r);
    get_blocks(&r);
    get_parts(&r);
    get_controls(&r);
    get_asyncs(&r);
    check_accesses(&r);
    check(&r, r.at == size, "trailing bytes");
    if (!r.fault) {
        if (r.trace->part_count) trace_find_strides(r.trace);
        *out = r.trace;
        return WS_OK;
    }
    trace_destroy(r.trace);
    return diag_error(diag, WS_ERR_INPUT, "%s: error: byte %zu of the warp traces: %s", name,
                      r.fault_at, r.fault);
}
