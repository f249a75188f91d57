// SPDX-License-Identifier: Apache-2.0
#include "recommend/causes.h"
#include "base/quantity.h"

#include <math.h>
#include <string.h>

#include "recommend/finder.h"
#include "recommend/hot_line.h"
#include "recommend/what_if.h"

/* ---- global and local memory ----------------------------------------------------------------- */

static const char *unit_of_rule(enum coalescing_rule rule)
{
    return rule == RULE_IS_SECTOR ? "sectors" : "transactions";
}

static const char *op_name(enum access_op op)
{
    static const char *const names[ACCESS_OP_COUNT] = {"load", "store", "atomic", "local load",
                                                       "local store"};
    return names[op];
}

static void find_uncoalesced(struct finder *finder)
{
    enum coalescing_rule rule = coalescing_rule_of(finder->prediction->machine);
    struct hot_line lines[HOT_LINES_MAX];
    size_t count = hot_uncoalesced(finder->profile, rule, lines);
    for (size_t i = 0; i < count; i++) {
        const struct instruction_profile *instruction = lines[i].instruction;
        enum access_op op;
        struct accesses accesses;
        accesses_of_instruction(instruction, rule, &op, &accesses);
        double now = access_per_request(&accesses);
        double ideal = access_ideal_per_request(instruction, &accesses, rule);
        bool misaligned = now <= ideal + 1; /* one segment more than needed */
        const char *evidence =
            arena_format(finder->arena, "%.3g %s/request, ideal %.0f; %.0f %% of the extra ones",
                         now, unit_of_rule(rule), ideal, 100 * lines[i].weight / lines[i].total);
        bool traced = finder_follows_traces(finder);
        finder_add(finder, misaligned ? ADVICE_G101 : ADVICE_G102,
                   arena_format(finder->arena, "%s this %s%s", misaligned ? "align" : "coalesce",
                                op_name(op), traced ? " (at most)" : ""),
                   hot_line_place(finder->arena, instruction), evidence,
                   traced ? finder_gain_of_share(finder, EFFECT_UNCOALESCED,
                                                 lines[i].weight / lines[i].total)
                          : what_if_coalesced(finder->prediction, instruction));
    }
    /* A profile without instructions knows the effect, but no line. */
    struct accesses all = accesses_sum(finder->profile, ACCESS_ALL, rule);
    double uncoalesced = all.parts[ACCESS_UNCOALESCED];
    if (!count && uncoalesced > 0)
        finder_add(
            finder, ADVICE_G102, "coalesce the accesses", "",
            arena_format(
                finder->arena, "%.0f %% of the requests, %s each",
                100 * uncoalesced / all.parts[ACCESS_REQUESTS],
                quantity_of(all.parts[ACCESS_UNCOALESCED_TRANSACTIONS] / uncoalesced, "transaction")
                    .text),
            finder_gain(finder, EFFECT_UNCOALESCED));
}

static struct hot_line hottest_load(const struct finder *finder)
{
    static const enum counter loads[] = {COUNTER_MEM_GLOBAL_LOAD_REQUESTS};
    return hot_counter(finder->profile, loads, 1);
}

enum { SECTOR_BYTES = 32 };

/* The share of the loads that reuse could save: half of them, but never below one load of every
 * distinct sector. */
static double savable_share(const struct finder *finder, const struct accesses *loads,
                            double *times)
{
    double moved = loads->parts[ACCESS_BYTES_MOVED];
    double least = finder_count(finder, COUNTER_MEM_GLOBAL_READ_FOOTPRINT) * SECTOR_BYTES;
    *times = least > 0 ? moved / least : NAN;
    return least > 0 ? fmin(0.5, 1 - least / moved) : 0.5;
}

static void find_traffic(struct finder *finder)
{
    enum coalescing_rule rule = coalescing_rule_of(finder->prediction->machine);
    struct accesses loads = accesses_read(finder->profile, ACCESS_GLOBAL_LOAD, rule);
    double operations = finder_count(finder, COUNTER_INST_THREAD), times;
    double bytes = accesses_sum(finder->profile, ACCESS_ALL, rule).parts[ACCESS_BYTES_REQUESTED];
    if (!(loads.parts[ACCESS_REQUESTS] > 0)) return;
    double share = savable_share(finder, &loads, &times);
    if (share < 0.1) return; /* nothing is read twice */
    const char *evidence =
        times > 0 ? arena_format(finder->arena, "each sector is loaded %s",
                                 quantity_of(times, "time").text)
        : operations > 0
            ? arena_format(finder->arena, "%s requested per thread instruction",
                           quantity_of(bytes / operations, "byte").text)
            : arena_format(finder->arena, "%s requested", quantity_format(bytes, "B").text);
    bool traced = finder_follows_traces(finder);
    if (traced && !finder_memory_costs(finder)) return;
    finder_add(finder, ADVICE_G103,
               arena_format(finder->arena, "load %.0f %% less from global memory (%s)", 100 * share,
                            traced ? "at most" : "tile, reuse"),
               hot_line_place(finder->arena, hottest_load(finder).instruction), evidence,
               traced ? finder_gain_of_share(finder, EFFECT_CACHE_MISSES, share)
                      : what_if_fewer_accesses(finder->prediction, 1u << ACCESS_GLOBAL_LOAD, share,
                                               false));
}

