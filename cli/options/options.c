// SPDX-License-Identifier: Apache-2.0
#include "cli/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option_row common[] = {
    {-1, 'h', "help", NULL, "print this text"},
    {-2, 'q', "quiet", NULL, "print only TIME, LIMIT, WHY, ENERGY, DO; no progress"},
    {-3, 0, "color", "auto|always|never",
     "colour of text: auto (default) colours a terminal, as NO_COLOR, CLICOLOR_FORCE and TERM say"},
};
enum { COMMON = sizeof common / sizeof *common };

const struct option_row *options_row(const struct command *command, size_t index)
{
    size_t own = 0;
    while (command->options[own].name)
        own++;
    if (index < own) return &command->options[index];
    return index - own < COMMON ? &common[index - own] : NULL;
}

struct option_value option_value(const char *text)
{
    struct option_value out = {.kind = VALUE_ANY, .is_optional = text && *text == '?'};
    if (out.is_optional) text++;
    out.name = text;
    if (!text) return out;
    const char *close = *text == '{' ? strchr(text, '}') : NULL;
    if (*text == '<' || *text == '>') {
        out.kind = *text == '<' ? VALUE_INPUT : VALUE_OUTPUT;
        out.name = text + 1;
    } else if (close) {
        snprintf(out.source, sizeof out.source, "%.*s", (int)(close - text - 1), text + 1);
        out.kind = !strcmp(out.source, "folder") ? VALUE_FOLDER : VALUE_LISTED;
        out.name = close + 1;
    } else if (strchr(text, '|')) {
        out.kind = VALUE_CHOICE;
    }
    out.is_list = strstr(out.name, "[,") != NULL;
    return out;
}

size_t option_next_choice(const char **at, const char **out)
{
    while (**at) {
        size_t length = strcspn(*at, "| "), capitals = 0;
        *out = *at;
        for (size_t i = 0; i < length; i++)
            capitals += isupper((unsigned char)(*at)[i]) != 0;
        *at += length + ((*at)[length] == '|');
        if (!capitals && length) return length;
        if (**at == ' ') break;
    }
    return 0;
}

bool option_next_operand(const char **at, char out[OPERAND_BYTES])
{
    if (!*at || !**at) return false;
    size_t length = strcspn(*at, " ");
    snprintf(out, OPERAND_BYTES, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == ' ');
    return true;
}

static const struct option_row *find_letter(const struct command *command, char letter)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_row(command, i)) != NULL; i++)
        if (row->letter == letter) return row;
    return NULL;
}

static const struct option_row *find_name(const struct command *command, const char *name,
                                          size_t length)
{
    const struct option_row *row;
    for (size_t i = 0; (row = options_row(command, i)) != NULL; i++)
        if (strlen(row->name) == length && !strncmp(row->name, name, length)) return row;
    return NULL;
}

/* Dashes are in every name: they make none of them near. */
static const char *near_options(struct cli *cli, const struct command *command, const char *bare)
{
    const char *names[64], *text = "";
    size_t count = 0;
    const struct option_row *row;
    for (size_t i = 0; (row = options_row(command, i)) != NULL && count < 64; i++)
        names[count++] = row->name;
    char *near = ws_nearest(bare + strspn(bare, "-"), names, count);
    char *rest = near ? cli_copy(cli, near) : NULL;
    ws_free(near);
    for (char *name; rest && (name = strsep(&rest, ",")) != NULL;) {
        name += strspn(name, " '");
        name[strcspn(name, "'")] = '\0';
        if (*name) text = cli_format(cli, "%s%s'--%s'", text, *text ? ", " : "", name);
    }
    return *text ? cli_format(cli, " (did you mean %s?)", text) : "";
}

const char *options_hint(struct cli *cli, const struct command *command, const char *option)
{
    const char *instead = profiler_hint(command, option);
    if (instead) return cli_format(cli, ", which Nsight Compute has: here %s", instead);
    instead = sanitizer_hint(command, option);
    if (instead) return cli_format(cli, ", which compute-sanitizer has: here %s", instead);
    return near_options(cli, command, option);
}

static int unknown_option(struct cli *cli, const struct command *command, const char *text)
{
    char *bare = cli_copy(cli, text);
    bare[strcspn(bare, "=")] = '\0';
    return cli_error(cli, EXIT_USAGE, "unknown option '%s'%s; `warpsage %s --help` lists them",
                     bare, options_hint(cli, command, bare), command->name);
}

