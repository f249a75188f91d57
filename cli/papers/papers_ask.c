// SPDX-License-Identifier: Apache-2.0
/* Rows and curves as inputs of the question `papers`, which judges the rows. */
#include <math.h>
#include <string.h>

#include "cli/papers/papers.h"

/* Members of an object that are inputs; the first begins a part, whose other inputs follow. */
struct member {
    const char *key, *input;
};

static const struct member paper_members[] = {
    {"id", "paper"}, {"number", "paper_number"}, {"title", "paper_title"}, {0}};
static const struct member row_members[] = {
    {"id", "row"},    {"paper", "of_paper"},      {"section", "section"},
    {"item", "item"}, {"unit", "unit"},           {"evidence", "evidence"},
    {"note", "note"}, {"published", "published"}, {0},
};
static const struct member tolerance_members[] = {
    {"abs", "tolerance_abs"}, {"rel", "tolerance_rel"}, {0}};
static const struct member bound_members[] = {{"least", "least"}, {"most", "most"}, {0}};
static const struct member check_members[] = {
    {"check", "check"},
    {"curve", "check_curve"},
    {"column", "check_column"},
    {"kernel", "check_kernel"},
    {"machine", "check_machine"},
    {"blocks_per_sm", "check_blocks_per_sm"},
    {"than_kernel", "than_kernel"},
    {"than_machine", "than_machine"},
    {"than_column", "than_column"},
    {"than_blocks_per_sm", "than_blocks_per_sm"},
    {"from", "check_from"},
    {"to", "check_to"},
    {"within", "within"},
    {"factor", "factor"},
    {"x", "check_x"},
    {"scale", "check_scale"},
    {0},
};

static void add_members(struct cli *cli, struct asking *asking, const json_t *object,
                        const struct member *members)
{
    for (; members->key; members++) {
        const json_t *value = json_object_get(object, members->key);
        bool is_published = !strcmp(members->key, "published");
        if (json_is_string(value))
            asking_word(cli, asking, is_published ? "published_words" : members->input,
                        json_string_value(value));
        else if (json_is_number(value))
            asking_number(cli, asking, members->input, json_number_value(value));
    }
}

static int ask(struct papers *papers, const struct asking *asking,
               const struct papers_output *output)
{
    ws_answer *answer;
    papers->cli->keeps_errors = true;
    int exit_code = asking_ask(papers->cli, asking, &answer);
    papers->cli->keeps_errors = false;
    /* The inputs are those of files, not of options. */
    if (exit_code != EXIT_DONE)
        return cli_error(papers->cli, exit_code == EXIT_USAGE ? EXIT_INPUT : exit_code, "%s",
                         papers->cli->kept_error);
    exit_code = asking_write(papers->cli, answer, output->format, output->details, output->path);
    ws_answer_destroy(answer);
    return exit_code;
}

/* An input cannot be NAN: infinite stands for what did not come out. */
static double or_infinite(double value)
{
    return isnan(value) ? (double)INFINITY : value;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void add_ours(struct cli *cli, struct asking *asking, const struct papers_row *row)
{
    const json_t *ours = json_object_get(row->source, "ours");
    if (row->ours_text)
        asking_word(cli, asking, "ours_words", row->ours_text);
    else if (row->has_ours)
        asking_number(cli, asking, "ours", or_infinite(row->ours));
    if (json_object_get(ours, "model")) asking_number(cli, asking, "wants_words", 1);
    add_members(cli, asking, ours, bound_members);
}

static void add_check(struct cli *cli, struct asking *asking, const json_t *ours)
{
    const json_t *loads = json_object_get(ours, "loads");
    json_t *kernel;
    size_t i;
    if (!json_object_get(ours, "check")) return;
    add_members(cli, asking, ours, check_members);
    json_array_foreach(json_object_get(ours, "kernels"), i, kernel)
    {
        const json_t *load = json_array_get(loads, i);
        if (!json_is_string(kernel)) continue;
        asking_word(cli, asking, "among", json_string_value(kernel));
        if (load) asking_number(cli, asking, "load", json_number_value(load));
    }
}

static void add_row(struct papers *papers, struct asking *asking, const struct papers_row *row)
{
    struct cli *cli = papers->cli;
    struct papers_reference *references;
    size_t count = papers_references(papers, row->source, &references);
    add_members(cli, asking, row->source, row_members);
    add_members(cli, asking, json_object_get(row->source, "tolerance"), tolerance_members);
    add_ours(cli, asking, row);
    if (row->is_hidden) asking_number(cli, asking, "hidden", 1);
    if (count) asking_word(cli, asking, "about", papers_about(row->source));
    add_check(cli, asking, json_object_get(row->source, "ours"));
    for (size_t i = 0; i < count; i++) {
        asking_word(cli, asking, "about_row", references[i].id);
        asking_number(cli, asking, "group", (double)references[i].group);
    }
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void add_series(struct cli *cli, struct asking *asking, const struct papers_series *series,
                       size_t columns)
{
    asking_word(cli, asking, "series", series->kernel);
    asking_word(cli, asking, "machine", series->machine);
    if (series->blocks_per_sm) asking_number(cli, asking, "blocks_per_sm", series->blocks_per_sm);
    for (size_t i = 0; i < series->point_count; i++) {
        asking_number(cli, asking, "x", series->points[i].x);
        for (size_t c = 0; c < columns; c++)
            asking_number(cli, asking, "value", or_infinite(series->points[i].values[c]));
    }
}

static void add_curve(struct cli *cli, struct asking *asking, const struct papers_curve *curve)
{
    asking_word(cli, asking, "curve", curve->id);
    asking_word(cli, asking, "title", curve->title);
    asking_word(cli, asking, "figure", curve->figure);
    asking_word(cli, asking, "x_name", curve->x_name);
    for (size_t c = 0; c < curve->column_count; c++) {
        asking_word(cli, asking, "column", curve->columns[c]);
        asking_word(cli, asking, "column_unit", curve->units[c]);
    }
    for (size_t k = 0; k < curve->series_count; k++)
        add_series(cli, asking, &curve->series[k], curve->column_count);
}

/* ---- asking ---------------------------------------------------------------------------------- */

int papers_ask_rows(struct papers *papers, const struct papers_row *rows, size_t count,
                    const struct papers_output *output)
{
    struct asking asking = {.name = "papers"};
    json_t *paper;
    size_t i;
    json_array_foreach(json_object_get(papers->published, "papers"), i, paper)
    {
        add_members(papers->cli, &asking, paper, paper_members);
    }
    for (i = 0; i < count; i++)
        add_row(papers, &asking, &rows[i]);
    for (i = 0; i < papers->curve_count; i++) /* which rows are about */
        add_curve(papers->cli, &asking, &papers->curves[i]);
    return ask(papers, &asking, output);
}

int papers_ask_curves(struct papers *papers, const struct papers_curve *const *curves, size_t count,
                      const struct papers_output *output)
{
    struct asking asking = {.name = "papers"};
    for (size_t i = 0; i < count; i++)
        add_curve(papers->cli, &asking, curves[i]);
    return ask(papers, &asking, output);
}
