// SPDX-License-Identifier: Apache-2.0
/* thermal: how warm the chip gets by the SMs that work, which SMs to choose, and how long it takes. */
#include <math.h>
#include <string.h>

#include "cli/commands/thermal_report.h"
#include "cli/options/placement.h"

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
    {OPTION_ACTIVE, 0, "active-sms", "LIST", "SMs that work: 0,7,1,8 or 0-3, all, none"},
    {OPTION_BEST, 0, "best", "K",
     "find the K SMs with the least power and, among those, the lowest peak"},
    {OPTION_PER_SM, 0, "watts-per-sm", "W", "heat of an SM that works; else power.active_sm"},
    {OPTION_PER_TPC, 0, "watts-per-tpc", "W",
     "heat of a TPC with SMs that work, besides theirs; else power.active_tpc"},
    {OPTION_IDLE, 0, "watts-idle", "W", "heat of the chip at rest; else power.idle"},
    {OPTION_BLOCK_WATTS, 0, "watts", "BLOCK=W", "further heat of a block of the floorplan"},
    {OPTION_TRANSIENT, 0, "transient", "SECONDS", "the curve from when the SMs begin to work"},
    {OPTION_STEP, 0, "step", "SECONDS", "time step of that; a hundredth without it"},
    {OPTION_COLD, 0, "cold", NULL, "the curve begins as cold as the air, not at rest"},
    {OPTION_FLOORPLAN, 0, "floorplan", "grid",
     "a made-up floorplan and a usual package, where the machine file has none"},
    {OPTION_SET, 0, "set", "KEY=VALUE", "with another figure: machine.thermal.ambient=25"},
    {OPTION_SVG, 0, "svg", ">FILE", "the heat map as a picture, too"},
    {OPTION_TABLE, 0, "table", "blocks|cells|curve", "what --format csv lists"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "form of the answer"},
    ANALYSIS_OPTION_ROWS,
    {0},
};

/* ---- options --------------------------------------------------------------------------------- */

static int read_number(struct cli *cli, const char *option, const char *text, const char *what,
                       double *out)
{
    if (!parse_number(text, out))
        return cli_error(cli, EXIT_USAGE, "%s: '%s' is no number of %s", option, text, what);
    if (*out >= 0) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "%s: '%s' is negative: %s cannot be", option, text, what);
}

static int read_positive(struct cli *cli, const char *option, const char *text, double *out)
{
    CLI_TRY(read_number(cli, option, text, "seconds", out));
    if (*out > 0) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "%s: '%s' must be above 0", option, text);
}

static int read_table(struct cli *cli, const char *text, enum thermal_table *out)
{
    static const char *const names[] = {"blocks", "cells", "curve"};
    for (unsigned i = 0; i < 3; i++) {
        *out = (enum thermal_table)(TABLE_BLOCKS + i);
        if (!strcmp(text, names[i])) return EXIT_DONE;
    }
    return cli_error(cli, EXIT_USAGE, "--table '%s' is none of blocks, cells, curve", text);
}

static int apply_option(struct cli *cli, const struct option_use *use,
                        struct thermal_request *request)
{
    switch (use->id) {
    case OPTION_ACTIVE:
        request->active_text = use->value;
        return EXIT_DONE;
    case OPTION_BEST:
        CLI_TRY(parse_small(cli, "--best", use->value, &request->best));
        if (request->best) return EXIT_DONE;
        return cli_error(cli, EXIT_USAGE, "--best 0: at least one SM works");
    case OPTION_PER_SM:
        return read_number(cli, "--watts-per-sm", use->value, "watts", &request->watts_per_sm);
    case OPTION_PER_TPC:
        return read_number(cli, "--watts-per-tpc", use->value, "watts", &request->watts_per_tpc);
    case OPTION_IDLE:
        return read_number(cli, "--watts-idle", use->value, "watts", &request->idle_watts);
    case OPTION_BLOCK_WATTS:
        CLI_APPEND(cli, request->block_watts, request->block_watts_count, use->value);
        return EXIT_DONE;
    case OPTION_TRANSIENT:
        return read_positive(cli, "--transient", use->value, &request->transient_seconds);
    case OPTION_STEP:
        return read_positive(cli, "--step", use->value, &request->step_seconds);
    case OPTION_COLD:
        request->cold = true;
        return EXIT_DONE;
    case OPTION_FLOORPLAN:
        request->grid_floorplan = true;
        if (!strcmp(use->value, "grid")) return EXIT_DONE;
        return cli_error(cli, EXIT_USAGE,
                         "--floorplan '%s' is not known: 'grid', or none for that of the machine "
                         "file",
                         use->value);
    case OPTION_SET:
        CLI_APPEND(cli, request->sets, request->set_count, use->value);
        return EXIT_DONE;
    case OPTION_SVG:
        request->svg = use->value;
        return EXIT_DONE;
    case OPTION_TABLE:
        return read_table(cli, use->value, &request->table);
    default:
        return EXIT_DONE;
    }
}

