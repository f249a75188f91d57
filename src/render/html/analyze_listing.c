// SPDX-License-Identifier: Apache-2.0
/* Source, PTX and native code side by side, with heat by line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "render/html/analyze_parts.h"

/* ---- the hottest lines ------------------------------------------------------------------------- */

static void hot_table(struct html *html, const struct node *lines, const char *caption)
{
    static const struct html_column columns[] = {
        {.title = "line", .is_code = true},
        {.title = "statement", .is_code = true},
        {.title = "time", .is_number = true, .text = "share of the time of all resident warps"},
        {.title = "instructions", .is_number = true, .text = "share of all warp instructions"},
        {.title = "global sectors", .is_number = true},
        {.title = "shared wavefronts", .is_number = true},
        {.title = "stall"}};
    struct arena arena = {0};
    size_t count = lines ? lines->value.item_count : 0;
    if (!count) return;
    struct html_table table = html_open_table(html, caption, columns, 7);
    for (size_t i = 0; i < count; i++) {
        struct node line = node_row(lines, i, &arena);
        html_row(&table, NULL);
        html_cell(&table, node_word(&line, "place"));
        html_cell(&table, node_word(&line, "text"));
        html_cell_share(&table, node_number(&line, "time"));
        html_cell_share(&table, node_number(&line, "instructions"));
        html_cell_share(&table, node_number(&line, "sectors"));
        html_cell_share(&table, node_number(&line, "wavefronts"));
        html_cell(&table, node_word(&line, "stall"));
        arena_clear(&arena);
    }
    html_close_table(&table);
}

void html_hot_code(struct html *html, const struct node *machine)
{
    const struct node *hot = node_child(machine, "hot_code");
    if (!node_is_known(hot)) return;
    hot_table(html, node_child(hot, "source"), "Source lines that cost most");
    hot_table(html, node_child(hot, "ptx"), "Lines of PTX that cost most");
    hot_table(html, node_child(hot, "native"), "Instructions of native code that cost most");
}

/* ---- the listing ------------------------------------------------------------------------------- */

enum { SOURCE, PTX, NATIVE, LEVELS, MACHINES_SHOWN = 3 };
static const char *const level_ids[LEVELS] = {"source", "ptx", "native"};
static const char *const level_titles[LEVELS] = {"Source", "PTX", "Native code"};
static const char *const line_titles[LEVELS] = {"line", "line", "address"};

struct listing {
    struct html *html;
    const struct node *code;
    const char *id; /* of the section */
    size_t machine_count;
    size_t rows_left;
    bool leaves_out; /* rows that were not executed */
};

static size_t row_count(const struct listing *l, unsigned level)
{
    return node_child(l->code, level_ids[level])->value.item_count;
}

/* What a row is hot by: the time on the first machine, or its share of the instructions. */
static double heat_of(const struct node *row, double most_instructions)
{
    const struct node *machines = node_child(row, "machines");
    double share = machines->child_count ? node_number(machines->children, "share") : NAN;
    if (!isnan(share)) return share;
    return most_instructions > 0
               ? node_number(node_child(row, "cost"), "warp_instructions") / most_instructions
               : 0;
}

struct level_extent {
    double most_instructions, most_heat;
};

static struct level_extent measure(const struct listing *l, unsigned level)
{
    const struct node *table = node_child(l->code, level_ids[level]);
    struct level_extent out = {0};
    struct arena arena = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < table->value.item_count; i++) {
            struct node row = node_row(table, i, &arena);
            if (pass)
                out.most_heat = fmax(out.most_heat, heat_of(&row, out.most_instructions));
            else
                out.most_instructions =
                    fmax(out.most_instructions,
                         node_number(node_child(&row, "cost"), "warp_instructions"));
            arena_clear(&arena);
        }
    return out;
}

static void put_requests(struct html *html, const struct node *cost, const char *requests,
                         const char *served, const char *noun)
{
    double count = node_number(cost, requests);
    if (count > 0) html_textf(html, " %.3g %s/req", node_number(cost, served) / count, noun);
}

