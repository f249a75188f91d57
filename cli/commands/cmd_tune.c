// SPDX-License-Identifier: Apache-2.0
/* tune: which configuration of a kernel is the fastest, without its GPU. All are ranked by a sample of their blocks, the
 * best few are then executed whole. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/sweep/design_files.h"
#include "cli/sweep/kernel_tuner.h"
#include "cli/sweep/sweep_pool.h"
#include "cli/sweep/sweep_table.h"

enum {
    OPTION_TUNE_OUTPUT = 1,
    OPTION_SAMPLE,
    OPTION_WHOLE,
    OPTION_JOBS,
    OPTION_CACHE,
    OPTION_TUNE_FORMAT
};

static const struct option_row options[] = {
    {OPTION_TUNE_OUTPUT, 'o', "output", ">FILE",
     "the results (default: the space's name with .db); the same command goes on with them"},
    {OPTION_SAMPLE, 0, "sample", "N",
     "blocks of each configuration that are executed first (default: 64)"},
    {OPTION_WHOLE, 0, "whole", "N", "configurations that are then executed whole (default: 5)"},
    {OPTION_JOBS, 'j', "jobs", "N", "processes (default: all cores)"},
    {OPTION_CACHE, 0, "kernel-tuner", ">FILE", "also write a cache file of Kernel Tuner"},
    {OPTION_TUNE_FORMAT, 'f', "format", "text|json|csv", "output format"},
    {0},
};

struct tune {
    unsigned sample, whole, jobs;
    const char *output, *cache;
    ws_format format;
};

static int take_option(struct cli *cli, const struct option_use *use, struct tune *out)
{
    switch (use->id) {
    case OPTION_TUNE_OUTPUT:
        out->output = use->value;
        return EXIT_DONE;
    case OPTION_SAMPLE:
        return parse_small(cli, "--sample", use->value, &out->sample);
    case OPTION_WHOLE:
        return parse_small(cli, "--whole", use->value, &out->whole);
    case OPTION_JOBS:
        return parse_small(cli, "--jobs", use->value, &out->jobs);
    case OPTION_CACHE:
        out->cache = use->value;
        return EXIT_DONE;
    case OPTION_TUNE_FORMAT:
        return parse_format(cli, use->value, &out->format);
    default:
        return EXIT_DONE;
    }
}

/* ---- two passes ------------------------------------------------------------------------------ */

static int read_space(struct cli *cli, const char *path, const struct tune *tune,
                      struct design *design)
{
    CLI_TRY(design_read(cli, path, design));
    if (design->gpus.items[0].count != 1 || design->fields.count || design->entry_count != 1)
        return cli_error(
            cli, EXIT_INPUT,
            "%s: error: tune takes one launch and one gpu: use sweep for several, and for "
            "`machine`",
            path);
    for (size_t i = 0; i < design->launch_count; i++)
        design->launches[i].sample_blocks = tune->sample;
    design_mark(design, cli_format(cli, "tune %u %u", tune->sample, tune->whole));
    return EXIT_DONE;
}

/* The best by their samples once more, whole: they follow the others. */
static int add_whole(struct cli *cli, struct sweep_store *store, const struct tune *tune,
                     struct design *design)
{
    sqlite3_stmt *statement;
    size_t count = design->launch_count, sampled = count;
    int code;
    const char *sql =
        cli_format(cli,
                   "SELECT id FROM point WHERE id < %zu AND status = 'done' AND time_s NOT "
                   "NULL ORDER BY time_s, id LIMIT %u",
                   sampled, tune->whole);
    CLI_TRY(store_prepare(store, sql, &statement));
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct design_launch launch = design->launches[sqlite3_column_int64(statement, 0)];
        launch.sample_blocks = 0;
        CLI_APPEND(cli, design->launches, count, launch);
    }
    sqlite3_finalize(statement);
    design->launch_count = count;
    if (code != SQLITE_DONE) return store_failed(store, "read");
    if (count > sampled) return EXIT_DONE;
    return cli_error(cli, EXIT_GUEST,
                     "no configuration could be predicted; `warpsage sweep status %s` says why",
                     store->path);
}

