// SPDX-License-Identifier: Apache-2.0
/* How far predictions are from hardware: by kernel, application, model, counter, mechanism. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/validate_answer.h"

const struct prediction_of *validated_prediction_by(const struct validated_row *row,
                                                    const char *model, const char *without)
{
    for (size_t i = 0; i < row->prediction_count; i++) {
        const struct prediction_of *one = &row->predictions[i];
        if (!strcmp(one->model, model) &&
            !strcmp(one->without ? one->without : "", without ? without : ""))
            return one;
    }
    return NULL;
}

/* ---- by kernel ------------------------------------------------------------------------------- */

static bool is_of_kernel(const struct validated_row *row, const struct validated_kernel *kernel)
{
    return !strcmp(row->application, kernel->application) && !strcmp(row->kernel, kernel->kernel) &&
           !strcmp(row->role, kernel->role);
}

static void add_kernel(struct validated_set *set, const struct validated_row *row)
{
    for (size_t i = 0; i < set->kernel_count; i++)
        if (is_of_kernel(row, &set->kernels[i])) return;
    set->kernels[set->kernel_count++] = (struct validated_kernel){.application = row->application,
                                                                  .kernel = row->kernel,
                                                                  .role = row->role,
                                                                  .in_watts = row->in_watts};
}

/* A kernel with a row that the model does not answer has no error: NAN. */
static struct model_error kernel_error(const struct validated_set *set,
                                       const struct validated_kernel *kernel, const char *model,
                                       const char *without)
{
    double errors = 0, logarithms = 0;
    for (size_t i = 0; i < set->row_count; i++) {
        const struct validated_row *row = &set->rows[i];
        if (!is_of_kernel(row, kernel)) continue;
        const struct prediction_of *prediction = validated_prediction_by(row, model, without);
        double ratio = prediction ? prediction->ratio : NAN;
        errors += fabs(ratio - 1);
        logarithms += log(ratio);
    }
    double count = (double)kernel->rows;
    return (struct model_error){model, errors / count, exp(logarithms / count)};
}

/* Models in the order in which rows name them first. */
static const char *const *find_models(const struct validated_set *set, struct arena *arena,
                                      size_t *out_count)
{
    size_t most = 0, count = 0;
    for (size_t i = 0; i < set->row_count; i++)
        most += set->rows[i].prediction_count;
    const char **out = ARENA_ARRAY(arena, const char *, most + 1);
    for (size_t i = 0; i < set->row_count; i++)
        for (size_t k = 0; k < set->rows[i].prediction_count; k++) {
            const char *model = set->rows[i].predictions[k].model;
            size_t at = 0;
            if (set->rows[i].predictions[k].without) continue;
            while (at < count && strcmp(out[at], model) != 0)
                at++;
            if (at == count) out[count++] = model;
        }
    *out_count = count;
    return out;
}

static void find_kernels(struct validated_set *set, const char *const *names, size_t model_count,
                         struct arena *arena)
{
    set->kernels = ARENA_ARRAY(arena, struct validated_kernel, set->row_count + 1);
    for (size_t i = 0; i < set->row_count; i++)
        add_kernel(set, &set->rows[i]);
    for (size_t i = 0; i < set->kernel_count; i++) {
        struct validated_kernel *kernel = &set->kernels[i];
        for (size_t k = 0; k < set->row_count; k++) {
            if (!is_of_kernel(&set->rows[k], kernel)) continue;
            kernel->rows++;
            kernel->measured += set->rows[k].measured;
        }
        kernel->measured /= (double)kernel->rows;
        kernel->models = ARENA_ARRAY(arena, struct model_error, model_count + 1);
        for (size_t k = 0; k < model_count; k++) {
            struct model_error error = kernel_error(set, kernel, names[k], NULL);
            if (!isnan(error.error)) kernel->models[kernel->model_count++] = error;
        }
    }
}

/* Errors by kernel, NAN: of another role, or unknown. */
static const double *kernel_errors(const struct validated_set *set, struct arena *arena,
                                   const char *role, const char *model, const char *without)
{
    double *out = ARENA_ARRAY(arena, double, set->kernel_count + 1);
    for (size_t i = 0; i < set->kernel_count; i++)
        out[i] = strcmp(set->kernels[i].role, role)
                     ? NAN
                     : kernel_error(set, &set->kernels[i], model, without).error;
    return out;
}

