// SPDX-License-Identifier: Apache-2.0
#include "measure/trace_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "measure/bits.h"
#include "measure/measure_sample.h"
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

/* Code blocks that are issued next, whoever gets there (trace_plan_block.followers). */
enum { PENDING_MAX = 2 };
struct pending_blocks {
    uint32_t blocks[PENDING_MAX], count;
    uint32_t active; /* lanes in front of them */
};

/* Of an mbarrier object: phases that have ended, steps that ended their part of this one, and of the last one. */
struct object_record {
    uint64_t key; /* address, plus 1 */
    uint32_t phases, parts, last_parts;
};

/* Lines, or sectors, that a copy in bulk touches, until there are as many as lanes. */
struct bulk_record {
    uint32_t insn;
    unsigned count, bytes;
    uint64_t pieces[32];
};

struct block_record {
    struct trace_recorder *recorder;
    uint32_t ordinal; /* among those that are to be recorded: the last ones are left out first */
    bool given_up;
    struct block_writer writer;
    struct site_memo *memos; /* by site */
    /* The code block that runs; what it has said so far. */
    struct warp_writer *warp; /* NULL: none */
    const struct trace_plan_block *plan;
    uint32_t active, issued; /* lanes that are there; with which it is issued */
    uint32_t runs;
    struct pending_blocks *pending; /* by warp; NULL: there are none */
    struct pending_guard *guards;
    struct pending_access *accesses;
    uint32_t guard_count, guard_capacity, access_count, access_capacity;
    struct hash_table objects; /* struct object_record */
    struct bulk_record bulk;
};

struct candidate {
    uint64_t index; /* in the grid */
    uint32_t ordinal;
};

