// SPDX-License-Identifier: Apache-2.0
#include "render/render.h"

#include "render/views.h"

ws_status render_answer(struct diag *diag, const struct answer *answer, ws_format format,
                        const struct render_options *options, struct strbuf *out)
{
    static const struct {
        ws_format format;
        render_fn *write;
    } formats[] = {
#define FORMAT(id, function) {id, function},
#include "render/formats.def"
#undef FORMAT
    };
    const struct view *view = view_find(answer->question);
    bool has_view =
        format == WS_FORMAT_JSON ||
        (view && (format == WS_FORMAT_TEXT ? view->part_count : view->csv || view->series));
    for (size_t i = 0; has_view && i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].format != format) continue;
        formats[i].write(answer, options, out);
        return WS_OK;
    }
    return diag_error(diag, WS_ERR_ARGUMENT, "'%s' has no output in this format",
                      answer->question->name);
}
