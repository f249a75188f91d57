// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/pipeline.h"
#include "base/float_state.h"
#include "model/power/core_sweep.h"

_Static_assert((int)POWER_METRIC_COUNT == (int)WS_POWER_METRICS, "the same metrics");

/* ---- number of cores ------------------------------------------------------------------------- */

static ws_core_point copy_point(const struct core_sweep_point *point)
{
    return (ws_core_point){
        .cores = (unsigned)point->point.cores,
        .active_sms = point->active_sms,
        .time_seconds = point->point.seconds,
        .bytes_per_second = point->bytes_per_second,
        .inst_per_second = point->inst_per_second,
        .runtime_watts = point->point.runtime_watts,
        .gpu_watts = point->point.gpu_watts,
        .gated_watts = point->point.gated_watts,
        .sms_watts = point->sms_watts,
        .memory_watts = point->memory_watts,
        .case_number = point->case_number,
        .bottleneck = component_words(point->bottleneck),
    };
}

static void copy_summary(const struct core_sweep *sweep, ws_core_summary *out)
{
    *out = (ws_core_summary){
        .size = out->size,
        .time_model = sweep->time_model,
        .time_factor = sweep->time_factor,
        .all = copy_point(&sweep->all),
        .no_closed_form = sweep->no_closed_form,
        .closed_cores = sweep->closed.cores,
        .closed_exact = sweep->closed.exact,
        .closed_reason = sweep->closed.why,
        .mwp = sweep->terms.mwp,
        .cwp = sweep->terms.cwp,
        .n = sweep->terms.n,
        .mwp_peak_bw = sweep->terms.mwp_peak_bw,
    };
    for (size_t i = 0; i < POWER_METRIC_COUNT; i++) {
        const struct core_point *best = &sweep->points[sweep->best[i]].point;
        out->best[i] = (unsigned)best->cores;
        out->saving[i] = core_point_saving(best, &sweep->all.point, (enum power_metric)i);
    }
}

ws_status ws_power_cores(ws_context *context, const ws_profile *profile, const ws_machine *machine,
                         const ws_predict_options *options, unsigned first, unsigned last,
                         ws_core_point *out, size_t capacity, size_t *out_count,
                         ws_core_summary *out_summary)
{
    STANDARD_FLOATS;
    API_CALL(context)
    struct diag *diag = &context->diag;
    struct predict_options inner;
    struct arena arena = {0};
    struct core_sweep *sweep = NULL;
    *out_count = 0;
    TRY(handle_check_size(diag, "ws_core_summary", out_summary->size, sizeof *out_summary));
    ws_status status = pipeline_read_options(context, options, &arena, &inner);
    inner.without_gains = true;
    if (status == WS_OK)
        status =
            core_sweep_run(diag, profile->profile, machine->machine, &inner, first, last, &sweep);
    arena_clear(&arena);
    if (status != WS_OK) return status;
    core_sweep_destroy(context->last_sweep);
    context->last_sweep = sweep;
    for (size_t i = 0; i < sweep->count && i < capacity; i++)
        out[i] = copy_point(&sweep->points[i]);
    *out_count = sweep->count;
    copy_summary(sweep, out_summary);
    return WS_OK;
}
