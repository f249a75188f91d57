// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_clocks.h"

#include <math.h>

#include "base/memory.h"

/* Reads of a warp that are kept; those behind go on at their pace (emulate/clock.h). */
enum { READS_MAX_OF_WARP = 1 << 20 };

/* ---- while the model executes ---------------------------------------------------------------- */

static void add_read(struct warp_clocks *reads, teg_time time)
{
    if (reads->count == READS_MAX_OF_WARP) return;
    GROW(reads->ticks, reads->count, reads->room);
    reads->ticks[reads->count++] = time;
}

static void on_issue(void *self, const struct teg_event *event)
{
    struct teg_clock_cluster *c = self;
    const struct trace_insn *insn = &c->trace->insns[event->insn];
    struct teg_clock_block *block = &c->blocks[event->block];
    if (!block->has_begun) {
        block->has_begun = true;
        block->begun = event->wait.since;
        block->sm = event->sm;
        block->warps = mem_zalloc(c->of->warps_per_block, sizeof *block->warps);
    }
    for (unsigned i = 0; i < insn->clock_reads; i++)
        add_read(&block->warps[event->warp], event->issue);
}

static bool is_traced(const struct trace *trace, uint64_t block)
{
    uint32_t low = 0, high = trace->block_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (trace->blocks[middle].index < block)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trace->block_count && trace->blocks[low].index == block;
}

void teg_clocks_begin(struct teg_clocks *clocks, const struct teg_machine *machine,
                      const struct teg_setup *setups, const unsigned *numbers, unsigned count)
{
    *clocks = (struct teg_clocks){.cluster_count = count,
                                  .all_clusters = machine->clusters,
                                  .cluster_sms = machine->cluster_sms,
                                  .warps_per_block = setups->trace->head.warps_per_block,
                                  .launch = machine->launch};
    clocks->clusters = mem_zalloc(count, sizeof *clocks->clusters);
    for (unsigned i = 0; i < count; i++) {
        struct teg_clock_cluster *c = &clocks->clusters[i];
        *c = (struct teg_clock_cluster){.observer = {.issue = on_issue, .self = c},
                                        .of = clocks,
                                        .cluster = numbers[i],
                                        .trace = setups[i].trace,
                                        .count = setups[i].block_count};
        c->blocks = mem_zalloc(c->count + 1, sizeof *c->blocks);
        for (uint64_t k = 0; k < c->count; k++) {
            c->blocks[k].block = setups[i].deal.blocks ? setups[i].deal.blocks[k] : k;
            c->blocks[k].is_traced = is_traced(c->trace, c->blocks[k].block);
        }
    }
}

const struct teg_observer *teg_clocks_observer(struct teg_clocks *clocks, unsigned i)
{
    return &clocks->clusters[i].observer;
}

/* ---- who reads what -------------------------------------------------------------------------- */

void teg_clocks_end(struct teg_clocks *clocks, const struct teg_assignment *assignment,
                    uint64_t wave, double steady)
{
    clocks->is_known = true;
    clocks->grid_blocks = assignment->blocks;
    clocks->wave = wave;
    clocks->steady = steady;
    if (!assignment->owners) return;
    uint64_t *dealt = mem_zalloc(assignment->clusters, sizeof *dealt);
    clocks->owners = mem_alloc((clocks->grid_blocks + 1) * sizeof *clocks->owners);
    clocks->ranks = mem_alloc((clocks->grid_blocks + 1) * sizeof *clocks->ranks);
    for (uint64_t b = 0; b < clocks->grid_blocks; b++) {
        clocks->owners[b] = assignment->owners[b];
        clocks->ranks[b] = dealt[assignment->owners[b]]++;
    }
    mem_free(dealt);
}

void teg_clocks_clear(struct teg_clocks *clocks)
{
    for (unsigned i = 0; i < clocks->cluster_count; i++) {
        struct teg_clock_cluster *c = &clocks->clusters[i];
        for (uint64_t k = 0; k < c->count; k++) {
            for (uint32_t w = 0; c->blocks[k].warps && w < clocks->warps_per_block; w++)
                mem_free(c->blocks[k].warps[w].ticks);
            mem_free(c->blocks[k].warps);
        }
        mem_free(c->blocks);
    }
    mem_free(clocks->clusters);
    mem_free(clocks->owners);
    mem_free(clocks->ranks);
    *clocks = (struct teg_clocks){0};
}

static const struct teg_clock_cluster *stand_in(const struct teg_clocks *clocks, uint32_t number)
{
    unsigned i = clocks->cluster_count;
    while (i > 0 && clocks->clusters[--i].cluster != number) {
    }
    return &clocks->clusters[i];
}

/* The `rank`-th block of its cluster. Beyond those that were executed it does as one of the last wave, later by what the
 * blocks in between take. */
void teg_clocks_find(const struct teg_clocks *clocks, uint64_t block, struct teg_clocks_found *out)
{
    *out = (struct teg_clocks_found){0};
    if (!clocks->is_known || block >= clocks->grid_blocks) return;
    uint32_t number =
        clocks->owners ? clocks->owners[block] : (uint32_t)(block % clocks->all_clusters);
    uint64_t rank = clocks->owners ? clocks->ranks[block] : block / clocks->all_clusters;
    const struct teg_clock_cluster *cluster = stand_in(clocks, number);
    uint64_t at = rank, count = cluster->count;
    if (at >= count && count > clocks->wave) at = count - clocks->wave + rank % clocks->wave;
    if (at >= count) at = rank % count;
    const struct teg_clock_block *read = &cluster->blocks[at];
    teg_time later = (teg_time)llround(clocks->steady * (double)(rank - at));
    out->sm = number * clocks->cluster_sms + read->sm;
    out->shift = clocks->launch + later;
    out->warps = read->warps;
    out->is_own = read->is_traced && read->block == block;
}
