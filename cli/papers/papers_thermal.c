// SPDX-License-Identifier: Apache-2.0
/* Rows about the heat of a chip by its active SMs. */
#include <math.h>
#include <string.h>

#include "cli/options/asking.h"
#include "cli/papers/papers.h"

/* ---- heat ------------------------------------------------------------------------------------ */

static void add_number(struct papers *papers, const json_t *ours, const char *name,
                       struct asking *asking)
{
    double value = papers_number(ours, name, NAN);
    if (!isnan(value)) asking_number(papers->cli, asking, name, value);
}

/* What the meter at the wall reads: the computer without the chip's work, and that work through the
 * power supply. */
static int read_term(struct papers *papers, const json_t *ours, const ws_answer *answer,
                     double *out)
{
    const char *term = papers_text(ours, "term");
    double supply = papers_number(ours, "supply_efficiency", 1);
    double peak = ws_answer_number(answer, "state/peak_celsius");
    const struct {
        const char *name;
        double value;
    } terms[] = {
        {"wall_watts",
         papers_number(ours, "system_watts", 0) + (ws_answer_number(answer, "state/dynamic_watts") +
                                                   ws_answer_number(answer, "state/static_watts")) /
                                                      supply},
        {"mean_celsius", ws_answer_number(answer, "state/mean_celsius")},
        {"peak_celsius", peak},
        {"peak_over_coolest_kelvin", peak - ws_answer_number(answer, "state/least_celsius")},
        {"active_tpcs", ws_answer_number(answer, "state/active_tpcs")},
    };
    for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
        *out = terms[i].value;
        if (!strcmp(terms[i].name, term)) return EXIT_DONE;
    }
    return papers_bad_file(papers, "published.json", "heat has no term", term);
}

static int add_sms(struct papers *papers, const ws_machine *machine, const char *text,
                   struct asking *asking)
{
    double count;
    ws_status status = ws_machine_get(machine, "sm.count", &count);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    return asking_sms(papers->cli, asking, "active_sms", text, (unsigned)count);
}

static int solve(struct papers *papers, const json_t *ours, const char *sms, ws_answer **out)
{
    struct asking asking = {.name = "thermal"};
    ws_machine *machine;
    CLI_TRY(papers_machine(papers, papers_text(ours, "thermal"), &machine));
    asking_machine(papers->cli, &asking, machine);
    add_number(papers, ours, "watts_per_sm", &asking);
    add_number(papers, ours, "watts_per_tpc", &asking);
    add_number(papers, ours, "best", &asking);
    if (*sms) CLI_TRY(add_sms(papers, machine, sms, &asking));
    return asking_ask(papers->cli, &asking, out);
}

/* Rows about watts, degrees and TPCs of one set ask the same: it is solved once. `sms` "": those that the search
 * chooses. */
static int find_set(struct papers *papers, const json_t *ours, const char *sms,
                    const ws_answer **out)
{
    struct papers_solved made = {
        .key =
            cli_format(papers->cli, "%s %s %g %g %g", papers_text(ours, "thermal"), sms,
                       papers_number(ours, "watts_per_sm", -1),
                       papers_number(ours, "watts_per_tpc", -1), papers_number(ours, "best", -1)),
    };
    for (size_t i = 0; i < papers->solved_count; i++) {
        *out = papers->solved[i].answer;
        if (!strcmp(papers->solved[i].key, made.key)) return EXIT_DONE;
    }
    CLI_TRY(solve(papers, ours, sms, &made.answer));
    CLI_APPEND(papers->cli, papers->solved, papers->solved_count, made);
    *out = made.answer;
    return EXIT_DONE;
}

static int solve_set(struct papers *papers, const json_t *ours, const char *sms, double *out)
{
    const ws_answer *answer;
    CLI_TRY(find_set(papers, ours, sms, &answer));
    return read_term(papers, ours, answer, out);
}

void papers_thermal_clear(struct papers *papers)
{
    for (size_t i = 0; i < papers->solved_count; i++)
        ws_answer_destroy(papers->solved[i].answer);
}

int papers_thermal(struct papers *papers, const json_t *ours, double *out)
{
    const json_t *sets = json_object_get(ours, "active_sms"), *set;
    double least = INFINITY, most = -INFINITY;
    size_t i;
    if (json_object_get(ours, "best")) return solve_set(papers, ours, "", out);
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

/* ---- maps ------------------------------------------------------------------------------------ */

static double cell(ws_node table, const char *column, size_t row)
{
    double value = NAN;
    ws_table_numbers(table, ws_table_find(table, column), row, &value, 1);
    return value;
}

int papers_thermal_curve(struct papers *papers, const json_t *source, struct papers_curve *curve)
{
    json_t *set;
    size_t i;
    papers->folder = papers_text(source, "folder");
    json_array_foreach(json_object_get(source, "sets"), i, set)
    {
        const ws_answer *answer;
        struct papers_series series = {.kernel = json_string_value(set),
                                       .machine = papers_text(source, "thermal")};
        if (!series.kernel)
            return papers_bad_file(papers, "curves.json", "not a list of SMs in", curve->id);
        CLI_TRY(find_set(papers, source, series.kernel, &answer));
        ws_node blocks = ws_node_find(ws_answer_root(answer), "blocks");
        for (size_t row = 0; row < ws_node_count(blocks); row++) {
            struct papers_point point = {cell(blocks, "sm", row), NULL};
            if (isnan(point.x)) continue; /* not an SM */
            point.values = cli_alloc(papers->cli, curve->column_count * sizeof(double));
            for (size_t c = 0; c < curve->column_count; c++)
                point.values[c] = cell(blocks, curve->columns[c], row);
            CLI_APPEND(papers->cli, series.points, series.point_count, point);
        }
        CLI_APPEND(papers->cli, curve->series, curve->series_count, series);
    }
    return EXIT_DONE;
}
