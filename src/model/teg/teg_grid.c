// SPDX-License-Identifier: Apache-2.0
#include "model/teg/teg_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/teg/teg_clocks.h"
#include "model/teg/teg_parallel.h"
#include "model/teg/teg_sharing.h"

/* Everything is executed that has no more than STEPS_MAX warp instructions. Else as many whole waves of
 * resident blocks as have: the first fills the SMs, those behind it are the steady state while the last
 * follows them; and the last one of all, if it is not whole. */
enum { STEPS_MAX = 500000 };

/* ---- what is executed ------------------------------------------------------------------------ */

static uint64_t blocks_to_run(const struct teg_grid *a)
{
    const struct trace *trace = a->setup.trace;
    double steps = (double)trace->step_count / trace->block_count; /* a block */
    uint64_t blocks = (uint64_t)a->blocks;
    if (steps * a->blocks <= STEPS_MAX) return blocks;
    uint64_t waves = (uint64_t)(STEPS_MAX / (steps * (double)a->wave));
    if (!waves) waves = 1;
    if (blocks < a->wave * waves) return blocks;
    return a->wave * waves + blocks % a->wave;
}

/* L1 and shared memory are one memory from cc 7.0 on: what the blocks take is no cache. */
static void set_l1(struct teg_grid *a)
{
    const struct model_input *input = a->input;
    struct cache_geometry caches;
    if (cache_geometry_read(input->machine, input->profile, a->setup.blocks_per_sm, &caches))
        a->machine.l1.bytes = caches.l1_bytes;
}

/* Distinct sectors that the launch reads or writes; a sector that it does both with counts twice. */
static double touched_sectors(const struct teg_grid *a)
{
    return profile_get(a->input->profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT) +
           profile_get(a->input->profile, COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT);
}

/* Of what a launch writes, the share that leaves the L2 before it ends. Of an L2 that was empty the last sectors that
 * it touches stay. A warm one gets rid of what the launch before left. */
static double written_back(const struct teg_grid *a)
{
    if (a->writes_through) return 1;
    if (a->input->l2.kind == L2_WARM) return 1 - a->input->l2.share;
    double touched = touched_sectors(a), kept = (double)a->machine.l2.bytes / TEG_SECTOR;
    return touched > kept ? 1 - kept / touched : 0;
}

/* Each partition of the L2 keeps what the SMs beside it read: data that several SMs share lie in all. */
static double copies(const struct teg_grid *a)
{
    double partitions = machine_get(a->input->machine, MACHINE_L2_PARTITIONS, 1);
    return fmax(1, fmin(partitions, a->sharing));
}

/* The L2 holds what this SM reads and what the others read; what they share it holds once. */
static void set_sharing(struct teg_grid *a)
{
    const struct profile *profile = a->input->profile;
    a->sharing = 1;
    a->setup.dram_share = a->setup.written_share = TEG_DRAM_ALL;
    if (!teg_is_cached(&a->machine)) return;
    double read = profile_get(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT);
    a->sharing = teg_sharing(&a->setup.deal, &a->machine, a->setup.block_count,
                             (double)profile_blocks(profile), read);
    a->sharing = fmin(a->sharing, a->machine.active_sms);
    double fetched = 1 - a->input->l2.share; /* of what is read */
    a->setup.has_l2_code = a->input->l2.has_code;
    a->setup.dram_share = (uint32_t)(TEG_DRAM_ALL * fetched / a->sharing);
    a->setup.written_share = (uint32_t)(TEG_DRAM_ALL * written_back(a));
    a->machine.l2.bytes =
        (uint64_t)((double)a->machine.l2.bytes * a->sharing / copies(a) / a->machine.active_sms);
}

/* Of traces of the native view (native_order.h). The registers that are alive in the order of the
 * PTX say nothing about those that the compiler takes. */
static unsigned native_registers(const struct teg_grid *a)
{
    enum { UNKNOWN = 36 };
    const struct model_input *input = a->input;
    unsigned cc = input->machine->cc_major * 10 + input->machine->cc_minor, registers, target;
    const char *from;
    if (!a->is_native_order || cc < 70 || input->trace->head.view != ISA_VIEW_NATIVE) return 0;
    bool is_told = profile_registers(input->profile, cc, &registers, &from, &target) && registers &&
                   strcmp(from, "liveness") != 0;
    return is_told ? registers : UNKNOWN;
}

/* What kernels read of their clocks begins with the first blocks: whole waves are the first ones, not any. */
static void keep_first_waves(struct teg_grid *a, unsigned cluster)
{
    uint64_t count = a->setup.block_count, all = (uint64_t)a->blocks, last = count % a->wave;
    uint64_t *blocks = ARENA_ARRAY(a->input->arena, uint64_t, count + 1);
    const uint64_t *in_order =
        teg_assigned_blocks(a->input->arena, &a->assignment, cluster, all, a->wave);
    for (uint64_t i = 0; i < count; i++)
        blocks[i] = in_order[i < count - last ? i : all - (count - i)];
    a->setup.deal.blocks = blocks;
}

