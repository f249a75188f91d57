// SPDX-License-Identifier: Apache-2.0
#include "answer/thermal_kernel.h"

#include <math.h>

#include "model/power/power_estimate.h"

static ws_status count_sms(const struct asked *asked, unsigned *out)
{
    const struct machine *machine = asked->machines[0];
    uint64_t best;
    size_t named;
    TRY(asked_count(asked, "best", 1, UINT32_MAX, 0, &best));
    asked_numbers(asked, "active_sms", &named);
    if (!machine_has(machine, MACHINE_SM_COUNT))
        return diag_error(asked->diag, WS_ERR_NO_MODEL, "%s does not define %s", machine->id,
                          machine_key_infos[MACHINE_SM_COUNT].path);
    *out = (unsigned)machine_get(machine, MACHINE_SM_COUNT, 0);
    if (best) *out = (unsigned)best;
    if (named) *out = (unsigned)named;
    return WS_OK;
}

static ws_status check_blocks(const struct asked *asked, const struct core_sweep_point *point,
                              unsigned wanted)
{
    bool is_asked = asked_has(asked, "best") || asked_has(asked, "active_sms");
    if (!is_asked || point->active_sms >= wanted) return WS_OK;
    return diag_error(asked->diag, WS_ERR_ARGUMENT,
                      "%u active SMs requested, but the launch has only %.0f block%s: at most %.0f "
                      "SMs can be active",
                      wanted, point->active_sms, point->active_sms == 1 ? "" : "s",
                      point->active_sms);
}

/* A kernel whose power is modelled says itself what an SM draws. */
static ws_status check_watts(const struct asked *asked)
{
    if (!asked_has(asked, "watts_per_sm") && !asked_has(asked, "watts_per_tpc")) return WS_OK;
    return diag_error(
        asked->diag, WS_ERR_ARGUMENT,
        "the power model determines the watts per SM of this GPU: remove --watts-per-sm "
        "and --watts-per-tpc");
}

static void release_machine(void *what)
{
    machine_destroy(what);
}

/* Time on so many SMs, as if the GPU had no others. */
static ws_status time_alone(const struct asked *asked, const struct predict_options *options,
                            unsigned sms, struct thermal_kernel *out)
{
    struct arena *arena = &asked->answer->arena;
    const struct profile *profile = asked->profiles[0];
    const struct prediction *prediction;
    struct machine *fewer = machine_own(machine_keep(asked->machines[0]));
    answer_own(asked->answer, release_machine, fewer);
    TRY(machine_set(asked->diag, fewer, "sm.count", arena_format(arena, "=%u", sms)));
    TRY(asked_predict(asked, profile, fewer, options, &prediction));
    const struct estimate *best = &prediction->estimates[prediction->best];
    out->watts_are_given = true;
    out->time_model = models[best->id]->name;
    out->point.active_sms = fmin(sms, (double)profile_blocks(profile));
    out->point.point.seconds = best->time_seconds;
    return WS_OK;
}

static ws_status without_power(const struct asked *asked, const struct predict_options *options,
                               unsigned sms, struct thermal_kernel *out)
{
    bool is_known = machine_has(asked->machines[0], MACHINE_POWER_ACTIVE_SM);
    if (is_known || asked_has(asked, "watts_per_sm")) return time_alone(asked, options, sms, out);
    const char *reason = arena_copy(&asked->answer->arena, diag_text(asked->diag));
    return diag_error(asked->diag, WS_ERR_NO_MODEL,
                      "%s; or set the power of an active SM with --watts-per-sm W", reason);
}

/* Energies of instructions yield to watts of an SM that the user or the machine file gives; ipp-power, whose
 * coefficients are measured on the GPU, does not. */
static bool yields(const struct asked *asked, const struct prediction *whole)
{
    if (!whole->power || whole->power->answer.id == MODEL_IPP_POWER) return false;
    return machine_has(asked->machines[0], MACHINE_POWER_ACTIVE_SM) ||
           asked_has(asked, "watts_per_sm");
}

ws_status thermal_kernel_find(const struct asked *asked, struct thermal_kernel *out)
{
    const struct profile *profile = asked->profiles[0];
    struct predict_options options;
    struct core_sweep *sweep = NULL;
    unsigned wanted = 0;
    TRY(asked_predict_options(asked, &options));
    options.without_gains = options.without_details = true;
    TRY(count_sms(asked, &wanted));
    const struct prediction *whole;
    ws_status status = asked_predict(asked, profile, asked->machines[0], &options, &whole);
    bool is_given = status == WS_OK && yields(asked, whole);
    if (status == WS_OK && !is_given)
        status = core_sweep_run(asked->diag, whole, wanted, wanted, &sweep);
    if (is_given) {
        TRY(time_alone(asked, &options, wanted, out));
    } else if (status == WS_ERR_NO_MODEL) {
        TRY(without_power(asked, &options, wanted, out));
    } else if (status != WS_OK) {
        return status;
    } else {
        out->point = sweep->points[0];
        out->time_model = arena_copy(&asked->answer->arena, sweep->time_model);
        out->power_model = whole->power->answer.model;
        core_sweep_destroy(sweep);
        TRY(check_watts(asked));
    }
    out->name = profile->kernel ? profile->kernel : "";
    return check_blocks(asked, &out->point, wanted);
}
