// SPDX-License-Identifier: Apache-2.0
/* Rows about what a model says of a launch file: on a machine as it is or with some figures changed, of
 * the whole launch or of one stage. */
#include <math.h>
#include <string.h>

#include "cli/options/asking.h"
#include "cli/papers/papers.h"

/* "set": ["machine.KEY=VALUE" ...], as `whatif --set` has them. */
static int change_machine(struct papers *papers, const json_t *changes, ws_machine *machine)
{
    const json_t *change;
    size_t i;
    json_array_foreach(changes, i, change)
    {
        char *key = cli_copy(papers->cli, json_string_value(change));
        char *equals = strchr(key, '=');
        if (!equals) return papers_bad_file(papers, "published.json", "no change of a key", key);
        const char *value = cli_copy(papers->cli, equals);
        *equals = '\0';
        ws_status status = ws_machine_set(machine, key, value);
        if (status != WS_OK) return cli_failed(papers->cli, status);
    }
    return EXIT_DONE;
}

/* What the changed machine asks to be counted otherwise than the machine as it is. */
static int choose_counting(struct papers *papers, const ws_machine *base, const ws_machine *changed,
                           struct papers_counting *out)
{
    ws_launch before = {.size = sizeof before}, after = {.size = sizeof after};
    ws_status status = ws_machine_prepare_launch(base, &before);
    if (status == WS_OK) status = ws_machine_prepare_launch(changed, &after);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    *out = (struct papers_counting){0};
    if (after.initial_segment_bytes != before.initial_segment_bytes ||
        after.min_segment_bytes != before.min_segment_bytes) {
        out->initial_segment = after.initial_segment_bytes;
        out->min_segment = after.min_segment_bytes;
    }
    if (after.shared_banks != before.shared_banks) out->shared_banks = after.shared_banks;
    return EXIT_DONE;
}

/* What the model says of the launch: *out, a node of *out_answer, to be destroyed. */
static int predict(struct papers *papers, const json_t *ours, const ws_machine *machine,
                   const struct papers_counting *counting, ws_answer **out_answer, ws_node *out)
{
    ws_profile *profile;
    const char *model = papers_text(ours, "model");
    const char *without = json_string_value(json_object_get(ours, "without"));
    struct asking asking = {.name = "analyze"};
    *out_answer = NULL;
    CLI_TRY(papers_launch_file(papers, papers_text(ours, "launch"), counting, &profile));
    asking_profile(papers->cli, &asking, profile);
    asking_machine(papers->cli, &asking, machine);
    asking_word(papers->cli, &asking, "model_options",
                cli_format(papers->cli, PAPERS_READINGS ",%s", papers_text(ours, "model_options")));
    if (without) asking_word(papers->cli, &asking, "without", without);
    /* No model of the papers but teg follows traces, and none has hits of caches beside what `cache=` says: without
     * it all accesses go to the DRAM. */
    if (strcmp(model, "teg") != 0) asking_number(papers->cli, &asking, "without_traces", 1);
    asking_word(papers->cli, &asking, "model", model);
    papers->cli->keeps_errors = true;
    int exit_code = asking_ask(papers->cli, &asking, out_answer);
    papers->cli->keeps_errors = false;
    if (exit_code == EXIT_USAGE)
        return papers_bad_file(papers, "published.json", "no prediction of the model", model);
    if (exit_code != EXIT_DONE)
        return cli_error(papers->cli, exit_code, "%s", papers->cli->kept_error);
    *out = ws_node_find(ws_answer_root(*out_answer),
                        cli_format(papers->cli, "kernels/0/machines/0/estimates/%s", model));
    if (out->at) return EXIT_DONE;
    return papers_bad_file(papers, "published.json", "no prediction of the model", model);
}

double papers_number_at(ws_node node, const char *path)
{
    ws_value value = {.size = sizeof value};
    return ws_node_value(ws_node_find(node, path), &value) ? value.number : NAN;
}

