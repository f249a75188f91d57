// SPDX-License-Identifier: Apache-2.0
/* sweep: many launches on many GPUs, in one file, and what its results say. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/run.h"
#include "cli/sweep/sweep_pool.h"
#include "cli/sweep/sweep_ranks.h"
#include "cli/sweep/sweep_report.h"

enum {
    OPTION_SWEEP_OUTPUT = 1,
    OPTION_JOBS,
    OPTION_SHARD,
    OPTION_BY,
    OPTION_TOP,
    OPTION_WHERE,
    OPTION_X,
    OPTION_SERIES,
    OPTION_SWEEP_FORMAT
};

static const struct option_row options[] = {
    {OPTION_SWEEP_OUTPUT, 'o', "output", ">FILE",
     "of `run`: the results (default: the design's name with .db); else: write to FILE"},
    {OPTION_JOBS, 'j', "jobs", "N",
     "of `run`: processes (default: all cores; under mpirun: one a rank)"},
    {OPTION_SHARD, 0, "shard", "K/N", "of `run`: only part K of N, for arrays of batch jobs"},
    {OPTION_BY, 0, "by", "METRIC",
     "of `best`, `sensitivity` and `plot`: time (default), energy, power, edp or a name of the "
     "design"},
    {OPTION_TOP, 'n', "top", "N", "of `best` and `pareto`: rows (default: 10, all)"},
    {OPTION_WHERE, 0, "where", "NAME=VALUE", "only these points"},
    {OPTION_X, 'x', "x", "NAME", "of `plot`: what is drawn over"},
    {OPTION_SERIES, 0, "series", "NAME", "of `plot`: a curve for each of its values"},
    {OPTION_SWEEP_FORMAT, 'f', "format", "text|json|csv", "output format"},
    {0},
};

struct sweep {
    struct sweep_view view;
    unsigned jobs, shard, shards;
    const char *by, *x, *series;
};

/* ---- options --------------------------------------------------------------------------------- */

static int read_shard(struct cli *cli, const char *text, struct sweep *out)
{
    char *slash = strchr(cli_copy(cli, text), '/');
    const char *first = cli_format(cli, "%.*s", (int)strcspn(text, "/"), text);
    if (!slash)
        return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --shard: expected K/N", text);
    CLI_TRY(parse_small(cli, "--shard", first, &out->shard));
    CLI_TRY(parse_small(cli, "--shard", slash + 1, &out->shards));
    if (out->shard >= 1 && out->shard <= out->shards) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "--shard %s: parts are numbered from 1 to N", text);
}

static int take_option(struct cli *cli, const struct option_use *use, struct sweep *out)
{
    switch (use->id) {
    case OPTION_SWEEP_OUTPUT:
        out->view.output = use->value;
        return EXIT_DONE;
    case OPTION_JOBS:
        return parse_small(cli, "--jobs", use->value, &out->jobs);
    case OPTION_SHARD:
        return read_shard(cli, use->value, out);
    case OPTION_BY:
        out->by = use->value;
        return EXIT_DONE;
    case OPTION_TOP:
        return parse_small(cli, "--top", use->value, &out->view.top);
    case OPTION_WHERE:
        CLI_APPEND(cli, out->view.where, out->view.where_count, use->value);
        return EXIT_DONE;
    case OPTION_X:
        out->x = use->value;
        return EXIT_DONE;
    case OPTION_SERIES:
        out->series = use->value;
        return EXIT_DONE;
    case OPTION_SWEEP_FORMAT:
        return parse_format(cli, use->value, &out->view.format);
    default:
        return EXIT_DONE;
    }
}

/* ---- run ------------------------------------------------------------------------------------- */

static bool is_under_mpirun(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (getenv(sizes[i])) return true;
    return false;
}

/* The plugin lies beside what `run` preloads; it stays loaded. */
static int load_ranks(struct cli *cli, const struct sweep_ranks **out)
{
    const char *path = cli_format(cli, "%s/" SWEEP_RANKS_FILE, run_libraries(cli));
    void *plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    *out = plugin ? dlsym(plugin, SWEEP_RANKS_SYMBOL) : NULL;
    if (*out) return EXIT_DONE;
    return cli_error(
        cli, EXIT_USAGE,
        "started by mpirun, but the part for MPI cannot be loaded (%s): build warpsage where "
        "MPI is installed, or use --shard K/N and `warpsage sweep merge`",
        dlerror());
}

static int count_failures(struct sweep_store *store, uint64_t *out)
{
    sqlite3_stmt *statement;
    CLI_TRY(store_prepare(store, "SELECT count(*) FROM point WHERE status <> 'done'", &statement));
    *out = sqlite3_step(statement) == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return EXIT_DONE;
}