/* The blocks of a cluster. */
static void choose_blocks(struct teg_grid *a, unsigned cluster)
{
    uint64_t blocks = teg_assigned_count(&a->assignment, cluster);
    a->blocks = (double)blocks;
    if (a->wave > blocks) a->wave = blocks;
    a->setup.block_count = blocks_to_run(a);
    a->setup.deal.blocks = teg_assigned_blocks(a->input->arena, &a->assignment, cluster,
                                               a->setup.block_count, a->wave);
    if (a->input->clocks) keep_first_waves(a, cluster);
    a->work = teg_assigned_work(&a->assignment, cluster);
}

/* Resident blocks of an SM, if each has as many as `blocks` of a cluster allow. */
static unsigned resident_blocks(const struct teg_grid *a, double blocks)
{
    unsigned most = a->input->occupancy.blocks_per_sm;
    return most * (double)a->setup.sms > blocks ? (unsigned)ceil(blocks / a->setup.sms) : most;
}

void teg_prepare(struct teg_grid *a)
{
    uint64_t blocks = profile_blocks(a->input->profile);
    a->mean = (double)blocks / a->machine.clusters;
    a->setup.trace = a->input->trace;
    a->setup.machine = &a->machine;
    a->setup.local_bytes = a->input->profile->local_bytes_per_thread;
    a->setup.observer = a->input->observer;
    a->setup.sms = (unsigned)fmin(a->machine.cluster_sms, ceil(a->mean));
    a->setup.blocks_per_sm = resident_blocks(a, ceil(a->mean));
    a->setup.native_registers = native_registers(a);
    a->setup.without_stalls = a->input->only_time;
    a->wave = (uint64_t)a->setup.blocks_per_sm * a->setup.sms;
    a->assignment = teg_assign(a->setup.trace, blocks, a->machine.clusters, (unsigned)a->wave);
    a->setup.deal = (struct teg_deal){.trace = a->setup.trace,
                                      .stays_at_place = a->stays_at_place,
                                      .is_exact = a->input->clocks != NULL};
    choose_blocks(a, a->assignment.longest);
    if (a->setup.block_count == (uint64_t)a->blocks) a->setup.running = a->assignment.running;
    if (teg_is_cached(&a->machine) && !a->assignment.running)
        a->setup.last_sms = (unsigned)(blocks - ((uint64_t)a->blocks - 1) * a->machine.clusters);
    set_l1(a);
    set_sharing(a);
}

/* ---- from the executed blocks to the grid ---------------------------------------------------- */

/* By the instructions issued while no place was free: from the beginning to the retirement after which no block
 * follows, without the first wave if as many blocks retire behind it. (A block that runs beside others has done part
 * of its work when those retire, so that counting retired blocks alone says too little of what was done.) */
double teg_steady_rate(const struct teg_grid *a)
{
    const struct teg_result *r = &a->result;
    uint64_t wave = a->wave, last = r->block_count > wave ? r->block_count - wave : 0;
    if (a->blocks <= (double)wave || !r->issued) return 0;
    teg_time begin = r->begun;
    uint64_t before = 0;
    if (last + 1 >= 2 * wave) {
        begin = r->block_ends[wave - 1];
        before = r->block_issued[wave - 1];
    }
    double issued = (double)(r->block_issued[last] - before);
    double each = (double)r->issued / (double)r->block_count;
    return issued > 0 ? (double)(r->block_ends[last] - begin) * each / issued : 0;
}

/* What the blocks of the cluster execute, over what the traced blocks do that stood for some of them. */
static double work_factor(const struct teg_grid *a)
{
    static const double ROUNDING = 1e-6; /* of a float */
    double each = a->result.work / (double)a->result.block_count;
    if (!a->is_weighed || !(each > 0) || !(a->work > 0)) return 1;
    double factor = a->work / each;
    return fabs(factor - 1) > ROUNDING ? factor : 1;
}

/* What was not executed are whole waves in the midst: the last wave, perhaps not whole, was. */
static teg_time whole_grid(const struct teg_grid *a)
{
    double rest = a->blocks - (double)a->result.block_count;
    double executed = (double)a->result.end + rest * teg_steady_rate(a);
    teg_time time = (teg_time)(executed * work_factor(a));
    if (a->is_weighed && time < a->longest_ends) time = a->longest_ends;
    return time + a->machine.launch;
}

teg_time teg_without_tail(const struct teg_grid *a)
{
    double rate = teg_steady_rate(a);
    if (!(rate > 0)) return a->total;
    double time = rate * a->mean + (double)(a->machine.launch + a->result.begun);
    return time < (double)a->total ? (teg_time)time : a->total;
}

/* A block that executes more than what stands for it goes on for as much longer as that takes alone: the others
 * have ended, but for what the work of all says. */
