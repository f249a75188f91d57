// SPDX-License-Identifier: Apache-2.0
#include "render/disasm.h"

#include "render/json_out.h"

/* In text a name of the file may not drive the terminal. */
static void hide_controls(struct strbuf *text)
{
    for (size_t i = 0; i < text->length; i++) {
        unsigned char c = (unsigned char)text->data[i];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) text->data[i] = '?';
    }
}

void disasm_flush(struct disasm *d)
{
    if (!d->is_json) hide_controls(&d->out);
    if (!d->failed && d->out.length && !d->write(d->user, d->out.data, d->out.length))
        d->failed = true;
    d->out.length = 0;
}

void disasm_begin(struct disasm *d, const char *name)
{
    if (!d->is_json) return;
    d->json = mem_zalloc(1, sizeof *d->json);
    d->json->out = &d->out;
    json_out_open(d->json, NULL, '{');
    json_out_string(d->json, "schema", "warpsage.disasm/1");
    json_out_string(d->json, "file", name);
    json_out_open(d->json, "functions", '[');
}

void disasm_write(struct disasm *d, struct listing *listing)
{
    mem_free(d->ptx_lines);
    d->ptx_lines = NULL;
    d->ptx_line_count = 0;
    for (uint32_t i = 0; i < listing->count && !d->failed; i++) {
        struct arena arena = {0};
        size_t count;
        const struct listing_row *rows = listing_read(listing, &arena, i, &count);
        if (d->is_json)
            disasm_json_function(d, listing, &listing->items[i], rows, count);
        else
            disasm_text_function(d, listing, &listing->items[i], rows, count);
        for (size_t k = 0; k < count; k++)
            d->unknown += !rows[k].is_known;
        d->functions++;
        d->instructions += count;
        disasm_flush(d);
        arena_clear(&arena);
    }
}

ws_status disasm_end(struct disasm *d, struct diag *diag)
{
    if (d->is_json) {
        json_out_close(d->json, ']');
        json_out_count(d->json, "instructions", d->instructions);
        json_out_count(d->json, "unknown_instructions", d->unknown);
        json_out_close(d->json, '}');
        strbuf_putc(&d->out, '\n');
    }
    disasm_flush(d);
    return d->failed ? diag_error(diag, WS_ERR_IO, "the listing cannot be written") : WS_OK;
}

void disasm_clear(struct disasm *d)
{
    source_files_clear(&d->sources);
    mem_free(d->ptx_lines);
    mem_free(d->json);
    strbuf_clear(&d->out);
    d->ptx_lines = NULL;
    d->json = NULL;
}