static int tell_done(struct cli *cli, struct sweep_store *store, const struct sweep_done *done)
{
    uint64_t failures = 0;
    CLI_TRY(count_failures(store, &failures));
    if (cli->quiet) return EXIT_DONE;
    printf("%s: %s", store->path, cli_count(cli, (double)done->points, "point"));
    if (done->known) printf(", %llu of them were there", (unsigned long long)done->known);
    if (failures)
        printf(", %llu without an answer (`warpsage sweep status %s`)",
               (unsigned long long)failures, store->path);
    printf("\n");
    return EXIT_DONE;
}

static int run_rank_0(struct cli *cli, const struct sweep_plan *plan, const char *output)
{
    struct sweep_store store;
    struct sweep_done done;
    CLI_TRY(store_open(cli, output, plan->design, &store));
    int exit_code = pool_run(cli, plan, &store, &done);
    if (exit_code == EXIT_DONE) exit_code = tell_done(cli, &store, &done);
    store_close(&store);
    return exit_code;
}

static void plan_processes(const struct sweep *sweep, struct sweep_plan *plan)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t jobs = (job_count(plan->design) + plan->shards - 1) / plan->shards;
    plan->workers = sweep->jobs ? sweep->jobs : plan->ranks ? 1 : cores > 0 ? (unsigned)cores : 1;
    if (plan->workers > jobs) plan->workers = (unsigned)jobs;
    plan->threads = 1;
    if (!sweep->jobs && !plan->ranks && cores > plan->workers)
        plan->threads = (unsigned)cores / plan->workers;
}

static int run_on_ranks(struct cli *cli, struct sweep_plan *plan, const char *output)
{
    int rank;
    if (!plan->ranks->begin(&rank, &plan->rank_count))
        return cli_error(cli, EXIT_USAGE, "MPI cannot be started");
    int exit_code = rank ? pool_serve(cli, plan) : run_rank_0(cli, plan, output);
    if (exit_code != EXIT_DONE) plan->ranks->abort(exit_code);
    plan->ranks->end();
    return exit_code;
}

static int run_design(struct cli *cli, const struct command *command, const struct sweep *sweep,
                      const char *const *operands, size_t count)
{
    struct design design;
    const char *path;
    if (count != 1)
        return cli_error(cli, EXIT_USAGE,
                         "sweep run takes one design: warpsage sweep run DESIGN.yaml");
    CLI_TRY(cli_input(cli, operands[0], &path));
    const char *output =
        sweep->view.output ? sweep->view.output : store_default_path(cli, operands[0]);
    if (!sweep->view.output) cli_claim_output(cli, output);
    CLI_TRY(cli_check_outputs(cli));
    CLI_TRY(design_read(cli, path, &design));
    struct sweep_plan plan = {.command = command,
                              .design = &design,
                              .shard = sweep->shards ? sweep->shard - 1 : 0,
                              .shards = sweep->shards ? sweep->shards : 1};
    if (is_under_mpirun()) CLI_TRY(load_ranks(cli, &plan.ranks));
    plan_processes(sweep, &plan);
    struct sweep_runner check; /* names and values of machines, once and here */
    CLI_TRY(runner_begin(cli, command, &design, NULL, 1, &check));
    runner_end(&check);
    return plan.ranks ? run_on_ranks(cli, &plan, output) : run_rank_0(cli, &plan, output);
}

/* ---- the results ----------------------------------------------------------------------------- */

typedef int read_results(struct sweep_store *store, struct sweep *sweep, const char *const *more,
                         size_t count);

static int show_best(struct sweep_store *store, struct sweep *sweep, const char *const *more,
                     size_t count)
{
    (void)more;
    (void)count;
    if (!sweep->view.top) sweep->view.top = 10;
    return sweep_best(store, sweep->by, &sweep->view);
}

static int show_pareto(struct sweep_store *store, struct sweep *sweep, const char *const *more,
                       size_t count)
{
    if (count < 2)
        return cli_error(
            store->cli, EXIT_USAGE,
            "sweep pareto takes two metrics or more: warpsage sweep pareto FILE time energy");
    return sweep_pareto(store, more, count, &sweep->view);
}

static int show_sensitivity(struct sweep_store *store, struct sweep *sweep, const char *const *more,
                            size_t count)
{
    (void)more;
    (void)count;
    return sweep_sensitivity(store, sweep->by, &sweep->view);
}

static int draw(struct sweep_store *store, struct sweep *sweep, const char *const *more,
                size_t count)
{
    (void)more;
    (void)count;
    if (!sweep->x)
        return cli_error(store->cli, EXIT_USAGE, "sweep plot requires -x NAME: what is drawn over");
    return sweep_plot(store, sweep->x, sweep->by, sweep->series, &sweep->view);
}

