// SPDX-License-Identifier: Apache-2.0
#include "cli/options/check_options.h"

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
    if (cli_folder(cli)) asking_word(cli, asking, "folder", cli_folder(cli));
}

bool check_has_failed(const ws_answer *answer)
{
    return ws_answer_number(answer, "failed") > 0;
}
