// SPDX-License-Identifier: Apache-2.0
#include "cli/options/asking.h"

#include <string.h>

#include "cli/options/options.h"

void asking_number(struct cli *cli, struct asking *asking, const char *name, double value)
{
    const ws_input input = {.name = name, .value = value};
    CLI_APPEND(cli, asking->inputs, asking->input_count, input);
}

void asking_word(struct cli *cli, struct asking *asking, const char *name, const char *word)
{
    const ws_input input = {.name = name, .word = word};
    CLI_APPEND(cli, asking->inputs, asking->input_count, input);
}

void asking_predict(struct cli *cli, struct asking *asking, const struct request *request)
{
    if (request->model_options) asking_word(cli, asking, "model_options", request->model_options);
    if (request->without) asking_word(cli, asking, "without", request->without);
    if (request->l2) asking_word(cli, asking, "l2", request->l2);
    if (request->spills) asking_word(cli, asking, "spills", request->spills);
}

void asking_profile(struct cli *cli, struct asking *asking, const ws_profile *profile)
{
    CLI_APPEND(cli, asking->profiles, asking->profile_count, profile);
}

void asking_machine(struct cli *cli, struct asking *asking, const ws_machine *machine)
{
    CLI_APPEND(cli, asking->machines, asking->machine_count, machine);
}

int asking_ask(struct cli *cli, const struct asking *asking, ws_answer **out)
{
    const ws_question question = {
        .size = sizeof question,
        .name = asking->name,
        .profiles = asking->profiles,
        .profile_count = asking->profile_count,
        .machines = asking->machines,
        .machine_count = asking->machine_count,
        .inputs = asking->inputs,
        .input_count = asking->input_count,
    };
    ws_status status = ws_ask(cli->context, &question, out);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

static bool put_bytes(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

int asking_write_with(struct cli *cli, const ws_answer *answer, const ws_report_options *options,
                      const char *path)
{
    struct cli_text text;
    CLI_TRY(cli_text_open(cli, &text));
    ws_status status = ws_answer_write(cli->context, answer, options, put_bytes, text.out);
    if (status == WS_OK) return cli_text_close(cli, &text, path);
    cli_text_drop(&text);
    return cli_failed(cli, status);
}

ws_report_options asking_style(struct cli *cli, ws_format format, ws_details details,
                               const char *path)
{
    return (ws_report_options){
        .size = sizeof(ws_report_options),
        .format = format,
        .details = details,
        .width = path ? 0 : cli_columns(stdout),
        .utf8 = cli_has_utf8(),
        .colour = !path && cli_wants_colour(cli, stdout),
        .source_root = cli_folder(cli),
    };
}

int asking_write(struct cli *cli, const ws_answer *answer, ws_format format, ws_details details,
                 const char *path)
{
    const ws_report_options options = asking_style(cli, format, details, path);
    return asking_write_with(cli, answer, &options, path);
}

int asking_write_table(struct cli *cli, const ws_answer *answer, const char *table,
                       const char *path)
{
    const ws_report_options options = {
        .size = sizeof options, .format = WS_FORMAT_CSV, .table = table};
    return asking_write_with(cli, answer, &options, path);
}

static int add_sms(struct cli *cli, struct asking *asking, const char *option, const char *text,
                   unsigned first, unsigned last)
{
    if (last < first)
        return cli_error(cli, EXIT_USAGE, "%s: descending range '%s': write FIRST-LAST", option,
                         text);
    for (unsigned sm = first; sm <= last; sm++)
        asking_number(cli, asking, "active_sms", sm);
    return EXIT_DONE;
}

int asking_sms(struct cli *cli, struct asking *asking, const char *option, const char *text,
               unsigned sm_count)
{
    if (!strcmp(text, "none")) return EXIT_DONE;
    if (!strcmp(text, "all")) return add_sms(cli, asking, option, text, 0, sm_count - 1);
    char *rest = cli_copy(cli, text);
    for (char *part; (part = strsep(&rest, ",")) != NULL;) {
        char *dash = strchr(part, '-');
        unsigned first, last;
        if (dash) *dash++ = '\0';
        CLI_TRY(parse_small(cli, option, part, &first));
        last = first;
        if (dash) CLI_TRY(parse_small(cli, option, dash, &last));
        if (last >= sm_count)
            return cli_error(cli, EXIT_USAGE,
                             "%s: SM %u is out of range: the GPU has %u SMs, 0 to %u", option, last,
                             sm_count, sm_count - 1);
        CLI_TRY(add_sms(cli, asking, option, text, first, last));
    }
    return EXIT_DONE;
}
