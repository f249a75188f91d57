// SPDX-License-Identifier: Apache-2.0
/* The heat of a kernel: watts by ipp-power, on as many SMs as the request says. */
#include "thermal_report.h"

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
    return cli_error(
        cli, EXIT_USAGE,
        "%u SMs are to work, but the launch has only %.0f block%s, so not more than %.0f "
        "can",
        wanted, point->active_sms, point->active_sms == 1 ? "" : "s", point->active_sms);
}

int thermal_find_kernel(struct analysis *a, const struct command *command,
                        const struct thermal_request *request, struct thermal_answer *answer)
{
    ws_predict_options given = {.size = sizeof given, .model_options = a->request.model_options};
    ws_core_summary summary = {.size = sizeof summary};
    unsigned wanted;
    size_t count;
    double sms;
    CLI_TRY(analysis_find_profile(a, command));
    ws_status status = ws_machine_get(answer->machine, "sm.count", &sms);
    if (status != WS_OK) return cli_failed(a->cli, status);
    CLI_TRY(count_sms(a, request, (unsigned)sms, &wanted));
    status = ws_power_cores(a->cli->context, a->profile, answer->machine, &given, wanted, wanted,
                            &answer->point, 1, &count, &summary);
    if (status != WS_OK) return cli_failed(a->cli, status);
    answer->kernel = ws_profile_kernel(a->profile);
    answer->time_model = cli_copy(a->cli, summary.time_model);
    return check_blocks(a->cli, request, &answer->point, wanted);
}
