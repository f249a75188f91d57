// SPDX-License-Identifier: Apache-2.0
/* The heat of a kernel on as many SMs as the request says: watts by ipp-power; where the GPU has no
 * coefficients for it, those that are given or that the machine file has for an SM at work. */
#include <math.h>

#include "cli/commands/thermal_report.h"

static int count_sms(struct analysis *a, const struct thermal_request *request, unsigned all,
                     unsigned *out)
{
    unsigned *sms;
    size_t count;
    *out = request->best ? request->best : all;
    if (!request->active_text) return EXIT_DONE;
    CLI_TRY(thermal_parse_sms(a->cli, request->active_text, all, &sms, &count));
    *out = (unsigned)count;
    if (count) return EXIT_DONE;
    return cli_error(a->cli, EXIT_USAGE, "--active-sms: a kernel needs at least one SM");
}

static int check_blocks(struct cli *cli, const struct thermal_request *request,
                        const ws_core_point *point, unsigned wanted)
{
    bool is_asked = request->best || request->active_text;
    if (!is_asked || point->active_sms >= wanted) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE,
                     "%u SMs are to work, but the launch has only %s, so not more than %.0f can",
                     wanted, cli_count(cli, point->active_sms, "block"), point->active_sms);
}

static double count_blocks(const ws_profile *profile)
{
    uint32_t grid[3], block[3];
    ws_profile_shape(profile, grid, block);
    return (double)grid[0] * grid[1] * grid[2];
}

/* Time on so many SMs; they draw what --watts-per-sm, or the machine file, says. */
static int time_alone(struct analysis *a, const struct thermal_request *request, unsigned sms,
                      struct thermal_answer *answer)
{
    ws_context *context = a->cli->context;
    ws_predict_options given = {.size = sizeof given, .model_options = a->request.model_options};
    ws_machine *fewer;
    ws_estimate best;
    size_t count;
    ws_status status = ws_machine_load(context, a->names[0], &fewer);
    if (status != WS_OK) return cli_failed(a->cli, status);
    int exit_code = thermal_apply_sets(a->cli, request, fewer);
    if (exit_code == EXIT_DONE) {
        status = ws_machine_set(fewer, "sm.count", cli_format(a->cli, "=%u", sms));
        if (status == WS_OK)
            status = ws_predict(context, a->profile, fewer, &given, &best, 1, &count);
        if (status != WS_OK) exit_code = cli_failed(a->cli, status);
    }
    ws_machine_destroy(fewer);
    if (exit_code != EXIT_DONE) return exit_code;
    answer->watts_are_given = true;
    answer->time_model = cli_copy(a->cli, best.model);
    answer->point = (ws_core_point){.cores = sms,
                                    .active_sms = fmin(sms, count_blocks(a->profile)),
                                    .time_seconds = best.time_seconds};
    return EXIT_DONE;
}

/* A kernel whose power is modelled says itself what an SM draws. */
static int check_watts(struct cli *cli, const struct thermal_request *request)
{
    if (isnan(request->watts_per_sm) && isnan(request->watts_per_tpc)) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE,
                     "the power of the kernel is modelled for this GPU, and says how many watts an "
                     "SM draws: leave out --watts-per-sm and --watts-per-tpc");
}

static int no_watts(struct cli *cli, const char *reason)
{
    return cli_error(cli, ws_status_exit_code(WS_ERR_NO_MODEL),
                     "%s; or say what an SM at work draws: --watts-per-sm W", reason);
}

int thermal_find_kernel(struct analysis *a, const struct command *command,
                        const struct thermal_request *request, struct thermal_answer *answer)
{
    ws_predict_options given = {.size = sizeof given, .model_options = a->request.model_options};
    ws_core_summary summary = {.size = sizeof summary};
    unsigned wanted;
    size_t count;
    double sms, watts;
    CLI_TRY(analysis_find_profile(a, command));
    ws_status status = ws_machine_get(answer->machine, "sm.count", &sms);
    if (status != WS_OK) return cli_failed(a->cli, status);
    CLI_TRY(count_sms(a, request, (unsigned)sms, &wanted));
    status = ws_power_cores(a->cli->context, a->profile, answer->machine, &given, wanted, wanted,
                            &answer->point, 1, &count, &summary);
    if (status == WS_ERR_NO_MODEL) {
        const char *reason = cli_copy(a->cli, ws_context_error(a->cli->context));
        bool is_known = ws_machine_get(answer->machine, "power.active_sm", &watts) == WS_OK;
        if (isnan(request->watts_per_sm) && !is_known) return no_watts(a->cli, reason);
        CLI_TRY(time_alone(a, request, wanted, answer));
    } else if (status != WS_OK) {
        return cli_failed(a->cli, status);
    } else {
        CLI_TRY(check_watts(a->cli, request));
        answer->time_model = cli_copy(a->cli, summary.time_model);
    }
    answer->kernel = ws_profile_kernel(a->profile);
    return check_blocks(a->cli, request, &answer->point, wanted);
}
