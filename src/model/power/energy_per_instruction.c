// SPDX-License-Identifier: Apache-2.0
/* The model energy-per-instruction: energies of counted events over a predicted or measured time, beside what
 * an SM takes in each cycle and the chip at any time (doc/models/energy-per-instruction.md). */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "model/core/accesses.h"
#include "model/core/prices.h"
#include "model/power/clock_scaling.h"
#include "model/power/instruction_energy.h"
#include "model/power/power_estimate.h"

static bool has_price(const struct machine *machine, enum energy_unit unit)
{
    return machine_has(machine, (enum machine_key)(MACHINE_ENERGY_FP32 + unit));
}

/* ---- watts ----------------------------------------------------------------------------------- */

/* Watts by the units of the answer. Access rates count warp instructions, or 128 bytes, per issue slot of
 * an active SM; MaxPower is what a rate of 1 draws. */
static void add_units(const struct model_input *input, const struct energy_events *events,
                      const struct energy_prices *prices, struct power_estimate *out)
{
    double seconds = out->answer.time_seconds;
    double slots = out->answer.cycles / price_issue_cycles(input->machine) * out->active_sms;
    for (unsigned i = 0; i < ENERGY_UNIT_COUNT; i++) {
        enum power_unit unit = energy_unit_infos[i].shown_as;
        double watts = events->counts[i] * prices->joules[i] / seconds;
        out->unit_instructions[unit] += events->warps[i];
        out->rates[unit] += events->warps[i] / slots;
        out->watts.units[unit] += watts;
    }
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++) {
        double places = power_unit_infos[i].once_per_gpu ? 1 : out->active_sms;
        out->counted[i] = out->unit_instructions[i];
        out->watts.effective[i] = out->rates[i];
        if (out->rates[i] > 0) out->max_watts[i] = out->watts.units[i] / out->rates[i] / places;
    }
}

static void add_sums(const struct model_input *input, const struct energy_prices *prices,
                     struct power_estimate *out)
{
    struct ipp_watts *watts = &out->watts;
    double clock = machine_get(input->machine, MACHINE_CLOCK_CORE, 0);
    watts->idle_watts = prices->constant_watts + prices->static_watts;
    watts->const_sm_watts = prices->sm_cycle_joules * clock * out->active_sms;
    watts->runtime_watts = watts->const_sm_watts;
    for (unsigned i = 0; i < POWER_UNIT_COUNT; i++) {
        watts->runtime_watts += watts->units[i];
        if (power_unit_infos[i].once_per_gpu) watts->rp_memory_watts += watts->units[i];
    }
    watts->rp_sms_watts = watts->runtime_watts - watts->rp_memory_watts;
    watts->sm_component_watts = watts->rp_sms_watts / out->active_sms;
    watts->scale = 1;
    watts->gpu_watts = watts->runtime_watts + watts->idle_watts;
    /* Idle SMs without supply leak nothing. */
    out->gated_watts =
        watts->gpu_watts - prices->static_watts * (1 - out->active_sms / power_gpu_sms(input));
}

/* Units whose energy is part of another figure. */
static void give_reasons(struct power_estimate *out)
{
    static const enum power_unit parts[] = {POWER_UNIT_REG, POWER_UNIT_FDS};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        out->unit_reasons[parts[i]] = "part of the energies of instructions and of const_sm";
    static const enum power_unit absent[] = {POWER_UNIT_TEXTURE, POWER_UNIT_CONST};
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
        out->unit_reasons[absent[i]] = "counted with alu";
    out->unit_reasons[POWER_UNIT_LOCAL] = "counted with global";
}

/* ---- the answer ------------------------------------------------------------------------------ */

#define ENERGY_UNIT(name, id, dimension, place, text) {"events." id, "joules." id},
static const struct {
    const char *events, *joules;
} unit_terms[ENERGY_UNIT_COUNT] = {
#include "machine/energy_units.def"
};
#undef ENERGY_UNIT

static void write_terms(const struct energy_events *events, const struct energy_prices *prices,
                        struct power_estimate *out)
{
    struct estimate *answer = &out->answer;
    const struct ipp_watts *watts = &out->watts;
#define TERM(id, value, unit, text) estimate_add_term(answer, id, value, unit, text)
    TERM("gpu_w", watts->gpu_watts, "W", "power of the GPU");
    TERM("runtime_w", watts->runtime_watts, "W", "what the kernel adds to the idle power");
    TERM("idle_w", watts->idle_watts, "W", "constant and static power");
    TERM("constant_w", prices->constant_watts, "W", "constant power of the board");
    TERM("static_w", prices->static_watts, "W", "static power of all SMs at this voltage");
    TERM("const_sm_w", watts->const_sm_watts, "W", "cycles of the active SMs");
    TERM("active_sms", out->active_sms, "1", "SMs with a block");
    TERM("lanes", events->lanes, "1", "mean active lanes of a warp instruction");
    TERM("volts_squared", prices->volts_squared, "1",
         "square of the voltage over that of the machine's energies");
    for (unsigned i = 0; i < ENERGY_UNIT_COUNT; i++) {
        const struct energy_unit_info *info = &energy_unit_infos[i];
        TERM(unit_terms[i].events, events->counts[i], info->is_bytes ? "B" : "1", info->text);
        TERM(unit_terms[i].joules, events->counts[i] * prices->joules[i], "J", info->text);
    }
#undef TERM
}

