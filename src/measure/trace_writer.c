// SPDX-License-Identifier: Apache-2.0
#include "measure/trace_writer.h"

#include <stdlib.h>
#include <string.h>

void block_writer_init(struct block_writer *writer, uint64_t index, uint32_t warp_count)
{
    *writer = (struct block_writer){.index = index, .warp_count = warp_count};
    writer->warps = mem_zalloc(warp_count, sizeof *writer->warps);
}

void block_writer_clear(struct block_writer *writer)
{
    for (uint32_t i = 0; i < writer->warp_count; i++) {
        mem_free(writer->warps[i].runs.bytes);
        mem_free(writer->warps[i].data.bytes);
        mem_free(writer->warps[i].sites);
    }
    mem_free(writer->warps);
    pattern_set_clear(&writer->patterns);
    *writer = (struct block_writer){0};
}

uint64_t block_writer_bytes(const struct block_writer *writer)
{
    uint64_t bytes = pattern_set_bytes(&writer->patterns);
    for (uint32_t i = 0; i < writer->warp_count; i++)
        bytes += writer->warps[i].runs.size + writer->warps[i].data.size;
    return bytes;
}

/* ---- numbers --------------------------------------------------------------------------------- */

enum { NUMBER_BYTES_MAX = 10, ROOM = 2 * NUMBER_BYTES_MAX + 8 };

static inline void make_room(struct byte_stream *stream)
{
    if (stream->size + ROOM <= stream->capacity) return;
    stream->capacity = stream->capacity ? 2 * stream->capacity : 128;
    stream->bytes = mem_realloc(stream->bytes, stream->capacity);
}

static inline void put_number(struct byte_stream *stream, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        stream->bytes[stream->size++] = (uint8_t)(value | 0x80);
    stream->bytes[stream->size++] = (uint8_t)value;
}

static inline void put_mask(struct byte_stream *stream, uint32_t mask)
{
    for (unsigned i = 0; i < 4; i++)
        stream->bytes[stream->size++] = (uint8_t)(mask >> (8 * i));
}

static inline uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Ends the run that may still grow. */
void warp_writer_end(struct warp_writer *warp)
{
    if (!warp->count) return;
    make_room(&warp->runs);
    bool other = warp->active != warp->last_active;
    int64_t distance = (int64_t)warp->first - (int64_t)warp->end;
    put_number(&warp->runs, zigzag(distance) << 1 | other);
    put_number(&warp->runs, warp->count);
    if (other) put_mask(&warp->runs, warp->active);
    warp->end = warp->first + warp->count;
    warp->last_active = warp->active;
    warp->steps += warp->count;
    warp->count = 0;
}

void warp_writer_run(struct warp_writer *warp, uint32_t first, uint32_t count, uint32_t active)
{
    if (!count) return;
    bool follows = warp->count && first == warp->first + warp->count && active == warp->active;
    if (!follows) {
        warp_writer_end(warp);
        warp->first = first;
        warp->active = active;
    }
    warp->count += count;
}

void warp_writer_guard(struct warp_writer *warp, uint32_t active, uint32_t on)
{
    struct byte_stream *data = &warp->data;
    make_room(data);
    if (on == active) {
        data->bytes[data->size++] = GUARD_ALL;
    } else if (!on) {
        data->bytes[data->size++] = GUARD_NONE;
    } else if (on == warp->guard) {
        data->bytes[data->size++] = GUARD_LAST;
    } else {
        data->bytes[data->size++] = GUARD_SAID;
        put_mask(data, on);
        warp->guard = on;
    }
}

static struct trace_site_state *site_state(struct warp_writer *warp, uint32_t site)
{
    if (site >= warp->site_count) {
        uint32_t count = site + 1 > 2 * warp->site_count ? site + 1 : 2 * warp->site_count;
        warp->sites = mem_realloc(warp->sites, count * sizeof *warp->sites);
        memset(warp->sites + warp->site_count, 0, (count - warp->site_count) * sizeof *warp->sites);
        warp->site_count = count;
    }
    return &warp->sites[site];
}

void warp_writer_accesses(struct warp_writer *warp, uint32_t site,
                          const struct trace_access *accesses, unsigned count)
{
    struct byte_stream *data = &warp->data;
    struct trace_site_state *state = site_state(warp, site);
    make_room(data);
    if (!count) data->bytes[data->size++] = 0;
    for (unsigned i = 0; i < count; i++) {
        make_room(data);
        uint64_t delta = accesses[i].base - state->base;
        bool new_pattern = accesses[i].pattern != state->pattern;
        bool new_delta = delta != state->delta;
        data->bytes[data->size++] =
            (uint8_t)(ACCESS_PRESENT | (i + 1 < count ? ACCESS_MORE : 0) |
                      (new_pattern ? ACCESS_NEW_PATTERN : 0) | (new_delta ? ACCESS_NEW_DELTA : 0));
        if (new_pattern) put_number(data, accesses[i].pattern);
        if (new_delta) put_number(data, zigzag((int64_t)delta));
        *state = (struct trace_site_state){accesses[i].base, delta, accesses[i].pattern};
    }
}

/* ---- the builder ----------------------------------------------------------------------------- */

struct trace_builder {
    struct trace *trace;
    uint32_t insn_capacity, register_end, register_capacity, block_capacity;
    struct pattern_set patterns;
    struct block_writer writer; /* warps NULL: no block is open */
    uint32_t warp;
    uint64_t bytes; /* of the blocks that are closed */
};

struct trace_builder *trace_builder_create(const struct trace_head *head)
{
    struct trace_builder *builder = mem_zalloc(1, sizeof *builder);
    builder->trace = trace_create();
    trace_builder_name(builder, head);
    return builder;
}