/* ---- by model -------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value below which a share of the sorted ones lies, interpolated between neighbours. */
static double quantile(const double *sorted, size_t count, double share)
{
    double at = share * (double)(count - 1);
    size_t below = (size_t)at;
    double above = sorted[below + 1 < count ? below + 1 : below];
    return sorted[below] + (at - (double)below) * (above - sorted[below]);
}

struct ranked {
    double value, rank;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    return ascending(&((const struct ranked *)a)->value, &((const struct ranked *)b)->value);
}

static int by_index(const void *a, const void *b)
{
    size_t x = ((const struct ranked *)a)->index, y = ((const struct ranked *)b)->index;
    return (x > y) - (x < y);
}

/* Ranks in the order of the values; equal ones share their mean. */
static void rank(struct ranked *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    for (size_t i = 0, end; i < count; i = end) {
        end = i + 1;
        while (end < count && values[end].value == values[i].value)
            end++;
        for (size_t k = i; k < end; k++)
            values[k].rank = 0.5 * (double)(i + end - 1);
    }
    qsort(values, count, sizeof *values, by_index);
}

/* Spearman's: the correlation of the ranks; NAN if either side is constant. */
static double rank_correlation(struct ranked *a, struct ranked *b, size_t count)
{
    double mean = 0.5 * ((double)count - 1), both = 0, first = 0, second = 0;
    rank(a, count);
    rank(b, count);
    for (size_t i = 0; i < count; i++) {
        double x = a[i].rank - mean, y = b[i].rank - mean;
        both += x * y;
        first += x * x;
        second += y * y;
    }
    return first * second > 0 ? both / sqrt(first * second) : NAN;
}

static void score_rows(const struct validated_set *set, struct arena *arena,
                       struct model_score *score)
{
    struct ranked *measured = ARENA_ARRAY(arena, struct ranked, set->row_count + 1);
    struct ranked *predicted = ARENA_ARRAY(arena, struct ranked, set->row_count + 1);
    size_t count = 0, within = 0;
    for (size_t i = 0; i < set->row_count; i++) {
        const struct validated_row *row = &set->rows[i];
        const struct prediction_of *prediction = validated_prediction_by(row, score->model, NULL);
        if (strcmp(row->role, score->role) != 0 || !prediction) continue;
        score->is_foreign = !isnan(prediction->is_foreign) && prediction->is_foreign != 0;
        within += fabs(prediction->ratio - 1) <= 0.2;
        measured[count] = (struct ranked){row->measured, 0, count};
        predicted[count] = (struct ranked){prediction->value, 0, count};
        count++;
    }
    score->rows = count;
    score->within = (double)within / (double)count;
    score->rank = rank_correlation(measured, predicted, count);
}

/* Mean over applications of the mean over their kernels' rows. */
static double application_error(const struct validated_set *set, const double *kernel_errors,
                                uint64_t *out_count)
{
    double sum = 0;
    *out_count = 0;
    for (size_t i = 0; i < set->kernel_count; i++) {
        double errors = 0, rows = 0;
        bool is_first = !isnan(kernel_errors[i]);
        for (size_t k = 0; k < set->kernel_count; k++) {
            const struct validated_kernel *kernel = &set->kernels[k];
            if (isnan(kernel_errors[k]) ||
                strcmp(kernel->application, set->kernels[i].application) != 0)
                continue;
            is_first &= k >= i;
            errors += kernel_errors[k] * (double)kernel->rows;
            rows += (double)kernel->rows;
        }
        if (!is_first) continue;
        sum += errors / rows;
        ++*out_count;
    }
    return sum / (double)*out_count;
}

static bool score_model(const struct validated_set *set, struct arena *arena,
                        struct model_score *score)
{
    const double *by_kernel = kernel_errors(set, arena, score->role, score->model, NULL);
    double *errors = ARENA_ARRAY(arena, double, set->kernel_count + 1), sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < set->kernel_count; i++) {
        if (isnan(by_kernel[i])) continue;
        errors[count++] = by_kernel[i];
        sum += by_kernel[i];
    }
    if (!count) return false;
    qsort(errors, count, sizeof *errors, ascending);
    score->kernels = count;
    score->by_kernel = sum / (double)count;
    score->median = quantile(errors, count, 0.5);
    score->p90 = quantile(errors, count, 0.9);
    score->by_application = application_error(set, by_kernel, &score->applications);
    score_rows(set, arena, score);
    return true;
}

