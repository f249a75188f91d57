// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_deal.h"

#include "base/memory.h"

void teg_deal_begin(struct teg_deal *deal)
{
    deal->uses = mem_zalloc(deal->trace->block_count + 1u, sizeof *deal->uses);
}

void teg_deal_end(struct teg_deal *deal)
{
    mem_free(deal->uses);
    deal->uses = NULL;
}

/* Anywhere in its part of the grid, as a fixed distance could fall in step with the grid's width. */
static uint64_t place_in_grid(const struct teg_deal *deal, uint64_t number)
{
    double width = (double)deal->grid_blocks / (double)(deal->parts * deal->block_count);
    uint64_t part = number * deal->parts + deal->part;
    uint64_t hash = (part + 1) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    uint64_t place = (uint64_t)(((double)part + (double)(hash >> 32) / 0x1p32) * width);
    return place < deal->grid_blocks ? place : deal->grid_blocks - 1;
}

/* Of the neighbours in the trace that are alike, the one that was used least: blocks that follow each
 * other on the SM are neighbours as far as the trace has them. */
static uint32_t choose_neighbour(const struct teg_deal *deal, uint32_t meant)
{
    uint32_t count, first = trace_cluster(deal->trace, meant, &count), chosen = meant;
    for (uint32_t i = first + count; i-- > first;)
        if (trace_alike(deal->trace, i, meant) && deal->uses[i] <= deal->uses[chosen]) chosen = i;
    return chosen;
}

/* Of all that are alike the one that was used least, of the neighbourhood that was. */
static uint32_t choose_apart(const struct teg_deal *deal, uint32_t meant)
{
    const struct trace *trace = deal->trace;
    uint64_t least = UINT64_MAX;
    uint32_t chosen = meant, count;
    for (uint32_t first = 0; first < trace->block_count; first += count) {
        uint64_t used = 0;
        (void)trace_cluster(trace, first, &count);
        for (uint32_t i = first; i < first + count; i++)
            used += deal->uses[i];
        for (uint32_t i = first; i < first + count; i++) {
            uint64_t rank = used << 32 | deal->uses[i];
            if (rank >= least || !trace_alike(trace, i, meant)) continue;
            least = rank;
            chosen = i;
        }
    }
    return chosen;
}

/* An SM that has a block of its own ends when that does: the longest counts. */
static uint32_t longest(const struct trace *trace)
{
    uint32_t chosen = 0;
    for (uint32_t i = 1; i < trace->block_count; i++)
        if (trace->blocks[i].work > trace->blocks[chosen].work) chosen = i;
    return chosen;
}

uint32_t teg_deal_next(struct teg_deal *deal, uint64_t number, uint32_t *out_before)
{
    const struct trace *trace = deal->trace;
    uint32_t chosen = (uint32_t)(number % trace->block_count);
    if (trace->part_count && deal->grid_blocks) {
        uint32_t meant = trace_stand_in(trace, place_in_grid(deal, number));
        if (deal->are_apart && deal->block_count == 1 && deal->parts == 1)
            chosen = longest(trace);
        else
            chosen = deal->are_apart ? choose_apart(deal, meant) : choose_neighbour(deal, meant);
    }
    *out_before = deal->uses[chosen]++;
    return chosen;
}
