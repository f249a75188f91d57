// SPDX-License-Identifier: Apache-2.0
/* Completion for zsh: a specification of _arguments for each command. */
#include <string.h>

#include "cli/help/help.h"

/* Inside single quotes, and inside the brackets or fields of a specification. */
static void put_quoted(FILE *out, const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (strchr(escaped, *text)) putc('\\', out);
        if (*text == '\'')
            fputs("'\\''", out);
        else
            putc(*text, out);
    }
}

/* ":NAME:ACTION" */
static void put_action(FILE *out, const char *text)
{
    struct option_value value = option_value(text);
    const char *word, *choices = value.name;
    size_t length, count = 0;
    putc(':', out);
    put_quoted(out, value.name, ":[]");
    putc(':', out);
    switch (value.kind) {
    case VALUE_INPUT:
    case VALUE_OUTPUT:
        fputs("_files", out);
        break;
    case VALUE_FOLDER:
        fputs("_files -/", out);
        break;
    case VALUE_LISTED:
        fprintf(out, " _warpsage_values %s%s", value.source, value.is_list ? " ," : "");
        break;
    case VALUE_CHOICE:
        putc('(', out);
        while ((length = option_next_choice(&choices, &word)) != 0)
            fprintf(out, "%s%.*s", count++ ? " " : "", (int)length, word);
        putc(')', out);
        break;
    case VALUE_ANY:
        putc(' ', out);
        break;
    }
}

static void put_form(FILE *out, const struct option_row *row, const char *form)
{
    fprintf(out, " \\\n                '*%s[", form);
    put_quoted(out, row->help, "[]:\\");
    putc(']', out);
    if (row->value) put_action(out, row->value);
    putc('\'', out);
}

static void put_operands(const struct command *command, FILE *out)
{
    const char *at = command->operands;
    char one[OPERAND_BYTES];
    for (unsigned number = 1; option_next_operand(&at, one); number++) {
        if (*at)
            fprintf(out, " \\\n                '%u", number);
        else if (command->operands_end_options)
            fputs(" \\\n                '*:", out);
        else
            fputs(" \\\n                '*", out);
        put_action(out, one);
        putc('\'', out);
    }
}

static void put_command(const struct command *command, FILE *out)
{
    const struct option_row *row;
    char form[64];
    fprintf(out, "        %s)\n            _arguments -s -S", command->name);
    for (size_t i = 0; (row = options_row(command, i)) != NULL; i++) {
        snprintf(form, sizeof form, "-%c%s", row->letter, row->value ? "+" : "");
        if (row->letter) put_form(out, row, form);
        snprintf(form, sizeof form, "--%s%s", row->name, row->value ? "=" : "");
        put_form(out, row, form);
    }
    put_operands(command, out);
    fputs(" ;;\n", out);
}

static const char head[] =
    "#compdef warpsage\n"
    "# Completion of warpsage for zsh: the output of `warpsage completion zsh`.\n"
    "\n"
    "_warpsage_values() # SOURCE [,]: what the program lists; files too\n"
    "{\n"
    "    local -a found\n"
    "    [[ $2 == , ]] && compset -P '*,'\n"
    "    found=(${(f)\"$(_call_program values $_warpsage_program completion values $1 -- "
    "${(q)words[2,-1]} 2>/dev/null)\"})\n"
    "    if (( $#found )); then compadd -a found; fi\n"
    "    [[ $1 == (gpu|cpu|machine) ]] && _files -g '*.yaml'\n"
    "}\n"
    "\n"
    "_warpsage()\n"
    "{\n"
    "    local curcontext=$curcontext state line _warpsage_program=$words[1]\n"
    "    local -a all\n"
    "    if (( CURRENT == 2 )); then\n"
    "        all=(\n";
static const char middle[] = "            'help:show the options of a command'\n"
                             "        )\n"
                             "        _describe -t commands command all\n"
                             "        return\n"
                             "    fi\n"
                             "    shift words\n"
                             "    (( CURRENT-- ))\n"
                             "    case $words[1] in\n"
                             "        help) _arguments '1:COMMAND: _warpsage_values command' ;;\n";

void completion_zsh(FILE *out)
{
    fputs(head, out);
    for (size_t i = 0; commands[i]; i++) {
        fprintf(out, "            '%s:", commands[i]->name);
        put_quoted(out, commands[i]->summary, ":");
        fputs("'\n", out);
    }
    fputs(middle, out);
    for (size_t i = 0; commands[i]; i++)
        put_command(commands[i], out);
    fputs("    esac\n}\n\n_warpsage \"$@\"\n", out);
}
