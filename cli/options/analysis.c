// SPDX-License-Identifier: Apache-2.0
#include "cli/options/analysis.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/options/asking.h"
#include "cli/options/kernel_choice.h"
#include "cli/options/native_choice.h"
#include "cli/options/report_comparison.h"

/* ---- options -> request ---------------------------------------------------------------------- */

static const char *join(struct cli *cli, const char *list, const char *more)
{
    return list ? cli_format(cli, "%s,%s", list, more) : more;
}

static int set_word(struct cli *cli, const char *option, const char *text, const char *only)
{
    if (!strcmp(text, only)) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "%s: invalid value '%s': expected %s", option, text, only);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

static int apply_report_option(struct cli *cli, const struct option_use *use,
                               struct request *request)
{
    const char *value = use->value;
    switch (use->id) {
    case OPTION_FORMAT:
        request->is_analyzer = !strcmp(value, "analyzer");
        if (request->is_analyzer) return EXIT_DONE;
        return parse_format(cli, value, &request->format);
    case OPTION_OUTPUT:
        request->output = value;
        return EXIT_DONE;
    case OPTION_DETAILS:
        request->details = WS_DETAILS_NORMAL;
        if (!strcmp(value, "normal")) return EXIT_DONE;
        request->details = WS_DETAILS_ALL;
        if (!strcmp(value, "all")) return EXIT_DONE;
        return cli_error(cli, EXIT_USAGE,
                         "invalid value '%s' for --details: expected normal or all", value);
    case OPTION_BRIEF:
        request->details = WS_DETAILS_BRIEF;
        return EXIT_DONE;
    case OPTION_CODE:
        request->lists_code = true;
        return EXIT_DONE;
    case OPTION_CHARTS:
        request->has_charts = true;
        return EXIT_DONE;
    case OPTION_SAVE_PROFILE:
        request->save_profile = value;
        return EXIT_DONE;
    case OPTION_SAVE_TRACE:
        request->save_trace = value;
        if (ends_with(value, "kernelslist.g")) /* its trace lies beside it */
            cli_claim_output(cli,
                             cli_format(cli, "%.*skernel-1.traceg",
                                        (int)(strlen(value) - strlen("kernelslist.g")), value));
        return EXIT_DONE;
    case OPTION_PROFILE:
        request->profile = value;
        return EXIT_DONE;
    case OPTION_WITHOUT:
        request->without = join(cli, request->without, value);
        return EXIT_DONE;
    case OPTION_L2:
        request->l2 = value;
        return EXIT_DONE;
    case OPTION_SPILLS:
        request->spills = value;
        return EXIT_DONE;
    case OPTION_MODEL_OPTION:
        request->model_options = join(cli, request->model_options, value);
        return EXIT_DONE;
    case OPTION_TRACE_KERNEL:
        return parse_small(cli, "--kernel-index", value, &request->trace_kernel);
    case OPTION_OPCODE_MAP:
        request->opcode_map = value;
        return EXIT_DONE;
    case OPTION_FORCE_ARCH:
        request->force_arch = true;
        return EXIT_DONE;
    case OPTION_REGS:
        return parse_small(cli, "--regs", value, &request->registers);
    default:
        return EXIT_DONE;
    }
}

