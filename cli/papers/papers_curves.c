// SPDX-License-Identifier: Apache-2.0
/* Curves: a closed form over one of its inputs, or kernels over the threads of a block. */
#include <math.h>
#include <string.h>

#include "cli/papers/papers.h"

enum { TERMS = 64, INPUTS = 128, MACHINES = 8 };

static const char model[] = "mwp-cwp";

/* ---- closed forms ---------------------------------------------------------------------------- */

/* Inputs that a machine file knows, by the keys that they stand for. */
static const struct {
    const char *input, *key;
    double scale;
} machine_inputs[] = {
    {"freq_ghz", "clock.core", 1e-9},
    {"mem_bw_gbs", "dram.bandwidth", 1e-9},
    {"active_sms", "sm.count", 1},
    {"mem_ld", "dram.latency", 1},
    {"dep_uncoal", "departure_delay.uncoalesced", 1},
    {"dep_coal", "departure_delay.coalesced", 1},
};

static int add_machine_inputs(struct papers *papers, ws_machine *machine, const json_t *inputs,
                              ws_input *list, size_t *count)
{
    for (size_t i = 0; i < sizeof machine_inputs / sizeof machine_inputs[0]; i++) {
        double value;
        if (json_object_get(inputs, machine_inputs[i].input)) continue;
        ws_status status = ws_machine_get(machine, machine_inputs[i].key, &value);
        if (status != WS_OK) return cli_failed(papers->cli, status);
        list[(*count)++] =
            (ws_input){machine_inputs[i].input, value * machine_inputs[i].scale, NULL};
    }
    return EXIT_DONE;
}

int papers_evaluate(struct papers *papers, const char *function, const json_t *inputs,
                    ws_machine *machine, ws_term *terms, size_t capacity, size_t *out_count)
{
    ws_input list[INPUTS];
    size_t count = 0;
    void *at = json_object_iter((json_t *)inputs);
    for (; at; at = json_object_iter_next((json_t *)inputs, at)) {
        if (count == INPUTS / 2)
            return papers_bad_file(papers, "published.json", "too many inputs of", function);
        const json_t *value = json_object_iter_value(at);
        list[count++] = (ws_input){json_object_iter_key(at), json_number_value(value),
                                   json_string_value(value)};
    }
    if (machine) CLI_TRY(add_machine_inputs(papers, machine, inputs, list, &count));
    ws_status status =
        ws_model_evaluate(papers->cli->context, function, list, count, terms, capacity, out_count);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    if (*out_count > capacity) *out_count = capacity;
    return EXIT_DONE;
}

static double find_term(const ws_term *terms, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(terms[i].name, name)) return terms[i].value;
    return NAN;
}

static struct papers_point *add_point(struct papers *papers, const struct papers_curve *curve,
                                      struct papers_series *series, double x)
{
    struct papers_point point = {x, cli_alloc(papers->cli, curve->column_count * sizeof(double))};
    for (size_t i = 0; i < curve->column_count; i++)
        point.values[i] = NAN;
    CLI_APPEND(papers->cli, series->points, series->point_count, point);
    return &series->points[series->point_count - 1];
}

static int closed_point(struct papers *papers, const json_t *source, struct papers_curve *curve,
                        const json_t *inputs, ws_machine *machine, struct papers_series *series,
                        double x)
{
    ws_term terms[TERMS];
    size_t count;
    json_t *all = json_deep_copy(inputs);
    json_object_set_new(all, papers_text(source, "vary"), json_real(x));
    int exit_code = papers_evaluate(papers, papers_text(source, "function"), all, machine, terms,
                                    TERMS, &count);
    if (exit_code == EXIT_DONE) {
        struct papers_point *point = add_point(papers, curve, series, x);
        for (size_t i = 0; i < curve->column_count; i++)
            point->values[i] = find_term(terms, count, curve->columns[i]);
    }
    json_decref(all);
    return exit_code;
}

