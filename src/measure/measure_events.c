// SPDX-License-Identifier: Apache-2.0
/* The callbacks of the counting observer: what happens while the kernel runs. Everything that can
 * follow by static expansion afterwards is left to measure_result.c. */
#include <stdlib.h>
#include <string.h>

#include "measure/warp_state.h"

/* ---- plan ------------------------------------------------------------------------------------ */

static bool is_memory(const struct insn *insn)
{
    return insn->class_id >= CLASS_MEM_GLOBAL_LOAD && insn->class_id <= CLASS_MEM_SURFACE_ATOMIC;
}

static void find_exits(struct measure *m)
{
    const struct launch_view *launch = &m->launch;
    const struct function *entry = &launch->module->functions[launch->entry];
    m->is_exit = mem_zalloc(launch->insn_count, sizeof *m->is_exit);
    m->ends_in_exit = mem_zalloc(launch->code_block_count, sizeof *m->ends_in_exit);
    for (uint32_t i = 0; i < launch->code_block_count; i++) {
        const struct code_block *code = &launch->code_blocks[i];
        uint32_t last = code->first + code->count - 1;
        const struct insn *insn = launch->insns[last];
        m->is_exit[last] = insn->op == OP_EXIT || (insn->op == OP_RET && code->function == entry);
        m->ends_in_exit[i] = m->is_exit[last] && insn->guard < 0;
    }
}

static void launch_begin(void *self, const struct launch_view *launch)
{
    struct measure *m = self;
    m->launch = *launch;
    size_t insn_bytes = launch->insn_count * sizeof *launch->insns;
    size_t block_bytes = launch->code_block_count * sizeof *launch->code_blocks;
    m->launch.insns = memcpy(mem_alloc(insn_bytes), launch->insns, insn_bytes);
    m->launch.code_blocks = memcpy(mem_alloc(block_bytes), launch->code_blocks, block_bytes);
    dep_plan_init(&m->dep, &m->launch);
    load_plan_init(&m->loads, &m->launch);
    find_exits(m);
    m->site_of = mem_alloc(launch->insn_count * sizeof *m->site_of);
    m->site_insns = mem_alloc(launch->insn_count * sizeof *m->site_insns);
    for (uint32_t i = 0; i < launch->insn_count; i++) {
        bool is_site = is_memory(launch->insns[i]);
        if (is_site) m->site_insns[m->site_count] = i;
        m->site_of[i] = is_site ? m->site_count++ : NO_SITE;
    }
    m->is_texture = mem_zalloc(m->site_count, sizeof *m->is_texture);
    for (uint32_t i = 0; i < m->site_count; i++)
        m->is_texture[i] = isa_view_is_texture(m->view, launch->insns[m->site_insns[i]]);
    m->lanes_off = mem_zalloc(launch->insn_count, sizeof *m->lanes_off);
    m->divergent = mem_zalloc(launch->insn_count, sizeof *m->divergent);
    m->sites = mem_zalloc(m->site_count, sizeof *m->sites);
    m->views = isa_view_plan(m->view, &m->launch);
    grid_work_init(&m->work, launch->block_count);
    if (launch->sample) sample_begin(m);
    if (m->record_blocks)
        m->recorder = trace_recorder_create(&m->launch, m->view, m->record_blocks, m->record_bytes,
                                            m->records_first);
}

static void launch_end(void *self)
{
    struct measure *m = self;
    m->launch.sample = NULL; /* the launch's */
}

