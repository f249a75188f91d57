// SPDX-License-Identifier: Apache-2.0
/* Many points of `analyze`: one kernel, one model, figures of the machine that vary. Beside the model nothing is
 * worked out: no gains, no advice, no tree. */
#include <math.h>

#include "answer/analyze.h"
#include "base/figure.h"

struct analyze_point {
    double time_seconds, occupancy;
};

#define FIGURE_FILE "answer/figures/analyze_point.def"
#include "base/figure_tables.h"

static const char *varied(size_t index)
{
    return machine_key_infos[index].path;
}

struct analyze_sweep {
    const struct profile *profile;
    const struct machine *machine;
    struct machine *changed;
    struct predict_options options;
    struct prediction *prediction; /* used again for each point */
    struct analyze_point point;
};

static void release(void *prediction)
{
    prediction_clear(prediction);
}

static ws_status begin(struct asked *asked, void **out)
{
    struct analyze_sweep *sweep = ARENA_ARRAY(&asked->answer->arena, struct analyze_sweep, 1);
    TRY(asked_predict_options(asked, &sweep->options));
    TRY(asked_model(asked, &sweep->options.only));
    if (!sweep->options.only || asked->profile_count != 1)
        return diag_error(asked->diag, WS_ERR_ARGUMENT,
                          "points of analyze take one profile and the input model");
    sweep->profile = asked->profiles[0];
    sweep->machine = asked->machines[0];
    sweep->changed = ARENA_ARRAY(&asked->answer->arena, struct machine, 1);
    sweep->prediction = ARENA_ARRAY(&asked->answer->arena, struct prediction, 1);
    answer_own(asked->answer, release, sweep->prediction);
    sweep->options.without_gains = sweep->options.without_details = true;
    sweep->options.only_figures = true;
    sweep->options.without_traces = !model_find(sweep->options.only)->needs_trace;
    *out = sweep;
    return WS_OK;
}

static void read_point(const struct prediction *prediction, struct analyze_point *out)
{
    const struct estimate *estimate = prediction_find(prediction, prediction->options.only);
    *out = (struct analyze_point){.time_seconds = estimate ? estimate->time_seconds : NAN,
                                  .occupancy = prediction->occupancy.fraction};
}

/* A machine for which there is no answer has none; the next may have. */
static ws_status at_point(struct diag *diag, void *state, const double *values, const void **out)
{
    struct analyze_sweep *sweep = state;
    machine_copy_fields(sweep->changed, sweep->machine);
    for (unsigned key = 0; key < MACHINE_KEY_COUNT; key++)
        if (!isnan(values[key])) TRY(machine_set_value(diag, sweep->changed, key, values[key]));
    sweep->point = (struct analyze_point){NAN, NAN};
    *out = &sweep->point;
    ws_status status = model_predict_again(diag, sweep->profile, sweep->changed, &sweep->options,
                                           sweep->prediction);
    if (status == WS_OK) read_point(sweep->prediction, &sweep->point);
    if (status != WS_ERR_NO_MODEL && status != WS_ERR_LAUNCH) return status;
    diag_clear(diag);
    return WS_OK;
}

const struct question_points analyze_points = {
    .input = varied,
    .input_count = MACHINE_KEY_COUNT,
    .record = &record_analyze_point,
    .begin = begin,
    .at = at_point,
};
