// SPDX-License-Identifier: Apache-2.0
#include "base/quantity.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct prefix {
    double scale;
    const char *text;
} prefixes[] = {{1e15, "P"}, {1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                {1, ""},     {1e-3, "m"}, {1e-6, "u"}, {1e-9, "n"}, {1e-12, "p"}};
enum { PREFIX_COUNT = sizeof prefixes / sizeof *prefixes };

/* Bytes and hertz have no parts; seconds no kiloseconds; counts of something neither. */
static bool takes_prefix(const char *unit, const struct prefix *prefix)
{
    if (prefix->scale == 1) return true;
    if (!strcmp(unit, "s")) return prefix->scale < 1;
    if (!strcmp(unit, "m")) return prefix->scale < 1;
    if (!strcmp(unit, "B") || !strcmp(unit, "B/s") || !strcmp(unit, "Hz") ||
        !strcmp(unit, "flop/s") || !strcmp(unit, "warp/s") || !strcmp(unit, "inst/s") ||
        !strcmp(unit, "1"))
        return prefix->scale > 1;
    return !strcmp(unit, "W") || !strcmp(unit, "J");
}

/* The largest prefix that leaves at least 1 after rounding to three digits. */
static const struct prefix *choose_prefix(double value, const char *unit)
{
    const struct prefix *last = &prefixes[5];
    for (int i = 0; i < PREFIX_COUNT; i++) {
        if (!takes_prefix(unit, &prefixes[i])) continue;
        last = &prefixes[i];
        if (fabs(value) >= prefixes[i].scale * 0.9995) return last;
    }
    return last;
}

static void three_digits(char *out, size_t size, double value)
{
    double magnitude = fabs(value);
    int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
    if (magnitude > 0 && magnitude < 0.0995) {
        snprintf(out, size, "%.3g", value);
        return;
    }
    snprintf(out, size, "%.*f", decimals, value);
}

struct quantity quantity_count(double value)
{
    struct quantity out;
    char digits[48];
    snprintf(digits, sizeof digits, "%.0f", value);
    size_t length = strlen(digits), at = 0;
    for (size_t i = 0; i < length && at + 2 < sizeof out.text; i++) {
        size_t rest = length - i;
        if (i && rest % 3 == 0 && digits[i - 1] != '-') out.text[at++] = ',';
        out.text[at++] = digits[i];
    }
    out.text[at] = '\0';
    return out;
}

static bool is_count(const char *unit)
{
    return !*unit || !strcmp(unit, "1");
}

struct quantity quantity_format(double value, const char *unit)
{
    struct quantity out;
    char number[32];
    if (is_count(unit) && value == floor(value) && fabs(value) < 1e7) return quantity_count(value);
    const struct prefix *prefix = choose_prefix(value, is_count(unit) ? "1" : unit);
    if (value == 0) prefix = &prefixes[5];
    three_digits(number, sizeof number, value / prefix->scale);
    if (is_count(unit))
        snprintf(out.text, sizeof out.text, "%s%s%s", number, *prefix->text ? " " : "",
                 prefix->text);
    else
        snprintf(out.text, sizeof out.text, "%s %s%s", number, prefix->text, unit);
    return out;
}

/* What follows all but the last `*cut` letters of a noun for more than one of it. */
static const char *plural_of(const char *noun, size_t *cut)
{
    size_t length = strlen(noun);
    const char *end = noun + length;
    *cut = length > 1 && end[-1] == 'y' && !strchr("aeiou", end[-2]);
    if (*cut) return "ies";
    bool hisses = length > 1 && (end[-1] == 's' || end[-1] == 'x' || !strcmp(end - 2, "ch") ||
                                 !strcmp(end - 2, "sh"));
    return hisses ? "es" : "s";
}

struct quantity quantity_of(double value, const char *noun)
{
    struct quantity out, number = quantity_format(value, "1");
    size_t cut = 0;
    const char *ending = value == 1 ? "" : plural_of(noun, &cut);
    int length = (int)(strlen(noun) - cut);
    snprintf(out.text, sizeof out.text, "%.24s %.*s%s", number.text, length < 30 ? length : 30,
             noun, ending);
    return out;
}

/* "cycle", "warp instruction": counted things, unlike "ms", "degC" and "thread/cycle". */
static bool is_noun(const char *unit)
{
    size_t letters = strspn(unit, "abcdefghijklmnopqrstuvwxyz ");
    return letters >= 4 && !unit[letters];
}

struct quantity quantity_said(double value, const char *unit)
{
    struct quantity out;
    if (is_noun(unit)) return quantity_of(fabs(value) < 1000 ? value : round(value), unit);
    if (value != 0 || is_count(unit)) return quantity_format(value, unit);
    snprintf(out.text, sizeof out.text, "0 %.30s", unit);
    return out;
}

struct quantity quantity_binary(double value, const char *unit)
{
    static const struct {
        double bytes;
        const char *name;
    } sizes[] = {{0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}};
    struct quantity out;
    for (size_t i = 0; !strcmp(unit, "B") && i < sizeof sizes / sizeof *sizes; i++)
        if (value >= sizes[i].bytes && fmod(value, sizes[i].bytes) == 0) {
            snprintf(out.text, sizeof out.text, "%.0f %s", value / sizes[i].bytes, sizes[i].name);
            return out;
        }
    return quantity_exact(value, unit);
}

struct quantity quantity_exact(double value, const char *unit)
{
    struct quantity out;
    if (is_count(unit)) {
        bool is_whole = value == floor(value) && fabs(value) < 0x1p53;
        snprintf(out.text, sizeof out.text, is_whole ? "%.0f" : "%.9g", value);
        return out;
    }
    /* Machine files give bytes in powers of two, so they stay bytes, except for whole megabytes. */
    bool stays = !strcmp(unit, "B") && fmod(value, 1e6) != 0;
    const struct prefix *prefix = stays || value == 0 ? &prefixes[5] : choose_prefix(value, unit);
    snprintf(out.text, sizeof out.text, "%.9g %s%s", value / prefix->scale, prefix->text, unit);
    return out;
}

struct quantity quantity_ratio(double value)
{
    struct quantity out;
    if (!isfinite(value)) {
        snprintf(out.text, sizeof out.text, "-");
        return out;
    }
    int decimals = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
    if (fabs(value) < 1e6)
        snprintf(out.text, sizeof out.text, "%.*fx", decimals, value);
    else
        snprintf(out.text, sizeof out.text, "%.3gx", value);
    return out;
}

void number_exact(char out[NUMBER_TEXT], double value)
{
    if (value == floor(value) && fabs(value) < 9007199254740992.0) {
        snprintf(out, NUMBER_TEXT, "%.0f", value == 0 ? 0.0 : value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(out, NULL) == value) break;
    }
    for (char *c = out; *c; c++)
        if (*c == ',') *c = '.'; /* a caller may have set a locale */
}