/* Stall, lanes where some were off, and what a request takes. */
static void put_remarks(struct html *html, const struct node *row)
{
    const struct node *cost = node_child(row, "cost"), *machines = node_child(row, "machines");
    const char *stall = machines->child_count ? node_word(machines->children, "stall") : NULL;
    double lanes = node_number(cost, "lanes");
    if (stall) html_text(html, stall);
    if (lanes < 31.95) html_textf(html, " %.3g lanes", lanes);
    put_requests(html, cost, "requests", "sectors", "sect.");
    put_requests(html, cost, "shared_requests", "shared_wavefronts", "wavef.");
}

/* The number of a line, an address; a link to the row above that it belongs to. */
static void put_place(struct listing *l, const struct node *row, unsigned level)
{
    struct html *html = l->html;
    const struct node *line = node_child(row, level == NATIVE ? "address" : "line");
    const struct node *ptx = level == NATIVE ? node_child(row, "ptx") : NULL,
                      *source = level != SOURCE ? node_child(row, "source") : NULL;
    bool to_ptx = node_is_known(ptx) && row_count(l, PTX),
         to_source = !to_ptx && node_is_known(source) && row_count(l, SOURCE);
    if ((to_ptx || to_source) && !l->leaves_out)
        strbuf_printf(html->out, "<a href=\"#%s-%c%llu\">", l->id, to_ptx ? 'p' : 's',
                      (unsigned long long)(to_ptx ? ptx : source)->value.count);
    if (!node_is_known(line))
        html_raw(html, "\xe2\x80\x93");
    else if (level == NATIVE)
        strbuf_printf(html->out, "%04llx", (unsigned long long)line->value.count);
    else
        strbuf_printf(html->out, "%llu", (unsigned long long)line->value.count);
    if ((to_ptx || to_source) && !l->leaves_out) html_raw(html, "</a>");
}

static void put_row(struct listing *l, const struct node *row, unsigned level, size_t index,
                    const struct level_extent *extent)
{
    struct html *html = l->html;
    const struct node *cost = node_child(row, "cost"), *machines = node_child(row, "machines"),
                      *source = node_child(row, "source"), *ptx = node_child(row, "ptx");
    double issued = node_number(cost, "warp_instructions"),
           heat = heat_of(row, extent->most_instructions);
    const char *text = node_word(row, "text");
    strbuf_printf(html->out, "<tr id=\"%s-%c%zu\"", l->id, level_ids[level][0], index);
    if (heat > 0 && extent->most_heat > 0)
        strbuf_printf(html->out, " style=\"--a:%.2f\"", 0.75 * heat / extent->most_heat);
    if (level != SOURCE && node_is_known(source))
        strbuf_printf(html->out, " data-s=\"%llu\"", (unsigned long long)source->value.count);
    if (level == NATIVE && node_is_known(ptx))
        strbuf_printf(html->out, " data-p=\"%llu\"", (unsigned long long)ptx->value.count);
    html_raw(html, issued > 0 ? "><th scope=\"row\">" : " class=\"idle\"><th scope=\"row\">");
    put_place(l, row, level);
    html_raw(html, "</th>");
    for (size_t i = 0; i < l->machine_count; i++) {
        double share = 100 * node_number(&machines->children[i], "share");
        if (share >= 0.05)
            strbuf_printf(html->out, "<td class=\"n\">%.1f</td>", share);
        else
            html_raw(html, "<td class=\"n\"></td>");
    }
    html_raw(html, "<td class=\"text\">");
    if (text)
        markup_text(html->out, text);
    else
        html_text(html, "(unknown)");
    html_raw(html, "</td><td class=\"n\">");
    if (issued > 0) markup_text(html->out, quantity_format(issued, "1").text);
    html_raw(html, "</td><td>");
    put_remarks(html, row);
    html_raw(html, "</td></tr>\n");
}

