// SPDX-License-Identifier: Apache-2.0
/* Which traced block an SM executes next for its blocks of the grid. GPUs deal blocks out to their SMs in
 * turn: those of one SM lie as far apart as there are SMs, and neighbours meet on an SM only if there is one. */
#ifndef MODEL_TEG_DEAL_H
#define MODEL_TEG_DEAL_H

#include "measure/trace.h"

struct teg_deal {
    const struct trace *trace;
    /* The SMs' blocks are spread over the grid: block i of the `part`-th of `parts` clusters of SMs lies in the
     * (i * parts + part)-th of equal parts of the grid. grid_blocks 0: the blocks of the trace in turn. */
    uint64_t grid_blocks, part, parts, block_count;
    bool are_apart; /* blocks of an SM are no neighbours */
    uint32_t *
        uses; /* by traced block: blocks so far that it stood for; NULL: teg_deal_begin has not been called */
};

/* teg_deal_end frees what it takes. */
void teg_deal_begin(struct teg_deal *deal);
void teg_deal_end(struct teg_deal *deal);
/* The traced block, as an index, of block `number` of this cluster; *out_before: how many blocks it stood for
 * before. */
uint32_t teg_deal_next(struct teg_deal *deal, uint64_t number, uint32_t *out_before);

#endif