static void find_local(struct finder *finder)
{
    static const enum counter both[] = {COUNTER_MEM_LOCAL_LOAD_REQUESTS,
                                        COUNTER_MEM_LOCAL_STORE_REQUESTS};
    enum { LOCAL = 1 << ACCESS_LOCAL_LOAD | 1 << ACCESS_LOCAL_STORE };
    double requests = finder_count(finder, both[0]) + finder_count(finder, both[1]);
    if (!(requests > 0) || !finder_memory_costs(finder)) return;
    struct hot_line hot = hot_counter(finder->profile, both, 2);
    finder_add(
        finder, ADVICE_G104, "keep local variables in registers",
        hot_line_place(finder->arena, hot.instruction),
        arena_format(finder->arena, "%s to local memory", quantity_of(requests, "request").text),
        what_if_fewer_accesses(finder->prediction, LOCAL, 1, true));
}

/* What ptxas would do with more registers is unknown. */
static void find_spills(struct finder *finder)
{
    const struct profile *spilled = finder->prediction->spilled;
    if (!spilled || !finder_memory_costs(finder)) return;
    double requests = profile_get(spilled, COUNTER_MEM_LOCAL_LOAD_REQUESTS) +
                      profile_get(spilled, COUNTER_MEM_LOCAL_STORE_REQUESTS);
    finder_add(finder, ADVICE_G104, "keep registers from being spilled", "",
               arena_format(finder->arena, "%s to local memory with spilled registers",
                            quantity_of(requests, "request").text),
               NAN);
}

static void find_atomics(struct finder *finder)
{
    static const enum counter atomics[] = {COUNTER_MEM_GLOBAL_ATOMIC_REQUESTS};
    double requests = finder_count(finder, atomics[0]);
    double all = accesses_sum(finder->profile, ACCESS_ALL, RULE_IS_SECTOR).parts[ACCESS_REQUESTS];
    if (!(requests > 0.1 * all)) return; /* guess */
    struct hot_line hot = hot_counter(finder->profile, atomics, 1);
    finder_add(finder, ADVICE_G105, "combine atomics before they reach memory",
               hot_line_place(finder->arena, hot.instruction),
               arena_format(finder->arena, "%.0f %% of the global and local requests are atomics",
                            100 * requests / all),
               NAN);
}

/* ---- shared memory, barriers ----------------------------------------------------------------- */

static void find_conflicts(struct finder *finder)
{
    bool half_warp = shared_is_half_warp(finder->prediction->machine);
    enum counter conflicts[SHARED_OP_COUNT];
    for (unsigned op = 0; op < SHARED_OP_COUNT; op++)
        conflicts[op] = shared_counter(op, SHARED_CONFLICTS, half_warp);
    double extra = shared_sum(finder->profile, SHARED_CONFLICTS, half_warp);
    double all = shared_sum(finder->profile, SHARED_REQUESTS, half_warp);
    if (!(extra > 0.1 * all)) return; /* guess */
    struct hot_line hot = hot_counter(finder->profile, conflicts, SHARED_OP_COUNT);
    double evidence_share = hot.total > 0 ? 100 * hot.weight / hot.total : 100;
    finder_add(
        finder, ADVICE_S201, "avoid shared memory bank conflicts",
        hot_line_place(finder->arena, hot.instruction),
        arena_format(finder->arena,
                     "%.3g passes per request beyond the conflict-free ones; %.0f %% at this line",
                     extra / all, evidence_share),
        finder_gain(finder, EFFECT_BANK_CONFLICTS));
}

