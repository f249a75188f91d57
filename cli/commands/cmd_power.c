// SPDX-License-Identifier: Apache-2.0
/* power: watts by unit, temperature, and how many SMs give the best performance per watt. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/power.h"
#include "cli/options/analysis.h"

enum {
    OPTION_CORES = OPTION_OWN,
    OPTION_TIME,
    OPTION_CLOCK,
    OPTION_MODEL,
    OPTION_RUN,
    OPTION_COOL,
    OPTION_STEP,
    OPTION_START,
    OPTION_PRINTED
};

static const struct option_row options[] = {
    {OPTION_CORES, 0, "cores", "all|A..B|N", "a row for each number of active SMs"},
    {OPTION_CLOCK, 0, "clock-ghz", "all|A..B[:STEP]|N", "a row for each clock of the SMs"},
    {OPTION_MODEL, 0, "model", "NAME", "the model whose time counts; the best one by default"},
    {OPTION_TIME, 0, "time-s", "SECONDS", "a measured time of the launch instead"},
    {OPTION_RUN, 0, "run-s", "SECONDS", "temperature over time: the kernel again and again"},
    {OPTION_COOL, 0, "cool-s", "SECONDS", "... and then the GPU at rest"},
    {OPTION_STEP, 0, "step-s", "SECONDS", "... in steps of (a 60th of the whole by default)"},
    {OPTION_START, 0, "start-c", "DEGREES", "... from this temperature, not from that at rest"},
    {OPTION_PRINTED, 0, "uncoupled", NULL, "... without the power that the warmth adds"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "form of the answer"},
    ANALYSIS_OPTION_ROWS,
    {0},
};

/* ---- options --------------------------------------------------------------------------------- */

static int read_seconds(struct cli *cli, const char *option, const char *text, double *out)
{
    if (parse_number(text, out) && isfinite(*out) && *out >= 0) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "%s: '%s' is no time in seconds", option, text);
}

static int read_cores(struct cli *cli, const char *text, struct power_request *out)
{
    uint64_t first, last;
    out->wants_cores = true;
    out->all_cores = !strcmp(text, "all");
    if (out->all_cores) return EXIT_DONE;
    char *copy = cli_copy(cli, text), *dots = strstr(copy, "..");
    if (dots) *dots = '\0';
    CLI_TRY(parse_unsigned(cli, "--cores", copy, 1000000, &first));
    last = first;
    if (dots) CLI_TRY(parse_unsigned(cli, "--cores", dots + 2, 1000000, &last));
    out->first = (unsigned)first;
    out->last = (unsigned)last;
    return EXIT_DONE;
}

static int read_time(struct analysis *a, const char *text)
{
    double seconds;
    CLI_TRY(read_seconds(a->cli, "--time-s", text, &seconds));
    if (!(seconds > 0))
        return cli_error(a->cli, EXIT_USAGE, "--time-s: a kernel of 0 s has no power");
    analysis_add_model_option(a, "power_time_s", text);
    return EXIT_DONE;
}

static int read_start(struct cli *cli, const char *text, double *out)
{
    if (parse_number(text, out) && isfinite(*out)) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "--start-c: '%s' is no temperature", text);
}

static int read_own(struct analysis *a, const struct command_line *line, struct power_request *out)
{
    for (size_t i = 0; i < line->use_count; i++) {
        const char *value = line->uses[i].value;
        switch (line->uses[i].id) {
        case OPTION_CORES:
            CLI_TRY(read_cores(a->cli, value, out));
            break;
        case OPTION_CLOCK:
            out->wants_clocks = true;
            CLI_TRY(power_read_clocks(a->cli, value, &out->clocks));
            break;
        case OPTION_MODEL:
            analysis_add_model_option(a, "power_time", value);
            break;
        case OPTION_TIME:
            CLI_TRY(read_time(a, value));
            break;
        case OPTION_RUN:
            CLI_TRY(read_seconds(a->cli, "--run-s", value, &out->warming.run_seconds));
            break;
        case OPTION_COOL:
            CLI_TRY(read_seconds(a->cli, "--cool-s", value, &out->warming.cool_seconds));
            break;
        case OPTION_STEP:
            CLI_TRY(read_seconds(a->cli, "--step-s", value, &out->warming.step_seconds));
            break;
        case OPTION_START:
            CLI_TRY(read_start(a->cli, value, &out->warming.start_celsius));
            break;
        case OPTION_PRINTED:
            out->warming.printed = true;
            break;
        default:
            continue;
        }
        out->wants_curve |= line->uses[i].id >= OPTION_RUN;
    }
    return EXIT_DONE;
}

static int check_curve(struct cli *cli, struct power_request *request)
{
    ws_warming *warming = &request->warming;
    if (!request->wants_curve) return EXIT_DONE;
    if (!(warming->run_seconds + warming->cool_seconds > 0))
        return cli_error(cli, EXIT_USAGE,
                         "how long? --run-s SECONDS, the kernel again and again, or --cool-s");
    /* Not longer than a tenth of the shortest time constant of a known GPU. */
    if (!(warming->step_seconds > 0))
        warming->step_seconds = fmin(3.5, (warming->run_seconds + warming->cool_seconds) / 60);
    return EXIT_DONE;
}

/* ---- answers --------------------------------------------------------------------------------- */

