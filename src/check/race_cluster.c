// SPDX-License-Identifier: Apache-2.0
/* Clusters: their barrier, and whether a block is there when others, or copies in bulk, access its shared memory. It
 * has begun for who knows anything of it; and what nobody in it knows of may come when it has ended. */
#include "check/race.h"

/* ---- the barrier ----------------------------------------------------------------------------- */

void race_cluster_arrive(void *self, void *block_, uint32_t warp, uint32_t lanes, bool releases)
{
    struct race *race = self;
    struct race_block *block = block_, *leader = block->leader;
    struct clock *began = clock_with(&race->clocks, NULL, block->ordinal, 0, warp, 1);
    clock_add(&race->clocks, &leader->cluster_barrier.arrived, began);
    clock_drop(&race->clocks, began);
    if (!releases) order_publish(race, block, warp, lanes, true, &leader->cluster_reads.arrived);
    order_publish(race, block, warp, lanes, releases, &leader->cluster_barrier.arrived);
}

void race_cluster_done(void *self, void *leader_)
{
    struct race_block *leader = leader_;
    phases_end(self, &leader->cluster_barrier);
    phases_end(self, &leader->cluster_reads);
}

void race_cluster_pass(void *self, void *block_, uint32_t warp, uint32_t lanes)
{
    struct race *race = self;
    struct race_block *block = block_, *leader = block->leader;
    order_learn(race, block, warp, lanes, leader->cluster_barrier.ended, true);
    for (uint32_t left = leader->cluster_reads.ended ? lanes : 0; left; left &= left - 1)
        clock_add(&race->clocks,
                  &order_lane(race, block, warp, (unsigned)__builtin_ctz(left))->seen,
                  leader->cluster_reads.ended);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void tell(struct race *race, const struct visit *visit, const char *detail)
{
    const struct segment *segment = segment_at(race, visit->segment);
    struct check_report report = {
        .code = CHECK_CODE_RACE_LIFE,
        .here = {visit->place->insn, segment->block, segment->warp, visit->lane},
        .has_address = true,
        .address = visit->address,
        .bytes = visit->bytes,
        .space = SPACE_SHARED,
        .detail = detail,
    };
    race->findings->checker.ops->report(race->findings, &report);
}

static bool has_begun(const struct race *race, const struct race_block *home,
                      const struct lane_clocks *clocks)
{
    for (unsigned warp = 0; warp < home->warp_count; warp++)
        if (clock_knows(&race->clocks, clocks->known, home->ordinal, warp, 1)) return true;
    return false;
}

void cluster_visit(struct race *race, const struct check_access *access, uint64_t segment,
                   struct place *place)
{
    const struct race_block *block = access->block;
    struct race_block *home = access->home;
    unsigned lane = (unsigned)__builtin_ctz(access->access->mask);
    struct visit visit = {.segment = segment,
                          .place = place,
                          .address = access->access->addresses[lane],
                          .bytes = access->access->bytes,
                          .lane = lane};
    if (home->has_left) {
        tell(race, &visit,
             "the block may have ended before: nothing makes it wait for this access");
        return;
    }
    if (home != block && !has_begun(race, home, order_see(&block->warps[access->warp], lane)))
        tell(race, &visit,
             "the block may not have begun: a barrier of the cluster has to come first");
    if (!home->visits) {
        home->visits = mem_alloc(sizeof *home->visits);
        mem_keep(home->visits);
    }
    if (!home->has_visits) *home->visits = (struct visits){0};
    home->has_visits = true;
    unsigned kind = !access->is_bulk ? 0 : access->writes ? 2 : 1;
    home->visits->last[block->rank % CLUSTER_RANKS][access->warp][kind] = visit;
}

/* Does anyone who knows this much have it behind? */
static bool is_known(const struct race *race, const struct race_block *home,
                     const struct clock *all, const struct segment *segment, unsigned lane)
{
    if (segment->is_async && !((segment->done >> lane) & 1))
        return segment->tied && clock_knows(&race->clocks, all, segment->tied_key,
                                            segment->tied_slot, segment->tied_at);
    return segment->owner == home->owner ||
           clock_knows(&race->clocks, all, segment->owner - race->launch_owners, segment->warp,
                       segment->time);
}

void race_block_leaves(void *self, void *block_)
{
    struct race *race = self;
    struct race_block *block = block_;
    struct clock *all = NULL;
    block->has_left = true;
    if (!block->has_visits) return;
    for (unsigned k = 0; k < block->warp_count; k++)
        for (unsigned lane = 0; lane < (block->warps[k].is_uniform ? 1 : LANES); lane++)
            clock_add(&race->clocks, &all, block->warps[k].clocks[lane].known);
    const struct visit *visits = &block->visits->last[0][0][0];
    for (size_t k = 0; k < sizeof *block->visits / sizeof *visits; k++) {
        const struct visit *one = &visits[k];
        if (one->segment < race->oldest_segment || one->segment < block->first_segment) continue;
        if (is_known(race, block, all, segment_at(race, one->segment), one->lane)) continue;
        tell(race, one, "nothing makes the block wait for the end of this access before it ends");
    }
    clock_drop(&race->clocks, all);
}
