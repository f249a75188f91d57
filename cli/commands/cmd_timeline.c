// SPDX-License-Identifier: Apache-2.0
/* timeline: what one SM does, cycle by cycle, for a trace viewer. */
#include <errno.h>
#include <string.h>

#include "cli/options/analysis.h"

enum { OPTION_CYCLES = OPTION_OWN, OPTION_EVENTS, OPTION_SM };

static const struct option_row options[] = {
    {OPTION_CYCLES, 0, "cycles", "A..B", "only core cycles A to B; also A.. and ..B"},
    {OPTION_EVENTS, 0, "events", "N", "truncate after N events (default: 100000, about 20 MB)"},
    {OPTION_SM, 0, "sm", "K", "SM number, if several are simulated (cc 1.x), from 0"},
    {OPTION_WITHOUT, 0, "without", "{effect}EFFECT[,...]", "simulate without an effect"},
    ANALYSIS_OPTION_ROWS,
    {0},
};

/* A.., ..B or A..B */
static int read_cycles(struct cli *cli, const char *text, ws_timeline_options *out)
{
    char *first = cli_copy(cli, text), *dots = strstr(first, "..");
    if (!dots || (dots == first && !dots[2]))
        return cli_error(cli, EXIT_USAGE,
                         "invalid value '%s' for --cycles: expected A..B, A.. or ..B", text);
    char *last = dots + 2;
    *dots = '\0';
    if ((*first && !parse_number(first, &out->first_cycle)) ||
        (*last && !parse_number(last, &out->last_cycle)))
        return cli_error(cli, EXIT_USAGE,
                         "invalid value '%s' for --cycles: '%s' and '%s' must be cycle counts",
                         text, first, last);
    bool is_empty = *last && !(out->last_cycle > out->first_cycle);
    if (out->first_cycle < 0 || is_empty)
        return cli_error(
            cli, EXIT_USAGE,
            "invalid value '%s' for --cycles: the range must be ascending and start at 0 or later",
            text);
    return EXIT_DONE;
}

static int read_options(struct cli *cli, const struct command_line *line, ws_timeline_options *out)
{
    for (size_t i = 0; i < line->use_count; i++) {
        const struct option_use *use = &line->uses[i];
        if (use->id == OPTION_CYCLES) CLI_TRY(read_cycles(cli, use->value, out));
        if (use->id == OPTION_SM) CLI_TRY(parse_small(cli, "--sm", use->value, &out->sm));
        if (use->id != OPTION_EVENTS) continue;
        CLI_TRY(parse_unsigned(cli, "--events", use->value, UINT32_MAX, &out->max_events));
        if (!out->max_events)
            return cli_error(cli, EXIT_USAGE, "--events must be at least 1000 (got 0)");
    }
    return EXIT_DONE;
}

/* ---- the file -------------------------------------------------------------------------------- */

struct sink {
    struct cli *cli;
    const char *path; /* NULL: standard output */
    ws_output *output;
    bool failed; /* to write to standard output */
    int problem; /* errno of that */
};

static bool write_bytes(void *user, const char *bytes, size_t size)
{
    struct sink *sink = user;
    if (sink->output) return ws_output_write(sink->output, bytes, size);
    errno = 0;
    sink->failed = fwrite(bytes, 1, size, stdout) != size;
    sink->problem = errno;
    return !sink->failed;
}

/* `status`: of the timeline. What could not be written comes first: it is why the timeline stopped. */
static int close_sink(struct sink *sink, ws_status status)
{
    bool stopped = status == WS_ERR_IO;
    if (sink->failed) return cli_write_failed(sink->cli, sink->problem);
    if (sink->output && (status == WS_OK || stopped)) {
        ws_status closed = ws_output_close(sink->output);
        if (closed != WS_OK) return cli_failed(sink->cli, closed);
    } else {
        ws_output_discard(sink->output);
    }
    return status == WS_OK ? EXIT_DONE : cli_failed(sink->cli, status);
}

static int tell(struct analysis *a, const ws_timeline_info *info)
{
    struct cli *cli = a->cli;
    const char *output = a->request.output;
    if (*info->note) fprintf(stderr, "warpsage: timeline %s\n", info->note);
    if (!output || cli->quiet) return EXIT_DONE;
    fprintf(stderr,
            "warpsage: %s: %s, cycles %.0f to %.0f of %.0f; open it with ui.perfetto.dev "
            "or chrome://tracing\n",
            output, cli_count(cli, (double)info->events, "event"), info->first_cycle,
            info->last_cycle, info->cycles);
    return EXIT_DONE;
}

static int write_timeline(struct analysis *a, const ws_timeline_options *how)
{
    struct cli *cli = a->cli;
    ws_timeline_info info = {.size = sizeof info};
    struct sink sink = {.cli = cli, .path = a->request.output};
    CLI_TRY(cli_check_outputs(cli));
    ws_status status = WS_OK;
    if (sink.path) status = ws_output_open(cli->context, sink.path, &sink.output);
    if (status != WS_OK) return cli_failed(cli, status);
    status =
        ws_timeline_write(cli->context, a->profile, a->machines[0], how, write_bytes, &sink, &info);
    CLI_TRY(close_sink(&sink, status));
    return tell(a, &info);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int prepare(struct analysis *a, const struct command *command)
{
    CLI_TRY(analysis_load_machines(a));
    if (!a->machine_count) return analysis_ask_gpu(a, "");
    if (a->machine_count > 1)
        return cli_error(a->cli, EXIT_USAGE, "timeline takes one GPU: use --gpu ID");
    if (analysis_is_counted(a)) return analysis_load_profile(a, false);
    CLI_TRY(analysis_load_kernel(a, command));
    return analysis_execute(a);
}

static int run_timeline(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli};
    ws_timeline_options how = {.size = sizeof how};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    CLI_TRY(read_options(cli, &line, &how));
    how.model_options = analysis.request.model_options;
    how.without = analysis.request.without;
    how.l2 = analysis.request.l2;
    how.spills = analysis.request.spills;
    cli_attach(cli);
    int exit_code = prepare(&analysis, command);
    if (exit_code == EXIT_DONE && analysis.request.registers) {
        ws_status status = ws_profile_set_registers(analysis.profile, analysis.request.registers);
        if (status != WS_OK) exit_code = cli_failed(cli, status);
    }
    if (exit_code == EXIT_DONE) exit_code = write_timeline(&analysis, &how);
    analysis_clear(&analysis);
    return exit_code;
}

const struct command command_timeline = {
    .name = "timeline",
    .synopsis = "  warpsage timeline KERNEL.ptx|LAUNCH.yaml [launch options] --gpu ID [-o FILE]\n"
                "                    [--cycles A..B] [--events N]\n"
                "  warpsage timeline kernelslist.g|KERNEL.traceg[.xz] --gpu ID ...",
    .summary = "trace one SM cycle by cycle, for Perfetto or chrome://tracing",
    .text =
        "Shows how the model teg executes the traced warps: instructions issued by each "
        "scheduler,\n"
        "activity of each unit, the state or stall reason of each warp (in Nsight Compute's\n"
        "terms), blocks and barriers, L2, DRAM and channels. One core cycle is one microsecond\n"
        "on the viewer's axis. See doc/timeline.md.\n\n"
        "Example\n"
        "  warpsage timeline sgemm.yaml --gpu v100 --cycles 0..5000 -o sgemm.json\n",
    .operands = "<FILE",
    .options = options,
    .run = run_timeline,
};
