// SPDX-License-Identifier: Apache-2.0
/* throughput: how much of its peak a GPU reaches, why not more, and what would help. */
#include <string.h>

#include "cli/commands/throughput_report.h"
#include "cli/options/analysis.h"
#include "cli/options/named_values.h"

enum { OPTION_INPUTS = OPTION_OWN, OPTION_CACHE, OPTION_SWEEP };

static const struct option_row options[] = {
    {OPTION_INPUTS, 0, "inputs", "<FILE.yaml",
     "numbers of table 15 instead of the kernel's, or all of them without a kernel"},
    {OPTION_CACHE, 0, "cache", "auto|dram|mostly-dram|l1|measured",
     "where accesses are served; as measured by default, where caches are known"},
    {OPTION_SWEEP, 0, "sweep", "N[,N...]", "a table: so many warps per SM on 1 to all SMs"},
    {OPTION_FORMAT, 'f', "format", "text|json", "form of the answer"},
    ANALYSIS_OPTION_ROWS,
    {0},
};

/* ---- options --------------------------------------------------------------------------------- */

/* The file's names are the model's options tp.NAME. */
static int read_inputs(struct analysis *a, const char *path)
{
    struct named_values values = {0};
    CLI_TRY(named_values_read(a->cli, path, &values));
    for (size_t i = 0; i < values.count; i++) {
        const struct named_value *value = &values.items[i];
        if (!value->is_number)
            return cli_error(a->cli, EXIT_INPUT, "%s: error: %s is '%s', which is no number",
                             value->place, value->name, value->text);
        const char *name = throughput_input_check(a->cli, value->name);
        if (name)
            return cli_error(a->cli, EXIT_INPUT, "%s: error: no input is called '%s'%s",
                             value->place, value->name, name);
        if (value->number < 0)
            return cli_error(a->cli, EXIT_INPUT, "%s: error: %s is %s, which is below 0",
                             value->place, value->name, value->text);
        analysis_add_model_option(a, cli_format(a->cli, "tp.%s", value->name), value->text);
    }
    return EXIT_DONE;
}

static int read_sweep(struct cli *cli, const char *text, struct throughput_request *out)
{
    char *list = cli_copy(cli, text), *rest = NULL;
    for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        unsigned n;
        CLI_TRY(parse_small(cli, "--sweep", one, &n));
        if (!n) return cli_error(cli, EXIT_USAGE, "--sweep: 0 warps do nothing");
        CLI_APPEND(cli, out->warps, out->warp_count, n);
    }
    return EXIT_DONE;
}

static int read_own(struct analysis *a, const struct command_line *line,
                    struct throughput_request *out)
{
    for (size_t i = 0; i < line->use_count; i++) {
        const char *value = line->uses[i].value;
        switch (line->uses[i].id) {
        case OPTION_INPUTS:
            CLI_TRY(read_inputs(a, value));
            out->has_inputs = true;
            break;
        case OPTION_CACHE:
            analysis_add_model_option(a, "cache", value);
            break;
        case OPTION_SWEEP:
            CLI_TRY(read_sweep(a->cli, value, out));
            break;
        default:
            break;
        }
    }
    return EXIT_DONE;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void keep_texts(struct cli *cli, ws_throughput *answer)
{
    const char **copies = cli_alloc(cli, (answer->assumption_count + 1) * sizeof *copies);
    for (size_t i = 0; i < answer->assumption_count; i++)
        copies[i] = cli_copy(cli, answer->assumptions[i]);
    answer->assumptions = copies;
}

static int count_warps(struct analysis *a, double *out)
{
    double blocks;
    ws_status status = ws_profile_get(a->profile, "warps.executed", out);
    if (status == WS_OK) status = ws_profile_get(a->profile, "blocks.executed", &blocks);
    if (status != WS_OK) return cli_failed(a->cli, status);
    *out = blocks > 0 ? *out / blocks : 0;
    return EXIT_DONE;
}

static int find_sweep(struct analysis *a, const struct throughput_request *request,
                      struct throughput_answer *answer)
{
    size_t cores = (size_t)answer->total_cores;
    answer->points = cli_alloc(a->cli, (cores * request->warp_count + 1) * sizeof *answer->points);
    for (size_t w = 0; w < request->warp_count; w++)
        for (size_t c = 1; c <= cores; c++)
            answer->points[answer->point_count++] =
                (ws_throughput_point){.cores = (double)c, .n = request->warps[w]};
    ws_status status = ws_throughput_points(a->cli->context, answer->points, answer->point_count);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

static int answer_one(struct analysis *a, const struct throughput_request *request,
                      struct throughput_answer *answer)
{
    ws_predict_options given = {.size = sizeof given,
                                .model_options = a->request.model_options,
                                .without = a->request.without};
    answer->throughput.size = sizeof answer->throughput;
    if (a->profile) {
        answer->kernel = ws_profile_kernel(a->profile);
        CLI_TRY(count_warps(a, &answer->warps_per_block));
    }
    ws_status status = ws_throughput_predict(a->cli->context, a->profile, answer->machine, &given,
                                             &answer->throughput);
    if (status != WS_OK) return cli_failed(a->cli, status);
    keep_texts(a->cli, &answer->throughput);
    status = ws_machine_get(answer->machine, "sm.count", &answer->total_cores);
    if (status != WS_OK) return cli_failed(a->cli, status);
    return request->warp_count ? find_sweep(a, request, answer) : EXIT_DONE;
}

static int answer_all(struct analysis *a, const struct command *command,
                      const struct throughput_request *request)
{
    bool by_hand =
        request->has_inputs && !a->request.kernel_file && !a->request.profile && !a->request.trace;
    CLI_TRY(analysis_load_machines(a));
    if (!a->machine_count) return analysis_ask_gpu(a, "");
    if (!by_hand) CLI_TRY(analysis_find_profile(a, command));
    struct throughput_answer *answers = cli_alloc(a->cli, a->machine_count * sizeof *answers);
    for (size_t i = 0; i < a->machine_count; i++) {
        answers[i].machine = a->machines[i];
        CLI_TRY(answer_one(a, request, &answers[i]));
    }
    return throughput_write(a->cli, request, answers, a->machine_count);
}

static int run_throughput(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli};
    struct throughput_request request = {0};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    CLI_TRY(read_own(&analysis, &line, &request));
    request.format = analysis.request.format;
    request.output = analysis.request.output;
    cli_attach(cli);
    int exit_code = answer_all(&analysis, command, &request);
    analysis_clear(&analysis);
    return exit_code;
}

const struct command command_throughput = {
    .name = "throughput",
    .synopsis =
        "  warpsage throughput KERNEL.ptx|LAUNCH.yaml [launch options] --gpu ID[,ID...]\n"
        "  warpsage throughput --profile FILE --gpu ID [--inputs FILE.yaml] [--sweep 8,16,32]\n"
        "  warpsage throughput --inputs FILE.yaml --gpu ID     without a kernel",
    .summary = "share of the peak, its bounds, its category of ten, what would help",
    .text =
        "Peak of the instruction mix times the share of useful cycles (Hong's thesis, chapter V).\n"
        "The file of inputs has the names of table 15, one a line (NAME: NUMBER), of one warp:\n"
        "fp_insts fp_fused_insts fp_vec_insts fp_vec_fused_insts int_insts br_misc_insts "
        "mem_insts\n"
        "mem_indep_strength ilp sse_ilp dep bytes_per_thread distance_mem_bytes n.\n"
        "doc/models/throughput.md has the equations and the readings (--model-option).\n",
    .options = options,
    .run = run_throughput,
};
