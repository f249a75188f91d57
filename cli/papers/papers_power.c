// SPDX-License-Identifier: Apache-2.0
/* Rows and curves about power: launch files, the model ipp-power, any number of active SMs. Times are mwp-cwp's,
 * as in the thesis' IPP, (58) to (60), unless a row or curve names another model. */
#include <math.h>
#include <string.h>

#include "cli/options/asking.h"
#include "cli/papers/papers.h"

enum { LAUNCHES_MAX = 64 };

static const char default_time_model[] = "mwp-cwp";

/* What a launch file takes on a GPU, and for every number of active SMs. */
struct powered {
    const char *folder, *launch, *gpu;
    const char *time_model; /* whose times */
    ws_answer *answer;      /* to `power` */
    ws_node points;         /* by number of SMs */
    size_t count;
};

/* What every question about the launch begins with. */
static int begin(struct papers *papers, const struct powered *out, struct asking *asking)
{
    const struct papers_counting counting = {0};
    ws_profile *profile;
    ws_machine *machine;
    CLI_TRY(papers_launch_file(papers, out->launch, &counting, &profile));
    CLI_TRY(papers_machine(papers, out->gpu, &machine));
    const char *options =
        cli_format(papers->cli, PAPERS_READINGS ",power_time=%s", out->time_model);
    asking_profile(papers->cli, asking, profile);
    asking_machine(papers->cli, asking, machine);
    asking_word(papers->cli, asking, "model_options", options);
    asking_number(papers->cli, asking, "no_clocks", 1);
    return EXIT_DONE;
}

static int predict_sweep(struct papers *papers, struct powered *out)
{
    struct asking asking = {.name = "power"};
    CLI_TRY(begin(papers, out, &asking));
    CLI_TRY(asking_ask(papers->cli, &asking, &out->answer));
    out->points = ws_node_find(ws_answer_root(out->answer), "machines/0/cores/points");
    out->count = ws_node_count(out->points);
    return EXIT_DONE;
}

void papers_power_clear(struct papers *papers)
{
    for (size_t i = 0; i < papers->powered_count; i++)
        ws_answer_destroy(papers->powered[i]->answer);
}

/* A figure of the launch on the number of SMs of this row. */
static double cell(const struct powered *p, const char *column, size_t row)
{
    const char *id, *unit;
    ws_kind kind;
    double value = NAN;
    for (size_t i = 0; ws_table_column(p->points, i, &id, &unit, &kind); i++)
        if (!strcmp(id, column)) ws_table_numbers(p->points, i, row, &value, 1);
    return value;
}

static double cell_of_all(const struct powered *p, const char *column)
{
    return cell(p, column, p->count - 1);
}

/* Every row about a launch asks for the same sweep: it is predicted once. `ours` may have a time_model. */
static int find_power(struct papers *papers, const json_t *ours, const char *launch,
                      const char *gpu, struct powered **out)
{
    const char *given = papers_text(ours, "time_model");
    const char *time_model = *given ? given : default_time_model;
    for (size_t i = 0; i < papers->powered_count; i++) {
        *out = papers->powered[i];
        if (!strcmp((*out)->folder, papers->folder) && !strcmp((*out)->launch, launch) &&
            !strcmp((*out)->gpu, gpu) && !strcmp((*out)->time_model, time_model))
            return EXIT_DONE;
    }
    struct powered *made = cli_alloc(papers->cli, sizeof *made);
    *made = (struct powered){
        .folder = papers->folder, .launch = launch, .gpu = gpu, .time_model = time_model};
    CLI_TRY(predict_sweep(papers, made));
    CLI_APPEND(papers->cli, papers->powered, papers->powered_count, made);
    *out = made;
    return EXIT_DONE;
}

/* NAN: ipp-power has no such term. */
static double term_of(struct papers *papers, const struct powered *p, const char *id)
{
    return ws_answer_number(p->answer, cli_format(papers->cli, "machines/0/power/terms/%s", id));
}

/* ---- values of one launch -------------------------------------------------------------------- */

static int closed_cores(struct papers *papers, const json_t *ours, const struct powered *p,
                        double *out)
{
    (void)ours;
    *out = ws_answer_number(p->answer, "machines/0/cores/closed_form/cores");
    if (!isnan(*out)) return EXIT_DONE;
    return papers_bad_file(papers, "published.json", "no closed form for", p->launch);
}

static int best_figure(struct papers *papers, const json_t *ours, const struct powered *p,
                       const char *figure, double *out)
{
    const char *metric = papers_text(ours, "metric");
    *out = ws_answer_number(p->answer,
                            cli_format(papers->cli, "machines/0/cores/best/%s/%s", metric, figure));
    if (!isnan(*out)) return EXIT_DONE;
    return papers_bad_file(papers, "published.json", "power is not counted by the metric", metric);
}

static int best_cores(struct papers *papers, const json_t *ours, const struct powered *p,
                      double *out)
{
    return best_figure(papers, ours, p, "cores", out);
}

