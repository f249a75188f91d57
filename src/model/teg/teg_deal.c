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

/* Of all that are alike the one that was used least, of the neighbourhood that was: addresses that are not known
 * do not meet in an L1 that neighbours do not share. */
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

static double stretch_of(const struct trace *trace, uint64_t block,
                         const struct trace_block *traced)
{
    if (block >= trace->part_count || trace->part_blocks != 1) return 1;
    double work = (double)trace->work[block], by = (double)traced->work;
    return !(work > 0 && by > 0) || trace_is_work_alike(work, by) ? 1 : work / by;
}

struct teg_dealt teg_deal_next(struct teg_deal *deal, uint64_t number)
{
    const struct trace *trace = deal->trace;
    struct teg_dealt out = {.block = deal->blocks ? deal->blocks[number] : number};
    uint32_t chosen = (uint32_t)(number % trace->block_count);
    if (deal->blocks && trace->part_count) {
        chosen = trace_stand_in(trace, out.block);
        bool is_itself = deal->is_exact && trace->blocks[chosen].index == out.block;
        if (!is_itself && (!trace->is_linear || deal->stays_at_place))
            chosen = choose_apart(deal, chosen);
    }
    out.traced = &trace->blocks[chosen];
    out.before = deal->uses[chosen]++;
    out.stretch = deal->blocks ? stretch_of(trace, out.block, out.traced) : 1;
    return out;
}

void teg_deal_shifts(const struct teg_deal *deal, const struct teg_dealt *dealt,
                     unsigned interleave, uint64_t *out)
{
    const struct trace *trace = deal->trace;
    int64_t from[3], to[3];
    out[0] = ((uint64_t)dealt->before << 44) + (uint64_t)dealt->before * interleave;
    for (uint32_t i = 1; i < trace->stride_count && deal->stays_at_place; i++)
        out[i] = out[0];
    if (trace->stride_count <= 1 || deal->stays_at_place) return;
    trace_place(trace, dealt->traced->index, from);
    trace_place(trace, dealt->block, to);
    for (uint32_t i = 1; i < trace->stride_count; i++) {
        out[i] = 0;
        for (unsigned d = 0; d < 3; d++)
            out[i] += (uint64_t)trace->strides[i][d] * (uint64_t)(to[d] - from[d]);
    }
}
