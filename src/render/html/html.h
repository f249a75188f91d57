// SPDX-License-Identifier: Apache-2.0
/* Pages of HTML: one file, no network, readable without JavaScript. doc/reports.md tells how a page is built.
 *
 * Adding a part to the report of `analyze`: a function
 *
 *     void html_roofline(struct html *html, const struct node *machine)
 *     {
 *         const struct node *roofline = node_child(machine, "roofline");
 *         if (!node_is_known(roofline)) return;                nothing written: the part is left out
 *         html_p(html, NULL, "What this shows, in a sentence.");
 *         html_xy(html, &chart);                               chart.h; writes its table of values, too
 *     }
 *
 * declared in analyze_parts.h, and a row in analyze_parts.def with its place, id and title. Of another question:
 * `html` in its struct view. A part reads nodes and computes no figure. Numbers that are figures of the answer go
 * through html_value, which keeps the exact value in the markup: <data value="4.47e-04">447 us</data>; tests
 * compare those with the JSON.
 *
 * Every text is escaped here: names of kernels and files come from outside. Words of CUDA become OpenCL's where
 * html.opencl is set, but for code (html_code, columns that are `is_code`). */
#ifndef RENDER_HTML_HTML_H
#define RENDER_HTML_HTML_H

#include "render/chart/chart.h"
#include "render/chart/markup.h"
#include "render/views.h"

enum { HTML_LEVELS = 8, HTML_ID = 96 };

struct html {
    struct strbuf *out; /* the contents of <main> so far */
    const struct render_options *options;
    bool opencl;
    const struct node *kernel;    /* of `analyze`: that whose parts are written */
    size_t row_budget;            /* rows of code that a kernel may list */
    bool has_many, is_of_machine; /* of `analyze`: the contents leave out parts of machines */
    struct strbuf title, lead;
    struct strbuf contents; /* of the table of contents: <li> elements */
    unsigned level;         /* sections that are open */
    char ids[HTML_LEVELS][HTML_ID];
    unsigned next_chart, next_table;
    bool lists_section[HTML_LEVELS];
    bool opens_card, is_in_card; /* a part that is in no other */
};

/* The page's <h1>, and a line below it; without a call the question says what they are. */
void html_title(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));
void html_lead(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The title of a page about a program: its file name and arguments. */
void html_program_title(struct html *html, const struct node *program);

/* ---- sections ---------------------------------------------------------------------------------- */

/* <section> with a heading of the next level, its id made of those around it and `id`, which is
 * unique among its neighbours. `is_listed`: it is in the table of contents. */
void html_open_section(struct html *html, const char *id, const char *title, bool is_listed);
void html_close_section(struct html *html);
/* The same around what `write` writes; nothing if that writes nothing. */
void html_part(struct html *html, const char *id, const char *title, bool is_listed,
               compose_html_fn *write, const struct node *node);
/* The id of the section at hand, as in href="#...". */
const char *html_section_id(const struct html *html);

/* ---- texts ------------------------------------------------------------------------------------- */

/* Markup of the program's own, as it is. */
void html_raw(struct html *html, const char *markup);
void html_text(struct html *html, const char *text);
void html_textf(struct html *html, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* <p>; `class` NULL: none. */
void html_p(struct html *html, const char *class, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A paragraph of facts that two blanks or more set apart, as in texts. */
void html_facts(struct html *html, const char *text);
/* <code>: a name, a path, an option. */
void html_code(struct html *html, const char *text);
/* The number of a node as people read it; "unknown", with the reason as tooltip. */
void html_value(struct html *html, const struct node *node);
/* The same of a number of a table's row, or one that is not a node. `unit`: of chart_value. */
void html_number(struct html *html, double value, const char *unit);

/* A count, in full and without a unit, for where its noun is beside it. */
void html_count(struct html *html, uint64_t count);

/* A name and what is said of it, in a <dl>. */
void html_open_fact(struct html *html, const char *name);
void html_close_fact(struct html *html);

/* ---- tables ------------------------------------------------------------------------------------ */

struct html_column {
    const char *title;
    bool is_number;   /* set to the right, sorted as numbers */
    bool is_code;     /* a name or a statement: not translated, in the typeface of code */
    const char *text; /* what it means: the tooltip of its title; NULL: none */
};

struct html_table {
    struct html *html;
    const struct html_column *columns;
    size_t column_count, at;
    bool has_row;
};

/* <table> with a caption, in a frame that scrolls where the window is narrow. Rows: html_row, then as many cells as
 * there are columns; the first is the row's header. */
struct html_table html_open_table(struct html *html, const char *caption,
                                  const struct html_column *columns, size_t count);
/* `class` of the row; NULL: none. */
void html_row(struct html_table *table, const char *class);
void html_cell(struct html_table *table, const char *text);
void html_cellf(struct html_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* html_value, html_number in a cell. */
void html_cell_value(struct html_table *table, const struct node *node);
void html_cell_number(struct html_table *table, double value, const char *unit);
void html_cell_count(struct html_table *table, uint64_t count);
/* "1.72x". */
void html_cell_ratio(struct html_table *table, double ratio);
/* A share from 0 to 1 in per cent with a bar behind it; may be one of two figures, so it is no <data>. */
void html_cell_share(struct html_table *table, double share);
/* Between these calls: any contents. */
void html_open_cell(struct html_table *table);
void html_close_cell(struct html_table *table);
void html_close_table(struct html_table *table);

/* ---- charts ------------------------------------------------------------------------------------ */

/* <figure>: caption, SVG, and the same values as a table that opens below it. Nothing if there is nothing to
 * draw. */
void html_xy(struct html *html, const struct chart_xy *chart);
void html_bars(struct html *html, const struct chart_bars *chart);
void html_heat(struct html *html, const struct chart_heat *chart);
void html_diagram(struct html *html, const struct chart_diagram *chart);
void html_lanes(struct html *html, const struct chart_lanes *chart);

/* ---- any answer -------------------------------------------------------------------------------- */

/* Sections, lists and tables of a tree as they come: for questions without a page of their own. */
void html_tree(struct html *html, const struct node *node);

#endif
