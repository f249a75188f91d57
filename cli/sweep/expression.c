// SPDX-License-Identifier: Apache-2.0
/* A descent over the text, one function a level of binding; nothing is kept between calls. */
#include "cli/sweep/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/options.h"

enum { DEPTH_MAX = 64, NAME_BYTES = 64 };

struct reader {
    struct cli *cli;
    const char *place, *text, *at;
    const struct sweep_values *values;
    unsigned depth;
};

static int read_or(struct reader *r, double *out);

static int refuse(const struct reader *r, const char *what)
{
    return cli_error(r->cli, EXIT_INPUT, "%s: error: in '%s' at '%s': %s", r->place, r->text, r->at,
                     what);
}

/* The token at the reader, after blanks: is it this one? Then it is taken. */
static bool take(struct reader *r, const char *token)
{
    r->at += strspn(r->at, " \t\n");
    size_t length = strlen(token);
    if (strncmp(r->at, token, length) != 0) return false;
    r->at += length;
    return true;
}

static int take_or_refuse(struct reader *r, const char *token)
{
    return take(r, token) ? EXIT_DONE : refuse(r, cli_format(r->cli, "expected '%s'", token));
}

/* ---- names and numbers ----------------------------------------------------------------------- */

static const struct sweep_value *find(const struct reader *r, const char *name)
{
    for (size_t i = 0; i < r->values->count; i++)
        if (!strcmp(r->values->items[i].name, name)) return &r->values->items[i];
    return NULL;
}

static int unknown_name(const struct reader *r, const char *name)
{
    const char **names = cli_alloc(r->cli, (r->values->count + 1) * sizeof *names);
    for (size_t i = 0; i < r->values->count; i++)
        names[i] = r->values->items[i].name;
    return cli_error(r->cli, EXIT_INPUT, "%s: error: in '%s': no value is named '%s'%s", r->place,
                     r->text, name, cli_hint(r->cli, name, names, r->values->count));
}

static int read_call(struct reader *r, const char *name, double *out)
{
    double second;
    CLI_TRY(read_or(r, out));
    bool is_min = !strcmp(name, "min"), is_max = !strcmp(name, "max");
    if (is_min || is_max) {
        CLI_TRY(take_or_refuse(r, ","));
        CLI_TRY(read_or(r, &second));
        *out = is_min ? fmin(*out, second) : fmax(*out, second);
    } else if (!strcmp(name, "ceil")) {
        *out = ceil(*out);
    } else if (!strcmp(name, "floor")) {
        *out = floor(*out);
    } else if (!strcmp(name, "log2")) {
        *out = log2(*out);
    } else {
        return refuse(r, cli_format(r->cli,
                                    "unknown function '%s': min, max, ceil, floor and log2 exist",
                                    name));
    }
    return take_or_refuse(r, ")");
}

static int read_name(struct reader *r, double *out)
{
    char name[NAME_BYTES] = "";
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_' || r->at[length] == '.')
        length++;
    if (length == 0 || length >= sizeof name) return refuse(r, "expected a number or a name");
    memcpy(name, r->at, length);
    r->at += length;
    if (take(r, "(")) return read_call(r, name, out);
    const struct sweep_value *value = find(r, name);
    if (!value) return unknown_name(r, name);
    if (parse_number(value->text, out)) return EXIT_DONE;
    return cli_error(r->cli, EXIT_INPUT,
                     "%s: error: in '%s': the value of '%s', '%s', is not a number", r->place,
                     r->text, name, value->text);
}

/* ---- operators, from the tightest ------------------------------------------------------------ */

static int read_atom(struct reader *r, double *out)
{
    char *end;
    if (++r->depth > DEPTH_MAX) return refuse(r, "nested too deeply");
    int exit_code = EXIT_DONE;
    if (take(r, "(")) {
        exit_code = read_or(r, out);
        if (exit_code == EXIT_DONE) exit_code = take_or_refuse(r, ")");
    } else if (take(r, "-")) {
        exit_code = read_atom(r, out);
        *out = -*out;
    } else if (*r->at == '!' && r->at[1] != '=') {
        r->at++;
        exit_code = read_atom(r, out);
        *out = *out == 0;
    } else if (isdigit((unsigned char)*r->at) || *r->at == '.') {
        *out = strtod(r->at, &end);
        r->at = end;
    } else {
        exit_code = read_name(r, out);
    }
    r->depth--;
    return exit_code;
}

