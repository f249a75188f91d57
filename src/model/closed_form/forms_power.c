// SPDX-License-Identifier: Apache-2.0
/* The closed forms of IPP: power, temperature, number of cores (Hong's thesis, chapter III). */
#include <math.h>

#include "model/closed_form/closed_form.h"
#include "model/closed_form/mwp_cwp_form.h"
#include "model/power/ipp_power.h"

/* ---- power ----------------------------------------------------------------------------------- */

static const char *const spec_words[] = {"clamp", "raw", NULL};
static const char *const log_words[] = {"log_once", "none", NULL};

static const struct input_row spec_linear_rows[] = {
    {"x", NAN, NULL}, {"policy", 0, spec_words}, {0}};

static ws_status run_spec_linear(struct evaluation *e)
{
    struct ipp_parameters gtx280 = ipp_gtx280();
    double x = evaluation_get(e, "x");
    evaluation_put(e, "y",
                   ipp_spec_linear(gtx280.spec_slope, gtx280.spec_offset, x,
                                   (enum ipp_spec_policy)evaluation_get(e, "policy")));
    return WS_OK;
}

/* 0 to all of them. */
static ws_status check_active(struct diag *diag, double active, double sms)
{
    if (!(sms > 0))
        return diag_error(diag, WS_ERR_ARGUMENT, "num_sms must be greater than 0 (got %g)", sms);
    if (active >= 0 && active <= sms) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "%g active SMs are out of range: the GPU has %g, expected 0 to %g", active,
                      sms, sms);
}

static const struct input_row sm_scale_rows[] = {
    {"num_sms", NAN, NULL}, {"active_sms", NAN, NULL}, {"beta", 1.1, NULL}, {0}};

static ws_status run_sm_scale(struct evaluation *e)
{
    double sms = evaluation_get(e, "num_sms"), active = evaluation_get(e, "active_sms");
    double beta = evaluation_get(e, "beta");
    TRY(check_active(e->diag, active, sms));
    evaluation_put(e, "alpha", ipp_log_alpha(sms, beta));
    evaluation_put(e, "scale", ipp_log_scale(sms, active, beta));
    return WS_OK;
}

static const struct input_row access_rate_rows[] = {
    {"dac_per_th", NAN, NULL},
    {"warps_per_sm", NAN, NULL},
    {"exec_cycles", NAN, NULL},
    {"issue_cycles", 4, NULL},
    {0},
};

static ws_status run_access_rate(struct evaluation *e)
{
    double cycles = evaluation_get(e, "exec_cycles");
    TRY(EVALUATION_POSITIVE(e, "exec_cycles", "issue_cycles"));
    evaluation_put(e, "access_rate",
                   ipp_access_rate(evaluation_get(e, "dac_per_th"),
                                   evaluation_get(e, "warps_per_sm"), cycles,
                                   evaluation_get(e, "issue_cycles")));
    return WS_OK;
}

#define POWER_UNIT(name, id, place, text) "rates." id,
static const char *const rate_names[] = {
#include "machine/power_units.def"
};
#undef POWER_UNIT
#define POWER_UNIT(name, id, place, text) {"rates." id, 0, NULL},
static const struct input_row power_rows[] = {
#include "machine/power_units.def"
    {"active_sms", NAN, NULL}, {"spec_linear", 0, spec_words}, {"log_scaling", 0, log_words}, {0}};
#undef POWER_UNIT

static ws_status run_power(struct evaluation *e, struct ipp_parameters parameters)
{
    double rates[POWER_UNIT_COUNT], active = evaluation_get(e, "active_sms");
    struct ipp_watts watts;
    parameters.spec_policy = (enum ipp_spec_policy)evaluation_get(e, "spec_linear");
    parameters.log_scaling = (enum ipp_log_scaling)evaluation_get(e, "log_scaling");
    TRY(check_active(e->diag, active, parameters.sms));
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++) {
        rates[i] = evaluation_get(e, rate_names[i]);
        if (!(rates[i] >= 0))
            return diag_error(e->diag, WS_ERR_ARGUMENT, "%s is %g: a rate must be at least 0",
                              rate_names[i], rates[i]);
        if (rates[i] > 0 && !(parameters.max_watts[i] > 0))
            return diag_error(e->diag, WS_ERR_ARGUMENT,
                              "%s is %g, but the paper lacks MaxPower of the %s for this GPU",
                              rate_names[i], rates[i], power_unit_infos[i].text);
    }
    ipp_power(&parameters, rates, active, &watts);
    evaluation_put(e, "sm_component_w", watts.sm_component_watts);
    evaluation_put(e, "max_sm_w", watts.max_sm_watts);
    evaluation_put(e, "rp_sms_w", watts.rp_sms_watts);
    evaluation_put(e, "rp_memory_w", watts.rp_memory_watts);
    evaluation_put(e, "scale", watts.scale);
    evaluation_put(e, "runtime_w", watts.runtime_watts);
    evaluation_put(e, "idle_w", watts.idle_watts);
    evaluation_put(e, "gpu_w", watts.gpu_watts);
    return WS_OK;
}

