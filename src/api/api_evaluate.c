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

const char *ws_model_ablation(const char *model, size_t index)
{
    const struct model *found = model_find(model);
    for (size_t i = 0; found && found->ablations && found->ablations[i]; i++)
        if (i == index) return found->ablations[i];
    return NULL;
}