static void write_assumptions(const struct model_input *input, const struct energy_events *events,
                              double celsius, struct power_estimate *out)
{
    const struct machine *machine = input->machine;
    double clock = machine_get(machine, MACHINE_CLOCK_CORE, 0), volts = clock_volts(machine, clock);
    if (!events->has_caches)
        estimate_assume(&out->answer, input->arena,
                        "no cache data in the profile: all global and local accesses go to DRAM");
    if (celsius != ENERGY_CELSIUS)
        estimate_assume(
            &out->answer, input->arena,
            "static power at %g degC is %.3g times that at %g: leakage of 65 nm, assumed "
            "for this GPU",
            celsius, energy_leakage_ratio(celsius), ENERGY_CELSIUS);
    if (!isfinite(volts))
        estimate_assume(&out->answer, input->arena,
                        "no voltage in the machine file: the same at every clock");
    for (unsigned i = 0; i < ENERGY_UNIT_COUNT; i++)
        if (events->counts[i] > 0 && !has_price(machine, (enum energy_unit)i))
            estimate_assume(&out->answer, input->arena, "energy.%s is unknown: assumed 0",
                            energy_unit_infos[i].id);
    estimate_assume(
        &out->answer, input->arena,
        "every instruction has the mean of %.1f active lanes; energies do not depend on "
        "the values computed",
        events->lanes);
}

static ws_status read_celsius(struct diag *diag, const struct model_input *input, double *out)
{
    const double most = 150; /* of silicon that works */
    *out = model_option_number(input, "chip_degc", ENERGY_CELSIUS);
    if (*out <= most) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT, "chip_degc must be at most %g degC (got %g)", most,
                      *out);
}

static ws_status predict(struct diag *diag, const struct model_input *input,
                         const struct estimate *time, struct power_estimate *out)
{
    struct energy_events events;
    struct energy_prices prices;
    double celsius, sms = power_gpu_sms(input);
    out->time_model = time->model;
    out->active_sms = price_active_sms(input);
    out->answer.time_seconds = time->time_seconds;
    out->answer.cycles = time->time_seconds * machine_get(input->machine, MACHINE_CLOCK_CORE, 0);
    if (!(out->answer.cycles > 0) || !(out->active_sms > 0))
        return diag_error(diag, WS_ERR_NO_MODEL, "the kernel takes no time, so it has no power");
    energy_events_count(input, &events);
    TRY(read_celsius(diag, input, &celsius));
    energy_prices_read(input->machine, sms, celsius, &prices);
    out->caches = input->caches;
    add_units(input, &events, &prices, out);
    add_sums(input, &prices, out);
    give_reasons(out);
    power_find_temperature(
        input->machine,
        accesses_sum(input->profile, ACCESS_ALL, coalescing_rule_of(input->machine))
            .parts[ACCESS_REQUESTS],
        profile_get(input->profile, COUNTER_INST_WARP), out);
    write_terms(&events, &prices, out);
    if (!input->without_texts) write_assumptions(input, &events, celsius, out);
    return WS_OK;
}

static const enum machine_key needs_machine[] = {
    MACHINE_SM_COUNT,         MACHINE_CLOCK_CORE,      MACHINE_ISSUE_CYCLES,
    MACHINE_ISSUE_SCHEDULERS, MACHINE_ENERGY_CONSTANT, MACHINE_ENERGY_IDLE_SM,
    MACHINE_ENERGY_SM_CYCLE,  MACHINE_ENERGY_FP32,     MACHINE_ENERGY_INT,
    MACHINE_ENERGY_LOGIC,     MACHINE_ENERGY_DRAM,     MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

static const char *const power_models[] = {"best", "ipp-power", "energy-per-instruction", NULL};
static const struct model_option_info options[] = {
    {.key = "power_model",
     .values = power_models,
     .text = "model of power; best: ipp-power where the machine has its coefficients"},
    {.key = "chip_degc", .text = "temperature of the chip in degC; default 65"},
};

static ws_status complete(struct diag *diag, const struct model_input *input,
                          struct prediction *out)
{
    return run_power(diag, input, MODEL_ENERGY_PER_INSTRUCTION, predict, out);
}

const struct model model_energy_per_instruction = {
    .name = "energy-per-instruction",
    .reference =
        "energies of instructions and bytes: Arunkumar et al., HPCA 2019; constant and idle "
        "power: Kandiah et al., MICRO 2021; DRAM: O'Connor et al., MICRO 2017",
    .about =
        "Power from energies of instructions and bytes over a predicted or measured time, with "
        "constant, static and clock power, at any clock and voltage. Does not predict time.",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .complete = complete,
};
