// SPDX-License-Identifier: Apache-2.0
#include "render/diff_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct quantity text_of(const char *text)
{
    struct quantity out;
    snprintf(out.text, sizeof out.text, "%s", text);
    return out;
}

struct quantity diff_value(const struct node *of, const char *id, const char *unit)
{
    double value = node_number(of, id);
    return isnan(value) ? text_of("unknown") : quantity_said(value, unit);
}

struct quantity diff_percent(double share)
{
    struct quantity out;
    snprintf(out.text, sizeof out.text, "%.3g %%", 100 * share);
    return out;
}

struct quantity diff_change(const struct node *node)
{
    struct quantity out;
    double ratio = node_number(node, "ratio"), change = 100 * (ratio - 1);
    if (isnan(ratio)) return text_of(node_number(node, "a") == 0 ? "from 0" : "");
    if (fabs(change) < 0.01)
        snprintf(out.text, sizeof out.text, "%+.1g %%", change);
    else
        snprintf(out.text, sizeof out.text, "%+.*f %%",
                 fabs(change) < 10    ? 2
                 : fabs(change) < 100 ? 1
                                      : 0,
                 change);
    return change == 0 ? text_of("0 %") : out;
}

struct quantity diff_band(const struct node *time)
{
    struct quantity out = text_of("");
    double low = node_number(time, "ratio_lo"), high = node_number(time, "ratio_hi");
    if (!isnan(low)) snprintf(out.text, sizeof out.text, "%.3gx to %.3gx", low, high);
    return out;
}

/* Below this a percentage says more. */
#define FACTOR_FROM 1.5

struct quantity diff_speed(const struct node *time)
{
    struct quantity out = text_of("");
    double ratio = node_number(time, "ratio");
    if (ratio <= 1 / FACTOR_FROM)
        snprintf(out.text, sizeof out.text, "%.3gx faster", 1 / ratio);
    else if (ratio >= FACTOR_FROM)
        snprintf(out.text, sizeof out.text, "%.3gx slower", ratio);
    return out;
}

bool diff_is_usual(const struct node *change)
{
    return strncmp(change->id, "estimates/", 10) != 0;
}
