// SPDX-License-Identifier: Apache-2.0
/* thermal: how warm the chip gets by the SMs that work, which SMs to choose, and how long it takes. */
#include <string.h>

#include "cli/options/analysis.h"
#include "cli/options/asking.h"

enum option_id {
    OPTION_ACTIVE = OPTION_OWN,
    OPTION_BEST,
    OPTION_PER_SM,
    OPTION_PER_TPC,
    OPTION_IDLE,
    OPTION_BLOCK_WATTS,
    OPTION_TRANSIENT,
    OPTION_STEP,
    OPTION_COLD,
    OPTION_FLOORPLAN,
    OPTION_SET,
    OPTION_SVG,
    OPTION_TABLE,
};

static const struct option_row options[] = {
    {OPTION_ACTIVE, 0, "active-sms", "LIST", "active SMs: 0,7,1,8 or 0-3, all, none"},
    {OPTION_BEST, 0, "best", "K",
     "find the K SMs with the lowest power, then the lowest peak temperature"},
    {OPTION_PER_SM, 0, "watts-per-sm", "W", "heat of an active SM (default: power.active_sm)"},
    {OPTION_PER_TPC, 0, "watts-per-tpc", "W",
     "extra heat of a TPC with active SMs (default: power.active_tpc)"},
    {OPTION_IDLE, 0, "watts-idle", "W", "heat of the idle chip (default: power.idle)"},
    {OPTION_BLOCK_WATTS, 0, "watts", "BLOCK=W", "extra heat of a floorplan block"},
    {OPTION_TRANSIENT, 0, "transient", "SECONDS", "temperature curve from the start of the work"},
    {OPTION_STEP, 0, "step", "SECONDS", "time step of the curve (default: a hundredth)"},
    {OPTION_COLD, 0, "cold", NULL, "start the curve at ambient, not at idle temperature"},
    {OPTION_FLOORPLAN, 0, "floorplan", "grid",
     "generic floorplan and package, if the machine file has none"},
    {OPTION_SET, 0, "set", "KEY=VALUE", "override a figure: machine.thermal.ambient=25"},
    {OPTION_SVG, 0, "svg", ">FILE", "also write the heat map as SVG"},
    {OPTION_TABLE, 0, "table", "blocks|cells|curve", "rows of --format csv"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv|html", "output format"},
    ANALYSIS_OPTION_ROWS,
    {0},
};

struct thermal_request {
    struct asking asking;
    const char **sets; /* "machine.KEY=VALUE" */
    size_t set_count;
    const char *active, *table, *svg; /* as given; NULL: not */
    bool has_best, has_kernel, has_curve, has_curve_options;
};

/* ---- options --------------------------------------------------------------------------------- */

static int read_number(struct cli *cli, const char *option, const char *text, const char *what,
                       double *out)
{
    if (!parse_number(text, out))
        return cli_error(cli, EXIT_USAGE, "%s: invalid value '%s': expected a number of %s", option,
                         text, what);
    if (*out >= 0) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "%s: invalid value '%s': %s must be at least 0", option, text,
                     what);
}

static int read_positive(struct cli *cli, const char *option, const char *text, double *out)
{
    CLI_TRY(read_number(cli, option, text, "seconds", out));
    if (*out > 0) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "%s: invalid value '%s': must be greater than 0", option,
                     text);
}

static int read_table(struct cli *cli, const char *text, struct thermal_request *request)
{
    static const char *const names[] = {"blocks", "cells", "curve"};
    request->table = text;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i])) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE,
                     "invalid value '%s' for --table: expected blocks, cells or curve", text);
}

static int add_watts(struct cli *cli, const char *option, const char *input, const char *text,
                     struct asking *asking)
{
    double watts;
    CLI_TRY(read_number(cli, option, text, "watts", &watts));
    asking_number(cli, asking, input, watts);
    return EXIT_DONE;
}

static int add_block_watts(struct cli *cli, const char *text, struct asking *asking)
{
    char *name = cli_copy(cli, text), *value = strchr(name, '=');
    if (!value)
        return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --watts: expected BLOCK=W", name);
    *value++ = '\0';
    asking_word(cli, asking, "block", name);
    return add_watts(cli, "--watts", "block_watts", value, asking);
}