static const char *const *find_roles(const struct validated_set *set, struct arena *arena,
                                     size_t *out_count)
{
    const char **out = ARENA_ARRAY(arena, const char *, set->kernel_count + 1);
    size_t count = 0;
    for (size_t i = 0; i < set->kernel_count; i++) {
        size_t at = 0;
        while (at < count && strcmp(out[at], set->kernels[i].role) != 0)
            at++;
        if (at == count) out[count++] = set->kernels[i].role;
    }
    *out_count = count;
    return out;
}

/* ---- by counter ------------------------------------------------------------------------------ */

/* Percentages, and counts of which both sides are above zero. */
static void add_counter(struct validated_set *set, const char *role,
                        const struct counter_pair *pair)
{
    size_t at = 0;
    bool is_percentage = pair->is_percentage > 0;
    if (isnan(pair->measured) || (!is_percentage && !(pair->ours > 0 && pair->measured > 0)))
        return;
    while (at < set->counter_count && (strcmp(set->counters[at].id, pair->id) != 0 ||
                                       strcmp(set->counters[at].role, role) != 0))
        at++;
    struct counter_score *score = &set->counters[at];
    if (at == set->counter_count) {
        *score =
            (struct counter_score){.id = pair->id, .role = role, .is_percentage = is_percentage};
        set->counter_count++;
    }
    score->rows++;
    score->ratio += is_percentage ? pair->ours - pair->measured : log(pair->ours / pair->measured);
    score->error +=
        is_percentage ? fabs(pair->ours - pair->measured) : fabs(pair->ours / pair->measured - 1);
}

static void score_counters(struct validated_set *set, struct arena *arena)
{
    size_t most = 0;
    for (size_t i = 0; i < set->row_count; i++)
        most += set->rows[i].counter_count;
    set->counters = ARENA_ARRAY(arena, struct counter_score, most + 1);
    for (size_t i = 0; i < set->row_count; i++)
        for (size_t k = 0; k < set->rows[i].counter_count; k++)
            add_counter(set, set->rows[i].role, &set->rows[i].counters[k]);
    for (size_t i = 0; i < set->counter_count; i++) {
        struct counter_score *score = &set->counters[i];
        score->ratio /= (double)score->rows;
        if (!score->is_percentage) score->ratio = exp(score->ratio);
        score->error /= (double)score->rows;
    }
}

/* ---- without a mechanism ----------------------------------------------------------------------- */

/* Over the kernels that the model answers with and without it. */
static bool ablate(const struct validated_set *set, struct arena *arena, struct ablation *ablation)
{
    const double *whole = kernel_errors(set, arena, ablation->role, ablation->model, NULL);
    const double *errors =
        kernel_errors(set, arena, ablation->role, ablation->model, ablation->without);
    uint64_t applications;
    for (size_t i = 0; i < set->kernel_count; i++) {
        if (isnan(errors[i]) || isnan(whole[i])) continue;
        ablation->kernels++;
        ablation->by_kernel += errors[i];
        ablation->change += errors[i] - whole[i];
    }
    ablation->by_kernel /= (double)ablation->kernels;
    ablation->change /= (double)ablation->kernels;
    ablation->by_application = application_error(set, errors, &applications);
    return ablation->kernels > 0;
}

/* Mechanisms as the first row names them. */
static void find_ablations(struct validated_set *set, struct arena *arena, const char *const *roles,
                           size_t role_count)
{
    const struct validated_row *row = &set->rows[0];
    size_t most = set->row_count ? row->prediction_count * role_count : 0;
    set->ablations = ARENA_ARRAY(arena, struct ablation, most + 1);
    for (size_t i = 0; i < role_count; i++)
        for (size_t k = 0; k < most / role_count; k++) {
            const struct prediction_of *left_out = &row->predictions[k];
            struct ablation ablation = {left_out->model, left_out->without, roles[i], 0, 0, 0, 0};
            if (left_out->without && ablate(set, arena, &ablation))
                set->ablations[set->ablation_count++] = ablation;
        }
}

/* ---- order ------------------------------------------------------------------------------------- */

struct candidate {
    double predicted, measured;
};

