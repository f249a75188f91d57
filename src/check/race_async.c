// SPDX-License-Identifier: Apache-2.0
/* What goes on by itself: copies of cp.async and in bulk, and products by wgmma. Their accesses are ordered before
 * those of who knows that they have ended:
 *     groups of a thread       itself, once it has waited for them; others by the order between it and them
 *     bytes that an mbarrier   who has seen the end of the phase, by a time of the object in clocks (CLOCK_BULK)
 *       object counts
 *     groups of wgmma          who has waited for them in any of the four warps, and others by their order with that one
 *                              (CLOCK_PRODUCTS): the warps commit the same groups */
#include <string.h>

#include "check/race.h"

bool async_is_used(const struct launch_view *view)
{
    for (uint32_t i = 0; i < view->insn_count; i++) {
        const struct insn *insn = view->insns[i];
        bool is_fence = op_infos[insn->op].form == FORM_FENCE && insn->flags & INSN_ASYNC;
        if (insn->op == OP_MBARRIER_COPIES || insn->op == OP_WGMMA || is_fence ||
            op_infos[insn->op].form == FORM_BULK)
            return true;
    }
    return false;
}

/* ---- groups of threads ----------------------------------------------------------------------- */

/* Room for one more: the oldest count as waited for. */
static struct copies *add_copies(struct race *race, struct race_warp *w)
{
    if (w->copy_count == COPIES) {
        segment_at(race, w->copies[0].segment)->done = UINT32_MAX;
        memmove(w->copies, w->copies + 1, (COPIES - 1) * sizeof *w->copies);
        w->copy_count--;
    }
    struct copies *made = &w->copies[w->copy_count++];
    memset(made, 0, sizeof *made);
    return made;
}

uint64_t order_copy_segment(struct race *race, struct race_block *block, unsigned warp,
                            uint32_t lanes, enum copy_kind kind)
{
    struct race_warp *w = &block->warps[warp];
    struct copies *last = NULL;
    for (unsigned k = 0; k < w->copy_count; k++)
        if (w->copies[k].kind == kind) last = &w->copies[k];
    if (!last || last->committed || segment_at(race, last->segment)->time != w->time) {
        last = add_copies(race, w);
        last->kind = kind;
        last->segment = order_new_segment(race, block, warp);
        segment_at(race, last->segment)->is_async = true;
        segment_at(race, last->segment)->is_proxy = kind != COPY_PLAIN;
    }
    last->lanes |= lanes;
    return last->segment;
}

static bool is_of(enum copy_kind kind, enum check_group what)
{
    return (kind == COPY_PLAIN) == (what == GROUP_COPIES);
}

static void commit_copies(struct race_warp *w, uint32_t lanes, enum check_group what)
{
    for (unsigned k = 0; k < w->copy_count; k++) {
        struct copies *one = &w->copies[k];
        if (!is_of(one->kind, what)) continue;
        for (uint32_t left = lanes & one->committed; left; left &= left - 1)
            one->later[__builtin_ctz(left)]++;
        one->committed |= lanes;
    }
}

static void wait_for_copies(struct race *race, struct race_warp *w, uint32_t lanes,
                            const struct check_wait *wait)
{
    unsigned kept = 0;
    for (unsigned k = 0; k < w->copy_count; k++) {
        struct copies *one = &w->copies[k];
        struct segment *segment = segment_at(race, one->segment);
        bool is_waited =
            is_of(one->kind, wait->what) && !(wait->reads_only && one->kind == COPY_BULK_WRITES);
        uint32_t ended = is_waited && wait->all ? lanes : 0;
        uint32_t groups = is_waited && !wait->all ? lanes & one->committed : 0;
        for (uint32_t left = groups; left; left &= left - 1)
            if (one->later[__builtin_ctz(left)] >= wait->groups) ended |= left & -left;
        if (ended && !segment->done) segment->time = w->time;
        segment->done |= ended;
        one->lanes &= ~ended;
        if (one->lanes) w->copies[kept++] = *one;
    }
    w->copy_count = kept;
}

/* ---- copies in bulk -------------------------------------------------------------------------- */

void race_bulk(void *self, const struct check_bulk *bulk)
{
    struct race *race = self;
    race->bulk = *bulk;
    race->bulk_segments[0] = race->bulk_segments[1] = 0;
    if (!bulk->signals) return;
    struct race_block *home = bulk->home;
    race->bulk_slot = (uint8_t)mbarrier_slot(home, bulk->object);
    race->bulk_key = clock_key(&race->clocks, CLOCK_BULK, home->ordinal);
    race->bulk_time = ++home->bulk_times[race->bulk_slot];
}

uint64_t async_bulk_segment(struct race *race, bool writes)
{
    const struct check_bulk *bulk = &race->bulk;
    uint64_t *number = &race->bulk_segments[writes];
    if (*number) return *number;
    if (!bulk->signals) {
        *number = order_copy_segment(race, bulk->block, bulk->warp, UINT32_C(1) << bulk->lane,
                                     writes ? COPY_BULK_WRITES : COPY_BULK_READS);
        return *number;
    }
    *number = order_new_segment(race, bulk->block, bulk->warp);
    struct segment *segment = segment_at(race, *number);
    segment->is_async = segment->is_proxy = true;
    segment->tied = UINT32_MAX;
    segment->tied_key = race->bulk_key;
    segment->tied_slot = race->bulk_slot;
    segment->tied_at = race->bulk_time;
    return *number;
}

/* ---- products -------------------------------------------------------------------------------- */

enum { GROUP_WARPS = 4 };

uint64_t async_product_segment(struct race *race, struct race_block *block, unsigned warp)
{
    struct race_warp *w = &block->warps[warp];
    if (w->product_segment) return w->product_segment;
    w->product_segment = order_new_segment(race, block, warp);
    struct segment *segment = segment_at(race, w->product_segment);
    segment->is_async = segment->is_proxy = true;
    segment->tied = UINT32_MAX;
    segment->tied_key = clock_key(&race->clocks, CLOCK_PRODUCTS, block->ordinal);
    segment->tied_slot = (uint8_t)(warp / GROUP_WARPS);
    segment->tied_at = w->product_groups + 1;
    return w->product_segment;
}

static void wait_for_products(struct race *race, struct race_block *block, unsigned warp,
                              uint32_t lanes, uint32_t groups)
{
    uint32_t ended = block->warps[warp].product_groups;
    if (ended <= groups) return;
    struct clock *clock =
        clock_with(&race->clocks, NULL, clock_key(&race->clocks, CLOCK_PRODUCTS, block->ordinal), 0,
                   warp / GROUP_WARPS, ended - groups);
    order_learn(race, block, warp, lanes, clock, true);
    clock_drop(&race->clocks, clock);
}

/* ---- both ------------------------------------------------------------------------------------ */

void race_commit(void *self, void *block_, uint32_t warp, uint32_t lanes, enum check_group what)
{
    struct race_block *block = block_;
    struct race_warp *w = &block->warps[warp];
    (void)self;
    if (what != GROUP_PRODUCTS) {
        commit_copies(w, lanes, what);
        return;
    }
    w->product_groups++;
    w->product_segment = 0;
}

void race_wait(void *self, void *block_, uint32_t warp, uint32_t lanes,
               const struct check_wait *wait)
{
    struct race_block *block = block_;
    if (wait->what == GROUP_PRODUCTS)
        wait_for_products(self, block, warp, lanes, wait->groups);
    else
        wait_for_copies(self, &block->warps[warp], lanes, wait);
    order_advance(block, warp);
}