static int show_status(struct sweep_store *store, struct sweep *sweep, const char *const *more,
                       size_t count)
{
    (void)more;
    (void)count;
    return sweep_status(store, &sweep->view);
}

static const struct verb {
    const char *name;
    read_results *read; /* NULL: it makes results */
} verbs[] = {{"run", NULL},
             {"merge", NULL},
             {"best", show_best},
             {"pareto", show_pareto},
             {"sensitivity", show_sensitivity},
             {"plot", draw},
             {"status", show_status}};
enum { VERB_COUNT = sizeof verbs / sizeof *verbs };

static int read_file(struct cli *cli, const struct verb *verb, struct sweep *sweep,
                     const char *const *operands, size_t count)
{
    struct sweep_store store;
    if (!count || (count > 1 && verb->read != show_pareto))
        return cli_error(cli, EXIT_USAGE, "sweep %s takes one file of results", verb->name);
    cli_note_input(cli, operands[0]);
    CLI_TRY(cli_check_outputs(cli));
    CLI_TRY(store_read(cli, operands[0], &store));
    int exit_code = verb->read(&store, sweep, operands + 1, count - 1);
    store_close(&store);
    return exit_code;
}

static int merge(struct cli *cli, const char *const *operands, size_t count)
{
    if (count < 2)
        return cli_error(cli, EXIT_USAGE,
                         "sweep merge takes files: warpsage sweep merge ALL.db PART.db ...");
    return store_merge_all(cli, operands[0], operands + 1, count - 1);
}

static int run_sweep(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct sweep sweep = {.view.format = WS_FORMAT_TEXT, .by = "time"};
    const char *names[VERB_COUNT];
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    for (size_t i = 0; i < line.use_count; i++)
        CLI_TRY(take_option(cli, &line.uses[i], &sweep));
    const char *word = line.operand_count ? line.operands[0] : "";
    const char *const *more = line.operands + 1;
    size_t count = line.operand_count ? line.operand_count - 1 : 0;
    if (!strcmp(word, "run")) return run_design(cli, command, &sweep, more, count);
    if (!strcmp(word, "merge")) return merge(cli, more, count);
    for (size_t i = 0; i < VERB_COUNT; i++) {
        names[i] = verbs[i].name;
        if (!strcmp(word, names[i])) return read_file(cli, &verbs[i], &sweep, more, count);
    }
    return cli_error(
        cli, EXIT_USAGE,
        "unknown verb '%s' of sweep%s: expected run, merge, best, pareto, sensitivity, plot or "
        "status",
        word, cli_hint(cli, word, names, VERB_COUNT));
}

const struct command command_sweep = {
    .name = "sweep",
    .synopsis = "  warpsage sweep run DESIGN.yaml [-o FILE.db] [--jobs N] [--shard K/N]\n"
                "  warpsage sweep status FILE.db\n"
                "  warpsage sweep best FILE.db [--by METRIC] [--where NAME=VALUE]\n"
                "  warpsage sweep pareto FILE.db METRIC METRIC ...\n"
                "  warpsage sweep sensitivity FILE.db [--by METRIC]\n"
                "  warpsage sweep plot FILE.db -x NAME [--by METRIC] [--series NAME] -o FILE.svg\n"
                "  warpsage sweep merge ALL.db PART.db ...",
    .summary = "predict many launches on many GPUs, real or changed, into one file",
    .text =
        "Design\n"
        "  launches            a launch file, or its keys, or a list of these; texts may hold\n"
        "                      ${EXPRESSION} of the names under `vary`\n"
        "  vary                {NAME: [VALUE, ...]} or {NAME: {from: A, to: B, step: S}} or\n"
        "                      {from: A, to: B, times: F}\n"
        "  where               expressions that must hold: [\"TILE * TILE <= 1024\"]\n"
        "  defines             names that are #defined before a CUDA or OpenCL source\n"
        "  gpu                 [ID, ...]\n"
        "  machine             {KEY: [VALUE, ...]}, as `whatif --set machine.KEY=VALUE`\n"
        "  model, model_options, l2\n"
        "Every combination is a point. A point that fails is a row with its message. `run` goes "
        "on\n"
        "where it was stopped, however it was stopped. doc/sweep.md has the tables of FILE.db.\n\n"
        "Metrics\n"
        "  time, energy, power, edp (energy x time), bound, occupancy, or a name of the design;\n"
        "  less is better, with a + before it more: pareto FILE.db time +occupancy\n\n"
        "Example\n"
        "  warpsage sweep run tiles.yaml && warpsage sweep best tiles.db\n",
    .operands = "run|status|best|pareto|sensitivity|plot|merge <FILE",
    .options = options,
    .run = run_sweep,
};
