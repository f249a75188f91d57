// SPDX-License-Identifier: Apache-2.0
/* Warpgroups: four warps, the first of them a multiple of four, that execute wgmma together. Each warp computes its own 16
 * rows when it comes to the instruction, but the product is one of all four (PTX ISA, wgmma.mma_async: all threads of
 * the warpgroup must execute it), and reads shared memory until the last of them has come. So whoever waits for
 * products waits for the other warps, too: what is overwritten after the wait is no longer read. */
#include "emulate/splits.h"

enum { WARPGROUP = 4 };

/* One that the block does not have never comes. */
uint32_t products_lagging(const struct block *block, const struct warp *warp)
{
    uint32_t first = warp->index / WARPGROUP * WARPGROUP, count = 0;
    for (uint32_t w = first; w < first + WARPGROUP; w++)
        count += (w < block->warp_count ? block->warps[w].products : 0) < warp->products;
    return count;
}

static void release(struct exec *x, struct warp *warp)
{
    for (uint32_t i = 0; i < warp->split_count; i++) {
        struct split *split = &warp->splits[i];
        if (split->state != SPLIT_AT_PRODUCTS) continue;
        split->state = SPLIT_READY;
        split->block = x->launch->program->code[split->block].next;
        x->releases++;
    }
}

void product_done(struct exec *x)
{
    struct block *block = x->block;
    uint32_t first = x->warp->index / WARPGROUP * WARPGROUP;
    x->warp->products++;
    for (uint32_t w = first; w < first + WARPGROUP && w < block->warp_count; w++)
        if (!products_lagging(block, &block->warps[w])) release(x, &block->warps[w]);
}

bool products_wait(struct exec *x, const struct warp *warp, struct split *split,
                   const struct code *code)
{
    if (guard_lanes(x, code, split->mask) && products_lagging(x->block, warp)) {
        split->state = SPLIT_AT_PRODUCTS;
        return false;
    }
    split->block = code->next;
    return true;
}