static const char *word_at(struct cli *cli, ws_node node, const char *path)
{
    ws_value value = {.size = sizeof value};
    bool is_word = ws_node_value(ws_node_find(node, path), &value) && value.kind == WS_WORD;
    return cli_copy(cli, is_word && value.text ? value.text : "");
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* What all stages say, or "shared memory access (2 to 6), instruction pipeline (7 to 9)". */
static const char *list_stages(struct cli *cli, ws_node stages, const char *column, size_t from,
                               size_t to)
{
    size_t at = ws_table_find(stages, column);
    const char *list = "";
    for (size_t first = from, last; first < to; first = last + 1) {
        const char *word = ws_table_word(stages, at, first);
        last = first;
        while (last + 1 < to && !strcmp(word, ws_table_word(stages, at, last + 1)))
            last++;
        if (last - first == to - from - 1) return cli_copy(cli, word);
        list = cli_format(cli, "%s%s%s (%zu", list, *list ? ", " : "", word, first);
        if (last > first) list = cli_format(cli, "%s to %zu", list, last);
        list = cli_format(cli, "%s)", list);
    }
    return list;
}

/* Of one stage, or of those from "stage": [FIRST, LAST]: words, or the sum of their seconds. Stages are
 * numbered from 0 without a gap. */
static int read_stages(struct papers *papers, const json_t *ours, ws_node estimate, double *number,
                       const char **text)
{
    const char *term = papers_text(ours, "term");
    const json_t *wanted = json_object_get(ours, "stage");
    bool is_range = json_is_array(wanted);
    json_int_t first = json_integer_value(is_range ? json_array_get(wanted, 0) : wanted);
    json_int_t last = json_integer_value(is_range ? json_array_get(wanted, 1) : wanted);
    ws_node stages = ws_node_find(estimate, "stages");
    if (first < 0 || last < first || (size_t)last >= ws_node_count(stages))
        return papers_bad_file(papers, "published.json", "no such stages for the term", term);
    if (!strcmp(term, "next") || !strcmp(term, "bottleneck")) {
        *text = list_stages(papers->cli, stages, term, (size_t)first, (size_t)last + 1);
        return EXIT_DONE;
    }
    size_t column = ws_table_find(stages, term);
    *number = 0;
    for (size_t i = (size_t)first; i <= (size_t)last; i++) {
        double seconds = NAN;
        ws_table_numbers(stages, column, i, &seconds, 1);
        *number += seconds;
    }
    if (isnan(*number))
        return papers_bad_file(papers, "published.json", "a stage has no term", term);
    return EXIT_DONE;
}

/* ---- the whole launch ------------------------------------------------------------------------ */

static int read_whole(struct papers *papers, const json_t *ours, ws_node estimate, double *number,
                      const char **text)
{
    const char *term = papers_text(ours, "term");
    bool is_word = !strcmp(term, "bottleneck") || !strcmp(term, "next");
    *number = papers_number_at(estimate, "time_s");
    if (is_word) *text = word_at(papers->cli, estimate, term);
    if (is_word || !strcmp(term, "time")) return EXIT_DONE;
    *number = papers_number_at(estimate, cli_format(papers->cli, "terms/%s", term));
    if (!isnan(*number)) return EXIT_DONE;
    return papers_bad_file(papers, "published.json", "the model gives no term", term);
}

static int estimate_on(struct papers *papers, const json_t *ours, const ws_machine *machine,
                       const struct papers_counting *counting, double *number, const char **text)
{
    ws_answer *answer;
    ws_node estimate;
    int exit_code = predict(papers, ours, machine, counting, &answer, &estimate);
    if (exit_code == EXIT_DONE)
        exit_code = json_object_get(ours, "stage")
                        ? read_stages(papers, ours, estimate, number, text)
                        : read_whole(papers, ours, estimate, number, text);
    ws_answer_destroy(answer);
    return exit_code;
}

static int estimate_changed(struct papers *papers, const json_t *ours, const ws_machine *base,
                            double *number, const char **text)
{
    ws_machine *machine;
    struct papers_counting counting;
    ws_status status = ws_machine_load(
        papers->cli->context, papers_machine_path(papers, papers_text(ours, "gpu")), &machine);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    int exit_code = change_machine(papers, json_object_get(ours, "set"), machine);
    if (exit_code == EXIT_DONE) exit_code = choose_counting(papers, base, machine, &counting);
    if (exit_code == EXIT_DONE)
        exit_code = estimate_on(papers, ours, machine, &counting, number, text);
    ws_machine_destroy(machine);
    return exit_code;
}

int papers_estimate(struct papers *papers, const json_t *ours, double *number, const char **text)
{
    const json_t *than = json_object_get(ours, "than");
    const struct papers_counting as_it_is = {0};
    ws_machine *machine;
    double other;
    CLI_TRY(papers_machine(papers, papers_text(ours, "gpu"), &machine));
    if (json_object_get(ours, "set"))
        CLI_TRY(estimate_changed(papers, ours, machine, number, text));
    else
        CLI_TRY(estimate_on(papers, ours, machine, &as_it_is, number, text));
    if (json_is_true(json_object_get(ours, "inverse"))) *number = 1 / *number;
    *number *= papers_number(ours, "scale", 1);
    if (!than) return EXIT_DONE;
    CLI_TRY(papers_estimate(papers, than, &other, text));
    *number /= other;
    return EXIT_DONE;
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* The columns of an estimate at x: its time or terms. "speedup" and "rate" rest on these: set_derived. */
static void add_columns(struct papers *papers, const struct papers_curve *curve, ws_node estimate,
                        double x, struct papers_series *series)
{
    struct papers_point point = {x, cli_alloc(papers->cli, curve->column_count * sizeof(double))};
    for (size_t i = 0; i < curve->column_count; i++) {
        const char *column = curve->columns[i];
        const char *path =
            !strcmp(column, "time") ? "time_s" : cli_format(papers->cli, "terms/%s", column);
        point.values[i] = papers_number_at(estimate, path);
    }
    CLI_APPEND(papers->cli, series->points, series->point_count, point);
}

/* One point: the launch on a machine with `vary` set to x. A launch that does not fit leaves it empty. */
static int add_estimates(struct papers *papers, struct papers_curve *curve, const json_t *ours,
                         double x, struct papers_series *series)
{
    const struct papers_counting as_it_is = {0};
    ws_machine *machine;
    ws_answer *answer = NULL;
    ws_node estimate;
    ws_status status = ws_machine_load(
        papers->cli->context, papers_machine_path(papers, papers_text(ours, "gpu")), &machine);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    status = ws_machine_set(machine, papers_text(ours, "vary"), cli_format(papers->cli, "=%g", x));
    int exit_code = status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
    if (exit_code == EXIT_DONE)
        exit_code = predict(papers, ours, machine, &as_it_is, &answer, &estimate);
    if (exit_code == EXIT_DONE) add_columns(papers, curve, estimate, x, series);
    ws_answer_destroy(answer);
    ws_machine_destroy(machine);
    return exit_code;
}

/* One point a stage: the columns are those of the table of stages. */
static void add_stages(struct papers *papers, const struct papers_curve *curve, ws_node estimate,
                       struct papers_series *series)
{
    ws_node stages = ws_node_find(estimate, "stages");
    for (size_t row = 0; row < ws_node_count(stages); row++) {
        struct papers_point point = {(double)row,
                                     cli_alloc(papers->cli, curve->column_count * sizeof(double))};
        for (size_t i = 0; i < curve->column_count; i++) {
            point.values[i] = NAN;
            ws_table_numbers(stages, ws_table_find(stages, curve->columns[i]), row,
                             &point.values[i], 1);
        }
        CLI_APPEND(papers->cli, series->points, series->point_count, point);
    }
}

/* Work grows with x, t is the first column: "rate" is x work / t, "speedup" x t(first) / (x(first) t). */
static void set_derived(const struct papers_curve *curve, double work, struct papers_series *series)
{
    for (size_t c = 0; c < curve->column_count; c++) {
        bool is_rate = !strcmp(curve->columns[c], "rate");
        if (!is_rate && strcmp(curve->columns[c], "speedup") != 0) continue;
        for (size_t i = 0; i < series->point_count; i++) {
            const struct papers_point *first = &series->points[0], *point = &series->points[i];
            double of_one = is_rate ? work : first->values[0] / first->x;
            point->values[c] = point->x * of_one / point->values[0];
        }
    }
}

/* One launch as it is: one point at x, or its stages. */
static int add_launch(struct papers *papers, const json_t *source, const char *launch, double x,
                      struct papers_curve *curve, struct papers_series *series)
{
    const struct papers_counting as_it_is = {0};
    ws_machine *machine;
    ws_answer *answer = NULL;
    ws_node estimate;
    CLI_TRY(papers_machine(papers, series->machine, &machine));
    json_t *ours = json_copy((json_t *)source);
    json_object_set_new(ours, "launch", json_string(launch));
    int exit_code = predict(papers, ours, machine, &as_it_is, &answer, &estimate);
    json_decref(ours);
    if (exit_code == EXIT_DONE && isnan(x))
        add_stages(papers, curve, estimate, series);
    else if (exit_code == EXIT_DONE)
        add_columns(papers, curve, estimate, x, series);
    ws_answer_destroy(answer);
    return exit_code;
}

/* The same launch with as many blocks as x says. */
static int add_grids(struct papers *papers, const json_t *source, const char *launch,
                     struct papers_curve *curve, struct papers_series *series)
{
    json_t *x;
    size_t i;
    json_array_foreach(json_object_get(source, "x_values"), i, x)
    {
        double blocks = json_number_value(x);
        CLI_TRY(add_launch(papers, source, cli_format(papers->cli, "%s@%.0f", launch, blocks),
                           blocks, curve, series));
    }
    return EXIT_DONE;
}

int papers_launch_curve(struct papers *papers, const json_t *source, struct papers_curve *curve)
{
    json_t *gpu, *form, *point;
    size_t i, k, m;
    bool is_staged = !strcmp(papers_text(source, "x_name"), "stage");
    papers->folder = papers_text(source, "folder");
    json_array_foreach(json_object_get(source, "machines"), k, gpu)
    {
        json_array_foreach(json_object_get(source, "series"), i, form)
        {
            struct papers_series series = {.kernel = papers_text(form, "name"),
                                           .machine = json_string_value(gpu)};
            if (is_staged) CLI_TRY(add_launch(papers, source, series.kernel, NAN, curve, &series));
            json_array_foreach(json_object_get(form, "points"), m, point)
            {
                const char *launch = json_string_value(json_array_get(point, 1));
                double x = json_number_value(json_array_get(point, 0));
                if (!launch)
                    return papers_bad_file(papers, "curves.json", "a point has no launch in",
                                           series.kernel);
                CLI_TRY(add_launch(papers, source, launch, x, curve, &series));
            }
            if (*papers_text(form, "launch"))
                CLI_TRY(add_grids(papers, source, papers_text(form, "launch"), curve, &series));
            set_derived(curve, papers_number(form, "work", 1), &series);
            CLI_APPEND(papers->cli, curve->series, curve->series_count, series);
        }
    }
    return EXIT_DONE;
}

int papers_estimate_curve(struct papers *papers, const json_t *source, struct papers_curve *curve)
{
    json_t *launch, *gpu, *x;
    size_t i, k, m;
    papers->folder = papers_text(source, "folder");
    json_array_foreach(json_object_get(source, "machines"), k, gpu)
    {
        json_array_foreach(json_object_get(source, "launches"), i, launch)
        {
            struct papers_series series = {.kernel = json_string_value(launch),
                                           .machine = json_string_value(gpu)};
            json_t *ours = json_copy((json_t *)source);
            int exit_code = EXIT_DONE;
            json_object_set(ours, "launch", launch);
            json_object_set(ours, "gpu", gpu);
            json_array_foreach(json_object_get(source, "x_values"), m, x)
            {
                if (exit_code == EXIT_DONE)
                    exit_code = add_estimates(papers, curve, ours, json_number_value(x), &series);
            }
            json_decref(ours);
            if (exit_code != EXIT_DONE) return exit_code;
            CLI_APPEND(papers->cli, curve->series, curve->series_count, series);
        }
    }
    return EXIT_DONE;
}
