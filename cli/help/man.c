// SPDX-License-Identifier: Apache-2.0
/* Man pages from the table of commands and options. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/help/help.h"

/* Text as it is: what means something to roff, or would come out as another character, is escaped. */
static void put(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool starts_line = i == 0 || text[i - 1] == '\n';
        switch (text[i]) {
        case '\\':
            fputs("\\e", out);
            break;
        case '-':
            fputs("\\-", out);
            break;
        case '\'':
            fputs("\\(aq", out);
            break;
        case '`':
            fputs("\\(ga", out);
            break;
        case '^':
            fputs("\\(ha", out);
            break;
        case '~':
            fputs("\\(ti", out);
            break;
        case '.':
            fputs(starts_line ? "\\&." : ".", out);
            break;
        default:
            putc(text[i], out);
        }
    }
}

static void put_text(FILE *out, const char *text)
{
    put(out, text, strlen(text));
}

static void put_title(FILE *out, const char *title, size_t length)
{
    fputs(".SH ", out);
    for (size_t i = 0; i < length; i++)
        putc(toupper((unsigned char)title[i]), out);
    putc('\n', out);
}

/* Lines with indentation stay as they are, others are filled. */
static void put_lines(FILE *out, const char *text)
{
    bool is_filled = true, is_new = false;
    for (const char *at = text; *at;) {
        size_t length = strcspn(at, "\n");
        bool fills = *at != ' ';
        if (!length) {
            is_new = true;
        } else {
            if (fills != is_filled) fputs(fills ? ".fi\n" : ".nf\n", out);
            if (is_new || (fills && !is_filled)) fputs(fills ? ".PP\n" : ".sp\n", out);
            is_filled = fills;
            is_new = false;
            put(out, at, length);
            putc('\n', out);
        }
        at += length + (at[length] == '\n');
    }
    if (!is_filled) fputs(".fi\n", out);
}

/* A title stands alone on its line, and what follows is indented. */
static bool is_title(const char *at, size_t length)
{
    return length && *at != ' ' && at[length] == '\n' && at[length + 1] == ' ' &&
           !memchr(at, '.', length) && at[length - 1] != ':' && at[length - 1] != ',';
}

/* The part of the text before its first section; *out_rest: that section. */
static size_t before_sections(const char *text, const char **out_rest)
{
    bool is_first = true; /* of a paragraph */
    const char *at = text;
    while (*at) {
        size_t length = strcspn(at, "\n");
        if (is_first && is_title(at, length)) break;
        is_first = !length;
        at += length + (at[length] == '\n');
    }
    *out_rest = at;
    return (size_t)(at - text);
}

static void put_part(FILE *out, const char *text, size_t length)
{
    char part[4096];
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    put_lines(out, part);
}

static void put_sections(FILE *out, const char *text)
{
    while (*text) {
        size_t title = strcspn(text, "\n");
        put_title(out, text, title);
        text += title + 1;
        size_t length = before_sections(text, &text);
        put_part(out, text - length, length);
    }
}

static void put_option(FILE *out, const struct option_row *row)
{
    struct option_value value = option_value(row->value);
    fputs(".TP\n", out);
    if (row->letter) {
        fputs("\\fB", out);
        put(out, (const char[]){'-', row->letter}, 2);
        fputs("\\fR, ", out);
    }
    fputs("\\fB\\-\\-", out);
    put_text(out, row->name);
    fputs("\\fR", out);
    if (value.name) {
        fputs(" \\fI", out);
        put_text(out, value.name);
        fputs("\\fR", out);
    }
    putc('\n', out);
    put_text(out, row->help);
    putc('\n', out);
}

/* The day of SOURCE_DATE_EPOCH, which builds of packages set; else none, so that every build gives the same. */
static void build_date(char *out, size_t size)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    double seconds;
    struct tm date;
    *out = '\0';
    if (!text || !parse_number(text, &seconds) || !(seconds >= 0 && seconds < 1e11)) return;
    if (gmtime_r(&(time_t){(time_t)seconds}, &date)) strftime(out, size, "%Y-%m-%d", &date);
}

static void put_head(FILE *out, const char *name, const char *summary)
{
    char date[32];
    build_date(date, sizeof date);
    fputs(".TH ", out);
    for (const char *c = name; *c; c++)
        if (*c == '-')
            fputs("\\-", out);
        else
            putc(toupper((unsigned char)*c), out);
    fprintf(out, " 1 \"%s\" \"warpsage %s\" \"User Commands\"\n.SH NAME\n", date, ws_version());
    put_text(out, name);
    fputs(" \\- ", out);
    put_text(out, summary);
    putc('\n', out);
}

static void write_command(const struct command *command, FILE *out)
{
    char name[64];
    const struct option_row *row;
    const char *sections;
    snprintf(name, sizeof name, "warpsage-%s", command->name);
    put_head(out, name, command->summary);
    fputs(".SH SYNOPSIS\n", out);
    put_lines(out, command->synopsis);
    size_t length = before_sections(command->text, &sections);
    if (length) {
        fputs(".SH DESCRIPTION\n", out);
        put_part(out, command->text, length);
    }
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; (row = options_row(command, i)) != NULL; i++)
        put_option(out, row);
    put_sections(out, sections);
    fputs(".SH SEE ALSO\n.BR warpsage (1)\n", out);
}

static void write_program(FILE *out)
{
    put_head(out, "warpsage", help_summary);
    fputs(".SH SYNOPSIS\n.B warpsage\n.I COMMAND\n[OPTIONS]\n.SH COMMANDS\n", out);
    for (size_t i = 0; commands[i]; i++) {
        fputs(".TP\n.BR warpsage\\-", out);
        put_text(out, commands[i]->name);
        fputs(" (1)\n", out);
        put_text(out, commands[i]->summary);
        putc('\n', out);
    }
    for (const struct help_section *section = help_sections; section->title; section++) {
        put_title(out, section->title, strlen(section->title));
        put_lines(out, section->text);
    }
}

void man_write(const struct command *command, FILE *out)
{
    if (command)
        write_command(command, out);
    else
        write_program(out);
}