static ws_status find_longest_end(struct diag *diag, struct teg_grid *a)
{
    const struct teg_longer *longer = &a->result.longer;
    struct teg_setup alone = a->setup;
    struct teg_result result;
    if (!(longer->more > 0)) return WS_OK;
    alone.deal.blocks = &a->setup.deal.blocks[longer->number];
    alone.block_count = alone.sms = alone.blocks_per_sm = alone.last_sms = 1;
    alone.running = NULL;
    alone.observer = NULL;
    TRY(teg_run(diag, &alone, &result));
    double each = (double)(result.retired - result.begun);
    a->longest_ends = longer->ended + (teg_time)((longer->times - 1) * each);
    teg_result_clear(&result);
    return WS_OK;
}

/* ---- one cluster or all ---------------------------------------------------------------------- */

static void end_clocks(const struct teg_grid *a)
{
    teg_clocks_end(a->input->clocks, &a->assignment,
                   (uint64_t)a->setup.blocks_per_sm * a->setup.sms, teg_steady_rate(a));
}

static struct teg_grid of_cluster(const struct teg_grid *a, unsigned number)
{
    struct teg_grid out = *a;
    choose_blocks(&out, number);
    out.setup.running = NULL;
    if (out.blocks < a->blocks) out.setup.last_sms = 0;
    return out;
}

/* They have these numbers. */
static ws_status run_clusters(struct diag *diag, struct teg_grid *clusters, const unsigned *numbers,
                              unsigned count)
{
    struct teg_clocks *clocks = clusters->input->clocks;
    struct teg_setup *setups = mem_zalloc(count, sizeof *setups);
    struct teg_result *results = mem_zalloc(count, sizeof *results);
    for (unsigned i = 0; i < count; i++)
        setups[i] = clusters[i].setup;
    if (clocks) teg_clocks_begin(clocks, &clusters->machine, setups, numbers, count);
    for (unsigned i = 0; i < count && clocks; i++)
        setups[i].observer = teg_clocks_observer(clocks, i);
    ws_status status = teg_run_all(diag, setups, count, results);
    for (unsigned i = 0; i < count; i++)
        clusters[i].result = results[i];
    mem_free(setups);
    mem_free(results);
    return status;
}

/* Becomes the answer of the slowest cluster, of equal ones the first. */
static ws_status choose_slowest(struct diag *diag, struct teg_grid *a, struct teg_grid *clusters,
                                unsigned count)
{
    ws_status status = WS_OK;
    unsigned slowest = 0;
    double sum = 0;
    for (unsigned i = 0; i < count; i++) {
        if (status == WS_OK) status = find_longest_end(diag, &clusters[i]);
        if (clusters[i].result.issued) clusters[i].total = whole_grid(&clusters[i]);
        if (clusters[i].total > clusters[slowest].total) slowest = i;
        sum += (double)clusters[i].total;
    }
    for (unsigned i = 0; i < count; i++)
        if (i != slowest) teg_result_clear(&clusters[i].result);
    *a = clusters[slowest];
    a->timed = count;
    a->mean_total = sum / count;
    return status;
}

ws_status teg_run_clusters(struct diag *diag, struct teg_grid *a)
{
    uint64_t all = profile_blocks(a->input->profile);
    unsigned count = a->machine.clusters < all ? a->machine.clusters : (unsigned)all;
    struct teg_grid *clusters = mem_zalloc(a->machine.clusters, sizeof *clusters);
    unsigned *numbers = mem_zalloc(count, sizeof *numbers);
    for (unsigned i = 0; i < count; i++) {
        clusters[i] = of_cluster(a, i);
        numbers[i] = i;
    }
    ws_status status = run_clusters(diag, clusters, numbers, count);
    if (status == WS_OK) status = choose_slowest(diag, a, clusters, count);
    if (status == WS_OK && a->input->clocks) end_clocks(a);
    mem_free(clusters);
    mem_free(numbers);
    return status;
}

/* With the cluster of the first block, which often is the only one that measures: two at most. */
static ws_status run_with_clocks(struct diag *diag, struct teg_grid *a)
{
    const struct teg_assignment *dealt = &a->assignment;
    const unsigned numbers[] = {dealt->longest, dealt->owners ? dealt->owners[0] : 0};
    unsigned count = numbers[0] == numbers[1] ? 1 : 2;
    struct teg_grid clusters[2] = {*a};
    if (count == 2) clusters[1] = of_cluster(a, numbers[1]);
    TRY(run_clusters(diag, clusters, numbers, count));
    TRY(choose_slowest(diag, a, clusters, count));
    end_clocks(a);
    return WS_OK;
}

ws_status teg_run_cluster(struct diag *diag, struct teg_grid *a)
{
    if (a->input->clocks) return run_with_clocks(diag, a);
    TRY(teg_run(diag, &a->setup, &a->result));
    TRY(find_longest_end(diag, a));
    a->total = whole_grid(a);
    a->timed = 1;
    return WS_OK;
}
