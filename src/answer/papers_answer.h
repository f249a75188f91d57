// SPDX-License-Identifier: Apache-2.0
/* Rows and curves of the question `papers`. */
#ifndef ANSWER_PAPERS_ANSWER_H
#define ANSWER_PAPERS_ANSWER_H

#include "answer/question.h"

struct paper {
    const char *id, *number, *title;
};

struct tolerance {
    double abs, rel;
};

/* A row that `about` is about. */
struct reference {
    const char *id;
    double group;
    const struct paper_row *row;
};

/* A kernel of a check of several. */
struct checked_kernel {
    const char *name;
    double load;
};

/* A statement about a curve; doc/papers.md has the kinds. Words NULL: any, numbers NAN: as if not there. */
struct check {
    const char *kind; /* NULL: the row is no statement about a curve */
    const char *curve, *column;
    const char *kernel, *machine; /* patterns of the series it is about */
    const char *than_kernel, *than_machine, *than_column;
    double blocks_per_sm, than_blocks_per_sm, from, to, within, factor, x, scale;
    struct checked_kernel *kernels;
    size_t kernel_count;
};

struct paper_row {
    const char *id, *paper, *section, *item, *unit, *evidence, *note; /* note NULL: none */
    double published, ours;                                           /* NAN: none, or words */
    const char *published_words, *ours_words;                         /* NULL: none */
    struct tolerance tolerance;                                       /* NAN: none */
    double least, most; /* NAN: no bound; else ours is beyond neither, and not equal to it */
    double wants_words, is_hidden; /* NAN: no */
    struct check check;
    const char *about; /* NULL: a row of its own */
    struct reference *references;
    size_t reference_count;
    bool fails; /* what `check` or `about` states */
    bool is_judged, agrees;
};

struct curve_column {
    const char *id, *unit;
};

struct curve_point {
    double x;
    double *values;
    size_t value_count;
};

struct curve_series {
    const char *kernel, *machine;
    double blocks_per_sm; /* NAN: as many as fit */
    struct curve_point *points;
    size_t point_count;
};

struct curve {
    const char *id, *title, *figure, *x_name;
    struct curve_column *columns;
    struct curve_series *series;
    size_t column_count, series_count;
};

struct paper_summary {
    uint64_t rows, agree, differ, fitted, definitions, without_inputs;
};

struct papers_answer {
    struct paper *papers;
    struct paper_row *rows;
    struct curve *curves;
    size_t paper_count, row_count, curve_count;
    struct paper_summary summary;
};

/* Judges the statement of a row about a curve: sets `fails` and ours, a number or words in the arena.
 * WS_ERR_ARGUMENT: the check is of no kind, or names what is not there. */
ws_status papers_check(struct diag *diag, struct arena *arena, const struct papers_answer *answer,
                       struct paper_row *row);

#endif
