// SPDX-License-Identifier: Apache-2.0
/* From the sums of the workers to those of the launch. */
#include "measure/measure_state.h"

static void add_all(uint64_t *to, const uint64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] += from[i];
}

static void merge_stage(const struct worker *w, uint32_t ordinal)
{
    struct measure *m = w->target;
    const struct stage *stage = w->stages[ordinal];
    if (!m->stages[ordinal]) m->stages[ordinal] = stage_sums_create(m);
    struct stage_sums *to = m->stages[ordinal];
    stage_sums_add(to, &stage->sums, m->launch.code_block_count);
    to->blocks += stage->sums.blocks;
    to->warps_working += stage->sums.warps_working;
    to->threads_working += stage->sums.threads_working;
    to->shared_blocks += stage->sums.shared_blocks;
    to->shared_warps_working += stage->sums.shared_warps_working;
    stage_sums_add_tally(to, &w->patterns, &stage->tally);
}

static void expand_groups(struct worker *w)
{
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        struct stage *stage = w->stages[i];
        for (uint32_t k = 0; stage && k < stage->groups.size; k++) {
            if (stage->groups.counts[k]) group_expand(w, k, stage->groups.counts[k], &stage->tally);
            stage->groups.counts[k] = 0;
        }
    }
}

void measure_settle(struct worker *w)
{
    expand_groups(w);
    measure_expand_passages(w);
    measure_expand_passes(w);
}

static void merge_sites(const struct worker *w)
{
    struct measure *m = w->target;
    for (uint32_t site = 0; site < m->site_count; site++) {
        const struct tally *tally = &w->site_tallies[site];
        for (uint32_t i = 0; i < tally->size && i < w->patterns.cost_count; i++) {
            const struct cost *cost = &w->patterns.costs[i];
            unsigned space = site_space((enum memory_kind)cost->kind);
            if (tally->counts[i]) cost_add(m->sites[site].spaces[space], cost, tally->counts[i]);
        }
        for (unsigned space = 0; w->unlisted && space < SITE_SPACES; space++)
            add_all(m->sites[site].spaces[space], w->unlisted[site].spaces[space], COST_FIELDS);
    }
}

static void worker_destroy(struct worker *w)
{
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        if (!w->stages[i]) continue;
        mem_free(w->stages[i]->sums.cells);
        tally_clear(&w->stages[i]->tally);
        tally_clear(&w->stages[i]->groups);
        tally_clear(&w->stages[i]->passes);
        tally_clear(&w->stages[i]->passages);
        mem_free(w->stages[i]);
    }
    for (uint32_t i = 0; i < w->measure->site_count; i++)
        tally_clear(&w->site_tallies[i]);
    access_groups_clear(&w->groups);
    measure_blocks_destroy(w->free_blocks);
    pattern_table_clear(&w->patterns);
    sample_worker_clear(&w->sample);
    footprint_clear(&w->read);
    footprint_clear(&w->written);
    footprint_clear(&w->texture);
    mem_free(w->sites);
    mem_free(w->site_tallies);
    mem_free(w->unlisted);
    mem_free(w->passes);
    mem_free(w->passages);
    history_table_clear(&w->histories);
    mem_free(w->lanes_off);
    mem_free(w->divergent);
    mem_free(w);
}

void measure_worker_end(void *self, void *worker)
{
    struct measure *m = self;
    struct worker *w = worker;
    measure_settle(w);
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        if (w->stages[i]) merge_stage(w, i);
    }
    merge_sites(w);
    footprint_merge(&m->read, &w->read);
    footprint_merge(&m->written, &w->written);
    footprint_merge(&m->texture, &w->texture);
    sample_merge(m, &w->sample);
    add_all(m->lanes_off, w->lanes_off, m->launch.insn_count);
    add_all(m->divergent, w->divergent, m->launch.insn_count);
    m->blocks += w->blocks;
    m->load_groups += w->sums.groups;
    m->dep_sums.distance += w->sums.distance;
    m->dep_sums.consumers += w->sums.consumers;
    worker_destroy(w);
}
