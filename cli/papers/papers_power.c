// SPDX-License-Identifier: Apache-2.0
/* Rows and curves about power: launch files, the model ipp-power, any number of active SMs. */
#include <math.h>
#include <string.h>

#include "cli/papers/papers.h"

enum { CORES_MAX = 256, LAUNCHES_MAX = 64 };

/* What a launch file takes on a GPU, and for every number of active SMs. */
struct powered {
    const char *folder, *launch, *gpu;
    const char *time_model; /* whose times; "": the best suited one's */
    ws_core_point points[CORES_MAX];
    size_t count;
    ws_core_summary cores;
};

static int predict_sweep(struct papers *papers, struct powered *out)
{
    const struct papers_counting counting = {0};
    ws_profile *profile;
    ws_machine *machine;
    double sms;
    CLI_TRY(papers_launch_file(papers, out->launch, &counting, &profile));
    CLI_TRY(papers_machine(papers, out->gpu, &machine));
    ws_status status = ws_machine_get(machine, "sm.count", &sms);
    ws_predict_options options = {.size = sizeof options, .model_options = PAPERS_READINGS};
    if (*out->time_model)
        options.model_options =
            cli_format(papers->cli, PAPERS_READINGS ",power_time=%s", out->time_model);
    if (status == WS_OK)
        status = ws_power_cores(papers->cli->context, profile, machine, &options, 1, (unsigned)sms,
                                out->points, CORES_MAX, &out->count, &out->cores);
    return status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
}

/* Every row about a launch asks for the same sweep: it is predicted once. `ours` may have a time_model. */
static int find_power(struct papers *papers, const json_t *ours, const char *launch,
                      const char *gpu, struct powered **out)
{
    const char *time_model = papers_text(ours, "time_model");
    for (size_t i = 0; i < papers->powered_count; i++) {
        *out = papers->powered[i];
        if (!strcmp((*out)->folder, papers->folder) && !strcmp((*out)->launch, launch) &&
            !strcmp((*out)->gpu, gpu) && !strcmp((*out)->time_model, time_model))
            return EXIT_DONE;
    }
    struct powered *made = cli_alloc(papers->cli, sizeof *made);
    *made = (struct powered){
        .folder = papers->folder, .launch = launch, .gpu = gpu, .time_model = time_model};
    made->cores.size = sizeof made->cores;
    CLI_TRY(predict_sweep(papers, made));
    CLI_APPEND(papers->cli, papers->powered, papers->powered_count, made);
    *out = made;
    return EXIT_DONE;
}

/* Terms of ipp-power are those of the context's last prediction; only the model whose time the power
 * rests on is asked. */
static int predict_terms(struct papers *papers, const struct powered *p)
{
    const struct papers_counting counting = {0};
    const ws_predict_options options = {
        .size = sizeof options, .model_options = PAPERS_READINGS, .only = p->cores.time_model};
    ws_power power = {.size = sizeof power};
    ws_profile *profile;
    ws_machine *machine;
    CLI_TRY(papers_launch_file(papers, p->launch, &counting, &profile));
    CLI_TRY(papers_machine(papers, p->gpu, &machine));
    ws_status status = ws_power_predict(papers->cli->context, profile, machine, &options, &power);
    return status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
}

static const char *const metric_ids[WS_POWER_METRICS] = {"runtime", "total", "powergate"};

static int find_metric(struct papers *papers, const json_t *ours, ws_power_metric *out)
{
    const char *wanted = papers_text(ours, "metric");
    for (size_t i = 0; i < WS_POWER_METRICS; i++) {
        *out = (ws_power_metric)i;
        if (!strcmp(metric_ids[i], wanted)) return EXIT_DONE;
    }
    return papers_bad_file(papers, "published.json", "power is not counted by the metric", wanted);
}

/* ---- values of one launch -------------------------------------------------------------------- */

static int closed_cores(struct papers *papers, const json_t *ours, const struct powered *p,
                        double *out)
{
    (void)ours;
    *out = p->cores.closed_cores;
    if (!p->cores.no_closed_form) return EXIT_DONE;
    return papers_bad_file(papers, "published.json", "there is no closed form for", p->launch);
}