static int apply_launch_option(struct cli *cli, const struct option_use *use,
                               struct request *request)
{
    const char *value = use->value;
    switch (use->id) {
    case OPTION_KERNEL:
        request->kernel = value;
        request->has_kernel_pattern = kernel_is_pattern(value);
        return EXIT_DONE;
    case OPTION_GRID:
        request->has_grid = true;
        request->has_global = false;
        return request_set_shape(cli, "--grid", value, request->grid);
    case OPTION_BLOCK:
        request->has_block = true;
        return request_set_shape(cli, "--block", value, request->block);
    case OPTION_GLOBAL:
        request->has_global = true;
        request->has_grid = false;
        return request_set_shape(cli, "--global", value, request->global);
    case OPTION_CLUSTER:
        return request_set_shape(cli, "--cluster", value, request->cluster);
    case OPTION_SHARED:
        return parse_unsigned(cli, "--shared", value, UINT32_MAX, &request->dynamic_shared_bytes);
    case OPTION_GPU:
        return request_add_gpus(cli, request, value);
    case OPTION_CPU:
        return request_add_cpus(cli, request, value);
    case OPTION_ARG: {
        struct arg_text arg = {value, NULL, "--arg"};
        CLI_APPEND(cli, request->args, request->arg_count, arg);
        return EXIT_DONE;
    }
    case OPTION_PRINT:
        return request_add_print(cli, "--print", value, request);
    case OPTION_SAVE:
        return request_add_file(cli, "--save", value, NULL, false, &request->saves,
                                &request->save_count);
    case OPTION_CHECK:
        if (!value || !strchr(value, '=')) return EXIT_DONE; /* tools */
        return request_add_file(cli, "--check", value, NULL, true, &request->checks,
                                &request->check_count);
    case OPTION_EFFORT:
        return request_set_effort(cli, value, &request->effort);
    case OPTION_SEED:
        return parse_unsigned(cli, "--seed", value, UINT64_MAX, &request->seed);
    case OPTION_MAX_INSTRUCTIONS:
        return parse_unsigned(cli, "--max-instructions", value, UINT64_MAX,
                              &request->max_instructions);
    case OPTION_THREADS:
        return parse_small(cli, "--threads", value, &request->threads);
    case OPTION_TIMEOUT:
        return cli_set_timeout(cli, value);
    case OPTION_HOST_ISA:
        request->host_isa = value;
        return EXIT_DONE;
    case OPTION_ENGINE:
        request->engine = value;
        return EXIT_DONE;
    case OPTION_RULES:
        request->all_rules = true;
        return set_word(cli, "--rules", value, "all");
    case OPTION_ISA_VIEW:
        request->isa_view = value;
        return EXIT_DONE;
    case OPTION_ISA:
        return native_parse(cli, "--isa", value, request);
    case OPTION_TRACE_BLOCKS:
        request->has_trace_blocks = true;
        return parse_small(cli, "--trace-blocks", value, &request->trace_blocks);
    case OPTION_UNORDERED:
        request->unordered = true;
        return EXIT_DONE;
    default:
        return apply_report_option(cli, use, request);
    }
}

enum operand { OPERAND_KERNEL, OPERAND_LAUNCH, OPERAND_PROFILE, OPERAND_TRACE };

/* What a file without a telling name holds, from its first lines. */
static enum operand kind_by_text(const char *path)
{
    char line[256];
    FILE *file = fopen(path, "r");
    enum operand kind = OPERAND_KERNEL;
    while (file && fgets(line, sizeof line, file)) {
        const char *at = line + strspn(line, " \t\r\n");
        if (!*at || *at == '#' || *at == '%' || !strncmp(at, "---", 3)) continue;
        size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
        if (*at == '{') kind = OPERAND_PROFILE;
        if (word && at[word] == ':') kind = OPERAND_LAUNCH;
        break;
    }
    if (file) fclose(file);
    return kind;
}

static enum operand kind_of(const char *path)
{
    if (ends_with(path, ".yaml") || ends_with(path, ".yml")) return OPERAND_LAUNCH;
    if (ws_module_recognises(path)) return OPERAND_KERNEL;
    if (ws_profile_is_trace(path)) return OPERAND_PROFILE;
    enum operand kind = kind_by_text(path);
    return kind == OPERAND_KERNEL && ws_trace_recognises(path) ? OPERAND_TRACE : kind;
}

static int read_operand(struct cli *cli, const char *named, struct request *request)
{
    const char *path;
    CLI_TRY(cli_input(cli, named, &path));
    switch (kind_of(path)) {
    case OPERAND_LAUNCH:
        return launchfile_read(cli, path, request);
    case OPERAND_PROFILE:
        request->profile = path;
        return EXIT_DONE;
    case OPERAND_TRACE:
        request->trace = path;
        return EXIT_DONE;
    case OPERAND_KERNEL:
        break;
    }
    request->kernel_file = path;
    return EXIT_DONE;
}

/* The launch file first, so that the command line wins; its lists of arguments and GPUs are
 * replaced, not extended. */