static int add_seconds(struct cli *cli, const char *option, const char *input, const char *text,
                       struct asking *asking)
{
    double seconds;
    CLI_TRY(read_positive(cli, option, text, &seconds));
    asking_number(cli, asking, input, seconds);
    return EXIT_DONE;
}

static int add_best(struct cli *cli, const char *text, struct thermal_request *request)
{
    unsigned count;
    CLI_TRY(parse_small(cli, "--best", text, &count));
    if (!count) return cli_error(cli, EXIT_USAGE, "--best must be at least 1 (got 0)");
    asking_number(cli, &request->asking, "best", count);
    request->has_best = true;
    return EXIT_DONE;
}

static int add_floorplan(struct cli *cli, const char *text, struct asking *asking)
{
    if (strcmp(text, "grid") != 0)
        return cli_error(cli, EXIT_USAGE,
                         "unknown --floorplan '%s': expected 'grid'; omit the option to use the "
                         "floorplan of the machine file",
                         text);
    asking_number(cli, asking, "grid_floorplan", 1);
    return EXIT_DONE;
}

static int apply_option(struct cli *cli, const struct option_use *use,
                        struct thermal_request *request)
{
    struct asking *asking = &request->asking;
    switch (use->id) {
    case OPTION_ACTIVE:
        request->active = use->value;
        return EXIT_DONE;
    case OPTION_BEST:
        return add_best(cli, use->value, request);
    case OPTION_PER_SM:
        return add_watts(cli, "--watts-per-sm", "watts_per_sm", use->value, asking);
    case OPTION_PER_TPC:
        return add_watts(cli, "--watts-per-tpc", "watts_per_tpc", use->value, asking);
    case OPTION_IDLE:
        return add_watts(cli, "--watts-idle", "watts_idle", use->value, asking);
    case OPTION_BLOCK_WATTS:
        return add_block_watts(cli, use->value, asking);
    case OPTION_TRANSIENT:
        request->has_curve = true;
        return add_seconds(cli, "--transient", "transient_seconds", use->value, asking);
    case OPTION_STEP:
        request->has_curve_options = true;
        return add_seconds(cli, "--step", "step_seconds", use->value, asking);
    case OPTION_COLD:
        request->has_curve_options = true;
        asking_number(cli, asking, "cold", 1);
        return EXIT_DONE;
    case OPTION_FLOORPLAN:
        return add_floorplan(cli, use->value, asking);
    case OPTION_SET:
        CLI_APPEND(cli, request->sets, request->set_count, use->value);
        return EXIT_DONE;
    case OPTION_SVG:
        request->svg = use->value;
        return EXIT_DONE;
    case OPTION_TABLE:
        return read_table(cli, use->value, request);
    default:
        return EXIT_DONE;
    }
}

static int check_request(struct cli *cli, const struct request *launch,
                         const struct thermal_request *request)
{
    if (!launch->gpu_count)
        return cli_error(cli, EXIT_USAGE,
                         "no GPU given: use --gpu ID; `warpsage machines` lists them");
    if (launch->gpu_count > 1)
        return cli_error(cli, EXIT_USAGE, "too many GPUs '%s,%s': thermal takes one",
                         launch->gpus[0], launch->gpus[1]);
    if (!request->active && !request->has_best && !request->has_kernel)
        return cli_error(cli, EXIT_USAGE,
                         "no active SMs given: use --active-sms LIST, --best N or a kernel");
    if (request->active && request->has_best)
        return cli_error(cli, EXIT_USAGE,
                         "--active-sms and --best are mutually exclusive: use one of them");
    if (!request->has_curve && request->has_curve_options)
        return cli_error(cli, EXIT_USAGE, "--step and --cold require --transient SECONDS");
    if (!request->has_curve && request->table && !strcmp(request->table, "curve"))
        return cli_error(cli, EXIT_USAGE, "--table curve requires --transient SECONDS");
    return EXIT_DONE;
}

/* ---- answer ---------------------------------------------------------------------------------- */

