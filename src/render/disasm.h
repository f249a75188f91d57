// SPDX-License-Identifier: Apache-2.0
/* Machine code as text and JSON (`warpsage disasm`). */
#ifndef RENDER_DISASM_H
#define RENDER_DISASM_H

#include "base/source_files.h"
#include "decode/native/listing.h"

struct disasm {
    /* What to show. */
    bool is_json;
    bool shows_source, shows_ptx; /* text: between the instructions; JSON has both numbers */
    ws_write_fn *write;
    void *user;
    /* What was written. */
    uint64_t functions, instructions, unknown;
    bool failed; /* to write */

    struct strbuf out; /* for disasm.c */
    struct json_out *json;
    struct source_files sources;
    const char *
        *ptx_lines; /* of the cubin that is written: where each begins; NULL: not yet known */
    uint32_t ptx_line_count;
};

/* `name` is the file's. Calls in this order, disasm_write once a cubin. WS_ERR_IO: write refused. */
void disasm_begin(struct disasm *d, const char *name);
void disasm_write(struct disasm *d, struct listing *listing);
ws_status disasm_end(struct disasm *d, struct diag *diag);
/* Frees what is left; also if memory ran out between the others. */
void disasm_clear(struct disasm *d);

/* The parts of both forms. */
void disasm_flush(struct disasm *d);
void disasm_text_function(struct disasm *d, const struct listing *listing,
                          const struct listing_item *item, const struct listing_row *rows,
                          size_t count);
void disasm_json_function(struct disasm *d, const struct listing *listing,
                          const struct listing_item *item, const struct listing_row *rows,
                          size_t count);

#endif
