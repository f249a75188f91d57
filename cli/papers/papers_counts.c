// SPDX-License-Identifier: Apache-2.0
/* Rows about launch files: sums and ratios of counters, by stage too; rows about occupancy. */
#include <string.h>

#include "cli/papers/papers.h"

/* What a row counts: the profile, and the stage if it names one. */
struct counted {
    struct papers *papers;
    ws_profile *profile;
    const json_t *stage;
};

static int open_launch(struct papers *papers, const json_t *ours, struct counted *out)
{
    const json_t *segments = json_object_get(ours, "segments");
    json_int_t initial = json_integer_value(json_array_get(segments, 0));
    json_int_t least = json_integer_value(json_array_get(segments, 1));
    const struct papers_counting counting = {(unsigned)initial, (unsigned)least, 0};
    *out = (struct counted){.papers = papers, .stage = json_object_get(ours, "stage")};
    return papers_launch_file(papers, papers_text(ours, "launch"), &counting, &out->profile);
}

static int add_counter(const struct counted *counted, const char *id, double *sum)
{
    double value;
    ws_status status =
        counted->stage
            ? ws_profile_get_stage(counted->profile, (size_t)json_integer_value(counted->stage), id,
                                   &value)
            : ws_profile_get(counted->profile, id, &value);
    *sum += value;
    return status == WS_OK ? EXIT_DONE : cli_failed(counted->papers->cli, status);
}

/* A number, a counter, or a list of counters that are added up. Nothing is 0. */
static int sum_of(const struct counted *counted, const json_t *what, double *out)
{
    json_t *id;
    size_t i;
    *out = json_number_value(what);
    if (json_is_string(what)) return add_counter(counted, json_string_value(what), out);
    json_array_foreach(what, i, id)
    {
        CLI_TRY(add_counter(counted, json_string_value(id), out));
    }
    return EXIT_DONE;
}

int papers_count(struct papers *papers, const json_t *ours, double *out)
{
    struct counted counted;
    const json_t *than = json_object_get(ours, "than");
    const json_t *per = json_object_get(ours, "per"), *per_less = json_object_get(ours, "per_less");
    double less, divisor = 1, divisor_less;
    CLI_TRY(open_launch(papers, ours, &counted));
    CLI_TRY(sum_of(&counted, json_object_get(ours, "counter"), out));
    CLI_TRY(sum_of(&counted, json_object_get(ours, "less"), &less));
    if (per) CLI_TRY(sum_of(&counted, per, &divisor));
    CLI_TRY(sum_of(&counted, per_less, &divisor_less));
    *out = (*out - less) / (divisor - divisor_less) + papers_number(ours, "plus", 0);
    if (!than) return EXIT_DONE;
    double other;
    CLI_TRY(papers_count(papers, than, &other));
    *out /= other;
    return EXIT_DONE;
}

/* Plain division, as the papers do it. */
int papers_occupancy(struct papers *papers, const json_t *ours, double *out)
{
    const json_t *given = json_object_get(ours, "occupancy");
    const char *term = papers_text(ours, "term");
    ws_machine *machine;
    ws_occupancy occupancy = {.size = sizeof occupancy};
    ws_occupancy_query query = {
        .size = sizeof query,
        .threads_per_block = (unsigned)papers_number(given, "threads_per_block", 0),
        .registers_per_thread = (unsigned)papers_number(given, "registers_per_thread", 0),
        .shared_bytes = (uint64_t)papers_number(given, "shared_bytes", 0),
        .no_granularity = true,
    };
    CLI_TRY(papers_machine(papers, papers_text(ours, "gpu"), &machine));
    ws_status status = ws_machine_occupancy(machine, &query, &occupancy);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    const struct {
        const char *name;
        unsigned value;
    } terms[] = {
        {"blocks_per_sm", occupancy.blocks_per_sm},
        {"warps_per_sm", occupancy.warps_per_sm},
        {"limit_registers", occupancy.limit_registers},
        {"limit_shared", occupancy.limit_shared},
    };
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        *out = terms[i].value;
        if (!strcmp(terms[i].name, term)) return EXIT_DONE;
    }
    return papers_bad_file(papers, "published.json", "occupancy gives no term", term);
}
