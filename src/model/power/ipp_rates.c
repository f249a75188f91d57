// SPDX-License-Identifier: Apache-2.0
/* Access rates (40), (61) from the counters inst.unit.*. */
#include "model/power/ipp_rates.h"
#include "base/quantity.h"

#include <math.h>

#include "model/core/prices.h"
#include "model/power/clock_scaling.h"

/* power_units.def begins with the units of the counters, in their order. */
_Static_assert((int)POWER_UNIT_INT == (int)UNIT_INT && (int)POWER_UNIT_FDS == (int)UNIT_FDS &&
                   (int)POWER_UNIT_LOCAL == (int)UNIT_LOCAL &&
                   (int)POWER_UNIT_L1 == (int)UNIT_COUNT,
               "the counters' units come first");

/* Every instruction is fetched: inst.unit.fds is inst.warp where it is not told. */
static ws_status read_instructions(struct diag *diag, const struct model_input *input,
                                   struct power_estimate *out)
{
    const struct profile *profile = input->profile;
    const char *missing = "";
    size_t known = 0;
    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        enum counter counter = (enum counter)(COUNTER_INST_UNIT_FIRST + i);
        out->unit_instructions[i] = profile_get(profile, counter);
        known += profile_has(profile, counter);
        if (profile_has(profile, counter) || i == UNIT_FDS) continue;
        missing = arena_format(input->arena, "%s%s%s", missing, *missing ? ", " : "",
                               counter_infos[counter].id);
    }
    if (!known)
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "requires the counters inst.unit.*, which are not in this profile");
    if (*missing)
        estimate_assume(&out->answer, input->arena, "not in the profile, assumed 0: %s", missing);
    if (!profile_has(profile, COUNTER_INST_UNIT_FDS))
        out->unit_instructions[UNIT_FDS] = profile_get(profile, COUNTER_INST_WARP);
    return WS_OK;
}

const char power_unit_absent[] = "this GPU has none";

/* A unit without coefficient counts with its kin (reading P-13). */
static void count_with(const struct model_input *input, struct power_estimate *out,
                       enum power_unit unit, enum power_unit kin)
{
    if (machine_has(input->machine, MACHINE_POWER_MAX_INT + unit)) return;
    out->unit_reasons[unit] =
        arena_format(input->arena, "no coefficient: counted with %s", power_unit_infos[kin].id);
    if (!(out->unit_instructions[unit] > 0)) return;
    out->counted[kin] += out->counted[unit];
    out->counted[unit] = 0;
    estimate_assume(&out->answer, input->arena,
                    "no coefficient for %s on this GPU: counted with %s (reading P-13)",
                    power_unit_infos[unit].id, power_unit_infos[kin].id);
}

/* A unit that Hong's GPUs do not have apart is taken out of the one that the counters know, if it has a
 * coefficient (reading P-18). */
static void take_out(const struct model_input *input, struct power_estimate *out,
                     enum power_unit unit, enum power_unit kin, double instructions)
{
    out->unit_instructions[unit] = instructions;
    if (!machine_has(input->machine, MACHINE_POWER_MAX_INT + unit)) {
        out->unit_reasons[unit] = power_unit_absent;
        if (instructions > 0) count_with(input, out, unit, kin);
        return;
    }
    out->counted[unit] = instructions;
    out->counted[kin] = fmax(0, out->counted[kin] - instructions);
}

/* The tensor cores at their peak have a rate of 1, whatever the shape and type of the matrices. */
static void count_tensor_time(const struct model_input *input, struct power_estimate *out)
{
    double peak = machine_get(input->machine, MACHINE_TENSOR_FMA, 0);
    double work = profile_get(input->profile, COUNTER_TENSOR_FMA);
    if (!(out->counted[POWER_UNIT_TENSOR] > 0) || !(peak > 0) || !(work > 0)) return;
    out->counted[POWER_UNIT_TENSOR] = work / peak / price_issue_cycles(input->machine);
}

static double class_instructions(const struct profile *profile, enum insn_class first,
                                 enum insn_class last)
{
    double sum = 0;
    for (unsigned i = first; i <= last; i++)
        sum += profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + i));
    return sum;
}

static void count_later_units(const struct model_input *input, struct power_estimate *out)
{
    const struct profile *profile = input->profile;
    take_out(input, out, POWER_UNIT_FP64, POWER_UNIT_FP,
             class_instructions(profile, CLASS_FP64_ADD, CLASS_FP64_DIV));
    take_out(input, out, POWER_UNIT_TENSOR, POWER_UNIT_ALU,
             class_instructions(profile, CLASS_TENSOR, CLASS_TENSOR));
    count_tensor_time(input, out);
}

static ws_status check_coefficients(struct diag *diag, const struct model_input *input,
                                    const struct power_estimate *out)
{
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++)
        if (out->counted[i] > 0 && !machine_has(input->machine, MACHINE_POWER_MAX_INT + i))
            return diag_error(
                diag, WS_ERR_NO_MODEL, "the kernel uses the %s, whose power %s%s does not define",
                power_unit_infos[i].text, "machine power.max.", power_unit_infos[i].id);
    return WS_OK;
}

