// SPDX-License-Identifier: Apache-2.0
/* What an answer says, described as data. A record is a C struct with a table of its figures: the id,
 * unit and words of each, and how to get its value. From these tables the library makes the tree of an
 * answer, its JSON and CSV, the schemas and the pages of `explain`, so that a figure is declared once.
 *
 * A table is written as a list of rows (answer/figures/ has them; a model may have its own), between
 *
 *     RECORD(name, C type, origin, text)         of the figures that follow
 *     RECORD_OF(name, C type, key, origin, text) the same for elements of lists, which have a key
 *     END(name)
 *
 * and each row reads `when`, whether the figure is there, and an expression of `at`, the struct, that
 * may take memory of `arena`:
 *
 *     NUMBER(record, id, unit, when, double, text)     NAN: null
 *     NUMBER_OR_WORD(record, id, when, double, const char *, text)     word NULL: the number
 *     COUNT(record, id, unit, when, uint64_t, text)    exact
 *     MORE_NUMBER, MORE_COUNT(...)                     of which more is better: rates, occupancies
 *     FLAG(record, id, when, bool, text)
 *     WORD(record, id, when, const char *, text)       NULL: null
 *     SECTION(record, id, record of it, when, pointer, text)        NULL: null
 *     OWN(record, id, when, pointer, its record, choice, text)      a section whose record differs from
 *                             case to case: choice(0), choice(1) ... NULL are all that there may be
 *     LIST(record, id, record of it, when, array, count, text)      elements in order
 *     MAP(record, id, record of it, when, array, count, text)       elements by key
 *     TABLE(record, id, record of it, when, array, count, text)     columns over an array, no nodes
 *     MATRIX(record, id, record of it, width, array, count, text)   a table; in JSON, rows of `width`
 *                                                                   numbers, those of its last column
 *     WORDS(record, id, when, const char *const *, count, text)
 *     COUNTS(record, id, when, const uint64_t *, count, text)
 *     NUMBERS(record, id, unit, when, const double *, count, text)     NAN: null
 *     FIGURE(record, id, parts, when, const struct measured *, text)   one with its own unit
 *     FIGURES(record, id, parts, when, const struct measured *, count, text)  by id
 *
 * `when` is ALWAYS, NULL_UNLESS(condition) or OMIT_UNLESS(condition). base/figure_tables.h makes the
 * tables of a list. */
#ifndef BASE_FIGURE_H
#define BASE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/origin.h"

enum figure_kind {
    FIGURE_IS_NUMBER,
    FIGURE_IS_COUNT,
    FIGURE_IS_FLAG,
    FIGURE_IS_WORD,
    FIGURE_IS_SECTION,
    FIGURE_IS_LIST,
    FIGURE_IS_MAP,
    FIGURE_IS_TABLE,
    FIGURE_IS_WORDS,
    FIGURE_IS_COUNTS,
    FIGURE_IS_NUMBERS,
    FIGURE_IS_MEASURED,  /* one struct measured */
    FIGURE_IS_MEASUREDS, /* several, by id */
};

/* A number that brings its own description: a counter, a term of a model. */
struct measured {
    const char *id;
    double value;   /* NAN: unknown, and `reason` says why */
    uint64_t count; /* exact, if is_count */
    bool is_count;
    double low, high; /* interval; equal to value: none */
    const char *unit, *text, *reason;
    const char *source; /* who says so, or "assumed"; NULL: not said */
    enum origin origin;
};

/* What JSON has of a struct measured besides its value; none: a plain number. */
enum measured_parts {
    PLAIN = 0,
    WITH_UNIT = 1,
    WITH_TEXT = 2,
    WITH_ORIGIN = 4, /* and the interval, if there is one */
    WITH_SOURCE = 8,
};

/* What a getter fills in; which members depends on the kind. */
struct figure_value {
    double number;
    uint64_t count; /* a flag is 0 or 1; of a matrix its width */
    const char *text;
    const void *items; /* a section: one; NULL: none */
    size_t item_count;
    const struct record *of; /* of OWN */
    bool is_absent;          /* its condition does not hold */
};

enum figure_when { FIGURE_ALWAYS, FIGURE_MAY_BE_NULL, FIGURE_MAY_BE_OMITTED };

struct record;
struct figure {
    const char *id;
    enum figure_kind kind;
    enum figure_when when;
    enum measured_parts parts;
    const char *unit, *text;
    const struct record *of; /* of sections, lists, maps and tables; NULL: one of ... */
    const struct record *(*choice)(size_t index); /* ... these, NULL beyond the last */
    bool is_matrix;                               /* of a table */
    bool may_be_word;                             /* of a number */
    bool more_is_better; /* of a number or count: comparisons take less for worse */
    void (*get)(const void *record, struct arena *arena, struct figure_value *out);
};

struct record {
    const char *id, *text;
    enum origin origin; /* of its numbers */
    size_t size;        /* of the C struct: the step from element to element */
    const struct figure *figures;
    size_t figure_count;
    const char *(*key)(const void *element, struct arena *arena); /* of elements; NULL: none */
};

#endif
