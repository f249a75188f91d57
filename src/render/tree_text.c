// SPDX-License-Identifier: Apache-2.0
/* Any answer as text: the parts of its view in their order. */
#include "render/views.h"

void render_text(const struct answer *answer, const struct render_options *options,
                 struct strbuf *out)
{
    enum { NO_LIMIT = 1 << 20 };
    const struct view *view = view_find(answer->question);
    struct page page = {
        .out = out,
        .width = NO_LIMIT,
        .columns = options->width,
        .details = options->details,
        .utf8 = options->utf8,
        .colour = options->colour,
    };
    for (size_t i = 0; i < view->part_count; i++) {
        const struct node *node = node_find(&answer->root, view->parts[i].path);
        if (node && node_is_known(node)) view->parts[i].compose(&page, node);
    }
}
