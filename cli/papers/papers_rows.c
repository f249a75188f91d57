// SPDX-License-Identifier: Apache-2.0
/* One row of the table: published, ours, and whether they agree. */
#include <math.h>
#include <string.h>

#include "cli/papers/papers.h"

enum { TERMS = 64 };

/* "case": a named set of inputs, or "function" and "inputs" in the row itself. */
static int evaluate(struct papers *papers, const json_t *ours, double *out)
{
    ws_term terms[TERMS];
    size_t count;
    const char *name = papers_text(ours, "case"), *term = papers_text(ours, "term");
    const json_t *form = ours;
    if (*name) form = json_object_get(json_object_get(papers->published, "cases"), name);
    if (!form) return papers_bad_file(papers, "published.json", "there is no case", name);
    CLI_TRY(papers_evaluate(papers, papers_text(form, "function"), json_object_get(form, "inputs"),
                            NULL, terms, TERMS, &count));
    for (size_t i = 0; i < count; i++) {
        *out = terms[i].value * papers_number(ours, "scale", 1);
        if (!strcmp(terms[i].name, term)) return EXIT_DONE;
    }
    return papers_bad_file(papers, "published.json", "the closed form gives no term", term);
}

static int read_machine(struct papers *papers, const json_t *ours, double *out)
{
    ws_machine *machine;
    CLI_TRY(papers_machine(papers, papers_text(ours, "machine"), &machine));
    ws_status status = ws_machine_get(machine, papers_text(ours, "key"), out);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    *out *= papers_number(ours, "scale", 1);
    return EXIT_DONE;
}

/* Counts of one warp: inst.warp and the like over the executed warps, between two lengths of the
 * loop if `longer` names the argument that says how often it goes round. */
static int count_kernel(struct papers *papers, const json_t *ours, const char *const *args,
                        double *out)
{
    const char *id = papers_text(ours, "kernel"), *counter = papers_text(ours, "counter");
    struct papers_launch launch = {0};
    ws_profile *profile;
    double value = 0, warps = 1;
    const struct papers_kernel *found = papers_find_kernel(papers, id);
    if (!found) return papers_bad_file(papers, "published.json", "kernels.csv has no kernel", id);
    struct papers_kernel kernel = *found;
    if (args) kernel.args = (const char **)args;
    launch.kernel = &kernel;
    launch.block = kernel.block;
    CLI_TRY(papers_run(papers, &launch, &profile));
    ws_status status = ws_profile_get(profile, counter, &value);
    if (status == WS_OK) status = ws_profile_get(profile, "warps.executed", &warps);
    ws_profile_destroy(profile);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    *out = value / warps;
    return EXIT_DONE;
}

static int count_loop(struct papers *papers, const json_t *ours, double *out)
{
    const char *id = papers_text(ours, "kernel");
    const struct papers_kernel *kernel = papers_find_kernel(papers, id);
    double shorter = 0, longer = 0;
    if (!kernel || !kernel->arg_count)
        return papers_bad_file(papers, "published.json", "kernels.csv has no kernel", id);
    const char **args = cli_alloc(papers->cli, kernel->arg_count * sizeof *args);
    memcpy(args, kernel->args, kernel->arg_count * sizeof *args);
    args[0] = papers_text(ours, "shorter");
    CLI_TRY(count_kernel(papers, ours, args, &shorter));
    args[0] = papers_text(ours, "longer");
    CLI_TRY(count_kernel(papers, ours, args, &longer));
    *out = (longer - shorter) / papers_number(ours, "rounds", 1);
    return EXIT_DONE;
}

