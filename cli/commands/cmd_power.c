// SPDX-License-Identifier: Apache-2.0
/* power: watts by unit, temperature, and how many SMs give the best performance per watt. */
#include <math.h>
#include <string.h>

#include "cli/options/analysis.h"
#include "cli/options/asking.h"

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
    {OPTION_CORES, 0, "cores", "all|A..B|N", "one row per number of active SMs"},
    {OPTION_CLOCK, 0, "clock-ghz", "all|A..B[:STEP]|N", "one row per SM clock"},
    {OPTION_MODEL, 0, "model", "{model}NAME", "model that predicts the time (default: the best)"},
    {OPTION_TIME, 0, "time-s", "SECONDS", "measured launch time, instead of a predicted one"},
    {OPTION_RUN, 0, "run-s", "SECONDS", "temperature over time while the kernel repeats"},
    {OPTION_COOL, 0, "cool-s", "SECONDS", "... then while the GPU idles"},
    {OPTION_STEP, 0, "step-s", "SECONDS", "... time step (default: a 60th of the total)"},
    {OPTION_START, 0, "start-c", "DEGREES", "... start temperature (default: idle)"},
    {OPTION_PRINTED, 0, "uncoupled", NULL, "... without temperature-dependent leakage power"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv|html", "output format"},
    ANALYSIS_OPTION_ROWS,
    {0},
};

/* ---- options -> inputs ----------------------------------------------------------------------- */

static int add_seconds(struct cli *cli, struct asking *asking, const char *option, const char *text,
                       const char *input)
{
    double seconds;
    if (!parse_number(text, &seconds) || !isfinite(seconds) || seconds < 0)
        return cli_error(cli, EXIT_USAGE, "%s: invalid value '%s': expected a time in seconds",
                         option, text);
    asking_number(cli, asking, input, seconds);
    return EXIT_DONE;
}

/* "all", "16", "10..12". */
static int add_cores(struct cli *cli, struct asking *asking, const char *text)
{
    uint64_t first, last;
    asking_number(cli, asking, "list_cores", 1);
    if (!strcmp(text, "all")) return EXIT_DONE;
    char *copy = cli_copy(cli, text), *dots = strstr(copy, "..");
    if (dots) *dots = '\0';
    CLI_TRY(parse_unsigned(cli, "--cores", copy, 1000000, &first));
    last = first;
    if (dots) CLI_TRY(parse_unsigned(cli, "--cores", dots + 2, 1000000, &last));
    asking_number(cli, asking, "cores_first", (double)first);
    asking_number(cli, asking, "cores_last", (double)last);
    return EXIT_DONE;
}

static int add_clock(struct cli *cli, struct asking *asking, const char *text, const char *input)
{
    double value;
    if (!parse_number(text, &value) || !(value > 0) || !isfinite(value))
        return cli_error(cli, EXIT_USAGE,
                         "--clock-ghz: invalid value '%s': expected a clock in GHz", text);
    asking_number(cli, asking, input, value * 1e9);
    return EXIT_DONE;
}

/* "all", "1.1", "0.8..1.3", "0.8..1.3:0.05". */
static int add_clocks(struct cli *cli, struct asking *asking, const char *text)
{
    asking_number(cli, asking, "list_clocks", 1);
    if (!strcmp(text, "all")) return EXIT_DONE;
    char *copy = cli_copy(cli, text), *step = strchr(copy, ':'), *dots = strstr(copy, "..");
    if (step) *step++ = '\0';
    if (dots) *dots = '\0';
    CLI_TRY(add_clock(cli, asking, copy, "clock_least"));
    if (dots) CLI_TRY(add_clock(cli, asking, dots + 2, "clock_most"));
    return step ? add_clock(cli, asking, step, "clock_step") : EXIT_DONE;
}

static int add_time(struct analysis *a, const char *text)
{
    double seconds;
    if (!parse_number(text, &seconds) || !isfinite(seconds) || seconds < 0)
        return cli_error(a->cli, EXIT_USAGE,
                         "--time-s: invalid value '%s': expected a time in seconds", text);
    if (!(seconds > 0)) return cli_error(a->cli, EXIT_USAGE, "--time-s must be greater than 0");
    analysis_add_model_option(a, "power_time_s", text);
    return EXIT_DONE;
}

static int add_start(struct cli *cli, struct asking *asking, const char *text)
{
    double celsius;
    if (!parse_number(text, &celsius) || !isfinite(celsius))
        return cli_error(cli, EXIT_USAGE,
                         "--start-c: invalid value '%s': expected a temperature in degrees Celsius",
                         text);
    asking_number(cli, asking, "start_degc", celsius);
    return EXIT_DONE;
}

static int add_own(struct analysis *a, const struct option_use *use, struct asking *asking)
{
    switch (use->id) {
    case OPTION_CORES:
        return add_cores(a->cli, asking, use->value);
    case OPTION_CLOCK:
        return add_clocks(a->cli, asking, use->value);
    case OPTION_MODEL:
        analysis_add_model_option(a, "power_time", use->value);
        return EXIT_DONE;
    case OPTION_TIME:
        return add_time(a, use->value);
    case OPTION_RUN:
        return add_seconds(a->cli, asking, "--run-s", use->value, "run_s");
    case OPTION_COOL:
        return add_seconds(a->cli, asking, "--cool-s", use->value, "cool_s");
    case OPTION_STEP:
        return add_seconds(a->cli, asking, "--step-s", use->value, "step_s");
    case OPTION_START:
        return add_start(a->cli, asking, use->value);
    case OPTION_PRINTED:
        asking_number(a->cli, asking, "uncoupled", 1);
        return EXIT_DONE;
    default:
        return EXIT_DONE;
    }
}

/* ---- answer ---------------------------------------------------------------------------------- */

static int answer(struct analysis *a, const struct command *command, struct asking *asking)
{
    CLI_TRY(analysis_load_machines(a));
    if (!a->machine_count) return analysis_ask_gpu(a, "");
    CLI_TRY(analysis_find_profile(a, command));
    return analysis_answer(a, asking);
}

static int run_power(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli};
    struct asking asking = {.name = "power"};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    for (size_t i = 0; i < line.use_count; i++)
        if (!options_repeats(&line, i)) CLI_TRY(add_own(&analysis, &line.uses[i], &asking));
    cli_attach(cli);
    int exit_code = answer(&analysis, command, &asking);
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
    .summary = "predict watts and temperature; find the most efficient SM count and clock",
    .text =
        "Watts follow from the activity of each unit over the predicted time (or --time-s).\n"
        "Coefficients are measured per GPU; a GPU without them is unsupported (exit status 4).\n"
        "doc/models/ipp-power.md and temperature.md have the equations.\n\n"
        "With --cores, the same work runs on N SMs while the others idle; energy is given\n"
        "without idle power (runtime), with it (total), and with gated SMs (powergate).\n"
        "Clocks range from half of the machine's up, or from clock.least to clock.most, each with\n"
        "every number of SMs; --clock-ghz selects others. SMs are placed on the floorplan of the\n"
        "machine file, or on a generic one.\n"
        "CSV has one row per unit, per number of SMs (--cores), per clock (--clock-ghz) or per "
        "time\n"
        "step (--run-s).\n",
    .operands = "<FILE",
    .options = options,
    .run = run_power,
};
