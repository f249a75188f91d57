// SPDX-License-Identifier: Apache-2.0
/* The WHY line: the cause behind the bottleneck that the best estimate names. */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "model/teg/warp_waits.h"
#include "recommend/causes.h"
#include "recommend/hot_line.h"

static const struct advice *find_advice(const struct diagnosis *diagnosis, enum advice_code code)
{
    const struct advice *found = NULL;
    for (size_t i = 0; i < diagnosis->advice_count; i++) {
        const struct advice *item = &diagnosis->advice[i];
        if (item->code != code) continue;
        if (!found || item->gain > found->gain) found = item;
    }
    return found;
}

/* Uses the evidence of the advice that gains most, if it is worth it; of several alike the first of
 * the list. Where no gain is known, the first that is there. */
static bool explain_by(struct diagnosis *diagnosis, const enum advice_code *codes, double threshold)
{
    const struct advice *most = NULL;
    for (; *codes != ADVICE_COUNT; codes++) {
        const struct advice *item = find_advice(diagnosis, *codes);
        if (!item || item->gain < threshold) continue;
        if (!most || item->gain > most->gain || (isnan(most->gain) && !isnan(item->gain)))
            most = item;
    }
    if (!most) return false;
    diagnosis->why = arena_format(&diagnosis->arena, "%s: %s", most->title, most->evidence);
    diagnosis->why_where = most->where;
    return true;
}

static double term_value(const struct estimate *estimate, const char *id)
{
    const struct term *term = estimate_term(estimate, id);
    return term ? term->value : 0;
}

static struct hot_line hottest_access(const struct profile *profile)
{
    static const enum counter requests[] = {
        COUNTER_MEM_GLOBAL_LOAD_REQUESTS, COUNTER_MEM_GLOBAL_STORE_REQUESTS,
        COUNTER_MEM_GLOBAL_ATOMIC_REQUESTS, COUNTER_MEM_LOCAL_LOAD_REQUESTS,
        COUNTER_MEM_LOCAL_STORE_REQUESTS};
    return hot_counter(profile, requests, sizeof requests / sizeof requests[0]);
}

static void why_bandwidth(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    const struct estimate *best = &prediction->estimates[prediction->best];
    const struct profile *profile = prediction->profile;
    struct accesses all =
        accesses_sum(profile, ACCESS_ALL, coalescing_rule_of(prediction->machine));
    double operations = profile_get(profile, COUNTER_INST_THREAD);
    double saturating = term_value(best, "mwp_peak_bw"), warps = term_value(best, "n");
    double flying = fmax(term_value(best, "npw"), warps); /* accesses that the warps can overlap */
    const char *per =
        operations > 0
            ? arena_format(
                  &diagnosis->arena, "%s B per thread instruction",
                  quantity_format(all.parts[ACCESS_BYTES_REQUESTED] / operations, "1").text)
            : "every access";
    if (saturating > 0 && saturating <= warps)
        diagnosis->why =
            arena_format(&diagnosis->arena, "%s from DRAM: %s of %s per SM saturate it", per,
                         quantity_format(saturating, "1").text, quantity_of(warps, "warp").text);
    else if (saturating > 0 && saturating <= flying)
        diagnosis->why = arena_format(
            &diagnosis->arena, "%s from DRAM: %s in flight saturate it, %s per SM %s %s", per,
            quantity_of(saturating, "access").text, quantity_of(warps, "warp").text,
            warps == 1 ? "has" : "have", quantity_format(flying, "1").text);
    else
        diagnosis->why = arena_format(&diagnosis->arena, "%s through the memory system", per);
    diagnosis->why_where = hot_line_place(&diagnosis->arena, hottest_access(profile).instruction);
}

/* Where a model follows the warps: how long they wait for what limits, and where most. False: they do
 * not wait for it. */
static bool why_waits(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    const struct estimate *best = &prediction->estimates[prediction->best];
    const struct occupancy *occupancy = &prediction->occupancy;
    const struct warp_waits *waits = estimate_details(best, MODEL_TEG);
    const struct wait_cause *cause = NULL;
    const struct wait_line *line = NULL;
    double share = 0;
    for (size_t i = 0; waits && i < waits->cause_count; i++) {
        if (waits->causes[i].component != best->bottleneck) continue;
        share += waits->causes[i].share;
        if (!cause || waits->causes[i].share > cause->share) cause = &waits->causes[i];
    }
    if (!best->bottleneck || !cause || !(share > 0)) return false;
    for (size_t i = 0; i < waits->line_count; i++)
        if (waits->lines[i].cause->component == best->bottleneck &&
            (!line ||
             waits->lines[i].share * waits->lines[i].cause_share > line->share * line->cause_share))
            line = &waits->lines[i];
    diagnosis->why = arena_format(&diagnosis->arena,
                                  "warps wait %.0f %% of their time %s (occupancy %.0f %%, by %s)",
                                  100 * share, cause->text, 100 * occupancy->fraction,
                                  occupancy_limit_id(occupancy->limiter, "unknown limit"));
    struct instruction_profile at = {.file = line ? line->file : NULL,
                                     .is_native = profile_is_native(prediction->profile)};
    if (line) *(line->file ? &at.source_line : &at.line) = line->line;
    diagnosis->why_where = line ? hot_line_place(&diagnosis->arena, &at) : "";
    return true;
}

