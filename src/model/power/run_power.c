// SPDX-License-Identifier: Apache-2.0
/* The power of a kernel, once the models of time have answered: which time it rests on. */
#include "model/power/power_estimate.h"

#include <math.h>
#include <string.h>

#include "model/core/evidence.h"
#include "model/core/needs.h"

static ws_status no_such_time(struct diag *diag, const struct prediction *out, const char *wanted)
{
    const char *reason = "it does not predict";
    for (size_t i = 0; i < out->refusal_count; i++)
        if (!strcmp(out->refusals[i].model, wanted)) reason = out->refusals[i].reason;
    return diag_error(diag, WS_ERR_NO_MODEL, "requires the time of %s, which is not available: %s",
                      wanted, reason);
}

double power_gpu_sms(const struct model_input *input)
{
    if (input->whole_sms > 0) return input->whole_sms;
    return machine_get(input->machine, MACHINE_SM_COUNT, 1);
}

/* The coefficients come from measurements of the very GPU; what is missing is named, then how to measure it.
 * NULL: they are all there. */
static const char *coefficients_missing(const struct model *model, const struct model_input *input)
{
    const char *text = NULL;
    size_t missing = 0;
    for (const enum machine_key *key = model->needs_machine; *key != MACHINE_KEY_COUNT; key++) {
        if (machine_has(input->machine, *key)) continue;
        const char *path = machine_key_infos[*key].path;
        if (missing++ < 2)
            text = arena_format(input->arena, "%s%s%s", text ? text : "", text ? ", " : "", path);
    }
    if (!missing) return NULL;
    const char *id = input->machine->id ? input->machine->id : "the machine file";
    if (missing > 2) text = arena_format(input->arena, "%s and %zu more", text, missing - 2);
    return arena_format(input->arena,
                        "no power coefficients for this GPU (%s lacks %s): run warpsage calibrate "
                        "--power -o %s.yaml (needs that GPU, 40 minutes)",
                        id, text, input->machine->id ? id : "gpu");
}

/* That of the best model, of the option power_time, or measured. */
static ws_status find_time(struct diag *diag, const struct model_input *input,
                           const struct prediction *out, struct estimate *time,
                           struct power_estimate *power)
{
    const struct estimate *found = &out->estimates[out->best];
    const char *wanted = model_option_name(input, "power_time", "best");
    if (out->options.only) wanted = out->options.only;
    if (strcmp(wanted, "best") != 0) {
        found = prediction_find(out, wanted);
        if (!found) return no_such_time(diag, out, wanted);
    }
    *time = *found;
    power->time_factor = out->options.time_factor > 0 ? out->options.time_factor : 1;
    power->measured = power->time_factor != 1;
    double measured = model_option_number(input, "power_time_s", 0);
    if (measured > 0 && !out->options.only) {
        power->measured = true;
        power->time_factor = measured / found->time_seconds;
    }
    time->time_seconds *= power->time_factor;
    if (measured > 0 && !out->options.only) time->time_seconds = measured;
    return WS_OK;
}

/* Of the models that have coefficients the first one in models.def, unless the option says which. */
static bool is_wanted(const struct model_input *input, const struct model *model)
{
    const char *wanted = model_option_name(input, "power_model", "best");
    return !strcmp(wanted, "best") || !strcmp(wanted, model->name);
}

/* NULL: it has what it needs. */
static const char *find_lacking(const struct model *model, const struct model_input *input)
{
    const char *lacking = coefficients_missing(model, input);
    return lacking ? lacking : needs_check(model, input, NULL);
}

/* Never below the idle power. Errors of another generation say nothing: there the energies are derived. */
static void find_band(const struct model_input *input, const struct prediction *out,
                      struct power_estimate *power)
{
    const struct machine *machine = input->machine;
    unsigned distance, capability = machine->cc_major * 10 + machine->cc_minor;
    const struct evidence_row *row =
        evidence_find(out->options.evidence, power->answer.model, capability, &distance);
    power->low_watts = power->high_watts = NAN;
    if (!row || distance || isnan(row->two_thirds_factor)) return;
    power->low_watts =
        fmax(power->watts.idle_watts, power->watts.gpu_watts / row->two_thirds_factor);
    power->high_watts = power->watts.gpu_watts * row->two_thirds_factor;
    power->band = arena_format(input->arena, "two of three of %zu kernels measured on cc %u.%u",
                               row->kernels, row->cc_first / 10, row->cc_first % 10);
}

static void tell_limits(const struct model_input *input, struct power_estimate *power)
{
    double limit = machine_get(input->machine, MACHINE_POWER_TDP, INFINITY);
    estimate_assume(&power->answer, input->arena, "band of the power: %s",
                    power->band ? power->band
                                : "unknown: no watts of this generation were measured");
    if (power->watts.gpu_watts > limit)
        estimate_assume(&power->answer, input->arena,
                        "the power exceeds the TDP of %.0f W: the GPU would lower its clock, "
                        "`warpsage power` predicts to which",
                        limit);
}

ws_status run_power(struct diag *diag, const struct model_input *input, enum model_id id,
                    power_predict *predict, struct prediction *out)
{
    struct estimate time;
    if (input->machine->kind == MACHINE_IS_CPU) {
        out->no_power = "no power coefficients for this CPU (models of power are for GPUs only)";
        return WS_OK;
    }
    if (out->power || !is_wanted(input, models[id])) return WS_OK;
    const char *lacking = find_lacking(models[id], input);
    if (lacking) {
        if (!out->no_power) out->no_power = lacking;
        return WS_OK;
    }
    struct power_estimate *power = arena_alloc(&out->arena, sizeof *power);
    power->answer.id = id;
    power->answer.model = models[id]->name;
    ws_status status = find_time(diag, input, out, &time, power);
    if (status == WS_OK) status = predict(diag, input, &time, power);
    if (status == WS_ERR_NO_MODEL) {
        if (!out->no_power) out->no_power = arena_copy(&out->arena, diag_text(diag));
        diag_clear(diag);
        return WS_OK;
    }
    if (status != WS_OK) return status;
    find_band(input, out, power);
    if (!input->without_texts) tell_limits(input, power);
    out->power = power;
    out->power_terms = &power->answer;
    return WS_OK;
}