static int read_product(struct reader *r, double *out)
{
    double right;
    CLI_TRY(read_atom(r, out));
    for (;;) {
        bool divides = false, is_rest = false;
        if (!take(r, "*") && !(divides = take(r, "/")) && !(is_rest = take(r, "%")))
            return EXIT_DONE;
        CLI_TRY(read_atom(r, &right));
        if ((divides || is_rest) && right == 0) return refuse(r, "division by 0");
        *out = divides ? *out / right : is_rest ? fmod(*out, right) : *out * right;
    }
}

static int read_sum(struct reader *r, double *out)
{
    double right;
    CLI_TRY(read_product(r, out));
    for (;;) {
        bool adds = take(r, "+");
        if (!adds && !take(r, "-")) return EXIT_DONE;
        CLI_TRY(read_product(r, &right));
        *out = adds ? *out + right : *out - right;
    }
}

static int read_comparison(struct reader *r, double *out)
{
    static const char *const tokens[] = {"<=", ">=", "==", "!=", "<", ">"};
    double right;
    size_t i = 0;
    CLI_TRY(read_sum(r, out));
    while (i < 6 && !take(r, tokens[i]))
        i++;
    if (i == 6) return EXIT_DONE;
    CLI_TRY(read_sum(r, &right));
    const bool results[] = {*out <= right, *out >= right, *out == right, *out != right,
                            *out<right, *out> right};
    *out = results[i];
    return EXIT_DONE;
}

static int read_and(struct reader *r, double *out)
{
    double right;
    CLI_TRY(read_comparison(r, out));
    while (take(r, "&&")) {
        CLI_TRY(read_comparison(r, &right));
        *out = *out != 0 && right != 0;
    }
    return EXIT_DONE;
}

static int read_or(struct reader *r, double *out)
{
    double right;
    CLI_TRY(read_and(r, out));
    while (take(r, "||")) {
        CLI_TRY(read_and(r, &right));
        *out = *out != 0 || right != 0;
    }
    return EXIT_DONE;
}

int expression_value(struct cli *cli, const char *place, const char *text,
                     const struct sweep_values *values, double *out)
{
    struct reader r = {.cli = cli, .place = place, .text = text, .at = text, .values = values};
    CLI_TRY(read_or(&r, out));
    r.at += strspn(r.at, " \t\n");
    return *r.at ? refuse(&r, "expected an operator or the end") : EXIT_DONE;
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Whole numbers without a point, as sizes and counts want them. */
static const char *write_number(struct cli *cli, double value)
{
    return fabs(value) < 9007199254740992.0 && value == floor(value)
               ? cli_format(cli, "%.0f", value)
               : cli_format(cli, "%.17g", value);
}

static int fill_one(struct cli *cli, const char *place, const char *expression,
                    const struct sweep_values *values, const char **out)
{
    double value;
    for (size_t i = 0; i < values->count; i++)
        if (!strcmp(values->items[i].name, expression)) {
            *out = values->items[i].text;
            return EXIT_DONE;
        }
    CLI_TRY(expression_value(cli, place, expression, values, &value));
    *out = write_number(cli, value);
    return EXIT_DONE;
}

int expression_fill(struct cli *cli, const char *place, const char *text,
                    const struct sweep_values *values, const char **out)
{
    const char *done = "", *open, *filled;
    while ((open = strstr(text, "${")) != NULL) {
        const char *close = strchr(open, '}');
        if (!close)
            return cli_error(cli, EXIT_INPUT, "%s: error: '%s' lacks the closing '}'", place, open);
        const char *expression = cli_format(cli, "%.*s", (int)(close - open - 2), open + 2);
        CLI_TRY(fill_one(cli, place, expression, values, &filled));
        done = cli_format(cli, "%s%.*s%s", done, (int)(open - text), text, filled);
        text = close + 1;
    }
    *out = cli_format(cli, "%s%s", done, text);
    return EXIT_DONE;
}
