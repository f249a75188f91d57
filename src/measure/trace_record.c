// SPDX-License-Identifier: Apache-2.0
#include "measure/trace_record.h"

#include <stdlib.h>
#include <string.h>

#include "measure/bits.h"
#include "measure/trace_plan.h"
#include "measure/trace_writer.h"

/* Runs of code blocks between two looks at the memory in use. */
enum { RUNS_BETWEEN_CHECKS = 1024 };

struct pending_guard {
    uint32_t item, on;
};
struct pending_access {
    uint32_t item;
    struct trace_access access;
};

/* The last regular access of a site: what its pattern depends on, and its answer. */
struct site_memo {
    uint32_t mask;
    uint8_t shape, space;
    int64_t stride;
    uint64_t delta, to_base; /* base2 - base; what the lowest lane's address is above base */
    uint32_t pattern;
};

struct block_record {
    struct trace_recorder *recorder;
    uint32_t ordinal; /* among the blocks that are executed */
    bool given_up;
    struct block_writer writer;
    struct site_memo *memos; /* by site */
    /* The code block that runs; what it has said so far. */
    struct warp_writer *warp; /* NULL: none */
    const struct trace_plan_block *plan;
    uint32_t active;
    uint32_t runs;
    struct pending_guard *guards;
    struct pending_access *accesses;
    uint32_t guard_count, guard_capacity, access_count, access_capacity;
};

struct trace_recorder {
    struct trace_plan plan;
    struct trace_builder *builder;
    const struct launch_view *launch;
    enum isa_view view;
    uint32_t warps_per_block, block_count;
    uint64_t max_bytes;
    struct block_record *blocks; /* by ordinal */
    uint64_t *sizes;             /* by ordinal: bytes in use, as last looked at */
    uint32_t too_large;          /* least ordinal that was given up; block_count: none */
};

struct trace_recorder *trace_recorder_create(const struct launch_view *launch, enum isa_view view,
                                             uint32_t blocks, uint64_t max_bytes)
{
    struct trace_recorder *recorder = mem_zalloc(1, sizeof *recorder);
    uint64_t executed = launch_executed_blocks(launch);
    recorder->launch = launch;
    recorder->view = view;
    recorder->builder = trace_builder_create(&(struct trace_head){0});
    trace_plan_init(&recorder->plan, launch, view, recorder->builder);
    recorder->warps_per_block = launch->warps_per_block;
    recorder->block_count = blocks < executed ? blocks : (uint32_t)executed;
    recorder->too_large = recorder->block_count;
    recorder->max_bytes = max_bytes;
    recorder->blocks = mem_zalloc(recorder->block_count + 1, sizeof *recorder->blocks);
    recorder->sizes = mem_zalloc(recorder->block_count + 1, sizeof *recorder->sizes);
    return recorder;
}

static void drop_scratch(struct block_record *block)
{
    mem_free(block->memos);
    mem_free(block->guards);
    mem_free(block->accesses);
    block->memos = NULL;
    block->guards = NULL;
    block->accesses = NULL;
    block->guard_count = block->guard_capacity = 0;
    block->access_count = block->access_capacity = 0;
}

static void free_recorder(struct trace_recorder *recorder)
{
    for (uint32_t i = 0; i < recorder->block_count; i++) {
        drop_scratch(&recorder->blocks[i]);
        block_writer_clear(&recorder->blocks[i].writer);
    }
    trace_plan_clear(&recorder->plan);
    mem_free(recorder->blocks);
    mem_free(recorder->sizes);
    mem_free(recorder);
}

void trace_recorder_destroy(struct trace_recorder *recorder)
{
    if (!recorder) return;
    trace_builder_cancel(recorder->builder);
    free_recorder(recorder);
}

