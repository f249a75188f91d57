// SPDX-License-Identifier: Apache-2.0
/* run: an unmodified CUDA program, with runtime/ in place of the CUDA runtime. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/run.h"

enum {
    OPTION_GPU = 1,
    OPTION_ONLY,
    OPTION_SKIP,
    OPTION_COUNT,
    OPTION_EVERY_LAUNCH,
    OPTION_REPORT_DIR,
    OPTION_CLOCK,
    OPTION_CLOCK_JITTER,
    OPTION_VIRTUAL_TIME,
    OPTION_RUN_L2,
    OPTION_TIMELINE,
    OPTION_OUTPUT,
    OPTION_FORMAT,
    OPTION_RUN_CHARTS,
    OPTION_REPORTS,
    OPTION_DETAILS,
    OPTION_THREADS,
    OPTION_HOST_ISA,
    OPTION_ENGINE,
    OPTION_RUN_ISA,
    OPTION_MAX_INSTRUCTIONS,
    OPTION_TIMEOUT
};

static const struct option_row options[] = {
    {OPTION_GPU, 0, "gpu", "{gpu}ID[,ID...]",
     "the first is the GPU that the program sees (default v100); all are reported"},
    {OPTION_ONLY, 0, "only", "REGEX", "count only kernels whose name matches"},
    {OPTION_SKIP, 0, "skip", "N", "skip the first N of these launches"},
    {OPTION_COUNT, 0, "count", "N", "count at most N launches after those skipped"},
    {OPTION_EVERY_LAUNCH, 0, "every-launch", NULL,
     "count every launch separately; by default identical launches share their counts"},
    {OPTION_REPORT_DIR, 0, "report-dir", "{folder}DIR",
     "write a JSON report per counted launch, and launches.jsonl with all of them"},
    {OPTION_RUN_ISA, 0, "isa", "auto|ptx|native",
     "what is executed: the program's PTX, or its machine code if it has no PTX (default); PTX "
     "only; machine code for the GPU, or what ptxas makes of the PTX"},
    {OPTION_CLOCK, 0, "clock", "predicted|host|MODEL",
     "time reported by CUDA events: of the report (default), of this host, or of one model; with "
     "teg, clocks in kernels follow that model, too"},
    {OPTION_CLOCK_JITTER, 0, "clock-jitter", "P%",
     "each interval that a timer reports is off by up to P percent, reproducibly"},
    {OPTION_VIRTUAL_TIME, 0, "virtual-time", NULL,
     "clocks of the host, as the program reads them, take predicted time for CUDA calls"},
    {OPTION_RUN_L2, 0, "l2", "kept|cold|warm|N%",
     "L2 as a launch starts: what ran before left it (default), empty, as a launch like it left "
     "it, "
     "or with N percent of what the launch reads"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write the report to FILE instead of standard error"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv|html|markdown|sarif",
     "format of the report; sarif: findings of the heaviest launch"},
    {OPTION_TIMELINE, 0, "timeline", ">FILE",
     "write calls, launches and copies in virtual time for Perfetto or chrome://tracing"},
    {OPTION_REPORTS, 0, "reports", "N",
     "report the N heaviest kernels in full, up to 64 (default: 1; HTML: 8)"},
    {OPTION_RUN_CHARTS, 0, "charts", NULL,
     "JSON: also what HTML shows: the timeline of API calls, copies and kernels; charts and code "
     "of "
     "the reported kernels"},
    {OPTION_DETAILS, 0, "details", "quiet|normal|all", "detail of the heaviest kernel's report"},
    {OPTION_THREADS, 't', "threads", "N", "number of host threads (default: all cores)"},
    {OPTION_MAX_INSTRUCTIONS, 0, "max-instructions", "N",
     "fail a launch after N warp instructions (default 2^40)"},
    {OPTION_TIMEOUT, 0, "timeout", "S", "end the program after S seconds and report what ran"},
    {OPTION_HOST_ISA, 0, "host-isa", "base|v3|v4",
     "instruction set for executing lanes on this host (default: the best); results are identical"},
    {OPTION_ENGINE, 0, "engine", "interpreter|compiled|auto",
     "execute kernels by the interpreter, as machine code, or by both (default: auto); results are "
     "identical"},
    {0},
};

static int check_regex(struct cli *cli, const char *text)
{
    regex_t compiled;
    char message[256];
    int problem = regcomp(&compiled, text, REG_EXTENDED | REG_NOSUB);
    if (!problem) {
        regfree(&compiled);
        return EXIT_DONE;
    }
    regerror(problem, &compiled, message, sizeof message);
    return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --only: not a regular expression: %s",
                     text, message);
}

/* The models of time are those that a question about one takes. */
static int set_clock(struct cli *cli, struct run_request *request, const char *text)
{
    request->clock = text;
    if (!strcmp(text, "predicted") || !strcmp(text, "host") || ws_model_is_time(text))
        return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE,
                     "invalid value '%s' for --clock: expected predicted, host or a model of time "
                     "such as teg (warpsage explain models)",
                     text);
}