static ws_status run_power_gtx280(struct evaluation *e)
{
    return run_power(e, ipp_gtx280());
}

static ws_status run_power_gtx580(struct evaluation *e)
{
    return run_power(e, ipp_gtx580());
}

/* ---- temperature ----------------------------------------------------------------------------- */

static const struct input_row static_power_rows[] = {
    {"delta_temp", NAN, NULL}, {"sigma", 10.0 / 22.0, NULL}, {0}};

static ws_status run_static_power(struct evaluation *e)
{
    evaluation_put(e, "static_add_w", evaluation_get(e, "sigma") * evaluation_get(e, "delta_temp"));
    return WS_OK;
}

static const char *const mode_words[] = {"rise", "decay", NULL};

static const struct input_row temperature_rows[] = {
    {"idle_temp", NAN, NULL}, {"delta", 0, NULL},      {"gamma", 0, NULL},
    {"t", NAN, NULL},         {"rc_rise", 35, NULL},   {"rc_decay", 60, NULL},
    {"start", 0, NULL},       {"mode", 0, mode_words}, {0},
};

/* `start` above idle: 0 is a cold start, as (49) is printed. */
static ws_status run_temperature(struct evaluation *e)
{
    struct ipp_thermal thermal = {.idle_celsius = evaluation_get(e, "idle_temp"),
                                  .rc_rise_seconds = evaluation_get(e, "rc_rise"),
                                  .rc_decay_seconds = evaluation_get(e, "rc_decay")};
    double t = evaluation_get(e, "t"), rise;
    TRY(EVALUATION_POSITIVE(e, "rc_rise", "rc_decay"));
    if (!(t >= 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT, "temperature: t must be at least 0 (got %g)",
                          t);
    if (evaluation_get(e, "mode") > 0)
        rise = ipp_cooling(&thermal, evaluation_get(e, "gamma"), t);
    else
        rise = ipp_warming(&thermal, evaluation_get(e, "start"), evaluation_get(e, "delta"), t);
    evaluation_put(e, "temp", thermal.idle_celsius + rise);
    evaluation_put(e, "rise", rise);
    return WS_OK;
}

static const struct input_row max_temp_rise_rows[] = {
    {"runtime_w", NAN, NULL},   {"memaccess_intensity", -1, NULL},
    {"memory_insts", 0, NULL},  {"nonmemory_insts", 0, NULL},
    {"idle_temp", 57, NULL},    {"mu", 0.120, NULL},
    {"lambda", 5.5, NULL},      {"rho", 21.505, NULL},
    {"sigma", 10.0 / 22, NULL}, {0},
};

static ws_status run_max_temp_rise(struct evaluation *e)
{
    struct ipp_thermal thermal = {.idle_celsius = evaluation_get(e, "idle_temp"),
                                  .per_watt = evaluation_get(e, "mu"),
                                  .offset_kelvin = evaluation_get(e, "lambda"),
                                  .by_intensity_kelvin = evaluation_get(e, "rho"),
                                  .static_per_kelvin = evaluation_get(e, "sigma")};
    double watts = evaluation_get(e, "runtime_w");
    double intensity = evaluation_get(e, "memaccess_intensity");
    double others = evaluation_get(e, "nonmemory_insts");
    if (intensity < 0 && !(others > 0))
        return diag_error(
            e->diag, WS_ERR_ARGUMENT,
            "max_temp_rise requires memaccess_intensity of at least 0, or memory_insts "
            "and nonmemory_insts");
    if (intensity < 0) intensity = evaluation_get(e, "memory_insts") / others; /* (54) */
    if (!(watts >= 0) || !(intensity >= 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "max_temp_rise: power (%g W) and intensity (%g) must be at least 0",
                          watts, intensity);
    double delta = ipp_rise(&thermal, watts, intensity);
    double coupled = ipp_coupled_rise(&thermal, watts, intensity);
    evaluation_put(e, "memaccess_intensity", intensity);
    evaluation_put(e, "delta", delta);
    evaluation_put(e, "max_temp", thermal.idle_celsius + delta);
    evaluation_put(e, "static_add_w", thermal.static_per_kelvin * delta);
    evaluation_put(e, "coupled_delta", coupled);
    evaluation_put(e, "coupled_max_temp", thermal.idle_celsius + coupled);
    return WS_OK;
}

/* ---- number of cores ------------------------------------------------------------------------- */

static const char *const condition_words[] = {"and", "printed", NULL};
static const char *const rounding_words[] = {"round", "floor", "ceil", NULL};

static const struct input_row eq63_rows[] = {
    {"n", NAN, NULL},
    {"mwp", NAN, NULL},
    {"cwp", NAN, NULL},
    {"num_sms", NAN, NULL},
    {"mwp_peak_bw", 0, NULL}, /* or the next two */
    {"mem_bw_gbs", 0, NULL},
    {"bw_per_warp", 0, NULL},
    {"cond", 0, condition_words},
    {"rounding", 0, rounding_words},
    {0},
};

static ws_status run_eq63(struct evaluation *e)
{
    double bandwidth = evaluation_get(e, "mem_bw_gbs"), per_warp = evaluation_get(e, "bw_per_warp");
    struct ipp_cores_input in = {
        .mwp = evaluation_get(e, "mwp"),
        .cwp = evaluation_get(e, "cwp"),
        .n = evaluation_get(e, "n"),
        .sms = evaluation_get(e, "num_sms"),
        .mwp_peak_bw = evaluation_get(e, "mwp_peak_bw"),
        .condition = (enum ipp_condition)evaluation_get(e, "cond"),
        .rounding = (enum ipp_rounding)evaluation_get(e, "rounding"),
    };
    TRY(EVALUATION_POSITIVE(e, "n", "num_sms"));
    if (!(in.mwp_peak_bw > 0) && bandwidth > 0 && per_warp > 0)
        in.mwp_peak_bw = bandwidth / (per_warp * in.sms); /* (6) */
    if (!(in.mwp_peak_bw > 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "optimal_cores_eq63 requires mwp_peak_bw, or mem_bw_gbs and bw_per_warp");
    struct ipp_cores cores = ipp_optimal_cores(&in);
    evaluation_put(e, "cores", cores.cores);
    evaluation_put(e, "exact", cores.exact);
    return WS_OK;
}

#define METRIC(name, id) id,
static const char *const metric_words[] = {POWER_METRICS(METRIC) NULL};
#undef METRIC

static const struct input_row energy_saving_rows[] = {
    {"num_sms", NAN, NULL},    {"cores", NAN, NULL},
    {"mode", 0, metric_words}, {"time_ratio", 1, NULL},
    {"runtime_w", 0, NULL},    {"idle_w", 0, NULL},
    {"beta", 1.1, NULL},       {0},
};

/* Power of all SMs as it is measured, and that of `cores`; time_ratio = t(cores) / t(all). Ratios do
 * not depend on the watts, but for `total`. */
static ws_status run_energy_saving(struct evaluation *e)
{
    double sms = evaluation_get(e, "num_sms"), cores = evaluation_get(e, "cores");
    double runtime = evaluation_get(e, "runtime_w"), idle = evaluation_get(e, "idle_w");
    enum power_metric mode = (enum power_metric)evaluation_get(e, "mode");
    TRY(check_active(e->diag, cores, sms));
    TRY(EVALUATION_POSITIVE(e, "time_ratio"));
    if (!(runtime >= 0) || !(idle >= 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "energy_saving: runtime_w and idle_w must be at least 0");
    if (mode == POWER_METRIC_TOTAL && !(runtime > 0))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "energy_saving: total power requires runtime_w and idle_w");
    if (!(runtime > 0)) runtime = 1;
    double some = runtime * ipp_log_scale(sms, cores, evaluation_get(e, "beta"));
    double full = runtime + idle;
    struct core_point all = {sms, 1, runtime, full, full};
    struct core_point point = {cores, evaluation_get(e, "time_ratio"), some, some + idle,
                               full * cores / sms};
    evaluation_put(e, "saving", core_point_saving(&point, &all, mode));
    return WS_OK;
}

/* ---- performance per watt by the number of cores (62), of the GTX 280 and mwp-cwp ------------ */

#define POWER_UNIT(name, id, place, text) "insts." id,
static const char *const inst_names[] = {
#include "machine/power_units.def"
};
#undef POWER_UNIT
#define POWER_UNIT(name, id, place, text) {"insts." id, 0, NULL},
static const struct input_row ipp_sweep_rows[] = {
#include "machine/power_units.def"
    MWP_CWP_LAUNCH_ROWS,
    {"num_sms", 30, NULL},
    {"metric", 0, metric_words},
    {0},
};
#undef POWER_UNIT

static ws_status sweep_point(struct evaluation *e, struct mwp_cwp_input in,
                             const struct ipp_parameters *parameters, double cores,
                             struct core_point *out)
{
    struct mwp_cwp_terms terms;
    struct ipp_watts watts;
    double rates[POWER_UNIT_COUNT];
    in.active_sms = fmin(in.blocks, cores);
    TRY(mwp_cwp_predict(e->diag, &in, &terms));
    double warps = terms.warps_per_block * in.blocks / in.active_sms; /* (42) */
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++)
        rates[i] = fmin(1, ipp_access_rate(evaluation_get(e, inst_names[i]), warps,
                                           terms.exec_cycles_synch, in.issue_cycles));
    ipp_power(parameters, rates, in.active_sms, &watts);
    *out = (struct core_point){cores, terms.exec_cycles_synch / in.freq_hz, watts.runtime_watts,
                               watts.gpu_watts, ipp_gated_watts(parameters, rates, in.active_sms)};
    return WS_OK;
}

enum { SWEEP_SMS_MAX = 1024 };

static ws_status run_ipp_sweep(struct evaluation *e)
{
    struct core_point points[SWEEP_SMS_MAX];
    struct mwp_cwp_input in = mwp_cwp_read_launch(e);
    struct ipp_parameters parameters = ipp_gtx280();
    enum power_metric metric = (enum power_metric)evaluation_get(e, "metric");
    double sms = evaluation_get(e, "num_sms");
    if (!(sms >= 1 && sms <= SWEEP_SMS_MAX && sms == floor(sms)))
        return diag_error(e->diag, WS_ERR_ARGUMENT,
                          "ipp_sweep: num_sms must be a whole number from 1 to %d", SWEEP_SMS_MAX);
    parameters.sms = sms;
    size_t count = (size_t)sms;
    for (size_t i = 0; i < count; i++)
        TRY(sweep_point(e, in, &parameters, (double)(i + 1), &points[i]));
    size_t best = core_points_best(points, count, metric);
    double giga = in.total_insts * ceil(in.threads_per_block / 32) * in.blocks * 32 / 1e9;
    evaluation_put(e, "best_cores", points[best].cores);
    evaluation_put(e, "best_perf_per_w", giga / core_point_joules(&points[best], metric));
    evaluation_put(e, "saving", core_point_saving(&points[best], &points[count - 1], metric));
    evaluation_put(e, "best_time_seconds", points[best].seconds);
    evaluation_put(e, "all_time_seconds", points[count - 1].seconds);
    return WS_OK;
}

const struct closed_form forms_power[] = {
    {"spec_linear", spec_linear_rows, run_spec_linear},
    {"sm_scale", sm_scale_rows, run_sm_scale},
    {"access_rate", access_rate_rows, run_access_rate},
    {"power_gtx280", power_rows, run_power_gtx280},
    {"power_gtx580", power_rows, run_power_gtx580},
    {"static_power", static_power_rows, run_static_power},
    {"temperature", temperature_rows, run_temperature},
    {"max_temp_rise", max_temp_rise_rows, run_max_temp_rise},
    {"optimal_cores_eq63", eq63_rows, run_eq63},
    {"energy_saving", energy_saving_rows, run_energy_saving},
    {"ipp_sweep", ipp_sweep_rows, run_ipp_sweep},
    {0},
};
