// SPDX-License-Identifier: Apache-2.0
/* The model ipp-power: from counts by unit and a time to the watts of each unit. What counts as
 * what: doc/models/ipp-power.md. */
#include "model/power/ipp_power.h"

#include <math.h>
#include <string.h>

#include "model/core/estimate.h"
#include "model/core/prices.h"
#include "model/power/clock_scaling.h"
#include "model/power/ipp_rates.h"

extern const struct model model_ipp_power;

/* ---- coefficients ---------------------------------------------------------------------------- */

static ws_status need(struct diag *diag, const struct machine *machine, enum machine_key key,
                      const char *why)
{
    if (machine_has(machine, key)) return WS_OK;
    return diag_error(diag, WS_ERR_NO_MODEL, "requires machine %s, which %s does not define: %s",
                      machine_key_infos[key].path, machine->id ? machine->id : "the machine", why);
}

ws_status ipp_read_parameters(struct diag *diag, const struct model_input *input,
                              struct ipp_parameters *out)
{
    const struct machine *machine = input->machine;
    *out = (struct ipp_parameters){
        .spec_slope = machine_get(machine, MACHINE_POWER_SPEC_LINEAR_SLOPE, 0),
        .spec_offset = machine_get(machine, MACHINE_POWER_SPEC_LINEAR_OFFSET, 0),
        .const_sm_watts = machine_get(machine, MACHINE_POWER_CONST_SM, 0),
        .activation_watts = machine_get(machine, MACHINE_POWER_ACTIVATION, 0),
        .idle_watts = machine_get(machine, MACHINE_POWER_IDLE, 0),
        .sms = power_gpu_sms(input),
        .log_scales = machine_get(machine, MACHINE_POWER_LOG_SCALING, 0) > 0,
        .log_beta = machine_get(machine, MACHINE_POWER_LOG_BETA, 1),
        .spec_policy =
            (enum ipp_spec_policy)model_option_get(&model_ipp_power, input, "spec_linear"),
        .log_scaling =
            (enum ipp_log_scaling)model_option_get(&model_ipp_power, input, "log_scaling"),
    };
    double at_clock = clock_power_ratio(machine);
    out->const_sm_watts *= at_clock;
    if (out->log_scales) TRY(need(diag, machine, MACHINE_POWER_LOG_BETA, "power.log_scaling is 1"));
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++) {
        out->max_watts[i] = machine_get(machine, MACHINE_POWER_MAX_INT + i, 0);
        out->spec_linear[i] = machine_get(machine, MACHINE_POWER_SPEC_LINEAR_INT + i, 0) > 0;
        if (!power_unit_infos[i].once_per_gpu) out->max_watts[i] *= at_clock;
        if (!out->spec_linear[i]) continue;
        TRY(need(diag, machine, MACHINE_POWER_SPEC_LINEAR_SLOPE, "units are spec-linear"));
        TRY(need(diag, machine, MACHINE_POWER_SPEC_LINEAR_OFFSET, "units are spec-linear"));
    }
    return WS_OK;
}

/* ---- temperature ----------------------------------------------------------------------------- */

bool ipp_read_thermal(const struct machine *machine, struct ipp_thermal *out)
{
    static const enum machine_key keys[] = {
        MACHINE_TEMPERATURE_IDLE,       MACHINE_TEMPERATURE_PER_WATT,
        MACHINE_TEMPERATURE_OFFSET,     MACHINE_TEMPERATURE_BY_INTENSITY,
        MACHINE_TEMPERATURE_RC_RISE,    MACHINE_TEMPERATURE_RC_DECAY,
        MACHINE_POWER_STATIC_PER_KELVIN};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!machine_has(machine, keys[i])) return false;
    *out = (struct ipp_thermal){
        .idle_celsius = machine_get(machine, MACHINE_TEMPERATURE_IDLE, 0),
        .per_watt = machine_get(machine, MACHINE_TEMPERATURE_PER_WATT, 0),
        .offset_kelvin = machine_get(machine, MACHINE_TEMPERATURE_OFFSET, 0),
        .by_intensity_kelvin = machine_get(machine, MACHINE_TEMPERATURE_BY_INTENSITY, 0),
        .rc_rise_seconds = machine_get(machine, MACHINE_TEMPERATURE_RC_RISE, 0),
        .rc_decay_seconds = machine_get(machine, MACHINE_TEMPERATURE_RC_DECAY, 0),
        .static_per_kelvin = machine_get(machine, MACHINE_POWER_STATIC_PER_KELVIN, 0),
    };
    return true;
}

