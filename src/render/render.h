// SPDX-License-Identifier: Apache-2.0
/* Writers of answers: one file a format, one row in formats.def. They walk the tree and compute no
 * figure. */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "answer/answer.h"
#include "answer/question.h"
#include "base/strbuf.h"

struct render_options {
    ws_details details;
    unsigned width; /* columns of text; 0: the view's own */
    bool utf8, colour;
    const char *table;       /* of CSV or JSON Lines; NULL: the usual one, the whole answer */
    const char *source_root; /* of SARIF: paths begin here; NULL: nowhere */
};

typedef void render_fn(const struct answer *answer, const struct render_options *options,
                       struct strbuf *out);

#define FORMAT(id, function) render_fn function;
#include "render/formats.def"
#undef FORMAT

/* Appends the answer to `out`. WS_ERR_ARGUMENT: the question has no view in this format. */
ws_status render_answer(struct diag *diag, const struct answer *answer, ws_format format,
                        const struct render_options *options, struct strbuf *out);

/* JSON Schema (draft 2020-12) of what render_json writes for a question. */
void render_schema(const struct question *question, struct strbuf *out);

#endif
