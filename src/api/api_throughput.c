// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "api/pipeline.h"
#include "base/float_state.h"
#include "model/throughput/throughput_case.h"

_Static_assert((int)TP_INPUT_COUNT <= (int)WS_THROUGHPUT_INPUTS, "ws_throughput holds all inputs");
_Static_assert((int)TP_BOUNDS == (int)WS_THROUGHPUT_BOUNDS, "the same bounds");

/* ---- copies ---------------------------------------------------------------------------------- */

static bool is_given(const struct predict_options *options, const char *input)
{
    for (size_t i = 0; i < options->option_count; i++)
        if (!strncmp(options->options[i].key, "tp.", 3) &&
            !strcmp(options->options[i].key + 3, input))
            return true;
    return false;
}

static void copy_inputs(const struct tp_case *c, const struct predict_options *options,
                        ws_throughput *out)
{
    for (unsigned i = 0; i < TP_INPUT_COUNT; i++) {
        bool given = is_given(options, tp_input_infos[i].id);
        bool counted = i != TP_INPUT_BYTES && i != TP_INPUT_DISTANCE;
        if (!given && !counted && !(tp_case_input(c, i) > 0)) continue;
        out->inputs[out->input_count].name = tp_input_infos[i].id;
        out->inputs[out->input_count].text = tp_input_infos[i].text;
        out->inputs[out->input_count].value = tp_case_input(c, i);
        out->inputs[out->input_count++].given = given;
    }
}

static void copy_bounds(const struct tp_case *c, ws_throughput *out)
{
    for (size_t i = 0; i < TP_BOUNDS; i++) {
        const struct tp_bound_info *info = &tp_bound_infos[i];
        struct tp_case bound = *c;
        struct tp_terms t;
        if (info->cache == TP_CACHE_MEASURED && !c->has_caches) continue;
        bound.cache = info->cache;
        tp_case_evaluate(&bound, &t);
        out->bounds[out->bound_count].name = info->id;
        out->bounds[out->bound_count].text = info->text;
        out->bounds[out->bound_count].perf_flops = t.perf;
        out->bounds[out->bound_count].warp_rate = tp_case_warp_rate(&bound, &t);
        out->bounds[out->bound_count++].category = (unsigned)t.category;
    }
}

static void copy_memory(const struct tp_case *c, const struct tp_terms *t, ws_throughput *out)
{
    const struct tp_category_info *category = &tp_category_infos[t->category - 1];
    struct tp_suggestion s = tp_suggest(t, c->device.cores, c->program.n);
    out->has_memory = true;
    out->eff_mem_cycles = t->eff_mem;
    out->eff_comp_cycles = t->eff_comp;
    out->idle_cycles = t->idle;
    out->hidden = t->hidden;
    out->mwp_app_infin = t->mwp_app_infin;
    out->mwp_app = t->mwp_app;
    out->mwp_bw = t->mwp_bw;
    out->mwp_proc = t->mwp_proc;
    out->mwp = t->mwp;
    out->category = category->number;
    out->rank = category->rank;
    out->meaning = category->meaning;
    out->advice = category->advice;
    out->cores_exact = s.cores_exact;
    out->cores_suggested = (unsigned)s.cores;
    out->n_exact = s.n_exact;
    out->n_suggested = (unsigned)s.n;
    out->bandwidth_factor = s.alpha_bw;
    out->frequency_divisor = s.freq_factor;
}

static void copy_gains(const struct tp_case *c, ws_throughput *out)
{
    struct tp_gains gains = tp_case_gains(c);
    out->gain_core = gains.core;
    out->gain_warp = gains.warps;
    out->gain_cores = gains.cores;
    out->gain_bandwidth = gains.bandwidth;
    out->gain_memory = gains.memory;
    out->gain_computation = gains.computation;
}