struct scan {
    struct cli *cli;
    const struct command *command;
    int argc, at;
    char **argv;
    struct command_line *out;
    bool done;
};

/* `-` is standard input or output; for -o, which has it anyway, no file. */
static int resolve_file(struct cli *cli, const struct option_row *row, const char **value)
{
    if (!row->value || !*value) return EXIT_DONE;
    struct option_value kind = option_value(row->value);
    if (kind.kind == VALUE_INPUT) return cli_input(cli, *value, value);
    if (kind.kind != VALUE_OUTPUT) return EXIT_DONE;
    if (!strcmp(*value, "-")) *value = row->letter == 'o' ? NULL : "/dev/stdout";
    if (*value) cli_claim_output(cli, *value);
    return EXIT_DONE;
}

/* `a|b|c` in the table are all values that the option has; N and the like stand for others. */
static int check_choice(struct cli *cli, const struct option_row *row, const char *value)
{
    const char *list = row->value && value && strchr(row->value, '|') ? row->value : "";
    for (const char *c = list; *c; c++)
        if (isupper((unsigned char)*c)) return EXIT_DONE;
    char *rest = cli_copy(cli, list);
    const char *words = "";
    for (char *word; (word = strsep(&rest, "|")) != NULL;) {
        if (!*list || !strcmp(word, value)) return EXIT_DONE;
        words = cli_format(cli, "%s%s%s", words, *words ? ", " : "", word);
    }
    return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --%s: expected one of %s", value,
                     row->name, words);
}

/* May the value of the option be missing, and is it? */
static bool has_no_value(const struct scan *scan, const struct option_row *row)
{
    const char *next = scan->at + 1 < scan->argc ? scan->argv[scan->at + 1] : "-";
    return option_value(row->value).is_optional && (*next == '-' || access(next, F_OK) == 0);
}

/* `value` is what stands in the same word, or NULL. */
static int use_option(struct scan *scan, const struct option_row *row, const char *word,
                      const char *value)
{
    if (row->value && !value && !has_no_value(scan, row)) {
        if (scan->at + 1 >= scan->argc)
            return cli_error(scan->cli, EXIT_USAGE, "missing value for %s: use --%s %s", word,
                             row->name, option_value(row->value).name);
        value = scan->argv[++scan->at];
    } else if (!row->value && value) {
        return cli_error(scan->cli, EXIT_USAGE, "--%s takes no value", row->name);
    }
    if (row->id == -1) {
        CLI_TRY(options_help(scan->cli, scan->command));
        scan->done = true;
    }
    if (row->id == -2) scan->cli->quiet = true;
    CLI_TRY(check_choice(scan->cli, row, value));
    if (row->id == -3)
        scan->cli->colour = *value == 'n'     ? COLOUR_NEVER
                            : value[1] == 'l' ? COLOUR_ALWAYS
                                              : COLOUR_AUTO;
    CLI_TRY(resolve_file(scan->cli, row, &value));
    struct option_use use = {row->id, value};
    CLI_APPEND(scan->cli, scan->out->uses, scan->out->use_count, use);
    return EXIT_DONE;
}

static int scan_word(struct scan *scan)
{
    const char *word = scan->argv[scan->at];
    if (!strncmp(word, "--", 2)) {
        const char *equals = strchr(word, '=');
        size_t length = equals ? (size_t)(equals - word - 2) : strlen(word) - 2;
        const struct option_row *row = find_name(scan->command, word + 2, length);
        if (!row) return unknown_option(scan->cli, scan->command, word);
        return use_option(scan, row, word, equals ? equals + 1 : NULL);
    }
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option_row *row = find_letter(scan->command, *letter);
        if (!row) return unknown_option(scan->cli, scan->command, word);
        if (row->value) return use_option(scan, row, word, letter[1] ? letter + 1 : NULL);
        CLI_TRY(use_option(scan, row, word, NULL));
    }
    return EXIT_DONE;
}

bool options_repeats(const struct command_line *line, size_t index)
{
    for (size_t i = index + 1; i < line->use_count; i++)
        if (line->uses[i].id == line->uses[index].id) return true;
    return false;
}

