// SPDX-License-Identifier: Apache-2.0
/* What came out for one row of the table. */
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
    if (!form) return papers_bad_file(papers, "published.json", "unknown case", name);
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

static int compute(struct papers *papers, const json_t *ours, struct papers_row *out)
{
    if (json_object_get(ours, "thermal")) return papers_thermal(papers, ours, &out->ours);
    if (json_object_get(ours, "power")) return papers_power(papers, ours, &out->ours);
    if (json_object_get(ours, "model"))
        return papers_estimate(papers, ours, &out->ours, &out->ours_text);
    if (json_object_get(ours, "occupancy")) return papers_occupancy(papers, ours, &out->ours);
    if (json_object_get(ours, "launch")) return papers_count(papers, ours, &out->ours);
    if (json_object_get(ours, "machine")) return read_machine(papers, ours, &out->ours);
    if (json_object_get(ours, "longer")) return count_loop(papers, ours, &out->ours);
    if (json_object_get(ours, "counter")) return count_kernel(papers, ours, NULL, &out->ours);
    return evaluate(papers, ours, &out->ours);
}

int papers_row_compute(struct papers *papers, struct papers_row *row)
{
    const json_t *ours = json_object_get(row->source, "ours");
    const struct papers_curve *curve;
    papers->folder = papers_text(row->source, "folder");
    if (!json_is_object(ours) || papers_about(row->source)) return EXIT_DONE;
    if (json_object_get(ours, "check"))
        return papers_curve_compute(papers, papers_text(ours, "curve"), &curve);
    row->has_ours = true;
    return compute(papers, ours, row);
}

/* ---- rows about rows ------------------------------------------------------------------------- */

const char *papers_about(const json_t *source)
{
    static const char *const kinds[] = {"mean_error", "rank", "order"};
    const json_t *ours = json_object_get(source, "ours");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (json_object_get(ours, kinds[i])) return kinds[i];
    return NULL;
}

size_t papers_references(struct papers *papers, const json_t *source, struct papers_reference **out)
{
    const json_t *ours = json_object_get(source, "ours"), *group, *id;
    const char *about = papers_about(source);
    size_t count = 0, i, k;
    *out = NULL;
    if (!about) return 0;
    json_array_foreach(json_object_get(ours, about), i, group)
    {
        struct papers_reference one = {json_string_value(group), i};
        if (one.id) CLI_APPEND(papers->cli, *out, count, one);
        json_array_foreach(group, k, id)
        {
            one.id = json_string_value(id);
            if (one.id) CLI_APPEND(papers->cli, *out, count, one);
        }
    }
    return count;
}
