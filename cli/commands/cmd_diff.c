// SPDX-License-Identifier: Apache-2.0
/* diff: what changed between two reports, and a gate for builds. */
#include <string.h>

#include "cli/options/asking.h"
#include "cli/options/report_comparison.h"

enum { OPTION_FORMAT = 1, OPTION_OUTPUT, OPTION_DETAILS };

static const struct option_row options[] = {
    COMPARISON_OPTION_ROWS,
    {OPTION_FORCE, 0, "force", NULL,
     "compare in spite of differing launches, inputs, models and machine files"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv|markdown", "format; markdown for pull requests"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write the comparison to FILE"},
    {OPTION_DETAILS, 0, "details", "normal|all", "all: every figure that changed"},
    {0},
};

struct diff_request {
    struct comparison comparison;
    ws_format format;
    ws_details details;
    const char *output;
};

static int take(struct cli *cli, const struct option_use *use, struct diff_request *out)
{
    switch (use->id) {
    case OPTION_FORMAT:
        return parse_format(cli, use->value, &out->format);
    case OPTION_OUTPUT:
        out->output = use->value;
        return EXIT_DONE;
    case OPTION_DETAILS:
        out->details = !strcmp(use->value, "all") ? WS_DETAILS_ALL : WS_DETAILS_NORMAL;
        return EXIT_DONE;
    default:
        return comparison_take(cli, use, &out->comparison);
    }
}

static int read_line(struct cli *cli, const struct command_line *line, struct diff_request *out,
                     struct compared reports[2])
{
    out->details = cli->quiet ? WS_DETAILS_QUIET : WS_DETAILS_NORMAL;
    for (size_t i = 0; i < line->use_count; i++)
        CLI_TRY(take(cli, &line->uses[i], out));
    if (line->operand_count != 2)
        return cli_error(cli, EXIT_USAGE,
                         "diff takes two reports, before and after (got %zu): warpsage diff "
                         "A.json B.json",
                         line->operand_count);
    for (size_t i = 0; i < 2; i++)
        CLI_TRY(cli_input(cli, line->operands[i], &reports[i].name));
    CLI_TRY(comparison_check(cli, &out->comparison, true));
    return cli_check_outputs(cli);
}

static int run_diff(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct diff_request request = {0};
    struct compared reports[2] = {{0}};
    ws_answer *answer;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(read_line(cli, &line, &request, reports));
    CLI_TRY(comparison_ask(cli, &request.comparison, &reports[0], &reports[1], &answer));
    int exit_code = asking_write(cli, answer, request.format, request.details, request.output);
    if (exit_code == EXIT_DONE) exit_code = comparison_conclude(cli, answer);
    ws_answer_destroy(answer);
    return exit_code;
}

const struct command command_diff = {
    .name = "diff",
    .synopsis = "  warpsage diff A.json B.json [--fail-over P%] [OPTIONS]",
    .summary = "compare two reports, and fail if a kernel got slower",
    .text =
        "Reports\n"
        "  A.json, B.json      before and after: from `analyze -f json` or `run -f json`, or\n"
        "                      launches.jsonl of `run --report-dir`; - is standard input\n\n"
        "Kernels are paired by name and launch. Differing launches, arguments, GPUs' files,\n"
        "models and kinds of counts are refused; --map and --force allow them.\n\n"
        "Exit status\n"
        "  0  compared; with --fail-over: passed\n"
        "  1  --fail-over: a figure is worse by more, or a kernel or GPU is in one report only\n"
        "  3  a report cannot be read\n"
        "  4  nothing, or not everything, could be compared: never a pass\n\n"
        "Example\n"
        "  warpsage diff main.json branch.json --fail-over 5% -f markdown\n",
    .operands = "<FILE <FILE",
    .options = options,
    .run = run_diff,
};
