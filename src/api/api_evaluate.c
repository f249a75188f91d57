// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "api/handles.h"
#include "base/float_state.h"
#include "base/text.h"
#include "model/closed_form/closed_form.h"
#include "model/quantitative.h"

ws_status ws_model_evaluate(ws_context *context, const char *function, const ws_input *inputs,
                            size_t input_count, ws_term *out, size_t capacity, size_t *out_count)
{
    STANDARD_FLOATS;
    API_CALL(context)
    return model_evaluate(&context->diag, function, inputs, input_count, out, capacity, out_count);
}

const char *ws_model_function(size_t index)
{
    return model_function(index);
}

const char *ws_effect_name(size_t index)
{
    return index < EFFECT_COUNT ? effect_infos[index].id : NULL;
}

bool ws_model_knows(const char *model, const char *effect)
{
    const struct model *found = model_find(model);
    int index = effect_find(effect);
    return found && index >= 0 && (found->effects >> index & 1);
}

static ws_status unknown_term(ws_context *context, const struct estimate *estimate, const char *id)
{
    API_CALL(context)
    const char *names[TERMS_MAX];
    struct arena arena = {0};
    for (size_t i = 0; i < estimate->term_count; i++)
        names[i] = estimate->terms[i].id;
    const char *near = text_nearest(&arena, id, names, estimate->term_count);
    diag_error(&context->diag, WS_ERR_ARGUMENT, "%s gave no term '%s' for this kernel%s%s",
               estimate->model, id, *near ? ": perhaps " : "", near);
    arena_clear(&arena);
    return WS_ERR_ARGUMENT;
}

static ws_status find_estimate(ws_context *context, const char *model, const struct estimate **out)
{
    struct diag *diag = &context->diag;
    const struct prediction *prediction = context->last_prediction;
    if (!prediction)
        return diag_error(diag, WS_ERR_ARGUMENT, "no prediction yet: call ws_predict first");
    *out = prediction_find(prediction, model);
    return *out ? WS_OK
                : diag_error(diag, WS_ERR_NO_MODEL, "%s did not answer in the last prediction",
                             model);
}

ws_status ws_estimate_term(ws_context *context, const char *model, const char *id, double *out)
{
    STANDARD_FLOATS;
    const struct estimate *estimate;
    *out = 0;
    TRY(find_estimate(context, model, &estimate));
    const struct term *term = estimate_term(estimate, id);
    if (!term) return unknown_term(context, estimate, id);
    *out = term->value;
    return WS_OK;
}

ws_status ws_estimate_next(ws_context *context, const char *model, const char **out)
{
    STANDARD_FLOATS;
    const struct estimate *estimate;
    *out = "";
    TRY(find_estimate(context, model, &estimate));
    *out = component_words(estimate->next);
    return WS_OK;
}

ws_status ws_estimate_stages(ws_context *context, const char *model, ws_stage_estimate *out,
                             size_t capacity, size_t *out_count, bool *out_overlap)
{
    STANDARD_FLOATS;
    const struct estimate *estimate;
    *out_count = 0;
    if (out_overlap) *out_overlap = false;
    TRY(find_estimate(context, model, &estimate));
    const struct stage_times *times = estimate_details(estimate, MODEL_QUANTITATIVE);
    if (!times) return WS_OK;
    for (size_t i = 0; i < times->count && i < capacity; i++) {
        const struct stage_estimate *stage = &times->stages[i];
        out[i] = (ws_stage_estimate){.index = stage->index,
                                     .warps = stage->warps,
                                     .inst_seconds = stage->inst_seconds,
                                     .smem_seconds = stage->smem_seconds,
                                     .gmem_seconds = stage->gmem_seconds,
                                     .bottleneck = component_words(stage->bottleneck),
                                     .next = component_words(stage->next)};
    }
    *out_count = times->count;
    if (out_overlap) *out_overlap = times->overlap;
    return WS_OK;
}
