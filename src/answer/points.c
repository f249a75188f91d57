// SPDX-License-Identifier: Apache-2.0
/* Many points of a question at once: no tree, the getters of its figures alone. */
#include <math.h>
#include <string.h>

#include "answer/question.h"
#include "base/text.h"

/* The columns of a call, by what the question knows. */
struct columns {
    size_t *inputs; /* by column of `in`: index of the input */
    const struct figure **figures;
    double *values; /* of a point, by input */
};

static ws_status unknown_name(const struct asked *asked, const char *what, const char *name,
                              const char *const *names, size_t count)
{
    const char *near = text_hint(&asked->answer->arena, name, names, count);
    return diag_error(asked->diag, WS_ERR_ARGUMENT, "unknown %s '%s' in points of '%s'%s", what,
                      name, asked->question->name, near);
}

static ws_status find_inputs(const struct asked *asked, const struct points_asked *points,
                             struct columns *out)
{
    const struct question_points *known = asked->question->points;
    struct arena *arena = &asked->answer->arena;
    out->inputs = ARENA_ARRAY(arena, size_t, points->input_count + 1);
    out->values = ARENA_ARRAY(arena, double, known->input_count + 1);
    const char **names = ARENA_ARRAY(arena, const char *, known->input_count + 1);
    for (size_t i = 0; i < known->input_count; i++) {
        out->values[i] = NAN;
        names[i] = known->input(i);
    }
    for (size_t i = 0; i < points->input_count; i++) {
        size_t k = 0;
        while (k < known->input_count && strcmp(names[k], points->inputs[i]) != 0)
            k++;
        if (k == known->input_count)
            return unknown_name(asked, "input", points->inputs[i], names, k);
        out->inputs[i] = k;
    }
    return WS_OK;
}

static bool is_number(enum figure_kind kind)
{
    return kind == FIGURE_IS_NUMBER || kind == FIGURE_IS_COUNT || kind == FIGURE_IS_FLAG;
}

static ws_status find_figures(const struct asked *asked, const struct points_asked *points,
                              struct columns *out)
{
    const struct record *record = asked->question->points->record;
    struct arena *arena = &asked->answer->arena;
    const char **names = ARENA_ARRAY(arena, const char *, record->figure_count + 1);
    out->figures = ARENA_ARRAY(arena, const struct figure *, points->figure_count + 1);
    for (size_t k = 0; k < record->figure_count; k++)
        names[k] = record->figures[k].id;
    for (size_t i = 0; i < points->figure_count; i++) {
        for (size_t k = 0; k < record->figure_count; k++)
            if (!strcmp(names[k], points->figures[i]) && is_number(record->figures[k].kind))
                out->figures[i] = &record->figures[k];
        if (!out->figures[i])
            return unknown_name(asked, "figure", points->figures[i], names, record->figure_count);
    }
    return WS_OK;
}

static double figure_number(const struct figure *figure, const void *record,
                            struct figure_value *value)
{
    figure->get(record, NULL, value);
    if (value->is_absent) return NAN;
    return figure->kind == FIGURE_IS_NUMBER ? value->number : (double)value->count;
}

static ws_status ask_all(const struct asked *asked, const struct points_asked *points,
                         const struct columns *columns, void *state)
{
    const struct question_points *question = asked->question->points;
    const double *in = points->in;
    double *out = points->out;
    struct figure_value value = {0};
    for (size_t i = 0; i < points->count; i++) {
        const void *found = NULL;
        for (size_t k = 0; k < points->input_count; k++)
            columns->values[columns->inputs[k]] = *in++;
        TRY(question->at(asked->diag, state, columns->values, &found));
        for (size_t k = 0; k < points->figure_count; k++)
            *out++ = figure_number(columns->figures[k], found, &value);
    }
    return WS_OK;
}

static ws_status ask_points(struct asked *asked, const struct points_asked *points)
{
    const struct question_points *question = asked->question->points;
    struct columns columns;
    void *state = NULL;
    if (!question)
        return diag_error(asked->diag, WS_ERR_ARGUMENT, "the question '%s' does not support points",
                          asked->question->name);
    if (asked->machine_count != 1)
        return diag_error(asked->diag, WS_ERR_ARGUMENT, "points take one machine (got %zu)",
                          asked->machine_count);
    TRY(asked_check(asked));
    TRY(find_inputs(asked, points, &columns));
    TRY(find_figures(asked, points, &columns));
    TRY(question->begin(asked, &state));
    return ask_all(asked, points, &columns, state);
}

ws_status question_ask_points(struct asked *asked, const struct points_asked *points)
{
    struct answer *answer = asked->answer = answer_create(asked->question);
    ws_status status = ask_points(asked, points);
    answer_destroy(answer);
    return status;
}