static int check_request(struct cli *cli, const struct request *launch,
                         const struct thermal_request *request)
{
    bool has_curve = request->transient_seconds > 0;
    if (!launch->gpu_count)
        return cli_error(cli, EXIT_USAGE,
                         "for which GPU? Add --gpu ID; `warpsage machines` lists them");
    if (launch->gpu_count > 1)
        return cli_error(cli, EXIT_USAGE, "--gpu '%s,%s': thermal is for one GPU at a time",
                         launch->gpus[0], launch->gpus[1]);
    if (!request->active_text && !request->best && !request->has_kernel)
        return cli_error(
            cli, EXIT_USAGE,
            "which SMs work? Give --active-sms LIST, or --best K to have them chosen, or "
            "a kernel");
    if (request->active_text && request->best)
        return cli_error(cli, EXIT_USAGE,
                         "--active-sms says which SMs work, --best chooses them: give one");
    if (!has_curve && (request->step_seconds > 0 || request->cold))
        return cli_error(cli, EXIT_USAGE, "--step and --cold are about a curve: add --transient");
    if (!has_curve && request->table == TABLE_CURVE)
        return cli_error(cli, EXIT_USAGE, "--table curve: add --transient SECONDS");
    return EXIT_DONE;
}

static int add_sms(struct cli *cli, const char *text, unsigned first, unsigned last,
                   unsigned **list, size_t *count)
{
    if (last < first) return cli_error(cli, EXIT_USAGE, "--active-sms: '%s' runs backwards", text);
    for (unsigned sm = first; sm <= last; sm++)
        CLI_APPEND(cli, *list, *count, sm);
    return EXIT_DONE;
}

int thermal_parse_sms(struct cli *cli, const char *text, unsigned sm_count, unsigned **out,
                      size_t *out_count)
{
    *out = NULL;
    *out_count = 0;
    if (!strcmp(text, "none")) return EXIT_DONE;
    if (!strcmp(text, "all")) return add_sms(cli, text, 0, sm_count - 1, out, out_count);
    char *rest = cli_copy(cli, text);
    for (char *part; (part = strsep(&rest, ",")) != NULL;) {
        char *dash = strchr(part, '-');
        unsigned first, last;
        if (dash) *dash++ = '\0';
        CLI_TRY(parse_small(cli, "--active-sms", part, &first));
        last = first;
        if (dash) CLI_TRY(parse_small(cli, "--active-sms", dash, &last));
        if (last >= sm_count)
            return cli_error(cli, EXIT_USAGE,
                             "--active-sms: there is no SM %u: the GPU has %u, from 0 to %u", last,
                             sm_count, sm_count - 1);
        CLI_TRY(add_sms(cli, text, first, last, out, out_count));
    }
    return EXIT_DONE;
}

/* ---- answer ---------------------------------------------------------------------------------- */

int thermal_apply_sets(struct cli *cli, const struct thermal_request *request, ws_machine *machine)
{
    for (size_t i = 0; i < request->set_count; i++) {
        char *key = cli_copy(cli, request->sets[i]), *change = strchr(key, '=');
        if (!change)
            return cli_error(cli, EXIT_USAGE, "--set '%s' is not KEY=VALUE", request->sets[i]);
        change = cli_copy(cli, change);
        key[strcspn(key, "=")] = '\0';
        ws_status status = ws_machine_set(machine, key, change);
        if (status != WS_OK)
            return cli_error(cli, ws_status_exit_code(status), "--set %s: %s", request->sets[i],
                             ws_context_error(cli->context));
    }
    return EXIT_DONE;
}