static int apply_sets(struct cli *cli, const struct thermal_request *request, ws_machine *machine)
{
    for (size_t i = 0; i < request->set_count; i++) {
        char *key = cli_copy(cli, request->sets[i]), *change = strchr(key, '=');
        if (!change)
            return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --set: expected KEY=VALUE",
                             request->sets[i]);
        change = cli_copy(cli, change);
        key[strcspn(key, "=")] = '\0';
        ws_status status = ws_machine_set(machine, key, change);
        if (status != WS_OK)
            return cli_error(cli, ws_status_exit_code(status), "--set %s: %s", request->sets[i],
                             ws_context_error(cli->context));
    }
    return EXIT_DONE;
}

static int read_active(struct cli *cli, struct thermal_request *request, const ws_machine *machine)
{
    double sms;
    size_t before = request->asking.input_count;
    if (!request->active) return EXIT_DONE;
    ws_status status = ws_machine_get(machine, "sm.count", &sms);
    if (status != WS_OK) return cli_failed(cli, status);
    CLI_TRY(asking_sms(cli, &request->asking, "--active-sms", request->active, (unsigned)sms));
    if (!request->has_kernel || request->asking.input_count > before) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "--active-sms: a kernel requires at least 1 SM");
}

static int write_answer(struct cli *cli, const struct thermal_request *request, ws_format format,
                        const char *output, const ws_answer *answer)
{
    ws_details details = cli->quiet ? WS_DETAILS_QUIET : WS_DETAILS_NORMAL;
    if (format == WS_FORMAT_CSV && request->table)
        CLI_TRY(asking_write_table(cli, answer, request->table, output));
    else
        CLI_TRY(asking_write(cli, answer, format, details, output));
    if (!request->svg) return EXIT_DONE;
    return asking_write(cli, answer, WS_FORMAT_SVG, details, request->svg);
}

static int answer(struct analysis *a, const struct command *command,
                  struct thermal_request *request)
{
    struct asking *asking = &request->asking;
    ws_answer *found;
    CLI_TRY(analysis_load_machines(a));
    CLI_TRY(apply_sets(a->cli, request, a->machines[0]));
    if (request->has_kernel) CLI_TRY(analysis_find_profile(a, command));
    CLI_TRY(read_active(a->cli, request, a->machines[0]));
    if (request->has_kernel) asking_profile(a->cli, asking, a->profile);
    asking_machine(a->cli, asking, a->machines[0]);
    asking_predict(a->cli, asking, &a->request);
    CLI_TRY(asking_ask(a->cli, asking, &found));
    int exit_code = write_answer(a->cli, request, a->request.format, a->request.output, found);
    ws_answer_destroy(found);
    return exit_code;
}

static int run_thermal(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli};
    struct thermal_request request = {.asking.name = "thermal"};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    for (size_t i = 0; i < line.use_count; i++)
        CLI_TRY(apply_option(cli, &line.uses[i], &request));
    request.has_kernel = analysis.request.kernel_file || analysis_is_counted(&analysis);
    CLI_TRY(check_request(cli, &analysis.request, &request));
    cli_attach(cli);
    int exit_code = answer(&analysis, command, &request);
    analysis_clear(&analysis);
    return exit_code;
}

const struct command command_thermal = {
    .name = "thermal",
    .synopsis = "  warpsage thermal --gpu 8800gt --active-sms 0,7,1,8\n"
                "  warpsage thermal --gpu 8800gt --best 4 --transient 600 --svg map.svg\n"
                "  warpsage thermal --gpu h200 --floorplan grid --best 66 --watts-per-sm 3 \\\n"
                "                   --watts-per-tpc 1 --watts-idle 100\n"
                "  warpsage thermal KERNEL.ptx|LAUNCH.yaml|--profile FILE --gpu gtx280 \\\n"
                "                   --floorplan grid [--active-sms LIST|--best K]",
    .summary = "predict chip temperature and the coolest SM placement",
    .text =
        "Computes the steady-state heat map of the die on the machine's floorplan with a network "
        "of\n"
        "thermal resistances of die, spreader and heat sink. --best searches up to a million SM\n"
        "sets exhaustively; beyond that it reports the best set found and the proven bound. For a\n"
        "kernel, watts come from ipp-power, or from --watts-per-sm if the GPU has no power\n"
        "coefficients; its SMs are those given, those found by --best, or as many from 0 on as it\n"
        "has blocks for. Equations, sources and limits: doc/models/thermal.md.\n",
    .operands = "<FILE",
    .options = options,
    .run = run_thermal,
};
