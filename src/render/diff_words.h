// SPDX-License-Identifier: Apache-2.0
/* Numbers of the question `diff` as its text and its Markdown write them. */
#ifndef RENDER_DIFF_WORDS_H
#define RENDER_DIFF_WORDS_H

#include "base/quantity.h"
#include "render/views.h"

/* A value with its unit; "unknown". */
struct quantity diff_value(const struct node *of, const char *id, const char *unit);
/* "+12.3 %", "from 0", ""; `node` has a, b and ratio. */
struct quantity diff_change(const struct node *node);
/* "0.87x to 1.34x"; "" if it is unknown. */
struct quantity diff_band(const struct node *time);
/* "0.5 %", of a share. */
struct quantity diff_percent(double share);
/* "3.41x faster"; "" of small changes. */
struct quantity diff_speed(const struct node *time);
/* False of what models say beside the time: for those who ask for details. */
bool diff_is_usual(const struct node *change);

/* diff_markdown.c */
render_fn render_diff_markdown;

#endif
