// SPDX-License-Identifier: Apache-2.0
/* What stands where in the text and the CSV of an answer: a table for each question (views.def). */
#ifndef RENDER_VIEWS_H
#define RENDER_VIEWS_H

#include "render/page.h"
#include "render/render.h"

/* A line or a block of a text: reads nodes, writes lines. `node` is that of its path. */
typedef void compose_fn(struct page *page, const struct node *node);

/* The same of a page of HTML, or a part of one (html/html.h). */
struct html;
typedef void compose_html_fn(struct html *html, const struct node *node);

struct view_part {
    const char *path; /* from the root; "": the root. Left out where there is no such node */
    compose_fn *compose;
};

/* CSV as a table: a row for each element of a list, a column for each path from there. A path that
 * begins with '^' and a slash starts at the element of the list around it, one that begins with a slash
 * at the root. */
struct csv_column {
    const char *title, *path;
};
struct csv_table {
    const char *name; /* as ws_report_options.table asks for it; NULL: it cannot */
    /* Path of a list or table; a star stands for every element of one before. Of "units+sums" the rows of
     * both follow each other. */
    const char *rows;
    const struct csv_column *columns;
    size_t column_count;
    const char
        *if_present; /* only if this node is there, and not null, false or empty; NULL: always */
};

/* CSV in long form, a number a line: name of the outermost element, metric, value, unit, interval, origin. */
struct csv_series {
    const char *rows; /* path of a list from the element around it; NULL: that element itself */
    const char *
        metric; /* %N: key of the element N levels below the outermost; {SECTION/WORD}: a word of that
                         * one level below */
    const char
        *value; /* path of the number from the element; "": the element. Unknown: no line, unless
                         * it is the element */
    const struct csv_series *inner; /* instead of a number: of each element; ends with zeros */
    bool has_interval;
};

typedef void write_csv_fn(struct strbuf *out, const struct node *root);
/* A field, quoted if it must be; nothing for what is not finite. */
void csv_put_text(struct strbuf *out, const char *text);
void csv_put_number(struct strbuf *out, double value);

struct view {
    const char *question;
    const struct view_part *parts;
    size_t part_count;
    const struct csv_table *csv; /* the first that applies is written; the last always does */
    size_t csv_count;
    const struct csv_series *series; /* instead of tables; ends with zeros */
    const char *series_name; /* what the outermost elements are: title of the first column */
    write_csv_fn *write_csv; /* instead of both, where titles or keys are composed */
    render_fn *svg;          /* NULL: it has no picture */
    compose_html_fn *html;   /* the page, of the root; NULL: the tree as it is */
    render_fn *markdown;     /* NULL: none */
    render_fn *sarif;        /* NULL: it has no findings */
    render_fn *junit;        /* NULL: it has no test cases */
};

const struct view *view_find(const struct question *question);
/* Writes the parts of the view's text; for an answer within another, too. */
void view_compose(const struct view *view, struct page *page, const struct node *root);

#endif