/* The first predicted one first; of equal ones the slowest. */
static int by_prediction(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    int order = ascending(&x->predicted, &y->predicted);
    return order ? order : ascending(&y->measured, &x->measured);
}

static void rank_launches(struct validated_set *set, struct arena *arena, const char *model)
{
    enum { CHOSEN = 5 };
    struct candidate *all = ARENA_ARRAY(arena, struct candidate, set->row_count + 1);
    struct ranked *measured = ARENA_ARRAY(arena, struct ranked, set->row_count + 1);
    struct ranked *predicted = ARENA_ARRAY(arena, struct ranked, set->row_count + 1);
    double fastest = INFINITY, best = INFINITY;
    size_t count = set->row_count;
    for (size_t i = 0; i < count; i++) {
        const struct validated_row *row = &set->rows[i];
        const struct prediction_of *prediction = validated_prediction_by(row, model, NULL);
        if (!prediction) return;
        all[i] = (struct candidate){prediction->value, row->measured};
        measured[i] = (struct ranked){row->measured, 0, i};
        predicted[i] = (struct ranked){prediction->value, 0, i};
        fastest = fmin(fastest, row->measured);
    }
    qsort(all, count, sizeof *all, by_prediction);
    for (size_t i = 0; i < count && i < CHOSEN; i++)
        best = fmin(best, all[i].measured);
    set->rankings[set->ranking_count++] =
        (struct ranking){model, rank_correlation(measured, predicted, count),
                         all[0].measured / fastest - 1, best / fastest - 1};
}

/* ---- by instance ------------------------------------------------------------------------------- */

static struct model_error instance_error(const struct validated_set *set, const char *instance,
                                         const char *model)
{
    double errors = 0, logarithms = 0, count = 0;
    for (size_t i = 0; i < set->row_count; i++) {
        const struct validated_row *row = &set->rows[i];
        const struct prediction_of *prediction = validated_prediction_by(row, model, NULL);
        if (strcmp(row->instance, instance) != 0 || !prediction) continue;
        errors += fabs(prediction->ratio - 1);
        logarithms += log(prediction->ratio);
        count++;
    }
    return (struct model_error){model, errors / count, exp(logarithms / count)};
}

static struct validated_instance *find_instance(struct validated_set *set, const char *name)
{
    size_t i = 0;
    while (i < set->instance_count && strcmp(set->instances[i].instance, name) != 0)
        i++;
    if (i == set->instance_count)
        set->instances[set->instance_count++] = (struct validated_instance){.instance = name};
    return &set->instances[i];
}

/* In the order in which rows name them first. */
static void find_instances(struct validated_set *set, const char *const *names, size_t model_count,
                           struct arena *arena)
{
    set->instances = ARENA_ARRAY(arena, struct validated_instance, set->row_count + 1);
    for (size_t i = 0; i < set->row_count; i++)
        find_instance(set, set->rows[i].instance)->rows++;
    for (size_t i = 0; i < set->instance_count; i++) {
        struct validated_instance *one = &set->instances[i];
        one->models = ARENA_ARRAY(arena, struct model_error, model_count + 1);
        for (size_t k = 0; k < model_count; k++) {
            struct model_error error = instance_error(set, one->instance, names[k]);
            if (!isnan(error.error)) one->models[one->model_count++] = error;
        }
    }
}

/* ---- a set ------------------------------------------------------------------------------------- */

void validate_score(struct validated_set *set, struct arena *arena)
{
    size_t model_count, role_count;
    const char *const *names = find_models(set, arena, &model_count);
    find_kernels(set, names, model_count, arena);
    if (set->in_watts > 0) find_instances(set, names, model_count, arena);
    const char *const *roles = find_roles(set, arena, &role_count);
    set->scores = ARENA_ARRAY(arena, struct model_score, role_count * model_count + 1);
    for (size_t i = 0; i < role_count; i++)
        for (size_t k = 0; k < model_count; k++) {
            struct model_score score = {.model = names[k], .role = roles[i]};
            if (score_model(set, arena, &score)) set->scores[set->score_count++] = score;
        }
    find_ablations(set, arena, roles, role_count);
    set->rankings = ARENA_ARRAY(arena, struct ranking, model_count + 1);
    for (size_t k = 0; k < model_count && set->is_ranking > 0 && set->row_count; k++)
        rank_launches(set, arena, names[k]);
    score_counters(set, arena);
}
