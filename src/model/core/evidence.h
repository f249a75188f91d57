// SPDX-License-Identifier: Apache-2.0
/* What is known about the error of each model: data/evidence.yaml (doc/evidence.md). The headline is
 * chosen by it, and its band rests on it. */
#ifndef MODEL_EVIDENCE_H
#define MODEL_EVIDENCE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"

/* One model on one set of measured kernels. Errors are |predicted / measured - 1|; NAN: unknown. */
struct evidence_row {
    const char *model;          /* "teg" */
    const char *set;            /* "GV100": short, for reports */
    const char *source, *how;   /* where the figures come from, how they were obtained; "" */
    const char *reason;         /* why a figure is unknown; NULL: all are known */
    unsigned cc_first, cc_last; /* compute capabilities it speaks for, major * 10 + minor */
    bool by_authors;            /* predicted by the model's authors, not by this program */
    size_t kernels;             /* whose measurements may have served choices in the model */
    const double *ratios;       /* [kernels], predicted / measured; NULL: only errors are known */
    double median_error, p90_error, mean_error;
    size_t held_out;               /* kernels whose measurements served no choice */
    const double *held_out_ratios; /* [held_out] */
    double held_out_median_error;  /* NAN: there are none */
    /* At least two of three kernels were measured between predicted / factor and predicted * factor:
     * of those held out if they are EVIDENCE_HELD_OUT_LEAST or more, else of `ratios`. */
    double two_thirds_factor;
};

/* Two of three need three. */
enum { EVIDENCE_HELD_OUT_LEAST = 3 };

struct evidence {
    struct arena arena;
    size_t count;
    struct evidence_row
        *rows; /* rows of several sets for the same model, GPUs and author are one */
};

/* Reads the text of such a file, which is not kept; `path` is for messages. WS_ERR_MACHINE with its
 * place if anything is wrong with it. evidence_destroy the result. */
ws_status evidence_read(struct diag *diag, const char *path, const char *text, size_t size,
                        struct evidence **out);
/* The same from a file; *out NULL if there is no such file. */
ws_status evidence_load(struct diag *diag, const char *path, struct evidence **out);
void evidence_destroy(struct evidence *evidence);

/* The figure that models are compared by: the median error, else the mean. */
double evidence_error(const struct evidence_row *row);
/* A copy that lives as long as the arena. */
const struct evidence_row *evidence_copy(struct arena *arena, const struct evidence_row *row);
/* The row of `model` that says most about GPUs of this compute capability (major * 10 + minor): the
 * nearest range; there predictions of this program before those of authors, then the most kernels,
 * then the larger error. NULL if the model has none. *out_distance: from the range in tenths of a
 * compute capability, 0 inside. */
const struct evidence_row *evidence_find(const struct evidence *evidence, const char *model,
                                         unsigned cc, unsigned *out_distance);

#endif
