// SPDX-License-Identifier: Apache-2.0
/* A listing for readers: a head for each function, then a line for each instruction. */
#include <inttypes.h>
#include <string.h>

#include "base/quantity.h"
#include "render/disasm.h"

static void put_count(struct strbuf *out, const char *before, uint64_t count, const char *noun,
                      const char *after)
{
    strbuf_printf(out, "%s%s%s", before, quantity_of((double)count, noun).text, after);
}

/* ---- heads ----------------------------------------------------------------------------------- */

static void put_limits(struct strbuf *out, const struct cubin_function *f)
{
    const uint32_t *r = f->required_threads, *m = f->max_threads;
    if (r[0]) strbuf_printf(out, "//   blocks of %u x %u x %u threads\n", r[0], r[1], r[2]);
    if (m[0])
        put_count(out, "//   at most ", (uint64_t)m[0] * m[1] * m[2], "thread", " per block\n");
    if (f->cluster[0])
        strbuf_printf(out, "//   clusters of %u x %u x %u blocks\n", f->cluster[0], f->cluster[1],
                      f->cluster[2]);
    if (f->max_cluster_rank)
        put_count(out, "//   clusters of at most ", f->max_cluster_rank, "block", "\n");
}

static void put_parameters(struct strbuf *out, const struct cubin_function *f)
{
    if (!f->parameter_count) return;
    strbuf_printf(out, "//   parameters from c[0x0][0x%x]:", f->parameter_offset);
    for (uint32_t i = 0; i < f->parameter_count; i++)
        strbuf_printf(out, "%s %u at +0x%x", i ? "," : "", f->parameters[i].size,
                      f->parameters[i].offset);
    strbuf_puts(out, " (bytes each)\n");
}

static void put_head(struct strbuf *out, const struct cubin *cubin, const struct cubin_function *f)
{
    bool has_alias = strcmp(f->name, f->display_name) != 0;
    strbuf_printf(out, "\n// %s %s%s%s%s\n", f->is_entry ? "kernel" : "function", f->display_name,
                  has_alias ? " (" : "", has_alias ? f->name : "", has_alias ? ")" : "");
    strbuf_printf(out, "//   sm_%u", cubin->target);
    put_count(out, ", ", f->registers, "register", "");
    if (f->is_entry) put_count(out, ", ", f->shared_bytes, "byte", " of static shared memory");
    put_count(out, ", ", f->frame_bytes, "byte", " of stack");
    if (f->stack_bytes > f->frame_bytes)
        put_count(out, " (", f->stack_bytes, "byte", " with calls)");
    if (f->barriers) put_count(out, ", ", f->barriers, "barrier", "");
    strbuf_puts(out, "\n");
    put_parameters(out, f);
    put_limits(out, f);
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* "0-2--- r1 w- y1  4 a--" */
static void put_control(struct strbuf *out, const struct native_control *control)
{
    enum { COUNTERS = 6, SLOTS = 3, NO_COUNTER = 7 };
    for (unsigned i = 0; i < COUNTERS; i++)
        strbuf_putc(out, control->awaited >> i & 1 ? (char)('0' + i) : '-');
    strbuf_printf(out, " r%c w%c y%c %2u ",
                  control->read_counter == NO_COUNTER ? '-' : '0' + control->read_counter,
                  control->write_counter == NO_COUNTER ? '-' : '0' + control->write_counter,
                  control->yield ? '1' : '0', control->stall);
    for (unsigned i = 0; i < SLOTS; i++)
        strbuf_putc(out, control->reuse >> i & 1 ? (char)('a' + i) : '-');
}

static void put_source(struct disasm *d, const struct cubin *cubin, const struct cubin_line *line)
{
    size_t size;
    const struct cubin_file *file = &cubin->files[line->file];
    const char *text = source_files_line(&d->sources, file->folder, file->name, line->line, &size);
    strbuf_printf(&d->out, "// %s:%u", file->name, line->line);
    if (line->inner_line != line->line || line->inner_file != line->file)
        strbuf_printf(&d->out, " (%s:%u)", cubin->files[line->inner_file].name, line->inner_line);
    if (text) {
        strbuf_puts(&d->out, "  ");
        strbuf_append(&d->out, text, size);
    }
    strbuf_putc(&d->out, '\n');
}

/* Where the lines of the cubin's PTX begin. */
static void find_ptx_lines(struct disasm *d, const struct cubin *cubin)
{
    uint32_t count = 1;
    if (!cubin->ptx || d->ptx_lines) return;
    for (size_t i = 0; i < cubin->ptx_size; i++)
        count += cubin->ptx[i] == '\n';
    d->ptx_lines = mem_zalloc(count, sizeof *d->ptx_lines);
    d->ptx_lines[0] = cubin->ptx;
    d->ptx_line_count = 1;
    for (size_t i = 0; i < cubin->ptx_size; i++)
        if (cubin->ptx[i] == '\n') d->ptx_lines[d->ptx_line_count++] = cubin->ptx + i + 1;
}

static void put_ptx(struct disasm *d, const struct cubin_line *line)
{
    strbuf_printf(&d->out, "// PTX:%u", line->line);
    if (line->line <= d->ptx_line_count) {
        const char *text = d->ptx_lines[line->line - 1];
        strbuf_puts(&d->out, "  ");
        strbuf_append(&d->out, text, strcspn(text, "\n"));
    }
    strbuf_putc(&d->out, '\n');
}

static bool is_same(const struct cubin_line *a, const struct cubin_line *b)
{
    return a && b && a->file == b->file && a->line == b->line && a->inner_file == b->inner_file &&
           a->inner_line == b->inner_line;
}

static void put_row(struct strbuf *out, const struct listing_row *row)
{
    if (row->label) strbuf_printf(out, "%s:\n", row->label);
    strbuf_printf(out, "  %04" PRIx64 "  ", row->offset);
    put_control(out, &row->control);
    strbuf_printf(out, "  %s", row->text);
    if (!row->is_known)
        strbuf_printf(out, " 0x%016" PRIx64 "%016" PRIx64, row->word.high, row->word.low);
    if (row->symbol) strbuf_printf(out, "  // %s", row->symbol);
    strbuf_putc(out, '\n');
}

void disasm_text_function(struct disasm *d, const struct listing *listing,
                          const struct listing_item *item, const struct listing_row *rows,
                          size_t count)
{
    const struct cubin_line *line = NULL, *ptx_line = NULL;
    if (d->shows_ptx) find_ptx_lines(d, listing->cubin);
    put_head(&d->out, listing->cubin, item->function);
    if (count && !rows[0].label) strbuf_printf(&d->out, "%s:\n", item->function->name);
    for (size_t i = 0; i < count; i++) {
        const struct listing_row *row = &rows[i];
        if (d->shows_source && row->line && !is_same(row->line, line))
            put_source(d, listing->cubin, row->line);
        if (d->shows_ptx && row->ptx_line && !is_same(row->ptx_line, ptx_line))
            put_ptx(d, row->ptx_line);
        line = row->line;
        ptx_line = row->ptx_line;
        put_row(&d->out, row);
    }
}
