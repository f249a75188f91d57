// SPDX-License-Identifier: Apache-2.0
/* energy: does a faster run take less energy? Appendix A of Hong's thesis, from numbers alone. */
#include <string.h>

#include "cli/options/asking.h"
#include "cli/options/named_values.h"
#include "cli/options/options.h"

enum { OPTION_SWEEP = 1, OPTION_SERIES, OPTION_SHARE, OPTION_FORMAT, OPTION_OUTPUT };

static const struct option_row options[] = {
    {OPTION_SWEEP, 0, "sweep", "NAME=A..B[:STEP]", "one row per value, in steps of 1 or STEP"},
    {OPTION_SHARE, 0, "share", "PERCENT",
     "only this share of the data on the GPU (default: 0 to 100)"},
    {OPTION_SERIES, 0, "series", NULL, "the sixteen series of table 16 in four configurations"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv|html", "table format"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write to FILE instead of standard output"},
    {0},
};

struct energy {
    struct asking asking;
    struct named_values given;
    ws_format format;
    const char *output;
};

/* ---- options --------------------------------------------------------------------------------- */

/* NAME=A..B or NAME=A..B:STEP. */
static int add_sweep(struct cli *cli, struct asking *asking, const char *text)
{
    double first, last, step;
    char *name = cli_copy(cli, text), *equals = strchr(name, '='), *dots, *colon;
    if (equals) *equals = '\0';
    dots = equals ? strstr(equals + 1, "..") : NULL;
    colon = dots ? strchr(dots, ':') : NULL;
    if (dots) *dots = '\0';
    if (colon) *colon = '\0';
    if (!dots || !*name || !parse_number(equals + 1, &first) || !parse_number(dots + 2, &last) ||
        (colon && !parse_number(colon + 1, &step)))
        return cli_error(cli, EXIT_USAGE,
                         "invalid value '%s' for --sweep: expected NAME=A..B or NAME=A..B:STEP",
                         text);
    asking_word(cli, asking, "sweep", name);
    asking_number(cli, asking, "sweep_first", first);
    asking_number(cli, asking, "sweep_last", last);
    if (colon) asking_number(cli, asking, "sweep_step", step);
    return EXIT_DONE;
}

static int add_share(struct cli *cli, struct asking *asking, const char *text)
{
    double percent;
    if (!parse_number(text, &percent))
        return cli_error(cli, EXIT_USAGE,
                         "invalid value '%s' for --share: expected 0 to 100 (percent)", text);
    asking_number(cli, asking, "share", percent / 100);
    return EXIT_DONE;
}

static int add_option(struct cli *cli, const struct option_use *use, struct energy *e)
{
    switch (use->id) {
    case OPTION_SWEEP:
        return add_sweep(cli, &e->asking, use->value);
    case OPTION_SHARE:
        return add_share(cli, &e->asking, use->value);
    case OPTION_SERIES:
        asking_number(cli, &e->asking, "series", 1);
        return EXIT_DONE;
    case OPTION_FORMAT:
        return parse_format(cli, use->value, &e->format);
    case OPTION_OUTPUT:
        e->output = use->value;
        return EXIT_DONE;
    default:
        return EXIT_DONE;
    }
}

/* ---- names and values ------------------------------------------------------------------------ */

static bool is_word(const char *name)
{
    const char *input, *text, *unit;
    bool word;
    for (size_t i = 0; ws_question_input("energy", i, &input, &text, &unit, &word); i++)
        if (!strcmp(input, name)) return word;
    return false;
}

static int add_values(struct cli *cli, struct energy *e)
{
    for (size_t i = 0; i < e->given.count; i++) {
        const struct named_value *value = &e->given.items[i];
        if (is_word(value->name))
            asking_word(cli, &e->asking, value->name, value->text);
        else if (value->is_number)
            asking_number(cli, &e->asking, value->name, value->number);
        else
            return cli_error(cli, EXIT_INPUT, "%s: error: %s: '%s' is not a number", value->place,
                             value->name, value->text);
    }
    return EXIT_DONE;
}

static int read_line(struct cli *cli, const struct command_line *line, struct energy *e)
{
    for (size_t i = 0; i < line->operand_count; i++) {
        const char *operand = line->operands[i];
        size_t length = strlen(operand);
        bool is_file = *operand == '/' || !strcmp(operand, "-") ||
                       (length > 5 && !strcmp(operand + length - 5, ".yaml"));
        CLI_TRY(is_file ? named_values_read(cli, operand, &e->given)
                        : named_values_parse(cli, operand, &e->given));
    }
    for (size_t i = 0; i < line->use_count; i++)
        if (!options_repeats(line, i)) CLI_TRY(add_option(cli, &line->uses[i], e));
    return add_values(cli, e);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int run_energy(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct energy e = {.asking.name = "energy"};
    ws_answer *answer;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(read_line(cli, &line, &e));
    CLI_TRY(asking_ask(cli, &e.asking, &answer));
    int exit_code = asking_write(cli, answer, e.format, WS_DETAILS_NORMAL, e.output);
    ws_answer_destroy(answer);
    return exit_code;
}

const struct command command_energy = {
    .name = "energy",
    .synopsis = "  warpsage energy t0=10 tn=4 p0=100 pn=150\n"
                "  warpsage energy SYSTEM.yaml [NAME=VALUE...] [--sweep NAME=A..B[:STEP]]\n"
                "  warpsage energy --series",
    .summary = "compare speed-up and energy efficiency: cores, frequency, CPU and GPU",
    .text = "Names\n"
            "  t0 tn p0 pn               time and power before and after\n"
            "  o.C o.F o.lam o.B o.D     a device before: cores, frequency, power weight, idle\n"
            "                            power, data; also o.zeta, o.phi (1)\n"
            "  n.*                       the same after\n"
            "  cpu.* gpu.* B0 data       both devices, idle power of the system, data to share;\n"
            "                            the baseline is the CPU alone, or o.*\n"
            "  combined                  share of the smaller dynamic power that adds up (1)\n"
            "  idle_device               on, or off: a device without work draws no power\n"
            "  transfer                  time to transfer data to the GPU (0)\n"
            "Time is D phi / (C zeta F), power C F^3 lam + idle power; doc/models/energy.md.\n\n"
            "Example\n"
            "  warpsage energy cpu.C=12 cpu.F=2.4 cpu.lam=0.5 gpu.C=16 gpu.zeta=32 gpu.F=1.544 \\\n"
            "      gpu.lam=2 B0=150\n",
    .operands = "<SYSTEM.yaml",
    .options = options,
    .run = run_energy,
};