static int saving(struct papers *papers, const json_t *ours, const struct powered *p, double *out)
{
    CLI_TRY(best_figure(papers, ours, p, "saving", out));
    *out *= papers_number(ours, "scale", 1);
    return EXIT_DONE;
}

/* The least number of SMs from which on the bandwidth stays within `within` of the largest. */
static int saturation(struct papers *papers, const json_t *ours, const struct powered *p,
                      double *out)
{
    double most = 0;
    (void)papers;
    for (size_t i = 0; i < p->count; i++)
        most = fmax(most, cell(p, "bandwidth_bytes_per_s", i));
    size_t first = p->count;
    while (first && cell(p, "bandwidth_bytes_per_s", first - 1) >=
                        most * (1 - papers_number(ours, "within", 0.02)))
        first--;
    *out = first < p->count ? cell(p, "cores", first) : (double)NAN;
    return EXIT_DONE;
}

static int term(struct papers *papers, const json_t *ours, const struct powered *p, double *out)
{
    const char *id = papers_text(ours, "term");
    *out = term_of(papers, p, id) * papers_number(ours, "scale", 1);
    if (!isnan(*out)) return EXIT_DONE;
    return papers_bad_file(papers, "published.json", "ipp-power gives no term", id);
}

/* Power with all SMs active less that with one. */
static int delta(struct papers *papers, const json_t *ours, const struct powered *p, double *out)
{
    (void)papers;
    (void)ours;
    *out = cell_of_all(p, "gpu_w") - cell(p, "gpu_w", 0);
    return EXIT_DONE;
}

static const struct {
    const char *name;
    int (*find)(struct papers *papers, const json_t *ours, const struct powered *p, double *out);
} values[] = {{"closed_cores", closed_cores}, {"best_cores", best_cores}, {"saving", saving},
              {"saturation", saturation},     {"delta", delta},           {"term", term}};
enum { VALUE_COUNT = sizeof values / sizeof values[0] };

/* ---- over several launches ------------------------------------------------------------------- */

struct collected {
    double values[LAUNCHES_MAX], gips[LAUNCHES_MAX], watts[LAUNCHES_MAX];
    size_t count;
    double all_cores;
};

static int collect(struct papers *papers, const json_t *ours, struct collected *out)
{
    const char *name = papers_text(ours, "power");
    const json_t *launches = json_object_get(ours, "launches");
    size_t k = 0, count = json_is_array(launches) ? json_array_size(launches) : 1;
    struct powered *p;
    while (k < VALUE_COUNT && strcmp(values[k].name, name))
        k++;
    if (k == VALUE_COUNT)
        return papers_bad_file(papers, "published.json", "unknown value of power", name);
    *out = (struct collected){0};
    for (size_t i = 0; i < count && i < LAUNCHES_MAX; i++) {
        const char *launch = json_is_array(launches)
                                 ? json_string_value(json_array_get(launches, i))
                                 : papers_text(ours, "launch");
        CLI_TRY(find_power(papers, ours, launch, papers_text(ours, "gpu"), &p));
        CLI_TRY(values[k].find(papers, ours, p, &out->values[i]));
        out->gips[i] = cell_of_all(p, "inst_per_s") / 1e9;
        out->watts[i] = cell_of_all(p, "gpu_w");
        out->all_cores = cell_of_all(p, "cores");
        out->count = i + 1;
    }
    return EXIT_DONE;
}

static double mean_of(const double *list, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += list[i];
    return sum / (double)count;
}

static double correlation(const double *a, const double *b, size_t count)
{
    double mean_a = mean_of(a, count), mean_b = mean_of(b, count), aa = 0, bb = 0, ab = 0;
    for (size_t i = 0; i < count; i++) {
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
        ab += (a[i] - mean_a) * (b[i] - mean_b);
    }
    return ab / sqrt(aa * bb);
}

int papers_power(struct papers *papers, const json_t *ours, double *out)
{
    struct collected *all = cli_alloc(papers->cli, sizeof *all);
    const char *over = papers_text(ours, "over");
    CLI_TRY(collect(papers, ours, all));
    *out = mean_of(all->values, all->count); /* of one: itself */
    if (*papers_text(ours, "less_launch")) {
        json_t *less = json_deep_copy(ours);
        json_object_set_new(less, "launch", json_string(papers_text(ours, "less_launch")));
        json_object_del(less, "less_launch");
        double other = 0;
        int exit_code = papers_power(papers, less, &other);
        json_decref(less);
        if (exit_code != EXIT_DONE) return exit_code;
        *out -= other;
    }
    if (!strcmp(over, "max"))
        for (size_t i = 0; i < all->count; i++)
            *out = i ? fmax(*out, all->values[i]) : all->values[i];
    if (!strcmp(over, "fewer")) { /* how many are fewer than all SMs */
        *out = 0;
        for (size_t i = 0; i < all->count; i++)
            *out += all->values[i] < all->all_cores;
    }
    if (!strcmp(over, "correlation")) *out = correlation(all->gips, all->watts, all->count);
    return EXIT_DONE;
}

