// SPDX-License-Identifier: Apache-2.0
/* completion: scripts for shells, and the values that these ask for. */
#include <string.h>

#include "cli/help/help.h"

const struct shell shells[] = {
    {"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}, {NULL, NULL}};

static const struct option_row options[] = {{0}};

static int write_values(struct cli *cli, const struct command_line *line)
{
    struct cli_text text;
    if (line->operand_count < 2)
        return cli_error(cli, EXIT_USAGE, "completion values requires a SOURCE, such as gpu");
    CLI_TRY(cli_text_open(cli, &text));
    int exit_code =
        values_list(cli, line->operands[1], line->operands + 2, line->operand_count - 2, text.out);
    if (exit_code == EXIT_DONE) return cli_text_close(cli, &text, NULL);
    cli_text_drop(&text);
    return exit_code;
}

static int run_completion(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    const char *word = line.operand_count ? line.operands[0] : "";
    if (!strcmp(word, "values")) return write_values(cli, &line);
    for (const struct shell *shell = shells; shell->name && line.operand_count == 1; shell++) {
        struct cli_text text;
        if (strcmp(word, shell->name) != 0) continue;
        CLI_TRY(cli_text_open(cli, &text));
        shell->write(text.out);
        return cli_text_close(cli, &text, NULL);
    }
    return cli_error(cli, EXIT_USAGE,
                     "completion requires one shell (got '%s'): expected bash, zsh or fish",
                     line.operand_count > 1 ? line.operands[1] : word);
}

const struct command command_completion = {
    .name = "completion",
    .synopsis = "  warpsage completion bash|zsh|fish\n"
                "  warpsage completion values SOURCE [-- WORD...]",
    .summary = "print the completion script of a shell",
    .text =
        "An installed warpsage has these scripts where the shells look for them. Otherwise:\n"
        "  source <(warpsage completion bash)              in ~/.bashrc\n"
        "  warpsage completion zsh > FOLDER/_warpsage      a FOLDER of $fpath, before compinit\n"
        "  warpsage completion fish > ~/.config/fish/completions/warpsage.fish\n\n"
        "The scripts ask `completion values` for what depends on files: SOURCE is gpu, cpu,\n"
        "machine, model, effect, metric, kernel (of the first WORD that is a file with kernels),\n"
        "command, question or word.\n",
    .operands = "bash|zsh|fish",
    .options = options,
    .run = run_completion,
};
