// SPDX-License-Identifier: Apache-2.0
/* Rows about the heat of a chip by the SMs at work, and rows about other rows: their order, and how well
 * two orders agree. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/thermal_report.h"
#include "cli/papers/papers.h"

/* ---- heat ------------------------------------------------------------------------------------ */

static int open_thermal(struct papers *papers, const char *gpu)
{
    const ws_thermal_options options = {.size = sizeof options};
    ws_machine *machine;
    if (papers->thermal && !strcmp(papers->thermal_gpu, gpu)) return EXIT_DONE;
    CLI_TRY(papers_machine(papers, gpu, &machine));
    ws_thermal_destroy(papers->thermal);
    papers->thermal_gpu = gpu;
    ws_status status = ws_thermal_create(machine, &options, &papers->thermal);
    return status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
}

static int read_load(struct papers *papers, const json_t *ours, const char *sms,
                     ws_thermal_load *out)
{
    ws_thermal_plan plan = {.size = sizeof plan};
    unsigned *list = NULL;
    *out = (ws_thermal_load){.size = sizeof *out,
                             .watts_per_sm = papers_number(ours, "watts_per_sm", NAN),
                             .watts_per_tpc = papers_number(ours, "watts_per_tpc", NAN),
                             .idle_watts = NAN};
    ws_status status = ws_thermal_describe_plan(papers->thermal, &plan);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    if (sms) CLI_TRY(thermal_parse_sms(papers->cli, sms, plan.sm_count, &list, &out->active_count));
    out->active_sms = list;
    return EXIT_DONE;
}

/* What the meter at the wall reads: the computer without the chip's work, and that work through the
 * power supply. */
static int read_term(struct papers *papers, const json_t *ours, const ws_thermal_state *state,
                     double *out)
{
    const char *term = papers_text(ours, "term");
    double supply = papers_number(ours, "supply_efficiency", 1);
    const struct {
        const char *name;
        double value;
    } terms[] = {
        {"wall_watts", papers_number(ours, "system_watts", 0) +
                           (state->dynamic_watts + state->static_watts) / supply},
        {"mean_celsius", state->mean_celsius},
        {"peak_celsius", state->peak_celsius},
        {"peak_over_coolest_kelvin", state->peak_celsius - state->least_celsius},
        {"active_tpcs", state->active_tpcs},
    };
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        *out = terms[i].value;
        if (!strcmp(terms[i].name, term)) return EXIT_DONE;
    }
    return papers_bad_file(papers, "published.json", "heat has no term", term);
}

static int solve_set(struct papers *papers, const json_t *ours, const char *sms, double *out)
{
    ws_thermal_state state = {.size = sizeof state};
    ws_thermal_load load;
    CLI_TRY(read_load(papers, ours, sms, &load));
    ws_status status = ws_thermal_steady(papers->thermal, &load, &state, NULL, NULL);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    return read_term(papers, ours, &state, out);
}

/* The term of the set that the search chooses: only what the choice itself tells. */
static int solve_best(struct papers *papers, const json_t *ours, double *out)
{
    ws_thermal_choice choice = {.size = sizeof choice};
    ws_thermal_load load;
    unsigned count = (unsigned)papers_number(ours, "best", 0);
    CLI_TRY(read_load(papers, ours, NULL, &load));
    unsigned *sms = cli_alloc(papers->cli, (count + 1) * sizeof *sms);
    ws_status status = ws_thermal_best(papers->thermal, &load, count, &choice, sms);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    *out = choice.active_tpcs;
    return EXIT_DONE;
}

int papers_thermal(struct papers *papers, const json_t *ours, double *out)
{
    const json_t *sets = json_object_get(ours, "active_sms"), *set;
    double least = INFINITY, most = -INFINITY;
    size_t i;
    CLI_TRY(open_thermal(papers, papers_text(ours, "thermal")));
    if (json_object_get(ours, "best")) return solve_best(papers, ours, out);
    if (json_is_string(sets)) return solve_set(papers, ours, json_string_value(sets), out);
    json_array_foreach(sets, i, set)
    {
        double value;
        const char *text = json_string_value(set);
        if (!text) return papers_bad_file(papers, "published.json", "not a list of SMs in", "heat");
        CLI_TRY(solve_set(papers, ours, text, &value));
        least = fmin(least, value);
        most = fmax(most, value);
    }
    *out = most - least;
    return EXIT_DONE;
}

/* ---- rows about rows ------------------------------------------------------------------------- */

static int find_row(struct papers *papers, const json_t *id, struct papers_row *out)
{
    const char *wanted = json_string_value(id);
    const json_t *row;
    size_t i;
    json_array_foreach(json_object_get(papers->published, "rows"), i, row)
    {
        if (wanted && !strcmp(papers_text(row, "id"), wanted))
            return papers_row_compute(papers, row, out);
    }
    return papers_bad_file(papers, "published.json", "there is no row", wanted ? wanted : "?");
}

static int sign(double a, double b)
{
    return (a > b) - (a < b);
}

/* Kendall's tau b: concordant less discordant pairs, over the pairs that are no ties in the one, and in
 * the other (Kendall, Biometrika 33, 1945). Ours are tied if they differ by rounding alone. */
int papers_rank(struct papers *papers, const json_t *ours, double *out)
{
    const json_t *ids = json_object_get(ours, "rank"), *id;
    size_t count = json_array_size(ids), i;
    double score = 0, untied = 0, untied_ours = 0;
    struct papers_row *rows = cli_alloc(papers->cli, (count + 1) * sizeof *rows);
    json_array_foreach(ids, i, id)
    {
        CLI_TRY(find_row(papers, id, &rows[i]));
        for (size_t j = 0; j < i; j++) {
            double published = papers_number(rows[i].source, "published", NAN);
            double before = papers_number(rows[j].source, "published", NAN);
            bool is_tie = fabs(rows[i].ours - rows[j].ours) <= 1e-9 * fabs(rows[i].ours);
            int mine = is_tie ? 0 : sign(rows[i].ours, rows[j].ours);
            score += mine * sign(published, before);
            untied += published != before;
            untied_ours += mine != 0;
        }
    }
    *out = untied * untied_ours > 0 ? score / sqrt(untied * untied_ours) : 0;
    return EXIT_DONE;
}

/* Every row of a group is below every row of the next ones. */
int papers_order(struct papers *papers, const json_t *ours, const char **out_text, bool *holds)
{
    const json_t *group, *id;
    struct papers_row *rows = NULL;
    size_t *groups = NULL, count = 0, group_count = 0, pairs = 0, failed = 0, i, j;
    const char *first = "";
    json_array_foreach(json_object_get(ours, "order"), i, group)
    {
        json_array_foreach(group, j, id)
        {
            struct papers_row row;
            CLI_TRY(find_row(papers, id, &row));
            CLI_APPEND(papers->cli, rows, count, row);
            CLI_APPEND(papers->cli, groups, group_count, i);
        }
    }
    for (i = 0; i < count; i++)
        for (j = 0; j < count; j++) {
            if (groups[i] >= groups[j]) continue;
            pairs++;
            if (rows[i].ours < rows[j].ours) continue;
            if (!failed++)
                first = cli_format(papers->cli, ", first %s not below %s",
                                   papers_text(rows[i].source, "id"),
                                   papers_text(rows[j].source, "id"));
        }
    *holds = pairs && !failed;
    *out_text = failed
                    ? cli_format(papers->cli, "fails at %zu of %zu pairs%s", failed, pairs, first)
                    : cli_format(papers->cli, "holds at all %zu pairs", pairs);
    return EXIT_DONE;
}
