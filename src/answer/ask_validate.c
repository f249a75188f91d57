// SPDX-License-Identifier: Apache-2.0
/* validate: launches that were measured on hardware beside what models predict. The caller predicts; how
 * far that is from hardware, by launch, kernel, application and model, is answered here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/input_parts.h"
#include "answer/validate_answer.h"
#include "model/core/estimate.h"

/* ---- figures --------------------------------------------------------------------------------- */

static const char *row_key(const struct validated_row *row, struct arena *arena)
{
    return arena_format(arena, "%s/%s/%s", row->application, row->kernel, row->instance);
}

static const char *prediction_key(const struct prediction_of *at, struct arena *arena)
{
    return at->without ? arena_format(arena, "%s/%s", at->model, at->without) : at->model;
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
    MEMBER(gap, NUMBER, SET, struct validated_set, gap, false,                                     \
           "time between launches that measured times and predictions include, s")                 \
    MEMBER(interval, NUMBER, SET, struct validated_set, interval, false,                           \
           "least time from one launch to the next in measured times and predictions, s")          \
    MEMBER(is_ranking, FLAG, SET, struct validated_set, is_ranking, false,                         \
           "configurations of one kernel: what counts is their order")                             \
    MEMBER(in_watts, FLAG, SET, struct validated_set, in_watts, false,                             \
           "watts were measured and are predicted, not times")                                     \
    MEMBER(row, WORD, ROW, struct validated_row, instance, true,                                   \
           "begins a measured launch: what distinguishes it from others of its kernel")            \
    MEMBER(application, WORD, ROW, struct validated_row, application, true, "of a launch")         \
    MEMBER(kernel, WORD, ROW, struct validated_row, kernel, true, "of a launch")                   \
    MEMBER(role, WORD, ROW, struct validated_row, role, true,                                      \
           "of a launch: build (it may serve choices), report (it serves none), floor, noisy")     \
    MEMBER(measured, NUMBER, ROW, struct validated_row, measured, true,                            \
           "time of a launch, s, or power, W")                                                     \
    MEMBER(model, WORD, PREDICTION, struct prediction_of, model, true,                             \
           "begins a prediction for a launch: its model")                                          \
    MEMBER(predicted, NUMBER, PREDICTION, struct prediction_of, value, true,                       \
           "time, s, or power, W")                                                                 \
    MEMBER(without, WORD, PREDICTION, struct prediction_of, without, false,                        \
           "a mechanism of the model that was left out")                                           \
    MEMBER(foreign, FLAG, PREDICTION, struct prediction_of, is_foreign, false,                     \
           "the prediction is another program's")                                                  \
    MEMBER(counter, WORD, COUNTER, struct counter_pair, id, true,                                  \
           "begins a counter of a launch: its id")                                                 \
    MEMBER(counted, NUMBER, COUNTER, struct counter_pair, ours, true, "its value here")            \
    MEMBER(percentage, FLAG, COUNTER, struct counter_pair, is_percentage, false,                   \
           "it is a percentage: compared in points")                                               \
    MEMBER(measured_count, NUMBER, COUNTER, struct counter_pair, measured, false,                  \
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

static ws_status complete_row(const struct asked *asked, const struct validated_set *set,
                              struct validated_row *row)
{
    if (!(row->measured > 0) || !isfinite(row->measured))
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "set '%s': launch '%s' of '%s' has no measured time", set->id,
                          row->instance, row->kernel);
    row->in_watts = set->in_watts > 0;
    for (size_t i = 0; i < row->prediction_count; i++) {
        row->predictions[i].in_watts = row->in_watts;
        row->predictions[i].ratio = row->predictions[i].value / row->measured;
    }
    const struct prediction_of *bound = validated_prediction_by(row, "speed-of-light", NULL);
    /* The bound is one of the launch alone, unknown where the next one is not submitted in time. */
    double gap = isnan(set->gap) ? 0 : set->gap;
    bool is_late = bound && bound->value <= set->interval;
    row->beats_bound = bound && !is_late && bound->value - gap > row->measured;
    return WS_OK;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status complete_set(const struct asked *asked, struct validated_set *set)
{
    struct arena *arena = &asked->answer->arena;
    for (size_t i = 0; i < set->row_count; i++)
        TRY(complete_row(asked, set, &set->rows[i]));
    validate_score(set, arena);
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
