// SPDX-License-Identifier: Apache-2.0
/* Any answer as text: the parts of its view in their order. */
#include "render/reflow.h"
#include "render/views.h"

void view_compose(const struct view *view, struct page *page, const struct node *root)
{
    for (size_t i = 0; i < view->part_count; i++) {
        const struct node *node = node_find(root, view->parts[i].path);
        if (node && node_is_known(node)) view->parts[i].compose(page, node);
    }
}

void render_text(const struct answer *answer, const struct render_options *options,
                 struct strbuf *out)
{
    enum { NO_LIMIT = 1 << 20 };
    unsigned columns = !options->width                 ? 0
                       : options->width < REFLOW_LEAST ? REFLOW_LEAST
                       : options->width > REFLOW_MOST  ? REFLOW_MOST
                                                       : options->width;
    size_t from = out->length;
    struct page page = {
        .out = out,
        .width = columns ? columns : NO_LIMIT,
        .columns = columns,
        .details = options->details,
        .utf8 = options->utf8,
        .colour = options->colour,
    };
    view_compose(view_find(answer->question), &page, &answer->root);
    if (page.width < NO_LIMIT) reflow_text(out, from, page.width);
}
