// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "cli/options/asking.h"
#include "cli/options/options.h"

enum { OPTION_FORMAT = 1, OPTION_OUTPUT, OPTION_SAVE_MACHINE };

static const struct option_row options[] = {
    {OPTION_FORMAT, 'f', "format", "text|json|csv|html", "output format"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write to FILE instead of standard output"},
    {OPTION_SAVE_MACHINE, 0, "save-machine", ">FILE",
     "`show host`: save the measurements as a machine file"},
    {0},
};

/* How an answer is written, and where what was shown is kept; NULL: standard output, nowhere. */
struct style {
    ws_format format;
    const char *output, *save;
};

/* Asks the question about these machines and writes its answer. */
static int answer(struct cli *cli, const char *question, ws_machine *const *machines, size_t count,
                  const struct style *style)
{
    struct asking asking = {.name = question};
    ws_answer *found;
    for (size_t i = 0; i < count; i++)
        asking_machine(cli, &asking, machines[i]);
    CLI_TRY(asking_ask(cli, &asking, &found));
    int exit_code = asking_write(cli, found, style->format, WS_DETAILS_NORMAL, style->output);
    ws_answer_destroy(found);
    return exit_code;
}

static bool is_wanted(const ws_machine *machine, const char **words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!ws_machine_matches(machine, words[i])) return false;
    return true;
}

/* All that can be read; a broken file is reported and does not hide the others. */
static int load_wanted(struct cli *cli, const char **words, size_t word_count, ws_machine ***out,
                       size_t *out_count)
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
        if (status != WS_OK) {
            exit_code = cli_failed(cli, status);
        } else if (is_wanted(machine, words, word_count)) {
            CLI_APPEND(cli, *out, *out_count, machine);
        } else {
            ws_machine_destroy(machine);
        }
    }
    ws_free(ids);
    return exit_code;
}

static int list_machines(struct cli *cli, const char **words, size_t word_count,
                         const struct style *style)
{
    ws_machine **machines = NULL;
    size_t count = 0;
    int exit_code = load_wanted(cli, words, word_count, &machines, &count);
    int written = count ? answer(cli, "machines", machines, count, style) : EXIT_DONE;
    for (size_t i = 0; i < count; i++)
        ws_machine_destroy(machines[i]);
    if (exit_code != EXIT_DONE || count) return exit_code == EXIT_DONE ? written : exit_code;
    return cli_error(cli, EXIT_USAGE,
                     "no machine matches '%s' (id, alias, name, chip, cc); "
                     "`warpsage machines` lists all",
                     word_count ? words[0] : "");
}

static int show_machine(struct cli *cli, const char *name, const struct style *style)
{
    ws_machine *machine;
    CLI_TRY(cli_input_machine(cli, name, &name));
    CLI_TRY(cli_check_outputs(cli));
    ws_status status = !strcmp(name, "host") ? ws_machine_measure_host(cli->context, &machine)
                                             : ws_machine_load(cli->context, name, &machine);
    if (status != WS_OK) return cli_failed(cli, status);
    if (style->save) status = ws_machine_save(machine, style->save);
    int exit_code =
        status == WS_OK ? answer(cli, "machine", &machine, 1, style) : cli_failed(cli, status);
    ws_machine_destroy(machine);
    return exit_code;
}

static int check_machine(struct cli *cli, const char *path, const struct style *style)
{
    ws_machine *machine;
    const char *named = path;
    CLI_TRY(cli_input_machine(cli, path, &path));
    size_t length = strlen(path);
    if (!cli_is_copy(path) && (length < 5 || strcmp(path + length - 5, ".yaml") != 0))
        return cli_error(cli, EXIT_USAGE,
                         "machines check requires a file that ends in .yaml (got '%s')", path);
    ws_status status = ws_machine_load(cli->context, path, &machine);
    if (status != WS_OK) return cli_failed(cli, status);
    if (style->format == WS_FORMAT_TEXT && !style->output)
        printf("%s: good\n", !strcmp(named, "-") ? "standard input" : named);
    int exit_code = answer(cli, "machine_check", &machine, 1, style);
    ws_machine_destroy(machine);
    return exit_code;
}