static void why_latency(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    const struct estimate *best = &prediction->estimates[prediction->best];
    const struct occupancy *occupancy = &prediction->occupancy;
    double cycles = term_value(best, "mem_l");
    diagnosis->why = arena_format(
        &diagnosis->arena, "%s per SM cannot hide %s memory latency (occupancy %.0f %%, by %s)",
        quantity_of(term_value(best, "n"), "warp").text,
        cycles > 0 ? arena_format(&diagnosis->arena, "%s of", quantity_of(cycles, "cycle").text)
                   : "the",
        100 * occupancy->fraction, occupancy_limit_id(occupancy->limiter, "unknown limit"));
    diagnosis->why_where =
        hot_line_place(&diagnosis->arena, hottest_access(prediction->profile).instruction);
}

static void why_shared(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    static const enum counter requests[] = {COUNTER_MEM_SHARED_LOAD_REQUESTS,
                                            COUNTER_MEM_SHARED_STORE_REQUESTS,
                                            COUNTER_MEM_SHARED_ATOMIC_REQUESTS};
    const struct estimate *best = &prediction->estimates[prediction->best];
    diagnosis->why =
        arena_format(&diagnosis->arena, "%s through the banks, at the rate of %s per SM",
                     quantity_of(term_value(best, "smem_transactions"), "pass").text,
                     quantity_of(term_value(best, "n"), "warp").text);
    diagnosis->why_where = hot_line_place(
        &diagnosis->arena, hot_counter(prediction->profile, requests, SHARED_OP_COUNT).instruction);
}

/* The class that is issued most, with its hottest line. */
static void why_issue(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    const struct profile *profile = prediction->profile;
    double all = profile_get(profile, COUNTER_INST_WARP), most = 0;
    unsigned class_id = CLASS_OTHER;
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        double count = profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + i));
        if (count <= most) continue;
        most = count;
        class_id = i;
    }
    const struct instruction_profile *hottest = NULL;
    double weight = 0;
    for (uint32_t i = 0; i < profile->instruction_count; i++) {
        double count = instruction_counter(&profile->instructions[i], COUNTER_INST_WARP);
        if (profile->instructions[i].class_id != class_id || count <= weight) continue;
        weight = count;
        hottest = &profile->instructions[i];
    }
    diagnosis->why =
        most > 0 ? arena_format(&diagnosis->arena, "%s, %.0f %% of them %s",
                                quantity_of(all, "warp instruction").text, 100 * most / all,
                                class_ids[class_id])
                 : arena_format(&diagnosis->arena, "%s", quantity_of(all, "warp instruction").text);
    diagnosis->why_where = hot_line_place(&diagnosis->arena, hottest);
}

void causes_explain(const struct prediction *prediction, struct diagnosis *diagnosis)
{
#define CODES(...) ((const enum advice_code[]){__VA_ARGS__, ADVICE_COUNT})
    /* L406 of a model that follows warps is what the latency costs, not what fills the memory system. */
    const bool traced = models[prediction->estimates[prediction->best].id]->needs_trace;
    const enum advice_code *memory =
        traced ? CODES(ADVICE_G102, ADVICE_G101, ADVICE_G104, ADVICE_G106)
               : CODES(ADVICE_G102, ADVICE_G101, ADVICE_G104, ADVICE_G106, ADVICE_L406);
    const enum advice_code *shared = CODES(ADVICE_S201, ADVICE_S202, ADVICE_L405);
    const enum advice_code *issue = CODES(ADVICE_I301, ADVICE_I302, ADVICE_L405, ADVICE_I303);
    enum { WORTH_PERCENT = 110 }; /* a cause that gains less explains nothing; guess */
    const double worth = WORTH_PERCENT / 100.0;
    switch (prediction->estimates[prediction->best].bottleneck) {
    case COMPONENT_MEMORY_LATENCY:
        if (!explain_by(diagnosis, memory, worth) && !why_waits(prediction, diagnosis))
            why_latency(prediction, diagnosis);
        break;
    case COMPONENT_GLOBAL_BANDWIDTH:
    case COMPONENT_GLOBAL_ACCESS:
    case COMPONENT_UNCOALESCED:
    case COMPONENT_MEMORY_PORT:
    case COMPONENT_L1_BANDWIDTH:
    case COMPONENT_L2_BANDWIDTH:
    case COMPONENT_LOAD_STORE:
    case COMPONENT_DRAM_ROWS:
        if (!explain_by(diagnosis, memory, worth)) why_bandwidth(prediction, diagnosis);
        break;
    case COMPONENT_ATOMICS:
        if (!explain_by(diagnosis, CODES(ADVICE_G105), 1)) why_bandwidth(prediction, diagnosis);
        break;
    case COMPONENT_SHARED_ACCESS:
        if (!explain_by(diagnosis, shared, worth)) why_shared(prediction, diagnosis);
        break;
    case COMPONENT_SHARED:
        if (!explain_by(diagnosis, shared, worth)) why_issue(prediction, diagnosis);
        break;
    case COMPONENT_BARRIERS:
        if (!explain_by(diagnosis, CODES(ADVICE_B501), 1)) why_issue(prediction, diagnosis);
        break;
    default:
        if (!why_waits(prediction, diagnosis) && !explain_by(diagnosis, issue, worth))
            why_issue(prediction, diagnosis);
    }
#undef CODES
}
