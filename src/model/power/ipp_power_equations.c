// SPDX-License-Identifier: Apache-2.0
/* Power by unit, and how many cores: one function an equation. Numbers in parentheses: Hong's
 * thesis. */
#include <math.h>
#include <string.h>

#include "model/power/ipp_power.h"

const struct power_unit_info power_unit_infos[POWER_UNIT_COUNT] = {
#define PLACE_SM false
#define PLACE_GPU true
#define POWER_UNIT(name, id, place, text) {id, text, PLACE_##place},
#include "machine/power_units.def"
#undef POWER_UNIT
};

/* Section 3.2.4 prints one function for all spec-linear units. */
static const double spec_slope = 0.1365, spec_offset = 1.001375;

struct ipp_parameters ipp_gtx280(void) /* tables 8 and 9, section 3.4.1 */
{
    return (struct ipp_parameters){
        .max_watts = {[POWER_UNIT_FP] = 0.2,
                      [POWER_UNIT_REG] = 0.3,
                      [POWER_UNIT_ALU] = 0.2,
                      [POWER_UNIT_SFU] = 0.5,
                      [POWER_UNIT_INT] = 0.25,
                      [POWER_UNIT_FDS] = 0.5,
                      [POWER_UNIT_SHARED] = 1,
                      [POWER_UNIT_TEXTURE] = 0.9,
                      [POWER_UNIT_CONST] = 0.4,
                      [POWER_UNIT_GLOBAL] = 52,
                      [POWER_UNIT_LOCAL] = 52},
        .spec_linear = {[POWER_UNIT_FP] = true,
                        [POWER_UNIT_REG] = true,
                        [POWER_UNIT_INT] = true,
                        [POWER_UNIT_FDS] = true,
                        [POWER_UNIT_TEXTURE] = true,
                        [POWER_UNIT_CONST] = true,
                        [POWER_UNIT_GLOBAL] = true,
                        [POWER_UNIT_LOCAL] = true},
        .spec_slope = spec_slope,
        .spec_offset = spec_offset,
        .const_sm_watts = 0.813,
        .idle_watts = 83,
        .sms = 30,
        .log_scales = true,
        .log_beta = 1.1,
    };
}

struct ipp_parameters ipp_gtx580(void) /* table 11, section 3.8.1; readings P-8 and P-13 */
{
    return (struct ipp_parameters){
        .max_watts = {[POWER_UNIT_FP] = 1.1,
                      [POWER_UNIT_INT] = 1.1,
                      [POWER_UNIT_REG] = 0.8,
                      [POWER_UNIT_FDS] = 0.6,
                      [POWER_UNIT_SHARED] = 1.4,
                      [POWER_UNIT_CONST] = 1.0,
                      [POWER_UNIT_SFU] = 0.6,
                      [POWER_UNIT_TEXTURE] = 0.9,
                      [POWER_UNIT_L1] = 1.6,
                      [POWER_UNIT_L2] = 12,
                      [POWER_UNIT_GLOBAL] = 28},
        .spec_slope = spec_slope,
        .spec_offset = spec_offset,
        .activation_watts = 64,
        .idle_watts = 27,
        .sms = 16,
    };
}

double ipp_spec_linear(double slope, double offset, double rate, enum ipp_spec_policy policy)
{
    if (!(rate > 0)) return 0;
    double share = slope * log(rate) + offset;
    return policy == IPP_SPEC_RAW ? share : fmax(0, share);
}

double ipp_log_alpha(double sms, double beta)
{
    return (10 - beta) / sms;
}

double ipp_log_scale(double sms, double active_sms, double beta)
{
    return log10(ipp_log_alpha(sms, beta) * active_sms + beta);
}

double ipp_access_rate(double dac_per_thread, double warps_per_sm, double exec_cycles,
                       double issue_cycles)
{
    return dac_per_thread * warps_per_sm / (exec_cycles / issue_cycles);
}

/* (48) on the sum, once: reading P-1. Linear: the memory's power does not depend on the SMs. */
static void scale(const struct ipp_parameters *parameters, double active_sms, double *out_sms,
                  double *out_memory)
{
    *out_sms = active_sms / parameters->sms;
    *out_memory = 1;
    if (!parameters->log_scales) return;
    *out_sms = 1;
    if (parameters->log_scaling == IPP_LOG_ONCE)
        *out_sms = ipp_log_scale(parameters->sms, active_sms, parameters->log_beta);
    *out_memory = *out_sms;
}

static double unit_share(const struct ipp_parameters *parameters, size_t unit, double rate)
{
    if (!parameters->spec_linear[unit]) return rate;
    return ipp_spec_linear(parameters->spec_slope, parameters->spec_offset, rate,
                           parameters->spec_policy);
}