static int read_plan(struct cli *cli, struct thermal_answer *answer)
{
    answer->plan.size = sizeof answer->plan;
    ws_status status = ws_thermal_describe_plan(answer->thermal, &answer->plan);
    if (status != WS_OK) return cli_failed(cli, status);
    size_t count = answer->plan.block_count;
    answer->blocks = cli_alloc(cli, count * sizeof *answer->blocks);
    answer->heat = cli_alloc(cli, count * sizeof *answer->heat);
    answer->is_active = cli_alloc(cli, count * sizeof *answer->is_active);
    answer->cells =
        cli_alloc(cli, (size_t)answer->plan.cells * answer->plan.cells * sizeof *answer->cells);
    for (size_t i = 0; i < count; i++) {
        answer->blocks[i].size = sizeof answer->blocks[i];
        status = ws_thermal_describe_block(answer->thermal, i, &answer->blocks[i]);
        if (status != WS_OK) return cli_failed(cli, status);
    }
    return EXIT_DONE;
}

static int read_block_watts(struct cli *cli, const struct thermal_request *request,
                            struct thermal_answer *answer)
{
    size_t count = answer->plan.block_count;
    if (!request->block_watts_count) return EXIT_DONE;
    double *watts = cli_alloc(cli, count * sizeof *watts);
    if (answer->load.block_watts) memcpy(watts, answer->load.block_watts, count * sizeof *watts);
    const char **names = cli_alloc(cli, count * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = answer->blocks[i].name;
    for (size_t i = 0; i < request->block_watts_count; i++) {
        char *name = cli_copy(cli, request->block_watts[i]), *value = strchr(name, '=');
        size_t at = 0;
        double more;
        if (!value) return cli_error(cli, EXIT_USAGE, "--watts '%s' is not BLOCK=W", name);
        *value++ = '\0';
        while (at < count && strcmp(names[at], name) != 0)
            at++;
        if (at == count)
            return cli_error(cli, EXIT_USAGE, "--watts: the floorplan has no block '%s'%s", name,
                             cli_perhaps(cli, name, names, count));
        CLI_TRY(read_number(cli, "--watts", value, "watts", &more));
        watts[at] += more;
    }
    answer->load.block_watts = watts;
    return EXIT_DONE;
}

/* The watts that the library will take, for the reports. */
static void fill_watts(const ws_machine *machine, ws_thermal_load *load)
{
    double value;
    if (isnan(load->watts_per_sm) && ws_machine_get(machine, "power.active_sm", &value) == WS_OK)
        load->watts_per_sm = value;
    if (isnan(load->watts_per_tpc) && ws_machine_get(machine, "power.active_tpc", &value) == WS_OK)
        load->watts_per_tpc = value;
    if (isnan(load->idle_watts) && ws_machine_get(machine, "power.idle", &value) == WS_OK)
        load->idle_watts = value;
}

static int choose_sms(struct cli *cli, const struct thermal_request *request,
                      struct thermal_answer *answer)
{
    unsigned *sms = cli_alloc(cli, answer->plan.sm_count * sizeof *sms);
    answer->choice.size = sizeof answer->choice;
    ws_status status =
        ws_thermal_best(answer->thermal, &answer->load, request->best, &answer->choice, sms);
    if (status != WS_OK) return cli_failed(cli, status);
    answer->load.active_sms = sms;
    answer->load.active_count = request->best;
    return EXIT_DONE;
}

static void mark_active(struct thermal_answer *answer)
{
    for (size_t k = 0; k < answer->load.active_count; k++)
        for (size_t i = 0; i < answer->plan.block_count; i++) {
            const ws_thermal_block *block = &answer->blocks[i];
            bool is_it = !strcmp(block->kind, "sm") && block->sm == answer->load.active_sms[k];
            for (size_t j = 0; is_it && j < answer->plan.block_count; j++)
                if (!strcmp(answer->blocks[j].kind, "tpc") && answer->blocks[j].tpc == block->tpc)
                    answer->is_active[j] = true;
            answer->is_active[i] |= is_it;
        }
}

static int find_curve(struct cli *cli, const struct thermal_request *request,
                      struct thermal_answer *answer)
{
    const ws_thermal_run run = {sizeof run, request->transient_seconds, request->step_seconds,
                                request->cold};
    ws_status status =
        ws_thermal_transient(answer->thermal, &answer->load, &run, NULL, 0, &answer->point_count);
    if (status != WS_OK) return cli_failed(cli, status);
    answer->points = cli_alloc(cli, answer->point_count * sizeof *answer->points);
    status = ws_thermal_transient(answer->thermal, &answer->load, &run, answer->points,
                                  answer->point_count, &answer->point_count);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

/* The SMs that are named, that are chosen, or the first of them for the blocks of the kernel. */
static int find_sms(struct cli *cli, const struct thermal_request *request,
                    struct thermal_answer *answer)
{
    unsigned *sms, all = answer->plan.sm_count;
    const char *text = request->active_text;
    if (request->best) return choose_sms(cli, request, answer);
    if (!text) text = cli_format(cli, "0-%.0f", answer->point.active_sms - 1);
    CLI_TRY(thermal_parse_sms(cli, text, all, &sms, &answer->load.active_count));
    answer->load.active_sms = sms;
    return EXIT_DONE;
}

static int find_load(struct cli *cli, const struct thermal_request *request,
                     struct thermal_answer *answer)
{
    answer->load = (ws_thermal_load){.size = sizeof answer->load,
                                     .watts_per_sm = request->watts_per_sm,
                                     .watts_per_tpc = request->watts_per_tpc};
    if (answer->kernel && !answer->watts_are_given)
        CLI_TRY(
            placement_load(cli, answer->machine, answer->thermal, &answer->point, &answer->load));
    answer->load.idle_watts = request->idle_watts;
    CLI_TRY(read_block_watts(cli, request, answer));
    fill_watts(answer->machine, &answer->load);
    return find_sms(cli, request, answer);
}

static int find_answer(struct cli *cli, const struct thermal_request *request,
                       struct thermal_answer *answer)
{
    const ws_thermal_options wanted = {.size = sizeof wanted,
                                       .grid_floorplan = request->grid_floorplan};
    ws_status status = ws_thermal_create(answer->machine, &wanted, &answer->thermal);
    if (status != WS_OK) return cli_failed(cli, status);
    CLI_TRY(read_plan(cli, answer));
    CLI_TRY(find_load(cli, request, answer));
    answer->state.size = sizeof answer->state;
    status = ws_thermal_steady(answer->thermal, &answer->load, &answer->state, answer->cells,
                               answer->heat);
    if (status != WS_OK) return cli_failed(cli, status);
    mark_active(answer);
    return request->transient_seconds > 0 ? find_curve(cli, request, answer) : EXIT_DONE;
}

static int answer_all(struct analysis *a, const struct command *command,
                      const struct thermal_request *request)
{
    struct thermal_answer answer = {0};
    CLI_TRY(analysis_load_machines(a));
    answer.machine = a->machines[0];
    CLI_TRY(thermal_apply_sets(a->cli, request, answer.machine));
    if (request->has_kernel) CLI_TRY(thermal_find_kernel(a, command, request, &answer));
    int exit_code = find_answer(a->cli, request, &answer);
    if (exit_code == EXIT_DONE) exit_code = thermal_write(a->cli, request, &answer);
    ws_thermal_destroy(answer.thermal);
    return exit_code;
}

static int run_thermal(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli};
    struct thermal_request request = {.watts_per_sm = NAN, .watts_per_tpc = NAN, .idle_watts = NAN};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    for (size_t i = 0; i < line.use_count; i++)
        CLI_TRY(apply_option(cli, &line.uses[i], &request));
    request.format = analysis.request.format;
    request.output = analysis.request.output;
    request.has_kernel = analysis.request.kernel_file || analysis_is_counted(&analysis);
    CLI_TRY(check_request(cli, &analysis.request, &request));
    cli_attach(cli);
    int exit_code = answer_all(&analysis, command, &request);
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
    .summary = "how warm the chip gets, and where to put the work",
    .text =
        "A steady heat map of the die under the machine's floorplan: a network of heat\n"
        "resistances of die, spreader and heat sink. --best goes through all sets of SMs up to\n"
        "a million of them; beyond that it gives the best that it found, and what is proven\n"
        "about the rest. With a kernel its watts are those of ipp-power, or where the GPU has no\n"
        "coefficients for that those of --watts-per-sm; its SMs are the named ones, the chosen\n"
        "ones, or from 0 on as many as it has blocks for. Equations, sources and limits:\n"
        "doc/models/thermal.md.\n",
    .options = options,
    .run = run_thermal,
};
