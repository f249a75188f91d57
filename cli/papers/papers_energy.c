// SPDX-License-Identifier: Apache-2.0
/* The series of table 16: energy efficiency against speed-up of data split between two devices. */
#include <math.h>

#include "cli/options/asking.h"
#include "cli/papers/papers.h"

static void add_points(struct papers *papers, const struct papers_curve *curve, ws_node table,
                       struct papers_series *series)
{
    for (size_t row = 0; row < ws_node_count(table); row++) {
        struct papers_point point = {NAN,
                                     cli_alloc(papers->cli, curve->column_count * sizeof(double))};
        ws_table_numbers(table, ws_table_find(table, curve->x_name), row, &point.x, 1);
        for (size_t c = 0; c < curve->column_count; c++) {
            point.values[c] = NAN;
            ws_table_numbers(table, ws_table_find(table, curve->columns[c]), row, &point.values[c],
                             1);
        }
        CLI_APPEND(papers->cli, series->points, series->point_count, point);
    }
}

int papers_energy_curve(struct papers *papers, const json_t *source, struct papers_curve *curve)
{
    struct asking asking = {.name = "energy"};
    ws_answer *answer;
    asking_number(papers->cli, &asking, "series", 1);
    CLI_TRY(asking_ask(papers->cli, &asking, &answer));
    ws_node curves = ws_node_find(ws_answer_root(answer), "curves");
    for (size_t i = 0; i < ws_node_count(curves); i++) {
        ws_value name = {.size = sizeof name};
        struct papers_series series = {.kernel = "", .machine = papers_text(source, "of")};
        ws_node one = ws_node_child(curves, i);
        if (ws_node_value(ws_node_find(one, "name"), &name) && name.text)
            series.kernel = cli_copy(papers->cli, name.text);
        add_points(papers, curve, ws_node_find(one, "points"), &series);
        CLI_APPEND(papers->cli, curve->series, curve->series_count, series);
    }
    ws_answer_destroy(answer);
    return EXIT_DONE;
}
