// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cli/options/options.h"

static int list_questions(struct cli *cli)
{
    const char *text = "";
    for (size_t i = 0; ws_question_name(i); i++)
        text = cli_format(cli, "%s%s\n", text, ws_question_name(i));
    return cli_write(cli, NULL, text, strlen(text));
}

static int run_schema(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    bool done;
    char *text;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    if (!line.operand_count) return list_questions(cli);
    if (line.operand_count > 1)
        return cli_error(cli, EXIT_USAGE, "schema takes one QUESTION, got %zu", line.operand_count);
    ws_status status = ws_question_schema(cli->context, line.operands[0], &text);
    if (status != WS_OK) return cli_failed(cli, status);
    int exit_code = cli_write(cli, NULL, text, strlen(text));
    ws_free(text);
    return exit_code;
}

static const struct option_row options[] = {{0}};

const struct command command_schema = {
    .name = "schema",
    .synopsis = "  warpsage schema [QUESTION]",
    .summary = "print the JSON Schema of a command's output",
    .text = "Without a QUESTION, all are listed. The schemas are also in the folder schemas/.\n",
    .operands = "{question}QUESTION",
    .options = options,
    .run = run_schema,
};