/* The mean distance of rows from what was published, in percent of that. */
static int mean_error(struct papers *papers, const json_t *ids, double *out)
{
    json_t *id, *source;
    size_t i, k;
    double sum = 0;
    json_array_foreach(ids, i, id)
    {
        struct papers_row row = {0};
        json_array_foreach(json_object_get(papers->published, "rows"), k, source)
        {
            if (strcmp(papers_text(source, "id"), json_string_value(id)) != 0) continue;
            CLI_TRY(papers_row_compute(papers, source, &row));
        }
        if (!row.source || !row.has_ours)
            return papers_bad_file(papers, "published.json", "no row with a number is called",
                                   json_string_value(id));
        double published = papers_number(row.source, "published", NAN);
        sum += 100 * fabs(row.ours / published - 1);
    }
    *out = sum / (double)json_array_size(ids);
    return EXIT_DONE;
}

static int compute(struct papers *papers, const json_t *ours, struct papers_row *out, bool *holds)
{
    *holds = true;
    out->has_ours = true;
    if (json_object_get(ours, "check"))
        return papers_check(papers, ours, &out->ours, &out->ours_text, holds);
    if (json_object_get(ours, "thermal")) return papers_thermal(papers, ours, &out->ours);
    if (json_object_get(ours, "rank")) return papers_rank(papers, ours, &out->ours);
    if (json_object_get(ours, "order")) return papers_order(papers, ours, &out->ours_text, holds);
    if (json_object_get(ours, "power")) return papers_power(papers, ours, &out->ours, holds);
    if (json_object_get(ours, "model"))
        return papers_estimate(papers, ours, &out->ours, &out->ours_text);
    if (json_object_get(ours, "mean_error"))
        return mean_error(papers, json_object_get(ours, "mean_error"), &out->ours);
    if (json_object_get(ours, "occupancy")) return papers_occupancy(papers, ours, &out->ours);
    if (json_object_get(ours, "launch")) return papers_count(papers, ours, &out->ours);
    if (json_object_get(ours, "machine")) return read_machine(papers, ours, &out->ours);
    if (json_object_get(ours, "longer")) return count_loop(papers, ours, &out->ours);
    if (json_object_get(ours, "counter")) return count_kernel(papers, ours, NULL, &out->ours);
    return evaluate(papers, ours, &out->ours);
}

static bool is_near(const json_t *source, double ours)
{
    const json_t *tolerance = json_object_get(source, "tolerance");
    double published = papers_number(source, "published", NAN);
    double absolute = papers_number(tolerance, "abs", 0);
    double relative = papers_number(tolerance, "rel", 0) * fabs(published);
    return fabs(ours - published) <= fmax(absolute, relative);
}

/* A statement about a number: "least" and "most", both excluded. */
static bool is_bounded(const json_t *ours)
{
    return !json_object_get(ours, "check") &&
           (json_object_get(ours, "least") || json_object_get(ours, "most"));
}

static bool is_within(const json_t *ours, double value)
{
    return value > papers_number(ours, "least", -INFINITY) &&
           value < papers_number(ours, "most", INFINITY);
}

int papers_row_compute(struct papers *papers, const json_t *source, struct papers_row *out)
{
    const json_t *ours = json_object_get(source, "ours");
    const char *evidence = papers_text(source, "evidence");
    bool holds = true, is_evidence = !strcmp(evidence, "printed") || !strcmp(evidence, "inferred");
    *out = (struct papers_row){.source = source};
    papers->folder = papers_text(source, "folder");
    if (!json_is_object(ours)) return EXIT_DONE;
    CLI_TRY(compute(papers, ours, out, &holds));
    if (!is_evidence) return EXIT_DONE;
    if (out->ours_text && json_object_get(ours, "model"))
        holds = !strcmp(out->ours_text, papers_text(source, "published"));
    if (!out->ours_text && json_is_number(json_object_get(source, "published")))
        holds = holds && is_near(source, out->ours);
    if (!out->ours_text && is_bounded(ours)) holds = holds && is_within(ours, out->ours);
    out->verdict = holds ? PAPERS_AGREES : PAPERS_DIFFERS;
    return EXIT_DONE;
}