static void copy_case(const struct tp_case *c, const struct estimate *estimate,
                      const struct predict_options *options, ws_throughput *out)
{
    struct tp_terms t;
    tp_case_evaluate(c, &t);
    /* Rates are those of the time, which may have been raised to the speed of light. */
    double raised =
        estimate->model_seconds > 0 ? estimate->time_seconds / estimate->model_seconds : 1;
    *out = (ws_throughput){
        .size = out->size,
        .time_seconds = estimate->time_seconds,
        .cores = c->device.cores,
        .n = c->program.n,
        .has_flops = t.peak_achi > 0,
        .peak_flops = t.peak_achi,
        .perf_flops = t.perf / raised,
        .warp_rate = tp_case_warp_rate(c, &t) / raised,
        .eff_ratio_comp = t.eff_ratio_comp,
        .eff_ratio = t.eff_ratio / raised,
        .dep_effect = t.dep_effect,
        .assumption_count = estimate->assumption_count,
        .assumptions = estimate->assumptions,
    };
    copy_inputs(c, options, out);
    copy_bounds(c, out);
    if (t.category) copy_memory(c, &t, out);
    copy_gains(c, out);
}

/* ---- predictions ----------------------------------------------------------------------------- */

/* A prediction that holds the one estimate; there is no profile. */
static ws_status answer_by_hand(ws_context *context, const ws_machine *machine,
                                const ws_predict_options *options, struct prediction **out)
{
    struct predict_options inner;
    *out = mem_zalloc(1, sizeof **out);
    TRY(pipeline_read_options(context, options, &(*out)->arena, &inner));
    return throughput_by_hand(&context->diag, machine->machine, &inner, *out);
}

/* Of GPUs: what answers for CPUs has no case. */
static const struct estimate *find_case(const struct prediction *prediction)
{
    const struct estimate *estimate = prediction_of(prediction, MODEL_THROUGHPUT);
    return estimate && estimate->details ? estimate : NULL;
}

ws_status ws_throughput_predict(ws_context *context, const ws_profile *profile,
                                const ws_machine *machine, const ws_predict_options *options,
                                ws_throughput *out)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct prediction *prediction = NULL;
    ws_predict_options only = {.size = sizeof only};
    TRY(handle_check_size(&context->diag, "ws_throughput", out->size, sizeof *out));
    if (options) only = *options;
    only.only = models[MODEL_THROUGHPUT]->name;
    context_keep_prediction(context, NULL);
    ws_status status = profile
                           ? pipeline_predict(context, profile, machine, &only, false, &prediction)
                           : answer_by_hand(context, machine, &only, &prediction);
    const struct estimate *estimate = status == WS_OK ? find_case(prediction) : NULL;
    if (status == WS_OK && !estimate)
        status = diag_error(&context->diag, WS_ERR_NO_MODEL,
                            "%s: the questions of the throughput model are answered for GPUs",
                            machine->machine->name);
    if (status != WS_OK) {
        if (prediction) prediction_destroy(prediction);
        return status;
    }
    context_keep_prediction(context, prediction);
    copy_case(estimate->details, estimate, &prediction->options, out);
    return WS_OK;
}

ws_status ws_throughput_points(ws_context *context, ws_throughput_point *points, size_t count)
{
    STANDARD_FLOATS;
    API_CALL(context)
    const struct estimate *estimate =
        context->last_prediction ? find_case(context->last_prediction) : NULL;
    if (!estimate)
        return diag_error(&context->diag, WS_ERR_ARGUMENT,
                          "ws_throughput_points: ws_throughput_predict comes before");
    struct tp_case c = *(const struct tp_case *)estimate->details;
    for (size_t i = 0; i < count; i++) {
        struct tp_terms t;
        ws_throughput_point *point = &points[i];
        if (!(point->cores > 0) || !(point->n > 0))
            return diag_error(&context->diag, WS_ERR_ARGUMENT,
                              "ws_throughput_points: cores and n must be above 0");
        c.device.cores = point->cores;
        c.program.n = point->n;
        tp_case_evaluate(&c, &t);
        point->perf_flops = t.perf;
        point->warp_rate = tp_case_warp_rate(&c, &t);
        point->eff_ratio = t.eff_ratio;
        point->mwp_app = t.category ? t.mwp_app : 0;
        point->mwp_bw = t.category ? t.mwp_bw : 0;
        point->category = (unsigned)t.category;
    }
    return WS_OK;
}

const char *ws_throughput_input(size_t index)
{
    return index < TP_INPUT_COUNT ? tp_input_infos[index].id : NULL;
}