static void put_head(struct listing *l, unsigned level)
{
    struct html *html = l->html;
    struct arena arena = {0};
    struct node row = node_row(node_child(l->code, level_ids[level]), 0, &arena);
    const struct node *machines = node_child(&row, "machines");
    strbuf_printf(
        html->out,
        "<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-labelledby=\"%s-%c\"><table "
        "class=\"code\" data-level=\"%c\"><caption id=\"%s-%c\">%s</caption>\n<thead><tr><th "
        "scope=\"col\">%s</th>",
        l->id, level_ids[level][0], level_ids[level][0], l->id, level_ids[level][0],
        level_titles[level], line_titles[level]);
    for (size_t i = 0; i < l->machine_count; i++) {
        html_raw(
            html,
            "<th scope=\"col\" class=\"n\" title=\"share of the time of all resident warps\">");
        if (machines->child_count > 1) markup_printf(html->out, "%s ", machines->children[i].id);
        html_raw(html, "time %</th>");
    }
    html_raw(html,
             "<th scope=\"col\">text</th><th scope=\"col\" class=\"n\" title=\"warp "
             "instructions\">issued</th><th scope=\"col\">remarks</th></tr></thead>\n<tbody>");
    arena_clear(&arena);
}

static void put_level(struct listing *l, unsigned level)
{
    const struct node *table = node_child(l->code, level_ids[level]);
    struct arena arena = {0};
    struct level_extent extent = measure(l, level);
    put_head(l, level);
    for (size_t i = 0; i < table->value.item_count && l->rows_left; i++) {
        struct node row = node_row(table, i, &arena);
        bool is_idle = !(node_number(node_child(&row, "cost"), "warp_instructions") > 0);
        if (!(is_idle && l->leaves_out)) {
            put_row(l, &row, level, i, &extent);
            l->rows_left--;
        }
        arena_clear(&arena);
    }
    html_raw(l->html, "</tbody></table></div>\n");
}

static void put_reason(struct html *html, const struct node *code, const char *id)
{
    const char *reason = node_word(code, id);
    if (reason) html_p(html, "facts", "%s", reason);
}

static size_t shown_machines(const struct listing *l)
{
    struct arena arena = {0};
    size_t count = 0;
    for (unsigned level = SOURCE; level < LEVELS && !count; level++) {
        if (!row_count(l, level)) continue;
        struct node row = node_row(node_child(l->code, level_ids[level]), 0, &arena);
        count = node_child(&row, "machines")->child_count;
    }
    arena_clear(&arena);
    return count < MACHINES_SHOWN ? count : MACHINES_SHOWN;
}

void html_code_listing(struct html *html, const struct node *kernel)
{
    struct listing l = {
        .html = html, .code = node_child(kernel, "code"), .id = html_section_id(html)};
    if (!node_is_known(l.code)) return;
    size_t all = row_count(&l, SOURCE) + row_count(&l, PTX) + row_count(&l, NATIVE);
    bool opencl = html->opencl;
    if (!all) return;
    l.machine_count = shown_machines(&l);
    l.rows_left = html->row_budget;
    l.leaves_out = all > l.rows_left;
    html_p(html, NULL,
           "Each line with its share of the time and its warp instructions; the warmer, the "
           "costlier. Line "
           "numbers of PTX and addresses lead to the line above them.");
    if (l.leaves_out)
        html_p(html, NULL,
               "Of %zu lines those that were executed, at most %zu; the text report lists all: "
               "--code.",
               all, l.rows_left);
    put_reason(html, l.code, "time_reason");
    put_reason(html, l.code, "source_reason");
    put_reason(html, l.code, "ptx_reason");
    put_reason(html, l.code, "native_reason");
    html->opencl = false; /* words of the program stay as they are */
    html_raw(html, "<div class=\"listing\">\n");
    for (unsigned level = SOURCE; level < LEVELS; level++)
        if (row_count(&l, level)) put_level(&l, level);
    html_raw(html, "</div>\n");
    html->opencl = opencl;
}