int options_parse(struct cli *cli, const struct command *command, int argc, char **argv,
                  struct command_line *out, bool *out_done)
{
    struct scan scan = {cli, command, argc, 0, argv, out, false};
    bool only_operands = false;
    *out = (struct command_line){0};
    for (; scan.at < argc && !scan.done; scan.at++) {
        const char *word = argv[scan.at];
        if (!only_operands && !strcmp(word, "--")) {
            only_operands = true;
        } else if (only_operands || word[0] != '-' || !word[1]) {
            CLI_APPEND(cli, out->operands, out->operand_count, word);
            only_operands |= command->operands_end_options;
        } else {
            CLI_TRY(scan_word(&scan));
        }
    }
    *out_done = scan.done;
    return EXIT_DONE;
}

/* An option and its words beside it, or below where the reader has few columns. */
static void help_row(FILE *out, const struct option_row *row, int columns)
{
    enum { BESIDE = 30, BELOW = 8, LEAST = 70 };
    char left[80];
    const char *help = row->help;
    int column = columns < LEAST ? BELOW : BESIDE, width = columns - column;
    int length = snprintf(left, sizeof left, "  %c%c%s --%s%s%s", row->letter ? '-' : ' ',
                          row->letter ? row->letter : ' ', row->letter ? "," : " ", row->name,
                          row->value ? " " : "", row->value ? option_value(row->value).name : "");
    if (length >= column) fprintf(out, "%s\n%*s", left, column, "");
    if (length < column) fprintf(out, "%-*s", column, left);
    while ((int)strlen(help) > width) {
        int cut = width;
        while (cut > 0 && help[cut] != ' ')
            cut--;
        if (!cut) cut = width;
        fprintf(out, "%.*s\n%*s", cut, help, column, "");
        help += cut + (help[cut] == ' ');
    }
    fprintf(out, "%s\n", help);
}

int options_help(struct cli *cli, const struct command *command)
{
    enum { USUAL = 94, LEAST = 40 };
    const struct option_row *row;
    struct cli_text text;
    unsigned columns = cli_columns(stdout);
    CLI_TRY(cli_text_open(cli, &text));
    fprintf(text.out, "warpsage %s: %s\n\nUsage\n%s\n\nOptions\n", command->name, command->summary,
            command->synopsis);
    for (size_t i = 0; (row = options_row(command, i)) != NULL; i++)
        help_row(text.out, row,
                 !columns || columns > USUAL ? USUAL
                 : columns < LEAST           ? LEAST
                                             : (int)columns);
    if (*command->text) fprintf(text.out, "\n%s", command->text);
    return cli_text_close_fitted(cli, &text);
}

int parse_unsigned(struct cli *cli, const char *what, const char *text, uint64_t most,
                   uint64_t *out)
{
    char *end;
    errno = 0;
    *out = isdigit((unsigned char)*text) ? strtoull(text, &end, 0) : 0;
    if (!isdigit((unsigned char)*text) || *end || errno || *out > most)
        return cli_error(cli, EXIT_USAGE,
                         "%s: invalid value '%s': expected a whole number from 0 to %llu", what,
                         text, (unsigned long long)most);
    return EXIT_DONE;
}

int parse_small(struct cli *cli, const char *what, const char *text, unsigned *out)
{
    uint64_t value;
    CLI_TRY(parse_unsigned(cli, what, text, 1 << 20, &value));
    *out = (unsigned)value;
    return EXIT_DONE;
}

bool parse_number(const char *text, double *out)
{
    char *end;
    if (!*text || isspace((unsigned char)*text)) return false;
    *out = strtod(text, &end);
    return end != text && !*end && isfinite(*out);
}

int parse_format(struct cli *cli, const char *text, ws_format *out)
{
    static const struct {
        const char *name;
        ws_format format;
    } formats[] = {{"text", WS_FORMAT_TEXT},         {"json", WS_FORMAT_JSON},
                   {"csv", WS_FORMAT_CSV},           {"html", WS_FORMAT_HTML},
                   {"markdown", WS_FORMAT_MARKDOWN}, {"sarif", WS_FORMAT_SARIF},
                   {"junit", WS_FORMAT_JUNIT}};
    const char *words = "";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        words = cli_format(cli, "%s%s%s", words, *words ? ", " : "", formats[i].name);
        if (strcmp(text, formats[i].name) != 0) continue;
        *out = formats[i].format;
        return EXIT_DONE;
    }
    return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --format: expected one of %s", text,
                     words);
}
