// SPDX-License-Identifier: Apache-2.0
/* Numbers as people read them (SI prefixes, three digits) and as programs read them (exact). */
#ifndef BASE_QUANTITY_H
#define BASE_QUANTITY_H

enum { NUMBER_TEXT = 40 };

struct quantity {
    char text[64];
};

/* "447 us", "1.20 TB/s", "16.8 M": three significant digits. Unit "1" or "" is a count: exact with
 * thousands separators up to seven digits, then a prefix. Units that take no prefix (cycle,
 * thread/cycle) are treated as counts with their name behind. */
struct quantity quantity_format(double value, const char *unit);
/* The same with as many digits as it takes, up to nine: for figures that someone typed. */
struct quantity quantity_exact(double value, const char *unit);
/* The same, but bytes that are whole KiB, MiB or GiB are written so: "16 KiB". */
struct quantity quantity_binary(double value, const char *unit);
/* "4,096" */
struct quantity quantity_count(double value);

/* "1 block", "4,096 blocks", "24.9 warps", "15.8 M warp instructions": a number of what the noun, in
 * the singular, names. */
struct quantity quantity_of(double value, const char *noun);

/* As in a sentence: like quantity_format, but units that are nouns as quantity_of, to the whole from 1,000 on, and
 * "0 s" without decimals. */
struct quantity quantity_said(double value, const char *unit);

/* "24.6x": a ratio of two times. */
struct quantity quantity_ratio(double value);

/* Shortest decimal text that reads back as the same double; integers without exponent. Not for
 * NaN and infinities. Always with a point, whatever the locale. */
void number_exact(char out[NUMBER_TEXT], double value);

#endif