void power_find_temperature(const struct machine *machine, double memory, double all,
                            struct power_estimate *out)
{
    struct ipp_thermal *thermal = &out->thermal;
    if (!ipp_read_thermal(machine, thermal))
        out->no_thermal = "the machine file has no temperature constants";
    double others = all - memory;
    out->intensity = others > 0 ? memory / others : NAN; /* (54) */
    if (!isfinite(out->intensity)) out->no_thermal = "the kernel has only memory instructions";
    if (out->no_thermal) return;
    double watts = out->watts.runtime_watts;
    out->printed_rise_kelvin = ipp_rise(thermal, watts, out->intensity);
    out->rise_kelvin = ipp_coupled_rise(thermal, watts, out->intensity);
    out->static_watts = thermal->static_per_kelvin * out->rise_kelvin;
}

/* ---- the answer ------------------------------------------------------------------------------ */

#define POWER_UNIT(name, id, place, text) "rates." id,
static const char *const rate_ids[] = {
#include "machine/power_units.def"
};
#undef POWER_UNIT
#define POWER_UNIT(name, id, place, text) "units." id,
static const char *const watt_ids[] = {
#include "machine/power_units.def"
};
#undef POWER_UNIT

/* The cache access profile (figure 67): where the sectors of global and local accesses go, and how many of
 * the loads' are found there. A rate of nothing is left out. */
static void write_caches(const uint64_t counts[CACHE_COUNT_COUNT], struct estimate *answer)
{
    double loads = (double)counts[CACHE_COUNT_LOADS];
    double written = (double)(counts[CACHE_COUNT_STORES] + counts[CACHE_COUNT_ATOMICS]);
    double in_l1 = (double)counts[CACHE_COUNT_L1_LOOKUPS];
    double in_l2 = (double)counts[CACHE_COUNT_L2_LOADS], all = loads + written;
    double dram = (double)(counts[CACHE_COUNT_DRAM_READ] + counts[CACHE_COUNT_DRAM_WRITTEN]);
#define TERM(id, value, text) estimate_add_term(answer, "caches." id, value, "1", text)
    TERM("l1_share", in_l1 / all, "share of sectors that access L1");
    TERM("l1_hit_rate", (double)counts[CACHE_COUNT_L1_HITS] / in_l1,
         "L1 hit rate of these sectors");
    TERM("l2_share", (in_l2 + written) / all, "share of sectors that access L2");
    TERM("l2_load_hit_rate", (double)counts[CACHE_COUNT_L2_LOAD_HITS] / in_l2,
         "L2 hit rate of load sectors");
    TERM("dram_share", dram / all, "share of sectors that access DRAM");
#undef TERM
}

static void write_terms(struct power_estimate *out)
{
    struct estimate *answer = &out->answer;
    const struct ipp_watts *watts = &out->watts;
#define TERM(id, value, unit, text) estimate_add_term(answer, id, value, unit, text)
    TERM("gpu_w", watts->gpu_watts, "W", "GPU_power (35)");
    TERM("runtime_w", watts->runtime_watts, "W", "Runtime_power (36), (48)");
    TERM("idle_w", watts->idle_watts, "W", "IdlePower");
    TERM("sm_component_w", watts->sm_component_watts, "W", "component power of one SM (37)");
    TERM("max_sm_w", watts->max_sm_watts, "W", "Max_SM (45)");
    TERM("rp_sms_w", watts->rp_sms_watts, "W", "RP_SMs (44)");
    TERM("rp_memory_w", watts->rp_memory_watts, "W", "RP_Memory before scaling (43)");
    TERM("scale", watts->scale, "1", "scaling of SM power with active SMs (44)");
    TERM("active_sms", out->active_sms, "1", "Active_SMs");
    TERM("gated_w", out->gated_watts, "W", "GPU_power with idle SMs power-gated (3.5.6)");
    TERM("memaccess_intensity", out->intensity, "1", "MemAccess_intensity (54)");
    TERM("base_share",
         (watts->idle_watts + watts->const_sm_watts + watts->units[POWER_UNIT_GLOBAL] +
          watts->units[POWER_UNIT_LOCAL]) /
             watts->gpu_watts,
         "1", "idle, memory and Const_SM in all power (3.2.4)");
    TERM("const_sm_w", watts->const_sm_watts, "W", "RP_Const_SM of the active SMs");
    TERM("activation_w", watts->activation_watts, "W", "activation");
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++) {
        if (out->unit_reasons[i]) continue;
        TERM(rate_ids[i], out->rates[i], "1", power_unit_infos[i].text);
        TERM(watt_ids[i], watts->units[i], "W", power_unit_infos[i].text);
    }
    if (out->caches) write_caches(out->caches->counts, answer);
    if (out->no_thermal) return;
    TERM("delta", out->printed_rise_kelvin, "K", "steady-state rise (53)");
    TERM("max_temp", out->thermal.idle_celsius + out->printed_rise_kelvin, "degC",
         "Max_temp (51), (53)");
    TERM("coupled_delta", out->rise_kelvin, "K", "steady-state rise with the extra static power");
    TERM("static_add_w", out->static_watts, "W", "extra static power of that rise (56)");
