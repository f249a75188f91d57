// SPDX-License-Identifier: Apache-2.0
/* validate: launches that were measured on hardware beside what models predict. The caller predicts; how
 * far that is from hardware, by launch, kernel, application and model, is answered here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/input_parts.h"
#include "model/core/estimate.h"

struct prediction_of {
    const char *model;
    double seconds;
    double is_foreign; /* NAN: no */
    double ratio;      /* predicted / measured */
};

struct counter_pair {
    const char *id;
    double ours, measured;
};

struct validated_row {
    const char *instance, *application, *kernel, *role;
    double measured; /* seconds */
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

struct counter_score {
    const char *id, *role;
    uint64_t rows;
    double ratio, error; /* geometric mean of ours / measured, mean of |ours / measured - 1| */
};

struct validated_set {
    const char *id, *title, *source, *machine;
    struct validated_row *rows;
    size_t row_count, kernel_count, score_count, counter_count, fast_count;
    struct validated_kernel *kernels;
    struct model_score *scores;
    struct counter_score *counters;
    const struct validated_row **fast; /* beat the speed of light */
};

struct validate_answer {
    struct validated_set *sets;
    size_t set_count;
};

/* ---- figures --------------------------------------------------------------------------------- */

static const char *row_key(const struct validated_row *row, struct arena *arena)
{
    return arena_format(arena, "%s/%s/%s", row->application, row->kernel, row->instance);
}

static struct validated_row *fast_rows(const struct validated_set *set, struct arena *arena)
{
    struct validated_row *out = ARENA_ARRAY(arena, struct validated_row, set->fast_count + 1);
    for (size_t i = 0; i < set->fast_count; i++)
        out[i] = *set->fast[i];
    return out;
}

#define FIGURE_FILE "answer/figures/validate.def"
#include "base/figure_tables.h"

/* ---- what is asked --------------------------------------------------------------------------- */

enum part { SET, ROW, PREDICTION, COUNTER, PART_COUNT };

#define MEMBERS(MEMBER)                                                                            \
    MEMBER(set, WORD, SET, struct validated_set, id, true, "begins a set: its id")                 \
    MEMBER(title, WORD, SET, struct validated_set, title, true, "what was measured")               \
    MEMBER(source, WORD, SET, struct validated_set, source, true, "where it was published")        \
    MEMBER(machine, WORD, SET, struct validated_set, machine, true, "machine of the predictions")  \
    MEMBER(row, WORD, ROW, struct validated_row, instance, true,                                   \
           "begins a measured launch: what distinguishes it from others of its kernel")            \
    MEMBER(application, WORD, ROW, struct validated_row, application, true, "of a launch")         \
    MEMBER(kernel, WORD, ROW, struct validated_row, kernel, true, "of a launch")                   \
    MEMBER(role, WORD, ROW, struct validated_row, role, true,                                      \
           "of a launch: build (it may serve choices), report (it serves none), floor, noisy")     \
    MEMBER(measured, NUMBER, ROW, struct validated_row, measured, true, "time of a launch, s")     \
    MEMBER(model, WORD, PREDICTION, struct prediction_of, model, true,                             \
           "begins a prediction for a launch: its model")                                          \
    MEMBER(predicted, NUMBER, PREDICTION, struct prediction_of, seconds, true, "time, s")          \
    MEMBER(foreign, FLAG, PREDICTION, struct prediction_of, is_foreign, false,                     \
           "the prediction is another program's")                                                  \
    MEMBER(counter, WORD, COUNTER, struct counter_pair, id, true,                                  \
           "begins a counter of a launch: its id")                                                 \
    MEMBER(counted, NUMBER, COUNTER, struct counter_pair, ours, true, "its value here")            \
    MEMBER(measured_count, NUMBER, COUNTER, struct counter_pair, measured, true,                   \
           "its value on hardware")

static const struct input_info inputs[] = {MEMBERS(PART_INPUT)};
static const struct part_member members[] = {MEMBERS(PART_MEMBER)};
static const struct part_info parts[PART_COUNT] = {
    [SET] = {sizeof(struct validated_set), PART_WHOLE, offsetof(struct validate_answer, sets),
             offsetof(struct validate_answer, set_count)},
    [ROW] = {sizeof(struct validated_row), SET, offsetof(struct validated_set, rows),
             offsetof(struct validated_set, row_count)},
    [PREDICTION] = {sizeof(struct prediction_of), ROW, offsetof(struct validated_row, predictions),
                    offsetof(struct validated_row, prediction_count)},
    [COUNTER] = {sizeof(struct counter_pair), ROW, offsetof(struct validated_row, counters),
                 offsetof(struct validated_row, counter_count)},
};
static const struct part_list part_list = {members, parts, PART_COUNT};

/* ---- by row ---------------------------------------------------------------------------------- */

static const struct prediction_of *prediction_by(const struct validated_row *row, const char *model)
{
    for (size_t i = 0; i < row->prediction_count; i++)
        if (!strcmp(row->predictions[i].model, model)) return &row->predictions[i];
    return NULL;
}

static ws_status complete_row(const struct asked *asked, const char *set, struct validated_row *row)
{
    if (!(row->measured > 0) || !isfinite(row->measured))
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "set '%s': launch '%s' of '%s' has no measured time", set, row->instance,
                          row->kernel);
    for (size_t i = 0; i < row->prediction_count; i++)
        row->predictions[i].ratio = row->predictions[i].seconds / row->measured;
    const struct prediction_of *bound = prediction_by(row, "speed-of-light");
    row->beats_bound = bound && bound->ratio > 1;
    return WS_OK;
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
    set->kernels[set->kernel_count++] = (struct validated_kernel){
        .application = row->application, .kernel = row->kernel, .role = row->role};
}