static int run_passes(struct cli *cli, const struct command *command, const struct tune *tune,
                      struct design *design, struct sweep_store *store)
{
    struct sweep_done done;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct sweep_plan plan = {.command = command,
                              .design = design,
                              .workers = tune->jobs  ? tune->jobs
                                         : cores > 0 ? (unsigned)cores
                                                     : 1,
                              .threads = 1,
                              .shards = 1};
    CLI_TRY(pool_run(cli, &plan, store, &done));
    CLI_TRY(add_whole(cli, store, tune, design));
    return pool_run(cli, &plan, store, &done);
}

/* ---- what came of it ------------------------------------------------------------------------- */

enum { RESULTS = 7 };
static const struct table_column results[RESULTS] = {
    {"time", "s"},   {"low", "s"},       {"high", "s"},   {"speed_of_light", "s"},
    {"limit", NULL}, {"occupancy", "%"}, {"sampled", "s"}};

/* Those executed whole, the fastest first, each with the time of its sample. */
static const char *query_whole(struct cli *cli, const struct design *design, size_t sampled)
{
    const char *names = "", *same = "";
    for (size_t i = 0; i < design->vary.count; i++) {
        const char *name = store_quoted(cli, design->vary.items[i].name);
        names = cli_format(cli, "%sw.%s, ", names, name);
        same = cli_format(cli, "%s AND s.%s IS w.%s", same, name, name);
    }
    return cli_format(
        cli,
        "SELECT %sw.time_s, w.low_s, w.high_s, w.bound_s, w.limits, w.occupancy, (SELECT s.time_s "
        "FROM point s WHERE s.id < %zu%s) FROM point w WHERE w.id >= %zu AND w.status = 'done' "
        "ORDER BY w.time_s, w.id",
        names, sampled, same, sampled);
}

static int read_whole(struct sweep_store *store, const struct design *design, size_t sampled,
                      struct sweep_table *table)
{
    struct cli *cli = store->cli;
    size_t cells = 0;
    sqlite3_stmt *row;
    CLI_TRY(store_prepare(store, query_whole(cli, design, sampled), &row));
    while (sqlite3_step(row) == SQLITE_ROW) {
        for (size_t i = 0; i < table->column_count; i++)
            CLI_APPEND(cli, table->cells, cells, store_cell(cli, row, (int)i));
        table->row_count++;
    }
    sqlite3_finalize(row);
    return EXIT_DONE;
}

/* Of all samples: how many there are, and the time in the middle. */
static int read_middle(struct sweep_store *store, size_t sampled, double *out_count,
                       double *out_middle)
{
    sqlite3_stmt *statement;
    const char *sql =
        cli_format(store->cli,
                   "SELECT count(*) OVER (), time_s FROM point WHERE id < %zu AND status = "
                   "'done' ORDER BY time_s LIMIT 1 OFFSET (SELECT count(*) / 2 FROM point "
                   "WHERE id < %zu AND status = 'done')",
                   sampled, sampled);
    CLI_TRY(store_prepare(store, sql, &statement));
    bool is_row = sqlite3_step(statement) == SQLITE_ROW;
    *out_count = is_row ? sqlite3_column_double(statement, 0) : 0;
    *out_middle = is_row ? sqlite3_column_double(statement, 1) : NAN;
    sqlite3_finalize(statement);
    return EXIT_DONE;
}

