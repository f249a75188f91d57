// SPDX-License-Identifier: Apache-2.0
/* Completion for bash, without the package bash-completion: tables of words, and a function that reads them. */
#include <string.h>

#include "cli/help/help.h"

/* What a value is, as _warpsage_offer takes it: @file, @folder, @any, @SOURCE, @SOURCE, for lists, or words. */
static void put_kind(FILE *out, const char *text)
{
    struct option_value value = option_value(text);
    const char *word;
    size_t length, count = 0;
    switch (value.kind) {
    case VALUE_INPUT:
    case VALUE_OUTPUT:
        fputs("@file", out);
        break;
    case VALUE_FOLDER:
        fputs("@folder", out);
        break;
    case VALUE_LISTED:
        fprintf(out, "@%s%s", value.source, value.is_list ? "," : "");
        break;
    case VALUE_CHOICE:
        while ((length = option_next_choice(&value.name, &word)) != 0)
            fprintf(out, "%s%.*s", count++ ? " " : "", (int)length, word);
        break;
    case VALUE_ANY:
        fputs("@any", out);
        break;
    }
}

static void put_options(const struct command *command, FILE *out)
{
    const struct option_row *row;
    fprintf(out, "        %s) echo '", command->name);
    for (size_t i = 0; (row = options_row(command, i)) != NULL; i++) {
        if (row->letter) fprintf(out, "%s-%c", i ? " " : "", row->letter);
        fprintf(out, "%s--%s", i || row->letter ? " " : "", row->name);
    }
    fputs("' ;;\n", out);
}

static void put_values(const struct command *command, FILE *out)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_row(command, i)) != NULL; i++) {
        if (!row->value) continue;
        fprintf(out, "        '%s --%s'", command->name, row->name);
        if (row->letter) fprintf(out, " | '%s -%c'", command->name, row->letter);
        fputs(") echo '", out);
        put_kind(out, row->value);
        fputs("' ;;\n", out);
    }
}

static void put_operands(const struct command *command, FILE *out)
{
    const char *at = command->operands;
    char one[OPERAND_BYTES];
    for (unsigned number = 1; option_next_operand(&at, one); number++) {
        if (*at)
            fprintf(out, "        '%s %u') echo '", command->name, number);
        else
            fprintf(out, "        '%s '*) echo '", command->name);
        put_kind(out, one);
        fputs("' ;;\n", out);
    }
}

static void put_table(FILE *out, const char *head, void (*rows)(const struct command *, FILE *))
{
    fputs(head, out);
    for (size_t i = 0; commands[i]; i++)
        rows(commands[i], out);
    fputs("    esac\n}\n\n", out);
}

static const char head[] =
    "# Completion of warpsage for bash 4 or later: the output of `warpsage completion bash`.\n"
    "\n";
static const char options_head[] =
    "_warpsage_options() # COMMAND: its options\n{\n    case $1 in\n";
static const char values_head[] =
    "_warpsage_takes() # COMMAND OPTION: what its value is\n{\n    case \"$1 $2\" in\n";
static const char operands_head[] =
    "_warpsage_operand() # COMMAND NUMBER: what that operand is\n{\n    case \"$1 $2\" in\n";

static const char functions[] =
    "_warpsage_words() # STEM, PREFIX: completes with the lines of standard input\n"
    "{\n"
    "    local word\n"
    "    while read -r word; do\n"
    "        [[ $word == \"$1\"* ]] && COMPREPLY+=(\"$2$(printf %q \"$word\")\")\n"
    "    done\n"
    "}\n"
    "\n"
    "_warpsage_offer() # PROGRAM KIND STEM: completes with values of that kind\n"
    "{\n"
    "    local stem=$3 prefix=\n"
    "    case $2 in\n"
    "        @any | '') ;;\n"
    "        @file | @folder)\n"
    "            compopt -o filenames\n"
    "            local flag=-f\n"
    "            [[ $2 == @folder ]] && flag=-d\n"
    "            mapfile -t COMPREPLY < <(compgen \"$flag\" -- \"$stem\") ;;\n"
    "        @*)\n"
    "            local source=${2#@}\n"
    "            if [[ $source == *, ]]; then\n"
    "                source=${source%,} prefix=${stem%\"${stem##*,}\"} stem=${stem##*,}\n"
    "            fi\n"
    "            _warpsage_words \"$stem\" \"$prefix\" < <(\"$1\" completion values \"$source\" -- "
    "\"${COMP_WORDS[@]:2}\" 2>/dev/null)\n"
    "            ((${#COMPREPLY[@]})) || { compopt -o filenames; mapfile -t COMPREPLY < <(compgen "
    "-f -- "
    "\"$3\"); } ;;\n"
    "        *) _warpsage_words \"$stem\" '' < <(printf '%s\\n' $2) ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "_warpsage()\n"
    "{\n"
    "    local program=${1/#\\~/$HOME} command=${COMP_WORDS[1]} current=${COMP_WORDS[COMP_CWORD]}\n"
    "    local option= operands=0 only_operands= i word\n"
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD == 1)); then\n"
    "        _warpsage_words \"$current\" '' < <(\"$program\" completion values command "
    "2>/dev/null; "
    "printf '%s\\n' help --help --version)\n"
    "        return\n"
    "    fi\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $word == '=' && -n $option ]]; then continue; fi # bash splits --gpu=h200 "
    "there\n"
    "        if [[ -n $option ]]; then option=; continue; fi\n"
    "        if [[ -z $only_operands && $word == -- ]]; then only_operands=1; continue; fi\n"
    "        if [[ -z $only_operands && $word == -?* ]]; then\n"
    "            [[ -n $(_warpsage_takes \"$command\" \"$word\") ]] && option=$word\n"
    "            continue\n"
    "        fi\n"
    "        operands=$((operands + 1))\n"
    "        [[ $command == \"$_warpsage_last\" ]] && only_operands=1\n"
    "    done\n"
    "    if [[ $current == '=' && -n $option ]]; then current=; fi\n"
    "    if [[ -n $option ]]; then\n"
    "        _warpsage_offer \"$program\" \"$(_warpsage_takes \"$command\" \"$option\")\" "
    "\"$current\"\n"
    "    elif [[ -z $only_operands && $current == -* ]]; then\n"
    "        _warpsage_words \"$current\" '' < <(printf '%s\\n' $(_warpsage_options "
    "\"$command\"))\n"
    "    elif [[ $command == help ]]; then\n"
    "        _warpsage_offer \"$program\" @command \"$current\"\n"
    "    else\n"
    "        _warpsage_offer \"$program\" \"$(_warpsage_operand \"$command\" $((operands + 1)))\" "
    "\"$current\"\n"
    "    fi\n"
    "}\n"
    "complete -F _warpsage warpsage\n";

void completion_bash(FILE *out)
{
    fputs(head, out);
    put_table(out, options_head, put_options);
    put_table(out, values_head, put_values);
    put_table(out, operands_head, put_operands);
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->operands_end_options)
            fprintf(out, "_warpsage_last=%s # its options end with the first operand\n\n",
                    commands[i]->name);
    fputs(functions, out);
}
