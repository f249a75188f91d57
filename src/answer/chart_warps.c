// SPDX-License-Identifier: Apache-2.0
/* A launch against the number of warps on an SM: its throughput by the model that simulates warps (Lai and
 * Seznec's figures 4 to 7), MWP and CWP by theirs (Hong and Kim). */
#include <math.h>
#include <string.h>

#include "answer/charts.h"

/* Why a model gave no estimate; NULL: it is not known. */
static const char *refusal_of(const struct prediction *prediction, enum model_id id)
{
    for (size_t i = 0; i < prediction->refusal_count; i++)
        if (!strcmp(prediction->refusals[i].model, models[id]->name))
            return prediction->refusals[i].reason;
    return NULL;
}

static const char *lack_of(struct arena *arena, const struct prediction *prediction,
                           enum model_id id)
{
    const char *refusal = refusal_of(prediction, id);
    return refusal ? arena_format(arena, "%s: %s", models[id]->name, refusal)
                   : arena_format(arena, "%s does not answer", models[id]->name);
}

/* The launch has the same work whatever number of warps is resident: its time grows as the throughput of an
 * SM falls. With the warps of the launch it is the predicted time. */
const struct warp_scaling *chart_scaling(struct arena *arena, const struct prediction *prediction,
                                         const char **out_reason)
{
    const struct estimate *teg = prediction_of(prediction, MODEL_TEG);
    const struct warp_waits *waits = teg ? estimate_details(teg, MODEL_TEG) : NULL;
    *out_reason = NULL;
    if (!waits || !waits->scaling_count) {
        *out_reason = prediction->options.effects_off ? CHART_EFFECTS_OFF
                                                      : lack_of(arena, prediction, MODEL_TEG);
        return NULL;
    }
    struct warp_scaling *out = ARENA_ARRAY(arena, struct warp_scaling, 1);
    const struct scaling_point *here = &waits->scaling[waits->scaling_count - 1];
    out->model = teg->model;
    out->seconds = teg->time_seconds;
    out->count = waits->scaling_count;
    out->rows = ARENA_ARRAY(arena, struct warp_scaling_row, out->count);
    for (size_t i = 0; i < out->count; i++) {
        const struct scaling_point *point = &waits->scaling[i];
        double relative = point->ipc / here->ipc;
        out->rows[i] = (struct warp_scaling_row){point, relative, point->ipc / waits->scaling->ipc,
                                                 out->seconds / relative, point == here};
    }
    return out;
}

const struct parallelism_chart *
chart_parallelism(struct arena *arena, const struct prediction *prediction, const char **out_reason)
{
    const struct estimate *mwp = prediction_of(prediction, MODEL_MWP_CWP);
    const struct estimate *bound = prediction_of(prediction, MODEL_SPEED_OF_LIGHT);
    const struct warp_parallelism *curve = mwp ? estimate_details(mwp, MODEL_MWP_CWP) : NULL;
    *out_reason = NULL;
    if (!mwp) *out_reason = lack_of(arena, prediction, MODEL_MWP_CWP);
    if (mwp && !curve)
        *out_reason = prediction->options.effects_off
                          ? CHART_EFFECTS_OFF
                          : "the kernel does not access global or local memory";
    if (!curve) return NULL;
    struct parallelism_chart *out = ARENA_ARRAY(arena, struct parallelism_chart, 1);
    bool is_raised = bound && mwp->time_seconds >= bound->time_seconds;
    out->here = curve->here;
    out->count = curve->count;
    out->rows = ARENA_ARRAY(arena, struct parallelism_point, out->count + 1);
    for (size_t i = 0; i < out->count; i++) {
        out->rows[i] = curve->points[i];
        if (is_raised) out->rows[i].seconds = fmax(out->rows[i].seconds, bound->time_seconds);
    }
    return out;
}