/* On a machine that gives inputs, or without one: "of" names what the inputs describe. */
static int closed_series(struct papers *papers, const json_t *source, const char *machine_name,
                         struct papers_curve *curve)
{
    json_t *form, *x;
    size_t s, i;
    json_array_foreach(json_object_get(source, "series"), s, form)
    {
        ws_machine *machine = NULL;
        if (machine_name) CLI_TRY(papers_machine(papers, machine_name, &machine));
        struct papers_series series = {.kernel = papers_text(form, "name"),
                                       .machine =
                                           machine_name ? machine_name : papers_text(source, "of")};
        json_array_foreach(json_object_get(source, "x_values"), i, x)
        {
            CLI_TRY(closed_point(papers, source, curve, json_object_get(form, "inputs"), machine,
                                 &series, json_number_value(x)));
        }
        CLI_APPEND(papers->cli, curve->series, curve->series_count, series);
    }
    return EXIT_DONE;
}

static int closed_curve(struct papers *papers, const json_t *source, struct papers_curve *curve)
{
    const json_t *machines = json_object_get(source, "machines");
    json_t *name;
    size_t i;
    if (!machines) return closed_series(papers, source, NULL, curve);
    json_array_foreach(machines, i, name)
    {
        CLI_TRY(closed_series(papers, source, json_string_value(name), curve));
    }
    return EXIT_DONE;
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* The series of one kernel, one a machine. */
struct sweep {
    const json_t *source;
    struct papers_curve *curve;
    struct papers_launch launch;
    ws_machine **machines;
    size_t machine_count;
    struct papers_series *series;
};

static double term_of(struct cli *cli, ws_node estimate, const char *id)
{
    return papers_number_at(estimate, cli_format(cli, "terms/%s", id));
}

/* A term of the model, or what follows from some of them. */
static double find_value(struct cli *cli, ws_machine *machine, ws_node estimate, const char *column)
{
    if (!strcmp(column, "time")) return papers_number_at(estimate, "time_s");
    if (!strcmp(column, "cycles")) return papers_number_at(estimate, "cycles");
    double accesses =
        term_of(cli, estimate, "coal_mem_insts") + term_of(cli, estimate, "uncoal_mem_insts");
    double computation = term_of(cli, estimate, "total_insts") - accesses;
    if (!strcmp(column, "comp_insts")) return computation;
    if (!strcmp(column, "intensity")) return computation / accesses;
    if (!strcmp(column, "cpi_issue")) /* what instruction issue alone would cost */
        return term_of(cli, estimate, "issue_cycles") * term_of(cli, estimate, "m_factor");
    if (strcmp(column, "occupancy") != 0) return term_of(cli, estimate, column);
    double most; /* of a grid that fills the SMs */
    ws_status status = ws_machine_get(machine, "sm.max_warps", &most);
    return status == WS_OK ? term_of(cli, estimate, "n") / most : NAN;
}

/* A block that does not fit, or a model that cannot answer, leaves the point empty. */
static int predict_point(struct papers *papers, struct sweep *sweep, size_t machine,
                         const ws_profile *profile, double x)
{
    const ws_input inputs[] = {{.name = "model_options", .word = PAPERS_READINGS},
                               {.name = "times_only", .value = 1}};
    const ws_machine *one = sweep->machines[machine];
    const ws_question question = {.size = sizeof question,
                                  .name = "analyze",
                                  .profiles = &profile,
                                  .profile_count = 1,
                                  .machines = &one,
                                  .machine_count = 1,
                                  .inputs = inputs,
                                  .input_count = sizeof inputs / sizeof *inputs};
    ws_answer *answer;
    struct papers_point *point = add_point(papers, sweep->curve, &sweep->series[machine], x);
    ws_status status = ws_ask(papers->cli->context, &question, &answer);
    if (status == WS_ERR_LAUNCH || status == WS_ERR_NO_MODEL) return EXIT_DONE;
    if (status != WS_OK) return cli_failed(papers->cli, status);
    ws_node estimate =
        ws_node_find(ws_answer_root(answer),
                     cli_format(papers->cli, "kernels/0/machines/0/estimates/%s", model));
    for (size_t c = 0; estimate.at && c < sweep->curve->column_count; c++)
        point->values[c] =
            find_value(papers->cli, sweep->machines[machine], estimate, sweep->curve->columns[c]);
    ws_answer_destroy(answer);
    return EXIT_DONE;
}

/* One execution serves all machines unless the grid depends on their number of SMs. */
static int sweep_block(struct papers *papers, struct sweep *sweep, uint32_t block,
                       unsigned blocks_per_sm)
{
    ws_profile *profile = NULL;
    uint64_t executed = 0;
    int exit_code = EXIT_DONE;
    sweep->launch.block = block;
    for (size_t i = 0; i < sweep->machine_count && exit_code == EXIT_DONE; i++) {
        double sms = 0;
        sweep->launch.blocks_total = 0;
        if (blocks_per_sm && ws_machine_get(sweep->machines[i], "sm.count", &sms) == WS_OK)
            sweep->launch.blocks_total = blocks_per_sm * (uint64_t)sms;
        if (!profile || executed != sweep->launch.blocks_total) {
            ws_profile_destroy(profile);
            exit_code = papers_run(papers, &sweep->launch, &profile);
            executed = sweep->launch.blocks_total;
        }
        if (exit_code == EXIT_DONE) exit_code = predict_point(papers, sweep, i, profile, block);
    }
    ws_profile_destroy(profile);
    return exit_code;
}

static int sweep_kernel(struct papers *papers, struct sweep *sweep, unsigned blocks_per_sm)
{
    json_t *threads;
    size_t i;
    struct papers_curve *curve = sweep->curve;
    const char *id = sweep->launch.kernel->id;
    sweep->series = cli_alloc(papers->cli, sweep->machine_count * sizeof *sweep->series);
    for (i = 0; i < sweep->machine_count; i++)
        sweep->series[i] =
            (struct papers_series){id, ws_machine_id(sweep->machines[i]), blocks_per_sm, NULL, 0};
    sweep->launch.registers =
        (unsigned)papers_number(json_object_get(papers->curves_file, "registers"), id, 0);
    json_array_foreach(json_object_get(sweep->source, "threads"), i, threads)
    {
        uint32_t block = (uint32_t)json_integer_value(threads);
        double side = floor(sqrt(block));
        if (sweep->launch.kernel->is_square && side * side != block) continue;
        CLI_TRY(sweep_block(papers, sweep, block, blocks_per_sm));
    }
    for (i = 0; i < sweep->machine_count; i++)
        CLI_APPEND(papers->cli, curve->series, curve->series_count, sweep->series[i]);
    return EXIT_DONE;
}

static int kernel_curve(struct papers *papers, const json_t *source, struct papers_curve *curve)
{
    ws_machine *machines[MACHINES];
    struct sweep sweep = {.source = source, .curve = curve, .machines = machines};
    const json_t *grids = json_object_get(source, "blocks_per_sm");
    json_t *name;
    size_t i, k;
    json_array_foreach(json_object_get(source, "machines"), i, name)
    {
        if (i == MACHINES) break;
        CLI_TRY(papers_machine(papers, json_string_value(name), &machines[i]));
        ws_status status = ws_machine_prepare_launch(machines[i], &sweep.launch.counted);
        if (status != WS_OK) return cli_failed(papers->cli, status);
        sweep.machine_count = i + 1;
    }
    json_array_foreach(json_object_get(source, "kernels"), k, name)
    {
        const char *id = json_string_value(name);
        sweep.launch.kernel = papers_find_kernel(papers, id);
        if (!sweep.launch.kernel)
            return papers_bad_file(papers, "curves.json", "kernels.csv has no kernel", id);
        size_t count = json_array_size(grids);
        for (i = 0; i < (count ? count : 1); i++)
            CLI_TRY(sweep_kernel(papers, &sweep,
                                 (unsigned)json_integer_value(json_array_get(grids, i))));
    }
    return EXIT_DONE;
}

/* ---- one curve ------------------------------------------------------------------------------- */

static const struct {
    const char *column, *unit;
} column_units[] = {
    {"time", "s"},
    {"cycles", "cycle"},
    {"exec_cycles", "cycle"},
    {"synch_cost", "cycle"},
    {"mem_cycles", "cycle"},
    {"comp_cycles", "cycle"},
    {"cpi", "cycle"},
    {"cpi_issue", "cycle"},
    {"exec_cycles_synch", "cycle"},
    {"bandwidth", "B/s"},
    {"gips", "1e9/s"},
    {"runtime_w", "W"},
    {"gpu_w", "W"},
    {"gated_w", "W"},
    {"idle_w", "W"},
    {"const_sm_w", "W"},
    {"activation_w", "W"},
    {"gips_per_runtime_w", "1e9/J"},
    {"gips_per_gpu_w", "1e9/J"},
    {"t_inst", "s"},
    {"t_smem", "s"},
    {"t_gmem", "s"},
    {"t_dram", "s"},
    {"simulated_cycles", "cycle"},
    {"perf", "flop/s"},
    {"peak_achi", "flop/s"},
    {"ginst_s", "1e9/s"},
    {"type_i", "1e9/s"},
    {"type_ii", "1e9/s"},
    {"type_iii", "1e9/s"},
    {"type_iv", "1e9/s"},
    {"smem_gbs", "GB/s"},
    {"gbs", "GB/s"},
    {"w", "W"},
    {"static_add_w", "W"},
    {"degc", "degC"},
    {"temp", "degC"},
    {"rise", "K"},
    {"mean_celsius", "degC"},
    {"peak_celsius", "degC"},
};

static const char *find_unit(const char *column)
{
    for (size_t i = 0; i < sizeof column_units / sizeof column_units[0]; i++)
        if (!strcmp(column_units[i].column, column)) return column_units[i].unit;
    return strncmp(column, "units.", 6) ? "1" : "W"; /* watts of a unit */
}

static void set_columns(struct papers *papers, const json_t *source, struct papers_curve *curve)
{
    const json_t *columns = json_object_get(source, "columns");
    json_t *name;
    size_t i, count = json_array_size(columns);
    curve->column_count = count;
    curve->columns = cli_alloc(papers->cli, (count + 1) * sizeof *curve->columns);
    curve->units = cli_alloc(papers->cli, (count + 1) * sizeof *curve->units);
    json_array_foreach(columns, i, name)
    {
        curve->columns[i] = json_string_value(name);
        curve->units[i] = find_unit(curve->columns[i]);
    }
}

/* By the key that only curves of its kind have. */
static int (*find_maker(const json_t *source))(struct papers *, const json_t *,
                                               struct papers_curve *)
{
    static const struct {
        const char *key;
        int (*make)(struct papers *papers, const json_t *source, struct papers_curve *curve);
    } makers[] = {
        {"function", closed_curve},        {"vary", papers_estimate_curve},
        {"thermal", papers_thermal_curve}, {"run_s", papers_heating_curve},
        {"of", papers_energy_curve},       {"model", papers_launch_curve},
        {"launches", papers_power_curve},  {"kernels", kernel_curve},
    };
    size_t i = 0;
    while (i + 1 < sizeof makers / sizeof makers[0] && !json_object_get(source, makers[i].key))
        i++;
    return makers[i].make;
}

int papers_curve_compute(struct papers *papers, const char *id, const struct papers_curve **out)
{
    json_t *source, *list = json_object_get(papers->curves_file, "curves");
    size_t i;
    for (i = 0; i < papers->curve_count; i++) {
        *out = &papers->curves[i];
        if (!strcmp((*out)->id, id)) return EXIT_DONE;
    }
    json_array_foreach(list, i, source)
    {
        if (strcmp(papers_text(source, "id"), id)) continue;
        struct papers_curve *curve = &papers->curves[papers->curve_count];
        *curve = (struct papers_curve){
            .id = id,
            .title = papers_text(source, "title"),
            .figure = papers_text(source, "figure"),
            .x_name = papers_text(source, "x_name"),
        };
        curve->id = papers_text(source, "id");
        set_columns(papers, source, curve);
        CLI_TRY(find_maker(source)(papers, source, curve));
        papers->curve_count++;
        *out = curve;
        return EXIT_DONE;
    }
    return papers_bad_file(papers, "curves.json", "unknown curve", id);
}