static int best_cores(struct papers *papers, const json_t *ours, const struct powered *p,
                      double *out)
{
    ws_power_metric metric;
    CLI_TRY(find_metric(papers, ours, &metric));
    *out = p->cores.best[metric];
    return EXIT_DONE;
}

static int saving(struct papers *papers, const json_t *ours, const struct powered *p, double *out)
{
    ws_power_metric metric;
    CLI_TRY(find_metric(papers, ours, &metric));
    *out = p->cores.saving[metric] * papers_number(ours, "scale", 1);
    return EXIT_DONE;
}

/* The least number of SMs from which on the bandwidth stays within `within` of the largest. */
static int saturation(struct papers *papers, const json_t *ours, const struct powered *p,
                      double *out)
{
    double most = 0;
    (void)papers;
    for (size_t i = 0; i < p->count; i++)
        most = fmax(most, p->points[i].bytes_per_second);
    size_t first = p->count;
    while (first && p->points[first - 1].bytes_per_second >=
                        most * (1 - papers_number(ours, "within", 0.02)))
        first--;
    *out = first < p->count ? (double)p->points[first].cores : (double)NAN;
    return EXIT_DONE;
}

static int term(struct papers *papers, const json_t *ours, const struct powered *p, double *out)
{
    CLI_TRY(predict_terms(papers, p));
    ws_status status =
        ws_estimate_term(papers->cli->context, "ipp-power", papers_text(ours, "term"), out);
    *out *= papers_number(ours, "scale", 1);
    return status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
}

/* Power of all SMs at work less that of one. */
static int delta(struct papers *papers, const json_t *ours, const struct powered *p, double *out)
{
    (void)papers;
    (void)ours;
    *out = p->cores.all.gpu_watts - p->points[0].gpu_watts;
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
        return papers_bad_file(papers, "published.json", "no value of power is called", name);
    *out = (struct collected){0};
    for (size_t i = 0; i < count && i < LAUNCHES_MAX; i++) {
        const char *launch = json_is_array(launches)
                                 ? json_string_value(json_array_get(launches, i))
                                 : papers_text(ours, "launch");
        CLI_TRY(find_power(papers, ours, launch, papers_text(ours, "gpu"), &p));
        CLI_TRY(values[k].find(papers, ours, p, &out->values[i]));
        out->gips[i] = p->cores.all.inst_per_second / 1e9;
        out->watts[i] = p->cores.all.gpu_watts;
        out->all_cores = p->cores.all.cores;
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

int papers_power(struct papers *papers, const json_t *ours, double *out, bool *holds)
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
        int exit_code = papers_power(papers, less, &other, holds);
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
    *holds = *out >= papers_number(ours, "least", -INFINITY) &&
             *out <= papers_number(ours, "most", INFINITY);
    return EXIT_DONE;
}

/* ---- curves ---------------------------------------------------------------------------------- */

static double core_value(const ws_core_point *point, const char *column)
{
    const struct {
        const char *name;
        double value;
    } all[] = {
        {"time", point->time_seconds},
        {"bandwidth", point->bytes_per_second},
        {"gips", point->inst_per_second / 1e9},
        {"runtime_w", point->runtime_watts},
        {"gpu_w", point->gpu_watts},
        {"gated_w", point->gated_watts},
        {"gips_per_runtime_w", point->inst_per_second / 1e9 / point->runtime_watts},
        {"gips_per_gpu_w", point->inst_per_second / 1e9 / point->gpu_watts},
        {"case", point->case_number ? (double)point->case_number : (double)NAN},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (!strcmp(all[i].name, column)) return all[i].value;
    return NAN;
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
        struct papers_point point =
            new_point(papers, curve, sweep ? p->points[i].cores : p->cores.all.cores);
        for (size_t c = 0; c < curve->column_count; c++) {
            point.values[c] = core_value(&p->points[sweep ? i : p->count - 1], curve->columns[c]);
            double value;
            if (!sweep && isnan(point.values[c]) &&
                ws_estimate_term(papers->cli->context, "ipp-power", curve->columns[c], &value) ==
                    WS_OK)
                point.values[c] = value;
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
            if (!sweep) CLI_TRY(predict_terms(papers, p));
            CLI_TRY(add_series(papers, curve, sweep, p));
        }
    }
    return EXIT_DONE;
}
