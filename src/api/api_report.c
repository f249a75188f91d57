// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include "api/pipeline.h"
#include "base/float_state.h"
#include "render/report.h"

struct analysed {
    const struct profile *profile;
    size_t machine_count;
    struct prediction **predictions;
    struct diagnosis **diagnoses;
};

struct ws_report {
    ws_context *context;
    struct analysed *kernels;
    size_t count, capacity;
};

ws_status ws_report_create(ws_context *context, ws_report **out)
{
    STANDARD_FLOATS;
    API_CALL_OUT(context, out)
    *out = mem_zalloc(1, sizeof **out);
    (*out)->context = context;
    return WS_OK;
}

static void analysed_clear(struct analysed *kernel)
{
    for (size_t i = 0; i < kernel->machine_count; i++) {
        diagnosis_destroy(kernel->diagnoses[i]);
        prediction_destroy(kernel->predictions[i]);
    }
    mem_free(kernel->predictions);
    mem_free(kernel->diagnoses);
}

void ws_report_destroy(ws_report *report)
{
    if (!report) return;
    for (size_t i = 0; i < report->count; i++)
        analysed_clear(&report->kernels[i]);
    mem_free(report->kernels);
    mem_free(report);
}

ws_status ws_report_add(ws_report *report, const ws_profile *profile,
                        const ws_machine *const *machines, size_t machine_count,
                        const ws_predict_options *options)
{
    STANDARD_FLOATS;
    API_CALL(report->context)
    struct analysed kernel = {
        .profile = profile->profile,
        .predictions = mem_zalloc(machine_count, sizeof *kernel.predictions),
        .diagnoses = mem_zalloc(machine_count, sizeof *kernel.diagnoses),
    };
    for (size_t i = 0; i < machine_count; i++) {
        ws_status status = pipeline_analyse(report->context, profile, machines[i], options,
                                            &kernel.predictions[i], &kernel.diagnoses[i]);
        if (status != WS_OK) {
            analysed_clear(&kernel);
            return status;
        }
        kernel.machine_count = i + 1;
    }
    GROW(report->kernels, report->count, report->capacity);
    report->kernels[report->count++] = kernel;
    return WS_OK;
}

static struct report_kernel view_kernel(struct arena *arena, const struct analysed *kernel)
{
    struct report_machine *machines =
        ARENA_ARRAY(arena, struct report_machine, kernel->machine_count);
    for (size_t i = 0; i < kernel->machine_count; i++)
        machines[i] = (struct report_machine){kernel->predictions[i], kernel->diagnoses[i]};
    return (struct report_kernel){
        .profile = kernel->profile,
        .machine_count = kernel->machine_count,
        .machines = machines,
    };
}

ws_status ws_report_write(const ws_report *report, const ws_report_options *options,
                          ws_write_fn *write, void *user)
{
    STANDARD_FLOATS;
    API_CALL(report->context)
    struct diag *diag = &report->context->diag;
    ws_report_options complete = {.size = sizeof complete, .details = WS_DETAILS_NORMAL};
    struct arena arena = {0};
    struct strbuf text = {0};
    if (options) {
        TRY(handle_check_size(diag, "ws_report_options", options->size, sizeof *options));
        complete = *options;
    }
    bool cuts = complete.details != WS_DETAILS_QUIET;
    if (!complete.width && cuts) complete.width = 96;
    struct report_kernel *kernels = ARENA_ARRAY(&arena, struct report_kernel, report->count);
    for (size_t i = 0; i < report->count; i++)
        kernels[i] = view_kernel(&arena, &report->kernels[i]);
    struct report_view view = {report->count, kernels, &complete};
    ws_status status = report_write(diag, &view, &text);
    if (status == WS_OK && text.length && !write(user, text.data, text.length))
        status = diag_error(diag, WS_ERR_IO, "the report could not be written");
    strbuf_clear(&text);
    arena_clear(&arena);
    return status;
}
