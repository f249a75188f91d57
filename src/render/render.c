// SPDX-License-Identifier: Apache-2.0
#include "render/render.h"

#include <string.h>

#include "render/views.h"

static bool has_table(const struct answer *answer, ws_format format, const char *name)
{
    const struct view *view = view_find(answer->question);
    const struct node *node = node_find(&answer->root, name);
    if (format == WS_FORMAT_JSON) return node && node->kind == FIGURE_IS_TABLE;
    for (size_t i = 0; view && i < view->csv_count; i++)
        if (view->csv[i].name && !strcmp(view->csv[i].name, name)) return true;
    return false;
}

static bool has_format(const struct view *view, ws_format format)
{
    switch (format) {
    case WS_FORMAT_TEXT:
        return view->part_count > 0;
    case WS_FORMAT_CSV:
        return view->csv || view->series || view->write_csv;
    case WS_FORMAT_SVG:
        return view->svg != NULL;
    case WS_FORMAT_MARKDOWN:
        return view->markdown != NULL;
    case WS_FORMAT_SARIF:
        return view->sarif != NULL;
    case WS_FORMAT_JUNIT:
        return view->junit != NULL;
    default:
        return true;
    }
}

void render_svg(const struct answer *answer, const struct render_options *options,
                struct strbuf *out)
{
    view_find(answer->question)->svg(answer, options, out);
}

void render_markdown(const struct answer *answer, const struct render_options *options,
                     struct strbuf *out)
{
    view_find(answer->question)->markdown(answer, options, out);
}

void render_sarif(const struct answer *answer, const struct render_options *options,
                  struct strbuf *out)
{
    view_find(answer->question)->sarif(answer, options, out);
}

void render_junit(const struct answer *answer, const struct render_options *options,
                  struct strbuf *out)
{
    view_find(answer->question)->junit(answer, options, out);
}

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
        format == WS_FORMAT_JSON || format == WS_FORMAT_HTML || (view && has_format(view, format));
    bool has_tables = format == WS_FORMAT_CSV || format == WS_FORMAT_JSON;
    if (has_tables && options->table && !has_table(answer, format, options->table))
        return diag_error(diag, WS_ERR_ARGUMENT, "'%s' has no table '%s'", answer->question->name,
                          options->table);
    for (size_t i = 0; has_view && i < sizeof formats / sizeof *formats; i++) {
        if (formats[i].format != format) continue;
        formats[i].write(answer, options, out);
        return WS_OK;
    }
    return diag_error(diag, WS_ERR_ARGUMENT, "'%s' does not support this format",
                      answer->question->name);
}
