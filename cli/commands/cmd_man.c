// SPDX-License-Identifier: Apache-2.0
/* man: the man pages. */
#include <string.h>

#include "cli/help/help.h"

enum { OPTION_DIR = 1 };

static const struct option_row options[] = {
    {OPTION_DIR, 0, "dir", "{folder}DIR",
     "write all pages into DIR: warpsage.1 and warpsage-COMMAND.1 of each command"},
    {0},
};

static int write_page(struct cli *cli, const struct command *command, const char *path)
{
    struct cli_text text;
    CLI_TRY(cli_text_open(cli, &text));
    man_write(command, text.out);
    return cli_text_close(cli, &text, path);
}

static int write_all(struct cli *cli, const char *folder)
{
    CLI_TRY(write_page(cli, NULL, cli_format(cli, "%s/warpsage.1", folder)));
    for (size_t i = 0; commands[i]; i++)
        CLI_TRY(write_page(cli, commands[i],
                           cli_format(cli, "%s/warpsage-%s.1", folder, commands[i]->name)));
    return EXIT_DONE;
}

static int run_man(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    const char *folder = NULL;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    for (size_t i = 0; i < line.use_count; i++)
        if (line.uses[i].id == OPTION_DIR) folder = line.uses[i].value;
    if (line.operand_count > 1 || (folder && line.operand_count))
        return cli_error(cli, EXIT_USAGE, "man takes one COMMAND, or --dir DIR for all pages");
    if (folder) return write_all(cli, folder);
    if (!line.operand_count) return write_page(cli, NULL, NULL);
    const struct command *of = command_find(line.operands[0]);
    if (!of)
        return cli_error(cli, EXIT_USAGE, "unknown command '%s'; `warpsage --help` lists them",
                         line.operands[0]);
    return write_page(cli, of, NULL);
}

const struct command command_man = {
    .name = "man",
    .synopsis = "  warpsage man [COMMAND]\n"
                "  warpsage man --dir DIR",
    .summary = "print the man page of the program or of a command",
    .text =
        "The pages are roff: `warpsage man analyze | man -l -` shows one. An installed warpsage\n"
        "has them where `man warpsage-analyze` finds them.\n",
    .operands = "{command}COMMAND",
    .options = options,
    .run = run_man,
};