static void *worker_begin(void *self)
{
    struct measure *m = self;
    struct worker *w = mem_zalloc(1, sizeof *w);
    w->measure = w->target = m;
    pattern_table_init(&w->patterns, m->rules, lane_math_at(m->launch.isa_level));
    w->sites = mem_zalloc(m->site_count, sizeof *w->sites);
    w->site_tallies = mem_zalloc(m->site_count, sizeof *w->site_tallies);
    for (uint32_t i = 0; i < m->site_count; i++) {
        const struct insn *insn = m->launch.insns[m->site_insns[i]];
        const struct insn_view *view = m->views ? &m->views[m->site_insns[i]] : NULL;
        unsigned merged = view ? view->merged_bytes : 0;
        access_site_init(&w->sites[i], insn_operation(insn),
                         merged ? merged : insn_access_bytes(insn), &m->rules);
        w->sites[i].kinds[SPACE_SHARED] =
            (uint8_t)memory_kind(SPACE_SHARED, insn_operation_in(insn, SPACE_SHARED));
    }
    history_table_init(&w->histories, &m->dep, &m->loads);
    w->lanes_off = mem_zalloc(m->launch.insn_count, sizeof *w->lanes_off);
    w->divergent = mem_zalloc(m->launch.insn_count, sizeof *w->divergent);
    if (m->launch.sample) sample_worker_begin(w);
    return w;
}

/* ---- stages ---------------------------------------------------------------------------------- */

struct stage *worker_stage(struct worker *w, uint32_t ordinal)
{
    struct stage **stage = &w->stages[ordinal];
    if (!*stage) {
        *stage = mem_zalloc(1, sizeof **stage);
        (*stage)->sums.cells =
            mem_zalloc(w->measure->launch.code_block_count, sizeof *(*stage)->sums.cells);
    }
    return *stage;
}

static void enter_stage(struct worker *w, struct warp_state *warp, uint32_t ordinal)
{
    warp->ordinal = ordinal;
    warp->stage = worker_stage(w, ordinal);
}

/* Instructions of the stage by thread: their sum, and the most of one. */
struct thread_sums {
    uint64_t sum, most;
};

/* As long as the warp has met one partial mask of each kind, four sets of lanes have a count each. */
static struct thread_sums sum_masks(const struct warp_state *warp)
{
    const uint32_t on = warp->on_mask, off = warp->off_mask;
    const uint64_t on_count = on ? warp->on_count : 0, off_count = off ? warp->off_count : 0;
    const struct {
        uint32_t lanes;
        uint64_t count;
    } sets[] = {{~on & ~off, 0},
                {on & ~off, on_count},
                {off & ~on, -off_count},
                {on & off, on_count - off_count}};
    struct thread_sums sums = {0};
    for (unsigned i = 0; i < sizeof sets / sizeof *sets; i++) {
        uint32_t lanes = sets[i].lanes & warp->threads;
        uint64_t count = warp->full + sets[i].count;
        if (!lanes) continue;
        sums.sum += count * bits_count(lanes);
        if (count > sums.most) sums.most = count;
    }
    return sums;
}

static struct thread_sums sum_lanes(struct warp_state *warp)
{
    struct thread_sums sums = {0};
    add_lanes(warp, warp->on_mask, warp->on_count);
    add_lanes(warp, warp->off_mask, -warp->off_count);
    for (uint32_t rest = warp->threads; rest; rest &= rest - 1) {
        uint64_t count = warp->full + warp->lanes[bits_lowest(rest)];
        sums.sum += count;
        if (count > sums.most) sums.most = count;
    }
    memset(warp->lanes, 0, sizeof warp->lanes);
    warp->has_lanes = 0;
    return sums;
}

struct stage_work stage_work_of(struct warp_state *warp)
{
    struct thread_sums threads = warp->has_lanes ? sum_lanes(warp) : sum_masks(warp);
    return (struct stage_work){
        .insns = warp->insns, .thread_sum = threads.sum, .thread_max = threads.most};
}

void share_add(struct block_state *block, uint32_t ordinal, const struct stage_work *work,
               uint32_t warps, uint64_t shared_sum, uint64_t shared_max)
{
    while (block->share_count <= ordinal) {
        GROW(block->shares, block->share_count, block->share_capacity);
        block->shares[block->share_count++] = (struct stage_share){0};
    }
    struct stage_share *share = &block->shares[ordinal];
    share->warp_sum += warps * work->insns;
    if (work->insns > share->warp_max) share->warp_max = work->insns;
    share->thread_sum += warps * work->thread_sum;
    if (work->thread_max > share->thread_max) share->thread_max = work->thread_max;
    share->shared_sum += shared_sum;
    if (shared_max > share->shared_max) share->shared_max = shared_max;
}