static int set_jitter(struct cli *cli, struct run_request *request, const char *text)
{
    enum { MOST = 50 };
    char *end;
    request->clock_jitter = strtod(text, &end);
    bool is_number = end != text && (!*end || !strcmp(end, "%"));
    if (is_number && request->clock_jitter >= 0 && request->clock_jitter <= MOST) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --clock-jitter: expected 0%% to %d%%",
                     text, MOST);
}

static int set_l2(struct cli *cli, struct run_request *request, const char *text)
{
    static const char *const names[] = {"kept", "cold", "warm"};
    char *end;
    request->l2 = text;
    for (unsigned i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) return EXIT_DONE;
    double percent = strtod(text, &end);
    if (end != text && !strcmp(end, "%") && percent >= 0 && percent <= 100) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE,
                     "invalid value '%s' for --l2: expected kept, cold, warm or 0%% to 100%%",
                     text);
}

static int set_details(struct cli *cli, struct run_request *request, const char *text)
{
    static const char *const names[] = {"quiet", "normal", "all"};
    for (unsigned i = 0; i < 3; i++)
        if (!strcmp(text, names[i])) {
            request->details = (ws_details)i;
            return EXIT_DONE;
        }
    return cli_error(cli, EXIT_USAGE,
                     "invalid value '%s' for --details: expected quiet, normal or all", text);
}

static int set_reports(struct cli *cli, struct run_request *request, const char *text)
{
    enum { MOST = 64 };
    CLI_TRY(parse_unsigned(cli, "--reports", text, MOST, &request->report_count));
    if (request->report_count) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "invalid value '%s' for --reports: expected 1 to %d", text,
                     MOST);
}

