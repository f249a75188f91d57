// SPDX-License-Identifier: Apache-2.0
/* Which traced block stands for each block that a cluster of SMs executes, and at which addresses. Where addresses
 * are linear in the place in the grid (trace_strides.c), they are those of the block itself; else those of the
 * traced block, and apart from all others each time it is used again. */
#ifndef MODEL_TEG_DEAL_H
#define MODEL_TEG_DEAL_H

#include "measure/trace.h"

struct teg_deal {
    const struct trace *trace;
    const uint64_t *blocks; /* of the grid, by number; NULL: those that are traced, in turn */
    bool stays_at_place;    /* addresses are those of the traced blocks */
    bool is_exact;          /* a block that is traced stands for itself */
    uint32_t *
        uses; /* by traced block: blocks so far that it stood for; NULL: teg_deal_begin has not been called */
};

struct teg_dealt {
    const struct trace_block *traced;
    uint64_t block;  /* of the grid */
    uint32_t before; /* blocks that it stood for before */
    double
        stretch; /* warp instructions of the block over those of the traced one; 1 if they are alike or unknown */
};

/* teg_deal_end frees what it takes. */
void teg_deal_begin(struct teg_deal *deal);
void teg_deal_end(struct teg_deal *deal);
/* Block `number` of this cluster. */
struct teg_dealt teg_deal_next(struct teg_deal *deal, uint64_t number);

/* By index in trace.strides: what is added to addresses of the traced block; the first, to those whose stride is
 * unknown. `interleave`: bytes of a channel. */
void teg_deal_shifts(const struct teg_deal *deal, const struct teg_dealt *dealt,
                     unsigned interleave, uint64_t *out);

static inline uint32_t teg_deal_stride_count(const struct teg_deal *deal)
{
    return deal->trace->stride_count ? deal->trace->stride_count : 1;
}

/* Of an instruction's accesses to global memory. */
static inline uint64_t teg_deal_shift(const struct trace *trace, const struct trace_insn *insn,
                                      const uint64_t *shifts)
{
    return shifts[trace->site_strides ? trace->site_strides[insn->site] : 0];
}

#endif
