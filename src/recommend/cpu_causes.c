// SPDX-License-Identifier: Apache-2.0
/* What holds a kernel back on a CPU, by the gains of the effects that the best model knows. */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "recommend/causes.h"
#include "recommend/finder.h"
#include "recommend/hot_line.h"

static const enum counter accesses[] = {COUNTER_MEM_GLOBAL_LOAD_REQUESTS,
                                        COUNTER_MEM_GLOBAL_STORE_REQUESTS,
                                        COUNTER_MEM_GLOBAL_ATOMIC_REQUESTS};
enum { ACCESS_COUNTERS = sizeof accesses / sizeof accesses[0] };

static double term_value(const struct finder *finder, const char *id)
{
    const struct term *term = estimate_term(finder->best, id);
    return term ? term->value : 0;
}

static const char *hottest_place(const struct finder *finder)
{
    struct hot_line hot = hot_counter(finder->profile, accesses, ACCESS_COUNTERS);
    return hot_line_place(finder->arena, hot.instruction);
}

/* Adds an advice if the best model knows its effect. */
static void add_known(struct finder *finder, enum effect effect, enum advice_code code,
                      const char *title, const char *where, const char *evidence)
{
    double gain = finder_gain(finder, effect);
    if (isfinite(gain)) finder_add(finder, code, title, where, evidence, gain);
}

void causes_find_on_cpu(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    struct finder finder = finder_of(prediction, diagnosis);
    add_known(&finder, EFFECT_CACHE_MISSES, ADVICE_C701,
              "keep the data in the caches: tile, reuse (at most)", hottest_place(&finder),
              arena_format(finder.arena, "%s of %.0f B from DRAM per group of threads",
                           quantity_of(term_value(&finder, "lines"), "line").text,
                           term_value(&finder, "bytes_per_warp")));
    add_known(&finder, EFFECT_UNCOALESCED, ADVICE_C702,
              "let consecutive threads access consecutive words", hottest_place(&finder),
              "part of each line is unused by the group of threads");
    add_known(&finder, EFFECT_INST_LATENCY, ADVICE_C703,
              "interleave independent instructions (at most)", "",
              arena_format(finder.arena, "a result is used after %s, DEP_Effect %.3g",
                           quantity_of(term_value(&finder, "dep"), "instruction").text,
                           term_value(&finder, "dep_effect")));
}

void causes_explain_on_cpu(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    const struct estimate *best = &prediction->estimates[prediction->best];
    struct finder finder = {
        .profile = prediction->profile, .best = best, .arena = &diagnosis->arena};
    bool is_memory =
        best->bottleneck == COMPONENT_MEMORY_LATENCY || best->bottleneck == COMPONENT_CPU_BANDWIDTH;
    if (is_memory && term_value(&finder, "lines") > 0)
        diagnosis->why = arena_format(
            &diagnosis->arena, "%s per group of %.0f threads, %s each, %s of them idle",
            quantity_of(term_value(&finder, "lines"), "cache line").text,
            term_value(&finder, "lanes"), quantity_of(term_value(&finder, "eff_mem"), "cycle").text,
            quantity_format(term_value(&finder, "idle"), "1").text);
    else if (is_memory)
        diagnosis->why = "every distinct sector is loaded from memory once";
    else if (best->bottleneck == COMPONENT_INSTRUCTION_LATENCY)
        diagnosis->why =
            arena_format(&diagnosis->arena, "a result is used %s later: DEP_Effect %.3g",
                         quantity_of(term_value(&finder, "dep"), "instruction").text,
                         term_value(&finder, "dep_effect"));
    else
        diagnosis->why =
            arena_format(&diagnosis->arena, "%s per thread",
                         quantity_of(profile_get(prediction->profile, COUNTER_INST_WARP) /
                                         executed_warps(prediction->profile),
                                     "instruction")
                             .text);
    diagnosis->why_where = is_memory ? hottest_place(&finder) : "";
}
