// SPDX-License-Identifier: Apache-2.0
/* analyze: execute one kernel, or read its profile, and report what every model says of it. */
#include <stdlib.h>
#include <string.h>

#include "cli/options/analysis.h"
#include "cli/options/asking.h"
#include "cli/options/check_options.h"
#include "cli/options/report_comparison.h"

static const struct option_row options[] = {
    ANALYSIS_OPTION_ROWS,
    CPU_OPTION_ROW,
    {OPTION_FORMAT, 'f', "format", "text|json|csv|html|markdown|sarif|analyzer|junit",
     "report format; junit: of --check"},
    {OPTION_DETAILS, 0, "details", "normal|all", "all: every table, term and assumption"},
    {OPTION_BRIEF, 0, "brief", NULL,
     "one line a GPU and kernel: time with its error band, limit, times the speed of light, "
     "energy; "
     "then how many times faster the fastest is"},
    {OPTION_BASELINE, 0, "baseline", "<FILE",
     "compare with an earlier report in JSON, below the report or on standard error"},
    COMPARISON_OPTION_ROWS,
    {OPTION_CODE, 0, "code", NULL,
     "also list source, PTX and native code side by side, with the cost of each line"},
    {OPTION_CHARTS, 0, "charts", NULL,
     "JSON: also the figures of charts: roofline, curves over warps and launch parameters, ranked "
     "changes of the GPU, temperatures"},
    {OPTION_PRINT, 0, "print", "INDEX", "print the buffer after the launch"},
    {OPTION_SAVE, 0, "save", "INDEX=FILE", "write the raw buffer to a file"},
    {OPTION_CHECK, 0, "check", "?all|TOOL[,...]|INDEX=FILE[,TOLERANCE]",
     "look for errors with memory, init, race, sync or all (default), predict nothing; or "
     "compare the buffer with a file. Exit status 1 if there is an error, or if "
     "|got - want| > TOLERANCE * max(1, |want|)"},
    {CHECK_OPTION_STRICT, 0, "strict", NULL, "of --check: warnings fail as errors do"},
    {CHECK_OPTION_SUPPRESS, 0, "suppress", "<FILE",
     "of --check: findings that do not count, a rule per line (doc/checks.md)"},
    {OPTION_SAVE_PROFILE, 0, "save-profile", ">FILE", "save the counters for later predictions"},
    {OPTION_SAVE_TRACE, 0, "save-trace", ">FILE",
     "save counters and warp traces for later predictions and timelines; kernelslist.g, *.traceg, "
     "*.traceg.xz or .zst: only the traces, for Accel-Sim"},
    {OPTION_RULES, 0, "rules", "all", "count with the cc 1.x memory rules for every GPU"},
    {OPTION_WITHOUT, 0, "without", "{effect}EFFECT[,...]",
     "predict without an effect (see `warpsage explain`)"},
    {0},
};

/* ---- the report ------------------------------------------------------------------------------ */

/* The rule of the first GPU. */
static int write_analyzer(struct analysis *a)
{
    unsigned rules = a->machine_count ? ws_machine_rules(a->machines[0]) : WS_RULE_CC12;
    const char *rule = rules & WS_RULE_CC10 ? "cc10" : rules & WS_RULE_CC12 ? "cc12" : "sector32";
    return analyzer_write(a->cli, a->profile, rule, a->request.output);
}

static int write_report(struct analysis *a)
{
    struct asking asking = {.name = "analyze"};
    if (a->request.is_analyzer) return write_analyzer(a);
    if (cli_is_interrupted()) asking_number(a->cli, &asking, "without_traces", 1);
    bool is_page = a->request.format == WS_FORMAT_HTML;
    if (a->request.has_charts || is_page) asking_number(a->cli, &asking, "charts", 1);
    if (a->request.lists_code || is_page) asking_number(a->cli, &asking, "code", 1);
    return analysis_answer(a, &asking);
}

