// SPDX-License-Identifier: Apache-2.0
/* The answer to `validate`: launches that were measured on hardware beside what models predict. */
#ifndef ANSWER_VALIDATE_ANSWER_H
#define ANSWER_VALIDATE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

struct prediction_of {
    const char *model;
    double value; /* seconds, or watts */
    bool in_watts;
    const char *without; /* a mechanism that was left out; NULL: none */
    double is_foreign;   /* NAN: no */
    double ratio;        /* predicted / measured */
};

struct counter_pair {
    const char *id;
    double ours, measured; /* measured: NAN unless known */
    double is_percentage;  /* compared in points; NAN: no */
};

struct validated_row {
    const char *instance, *application, *kernel, *role;
    double measured; /* seconds, or watts */
    bool in_watts;
    struct prediction_of *predictions;
    struct counter_pair *counters;
    size_t prediction_count, counter_count;
    bool beats_bound;
};

/* How one model does on rows. */
struct model_error {
    const char *model;
    double error,
        ratio; /* mean of |predicted / measured - 1|; geometric mean of predicted / measured */
};

struct validated_kernel {
    const char *application, *kernel, *role;
    uint64_t rows;
    double measured; /* mean */
    bool in_watts;
    size_t model_count;
    struct model_error *models;
};

/* The launches of one instance, as a clock, over all kernels. */
struct validated_instance {
    const char *instance;
    uint64_t rows;
    size_t model_count;
    struct model_error *models;
};

/* A model on all kernels of a role. */
struct model_score {
    const char *model, *role;
    bool is_foreign;
    uint64_t applications, kernels, rows;
    double by_kernel, by_application, median, p90, rank, within;
};

/* A model on all kernels of a role with one mechanism left out. */
struct ablation {
    const char *model, *without, *role;
    uint64_t kernels;
    double by_kernel, by_application;
    double change; /* of by_kernel: what the mechanism is worth */
};

/* A model as a guide to the fastest of the launches. Ties count as the slowest of them. */
struct ranking {
    const char *model;
    double rank;                /* Spearman's; NAN: unknown */
    double first, best_of_five; /* measured over the fastest, less one */
};

struct counter_score {
    const char *id, *role;
    bool is_percentage;
    uint64_t rows;
    /* Geometric mean of ours / measured and mean of |ours / measured - 1|; of percentages the mean of ours -
     * measured and that of its size, in points. */
    double ratio, error;
};

struct validated_set {
    const char *id, *title, *source, *machine;
    double is_ranking; /* NAN: no */
    double in_watts;   /* what was measured is power; NAN: no, time */
    /* Seconds between launches, and from one to the next at least, in measured times and predictions; NAN: none. */
    double gap, interval;
    struct validated_row *rows;
    size_t row_count, kernel_count, score_count, counter_count, fast_count;
    size_t ablation_count, ranking_count;
    struct ablation *ablations;
    struct ranking *rankings;
    struct validated_kernel *kernels;
    struct validated_instance *instances; /* of a set in watts */
    size_t instance_count;
    struct model_score *scores;
    struct counter_score *counters;
    const struct validated_row **fast; /* beat the speed of light */
};

struct validate_answer {
    struct validated_set *sets;
    size_t set_count;
};

/* The prediction of a model for a launch, `without`: a mechanism left out, or NULL; NULL: none. */
const struct prediction_of *validated_prediction_by(const struct validated_row *row,
                                                    const char *model, const char *without);
/* Everything about a set that follows from its rows. */
void validate_score(struct validated_set *set, struct arena *arena);

#endif