static void find_barriers(struct finder *finder)
{
    static const enum counter barriers[] = {COUNTER_BARRIER_WARP};
    double executed = finder_count(finder, barriers[0]),
           warps = finder_count(finder, COUNTER_WARPS_EXECUTED);
    double gain = finder_gain(finder, EFFECT_SYNC);
    if (!(executed > 0) || isnan(gain)) return;
    struct hot_line hot = hot_counter(finder->profile, barriers, 1);
    const char *evidence = warps > 0 ? arena_format(finder->arena, "%s per warp",
                                                    quantity_of(executed / warps, "barrier").text)
                                     : arena_format(finder->arena, "%s of warps",
                                                    quantity_of(executed, "barrier").text);
    finder_add(finder, ADVICE_B501, "reduce synchronisation (at most)",
               hot_line_place(finder->arena, hot.instruction), evidence, gain);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static void find_expensive(struct finder *finder)
{
    double gain = finder_gain(finder, EFFECT_LONG_INSTRUCTIONS);
    if (isnan(gain)) return;
    struct hot_line hot = hot_expensive(finder->profile, finder->prediction->machine);
    const char *evidence = "instruction classes below the rate of fp32.add";
    if (hot.instruction)
        evidence = arena_format(finder->arena, "%s: %.0f %% of the extra issue slots",
                                class_ids[hot.instruction->class_id], 100 * hot.weight / hot.total);
    finder_add(finder, ADVICE_I301, "replace expensive instructions (at most)",
               hot_line_place(finder->arena, hot.instruction), evidence, gain);
}

static void find_divergence(struct finder *finder)
{
    static const enum counter divergent[] = {COUNTER_BRANCH_DIVERGENT};
    double gain = finder_gain(finder, EFFECT_DIVERGENCE);
    if (isnan(gain)) return;
    struct hot_line hot = hot_counter(finder->profile, divergent, 1);
    finder_add(finder, ADVICE_I302, "reduce branch divergence (at most)",
               hot_line_place(finder->arena, hot.instruction),
               arena_format(finder->arena, "%.3g of 32 lanes active per warp instruction",
                            32 * active_lane_share(finder->profile)),
               gain);
}

/* ---- latency and occupancy ------------------------------------------------------------------- */

/* What every model says of the loads of a warp. */
static const char *loads_in_flight(const struct finder *finder)
{
    double strength = finder_count(finder, COUNTER_MEM_MSTR);
    if (!(strength > 0)) return "one load in flight at a time";
    return arena_format(finder->arena, "%s in flight per warp",
                        quantity_of(round(100 * strength) / 100, "load").text);
}

static void find_pairs(struct finder *finder)
{
    if (finder_follows_traces(finder)) return; /* find_idle_warps */
    finder_add(finder, ADVICE_L401, "issue loads in pairs before the first use",
               hot_line_place(finder->arena, hottest_load(finder).instruction),
               loads_in_flight(finder), fmax(1, what_if_paired_loads(finder->prediction)));
}

/* What a model that follows warps knows: what the time would be if they never waited. */
static void find_idle_warps(struct finder *finder)
{
    const struct occupancy *occupancy = &finder->prediction->occupancy;
    if (!finder_follows_traces(finder)) return;
    const char *resident = arena_format(
        finder->arena, "%u of %u warps resident per SM (limiter: %s)", occupancy->warps_per_sm,
        occupancy->max_warps, occupancy_limit_id(occupancy->limiter, "unknown"));
    finder_add(finder, ADVICE_L406, "keep more memory requests in flight (at most)",
               hot_line_place(finder->arena, hottest_load(finder).instruction),
               arena_format(finder->arena, "%s; %s", loads_in_flight(finder), resident),
               finder_gain(finder, EFFECT_MEM_LATENCY));
    finder_add(finder, ADVICE_L405, "keep more warps active per SM (at most)", "", resident,
               finder_gain(finder, EFFECT_INST_LATENCY));
}

static void find_occupancy(struct finder *finder)
{
    const struct prediction *prediction = finder->prediction;
    enum occupancy_limit limiter = prediction->occupancy.limiter;
    unsigned now = prediction->occupancy.blocks_per_sm, blocks = 0;
    unsigned registers = 0;
    uint64_t shared = 0;
    if (limiter == OCCUPANCY_REGISTERS) registers = what_if_find_registers(prediction, &blocks);
    if (registers)
        finder_add(
            finder, ADVICE_L402,
            arena_format(finder->arena, "use at most %u registers per thread", registers), "",
            arena_format(finder->arena, "%s: %s per SM; %s: %s",
                         quantity_of(prediction->registers, "register").text,
                         quantity_of(now, "block").text, quantity_of(registers, "register").text,
                         quantity_of(blocks, "block").text),
            what_if_registers(prediction, registers));
    if (limiter == OCCUPANCY_SHARED) shared = what_if_find_shared(prediction, &blocks);
    if (shared)
        finder_add(finder, ADVICE_L403,
                   arena_format(finder->arena, "use at most %llu B of shared memory per block",
                                (unsigned long long)shared),
                   "",
                   arena_format(finder->arena, "%s per SM, limited by shared memory; then %u",
                                quantity_of(now, "block").text, blocks),
                   what_if_shared(prediction, shared));
}

static void find_small_grid(struct finder *finder)
{
    double blocks = (double)profile_blocks(finder->profile);
    double sms = machine_get(finder->prediction->machine, MACHINE_SM_COUNT, 1);
    double room = sms * finder->prediction->occupancy.blocks_per_sm;
    if (!(blocks < 0.8 * room)) return; /* guess: a nearly full GPU is full */
    finder_add(finder, ADVICE_L404, "launch more blocks", "",
               arena_format(finder->arena, "%s on %s that can hold %s",
                            quantity_of(blocks, "block").text, quantity_of(sms, "SM").text,
                            quantity_count(room).text),
               NAN);
}

void causes_find(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    struct finder finder = finder_of(prediction, diagnosis);
    find_uncoalesced(&finder);
    find_traffic(&finder);
    find_local(&finder);
    find_spills(&finder);
    find_atomics(&finder);
    find_conflicts(&finder);
    find_expensive(&finder);
    find_divergence(&finder);
    find_pairs(&finder);
    find_idle_warps(&finder);
    find_occupancy(&finder);
    find_small_grid(&finder);
    find_barriers(&finder);
    find_components(&finder);
}
