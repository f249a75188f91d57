// SPDX-License-Identifier: Apache-2.0
/* Rows about what a model says of a launch file: on a machine as it is or with some figures changed, of
 * the whole launch or of one stage. */
#include <math.h>
#include <string.h>

#include "cli/papers/papers.h"

enum { ESTIMATES = 16, STAGES = 1025 };

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

/* The model's estimate for the launch; its terms and stages are then the context's. */
static int predict(struct papers *papers, const json_t *ours, const ws_machine *machine,
                   const struct papers_counting *counting, ws_estimate *out)
{
    ws_profile *profile;
    ws_estimate estimates[ESTIMATES];
    const char *model = papers_text(ours, "model");
    const json_t *without = json_object_get(ours, "without");
    const char *readings = papers_text(ours, "model_options");
    ws_predict_options options = {.size = sizeof options,
                                  .model_options =
                                      cli_format(papers->cli, PAPERS_READINGS ",%s", readings),
                                  .without = json_string_value(without),
                                  .only = model};
    size_t count;
    CLI_TRY(papers_launch_file(papers, papers_text(ours, "launch"), counting, &profile));
    ws_status status =
        ws_predict(papers->cli->context, profile, machine, &options, estimates, ESTIMATES, &count);
    if (status == WS_ERR_ARGUMENT)
        return papers_bad_file(papers, "published.json", "there is no answer of the model", model);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    for (size_t i = 0; i < count && i < ESTIMATES; i++) {
        *out = estimates[i];
        if (!strcmp(out->model, model)) return EXIT_DONE;
    }
    return papers_bad_file(papers, "published.json", "there is no answer of the model", model);
}

/* ---- stages ---------------------------------------------------------------------------------- */

static double stage_seconds(const ws_stage_estimate *stage, const char *term)
{
    return !strcmp(term, "t_inst")   ? stage->inst_seconds
           : !strcmp(term, "t_smem") ? stage->smem_seconds
           : !strcmp(term, "t_gmem") ? stage->gmem_seconds
                                     : NAN;
}

/* What all stages say, or "shared memory access (2 to 6), instruction pipeline (7 to 9)". */
static const char *list_stages(struct cli *cli, const ws_stage_estimate *stages, size_t count,
                               bool next)
{
    const char *list = "";
    for (size_t first = 0, last; first < count; first = last + 1) {
        const char *word = next ? stages[first].next : stages[first].bottleneck;
        last = first;
        while (last + 1 < count &&
               !strcmp(word, next ? stages[last + 1].next : stages[last + 1].bottleneck))
            last++;
        if (last - first + 1 == count) return cli_copy(cli, word);
        list = cli_format(cli, "%s%s%s (%u", list, *list ? ", " : "", word, stages[first].index);
        if (last > first) list = cli_format(cli, "%s to %u", list, stages[last].index);
        list = cli_format(cli, "%s)", list);
    }
    return list;
}

/* Of one stage, or of those from "stage": [FIRST, LAST]: words, or the sum of their seconds. */
static int read_stages(struct papers *papers, const json_t *ours, const ws_estimate *estimate,
                       double *number, const char **text)
{
    const char *term = papers_text(ours, "term");
    const json_t *wanted = json_object_get(ours, "stage");
    bool is_range = json_is_array(wanted);
    json_int_t first = json_integer_value(is_range ? json_array_get(wanted, 0) : wanted);
    json_int_t last = json_integer_value(is_range ? json_array_get(wanted, 1) : wanted);
    ws_stage_estimate *stages = cli_alloc(papers->cli, STAGES * sizeof *stages);
    size_t count, from = 0, to;
    ws_status status =
        ws_estimate_stages(papers->cli->context, estimate->model, stages, STAGES, &count, NULL);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    while (from < count && (json_int_t)stages[from].index < first)
        from++;
    for (to = from; to < count && (json_int_t)stages[to].index <= last; to++)
        ;
    if ((json_int_t)(to - from) != last - first + 1)
        return papers_bad_file(papers, "published.json", "no such stages for the term", term);
    bool next = !strcmp(term, "next");
    if (next || !strcmp(term, "bottleneck")) {
        *text = list_stages(papers->cli, stages + from, to - from, next);
        return EXIT_DONE;
    }
    for (*number = 0; from < to; from++)
        *number += stage_seconds(&stages[from], term);
    if (isnan(*number))
        return papers_bad_file(papers, "published.json", "a stage has no term", term);
    return EXIT_DONE;
}

/* ---- the whole launch ------------------------------------------------------------------------ */

static int read_whole(struct papers *papers, const json_t *ours, const ws_estimate *estimate,
                      double *number, const char **text)
{
    const char *term = papers_text(ours, "term"), *next;
    ws_status status = WS_OK;
    *number = estimate->time_seconds;
    if (!strcmp(term, "bottleneck")) {
        *text = cli_copy(papers->cli, estimate->bottleneck);
    } else if (!strcmp(term, "next")) {
        status = ws_estimate_next(papers->cli->context, estimate->model, &next);
        if (status == WS_OK) *text = cli_copy(papers->cli, next);
    } else if (strcmp(term, "time") != 0) {
        status = ws_estimate_term(papers->cli->context, estimate->model, term, number);
    }
    return status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
}

static int estimate_on(struct papers *papers, const json_t *ours, const ws_machine *machine,
                       const struct papers_counting *counting, double *number, const char **text)
{
    ws_estimate estimate;
    CLI_TRY(predict(papers, ours, machine, counting, &estimate));
    if (json_object_get(ours, "stage")) return read_stages(papers, ours, &estimate, number, text);
    return read_whole(papers, ours, &estimate, number, text);
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

/* One point: the launch on a machine with `vary` set to x. A launch that does not fit leaves it empty. */
static int add_estimates(struct papers *papers, struct papers_curve *curve, const json_t *ours,
                         double x, struct papers_series *series)
{
    const struct papers_counting as_it_is = {0};
    ws_machine *machine;
    ws_estimate estimate;
    ws_status status = ws_machine_load(
        papers->cli->context, papers_machine_path(papers, papers_text(ours, "gpu")), &machine);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    status = ws_machine_set(machine, papers_text(ours, "vary"), cli_format(papers->cli, "=%g", x));
    int exit_code = status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
    if (exit_code == EXIT_DONE) exit_code = predict(papers, ours, machine, &as_it_is, &estimate);
    struct papers_point point = {x, cli_alloc(papers->cli, curve->column_count * sizeof(double))};
    for (size_t i = 0; i < curve->column_count && exit_code == EXIT_DONE; i++) {
        const char *column = curve->columns[i];
        if (!strcmp(column, "time"))
            point.values[i] = estimate.time_seconds;
        else if (ws_estimate_term(papers->cli->context, estimate.model, column, &point.values[i]) !=
                 WS_OK)
            point.values[i] = NAN;
    }
    ws_machine_destroy(machine);
    CLI_APPEND(papers->cli, series->points, series->point_count, point);
    return exit_code;
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