static int refine_profile(struct analysis *a)
{
    if (!a->request.registers || !a->profile) return EXIT_DONE;
    ws_status status = ws_profile_set_registers(a->profile, a->request.registers);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

/* Accel-Sim takes what is not in a trace for blocks that did nothing. */
static void tell_missing_blocks(const struct analysis *a)
{
    const char *path = a->request.save_trace;
    uint32_t grid[3], block[3];
    ws_profile_shape(a->profile, grid, block);
    uint64_t traced = ws_profile_traced_blocks(a->profile);
    uint64_t blocks = (uint64_t)grid[0] * grid[1] * grid[2];
    if (traced == blocks || !ws_trace_recognises(path) || a->cli->quiet) return;
    fprintf(stderr, "warpsage: %s: holds %llu of %s; --trace-blocks N takes more\n", path,
            (unsigned long long)traced, cli_count(a->cli, (double)blocks, "block"));
}

/* After the report, which adds cache hits to it; also if no model could answer. */
static int report_and_save(struct analysis *a)
{
    const struct request *request = &a->request;
    int reported = write_report(a);
    ws_status status = WS_OK;
    if (request->save_trace) status = ws_profile_save_trace(a->profile, request->save_trace);
    if (status == WS_OK && request->save_trace) tell_missing_blocks(a);
    if (status == WS_OK && request->save_profile)
        status = ws_profile_save(a->profile, request->save_profile);
    return status == WS_OK ? reported : cli_failed(a->cli, status);
}

static int analyse_profile(struct analysis *a)
{
    const struct request *request = &a->request;
    bool is_one =
        request->save_profile || request->save_trace || request->is_analyzer || request->registers;
    CLI_TRY(analysis_load_profile(a, !is_one));
    CLI_TRY(refine_profile(a));
    return report_and_save(a);
}

/* A GPU is never guessed. */
static int need_gpu(struct analysis *a)
{
    const struct request *request = &a->request;
    bool is_free = request->checked || request->save_profile || request->save_trace ||
                   request->is_analyzer || request->format != WS_FORMAT_TEXT;
    if (a->machine_count || is_free) return EXIT_DONE;
    return analysis_ask_gpu(a,
                            "\n(counters alone need none: --format json, or --save-profile FILE)");
}

/* The launch was stopped: what was counted until then is reported all the same. */
static int report_partial(struct analysis *a, int exit_code)
{
    ws_context_set_cancel(a->cli->context, NULL, NULL);
    a->request.save_trace = NULL; /* there is none */
    if (a->profile || a->earlier_count) (void)report_and_save(a);
    return exit_code;
}

/* What there is one of cannot be of several kernels. */
static int check_kernels(const struct analysis *a)
{
    const struct request *request = &a->request;
    const char *option = request->save_profile  ? "--save-profile"
                         : request->save_trace  ? "--save-trace"
                         : request->is_analyzer ? "--format analyzer"
                         : request->save_count  ? "--save"
                                                : NULL;
    if (!option || a->kernel_count == 1) return EXIT_DONE;
    return cli_error(a->cli, EXIT_USAGE,
                     "%s requires a single kernel, but '%s' matches %zu: choose one of them",
                     option, request->kernel, a->kernel_count);
}

/* Executes a->kernel; its buffers are delivered. */
static int execute_kernel(struct analysis *a)
{
    int executed = analysis_execute(a);
    CLI_TRY(refine_profile(a)); /* also what was counted until a stop */
    if (executed != EXIT_DONE) return executed;
    const char *name =
        a->kernel_count > 1 ? ws_module_kernel_display_name(a->module, a->kernel) : NULL;
    return results_deliver(a->cli, name, a->device, &a->request, a->args);
}

/* Each with buffers of its own. What fails is left out; the others go on. The worst exit code. */
static int execute_kernels(struct analysis *a)
{
    int exit_code = EXIT_DONE;
    for (size_t i = 0; i < a->kernel_count; i++) {
        if (i && cli_is_interrupted()) return cli_stop_code();
        analysis_keep_profile(a);
        a->kernel = a->kernels[i];
        if (a->kernel_count > 1)
            cli_begin_step(a->cli, ws_module_kernel_display_name(a->module, a->kernel), i,
                           a->kernel_count);
        int one = execute_kernel(a);
        if (one > exit_code) exit_code = one;
        if (one <= EXIT_CHECK || cli_is_interrupted()) continue;
        ws_profile_destroy(a->profile);
        a->profile = NULL;
    }
    cli_end_steps(a->cli);
    return exit_code;
}

/* Findings are reported also if the launch failed, perhaps for one of them. */
static int analyse_checked(struct analysis *a)
{
    const struct request *request = &a->request;
    bool has_errors;
    CLI_TRY(check_create(a->cli, request->checked, &a->check));
    a->cli->keeps_errors = true; /* findings say more */
    int executed = execute_kernels(a);
    a->cli->keeps_errors = false;
    if (executed != EXIT_DONE && executed != EXIT_CHECK && executed != EXIT_GUEST)
        return a->cli->kept_error ? cli_error(a->cli, executed, "%s", a->cli->kept_error)
                                  : executed;
    const ws_report_options style =
        asking_style(a->cli, request->format, request->details, request->output);
    int reported =
        check_write(a->cli, request->checked, a->check, &style, request->output, &has_errors);
    if (reported != EXIT_DONE || executed != EXIT_GUEST) return reported ? reported : executed;
    return has_errors ? EXIT_DONE : cli_error(a->cli, executed, "%s", a->cli->kept_error);
}

static int analyse(struct analysis *a, const struct command *command)
{
    CLI_TRY(analysis_load_machines(a));
    CLI_TRY(need_gpu(a));
    if (analysis_is_counted(a)) return analyse_profile(a);
    CLI_TRY(analysis_load_kernel(a, command));
    CLI_TRY(check_kernels(a));
    if (a->request.checked) return analyse_checked(a);
    int executed = execute_kernels(a);
    if (executed > EXIT_CHECK && cli_is_interrupted()) return report_partial(a, executed);
    if (!a->profile && !a->earlier_count) return executed;
    int reported = report_and_save(a);
    return reported > executed ? reported : executed;
}

static int read_comparison(struct analysis *a, const struct command_line *line,
                           struct comparison *comparison)
{
    for (size_t i = 0; i < line->use_count; i++)
        CLI_TRY(comparison_take(a->cli, &line->uses[i], comparison));
    CLI_TRY(comparison_check(a->cli, comparison, comparison->baseline != NULL));
    if (comparison->baseline && a->request.is_analyzer)
        return cli_error(a->cli, EXIT_USAGE,
                         "--baseline cannot be combined with --format analyzer");
    if (comparison->baseline) a->request.comparison = comparison;
    return EXIT_DONE;
}

/* --check without a file: tools. */
static int read_checks(struct analysis *a, const struct command_line *line,
                       struct check_choice *choice)
{
    bool is_taken, has_some = false;
    for (size_t i = 0; i < line->use_count; i++) {
        const char *value = line->uses[i].value;
        CLI_TRY(check_option_take(a->cli, &line->uses[i], choice, &is_taken));
        has_some |= is_taken;
        if (line->uses[i].id == OPTION_CHECK && (!value || !strchr(value, '=')))
            choice->tools = value ? value : "all";
    }
    if (!choice->tools && !has_some) return EXIT_DONE;
    if (!choice->tools)
        return cli_error(a->cli, EXIT_USAGE, "--strict and --suppress require --check");
    if (analysis_is_counted(a) || a->request.effort.kind != EFFORT_FULL)
        return cli_error(a->cli, EXIT_USAGE,
                         "--check executes every block: it cannot be combined with --profile, "
                         "traces or --effort");
    a->request.checked = choice;
    a->request.isa = "ptx";
    return check_choice_verify(a->cli, choice);
}

static int run_analyze(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli, .takes_cpus = true, .takes_kernels = true};
    struct comparison comparison = {0};
    struct check_choice choice = {0};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    CLI_TRY(read_comparison(&analysis, &line, &comparison));
    CLI_TRY(read_checks(&analysis, &line, &choice));
    cli_attach(cli);
    int exit_code = analyse(&analysis, command);
    analysis_clear(&analysis);
    return exit_code;
}