void trace_builder_name(struct trace_builder *builder, const struct trace_head *head)
{
    struct trace *trace = builder->trace;
    trace->head = *head;
    trace->head.kernel = arena_copy(&trace->arena, head->kernel ? head->kernel : "");
    trace->head.isa = arena_copy(&trace->arena, head->isa ? head->isa : "");
    uint32_t threads = head->block[0] * head->block[1] * head->block[2];
    trace->head.warps_per_block = (threads + 31) / 32;
}

static void add_registers(struct trace_builder *builder, const uint32_t *list, unsigned count)
{
    struct trace *trace = builder->trace;
    for (unsigned i = 0; i < count; i++) {
        GROW(trace->registers, builder->register_end, builder->register_capacity);
        trace->registers[builder->register_end++] = list[i];
        if (list[i] >= trace->register_count) trace->register_count = list[i] + 1;
    }
}

uint32_t trace_builder_add_insn(struct trace_builder *builder, const struct trace_insn *insn,
                                const uint32_t *reads, unsigned read_count, const uint32_t *writes,
                                unsigned write_count)
{
    struct trace *trace = builder->trace;
    GROW(trace->insns, trace->insn_count, builder->insn_capacity);
    struct trace_insn *added = &trace->insns[trace->insn_count];
    *added = *insn;
    added->op = arena_copy(&trace->arena, insn->op ? insn->op : "");
    added->file = insn->file ? arena_copy(&trace->arena, insn->file) : NULL;
    added->site = insn->operation == TRACE_NO_ACCESS ? TRACE_NO_SITE : trace->site_count++;
    added->first_register = builder->register_end;
    added->read_count = (uint8_t)read_count;
    added->write_count = (uint8_t)write_count;
    add_registers(builder, reads, read_count);
    add_registers(builder, writes, write_count);
    return trace->insn_count++;
}

static void close_block(struct trace_builder *builder)
{
    if (builder->writer.warps) trace_builder_take_block(builder, &builder->writer);
}

void trace_builder_begin_block(struct trace_builder *builder, uint64_t index)
{
    close_block(builder);
    block_writer_init(&builder->writer, index, builder->trace->head.warps_per_block);
}

void trace_builder_begin_warp(struct trace_builder *builder, uint32_t warp, uint32_t threads)
{
    builder->warp = warp;
    builder->writer.warps[warp].threads = threads;
}

void trace_builder_step(struct trace_builder *builder, uint32_t insn, uint32_t active, uint32_t on,
                        const struct access *accesses, unsigned access_count)
{
    const struct trace_insn *info = &builder->trace->insns[insn];
    struct warp_writer *warp = &builder->writer.warps[builder->warp];
    struct trace_access kept[TRACE_ACCESSES_MAX];
    if (access_count > trace_accesses_most(info)) access_count = trace_accesses_most(info);
    for (unsigned i = 0; i < access_count; i++)
        kept[i].pattern = pattern_set_add(&builder->writer.patterns, &accesses[i], &kept[i].base);
    warp_writer_run(warp, insn, 1, active);
    if (info->guarded) warp_writer_guard(warp, active, on);
    if (info->site != TRACE_NO_SITE) warp_writer_accesses(warp, info->site, kept, access_count);
}

static const uint8_t *keep_stream(struct trace *trace, const struct byte_stream *stream)
{
    static const uint8_t nothing[1];
    if (!stream->size) return nothing;
    return memcpy(arena_alloc(&trace->arena, stream->size), stream->bytes, stream->size);
}

void trace_builder_take_block(struct trace_builder *builder, struct block_writer *writer)
{
    struct trace *trace = builder->trace;
    GROW(trace->blocks, trace->block_count, builder->block_capacity);
    struct trace_block *block = &trace->blocks[trace->block_count++];
    *block = (struct trace_block){
        .index = writer->index, .work = writer->work, .pattern_count = writer->patterns.count};
    uint32_t *ids = ARENA_ARRAY(&trace->arena, uint32_t, writer->patterns.count + 1);
    for (uint32_t i = 0; i < writer->patterns.count; i++)
        ids[i] = pattern_set_copy(&builder->patterns, &writer->patterns, i);
    block->pattern_ids = ids;
    block->warps = ARENA_ARRAY(&trace->arena, struct trace_warp, writer->warp_count);
    for (uint32_t i = 0; i < writer->warp_count; i++) {
        struct warp_writer *warp = &writer->warps[i];
        warp_writer_end(warp);
        block->warps[i] = (struct trace_warp){.runs = keep_stream(trace, &warp->runs),
                                              .data = keep_stream(trace, &warp->data),
                                              .run_bytes = warp->runs.size,
                                              .data_bytes = warp->data.size,
                                              .step_count = warp->steps,
                                              .threads = warp->threads};
        block->step_count += warp->steps;
    }
    trace->step_count += block->step_count;
    builder->bytes += block_writer_bytes(writer);
    block_writer_clear(writer);
}

uint64_t trace_builder_bytes(const struct trace_builder *builder)
{
    return builder->bytes + block_writer_bytes(&builder->writer);
}

struct trace *trace_builder_finish(struct trace_builder *builder)
{
    struct trace *trace = builder->trace;
    close_block(builder);
    struct pattern_set *patterns = &builder->patterns;
    trace->pattern_count = patterns->count;
    trace->patterns = patterns->items;
    trace->offsets = patterns->offsets;
    trace->wide_offsets = patterns->wide_offsets;
    trace->offset_count = patterns->offset_count;
    trace->wide_offset_count = patterns->wide_count;
    trace->bytes = builder->bytes;
    mem_free(patterns->slots);
    mem_free(builder);
    return trace;
}

void trace_builder_cancel(struct trace_builder *builder)
{
    block_writer_clear(&builder->writer);
    trace_destroy(trace_builder_finish(builder));
}