static int find_cores(struct analysis *a, const struct power_request *request,
                      const ws_predict_options *given, struct power_answer *answer)
{
    double sms;
    ws_status status = ws_machine_get(answer->machine, "sm.count", &sms);
    if (status != WS_OK) return cli_failed(a->cli, status);
    bool whole = !request->wants_cores || request->all_cores;
    unsigned first = whole ? 1 : request->first, last = whole ? (unsigned)sms : request->last;
    size_t capacity = last >= first ? last - first + 1 : 0;
    if (capacity > (size_t)sms) capacity = (size_t)sms;
    answer->points = cli_alloc(a->cli, (capacity + 1) * sizeof *answer->points);
    answer->cores.size = sizeof answer->cores;
    status = ws_power_cores(a->cli->context, a->profile, answer->machine, given, first, last,
                            answer->points, capacity, &answer->point_count, &answer->cores);
    if (status != WS_OK) return cli_failed(a->cli, status);
    /* The texts must outlive the next GPU. */
    for (size_t i = 0; i < answer->point_count; i++)
        answer->points[i].bottleneck = cli_copy(a->cli, answer->points[i].bottleneck);
    return EXIT_DONE;
}

static int find_curve(struct analysis *a, const struct power_request *request,
                      struct power_answer *answer)
{
    ws_warming warming = request->warming;
    warming.runtime_watts = answer->power.runtime_watts;
    warming.intensity = answer->power.intensity;
    ws_status status = ws_machine_warm(answer->machine, &warming, NULL, 0, &answer->curve_count);
    if (status != WS_OK) return cli_failed(a->cli, status);
    answer->curve = cli_alloc(a->cli, (answer->curve_count + 1) * sizeof *answer->curve);
    status = ws_machine_warm(answer->machine, &warming, answer->curve, answer->curve_count,
                             &answer->curve_count);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

static void keep_texts(struct cli *cli, ws_power *power)
{
    const char **copies = cli_alloc(cli, (power->assumption_count + 1) * sizeof *copies);
    for (size_t i = 0; i < power->assumption_count; i++)
        copies[i] = cli_copy(cli, power->assumptions[i]);
    power->assumptions = copies;
    for (size_t i = 0; i < power->unit_count; i++)
        if (power->units[i].reason) power->units[i].reason = cli_copy(cli, power->units[i].reason);
}

static int answer_one(struct analysis *a, const struct power_request *request,
                      struct power_answer *answer)
{
    ws_predict_options given = {.size = sizeof given,
                                .model_options = a->request.model_options,
                                .without = a->request.without};
    answer->kernel = ws_profile_kernel(a->profile);
    answer->power.size = sizeof answer->power;
    ws_status status =
        ws_power_predict(a->cli->context, a->profile, answer->machine, &given, &answer->power);
    if (status != WS_OK) return cli_failed(a->cli, status);
    keep_texts(a->cli, &answer->power);
    CLI_TRY(find_cores(a, request, &given, answer));
    CLI_TRY(power_find_clocks(a->cli, a->profile, &given, &request->clocks, answer));
    return request->wants_curve ? find_curve(a, request, answer) : EXIT_DONE;
}

static int answer_all(struct analysis *a, const struct command *command,
                      const struct power_request *request)
{
    CLI_TRY(analysis_load_machines(a));
    if (!a->machine_count) return analysis_ask_gpu(a, "");
    CLI_TRY(analysis_find_profile(a, command));
    struct power_answer *answers = cli_alloc(a->cli, a->machine_count * sizeof *answers);
    for (size_t i = 0; i < a->machine_count; i++) {
        answers[i].machine = a->machines[i];
        CLI_TRY(answer_one(a, request, &answers[i]));
    }
    return power_write(a->cli, request, answers, a->machine_count);
}

static int run_power(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli};
    struct power_request request = {
        .clocks = {.size = sizeof request.clocks},
        .warming = {.size = sizeof request.warming, .start_celsius = NAN}};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    CLI_TRY(read_own(&analysis, &line, &request));
    CLI_TRY(check_curve(cli, &request));
    request.format = analysis.request.format;
    request.output = analysis.request.output;
    cli_attach(cli);
    int exit_code = answer_all(&analysis, command, &request);
    analysis_clear(&analysis);
    return exit_code;
}

const struct command command_power = {
    .name = "power",
    .synopsis =
        "  warpsage power KERNEL.ptx|LAUNCH.yaml [launch options] --gpu ID[,ID...] [--cores all]\n"
        "  warpsage power --profile FILE --gpu ID [--model NAME|--time-s SECONDS] [--clock-ghz "
        "all]\n"
        "                 [--run-s SECONDS] [--cool-s SECONDS]",
    .summary = "watts by unit, temperature; how many SMs, which, and what clock cost least",
    .text =
        "Watts follow from how often each unit is used in the predicted time (or in --time-s).\n"
        "Coefficients are measured for each GPU; one without is not guessed (exit status 4).\n"
        "doc/models/ipp-power.md and temperature.md have the equations.\n\n"
        "With --cores, the same work runs on so many SMs, the others rest; energy is counted\n"
        "without idle power (runtime), with it (total), and with gated SMs (powergate).\n"
        "Clocks are tried from half of the machine's on, or from clock.least to clock.most, each\n"
        "with every number of SMs; --clock-ghz says which others. The SMs are chosen under the\n"
        "floorplan, the machine file's or a made-up one.\n"
        "CSV: units, or a row a number of cores with --cores, or a row a clock with --clock-ghz, "
        "or\n"
        "a row a time with --run-s.\n",
    .options = options,
    .run = run_power,
};
