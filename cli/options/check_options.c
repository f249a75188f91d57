// SPDX-License-Identifier: Apache-2.0
#include "cli/options/check_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int check_option_take(struct cli *cli, const struct option_use *use, struct check_choice *choice,
                      bool *out_is_taken)
{
    *out_is_taken = true;
    switch (use->id) {
    case CHECK_OPTION_TOOL:
        choice->tools = use->value;
        return EXIT_DONE;
    case CHECK_OPTION_STRICT:
        choice->is_strict = true;
        return EXIT_DONE;
    case CHECK_OPTION_ALLOW_UNCHECKED:
        choice->allows_unchecked = true;
        return EXIT_DONE;
    case CHECK_OPTION_READ:
        CLI_APPEND(cli, choice->reads, choice->read_count, use->value);
        return EXIT_DONE;
    case CHECK_OPTION_SUPPRESS:
        CLI_APPEND(cli, choice->suppressions, choice->suppression_count, use->value);
        return EXIT_DONE;
    default:
        *out_is_taken = false;
        return EXIT_DONE;
    }
}

/* An answer about no findings reads all that the real one will. */
int check_choice_verify(struct cli *cli, const struct check_choice *choice)
{
    struct asking asking = {.name = "check"};
    ws_answer *answer;
    struct check_choice own = *choice;
    own.read_count = 0;
    asking_number(cli, &asking, "without_findings", 1);
    check_choice_ask(cli, &asking, &own);
    int exit_code = asking_ask(cli, &asking, &answer);
    ws_answer_destroy(answer);
    return exit_code;
}

void check_choice_ask(struct cli *cli, struct asking *asking, const struct check_choice *choice)
{
    asking_word(cli, asking, "tools", choice->tools);
    for (size_t i = 0; i < choice->suppression_count; i++)
        asking_word(cli, asking, "suppressions", choice->suppressions[i]);
    for (size_t i = 0; i < choice->read_count; i++)
        asking_word(cli, asking, "findings", choice->reads[i]);
    if (choice->is_strict) asking_number(cli, asking, "strict", 1);
    if (choice->allows_unchecked) asking_number(cli, asking, "allow_unchecked", 1);
    if (cli_folder(cli)) asking_word(cli, asking, "folder", cli_folder(cli));
}

bool check_has_failed(const ws_answer *answer)
{
    return ws_answer_number(answer, "failed") > 0;
}

bool check_is_incomplete(const ws_answer *answer)
{
    return ws_answer_number(answer, "incomplete") > 0;
}

int check_create(struct cli *cli, const struct check_choice *choice, ws_check **out)
{
    ws_check_options how = {.size = sizeof how};
    ws_status status = ws_check_tools(cli->context, choice->tools, &how.tools);
    if (status == WS_OK) status = ws_check_create(cli->context, &how, out);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

/* Through a file, as findings of a program come. */
static int ask_saved(struct cli *cli, const struct check_choice *choice, ws_check *check,
                     const char *path, ws_answer **out)
{
    struct asking asking = {.name = "check"};
    ws_status status = ws_check_save(check, path);
    if (status != WS_OK) return cli_failed(cli, status);
    asking_word(cli, &asking, "findings", path);
    check_choice_ask(cli, &asking, choice);
    return asking_ask(cli, &asking, out);
}

int check_write(struct cli *cli, const struct check_choice *choice, ws_check *check,
                const ws_report_options *style, const char *path, bool *out_has_errors)
{
    const char *base = getenv("TMPDIR");
    char *file = cli_format(cli, "%s/warpsage-check-XXXXXX", base && *base == '/' ? base : "/tmp");
    int descriptor = mkstemp(file);
    ws_answer *answer = NULL;
    if (descriptor < 0) return cli_error(cli, EXIT_INPUT, "%s: %s", file, strerror(errno));
    close(descriptor);
    int exit_code = ask_saved(cli, choice, check, file, &answer);
    unlink(file);
    if (exit_code == EXIT_DONE) exit_code = asking_write_with(cli, answer, style, path);
    if (exit_code == EXIT_DONE && check_has_failed(answer)) exit_code = EXIT_CHECK;
    *out_has_errors =
        answer &&
        ws_answer_number(answer, "total/errors") + ws_answer_number(answer, "total/suppressed") > 0;
    ws_answer_destroy(answer);
    return exit_code;
}