#undef TERM
}

/* What the coefficients become at another clock than theirs. */
static void tell_clock(const struct model_input *input, struct estimate *out)
{
    const struct machine *machine = input->machine;
    double clock = machine_get(machine, MACHINE_CLOCK_CORE, 0), ratio = clock_ratio(machine);
    double volts = clock_volts(machine, clock);
    if (ratio == 1) return;
    estimate_assume(
        out, input->arena,
        "at %.4g GHz (%.3g of the clock of the coefficients) and %s: power of the SM units and "
        "Const_SM scaled by %.3g; memory and L2 scale with accesses per second; idle and "
        "activation power unchanged (reading P-17)",
        clock / 1e9, ratio,
        isfinite(volts) ? arena_format(input->arena, "%.3g V", volts)
                        : "the same voltage (not in the machine file)",
        clock_power_ratio(machine));
}

static ws_status ipp_predict(struct diag *diag, const struct model_input *input,
                             const struct estimate *time, struct power_estimate *out)
{
    struct ipp_parameters parameters;
    TRY(ipp_read_parameters(diag, input, &parameters));
    out->time_model = time->model;
    out->active_sms = price_active_sms(input);
    out->answer.time_seconds = time->time_seconds;
    out->answer.cycles = time->time_seconds * machine_get(input->machine, MACHINE_CLOCK_CORE, 0);
    TRY(ipp_read_rates(diag, input, &parameters, out));
    ipp_power(&parameters, out->rates, out->active_sms, &out->watts);
    out->gated_watts = ipp_gated_watts(&parameters, out->rates, out->active_sms);
    memcpy(out->max_watts, parameters.max_watts, sizeof out->max_watts);
    memcpy(out->spec_linear, parameters.spec_linear, sizeof out->spec_linear);
    const double *units = out->unit_instructions;
    power_find_temperature(input->machine, units[POWER_UNIT_GLOBAL] + units[POWER_UNIT_LOCAL],
                           units[POWER_UNIT_FDS], out);
    tell_clock(input, &out->answer);
    write_terms(out);
    return WS_OK;
}

static ws_status complete(struct diag *diag, const struct model_input *input,
                          struct prediction *out)
{
    return run_power(diag, input, MODEL_IPP_POWER, ipp_predict, out);
}

static const enum machine_key needs_machine[] = {
    MACHINE_SM_COUNT,          MACHINE_CLOCK_CORE,       MACHINE_ISSUE_CYCLES,
    MACHINE_ISSUE_SCHEDULERS,  MACHINE_POWER_IDLE,       MACHINE_POWER_MAX_INT,
    MACHINE_POWER_MAX_FP,      MACHINE_POWER_MAX_SFU,    MACHINE_POWER_MAX_REG,
    MACHINE_POWER_MAX_FDS,     MACHINE_POWER_MAX_SHARED, MACHINE_POWER_MAX_CONST,
    MACHINE_POWER_MAX_GLOBAL,  MACHINE_POWER_CONST_SM,   MACHINE_POWER_ACTIVATION,
    MACHINE_POWER_LOG_SCALING, MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

static const struct model_option_info options[] = {
    {.key = "power_time", .values = model_names, .text = "model whose time the access rates use"},
    {.key = "power_time_s", .text = "measured time in seconds, used instead"},
    {.key = "spec_linear",
     .values = (const char *const[]){"clamp", "raw", NULL},
     .text = "a ln(rate) + b clamped to 0 or more, or as is"},
    {.key = "log_scaling",
     .values = (const char *const[]){"log_once", "none", NULL},
     .text = "log10(alpha active + beta) on all runtime power, or none"},
    {.key = "cores_condition",
     .values = (const char *const[]){"and", "printed", NULL},
     .text = "(63) tests MWP = N first, or as printed MWP = N or CWP = N"},
    {.key = "cores_rounding",
     .values = (const char *const[]){"round", "floor", "ceil", NULL},
     .text = "rounding of the core count of (63)"},
};

const struct model model_ipp_power = {
    .name = "ipp-power",
    .reference = "S. Hong, PhD thesis, Georgia Tech 2012, chapter III; Hong and Kim, ISCA 2010",
    .about = "Power by unit from access rates (instructions per issue slot over a predicted or "
             "measured time), then temperature and static power. Does not predict time. Needs "
             "coefficients measured on the GPU; there are no defaults.",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .complete = complete,
};