/* ---- curves ---------------------------------------------------------------------------------- */

/* Columns of curves that are figures of the answer by another name, or in other units. */
static double core_value(const struct powered *p, const char *column, size_t row)
{
    static const struct {
        const char *column, *figure;
        double divisor;
    } all[] = {
        {"time", "time_s", 1},
        {"bandwidth", "bandwidth_bytes_per_s", 1},
        {"gips", "inst_per_s", 1e9},
        {"gips_per_runtime_w", "inst_per_s_per_w_runtime", 1e9},
        {"gips_per_gpu_w", "inst_per_s_per_w_total", 1e9},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(all[i].column, column)) return cell(p, all[i].figure, row) / all[i].divisor;
    return cell(p, column, row);
}

static struct papers_point new_point(struct papers *papers, const struct papers_curve *curve,
                                     double x)
{
    return (struct papers_point){x, cli_alloc(papers->cli, curve->column_count * sizeof(double))};
}

/* `sweep`: over the active SMs; else one point, whose columns are terms of ipp-power. */
static int add_series(struct papers *papers, struct papers_curve *curve, bool sweep,
                      const struct powered *p)
{
    struct papers_series series = {.kernel = p->launch, .machine = p->gpu};
    for (size_t i = 0; i < (sweep ? p->count : 1); i++) {
        size_t row = sweep ? i : p->count - 1;
        struct papers_point point = new_point(papers, curve, cell(p, "cores", row));
        for (size_t c = 0; c < curve->column_count; c++) {
            point.values[c] = core_value(p, curve->columns[c], row);
            if (!sweep && isnan(point.values[c]))
                point.values[c] = term_of(papers, p, curve->columns[c]);
        }
        CLI_APPEND(papers->cli, series.points, series.point_count, point);
    }
    CLI_APPEND(papers->cli, curve->series, curve->series_count, series);
    return EXIT_DONE;
}

int papers_power_curve(struct papers *papers, const json_t *source, struct papers_curve *curve)
{
    bool sweep = !strcmp(papers_text(source, "x_name"), "cores");
    struct powered *p;
    json_t *launch, *gpu;
    size_t i, k;
    papers->folder = papers_text(source, "folder");
    json_array_foreach(json_object_get(source, "machines"), k, gpu)
    {
        json_array_foreach(json_object_get(source, "launches"), i, launch)
        {
            CLI_TRY(
                find_power(papers, source, json_string_value(launch), json_string_value(gpu), &p));
            CLI_TRY(add_series(papers, curve, sweep, p));
        }
    }
    return EXIT_DONE;
}

/* ---- over time ------------------------------------------------------------------------------- */

static int add_heating(struct papers *papers, const json_t *source, struct papers_curve *curve,
                       const struct powered *p)
{
    struct asking asking = {.name = "power"};
    struct papers_series series = {.kernel = p->launch, .machine = p->gpu};
    ws_answer *answer;
    CLI_TRY(begin(papers, p, &asking));
    asking_number(papers->cli, &asking, "cores_first", 1); /* the sweep is not asked for */
    asking_number(papers->cli, &asking, "cores_last", 1);
    asking_number(papers->cli, &asking, "run_s", papers_number(source, "run_s", 0));
    asking_number(papers->cli, &asking, "cool_s", papers_number(source, "cool_s", 0));
    asking_number(papers->cli, &asking, "step_s", papers_number(source, "step_s", 1));
    CLI_TRY(asking_ask(papers->cli, &asking, &answer));
    ws_node table = ws_node_find(ws_answer_root(answer), "machines/0/temperature/curve");
    for (size_t row = 0; row < ws_node_count(table); row++) {
        struct papers_point point = new_point(papers, curve, NAN);
        ws_table_numbers(table, ws_table_find(table, "time_s"), row, &point.x, 1);
        for (size_t c = 0; c < curve->column_count; c++) {
            point.values[c] = NAN;
            ws_table_numbers(table, ws_table_find(table, curve->columns[c]), row, &point.values[c],
                             1);
        }
        CLI_APPEND(papers->cli, series.points, series.point_count, point);
    }
    ws_answer_destroy(answer);
    CLI_APPEND(papers->cli, curve->series, curve->series_count, series);
    return EXIT_DONE;
}

int papers_heating_curve(struct papers *papers, const json_t *source, struct papers_curve *curve)
{
    json_t *launch, *gpu;
    size_t i, k;
    papers->folder = papers_text(source, "folder");
    json_array_foreach(json_object_get(source, "machines"), k, gpu)
    {
        json_array_foreach(json_object_get(source, "launches"), i, launch)
        {
            const struct powered p = {.launch = json_string_value(launch),
                                      .gpu = json_string_value(gpu),
                                      .time_model = default_time_model};
            CLI_TRY(add_heating(papers, source, curve, &p));
        }
    }
    return EXIT_DONE;
}