/* Nothing is known of what the caches hit: every access goes to the DRAM, and they draw nothing. */
static void no_caches(const struct model_input *input, struct power_estimate *out)
{
    out->unit_reasons[POWER_UNIT_L1] = out->unit_reasons[POWER_UNIT_L2] =
        "not in the profile: no cache section";
    estimate_assume(&out->answer, input->arena,
                    "no cache data in the profile: all global and local accesses go to DRAM, L1 "
                    "and L2 draw no power");
}

/* Caches stand between the SMs and the DRAM. Rates count instructions, the cache section sectors: of the
 * instructions as many use a level as of their sectors come there (reading P-16). */
static void read_caches(const struct model_input *input, struct power_estimate *out)
{
    const struct cache_section *caches = input->caches;
    if (!(machine_get(input->machine, MACHINE_POWER_MAX_L1, 0) > 0) &&
        !(machine_get(input->machine, MACHINE_POWER_MAX_L2, 0) > 0)) {
        out->unit_reasons[POWER_UNIT_L1] = out->unit_reasons[POWER_UNIT_L2] = power_unit_absent;
        return;
    }
    if (!caches) {
        no_caches(input, out);
        return;
    }
    const uint64_t *counts = caches->counts;
    out->caches = caches;
    double written = (double)(counts[CACHE_COUNT_STORES] + counts[CACHE_COUNT_ATOMICS]);
    double all = (double)counts[CACHE_COUNT_LOADS] + written;
    double accesses = out->counted[POWER_UNIT_GLOBAL] + out->counted[POWER_UNIT_LOCAL];
    if (!(all > 0)) return; /* no access */
    double dram = (double)(counts[CACHE_COUNT_DRAM_READ] + counts[CACHE_COUNT_DRAM_WRITTEN]) / all;
    out->counted[POWER_UNIT_L1] = accesses * (double)counts[CACHE_COUNT_L1_LOOKUPS] / all;
    out->counted[POWER_UNIT_L2] = accesses * ((double)counts[CACHE_COUNT_L2_LOADS] + written) / all;
    out->counted[POWER_UNIT_GLOBAL] *= dram;
    out->counted[POWER_UNIT_LOCAL] *= dram;
    estimate_assume(&out->answer, input->arena,
                    "%.1f %% of the global and local sectors access L1, %.1f %% access L2, %.1f "
                    "%% access DRAM: the same shares of the instructions count there (reading "
                    "P-16)",
                    100 * (double)counts[CACHE_COUNT_L1_LOOKUPS] / all,
                    100 * ((double)counts[CACHE_COUNT_L2_LOADS] + written) / all, 100 * dram);
}

static void find_rates(const struct model_input *input, const struct ipp_parameters *parameters,
                       struct power_estimate *out)
{
    double issue = price_issue_cycles(input->machine); /* 4 on GT200; reading P-6 */
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++) {
        /* Instructions of a warp times warps of an SM: those of an SM at work (42). */
        double rate =
            ipp_access_rate(out->counted[i], 1 / out->active_sms, out->answer.cycles, issue);
        /* Where power is linear in the SMs, that of what exists once a GPU is shared by all of them:
         * half of the SMs at the same rate ask half as often (reading P-15). */
        if (power_unit_infos[i].once_per_gpu && !parameters->log_scales)
            rate *= out->active_sms / parameters->sms;
        /* What lies beyond the SMs knows nothing of their clock: its accesses are counted by issue slots
         * of the clock at which the coefficients were measured (reading P-17). */
        if (power_unit_infos[i].once_per_gpu) rate *= clock_ratio(input->machine);
        if (rate > 1 + 1e-9)
            estimate_assume(&out->answer, input->arena,
                            "access rate of %s is %s, more than one instruction per issue slot: "
                            "clamped to 1",
                            power_unit_infos[i].id, quantity_format(rate, "1").text);
        out->rates[i] = fmin(1, rate);
        if (!(parameters->max_watts[i] > 0) && !out->unit_reasons[i])
            out->unit_reasons[i] = "no coefficient";
    }
    if (issue != 4)
        estimate_assume(&out->answer, input->arena,
                        "access rates use issue slots of %s instead of 4 (reading P-6)",
                        quantity_of(issue, "cycle").text);
}

ws_status ipp_read_rates(struct diag *diag, const struct model_input *input,
                         const struct ipp_parameters *parameters, struct power_estimate *out)
{
    if (!(out->answer.cycles > 0) || !(out->active_sms > 0))
        return diag_error(diag, WS_ERR_NO_MODEL, "the kernel takes no time, so it has no power");
    TRY(read_instructions(diag, input, out));
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++)
        out->counted[i] = out->unit_instructions[i];
    count_later_units(input, out);
    count_with(input, out, POWER_UNIT_ALU, POWER_UNIT_INT);
    count_with(input, out, POWER_UNIT_LOCAL, POWER_UNIT_GLOBAL);
    read_caches(input, out);
    TRY(check_coefficients(diag, input, out));
    find_rates(input, parameters, out);
    bool is_spec = false;
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++)
        is_spec |= machine_has(input->machine, MACHINE_POWER_SPEC_LINEAR_INT + i);
    if (!is_spec)
        estimate_assume(&out->answer, input->arena,
                        "access-rate functions of this GPU are unpublished: all units assumed "
                        "linear (reading P-8)");
    return WS_OK;
}