const struct command command_analyze = {
    .name = "analyze",
    .synopsis =
        "  warpsage analyze KERNEL.ptx|.cu|.cl [-k NAME] -g X,Y,Z -b X,Y,Z --arg ARG ...\n"
        "                   --gpu ID[,ID...]\n"
        "  warpsage analyze LAUNCH.yaml [OPTIONS]        options override the file\n"
        "  warpsage analyze --profile FILE --gpu ID      without execution; also from "
        "--save-trace\n"
        "  warpsage analyze kernelslist.g|KERNEL.traceg[.xz] [-k NAME|--kernel-index N] --gpu ID\n"
        "                                                a trace recorded by Accel-Sim's tracer",
    .summary = "execute a kernel on the CPU and predict its time on GPUs",
    .text =
        "Kernels\n"
        "  -k NAME             the kernel with that name, with or without namespace and template\n"
        "                      arguments, or mangled as in the PTX\n"
        "  -k 'sgemm*'         every kernel that matches, unless one has exactly that name: *\n"
        "                      any text, ? one character, [ab] a or b\n"
        "  -k regex:EXPR       every kernel whose name matches the POSIX extended regular\n"
        "                      expression: regex:^sgemm_(nn|nt)$\n"
        "  Several kernels share the launch and arguments; each has its own buffers.\n\n"
        "Arguments\n"
        "  TYPE:VALUE          a value: f32:2.5, u32:1048576, s64:-1\n"
        "  TYPE[N]             an uninitialised buffer of N elements: a read before a write is\n"
        "                      a kernel fault\n"
        "  TYPE[N]=INIT        INIT: zeros, iota (0, 1, 2 ...), const:V, random[:SEED]\n"
        "                      (floats in [0,1), any integer; seed 1), file:PATH (raw),\n"
        "                      matrix:LAYOUT:SOURCE (sparse; doc/arguments.md)\n"
        "  @INDEX              the same buffer as argument INDEX (from 0)\n"
        "  bytes:HEX           the bytes of a struct\n"
        "  local:BYTES         OpenCL: a __local pointer to BYTES bytes\n"
        "  TYPE is s, u, b or i with 8, 16, 32 or 64, or f16, bf16, f32, f64.\n\n"
        "Launch file\n"
        "  kernel_file, kernel, grid [x,y,z], block [x,y,z], dynamic_shared_bytes, cluster,\n"
        "  global [x,y,z] and local [x,y,z] (OpenCL, instead of grid and block),\n"
        "  registers, isa_view, args [ARG...], gpu [ID...], cpu [ID...], check {INDEX: FILE},\n"
        "  print [INDEX...], save {INDEX: FILE}, effort, seed, max_instructions. Paths are\n"
        "  relative to the file.\n\n"
        "Example\n"
        "  warpsage analyze saxpy.ptx -g 4096 -b 256 --arg u32:1048576 --arg f32:2 \\\n"
        "      --arg 'f32[1048576]=random' --arg 'f32[1048576]=iota' --gpu v100,h200\n",
    .operands = "<FILE",
    .options = options,
    .run = run_analyze,
};
