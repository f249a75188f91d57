// SPDX-License-Identifier: Apache-2.0
/* A listing for programs: schemas/disasm.schema.json. */
#include <inttypes.h>
#include <stdio.h>

#include "render/disasm.h"
#include "render/json_out.h"

static void put_triple(struct json_out *json, const char *key, const uint32_t values[3])
{
    if (!values[0]) {
        json_out_null(json, key);
        return;
    }
    json_out_open(json, key, '[');
    for (unsigned i = 0; i < 3; i++)
        json_out_count(json, NULL, values[i]);
    json_out_close(json, ']');
}

static void put_parameters(struct json_out *json, const struct cubin_function *f)
{
    json_out_count(json, "parameter_offset", f->parameter_offset);
    json_out_open(json, "parameters", '[');
    for (uint32_t i = 0; i < f->parameter_count; i++) {
        json_out_open(json, NULL, '{');
        json_out_count(json, "offset", f->parameters[i].offset);
        json_out_count(json, "bytes", f->parameters[i].size);
        json_out_close(json, '}');
    }
    json_out_close(json, ']');
}

static void put_head(struct json_out *json, const struct cubin *cubin,
                     const struct cubin_function *f)
{
    json_out_string(json, "name", f->name);
    json_out_string(json, "display_name", f->display_name);
    json_out_string(json, "kind", f->is_entry ? "kernel" : "function");
    json_out_count(json, "target", cubin->target);
    json_out_string(json, "section", cubin->sections[f->section].name);
    json_out_count(json, "registers", f->registers);
    json_out_count(json, "shared_bytes", f->shared_bytes);
    json_out_count(json, "frame_bytes", f->frame_bytes);
    json_out_count(json, "stack_bytes", f->stack_bytes);
    json_out_count(json, "barriers", f->barriers);
    put_triple(json, "required_threads", f->required_threads);
    put_triple(json, "max_threads", f->max_threads);
    put_triple(json, "cluster", f->cluster);
    if (f->is_entry) put_parameters(json, f);
}

static void put_counter(struct json_out *json, const char *key, unsigned counter)
{
    enum { NO_COUNTER = 7 };
    if (counter == NO_COUNTER)
        json_out_null(json, key);
    else
        json_out_count(json, key, counter);
}

static void put_control(struct json_out *json, const struct native_control *control)
{
    json_out_open(json, "control", '{');
    json_out_count(json, "stall", control->stall);
    json_out_bool(json, "yield", control->yield);
    put_counter(json, "write_counter", control->write_counter);
    put_counter(json, "read_counter", control->read_counter);
    json_out_count(json, "awaited", control->awaited);
    json_out_count(json, "reuse", control->reuse);
    json_out_close(json, '}');
}

static void put_relocation(struct json_out *json, const struct cubin *cubin,
                           const struct cubin_relocation *relocation)
{
    json_out_open(json, "relocation", '{');
    json_out_string(json, "type", cubin_relocation_kind(relocation->type)->name);
    json_out_string(json, "symbol", cubin->symbols[relocation->symbol].name);
    json_out_number(json, "addend", (double)relocation->addend);
    json_out_close(json, '}');
}

static void put_row(struct json_out *json, const struct cubin *cubin, const struct listing_row *row)
{
    char word[40];
    snprintf(word, sizeof word, "0x%016" PRIx64 "%016" PRIx64, row->word.high, row->word.low);
    json_out_open(json, NULL, '{');
    json->in_line = true;
    json_out_count(json, "offset", row->offset);
    json_out_string(json, "word", word);
    json_out_string(json, "text", row->is_known ? row->text : NULL);
    if (row->label) json_out_string(json, "label", row->label);
    put_control(json, &row->control);
    if (row->line) {
        const struct cubin_file *file = &cubin->files[row->line->file];
        if (file->folder) json_out_string(json, "folder", file->folder);
        json_out_string(json, "file", file->name);
        json_out_count(json, "line", row->line->line);
    }
    if (row->ptx_line) json_out_count(json, "ptx_line", row->ptx_line->line);
    if (row->relocation) put_relocation(json, cubin, row->relocation);
    json_out_close(json, '}');
    json->in_line = false;
}

void disasm_json_function(struct disasm *d, const struct listing *listing,
                          const struct listing_item *item, const struct listing_row *rows,
                          size_t count)
{
    struct json_out *json = d->json;
    json_out_open(json, NULL, '{');
    put_head(json, listing->cubin, item->function);
    json_out_open(json, "instructions", '[');
    for (size_t i = 0; i < count; i++)
        put_row(json, listing->cubin, &rows[i]);
    json_out_close(json, ']');
    json_out_close(json, '}');
}