/* Adds what warps that are alike did since they entered their stage to the block's share. */
void leave_stage(struct block_state *block, struct warp_state *warp, uint32_t warps)
{
    if (!warp->insns) return;
    const struct stage_work work = stage_work_of(warp);
    share_add(block, warp->ordinal, &work, warps, warps * warp->shared, warp->shared);
    warp->shared = 0;
    warp->insns = warp->full = warp->on_count = warp->off_count = 0;
}

static measure_u128 fixed_ratio(uint64_t sum, uint64_t most)
{
    if (!most) return 0;
    if (sum % most == 0) return (measure_u128)(sum / most) << RATIO_BITS; /* spares the division */
    return ((measure_u128)sum << RATIO_BITS) / most;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static struct block_state *block_create(const struct measure *m)
{
    uint32_t warps = m->launch.warps_per_block;
    struct block_state *block = mem_zalloc(1, sizeof *block);
    block->warps = mem_zalloc(warps, sizeof *block->warps);
    block->last_writes = mem_zalloc((size_t)warps * m->dep.slot_count, sizeof(uint32_t));
    block->load_results = mem_zalloc((size_t)warps * m->loads.word_count, sizeof(uint64_t));
    for (uint32_t i = 0; i < warps; i++) {
        struct warp_history *history = &block->warps[i].history;
        history->dep.last = block->last_writes + (size_t)i * m->dep.slot_count;
        history->load.results = block->load_results + (size_t)i * m->loads.word_count;
    }
    return block;
}

void measure_blocks_destroy(struct block_state *block)
{
    while (block) {
        struct block_state *next = block->next;
        mem_free(block->warps);
        mem_free(block->last_writes);
        mem_free(block->load_results);
        mem_free(block->shares);
        mem_free(block);
        block = next;
    }
}

static void *block_begin(void *worker, uint64_t index)
{
    struct worker *w = worker;
    const struct measure *m = w->measure;
    struct block_state *block = w->free_blocks;
    if (block)
        w->free_blocks = block->next;
    else
        block = block_create(m);
    uint32_t warps = m->launch.warps_per_block;
    uint64_t threads = (uint64_t)m->launch.block[0] * m->launch.block[1] * m->launch.block[2];
    block->share_count = 0;
    block->record = m->recorder ? trace_recorder_block(m->recorder, index) : NULL;
    block->index = index;
    block->is_silent = false;
    if (m->launch.sample) {
        const struct block_sample *sample = m->launch.sample;
        uint32_t run = block_sample_run(sample, index);
        bool is_begin = !index || block_sample_run(sample, index - 1) != run;
        block->place = (struct reach_block){run, (uint32_t)index, is_begin};
        block->is_silent = run == BLOCK_NO_RUN;
    }
    struct stage *first = worker_stage(w, 0);
    for (uint32_t i = 0; i < warps; i++) {
        struct warp_state *warp = &block->warps[i];
        uint64_t rest = threads - 32 * (uint64_t)i;
        if (warp->has_lanes) memset(warp->lanes, 0, sizeof warp->lanes);
        memset((char *)warp + ALIKE_BEGIN, 0, ALIKE_BYTES);
        warp->threads = rest >= 32 ? UINT32_MAX : (UINT32_C(1) << rest) - 1;
        warp->guard_insn = UINT32_MAX;
        warp->history.number = 0;
        warp->stage = first;
    }
    w->blocks += !block->is_silent;
    return block;
}

static void end_stages(struct worker *w, struct block_state *block)
{
    for (uint32_t i = 0; i < block->share_count; i++) {
        const struct stage_share *share = &block->shares[i];
        if (!share->warp_max) continue;
        struct stage_sums *sums = &worker_stage(w, i)->sums;
        sums->blocks++;
        sums->warps_working += fixed_ratio(share->warp_sum, share->warp_max);
        sums->threads_working += fixed_ratio(share->thread_sum, share->thread_max);
        sums->shared_blocks += share->shared_max > 0;
        sums->shared_warps_working += fixed_ratio(share->shared_sum, share->shared_max);
    }
}

static void block_end(void *worker, void *block_)
{
    struct worker *w = worker;
    struct block_state *block = block_;
    uint64_t work = 0;
    for (uint32_t i = 0; i < w->measure->launch.warps_per_block; i++)
        leave_stage(block, &block->warps[i], 1);
    for (uint32_t i = 0; i < block->share_count; i++)
        work += block->shares[i].warp_sum;
    if (block->record) block_record_end(block->record, work);
    grid_work_add(&w->target->work, block->index, work);
    if (!block->is_silent) end_stages(w, block);
    if (w->measure->launch.sample && !block->is_silent) sample_block_end(w, block->place.run);
    block->next = w->free_blocks;
    w->free_blocks = block;
}

/* ---- the hot path ---------------------------------------------------------------------------- */

/* A code block that the lanes `active` execute `times` times; what its history decides is left to the caller. */
static inline void count_block(struct worker *w, struct warp_state *warp, uint32_t code_block,
                               uint32_t active, uint64_t times)
{
    struct cell *cell = &warp->stage->sums.cells[code_block];
    cell->executions += times;
    cell->lanes += times * bits_count(active);
    if (w->measure->ends_in_exit[code_block]) warp->dead |= active;
}

static void run(void *worker, const struct warp_ref *ref, uint32_t code_block, uint32_t active)
{
    struct worker *w = worker;
    struct warp_state *warp = warp_of(ref);
    const struct path_step step = {.code_block = code_block};
    const struct history_route route = {&step, 1, code_block, false};
    uint32_t insns = w->measure->dep.blocks[code_block].insn_count;
    if (record_of(ref))
        block_record_run(record_of(ref), ref->index, warp->threads, code_block, active);
    warp->insns += insns;
    if (is_silent(ref)) return;
    count_block(w, warp, code_block, active, 1);
    count_insns(warp, active, insns);
    history_pass(&w->histories, &warp->history, &route, 1, &w->sums);
}

static void guard(void *worker, const struct warp_ref *ref, uint32_t insn, uint32_t active,
                  uint32_t on)
{
    const struct worker *w = worker;
    struct warp_state *warp = warp_of(ref);
    uint32_t off = active & ~on;
    warp->guard_insn = insn;
    warp->guard_on = on;
    if (record_of(ref)) block_record_guard(record_of(ref), insn, on);
    if (is_silent(ref)) return;
    if (w->measure->is_exit[insn]) warp->dead |= on;
    if (off) lanes_are_off(worker, warp, insn, off, 1);
}

static void branch(void *worker, const struct warp_ref *ref, uint32_t insn, uint32_t active,
                   uint32_t taken, uint32_t targets)
{
    struct worker *w = worker;
    if (record_of(ref)) block_record_guard(record_of(ref), insn, taken);
    if (is_silent(ref)) return;
    if (targets > 1) {
        w->divergent[insn]++;
        warp_of(ref)->stage->sums.divergent++;
    }
    uint32_t off = active & ~taken;
    if (off && is_guarded_branch(w, insn)) lanes_are_off(w, warp_of(ref), insn, off, 1);
}

static bool is_ordered(void *worker, const struct warp_ref *ref)
{
    (void)worker;
    return record_of(ref) != NULL;
}

/* Random accesses may have more costs than there are numbers: those are added up at once. */
static void add_unlisted(struct worker *w, struct stage *stage, uint32_t site)
{
    const struct cost *cost = &w->patterns.unlisted;
    if (!w->unlisted) w->unlisted = mem_zalloc(w->measure->site_count, sizeof *w->unlisted);
    cost_add(w->unlisted[site].spaces[site_space((enum memory_kind)cost->kind)], cost, 1);
    cost_add(stage->sums.kinds[cost->kind], cost, 1);
}

static inline void touch(struct worker *w, const struct block_state *block, unsigned side,
                         const struct access *access)
{
    struct footprint *const all[TOUCH_COUNT] = {&w->read, &w->written, &w->texture};
    if (w->measure->launch.sample)
        reach_add(&w->sample.reaches[side], access, &block->place);
    else
        footprint_add(all[side], access);
}

static inline void touch_global(struct worker *w, const struct block_state *block,
                                enum memory_kind kind, const struct access *access)
{
    if (kind != KIND_GLOBAL_STORE) touch(w, block, TOUCH_READ, access);
    if (kind != KIND_GLOBAL_LOAD) touch(w, block, TOUCH_WRITTEN, access);
}

/* The accesses to such objects are recorded with their phases. */
static bool is_counted_phase(const struct insn *insn)
{
    return op_infos[insn->op].form == FORM_MBARRIER && insn->op != OP_MBARRIER_INIT &&
           insn->op != OP_MBARRIER_INVAL;
}

static void plain_memory(void *worker, const struct warp_ref *ref, uint32_t insn,
                         const struct access *access)
{
    struct worker *w = worker;
    uint32_t site = w->measure->site_of[insn];
    if (site == NO_SITE) return;
    const struct insn *told = w->measure->launch.insns[insn];
    bool fetches = told->op == OP_TEX || told->op == OP_TLD4;
    if (record_of(ref) && told->bulk && access->space == SPACE_GLOBAL)
        block_record_bulk(record_of(ref), insn, access);
    else if (record_of(ref) && !fetches && !told->bulk && !is_counted_phase(told))
        block_record_access(record_of(ref), insn, access);
    if (w->sites[site].kinds[access->space] == MEMORY_KIND_NONE || is_silent(ref)) return;
    if (fetches || w->measure->is_texture[site]) {
        touch(w, ref->block, TOUCH_TEXTURE, access);
        return;
    }
    if (access->space == SPACE_GLOBAL)
        touch_global(w, ref->block, (enum memory_kind)w->sites[site].kinds[SPACE_GLOBAL], access);
    struct warp_state *warp = warp_of(ref);
    struct stage *stage = warp->stage;
    warp->shared += access->space == SPACE_SHARED;
    uint32_t number = pattern_cost(&w->patterns, &w->sites[site], access);
    if (number == COST_UNLISTED) {
        add_unlisted(w, stage, site);
        return;
    }
    tally_add(&w->site_tallies[site], number, 1);
    tally_add(&stage->tally, number, 1);
}

/* An access that stands for its neighbours, too, begins where the first of them does. */
static void memory(void *worker, const struct warp_ref *ref, uint32_t insn,
                   const struct access *access)
{
    const struct worker *w = worker;
    const struct insn_view *view = w->measure->views ? &w->measure->views[insn] : NULL;
    if (!view || (!view->merged_bytes && view->fold != VIEW_MERGED)) {
        plain_memory(worker, ref, insn, access);
        return;
    }
    if (view->fold == VIEW_MERGED) return;
    struct access whole = *access;
    uint64_t addresses[32];
    for (unsigned lane = 0; lane < 32; lane++)
        addresses[lane] = access->addresses[lane] - view->merged_offset;
    whole.bytes = view->merged_bytes;
    whole.base -= view->merged_offset;
    whole.base2 -= view->merged_offset;
    whole.addresses = addresses;
    plain_memory(worker, ref, insn, &whole);
}

static void phase(void *worker, const struct warp_ref *ref, uint32_t insn,
                  const struct phase_event *event)
{
    (void)worker;
    if (record_of(ref)) block_record_phase(record_of(ref), insn, event);
}

static void each_apart(void *worker, const struct warp_ref *ref, const struct access_group *group,
                       const struct access_base *at, uint32_t active)
{
    uint64_t addresses[32];
    for (uint32_t i = 0; i < group->count; i++) {
        const struct grouped_access *one = &group->accesses[i];
        struct access access = group_access(group, at, active);
        access.bytes = one->bytes;
        access.base += (uint64_t)one->offset;
        access.base2 += (uint64_t)one->offset;
        if (one->offset) access.addresses = addresses;
        for (unsigned lane = 0; one->offset && lane < 32; lane++)
            addresses[lane] = at->addresses[lane] + (uint64_t)one->offset;
        memory(worker, ref, one->insn, &access);
    }
}

/* False: each is to be counted by itself. */
static bool count_group(struct worker *w, struct warp_state *warp, const struct access_group *group,
                        const struct access_base *at, uint32_t active)
{
    struct group_state *state = group_find(w, &w->groups, group);
    if (!state->count) return true;
    const struct group_last *seen = group_seen(state, at, active);
    if (!seen) seen = group_see(w, state, group, at, active);
    if (!seen) return false;
    const struct access base = group_access(group, at, active);
    for (uint32_t i = 0; i < state->touch_count; i++) {
        const struct group_touch *touch = &state->touches[i];
        if (touch->reads) footprint_add_at(&w->read, &base, touch->bytes, touch->offset);
        if (touch->writes) footprint_add_at(&w->written, &base, touch->bytes, touch->offset);
    }
    warp->shared += state->shared_count;
    tally_add(&warp->stage->groups, seen->pattern, 1);
    return true;
}

static void groups(void *worker, const struct warp_ref *ref, const struct access_group *groups,
                   const struct access_base *const *bases, uint32_t count, uint32_t active)
{
    struct worker *w = worker;
    const bool is_apart = tells_apart(w, ref);
    for (uint32_t i = 0; i < count; i++)
        if (is_apart || !count_group(w, warp_of(ref), &groups[i], bases[i], active))
            each_apart(worker, ref, &groups[i], bases[i], active);
}

static void next_stage(struct worker *w, struct block_state *block, struct warp_state *warp,
                       uint32_t warps)
{
    warp->passed = 0;
    if (warp->ordinal == STAGE_LAST) return; /* the last stage goes on to the end */
    leave_stage(block, warp, warps);
    enter_stage(w, warp, warp->ordinal + 1);
}

static void end_loads(struct worker *w, struct warp_state *warp)
{
    static const struct history_route route = {.number = UINT32_MAX, .ends_loads = true};
    history_pass(&w->histories, &warp->history, &route, 1, &w->sums);
}

/* A warp has passed when all lanes that are left have, perhaps in several splits, or when a lane
 * comes for the second time. An arrival does not part what comes before it from what comes after:
 * it opens no stage. */
void warp_waits(struct worker *w, struct block_state *block, struct warp_state *warp, uint32_t insn,
                uint32_t warps)
{
    uint32_t lanes = warp->guard_insn == insn ? warp->guard_on : warp->active;
    end_loads(w, warp);
    if (warp->passed & lanes) next_stage(w, block, warp, warps);
    warp->passed |= lanes;
    if ((warp->passed | warp->dead) == warp->threads) next_stage(w, block, warp, warps);
}

static void barrier(void *worker, const struct warp_ref *ref, uint32_t insn, bool waits)
{
    if (waits && !is_silent(ref))
        warp_waits(worker, ref->block, warp_of(ref), insn, 1);
    else
        end_loads(worker, warp_of(ref));
}

const struct observer_ops measure_ops = {
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .worker_begin = worker_begin,
    .worker_end = measure_worker_end,
    .block_begin = block_begin,
    .block_end = block_end,
    .run = run,
    .is_ordered = is_ordered,
    .path = measure_path,
    .paths = measure_paths,
    .guard = guard,
    .memory = memory,
    .phase = phase,
    .groups = groups,
    .groups_quickly = measure_groups_quickly,
    .branch = branch,
    .barrier = barrier,
};
