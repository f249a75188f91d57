// SPDX-License-Identifier: Apache-2.0
/* Completion for fish: a `complete` for each option. */
#include <string.h>

#include "cli/help/help.h"

static void put_quoted(FILE *out, const char *text)
{
    putc('\'', out);
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\') putc('\\', out);
        putc(*text, out);
    }
    putc('\'', out);
}

/* Options of `complete` for a value; `requires` is -r of an option, "" of an operand. */
static void put_action(FILE *out, const char *text, const char *requires)
{
    struct option_value value = option_value(text);
    const char *word, *choices = value.name;
    size_t length, count = 0;
    switch (value.kind) {
    case VALUE_INPUT:
    case VALUE_OUTPUT:
        fprintf(out, "%s -F", requires);
        break;
    case VALUE_FOLDER:
        fprintf(out, "%s -f -a '(__fish_complete_directories (commandline -ct))'", requires);
        break;
    case VALUE_LISTED:
        fprintf(out, "%s -f -a '(%s__warpsage_values %s%s)'", requires,
                value.is_list ? "__fish_complete_list , \"" : "", value.source,
                value.is_list ? "\"" : "");
        break;
    case VALUE_CHOICE:
        fprintf(out, "%s -f -a '", requires);
        while ((length = option_next_choice(&choices, &word)) != 0)
            fprintf(out, "%s%.*s", count++ ? " " : "", (int)length, word);
        putc('\'', out);
        break;
    case VALUE_ANY:
        fprintf(out, "%s -f", requires);
        break;
    }
}

static void put_command(const struct command *command, FILE *out)
{
    const struct option_row *row;
    fprintf(out, "\ncomplete -c warpsage -n __warpsage_first -f -a %s -d ", command->name);
    put_quoted(out, command->summary);
    putc('\n', out);
    for (size_t i = 0; (row = options_row(command, i)) != NULL; i++) {
        fprintf(out, "complete -c warpsage -n '__warpsage_is %s'", command->name);
        if (row->letter) fprintf(out, " -s %c", row->letter);
        fprintf(out, " -l %s", row->name);
        if (row->value) put_action(out, row->value, " -r");
        fputs(" -d ", out);
        put_quoted(out, row->help);
        putc('\n', out);
    }
    const char *at = command->operands;
    char one[OPERAND_BYTES];
    while (option_next_operand(&at, one)) {
        fprintf(out, "complete -c warpsage -n '__warpsage_is %s'", command->name);
        put_action(out, one, "");
        putc('\n', out);
    }
}

static const char head[] =
    "# Completion of warpsage for fish: the output of `warpsage completion fish`.\n"
    "\n"
    "function __warpsage_first -d 'is the command still to be named?'\n"
    "    test (count (commandline -opc)) -eq 1\n"
    "end\n"
    "function __warpsage_is -d 'is this the command?'\n"
    "    set -l words (commandline -opc)\n"
    "    test (count $words) -ge 2; and test $words[2] = $argv[1]\n"
    "end\n"
    "function __warpsage_values -d 'what the program lists'\n"
    "    set -l words (commandline -opc)\n"
    "    $words[1] completion values $argv[1] -- $words[3..-1] 2>/dev/null\n"
    "end\n"
    "\n"
    "complete -c warpsage -n __warpsage_first -f -a help -d 'show the options of a command'\n"
    "complete -c warpsage -n '__warpsage_is help' -f -a '(__warpsage_values command)'\n";

void completion_fish(FILE *out)
{
    fputs(head, out);
    for (size_t i = 0; commands[i]; i++)
        put_command(commands[i], out);
}
