// SPDX-License-Identifier: Apache-2.0
/* energy: does a faster run take less energy? Appendix A of Hong's thesis, from numbers alone. */
#include <math.h>
#include <string.h>

#include "cli/commands/energy.h"
#include "cli/options/named_values.h"
#include "cli/options/options.h"

enum { OPTION_SWEEP = 1, OPTION_SERIES, OPTION_SHARE, OPTION_FORMAT, OPTION_OUTPUT };
enum { INPUTS = 32, TERMS = 16, POINTS_MAX = 10001, SHARES = 11 };

static const struct option_row options[] = {
    {OPTION_SWEEP, 0, "sweep", "NAME=A..B[:STEP]", "a row for each value, in steps of 1 or STEP"},
    {OPTION_SHARE, 0, "share", "PERCENT", "only this share of the data to the GPU, not 0 to 100"},
    {OPTION_SERIES, 0, "series", NULL, "the sixteen series of table 16 in four configurations"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "form of the table"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write there instead of to standard output"},
    {0},
};

struct energy {
    struct cli *cli;
    struct named_values given;
    const char *sweep; /* name */
    double first, last, step;
    double share; /* NAN: all of 0 to 100 % */
    bool series;
    struct energy_table table;
};

/* ---- one row --------------------------------------------------------------------------------- */

/* The inputs of the closed form: those of `names`, and o.* from cpu.* where it is not given. */
static int evaluate(struct energy *e, const char *function, const struct named_values *values,
                    struct energy_row *out)
{
    ws_input inputs[INPUTS];
    ws_term terms[TERMS];
    size_t count = 0, found;
    for (size_t i = 0; i < values->count; i++) {
        const struct named_value *value = &values->items[i];
        bool is_word = !strcmp(value->name, "idle_device");
        if (!value->is_number && !is_word)
            return cli_error(e->cli, EXIT_INPUT, "%s: error: %s is '%s', which is no number",
                             value->place, value->name, value->text);
        if (count == INPUTS)
            return cli_error(e->cli, EXIT_USAGE, "there are too many inputs, %s is one",
                             value->name);
        inputs[count++] = (ws_input){value->name, value->number, is_word ? value->text : NULL};
    }
    ws_status status =
        ws_model_evaluate(e->cli->context, function, inputs, count, terms, TERMS, &found);
    if (status != WS_OK) return cli_failed(e->cli, status);
    const struct {
        const char *name;
        double *to;
    } wanted[] = {{"tn", &out->seconds},
                  {"pn", &out->watts},
                  {"speedup", &out->speedup},
                  {"energy_efficiency", &out->efficiency}};
    for (size_t i = 0; i < found && i < TERMS; i++)
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++)
            if (!strcmp(terms[i].name, wanted[k].name)) *wanted[k].to = terms[i].value;
    return EXIT_DONE;
}

static struct named_values copy_of(struct cli *cli, const struct named_values *values)
{
    struct named_values copy = {0};
    for (size_t i = 0; i < values->count; i++)
        CLI_APPEND(cli, copy.items, copy.count, values->items[i]);
    return copy;
}

/* The baseline is the CPU alone with all data (112), unless o.* says otherwise. */
static void complete(struct cli *cli, struct named_values *values, double share)
{
    static const char *const keys[] = {"phi", "C", "zeta", "F", "lam"};
    double data = named_values_number(values, "data", 100);
    struct named_values out = {0};
    for (size_t i = 0; i < values->count; i++)
        if (strcmp(values->items[i].name, "data") != 0)
            CLI_APPEND(cli, out.items, out.count, values->items[i]);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct named_value *cpu =
            named_values_find(values, cli_format(cli, "cpu.%s", keys[i]));
        const char *base = cli_format(cli, "o.%s", keys[i]);
        if (cpu && !named_values_find(values, base)) named_values_set(cli, &out, base, cpu->number);
    }
    if (!named_values_find(values, "o.D")) named_values_set(cli, &out, "o.D", data);
    named_values_set(cli, &out, "cpu.D", data * (1 - share));
    named_values_set(cli, &out, "gpu.D", data * share);
    *values = out;
}