int analysis_read(struct cli *cli, const struct command *command, const struct command_line *line,
                  struct request *request)
{
    bool has_args = false, has_gpus = false, has_cpus = false;
    *request = (struct request){.effort = {EFFORT_FULL, 1}, .details = WS_DETAILS_NORMAL};
    if (line->operand_count > 1)
        return cli_error(cli, EXIT_USAGE,
                         "%s takes one kernel or launch file: unexpected operand '%s'; pass kernel "
                         "arguments with --arg",
                         command->name, line->operands[1]);
    if (line->operand_count) CLI_TRY(read_operand(cli, line->operands[0], request));
    for (size_t i = 0; i < line->use_count; i++) {
        has_args |= line->uses[i].id == OPTION_ARG;
        has_gpus |= line->uses[i].id == OPTION_GPU;
        has_cpus |= line->uses[i].id == OPTION_CPU;
    }
    if (has_args) request->arg_count = 0;
    if (has_gpus) request->gpu_count = 0;
    if (has_cpus) request->cpu_count = 0;
    for (size_t i = 0; i < line->use_count; i++)
        CLI_TRY(apply_launch_option(cli, &line->uses[i], request));
    if (cli->quiet && request->details == WS_DETAILS_NORMAL) request->details = WS_DETAILS_QUIET;
    return cli_check_outputs(cli);
}

/* ---- machines -------------------------------------------------------------------------------- */

