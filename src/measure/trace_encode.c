// SPDX-License-Identifier: Apache-2.0
/* The order of the fields is that of trace_decode.c. */
#include <string.h>

#include "measure/trace_file.h"

static void put_number(struct strbuf *out, uint64_t value, unsigned bytes)
{
    char text[8];
    for (unsigned i = 0; i < bytes; i++)
        text[i] = (char)(uint8_t)(value >> (8 * i));
    strbuf_append(out, text, bytes);
}

/* NULL has the length 2^32 - 1. */
static void put_text(struct strbuf *out, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    put_number(out, text ? length : UINT32_MAX, 4);
    if (length) strbuf_append(out, text, length);
}

static void put_triple(struct strbuf *out, const uint32_t values[3])
{
    for (unsigned i = 0; i < 3; i++)
        put_number(out, values[i], 4);
}

static void put_head(struct strbuf *out, const struct trace *trace)
{
    const struct trace_head *head = &trace->head;
    put_text(out, head->kernel);
    put_text(out, head->isa);
    put_number(out, head->target, 4);
    put_number(out, head->view, 1);
    put_triple(out, head->grid);
    put_triple(out, head->block);
    put_number(out, head->static_shared_bytes, 8);
    put_number(out, head->dynamic_shared_bytes, 8);
    put_number(out, head->registers, 4);
    put_number(out, trace->bytes, 8);
}

/* Classes by name, so that a new one does not change the file. */
static void put_insn(struct strbuf *out, const struct trace *trace, const struct trace_insn *insn)
{
    /* Of old files the last one is 0 or 1: unrolled loops came later. */
    uint8_t guarded = (uint8_t)(insn->guarded | insn->every << 1 | insn->reads_parameters << 4 |
                                insn->clock_reads << 5);
    const uint8_t bytes[] = {insn->operation, insn->space,      insn->bytes,
                             insn->cache_op,  insn->semantics,  insn->flags,
                             insn->barrier,   insn->barrier_id, guarded};
    put_text(out, insn->op);
    put_text(out, insn->file);
    put_text(out, class_ids[insn->class_id]);
    put_number(out, insn->pc, 4);
    put_number(out, insn->access_pc, 4);
    put_number(out, insn->line, 4);
    put_number(out, insn->source_line, 4);
    put_number(out, insn->barrier_threads, 2);
    strbuf_append(out, (const char *)bytes, sizeof bytes);
    put_number(out, insn->read_count, 1);
    put_number(out, insn->write_count, 1);
    const uint32_t *registers = trace_reads(trace, insn);
    for (unsigned i = 0; i < (unsigned)insn->read_count + insn->write_count; i++)
        put_number(out, registers[i], 4);
}

static void put_patterns(struct strbuf *out, const struct trace *trace)
{
    put_number(out, trace->offset_count, 8);
    for (uint64_t i = 0; i < trace->offset_count; i++)
        put_number(out, (uint32_t)trace->offsets[i], 4);
    put_number(out, trace->wide_offset_count, 8);
    for (uint64_t i = 0; i < trace->wide_offset_count; i++)
        put_number(out, (uint64_t)trace->wide_offsets[i], 8);
    put_number(out, trace->pattern_count, 4);
    for (uint32_t i = 0; i < trace->pattern_count; i++) {
        const struct trace_pattern *p = &trace->patterns[i];
        put_number(out, p->mask, 4);
        put_number(out, p->space, 1);
        put_number(out, p->bytes, 1);
        put_number(out, p->shape, 1);
        put_number(out, p->wide, 1);
        put_number(out, (uint64_t)p->stride, 8);
        put_number(out, (uint64_t)p->second, 8);
        put_number(out, p->first, 8);
    }
}

static void put_block(struct strbuf *out, const struct trace *trace,
                      const struct trace_block *block)
{
    put_number(out, block->index, 8);
    put_number(out, block->work, 8);
    put_number(out, block->pattern_count, 4);
    for (uint32_t i = 0; i < block->pattern_count; i++)
        put_number(out, block->pattern_ids[i], 4);
    for (uint32_t i = 0; i < trace->head.warps_per_block; i++) {
        const struct trace_warp *warp = &block->warps[i];
        put_number(out, warp->threads, 4);
        put_number(out, warp->step_count, 8);
        put_number(out, warp->run_bytes, 8);
        put_number(out, warp->data_bytes, 8);
        strbuf_append(out, (const char *)warp->runs, warp->run_bytes);
        strbuf_append(out, (const char *)warp->data, warp->data_bytes);
    }
}

static void put_parts(struct strbuf *out, const struct trace *trace)
{
    put_number(out, trace->part_blocks, 8);
    put_number(out, trace->part_count, 4);
    for (uint32_t i = 0; i < trace->part_count; i++) {
        uint32_t bits;
        memcpy(&bits, &trace->work[i], sizeof bits);
        put_number(out, bits, 4);
        put_number(out, trace->stand_ins[i], 4);
    }
}

/* Nothing where no instruction has any, nor asynchronous work: so were files before native code was executed. */
static void put_controls(struct strbuf *out, const struct trace *trace, bool is_followed)
{
    bool has_any = is_followed;
    for (uint32_t i = 0; i < trace->insn_count; i++)
        has_any |= trace->insns[i].control.is_set;
    for (uint32_t i = 0; has_any && i < trace->insn_count; i++) {
        const struct insn_control *c = &trace->insns[i].control;
        uint8_t issue = (uint8_t)(c->is_set | c->stays << 1 | c->stall << 2);
        const uint8_t bytes[] = {issue,    c->writes,   c->reads,    c->awaited,
                                 c->reuse, c->slots[0], c->slots[1], c->slots[2]};
        strbuf_append(out, (const char *)bytes, sizeof bytes);
    }
}

static bool has_async(const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->insn_count; i++)
        if (trace->insns[i].async != TRACE_IN_ORDER) return true;
    return false;
}

static void put_asyncs(struct strbuf *out, const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->insn_count; i++) {
        put_number(out, trace->insns[i].async, 1);
        put_number(out, trace->insns[i].product_bytes, 2);
    }
}

void trace_encode(const struct trace *trace, struct strbuf *out)
{
    put_head(out, trace);
    put_number(out, trace->insn_count, 4);
    for (uint32_t i = 0; i < trace->insn_count; i++)
        put_insn(out, trace, &trace->insns[i]);
    put_patterns(out, trace);
    put_number(out, trace->block_count, 4);
    for (uint32_t i = 0; i < trace->block_count; i++)
        put_block(out, trace, &trace->blocks[i]);
    put_parts(out, trace);
    put_controls(out, trace, has_async(trace));
    if (has_async(trace)) put_asyncs(out, trace);
}
