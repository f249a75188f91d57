// SPDX-License-Identifier: Apache-2.0
/* Reads what comparisons need of a report in JSON: of `analyze`, of `run`, or the launches of a run as JSON
 * Lines. The figures are those of the tables that reports are written from (figures/), with their units.
 *
 * Reports come from strangers: everything is checked, a figure of another type than its table says is an
 * error, and what is null or missing is unknown, never 0. */
#ifndef ANSWER_REPORT_READ_H
#define ANSWER_REPORT_READ_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/diag.h"

/* A number of a report. */
struct report_figure {
    const char *id, *unit; /* "inst.warp", "power/energy": a path from the kernel or the machine */
    double value;          /* NAN: unknown, and `reason` says why if the report does */
    const char *reason;
    bool is_counted;     /* of an execution, not modelled or sampled */
    bool more_is_better; /* else less */
};

struct report_figures {
    struct report_figure *items;
    size_t count, room;
};

/* A word, as "limit". */
struct report_word {
    const char *id, *text; /* text NULL: null */
};

struct report_words {
    struct report_word *items;
    size_t count, room;
};

struct report_finding {
    const char *code, *title, *where; /* where: may be NULL */
    double gain;                      /* NAN: unknown */
};

/* A kernel on a machine. `setup`: what must be equal in two reports that are compared. */
struct report_machine {
    const char *id;
    const char *model, *reason; /* that predicts the time; why there is no time. NULL: not said */
    double time_seconds;        /* NAN: unknown */
    double low_seconds, high_seconds; /* of the band; NAN: unknown */
    const char *time_id;              /* of the figure */
    struct report_words setup, words;
    struct report_figures figures;
    struct report_finding *findings;
    size_t finding_count;
};

struct report_kernel {
    const char *name, *mangled; /* mangled: NULL if unknown */
    struct report_words setup;  /* what must be equal ... */
    struct report_words shape;  /* ... unless the user says that two kernels do the same work */
    struct report_words words;
    struct report_figures figures;
    struct report_machine *machines;
    size_t machine_count;
};

struct report {
    const char *name;             /* of the file */
    const char *schema, *version; /* version: of the program that wrote it; NULL: unknown */
    struct report_kernel *kernels;
    size_t kernel_count;
};

/* From a file, `text` NULL, or from a text that `name` only names. In the arena. WS_ERR_INPUT: it is no such
 * report. */
ws_status report_read(struct diag *diag, struct arena *arena, const char *name, const char *text,
                      struct report *out);

/* NULL: none. */
const struct report_figure *report_find(const struct report_figures *figures, const char *id);
const struct report_word *report_find_word(const struct report_words *words, const char *id);

#endif
