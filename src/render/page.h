// SPDX-License-Identifier: Apache-2.0
/* Lines of a text report: counted, with colour where it is wanted. */
#ifndef RENDER_PAGE_H
#define RENDER_PAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "warpsage/warpsage.h"

struct page {
    struct strbuf *out;
    unsigned width, lines;
    unsigned reserved; /* lines of the report that are kept for what follows */
    unsigned columns;  /* that the reader has; 0: unknown. Blocks that can be wide use them */
    ws_details details;
    bool utf8, colour;
    bool clips; /* lines are cut at the width, not wrapped: what else would exceed the screen */
    bool
        opencl; /* words of CUDA become OpenCL's: work-group, work-item, local and private memory */
};

/* One line; reflow_text wraps what goes beyond the width, up to three lines of the usual width, unless it clips. Control characters become spaces. */
void page_line(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Lines that what takes `lines` of 96 columns may have here: more where lines are shorter. */
unsigned page_lines_for(const struct page *page, unsigned lines);
void page_blank(struct page *page);
/* `text` wrapped at words behind `lead`, which fills the first columns of the first line; further
 * lines are indented as far. At most max_lines lines of 96 columns: what goes beyond them is cut and marked. */
void page_wrap(struct page *page, const char *lead, const char *text, unsigned max_lines);

/* Length of the part of text that goes into `room` columns, cut at a space if there is one. */
size_t page_fitting(const char *text, size_t room);

/* The same without an end, with ten columns of indentation however long the lead; in 96 columns if the reader's
 * are unknown. */
void page_fill(struct page *page, const char *lead, const char *text);

/* `text` with CUDA's words replaced by OpenCL's, to be freed with mem_free. */
char *page_opencl_words(const char *text);

/* "0-2, 4, 7-9" in ascending order; "none". */
void page_put_ranges(struct strbuf *out, const uint64_t *values, size_t count);

/* Appends a bar of `columns` columns, of which `filled` are. */
void page_put_bar(const struct page *page, struct strbuf *out, unsigned filled, unsigned columns);

enum { BAR_COLUMNS = 20 };
/* A bar of BAR_COLUMNS columns for a fraction; `out` needs 4 * BAR_COLUMNS + 1 bytes. */
void page_bar(const struct page *page, double fraction, char *out);

/* Start and end of a colour by how near to the limit a fraction is; "" without colour. */
const char *page_heat(const struct page *page, double fraction);
const char *page_heat_end(const struct page *page);

#endif