struct trace_recorder {
    struct trace_plan plan;
    struct trace_builder *builder;
    const struct launch_view *launch;
    enum isa_view view;
    uint32_t warps_per_block, block_count;
    uint32_t drawn_count; /* of the block_count; the others are the first of the grid */
    uint64_t max_bytes;
    struct candidate *candidates; /* ascending */
    struct block_record *blocks;  /* by ordinal */
    uint64_t *sizes;              /* by ordinal: bytes in use, as last looked at */
    uint32_t too_large;           /* least ordinal that was given up; block_count: none */
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* 0, 1/2, 1/4, 3/4, 1/8 ...: `turn` of `count`, each once. */
static uint32_t spread(uint32_t turn, uint32_t count)
{
    uint32_t size = 1, at = 0;
    while (size < count)
        size *= 2;
    for (uint32_t i = 0;; i++) {
        uint32_t turned = 0;
        for (uint32_t bit = 1; bit < size; bit *= 2)
            turned = turned * 2 + ((i & bit) != 0);
        if (turned < count && at++ == turn) return turned;
    }
}

static void add_candidate(struct trace_recorder *recorder, uint64_t index)
{
    uint32_t ordinal = recorder->block_count++;
    recorder->candidates[ordinal] = (struct candidate){index, ordinal};
}

/* The drawn clusters. */
static void add_drawn(struct trace_recorder *recorder, const uint64_t *drawn, uint32_t count)
{
    uint32_t clusters = 0, *firsts = mem_zalloc(count + 1u, sizeof *firsts);
    for (uint32_t i = 0; i < count; i++)
        if (!i || drawn[i] != drawn[i - 1] + 1) firsts[clusters++] = i;
    firsts[clusters] = count;
    for (uint32_t turn = 0; turn < clusters; turn++) {
        uint32_t cluster = spread(turn, clusters);
        for (uint32_t i = firsts[cluster]; i < firsts[cluster + 1]; i++)
            add_candidate(recorder, drawn[i]);
    }
    recorder->drawn_count = recorder->block_count;
    mem_free(firsts);
}

static bool is_among(const uint64_t *drawn, uint32_t count, uint64_t index)
{
    for (uint32_t i = 0; i < count; i++)
        if (drawn[i] == index) return true;
    return false;
}

static void choose_blocks(struct trace_recorder *recorder, uint32_t blocks, bool with_first)
{
    const struct launch_view *launch = recorder->launch;
    uint64_t *drawn;
    uint32_t count = block_sample_traced(launch->grid, launch->seed, blocks, &drawn);
    recorder->candidates = mem_zalloc(2 * (size_t)count + 2, sizeof *recorder->candidates);
    if (with_first && count && drawn[0]) add_candidate(recorder, 0);
    add_drawn(recorder, drawn, count);
    for (uint32_t i = 0; launch->module->native && i < count; i++)
        if (!is_among(drawn, count, i)) add_candidate(recorder, i);
    qsort(recorder->candidates, recorder->block_count, sizeof *recorder->candidates,
          compare_candidates);
    mem_free(drawn);
}

struct trace_recorder *trace_recorder_create(const struct launch_view *launch, enum isa_view view,
                                             uint32_t blocks, uint64_t max_bytes, bool with_first)
{
    struct trace_recorder *recorder = mem_zalloc(1, sizeof *recorder);
    recorder->launch = launch;
    recorder->view = view;
    recorder->builder = trace_builder_create(&(struct trace_head){0});
    trace_plan_init(&recorder->plan, launch, view, recorder->builder);
    recorder->warps_per_block = launch->warps_per_block;
    choose_blocks(recorder, blocks, with_first);
    recorder->too_large = recorder->block_count;
    recorder->max_bytes = max_bytes;
    recorder->blocks = mem_zalloc(recorder->block_count + 1, sizeof *recorder->blocks);
    recorder->sizes = mem_zalloc(recorder->block_count + 1, sizeof *recorder->sizes);
    return recorder;
}

static void drop_scratch(struct block_record *block)
{
    mem_free(block->memos);
    mem_free(block->pending);
    mem_free(block->guards);
    mem_free(block->accesses);
    hash_table_clear(&block->objects);
    block->memos = NULL;
    block->pending = NULL;
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
    mem_free(recorder->candidates);
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
        if (recorder->candidates[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == recorder->block_count || recorder->candidates[low].index != index) return NULL;
    uint32_t ordinal = recorder->candidates[low].ordinal;
    struct block_record *block = &recorder->blocks[ordinal];
    *block = (struct block_record){.recorder = recorder, .ordinal = ordinal};
    block_writer_init(&block->writer, index, recorder->warps_per_block);
    block->memos = mem_zalloc(recorder->plan.site_count + 1, sizeof *block->memos);
    if (recorder->plan.has_followers)
        block->pending = mem_zalloc(recorder->warps_per_block, sizeof *block->pending);
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

static uint32_t write_accesses(struct block_record *block, uint32_t item, uint32_t at)
{
    const struct trace_item *told = &block->recorder->plan.items[item];
    struct trace_access accesses[TRACE_ACCESSES_MAX];
    unsigned count = 0;
    for (; at < block->access_count && block->accesses[at].item == item; at++)
        if (count < told->accesses_most) accesses[count++] = block->accesses[at].access;
    warp_writer_accesses(block->warp, told->site, accesses, count);
    return at;
}

static void end_bulk(struct block_record *block);

/* Writes what the code block has said. */
static void end_run(struct block_record *block)
{
    const struct trace_plan_block *plan = block->plan;
    const struct trace_item *items = block->recorder->plan.items;
    uint32_t guard = 0, access = 0;
    end_bulk(block);
    if (plan->reorders) sort_accesses(block);
    if (plan->count) warp_writer_run(block->warp, plan->first, plan->count, block->issued);
    for (uint32_t i = plan->first_item; i < plan->first_item + plan->item_count; i++) {
        if (items[i].guarded) {
            uint32_t on = block->active;
            for (; guard < block->guard_count && block->guards[guard].item <= i; guard++)
                if (block->guards[guard].item == i) on = block->guards[guard].on;
            warp_writer_guard(block->warp, block->issued, on);
        }
        if (items[i].site != TRACE_NO_SITE) access = write_accesses(block, i, access);
    }
    block->guard_count = block->access_count = 0;
    block->warp = NULL;
    if (++block->runs % RUNS_BETWEEN_CHECKS == 0) check_memory(block);
}

static void begin_run(struct block_record *block, uint32_t warp, uint32_t code_block,
                      uint32_t active, uint32_t issued)
{
    block->warp = &block->writer.warps[warp];
    block->plan = &block->recorder->plan.blocks[code_block];
    block->active = active;
    block->issued = issued;
    if (!block->plan->follower_count) return;
    struct pending_blocks *pending = &block->pending[warp];
    pending->count = 0;
    for (uint32_t i = 0; i < block->plan->follower_count; i++)
        pending->blocks[pending->count++] = block->plan->followers[i];
    pending->active = issued;
}

/* Writes pending code blocks up to `code_block`, where no lane got to; one more of which lanes part comes later, out of
 * order. Is `code_block` one of them? It is taken off the list. */
static bool settle(struct block_record *block, uint32_t warp, uint32_t code_block, uint32_t active)
{
    struct pending_blocks *pending = &block->pending[warp];
    while (pending->count) {
        uint32_t next = pending->blocks[0];
        bool is_second = pending->count == 2 && pending->blocks[1] == code_block;
        if (is_second && active != pending->active) {
            pending->count = 1; /* lanes part, and those of the first side come later */
            return true;
        }
        pending->blocks[0] = pending->blocks[1];
        pending->count--;
        if (next == code_block) return true;
        begin_run(block, warp, next, 0, pending->active);
        end_run(block);
        if (block->given_up) return false;
    }
    return false;
}

void block_record_run(struct block_record *block, uint32_t warp, uint32_t threads,
                      uint32_t code_block, uint32_t active)
{
    if (block->warp) end_run(block);
    if (block->given_up) return;
    block->writer.warps[warp].threads = threads;
    bool is_follower = block->pending && settle(block, warp, code_block, active);
    if (block->given_up) return;
    begin_run(block, warp, code_block, active, is_follower ? block->pending[warp].active : active);
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

/* ---- what goes on by itself ------------------------------------------------------------------ */

enum { SECTOR = 32 };

/* So far, of the instruction that is executed. */
static unsigned count_accesses(const struct block_record *block, uint32_t item)
{
    unsigned count = 0;
    while (count < block->access_count &&
           block->accesses[block->access_count - count - 1].item == item)
        count++;
    return count;
}

/* The last place is the object's; what has no room is left out. */
static void end_bulk(struct block_record *block)
{
    struct bulk_record *bulk = &block->bulk;
    if (!bulk->count) return;
    uint32_t item = block->recorder->plan.access_items[bulk->insn];
    bool has_room = count_accesses(block, item) + 1 < TRACE_ACCESSES_MAX;
    struct access access = {.space = SPACE_GLOBAL,
                            .shape = ACCESS_GENERAL,
                            .bytes = (uint8_t)bulk->bytes,
                            .mask = UINT32_MAX >> (32 - bulk->count),
                            .addresses = bulk->pieces};
    bulk->count = 0;
    if (has_room) block_record_access(block, bulk->insn, &access);
}

static void add_piece(struct block_record *block, uint32_t insn, uint64_t address, unsigned bytes)
{
    struct bulk_record *bulk = &block->bulk;
    if (bulk->count && (bulk->insn != insn || bulk->bytes != bytes || bulk->count == 32))
        end_bulk(block);
    bulk->insn = insn;
    bulk->bytes = bytes;
    bulk->pieces[bulk->count++] = address;
}

/* Lines where 128 bytes lie behind each other in whole, sectors elsewhere. */
void block_record_bulk(struct block_record *block, uint32_t insn, const struct access *access)
{
    const uint64_t *at = access->addresses;
    unsigned lanes = 32 - (unsigned)__builtin_clz(access->mask),
             per = TRACE_PIECE_BYTES / access->bytes;
    for (unsigned lane = 0; lane < lanes;) {
        unsigned run = 1;
        while (run < per && lane + run < lanes && at[lane + run] == at[lane] + run * access->bytes)
            run++;
        bool is_line = at[lane] % TRACE_PIECE_BYTES == 0 && run == per;
        uint64_t sector = at[lane] / SECTOR * SECTOR;
        if (is_line) {
            add_piece(block, insn, at[lane], TRACE_PIECE_BYTES);
            lane += per;
            continue;
        }
        while (lane < lanes && at[lane] / SECTOR * SECTOR == sector)
            lane++;
        add_piece(block, insn, sector, SECTOR);
    }
}

/* The number of a wait is that of the last phase that ended: before the first one, nobody is waited for. */
static uint64_t count_phase(struct block_record *block, const struct phase_event *event,
                            bool is_kept)
{
    struct object_record *object =
        hash_table_add(&block->objects, event->address + 1, sizeof *object);
    struct trace_phase phase = {.object = (uint32_t)event->address};
    if (!event->waits) {
        phase.number = object->phases + 1;
        object->parts += is_kept;
    } else if (event->ended) {
        phase.number = object->phases;
        phase.parts = object->last_parts;
    }
    if (!event->waits && event->ended) {
        object->phases++;
        object->last_parts = object->parts;
        object->parts = 0;
    }
    bool fits = phase.number >> TRACE_PHASE_BITS == 0 && phase.parts <= TRACE_PARTS_MAX;
    return fits ? trace_phase_base(phase) : event->address;
}

void block_record_phase(struct block_record *block, uint32_t insn, const struct phase_event *event)
{
    uint32_t item = block->recorder->plan.access_items[insn];
    uint64_t addresses[32];
    if (!is_running(block, item)) return;
    end_bulk(block);
    bool is_kept = count_accesses(block, item) < TRACE_ACCESSES_MAX;
    uint64_t base = count_phase(block, event, is_kept);
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = base;
    struct access access = {.space = SPACE_SHARED,
                            .shape = ACCESS_UNIFORM,
                            .bytes = sizeof(uint64_t),
                            .mask = event->lanes,
                            .base = base,
                            .addresses = addresses};
    if (is_kept) block_record_access(block, insn, &access);
}

void block_record_end(struct block_record *block, uint64_t work)
{
    block->writer.work = work;
    if (block->warp) end_run(block);
    for (uint32_t i = 0; i < block->writer.warp_count; i++)
        warp_writer_end(&block->writer.warps[i]);
    if (!block->given_up) check_memory(block);
    drop_scratch(block);
}

/* ---- the trace ------------------------------------------------------------------------------- */

/* Have most of the drawn blocks been seen? A recording of a GPU leaves out blocks that did nothing, and
 * may end before the grid does. */
static bool has_drawn(const struct trace_recorder *recorder)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < recorder->drawn_count; i++)
        seen += recorder->blocks[i].recorder != NULL;
    return 2 * seen >= recorder->drawn_count;
}

/* Which ordinals become part of the trace, as far as they fit. Returns how many blocks there was room
 * for, those without instructions among them. */
static uint32_t choose_taken(struct trace_recorder *recorder, bool *is_taken)
{
    bool drawn = has_drawn(recorder);
    uint64_t sum = 0;
    uint32_t fit = 0;
    for (uint32_t i = 0; i < recorder->block_count; i++) {
        struct block_record *block = &recorder->blocks[i];
        if (drawn && i >= recorder->drawn_count) break;
        if (i >= recorder->too_large) break;
        sum += block->writer.warps ? block_writer_bytes(&block->writer) : 0;
        if (sum > recorder->max_bytes) break;
        is_taken[i] = block->writer.warps != NULL;
        fit++;
    }
    return fit;
}

static uint32_t take_blocks(struct trace_recorder *recorder)
{
    bool *is_taken = mem_zalloc(recorder->block_count + 1u, sizeof *is_taken);
    uint32_t fit = choose_taken(recorder, is_taken);
    for (uint32_t i = 0; i < recorder->block_count; i++) {
        uint32_t ordinal = recorder->candidates[i].ordinal;
        if (is_taken[ordinal])
            trace_builder_take_block(recorder->builder, &recorder->blocks[ordinal].writer);
    }
    mem_free(is_taken);
    return fit;
}

struct trace *trace_recorder_finish(struct trace_recorder *recorder, const struct grid_work *work,
                                    struct profile *profile, const char **out_reason)
{
    const double mebibytes = (double)recorder->max_bytes / (1 << 20);
    uint32_t asked = recorder->drawn_count;
    uint32_t taken = take_blocks(recorder);
    if (taken && taken < asked)
        profile_add_note(profile,
                         "Warp traces cover %u blocks instead of %u: more would exceed %g MiB.",
                         taken, asked, mebibytes);
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
    free_recorder(recorder);
    *out_reason = NULL;
    if (trace->block_count) {
        trace_set_parts(trace, work);
        return trace;
    }
    if (taken < asked)
        *out_reason =
            arena_format(&profile->arena, "the warp trace of one block exceeds %g MiB", mebibytes);
    else
        *out_reason =
            arena_format(&profile->arena, "none of %u blocks of the grid was recorded", asked);
    trace_destroy(trace);
    return NULL;
}