/* A kernel with a row that the model does not answer has no error: NAN. */
static struct model_error kernel_error(const struct validated_set *set,
                                       const struct validated_kernel *kernel, const char *model)
{
    double errors = 0, logarithms = 0;
    for (size_t i = 0; i < set->row_count; i++) {
        const struct validated_row *row = &set->rows[i];
        if (!is_of_kernel(row, kernel)) continue;
        const struct prediction_of *prediction = prediction_by(row, model);
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
            struct model_error error = kernel_error(set, kernel, names[k]);
            if (!isnan(error.error)) kernel->models[kernel->model_count++] = error;
        }
    }
}

static double error_of(const struct validated_kernel *kernel, const char *model)
{
    for (size_t i = 0; i < kernel->model_count; i++)
        if (!strcmp(kernel->models[i].model, model)) return kernel->models[i].error;
    return NAN;
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
        const struct prediction_of *prediction = prediction_by(row, score->model);
        if (strcmp(row->role, score->role) != 0 || !prediction) continue;
        score->is_foreign = !isnan(prediction->is_foreign) && prediction->is_foreign != 0;
        within += fabs(prediction->ratio - 1) <= 0.2;
        measured[count] = (struct ranked){row->measured, 0, count};
        predicted[count] = (struct ranked){prediction->seconds, 0, count};
        count++;
    }
    score->rows = count;
    score->within = (double)within / (double)count;
    score->rank = rank_correlation(measured, predicted, count);
}

/* Mean over applications of the mean over their kernels' rows. */
static void score_applications(const struct validated_set *set, struct model_score *score)
{
    double sum = 0;
    for (size_t i = 0; i < set->kernel_count; i++) {
        const char *application = set->kernels[i].application;
        double errors = 0, rows = 0;
        bool is_first = true;
        for (size_t k = 0; k < set->kernel_count; k++) {
            const struct validated_kernel *kernel = &set->kernels[k];
            double error = error_of(kernel, score->model);
            if (strcmp(kernel->application, application) != 0 ||
                strcmp(kernel->role, score->role) != 0 || isnan(error))
                continue;
            is_first &= k >= i;
            errors += error * (double)kernel->rows;
            rows += (double)kernel->rows;
        }
        if (!(rows > 0) || !is_first || strcmp(set->kernels[i].role, score->role) != 0 ||
            isnan(error_of(&set->kernels[i], score->model)))
            continue;
        sum += errors / rows;
        score->applications++;
    }
    score->by_application = sum / (double)score->applications;
}

static bool score_model(const struct validated_set *set, struct arena *arena,
                        struct model_score *score)
{
    double *errors = ARENA_ARRAY(arena, double, set->kernel_count + 1), sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < set->kernel_count; i++) {
        double error = error_of(&set->kernels[i], score->model);
        if (strcmp(set->kernels[i].role, score->role) != 0 || isnan(error)) continue;
        errors[count++] = error;
        sum += error;
    }
    if (!count) return false;
    qsort(errors, count, sizeof *errors, ascending);
    score->kernels = count;
    score->by_kernel = sum / (double)count;
    score->median = quantile(errors, count, 0.5);
    score->p90 = quantile(errors, count, 0.9);
    score_applications(set, score);
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

/* Rows of which both sides are known and above zero. */
static void add_counter(struct validated_set *set, const char *role,
                        const struct counter_pair *pair)
{
    size_t at = 0;
    if (!(pair->ours > 0) || !(pair->measured > 0)) return;
    while (at < set->counter_count && (strcmp(set->counters[at].id, pair->id) != 0 ||
                                       strcmp(set->counters[at].role, role) != 0))
        at++;
    struct counter_score *score = &set->counters[at];
    if (at == set->counter_count) {
        *score = (struct counter_score){.id = pair->id, .role = role};
        set->counter_count++;
    }
    double ratio = pair->ours / pair->measured;
    score->rows++;
    score->ratio += log(ratio);
    score->error += fabs(ratio - 1);
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
        score->ratio = exp(score->ratio / (double)score->rows);
        score->error /= (double)score->rows;
    }
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status complete_set(const struct asked *asked, struct validated_set *set)
{
    struct arena *arena = &asked->answer->arena;
    size_t model_count, role_count;
    for (size_t i = 0; i < set->row_count; i++)
        TRY(complete_row(asked, set->id, &set->rows[i]));
    const char *const *names = find_models(set, arena, &model_count);
    find_kernels(set, names, model_count, arena);
    const char *const *roles = find_roles(set, arena, &role_count);
    set->scores = ARENA_ARRAY(arena, struct model_score, role_count * model_count + 1);
    for (size_t i = 0; i < role_count; i++)
        for (size_t k = 0; k < model_count; k++) {
            struct model_score score = {.model = names[k], .role = roles[i]};
            if (score_model(set, arena, &score)) set->scores[set->score_count++] = score;
        }
    score_counters(set, arena);
    set->fast = ARENA_ARRAY(arena, const struct validated_row *, set->row_count + 1);
    for (size_t i = 0; i < set->row_count; i++)
        if (set->rows[i].beats_bound) set->fast[set->fast_count++] = &set->rows[i];
    return WS_OK;
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct validate_answer *answer = ARENA_ARRAY(&asked->answer->arena, struct validate_answer, 1);
    TRY(input_parts_read(asked, &part_list, answer));
    for (size_t i = 0; i < answer->set_count; i++)
        TRY(complete_set(asked, &answer->sets[i]));
    *out = answer;
    return WS_OK;
}

const struct question question_validate = {
    .name = "validate",
    .schema = "warpsage.validate/1",
    .text = "How far are predictions from times and counters measured on hardware?",
    .record = &record_validate,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .ask = ask,
};
