// SPDX-License-Identifier: Apache-2.0
#include "render/report.h"

#include "render/writers.h"

static const struct {
    ws_format format;
    report_writer *write;
} writers[] = {
#define WRITER(format, function) {format, function},
#include "render/writers.def"
#undef WRITER
};

ws_status report_write(struct diag *diag, const struct report_view *view, struct strbuf *out)
{
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        if (writers[i].format != view->options->format) continue;
        writers[i].write(view, out);
        return WS_OK;
    }
    return diag_error(diag, WS_ERR_ARGUMENT, "no report writer for format %d",
                      (int)view->options->format);
}

const struct estimate *report_best(const struct report_machine *machine)
{
    const struct prediction *prediction = machine->prediction;
    return prediction->estimate_count ? &prediction->estimates[prediction->best] : NULL;
}

const struct estimate *report_bound(const struct report_machine *machine)
{
    return prediction_of(machine->prediction, MODEL_SPEED_OF_LIGHT);
}