static int diff_machines(struct cli *cli, const char **names, const struct style *style)
{
    ws_machine *machines[2] = {NULL};
    ws_status status = WS_OK;
    for (size_t i = 0; i < 2; i++)
        CLI_TRY(cli_input_machine(cli, names[i], &names[i]));
    for (size_t i = 0; i < 2 && status == WS_OK; i++)
        status = ws_machine_load(cli->context, names[i], &machines[i]);
    int exit_code =
        status == WS_OK ? answer(cli, "machine_diff", machines, 2, style) : cli_failed(cli, status);
    for (size_t i = 0; i < 2; i++)
        ws_machine_destroy(machines[i]);
    return exit_code;
}

enum verb { VERB_LIST, VERB_SHOW, VERB_CHECK, VERB_DIFF, VERB_COUNT };

static int run_verb(struct cli *cli, enum verb verb, const struct command_line *line,
                    const struct style *style)
{
    static const char *const needs[VERB_COUNT] = {
        [VERB_SHOW] = "show requires a name; `warpsage machines` lists them",
        [VERB_CHECK] = "check requires a file that ends in .yaml",
        [VERB_DIFF] = "diff requires two names; `warpsage machines` lists them",
    };
    size_t count = line->operand_count ? line->operand_count - 1 : 0;
    const char **operands = count ? line->operands + 1 : NULL;
    if (style->save && (verb != VERB_SHOW || count != 1))
        return cli_error(
            cli, EXIT_USAGE,
            "--save-machine saves one machine: use machines show host --save-machine FILE");
    if (verb == VERB_LIST) return list_machines(cli, operands, count, style);
    if (verb == VERB_DIFF ? count != 2 : count == 0)
        return cli_error(cli, EXIT_USAGE, "machines %s", needs[verb]);
    if (verb == VERB_DIFF) return diff_machines(cli, operands, style);
    for (size_t i = 0; i < count; i++)
        CLI_TRY(verb == VERB_SHOW ? show_machine(cli, operands[i], style)
                                  : check_machine(cli, operands[i], style));
    return EXIT_DONE;
}

static int run_machines(struct cli *cli, const struct command *command, int argc, char **argv)
{
    static const char *const verbs[VERB_COUNT] = {"list", "show", "check", "diff"};
    struct command_line line;
    struct style style = {.format = WS_FORMAT_TEXT};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    for (size_t i = 0; i < line.use_count; i++) {
        if (line.uses[i].id == OPTION_FORMAT)
            CLI_TRY(parse_format(cli, line.uses[i].value, &style.format));
        if (line.uses[i].id == OPTION_OUTPUT) style.output = line.uses[i].value;
        if (line.uses[i].id == OPTION_SAVE_MACHINE) style.save = line.uses[i].value;
    }
    const char *word = line.operand_count ? line.operands[0] : "list";
    for (enum verb verb = 0; verb < VERB_COUNT; verb++)
        if (!strcmp(word, verbs[verb])) return run_verb(cli, verb, &line, &style);
    return cli_error(
        cli, EXIT_USAGE,
        "unknown verb '%s' of machines%s: expected list [WORD], show NAME, check FILE or diff A B",
        word, cli_hint(cli, word, verbs, VERB_COUNT));
}

const struct command command_machines = {
    .name = "machines",
    .synopsis = "  warpsage machines [list [WORD...]] [--format text|json|csv|html]\n"
                "  warpsage machines show NAME... [--format text|json|csv|html]\n"
                "  warpsage machines show host [--save-machine FILE.yaml]\n"
                "  warpsage machines check FILE.yaml... [--format text|json|csv|html]\n"
                "  warpsage machines diff NAME NAME [--format text|json|csv|html]",
    .summary = "list, show, check and compare GPU and CPU descriptions",
    .text =
        "NAME is the name of a file in data/machines without .yaml, one of its aliases, or a\n"
        "path that ends in .yaml. `list` filters by words in the id, an alias, the name, the\n"
        "chip, the compute capability (`cc 8.6`, sm_86) or the kind (cpu). `show` prints every\n"
        "figure with its source and the key that `whatif --set` takes. `check` validates a\n"
        "file and lists the models that it supports. `diff` prints the figures that differ.\n"
        "WARPSAGE_MACHINES selects another folder of machine files.\n\n"
        "`host` is this computer's CPU, measured on all its cores in less than two seconds;\n"
        "the notes give the spread of the measurements. Other load affects the result.\n",
    .operands = "list|show|check|diff {machine}NAME",
    .options = options,
    .run = run_machines,
};