static const char *describe_best(struct cli *cli, const struct design *design,
                                 const struct sweep_table *table, double count, double middle)
{
    size_t names = design->vary.count;
    const struct table_cell *best = table->cells, *next = best + table->column_count;
    const char *text = "BEST ";
    for (size_t i = 0; i < names; i++)
        text =
            best[i].text
                ? cli_format(cli, "%s %s=%s", text, design->vary.items[i].name, best[i].text)
                : cli_format(cli, "%s %s=%.15g", text, design->vary.items[i].name, best[i].number);
    double time = best[names].number;
    text =
        cli_format(cli, "%s  %s (%s to %s) on %s, limited by %s", text,
                   cli_quantity(cli, time, "s"), cli_quantity(cli, best[names + 1].number, "s"),
                   cli_quantity(cli, best[names + 2].number, "s"), design->gpus.items[0].texts[0],
                   best[names + 4].text ? best[names + 4].text : "nothing known");
    if (table->row_count > 1)
        text = cli_format(cli, "%s\n      %.3gx faster than the next", text,
                          next[names].number / time);
    return cli_format(cli, "%s%s%.3gx faster than the middle of %s by samples", text,
                      table->row_count > 1 ? ", " : "\n      ", middle / time,
                      cli_count(cli, count, "configuration"));
}

static int report(struct cli *cli, const struct tune *tune, const struct design *design,
                  struct sweep_store *store, size_t sampled)
{
    size_t names = design->vary.count;
    double count = 0, middle = NAN;
    struct table_column *columns = cli_alloc(cli, (names + RESULTS) * sizeof *columns);
    for (size_t i = 0; i < names; i++)
        columns[i].name = design->vary.items[i].name;
    memcpy(columns + names, results, sizeof results);
    struct sweep_table table = {.columns = columns, .column_count = names + RESULTS};
    CLI_TRY(read_whole(store, design, sampled, &table));
    if (!table.row_count)
        return cli_error(
            cli, EXIT_GUEST,
            "none of the best configurations could be executed whole; `warpsage sweep status "
            "%s` says why",
            store->path);
    CLI_TRY(read_middle(store, sampled, &count, &middle));
    table.title = describe_best(cli, design, &table, count, middle);
    return table_write(cli, &table, tune->format, NULL);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int tune_space(struct cli *cli, const struct command *command, const struct tune *tune,
                      const char *path)
{
    struct design design;
    struct sweep_store store;
    CLI_TRY(read_space(cli, path, tune, &design));
    size_t sampled = design.launch_count;
    CLI_TRY(store_open(cli, tune->output, &design, &store));
    int exit_code = run_passes(cli, command, tune, &design, &store);
    if (exit_code == EXIT_DONE && tune->cache)
        exit_code = kernel_tuner_write(&store, &design, tune->cache);
    if (exit_code == EXIT_DONE) exit_code = report(cli, tune, &design, &store, sampled);
    store_close(&store);
    return exit_code;
}

static int run_tune(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct tune tune = {.sample = 64, .whole = 5, .format = WS_FORMAT_TEXT};
    const char *path;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    for (size_t i = 0; i < line.use_count; i++)
        CLI_TRY(take_option(cli, &line.uses[i], &tune));
    if (line.operand_count != 1)
        return cli_error(cli, EXIT_USAGE, "tune takes one space: warpsage tune SPACE.yaml");
    if (!tune.sample || !tune.whole)
        return cli_error(cli, EXIT_USAGE, "--sample and --whole must be 1 or more");
    CLI_TRY(cli_input(cli, line.operands[0], &path));
    if (!tune.output) {
        tune.output = store_default_path(cli, line.operands[0]);
        cli_claim_output(cli, tune.output);
    }
    CLI_TRY(cli_check_outputs(cli));
    return tune_space(cli, command, &tune, path);
}

const struct command command_tune = {
    .name = "tune",
    .synopsis =
        "  warpsage tune SPACE.yaml [--sample BLOCKS] [--whole N] [--kernel-tuner FILE.json]",
    .summary = "find the fastest configuration of a kernel for a GPU that is not there",
    .text = "SPACE.yaml is a design of `sweep` with one launch and one gpu. Every configuration is "
            "executed in\n"
            "part and predicted; the best few are executed whole and ranked. doc/sweep.md\n\n"
            "Example\n"
            "  warpsage tune tiles.yaml --kernel-tuner tiles.json\n",
    .operands = "<SPACE.yaml",
    .options = options,
    .run = run_tune,
};