/* A level or an engine that there is not is told here, and not by the program. */
static int check_device(struct cli *cli, const struct run_request *request)
{
    ws_device_options how = {.size = sizeof how,
                             .max_bytes = 1 << 20,
                             .host_isa = request->host_isa,
                             .engine = request->engine};
    ws_device *device;
    ws_status status = ws_device_create(cli->context, &how, &device);
    ws_device_destroy(device);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

static int use_option(struct cli *cli, struct run_request *request, const struct option_use *use)
{
    switch (use->id) {
    case OPTION_GPU:
        return run_add_gpus(cli, request, use->value);
    case OPTION_ONLY:
        request->only = use->value;
        return check_regex(cli, use->value);
    case OPTION_SKIP:
        return parse_unsigned(cli, "--skip", use->value, UINT64_MAX, &request->skip);
    case OPTION_COUNT:
        return parse_unsigned(cli, "--count", use->value, UINT64_MAX, &request->count);
    case OPTION_EVERY_LAUNCH:
        request->every_launch = true;
        return EXIT_DONE;
    case OPTION_REPORT_DIR:
        request->report_dir = use->value;
        return EXIT_DONE;
    case OPTION_CLOCK:
        return set_clock(cli, request, use->value);
    case OPTION_CLOCK_JITTER:
        return set_jitter(cli, request, use->value);
    case OPTION_VIRTUAL_TIME:
        request->virtual_time = true;
        return EXIT_DONE;
    case OPTION_RUN_L2:
        return set_l2(cli, request, use->value);
    case OPTION_TIMELINE:
        request->timeline = use->value;
        return EXIT_DONE;
    case OPTION_OUTPUT:
        request->output = use->value;
        return EXIT_DONE;
    case OPTION_FORMAT:
        return parse_format(cli, use->value, &request->format);
    case OPTION_DETAILS:
        return set_details(cli, request, use->value);
    case OPTION_REPORTS:
        return set_reports(cli, request, use->value);
    case OPTION_RUN_CHARTS:
        request->has_charts = true;
        return EXIT_DONE;
    case OPTION_THREADS:
        return parse_small(cli, "--threads", use->value, &request->threads);
    case OPTION_MAX_INSTRUCTIONS:
        return parse_unsigned(cli, "--max-instructions", use->value, UINT64_MAX,
                              &request->max_instructions);
    case OPTION_TIMEOUT:
        return cli_parse_timeout(cli, use->value, &request->timeout);
    case OPTION_RUN_ISA:
        request->isa = use->value;
        return EXIT_DONE;
    case OPTION_HOST_ISA:
        request->host_isa = use->value;
        return check_device(cli, request);
    case OPTION_ENGINE:
        request->engine = use->value;
        return check_device(cli, request);
    default:
        return EXIT_DONE;
    }
}

static int read_line(struct cli *cli, const struct command_line *line, struct run_request *out)
{
    *out = (struct run_request){.count = UINT64_MAX,
                                .clock = "predicted",
                                .l2 = "kept",
                                .isa = "auto",
                                .details = WS_DETAILS_NORMAL};
    for (size_t i = 0; i < line->use_count; i++)
        CLI_TRY(use_option(cli, out, &line->uses[i]));
    return run_take_program(cli, line, "run", out);
}

static int run_and_report(struct cli *cli, const struct run_request *request,
                          ws_machine *const *machines, const char *folder)
{
    struct run_result result = {.request = request, .machines = machines, .folder = folder};
    if (run_start(cli, request, folder, &result.exit_code) != EXIT_DONE) return result.exit_code;
    int problem = run_write(cli, &result);
    if (problem == EXIT_DONE && request->report_dir) problem = run_write_folder(cli, &result);
    return problem == EXIT_DONE ? result.exit_code : EXIT_RUN_OURS;
}

static int run_run(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct run_request request;
    bool done;
    char *folder = NULL;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(read_line(cli, &line, &request));
    ws_machine **machines = cli_alloc(cli, (request.gpu_count + 1) * sizeof *machines);
    int exit_code = EXIT_DONE;
    for (size_t i = 0; i < request.gpu_count && exit_code == EXIT_DONE; i++)
        exit_code = cli_load_gpu(cli, request.gpus[i], &machines[i]);
    if (exit_code == EXIT_DONE) exit_code = run_make_folder(cli, &folder);
    if (exit_code == EXIT_DONE) {
        exit_code = run_and_report(cli, &request, machines, folder);
        run_remove_folder(cli, folder);
    }
    for (size_t i = 0; i < request.gpu_count; i++)
        ws_machine_destroy(machines[i]);
    return exit_code;
}

const struct command command_run = {
    .name = "run",
    .synopsis = "  warpsage run [OPTIONS] -- ./APP [ARGS]",
    .summary = "run a CUDA program without a GPU and report its kernels",
    .text = "Exit status\n"
            "  the program's own; 128+N if signal N killed it; 125 if warpsage failed, 126 or 127\n"
            "  if the program cannot be started; 2 for an invalid option or an unknown GPU\n\n"
            "The program's output is unchanged; the report goes to standard error, or to -o FILE.\n"
            "doc/run.md describes supported programs and differences from a GPU.\n",
    .operands = "<APP",
    .options = options,
    .operands_end_options = true,
    .run = run_run,
};