static int find_row(struct energy *e, const struct named_values *given, struct energy_row *row)
{
    struct named_values values = copy_of(e->cli, given);
    if (isfinite(row->swept)) {
        /* What the baseline shares with the CPU stays as it was. */
        if (isfinite(row->share)) complete(e->cli, &values, row->share);
        named_values_set(e->cli, &values, e->sweep, row->swept);
    } else if (isfinite(row->share)) {
        complete(e->cli, &values, row->share);
    }
    return evaluate(e, isfinite(row->share) ? "appA_hetero" : "appA_eff", &values, row);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void finish_curve(struct energy *e, struct energy_curve *curve)
{
    double *speedups = cli_alloc(e->cli, (curve->count + 1) * sizeof *speedups);
    double *efficiencies = cli_alloc(e->cli, (curve->count + 1) * sizeof *efficiencies);
    for (size_t i = 0; i < curve->count; i++) {
        size_t at = i; /* sorted by speed-up */
        for (; at && speedups[at - 1] > curve->rows[i].speedup; at--) {
            speedups[at] = speedups[at - 1];
            efficiencies[at] = efficiencies[at - 1];
        }
        speedups[at] = curve->rows[i].speedup;
        efficiencies[at] = curve->rows[i].efficiency;
        curve->quadrants[energy_quadrant_of(&curve->rows[i])]++;
    }
    curve->curvature = ws_energy_curvature(speedups, efficiencies, curve->count);
    CLI_APPEND(e->cli, e->table.curves, e->table.count, *curve);
}

static int add_shares(struct energy *e, const struct named_values *given, const char *name,
                      double swept)
{
    struct energy_curve curve = {.name = name};
    for (unsigned i = 0; i < SHARES; i++) {
        struct energy_row row = {.swept = swept, .share = i / 10.0};
        CLI_TRY(find_row(e, given, &row));
        CLI_APPEND(e->cli, curve.rows, curve.count, row);
    }
    finish_curve(e, &curve);
    return EXIT_DONE;
}

static int add_sweep(struct energy *e, double share)
{
    struct energy_curve curve = {.name = e->sweep};
    for (unsigned i = 0; e->first + i * e->step <= e->last * (1 + 1e-12); i++) {
        struct energy_row row = {.swept = e->first + i * e->step, .share = share};
        CLI_TRY(find_row(e, &e->given, &row));
        CLI_APPEND(e->cli, curve.rows, curve.count, row);
    }
    finish_curve(e, &curve);
    return EXIT_DONE;
}

static int sweep_and_shares(struct energy *e)
{
    if (isfinite(e->share)) return add_sweep(e, e->share);
    for (unsigned i = 0; e->first + i * e->step <= e->last * (1 + 1e-12); i++) {
        double value = e->first + i * e->step;
        CLI_TRY(add_shares(e, &e->given, cli_format(e->cli, "%s = %g", e->sweep, value), value));
    }
    return EXIT_DONE;
}

/* ---- table 16 -------------------------------------------------------------------------------- */

/* The thesis prints no values: these are guesses, which the file may replace (series.slow ...). */
static const struct {
    const char *name;
    double value;
} series_defaults[] = {{"series.slow", 4},
                       {"series.fast", 1},
                       {"series.low", 1},
                       {"series.high", 4},
                       {"series.less", 0.5}};

static double series_value(const struct energy *e, size_t i)
{
    return named_values_number(&e->given, series_defaults[i].name, series_defaults[i].value);
}

static void set_default(struct energy *e, struct named_values *values, const char *name,
                        double value)
{
    if (!named_values_find(values, name)) named_values_set(e->cli, values, name, value);
}

static void scale(struct energy *e, struct named_values *values, const char *device, double factor)
{
    const char *zeta = cli_format(e->cli, "%s.zeta", device);
    const char *lambda = cli_format(e->cli, "%s.lam", device);
    named_values_set(e->cli, values, zeta, factor * named_values_number(values, zeta, 1));
    named_values_set(e->cli, values, lambda, factor * named_values_number(values, lambda, 1));
}

/* Series 1 to 16: the CPU slow in 1 to 8, the GPU slow in 1 to 4 and 9 to 12 (A-A1); power low low,
 * low high, high low, high high. Configurations: as given, less CPU, less GPU, less of both. */
static int add_series(struct energy *e, unsigned configuration, unsigned series)
{
    static const char *const shares_named[] = {"o", "cpu", "gpu"};
    struct named_values values = {0};
    for (size_t i = 0; i < e->given.count; i++)
        if (strncmp(e->given.items[i].name, "series.", 7) != 0)
            CLI_APPEND(e->cli, values.items, values.count, e->given.items[i]);
    bool cpu_slow = series < 8, gpu_slow = !(series & 4);
    bool cpu_high = series & 2, gpu_high = series & 1;
    for (size_t i = 1; i < 3; i++) {
        set_default(e, &values, cli_format(e->cli, "%s.C", shares_named[i]), 1);
        set_default(e, &values, cli_format(e->cli, "%s.F", shares_named[i]), 1);
    }
    set_default(e, &values, "B0", 1);
    named_values_set(e->cli, &values, "cpu.phi", series_value(e, cpu_slow ? 0 : 1));
    named_values_set(e->cli, &values, "gpu.phi", series_value(e, gpu_slow ? 0 : 1));
    named_values_set(e->cli, &values, "cpu.lam", series_value(e, cpu_high ? 3 : 2));
    named_values_set(e->cli, &values, "gpu.lam", series_value(e, gpu_high ? 3 : 2));
    if (configuration & 1) scale(e, &values, "cpu", series_value(e, 4));
    if (configuration & 2) scale(e, &values, "gpu", series_value(e, 4));
    return add_shares(e, &values,
                      cli_format(e->cli, "%u.%u %s %s %s %s", configuration + 1, series + 1,
                                 cpu_slow ? "slow" : "fast", gpu_slow ? "slow" : "fast",
                                 cpu_high ? "high" : "low", gpu_high ? "high" : "low"),
                      NAN);
}

static int all_series(struct energy *e)
{
    e->table.series = true;
    e->table.notes = "Values of slow, fast, low, high are guesses: the thesis prints none.";
    for (unsigned configuration = 0; configuration < 4; configuration++)
        for (unsigned series = 0; series < 16; series++)
            CLI_TRY(add_series(e, configuration, series));
    return EXIT_DONE;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int read_sweep(struct energy *e, const char *text)
{
    char *name = cli_copy(e->cli, text), *equals = strchr(name, '='), *dots, *colon;
    if (equals) *equals = '\0';
    dots = equals ? strstr(equals + 1, "..") : NULL;
    colon = dots ? strchr(dots, ':') : NULL;
    if (dots) *dots = '\0';
    if (colon) *colon = '\0';
    e->sweep = name;
    e->step = 1;
    if (!dots || !*name || !parse_number(equals + 1, &e->first) ||
        !parse_number(dots + 2, &e->last) || (colon && !parse_number(colon + 1, &e->step)))
        return cli_error(e->cli, EXIT_USAGE, "--sweep '%s': write NAME=A..B or NAME=A..B:STEP",
                         text);
    if (!(e->step > 0) || !(e->last >= e->first))
        return cli_error(e->cli, EXIT_USAGE,
                         "--sweep '%s' is an empty range: A is the smaller, STEP above 0", text);
    if ((e->last - e->first) / e->step >= POINTS_MAX)
        return cli_error(e->cli, EXIT_USAGE, "--sweep '%s' has more than %d values", text,
                         POINTS_MAX - 1);
    return EXIT_DONE;
}

static int read_share(struct energy *e, const char *text)
{
    double percent;
    if (!parse_number(text, &percent) || !(percent >= 0 && percent <= 100))
        return cli_error(e->cli, EXIT_USAGE, "--share '%s': a share is 0 to 100 percent", text);
    e->share = percent / 100;
    return EXIT_DONE;
}

static int read_line(struct energy *e, const struct command_line *line)
{
    for (size_t i = 0; i < line->operand_count; i++) {
        const char *operand = line->operands[i];
        size_t length = strlen(operand);
        bool is_file = *operand == '/' || !strcmp(operand, "-") ||
                       (length > 5 && !strcmp(operand + length - 5, ".yaml"));
        CLI_TRY(is_file ? named_values_read(e->cli, operand, &e->given)
                        : named_values_parse(e->cli, operand, &e->given));
    }
    for (size_t i = 0; i < line->use_count; i++) {
        const char *value = line->uses[i].value;
        if (line->uses[i].id == OPTION_SWEEP) CLI_TRY(read_sweep(e, value));
        if (line->uses[i].id == OPTION_SHARE) CLI_TRY(read_share(e, value));
        if (line->uses[i].id == OPTION_SERIES) e->series = true;
        if (line->uses[i].id == OPTION_FORMAT)
            CLI_TRY(parse_format(e->cli, value, &e->table.format));
        if (line->uses[i].id == OPTION_OUTPUT) e->table.output = value;
    }
    return EXIT_DONE;
}

static int one_row(struct energy *e, const char *function)
{
    struct energy_curve curve = {.name = "new against old"};
    struct energy_row row = {.swept = NAN, .share = NAN};
    CLI_TRY(evaluate(e, function, &e->given, &row));
    if (!strcmp(function, "energy_eff")) {
        row.seconds = named_values_number(&e->given, "tn", NAN);
        row.watts = named_values_number(&e->given, "pn", NAN);
    }
    CLI_APPEND(e->cli, curve.rows, curve.count, row);
    finish_curve(e, &curve);
    return EXIT_DONE;
}

static int compute(struct energy *e)
{
    bool has_gpu = named_values_has(&e->given, "gpu."), has_new = named_values_has(&e->given, "n.");
    e->table.swept = e->sweep;
    if (e->series) return all_series(e);
    if (named_values_find(&e->given, "t0")) return one_row(e, "energy_eff");
    if (has_gpu && e->sweep) return sweep_and_shares(e);
    if (has_gpu && !isfinite(e->share)) return add_shares(e, &e->given, "CPU to GPU", NAN);
    if (has_new && e->sweep) return add_sweep(e, NAN);
    if (has_new) return one_row(e, "appA_eff");
    if (!has_gpu)
        return cli_error(e->cli, EXIT_USAGE,
                         "energy of what? Give t0 tn p0 pn, or a device before and after (o.* and "
                         "n.*), or cpu.* and gpu.*, as NAME=VALUE or in a .yaml file; or --series");
    struct energy_curve curve = {.name = "CPU and GPU"};
    struct energy_row row = {.swept = NAN, .share = e->share};
    CLI_TRY(find_row(e, &e->given, &row));
    CLI_APPEND(e->cli, curve.rows, curve.count, row);
    finish_curve(e, &curve);
    return EXIT_DONE;
}

static int run_energy(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct energy e = {.cli = cli, .share = NAN};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(read_line(&e, &line));
    CLI_TRY(compute(&e));
    return energy_write(cli, &e.table);
}

const struct command command_energy = {
    .name = "energy",
    .synopsis = "  warpsage energy t0=10 tn=4 p0=100 pn=150\n"
                "  warpsage energy SYSTEM.yaml [NAME=VALUE...] [--sweep NAME=A..B[:STEP]]\n"
                "  warpsage energy --series",
    .summary = "speed-up against energy efficiency: cores, frequency, CPU and GPU",
    .text = "Names\n"
            "  t0 tn p0 pn               times and powers before and after\n"
            "  o.C o.F o.lam o.B o.D     a device before: cores, frequency, power weight, idle\n"
            "                            power, data; also o.zeta, o.phi (1)\n"
            "  n.*                       the same after\n"
            "  cpu.* gpu.* B0 data       both devices, idle power of the system, data to share;\n"
            "                            the baseline is the CPU alone, or o.*\n"
            "  combined                  share of the smaller dynamic power that adds up (1)\n"
            "  idle_device               on, or off: a device without data draws nothing\n"
            "  transfer                  time that data to the GPU takes (0)\n"
            "Time is D phi / (C zeta F), power C F^3 lam + idle power; doc/models/energy.md.\n\n"
            "Example\n"
            "  warpsage energy cpu.C=12 cpu.F=2.4 cpu.lam=0.5 gpu.C=16 gpu.zeta=32 gpu.F=1.544 \\\n"
            "      gpu.lam=2 B0=150\n",
    .options = options,
    .run = run_energy,
};
