// SPDX-License-Identifier: Apache-2.0
/* The causes that Zhang and Owens (HPCA 2011, section 3) name for each component, where the model
 * that knows components answers best. Each says what share of the component's time it causes. */
#include <math.h>
#include <string.h>

#include "model/quantitative.h"
#include "recommend/finder.h"
#include "recommend/hot_line.h"
#include "recommend/what_if.h"

static double term_value(const struct finder *finder, const char *id)
{
    const struct term *term = estimate_term(finder->best, id);
    return term ? term->value : NAN;
}

/* ---- instruction pipeline -------------------------------------------------------------------- */

static double bookkeeping(const struct instruction_profile *instruction, const void *context)
{
    (void)context;
    if (class_is_float(instruction->class_id)) return 0;
    return instruction_counter(instruction, COUNTER_INST_WARP);
}

/* A kernel without floating point computes otherwise: nothing to say. */
static void find_density(struct finder *finder)
{
    double density = term_value(finder, "float_share");
    if (!(density > 0) || density > 0.9) return; /* guess: little is left to gain */
    struct hot_line hot = hot_find(finder->profile, bookkeeping, NULL);
    finder_add(finder, ADVICE_I303, "raise the computational density (at most)",
               hot_line_place(finder->arena, hot.instruction),
               arena_format(finder->arena,
                            "%.0f %% of the instructions do not compute in floating point",
                            100 * (1 - density)),
               what_if_only_floating_point(finder->prediction));
}

/* Warps that work on an SM, mean over the time. */
static double working_warps(const struct estimate *estimate, double otherwise)
{
    double warps = 0, seconds = 0;
    const struct stage_times *times = estimate_details(estimate, MODEL_QUANTITATIVE);
    for (size_t i = 0; times && i < times->count; i++) {
        const struct stage_estimate *stage = &times->stages[i];
        double time = fmax(stage->inst_seconds, fmax(stage->smem_seconds, stage->gmem_seconds));
        warps += stage->warps * time;
        seconds += time;
    }
    return seconds > 0 ? warps / seconds : otherwise;
}

static void find_few_warps(struct finder *finder)
{
    double resident = term_value(finder, "n"), fill = term_value(finder, "inst_fill");
    const struct occupancy *occupancy = &finder->prediction->occupancy;
    finder_add(finder, ADVICE_L405, "keep more warps active per SM (at most)", "",
               arena_format(finder->arena,
                            "%.3g warps active on average; %.3g of %u are resident "
                            "(limiter: %s) and fill %.0f %% of a pipe",
                            working_warps(finder->best, resident), resident, occupancy->max_warps,
                            occupancy_limit_id(occupancy->limiter, "unknown"), 100 * fill),
               finder_gain(finder, EFFECT_INST_LATENCY));
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* Values that are loaded from shared memory again for every operation. */
static void find_shared_traffic(struct finder *finder)
{
    enum { STORE = 1 };
    static const enum counter loads[] = {COUNTER_MEM_SHARED_LOAD_REQUESTS};
    bool half_warp = shared_is_half_warp(finder->prediction->machine);
    double passes = shared_sum(finder->profile, SHARED_WAVEFRONTS, half_warp);
    double stores = finder_count(finder, shared_counter(STORE, SHARED_WAVEFRONTS, half_warp));
    double computing = term_value(finder, "float_share") * finder_count(finder, COUNTER_INST_WARP);
    if (!(passes > 0) || !(finder_count(finder, loads[0]) > 0)) return;
    struct hot_line hot = hot_counter(finder->profile, loads, 1);
    const char *per = computing > 0
                          ? arena_format(finder->arena, "%.2g loads per floating-point instruction",
                                         finder_count(finder, loads[0]) / computing)
                          : "no floating point";
    finder_add(finder, ADVICE_S202, "load half as much from shared memory (use registers)",
               hot_line_place(finder->arena, hot.instruction),
               arena_format(finder->arena, "%s; %.0f %% of the passes only store", per,
                            100 * stores / passes),
               what_if_fewer_shared_loads(finder->prediction, 0.5));
}

/* ---- global memory --------------------------------------------------------------------------- */

static void find_little_parallelism(struct finder *finder)
{
    double bytes = term_value(finder, "gmem_bytes"), seconds = term_value(finder, "t_gmem");
    double peak = machine_get(finder->prediction->machine, MACHINE_DRAM_BANDWIDTH, INFINITY);
    if (!(bytes > 0)) return;
    static const enum counter loads[] = {COUNTER_MEM_GLOBAL_LOAD_REQUESTS,
                                         COUNTER_MEM_LOCAL_LOAD_REQUESTS};
    struct hot_line hot = hot_counter(finder->profile, loads, 2);
    finder_add(finder, ADVICE_L406, "keep more memory requests in flight (at most)",
               hot_line_place(finder->arena, hot.instruction),
               arena_format(finder->arena,
                            "latency is %.0f %% of the global memory time: too few "
                            "transactions in flight",
                            100 * fmax(0, 1 - bytes / peak / seconds)),
               finder_gain(finder, EFFECT_MEM_LATENCY));
    finder_add(finder, ADVICE_L407,
               "launch a multiple of the clusters that share a memory pipeline", "",
               arena_format(finder->arena, "the last wave leaves %.0f %% of them idle",
                            100 * (1 - term_value(finder, "gmem_sawtooth"))),
               finder_gain(finder, EFFECT_TAIL));
}

/* Bytes that an access moves though no lane asks for them. */
static double unused_bytes(const struct instruction_profile *instruction, const void *context)
{
    const enum coalescing_rule *rule = context;
    enum access_op op;
    struct accesses accesses;
    if (!accesses_of_instruction(instruction, *rule, &op, &accesses)) return 0;
    return accesses.parts[ACCESS_BYTES_MOVED] - accesses.parts[ACCESS_BYTES_REQUESTED];
}

/* Transactions that are larger than what the lanes ask for, though they are as few as they can be;
 * where they are not, G101 and G102 say so. */
static void find_granularity(struct finder *finder)
{
    enum coalescing_rule rule = coalescing_rule_of(finder->prediction->machine);
    struct accesses all = accesses_sum(finder->profile, ACCESS_ALL, rule);
    double moved = all.parts[ACCESS_BYTES_MOVED], asked = all.parts[ACCESS_BYTES_REQUESTED];
    if (!(moved > asked * 1.1)) return; /* guess */
    for (size_t i = 0; i < finder->diagnosis->advice_count; i++)
        if (finder->diagnosis->advice[i].code == ADVICE_G101 ||
            finder->diagnosis->advice[i].code == ADVICE_G102)
            return;
    finder_add(
        finder, ADVICE_G106, "avoid fetching unused bytes (at most)",
        hot_line_place(finder->arena, hot_find(finder->profile, unused_bytes, &rule).instruction),
        arena_format(finder->arena, "%.0f %% of the bytes moved are wasted",
                     100 * (1 - asked / moved)),
        what_if_nothing_unused(finder->prediction));
}

void find_components(struct finder *finder)
{
    if (finder->best->id != MODEL_QUANTITATIVE) return;
    find_density(finder);
    find_few_warps(finder);
    find_shared_traffic(finder);
    find_little_parallelism(finder);
    find_granularity(finder);
}