static int add_machine(struct analysis *a, const char *name, ws_machine *machine)
{
    for (size_t k = 0; k < a->machine_count; k++) {
        if (strcmp(ws_machine_id(a->machines[k]), ws_machine_id(machine)) != 0) continue;
        ws_machine_destroy(machine); /* the same one by another name */
        return EXIT_DONE;
    }
    if (!ws_machine_is_cpu(machine)) a->targets[a->target_count++] = ws_machine_target(machine);
    a->names[a->machine_count] = name;
    a->machines[a->machine_count++] = machine;
    if (a->request.profile) return EXIT_DONE; /* counted already */
    ws_status status = ws_machine_prepare_launch(machine, &a->counted);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

int analysis_load_machines(struct analysis *a)
{
    struct request *request = &a->request;
    size_t count = request->gpu_count + request->cpu_count + 1;
    ws_machine *machine;
    a->counted.size = sizeof a->counted;
    a->machines = cli_alloc(a->cli, count * sizeof *a->machines);
    a->names = cli_alloc(a->cli, count * sizeof *a->names);
    a->targets = cli_alloc(a->cli, count * sizeof *a->targets);
    for (size_t i = 0; i < request->gpu_count; i++) {
        CLI_TRY(cli_load_gpu(a->cli, request->gpus[i], &machine));
        CLI_TRY(add_machine(a, request->gpus[i], machine));
    }
    for (size_t i = 0; i < request->cpu_count && a->takes_cpus; i++) {
        CLI_TRY(cli_load_cpu(a->cli, request->cpus[i], &machine));
        CLI_TRY(add_machine(a, request->cpus[i], machine));
    }
    if (request->all_rules || request->save_profile || request->save_trace)
        a->counted.rules |= WS_RULE_CC10 | WS_RULE_CC12 | WS_RULE_BANK16;
    /* The counts of the analyser without a GPU: by the rule of the GPUs that it was made for. */
    if (request->is_analyzer && !a->machine_count) a->counted.rules |= WS_RULE_CC12;
    return EXIT_DONE;
}

int analysis_ask_gpu(struct analysis *a, const char *text)
{
    char *ids;
    const char *gpus = "";
    ws_status status = ws_machine_list(a->cli->context, &ids);
    if (status != WS_OK) return cli_failed(a->cli, status);
    char *rest = ids;
    for (char *id; (id = strsep(&rest, "\n")) != NULL;) {
        ws_machine *machine;
        status = ws_machine_load(a->cli->context, id, &machine);
        if (status != WS_OK) continue; /* a broken file is no choice */
        if (!ws_machine_is_cpu(machine)) gpus = cli_format(a->cli, "%s %s", gpus, id);
        ws_machine_destroy(machine);
    }
    ws_free(ids);
    return cli_error(a->cli, EXIT_USAGE,
                     "no GPU given: use --gpu ID[,ID...] with one or more of:%s%s", gpus, text);
}

/* ---- kernel and execution -------------------------------------------------------------------- */

static int load_module(struct analysis *a, const struct command *command)
{
    struct request *request = &a->request;
    if (!request->kernel_file)
        return cli_error(
            a->cli, EXIT_USAGE,
            "no input for %s: use a kernel file (.ptx, .cu, .cl, .cubin), a launch file "
            "(.yaml) or --profile FILE",
            command->name);
    ws_status status =
        request->kernel_text
            ? ws_module_load_memory(a->cli->context, request->kernel_file, request->kernel_text,
                                    request->kernel_text_size, &a->module)
            : ws_module_load_file(a->cli->context, request->kernel_file, &a->module);
    if (status != WS_OK) return cli_failed(a->cli, status);
    if (ws_module_kernel_count(a->module) == 0)
        return cli_error(a->cli, EXIT_INPUT, "%s: contains no kernel (.entry)",
                         request->kernel_file);
    CLI_TRY(kernel_choose(a, command));
    return native_choose(a);
}

static int read_arguments(struct analysis *a)
{
    struct request *request = &a->request;
    CLI_TRY(request_resolve_global(a->cli, request));
    if (!request->has_grid || !request->has_block) {
        char *parameters = ws_module_describe_parameters(a->module, a->kernel);
        cli_error(a->cli, EXIT_USAGE,
                  "%s requires --grid X,Y,Z, --block X,Y,Z and one --arg per parameter:\n%s",
                  ws_module_kernel_display_name(a->module, a->kernel),
                  parameters ? parameters : "");
        ws_free(parameters);
        return EXIT_USAGE;
    }
    a->args = cli_alloc(a->cli, (request->arg_count + 1) * sizeof *a->args);
    for (size_t i = 0; i < request->arg_count; i++)
        CLI_TRY(arg_parse(a->cli, &request->args[i], &a->args[i]));
    CLI_TRY(cli_check_outputs(a->cli)); /* before it takes time */
    for (size_t i = 0; i < a->kernel_count; i++)
        CLI_TRY(args_check(a->cli, a->module, a->kernels[i], a->args, request->arg_count));
    a->local_bytes = args_local_bytes(a->args, request->arg_count);
    return results_check_options(a->cli, request, a->args);
}

/* What the request says, else what the machines ask for; Accel-Sim's format has PTX only. */
static const char *view_of(const struct analysis *a)
{
    const struct request *request = &a->request;
    if (request->isa_view) return request->isa_view;
    return request_saves_foreign_trace(request) ? "ptx" : a->counted.isa_view;
}

static ws_launch make_launch(const struct analysis *a, double effort)
{
    const struct request *request = &a->request;
    ws_launch launch = {
        .size = sizeof launch,
        .kernel = a->kernel,
        .dynamic_shared_bytes = request->dynamic_shared_bytes + a->local_bytes,
        .max_instructions = request->max_instructions,
        .counters = true,
        .rules = a->counted.rules,
        .initial_segment_bytes = a->counted.initial_segment_bytes,
        .min_segment_bytes = a->counted.min_segment_bytes,
        .shared_banks = a->counted.shared_banks,
        .isa_view = view_of(a),
        .unordered = request->unordered,
        .effort = effort,
        .seed = request->seed,
        /* Who gives the registers does not wait for ptxas. */
        .register_targets = a->target_count || a->request.registers ? a->targets : NULL,
        .register_target_count = a->request.registers ? 0 : a->target_count,
    };
    if (request->has_trace_blocks)
        launch.trace_blocks = request->trace_blocks ? request->trace_blocks : WS_TRACE_NONE;
    memcpy(launch.grid, request->grid, sizeof launch.grid);
    memcpy(launch.block, request->block, sizeof launch.block);
    memcpy(launch.cluster, request->cluster, sizeof launch.cluster);
    return launch;
}

/* Puts the texts of the arguments into the profile, with which reports are compared. */
static int keep_arguments(struct analysis *a)
{
    size_t count = a->request.arg_count;
    const char **texts = cli_alloc(a->cli, (count + 1) * sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = a->request.args[i].text;
    ws_status status = ws_profile_set_arguments(a->profile, texts, count);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

/* A fresh device each time: a sample before the real run must not leave its results behind. */
static int launch_once(struct analysis *a, double effort)
{
    struct request *request = &a->request;
    ws_device_options device_options = {.size = sizeof device_options,
                                        .threads = request->threads,
                                        .host_isa = request->host_isa,
                                        .engine = request->engine,
                                        .check = a->check};
    ws_launch launch = make_launch(a, effort);
    uint8_t *block;
    ws_device_destroy(a->device);
    a->device = NULL;
    ws_profile_destroy(a->profile);
    a->profile = NULL;
    ws_status status = ws_device_create(a->cli->context, &device_options, &a->device);
    if (status != WS_OK) return cli_failed(a->cli, status);
    CLI_TRY(args_place(a->cli, a->device, a->module, a->kernel, a->args, request->arg_count, &block,
                       &launch.parameter_bytes));
    launch.parameters = block;
    status = ws_device_launch(a->device, a->module, &launch, &a->profile);
    cli_clear_progress(a->cli);
    if (native_fall_back(a, status)) return launch_once(a, effort);
    if (status != WS_OK) return cli_failed(a->cli, status);
    return keep_arguments(a);
}

static double now_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Samples of growing size until one tells how many blocks the seconds are good for. */
static int launch_for_seconds(struct analysis *a, double seconds)
{
    const uint32_t *grid = a->request.grid;
    double blocks = (double)grid[0] * grid[1] * grid[2];
    double fraction = 16 / blocks;
    double end = now_seconds() + seconds;
    for (;;) {
        double start = now_seconds();
        bool is_all = fraction >= 1;
        CLI_TRY(launch_once(a, is_all ? 0 : fraction));
        double took = now_seconds() - start, left = end - now_seconds();
        if (is_all || left < 2 * took) return EXIT_DONE;
        double growth = 0.8 * left / (took > 1e-4 ? took : 1e-4);
        fraction *= growth < 32 ? growth : 32;
    }
}

int analysis_execute(struct analysis *a)
{
    const struct effort *effort = &a->request.effort;
    ws_launch launch = make_launch(a, 0);
    for (size_t i = 0; i < a->machine_count; i++) {
        ws_status status = ws_machine_check_launch(a->machines[i], &launch);
        if (status != WS_OK) return cli_failed(a->cli, status);
    }
    if (effort->kind == EFFORT_SECONDS) return launch_for_seconds(a, effort->value);
    return launch_once(a, effort->kind == EFFORT_FULL ? 0 : effort->value);
}

int analysis_load_kernel(struct analysis *a, const struct command *command)
{
    CLI_TRY(load_module(a, command));
    return read_arguments(a);
}

bool analysis_is_counted(const struct analysis *a)
{
    return a->request.profile || a->request.trace;
}

int analysis_load_profile(struct analysis *a, bool several)
{
    if (a->request.trace && !a->request.profile) return trace_load(a, several);
    if (a->request.kernel_file || a->request.trace)
        return cli_error(a->cli, EXIT_USAGE,
                         "--profile and a kernel file are mutually exclusive: use one of them");
    if (a->request.isa_view)
        return cli_error(
            a->cli, EXIT_USAGE,
            "--isa-view has no effect on a profile, which keeps the view it was recorded with");
    ws_status status = ws_profile_load(a->cli->context, a->request.profile, &a->profile);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

int analysis_find_profile(struct analysis *a, const struct command *command)
{
    if (analysis_is_counted(a)) {
        CLI_TRY(analysis_load_profile(a, false));
    } else {
        CLI_TRY(analysis_load_kernel(a, command));
        CLI_TRY(analysis_execute(a));
    }
    if (!a->request.registers) return EXIT_DONE;
    ws_status status = ws_profile_set_registers(a->profile, a->request.registers);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

void analysis_add_model_option(struct analysis *a, const char *key, const char *value)
{
    a->request.model_options =
        join(a->cli, a->request.model_options, cli_format(a->cli, "%s=%s", key, value));
}

void analysis_keep_profile(struct analysis *a)
{
    if (a->profile) CLI_APPEND(a->cli, a->earlier, a->earlier_count, a->profile);
    a->profile = NULL;
}

int analysis_answer(struct analysis *a, struct asking *asking)
{
    const struct request *request = &a->request;
    struct cli *cli = a->cli;
    ws_answer *answer;
    for (size_t i = 0; i < a->earlier_count; i++)
        asking_profile(cli, asking, a->earlier[i]);
    if (a->profile) asking_profile(cli, asking, a->profile);
    for (size_t i = 0; i < a->machine_count; i++)
        asking_machine(cli, asking, a->machines[i]);
    asking_predict(cli, asking, request);
    CLI_TRY(asking_ask(cli, asking, &answer));
    const ws_report_options style =
        asking_style(cli, request->format, request->details, request->output);
    int exit_code = request->comparison ? comparison_write(cli, request->comparison, answer, &style,
                                                           request->output)
                                        : asking_write_with(cli, answer, &style, request->output);
    ws_answer_destroy(answer);
    return exit_code;
}

void analysis_clear(struct analysis *a)
{
    ws_profile_destroy(a->profile);
    for (size_t i = 0; i < a->earlier_count; i++)
        ws_profile_destroy(a->earlier[i]);
    ws_device_destroy(a->device);
    ws_check_destroy(a->check);
    ws_module_destroy(a->module);
    ws_module_destroy(a->other_module);
    for (size_t i = 0; i < a->machine_count; i++)
        ws_machine_destroy(a->machines[i]);
}