struct block_record *trace_recorder_block(struct trace_recorder *recorder, uint64_t index)
{
    uint32_t low = 0, high = recorder->block_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (launch_block_index(recorder->launch, middle) < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == recorder->block_count || launch_block_index(recorder->launch, low) != index)
        return NULL;
    struct block_record *block = &recorder->blocks[low];
    *block = (struct block_record){.recorder = recorder, .ordinal = low};
    block_writer_init(&block->writer, index, recorder->warps_per_block);
    block->memos = mem_zalloc(recorder->plan.site_count + 1, sizeof *block->memos);
    return block;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void give_up(struct block_record *block)
{
    block->given_up = true;
    block->warp = NULL;
    drop_scratch(block);
    block_writer_clear(&block->writer);
}

/* Sizes only grow: once the blocks up to this one take too much now, they will at the end; and a
 * block behind one that is left out is left out, too. So what is kept does not depend on which block
 * was first to be looked at. */
static void check_memory(struct block_record *block)
{
    struct trace_recorder *recorder = block->recorder;
    uint64_t sum = 0;
    __atomic_store_n(&recorder->sizes[block->ordinal], block_writer_bytes(&block->writer),
                     __ATOMIC_RELAXED);
    for (uint32_t i = 0; i <= block->ordinal; i++)
        sum += __atomic_load_n(&recorder->sizes[i], __ATOMIC_RELAXED);
    uint32_t least = __atomic_load_n(&recorder->too_large, __ATOMIC_RELAXED);
    if (sum <= recorder->max_bytes && least > block->ordinal) return;
    while (block->ordinal < least &&
           !__atomic_compare_exchange_n(&recorder->too_large, &least, block->ordinal, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    give_up(block);
}

/* ---- a run of a code block ------------------------------------------------------------------- */

/* Accesses in the order of the instructions that make them in the trace. */
static void sort_accesses(struct block_record *block)
{
    for (uint32_t i = 1; i < block->access_count; i++) {
        struct pending_access moved = block->accesses[i];
        uint32_t at = i;
        for (; at && block->accesses[at - 1].item > moved.item; at--)
            block->accesses[at] = block->accesses[at - 1];
        block->accesses[at] = moved;
    }
}

static uint32_t write_accesses(struct block_record *block, uint32_t item, uint32_t site,
                               uint32_t at)
{
    struct trace_access accesses[TRACE_ACCESSES_MAX];
    unsigned count = 0;
    for (; at < block->access_count && block->accesses[at].item == item; at++)
        if (count < TRACE_ACCESSES_MAX) accesses[count++] = block->accesses[at].access;
    warp_writer_accesses(block->warp, site, accesses, count);
    return at;
}

/* Writes what the code block has said. */
static void end_run(struct block_record *block)
{
    const struct trace_plan_block *plan = block->plan;
    const struct trace_item *items = block->recorder->plan.items;
    uint32_t guard = 0, access = 0;
    if (plan->reorders) sort_accesses(block);
    warp_writer_run(block->warp, plan->first, plan->count, block->active);
    for (uint32_t i = plan->first_item; i < plan->first_item + plan->item_count; i++) {
        if (items[i].guarded) {
            uint32_t on = block->active;
            for (; guard < block->guard_count && block->guards[guard].item <= i; guard++)
                if (block->guards[guard].item == i) on = block->guards[guard].on;
            warp_writer_guard(block->warp, block->active, on);
        }
        if (items[i].site != TRACE_NO_SITE)
            access = write_accesses(block, i, items[i].site, access);
    }
    block->guard_count = block->access_count = 0;
    block->warp = NULL;
    if (++block->runs % RUNS_BETWEEN_CHECKS == 0) check_memory(block);
}

void block_record_run(struct block_record *block, uint32_t warp, uint32_t threads,
                      uint32_t code_block, uint32_t active)
{
    if (block->warp) end_run(block);
    if (block->given_up) return;
    block->warp = &block->writer.warps[warp];
    block->warp->threads = threads;
    block->plan = &block->recorder->plan.blocks[code_block];
    block->active = active;
}

/* Is the item one of the code block that runs? */
static bool is_running(const struct block_record *block, uint32_t item)
{
    return block->warp && item != TRACE_NO_ITEM && item >= block->plan->first_item &&
           item < block->plan->first_item + block->plan->item_count;
}

void block_record_guard(struct block_record *block, uint32_t insn, uint32_t on)
{
    uint32_t item = block->recorder->plan.guard_items[insn];
    if (!is_running(block, item)) return;
    GROW(block->guards, block->guard_count, block->guard_capacity);
    block->guards[block->guard_count++] = (struct pending_guard){item, on};
}

static uint32_t find_pattern(struct block_record *block, struct site_memo *memo,
                             const struct access *access, uint64_t *out_base)
{
    uint64_t delta = access->shape == ACCESS_HALVES ? access->base2 - access->base : 0;
    int64_t stride = access->shape == ACCESS_UNIFORM ? 0 : access->stride;
    bool regular = access->shape != ACCESS_GENERAL;
    if (regular && memo->mask == access->mask && memo->shape == access->shape &&
        memo->space == access->space && memo->stride == stride && memo->delta == delta) {
        *out_base = access->base + memo->to_base;
        return memo->pattern;
    }
    uint32_t pattern = pattern_set_add(&block->writer.patterns, access, out_base);
    if (regular)
        *memo = (struct site_memo){access->mask, access->shape, access->space,
                                   stride,       delta,         *out_base - access->base,
                                   pattern};
    return pattern;
}

void block_record_access(struct block_record *block, uint32_t insn, const struct access *access)
{
    const struct trace_plan *plan = &block->recorder->plan;
    uint32_t item = plan->access_items[insn];
    if (!is_running(block, item)) return;
    GROW(block->accesses, block->access_count, block->access_capacity);
    struct pending_access *pending = &block->accesses[block->access_count++];
    pending->item = item;
    pending->access.pattern =
        find_pattern(block, &block->memos[plan->items[item].site], access, &pending->access.base);
}

void block_record_end(struct block_record *block)
{
    if (block->warp) end_run(block);
    for (uint32_t i = 0; i < block->writer.warp_count; i++)
        warp_writer_end(&block->writer.warps[i]);
    if (!block->given_up) check_memory(block);
    drop_scratch(block);
}

/* ---- the trace ------------------------------------------------------------------------------- */

/* Recorded traces leave out blocks that did nothing. Returns how many blocks there was room for, the
 * empty ones among them. */
static uint32_t take_blocks(struct trace_recorder *recorder)
{
    uint64_t sum = 0;
    uint32_t i = 0;
    for (; i < recorder->too_large; i++) {
        struct block_record *block = &recorder->blocks[i];
        if (!block->writer.warps) continue;
        sum += block_writer_bytes(&block->writer);
        if (sum > recorder->max_bytes) break;
        trace_builder_take_block(recorder->builder, &block->writer);
    }
    return i;
}

struct trace *trace_recorder_finish(struct trace_recorder *recorder, struct profile *profile,
                                    const char **out_reason)
{
    const double mebibytes = (double)recorder->max_bytes / (1 << 20);
    uint32_t taken = take_blocks(recorder);
    if (taken && taken < recorder->block_count)
        profile_add_note(profile,
                         "Warp traces cover %u blocks instead of %u: more would exceed %g MiB.",
                         taken, recorder->block_count, mebibytes);
    struct trace_head head = {.kernel = profile->kernel,
                              .isa = profile->isa,
                              .target = recorder->launch->module->target,
                              .view = (uint8_t)recorder->view,
                              .static_shared_bytes = profile->static_shared_bytes,
                              .dynamic_shared_bytes = profile->dynamic_shared_bytes};
    memcpy(head.grid, profile->grid, sizeof head.grid);
    memcpy(head.block, profile->block, sizeof head.block);
    trace_builder_name(recorder->builder, &head);
    struct trace *trace = trace_builder_finish(recorder->builder);
    uint32_t asked = recorder->block_count;
    free_recorder(recorder);
    *out_reason = NULL;
    if (trace->block_count) return trace;
    if (taken < asked)
        *out_reason = arena_format(&profile->arena,
                                   "the warp trace of the first block exceeds %g MiB", mebibytes);
    else
        *out_reason = arena_format(&profile->arena,
                                   "the first %u blocks of the grid were not recorded", asked);
    trace_destroy(trace);
    return NULL;
}