void ipp_power(const struct ipp_parameters *parameters, const double rates[POWER_UNIT_COUNT],
               double active_sms, struct ipp_watts *out)
{
    double of_sms, of_memory, runtime = 0;
    memset(out, 0, sizeof *out);
    out->idle_watts = out->gpu_watts = parameters->idle_watts;
    out->sm_component_watts = parameters->const_sm_watts;
    if (!(active_sms > 0)) return;
    scale(parameters, active_sms, &of_sms, &of_memory);
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++) {
        bool is_memory = power_unit_infos[i].once_per_gpu;
        out->effective[i] = unit_share(parameters, i, rates[i]);
        double watts = parameters->max_watts[i] * out->effective[i]; /* (39) */
        if (is_memory)
            out->rp_memory_watts += watts; /* (43) */
        else
            out->sm_component_watts += watts; /* (37) */
        out->units[i] = is_memory ? watts * of_memory : watts * parameters->sms * of_sms;
        runtime += out->units[i];
    }
    out->scale = of_sms;
    out->max_sm_watts = parameters->sms * out->sm_component_watts; /* (45) */
    out->rp_sms_watts = out->max_sm_watts * of_sms;                /* (44) */
    out->const_sm_watts = parameters->const_sm_watts * parameters->sms * of_sms;
    out->activation_watts = parameters->activation_watts;
    out->runtime_watts = runtime + out->const_sm_watts + out->activation_watts; /* (48) */
    out->gpu_watts = out->runtime_watts + out->idle_watts;                      /* (35) */
}

double ipp_gated_watts(const struct ipp_parameters *parameters,
                       const double rates[POWER_UNIT_COUNT], double active_sms)
{
    struct ipp_watts all;
    ipp_power(parameters, rates, parameters->sms, &all);
    return all.gpu_watts * active_sms / parameters->sms;
}

/* ---- (63) ------------------------------------------------------------------------------------ */

/* MWP and N come out of min(): equal up to rounding. */
static bool is_equal(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

static double rounded(double value, enum ipp_rounding rounding)
{
    if (rounding == IPP_ROUND_FLOOR) return floor(value * (1 + 1e-12));
    if (rounding == IPP_ROUND_CEIL) return ceil(value * (1 - 1e-12));
    return floor(value + 0.5);
}

struct ipp_cores ipp_optimal_cores(const struct ipp_cores_input *in)
{
    bool mwp_is_n = is_equal(in->mwp, in->n), cwp_is_n = is_equal(in->cwp, in->n);
    struct ipp_cores out = {.cores = in->sms, .exact = in->sms, .all = true};
    if (in->condition == IPP_CONDITION_PRINTED && (mwp_is_n || cwp_is_n)) {
        out.why = mwp_is_n ? "MWP = N (as printed)" : "CWP = N (as printed)";
        return out;
    }
    if (mwp_is_n) {
        out.why = "MWP = N: too few warps to fill the memory system";
        return out;
    }
    if (in->mwp > in->cwp && !is_equal(in->mwp, in->cwp)) {
        out.why = "MWP > CWP: bound by computation";
        return out;
    }
    if (in->mwp < in->mwp_peak_bw && !is_equal(in->mwp, in->mwp_peak_bw)) {
        out.why = "MWP < MWP_peak_BW: the bandwidth is not saturated";
        return out;
    }
    out.all = false;
    out.exact = in->mwp_peak_bw * in->sms / in->n;
    out.cores = fmin(in->sms, fmax(1, rounded(out.exact, in->rounding)));
    out.why = "bandwidth-bound: Mem_Bandwidth / (BW_per_warp N)";
    return out;
}

/* ---- (62) ------------------------------------------------------------------------------------ */

double core_point_watts(const struct core_point *point, enum power_metric metric)
{
    switch (metric) {
    case POWER_METRIC_RUNTIME:
        return point->runtime_watts;
    case POWER_METRIC_TOTAL:
        return point->gpu_watts;
    default:
        return point->gated_watts;
    }
}

double core_point_joules(const struct core_point *point, enum power_metric metric)
{
    return core_point_watts(point, metric) * point->seconds;
}

/* The work is the same for all, so the best performance per watt is the least energy. */
size_t core_points_best(const struct core_point *points, size_t count, enum power_metric metric)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (core_point_joules(&points[i], metric) <=
            core_point_joules(&points[best], metric) * (1 + 1e-12))
            best = i;
    return best;
}

double core_point_saving(const struct core_point *point, const struct core_point *all,
                         enum power_metric metric)
{
    return 1 - core_point_joules(point, metric) / core_point_joules(all, metric);
}
