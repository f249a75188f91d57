// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum { OPTION_FORMAT = 1, OPTION_OUTPUT };

static const struct option_row options[] = {
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "form of `show`"},
    {OPTION_OUTPUT, 'o', "output", "FILE", "write there instead of to standard output"},
    {0},
};

static void list_row(ws_machine *machine)
{
    double sms = 0, clock = 0, bandwidth = 0;
    unsigned target = ws_machine_target(machine);
    printf("%-16s %-28s %2u.%u", ws_machine_id(machine), ws_machine_name(machine), target / 10,
           target % 10);
    if (ws_machine_get(machine, "sm.count", &sms) == WS_OK) printf("  %4.0f SMs", sms);
    if (ws_machine_get(machine, "clock.core", &clock) == WS_OK) printf("  %5.3f GHz", clock / 1e9);
    if (ws_machine_get(machine, "dram.bandwidth", &bandwidth) == WS_OK)
        printf("  %7.1f GB/s", bandwidth / 1e9);
    putchar('\n');
}

static int list_machines(struct cli *cli)
{
    char *ids, *rest;
    int exit_code = EXIT_DONE;
    ws_status status = ws_machine_list(cli->context, &ids);
    if (status != WS_OK) return cli_failed(cli, status);
    rest = ids;
    for (char *id; (id = strsep(&rest, "\n")) != NULL;) {
        ws_machine *machine;
        if (!*id) continue;
        status = ws_machine_load(cli->context, id, &machine);
        if (status == WS_OK)
            list_row(machine);
        else
            exit_code = cli_failed(cli, status);
        ws_machine_destroy(machine);
    }
    ws_free(ids);
    return exit_code;
}

static int show_machine(struct cli *cli, const char *name, ws_format format, const char *output)
{
    ws_machine *machine;
    char *text;
    ws_status status = ws_machine_load(cli->context, name, &machine);
    if (status != WS_OK) return cli_failed(cli, status);
    status = ws_machine_describe(machine, format, &text);
    int exit_code =
        status == WS_OK ? cli_write(cli, output, text, strlen(text)) : cli_failed(cli, status);
    ws_free(text);
    ws_machine_destroy(machine);
    return exit_code;
}

static int check_machine(struct cli *cli, const char *path)
{
    ws_machine *machine;
    size_t length = strlen(path);
    if (length < 5 || strcmp(path + length - 5, ".yaml") != 0)
        return cli_error(cli, EXIT_USAGE,
                         "machines check takes a file that ends in .yaml, not "
                         "'%s'",
                         path);
    ws_status status = ws_machine_load(cli->context, path, &machine);
    if (status != WS_OK) return cli_failed(cli, status);
    printf("%s: good\n", path);
    ws_machine_destroy(machine);
    return EXIT_DONE;
}

static int run_machines(struct cli *cli, const struct command *command, int argc, char **argv)
{
    static const char *const verbs[] = {"list", "show", "check"};
    struct command_line line;
    ws_format format = WS_FORMAT_TEXT;
    const char *output = NULL;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    for (size_t i = 0; i < line.use_count; i++) {
        if (line.uses[i].id == OPTION_FORMAT)
            CLI_TRY(parse_format(cli, line.uses[i].value, &format));
        if (line.uses[i].id == OPTION_OUTPUT) output = line.uses[i].value;
    }
    const char *verb = line.operand_count ? line.operands[0] : "list";
    if (!strcmp(verb, "list")) return list_machines(cli);
    bool is_show = !strcmp(verb, "show");
    if (!is_show && strcmp(verb, "check") != 0)
        return cli_error(cli, EXIT_USAGE, "machines has no '%s'%s: list, show NAME or check FILE",
                         verb, cli_perhaps(cli, verb, verbs, 3));
    if (line.operand_count < 2)
        return cli_error(cli, EXIT_USAGE, "machines %s needs %s", verb,
                         is_show ? "a name; `warpsage machines` lists them" : "a file");
    for (size_t i = 1; i < line.operand_count; i++)
        CLI_TRY(is_show ? show_machine(cli, line.operands[i], format, output)
                        : check_machine(cli, line.operands[i]));
    return EXIT_DONE;
}

const struct command command_machines = {
    .name = "machines",
    .synopsis = "  warpsage machines [list]\n"
                "  warpsage machines show NAME... [--format text|json|csv]\n"
                "  warpsage machines check FILE.yaml...",
    .summary = "the GPUs that are described: list, show, check a file",
    .text = "NAME is the name of a file of data/machines without .yaml, one of its aliases, or\n"
            "a path that ends in .yaml. `show` prints every figure with its source under the\n"
            "path by which what-ifs name it. WARPSAGE_MACHINES names another folder.\n",
    .options = options,
    .run = run_machines,
};
