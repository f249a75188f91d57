// SPDX-License-Identifier: Apache-2.0
/* throughput: how much of its peak a GPU reaches, why not more, and what would help. */
#include <string.h>

#include "cli/options/analysis.h"
#include "cli/options/asking.h"
#include "cli/options/named_values.h"

enum { OPTION_INPUTS = OPTION_OWN, OPTION_CACHE, OPTION_SWEEP };

static const struct option_row options[] = {
    {OPTION_INPUTS, 0, "inputs", "<FILE.yaml",
     "inputs of table 15, overriding the kernel's, or all of them without a kernel"},
    {OPTION_CACHE, 0, "cache", "auto|dram|mostly-dram|l1|measured",
     "level that serves accesses (default: measured, if the caches are known)"},
    {OPTION_SWEEP, 0, "sweep", "N[,N...]", "table of N warps per SM on 1 to all SMs"},
    {OPTION_FORMAT, 'f', "format", "text|json", "output format"},
    ANALYSIS_OPTION_ROWS,
    {0},
};

/* ---- options --------------------------------------------------------------------------------- */

/* NULL: the question has this input; else " (did you mean ...?)" or "" */
static const char *check_input(struct cli *cli, const char *wanted)
{
    const char **names = NULL, *name, *text, *unit;
    size_t count = 0;
    bool is_word;
    for (size_t i = 0; ws_question_input("throughput", i, &name, &text, &unit, &is_word); i++) {
        if (is_word || !strcmp(name, "sweep")) continue;
        if (!strcmp(name, wanted)) return NULL;
        CLI_APPEND(cli, names, count, name);
    }
    return cli_hint(cli, wanted, names, count);
}

/* The file's names are inputs of the question. */
static int read_inputs(struct cli *cli, const char *path, struct asking *asking)
{
    struct named_values values = {0};
    CLI_TRY(named_values_read(cli, path, &values));
    for (size_t i = 0; i < values.count; i++) {
        const struct named_value *value = &values.items[i];
        if (!value->is_number)
            return cli_error(cli, EXIT_INPUT, "%s: error: %s: '%s' is not a number", value->place,
                             value->name, value->text);
        const char *near = check_input(cli, value->name);
        if (near)
            return cli_error(cli, EXIT_INPUT, "%s: error: unknown input '%s'%s", value->place,
                             value->name, near);
        if (value->number < 0)
            return cli_error(cli, EXIT_INPUT, "%s: error: %s must be at least 0 (got %s)",
                             value->place, value->name, value->text);
        asking_number(cli, asking, value->name, value->number);
    }
    return EXIT_DONE;
}

static int read_sweep(struct cli *cli, const char *text, struct asking *asking)
{
    char *list = cli_copy(cli, text), *rest = NULL;
    for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        unsigned n;
        CLI_TRY(parse_small(cli, "--sweep", one, &n));
        if (!n)
            return cli_error(cli, EXIT_USAGE, "--sweep: the number of warps must be at least 1");
        asking_number(cli, asking, "sweep", n);
    }
    return EXIT_DONE;
}

static int read_own(struct analysis *a, const struct command_line *line, struct asking *asking,
                    bool *has_inputs)
{
    for (size_t i = 0; i < line->use_count; i++) {
        const char *value = line->uses[i].value;
        switch (line->uses[i].id) {
        case OPTION_INPUTS:
            CLI_TRY(read_inputs(a->cli, value, asking));
            *has_inputs = true;
            break;
        case OPTION_CACHE:
            analysis_add_model_option(a, "cache", value);
            break;
        case OPTION_SWEEP:
            CLI_TRY(read_sweep(a->cli, value, asking));
            break;
        default:
            break;
        }
    }
    return EXIT_DONE;
}

/* ---- answer ---------------------------------------------------------------------------------- */

static int answer(struct analysis *a, const struct command *command, struct asking *asking,
                  bool has_inputs)
{
    bool by_hand = has_inputs && !a->request.kernel_file && !analysis_is_counted(a);
    CLI_TRY(analysis_load_machines(a));
    if (!a->machine_count) return analysis_ask_gpu(a, "");
    if (!by_hand) CLI_TRY(analysis_find_profile(a, command));
    return analysis_answer(a, asking);
}

static int run_throughput(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli};
    struct asking asking = {.name = "throughput"};
    bool done, has_inputs = false;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    CLI_TRY(read_own(&analysis, &line, &asking, &has_inputs));
    cli_attach(cli);
    int exit_code = answer(&analysis, command, &asking, has_inputs);
    analysis_clear(&analysis);
    return exit_code;
}

const struct command command_throughput = {
    .name = "throughput",
    .synopsis =
        "  warpsage throughput KERNEL.ptx|LAUNCH.yaml [launch options] --gpu ID[,ID...]\n"
        "  warpsage throughput --profile FILE --gpu ID [--inputs FILE.yaml] [--sweep 8,16,32]\n"
        "  warpsage throughput --inputs FILE.yaml --gpu ID     without a kernel",
    .summary = "predict share of peak, bottleneck category and suggested changes",
    .text = "Throughput is the peak of the instruction mix times the share of useful cycles "
            "(Hong's thesis, chapter V).\n"
            "The input file has one name of table 15 per line (NAME: NUMBER), per warp:\n"
            "fp_insts fp_fused_insts fp_vec_insts fp_vec_fused_insts int_insts br_misc_insts "
            "mem_insts\n"
            "mem_indep_strength ilp sse_ilp dep bytes_per_thread distance_mem_bytes n.\n"
            "doc/models/throughput.md has the equations and interpretations (--model-option).\n",
    .operands = "<FILE",
    .options = options,
    .run = run_throughput,
};
