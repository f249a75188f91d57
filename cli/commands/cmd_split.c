// SPDX-License-Identifier: Apache-2.0
/* split: how much of a launch goes to a GPU and how much to a CPU. */
#include <math.h>
#include <stdlib.h>

#include "cli/commands/split.h"
#include "cli/options/analysis.h"

enum { OPTION_TRANSFER = OPTION_OWN, OPTION_BYTES_IN, OPTION_BYTES_OUT, OPTION_MODEL };

static const struct option_row options[] = {
    ANALYSIS_OPTION_ROWS,
    CPU_OPTION_ROW,
    {OPTION_TRANSFER, 0, "transfer", "pcieGxN",
     "count transfers over this link: pcie1 to pcie5, x1 to x16"},
    {OPTION_BYTES_IN, 0, "bytes-in", "N",
     "bytes to the GPU if it does all the work; what the kernel reads by default"},
    {OPTION_BYTES_OUT, 0, "bytes-out", "N", "bytes back; what it writes by default"},
    {OPTION_MODEL, 0, "model", "NAME", "whose times: throughput by default, or best"},
    {OPTION_FORMAT, 'f', "format", "text|json", "form of the answer"},
    {0},
};

static int read_bytes(struct cli *cli, const char *option, const char *text, double *out)
{
    uint64_t bytes;
    CLI_TRY(parse_unsigned(cli, option, text, UINT64_MAX >> 1, &bytes));
    *out = (double)bytes;
    return EXIT_DONE;
}

static int read_own(struct cli *cli, const struct command_line *line, ws_split_options *out)
{
    for (size_t i = 0; i < line->use_count; i++) {
        const char *value = line->uses[i].value;
        switch (line->uses[i].id) {
        case OPTION_TRANSFER:
            out->link = value;
            break;
        case OPTION_BYTES_IN:
            CLI_TRY(read_bytes(cli, "--bytes-in", value, &out->bytes_in));
            break;
        case OPTION_BYTES_OUT:
            CLI_TRY(read_bytes(cli, "--bytes-out", value, &out->bytes_out));
            break;
        case OPTION_MODEL:
            out->model = value;
            break;
        default:
            break;
        }
    }
    if (out->link || (out->bytes_in < 0 && out->bytes_out < 0)) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "--bytes-in and --bytes-out need --transfer pcieGxN");
}

static int check_request(struct analysis *a)
{
    if (a->request.gpu_count == 0) return analysis_ask_gpu(a, "");
    if (a->request.cpu_count == 0)
        return cli_error(a->cli, EXIT_USAGE,
                         "split with which CPU? Add --cpu ID; `warpsage machines list cpu`, or "
                         "host for this computer");
    return EXIT_DONE;
}

/* Every GPU with every CPU. */
static int answer_pairs(struct analysis *a, const ws_split_options *own,
                        struct split_answer *answers, size_t *out_count)
{
    ws_predict_options given = {.size = sizeof given, .model_options = a->request.model_options};
    for (size_t g = 0; g < a->machine_count; g++) {
        if (ws_machine_is_cpu(a->machines[g])) continue;
        for (size_t c = 0; c < a->machine_count; c++) {
            struct split_answer *answer = &answers[*out_count];
            if (!ws_machine_is_cpu(a->machines[c])) continue;
            *answer = (struct split_answer){.kernel = ws_profile_kernel(a->profile),
                                            .gpu = ws_machine_id(a->machines[g]),
                                            .cpu = ws_machine_id(a->machines[c]),
                                            .link = own->link,
                                            .found = {.size = sizeof answer->found}};
            ws_status status = ws_split_predict(a->cli->context, a->profile, a->machines[g],
                                                a->machines[c], &given, own, &answer->found);
            if (status != WS_OK) return cli_failed(a->cli, status);
            ++*out_count;
        }
    }
    return EXIT_DONE;
}

static int write_answers(struct analysis *a, const struct split_answer *answers, size_t count)
{
    struct cli_text text;
    CLI_TRY(cli_text_open(a->cli, &text));
    if (a->request.format == WS_FORMAT_JSON)
        split_write_json(text.out, answers, count);
    else
        split_write_text(a->cli, text.out, answers, count);
    return cli_text_close(a->cli, &text, a->request.output);
}

static int answer_all(struct analysis *a, const struct command *command,
                      const ws_split_options *own)
{
    size_t count = 0;
    CLI_TRY(check_request(a));
    CLI_TRY(analysis_load_machines(a));
    if (analysis_is_counted(a)) {
        CLI_TRY(analysis_load_profile(a, false));
    } else {
        CLI_TRY(analysis_load_kernel(a, command));
        CLI_TRY(analysis_execute(a));
    }
    if (a->request.registers) {
        ws_status status = ws_profile_set_registers(a->profile, a->request.registers);
        if (status != WS_OK) return cli_failed(a->cli, status);
    }
    struct split_answer *answers =
        cli_alloc(a->cli, a->machine_count * a->machine_count * sizeof *answers);
    CLI_TRY(answer_pairs(a, own, answers, &count));
    return write_answers(a, answers, count);
}

static int run_split(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli, .takes_cpus = true};
    ws_split_options own = {.size = sizeof own, .bytes_in = -1, .bytes_out = -1};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    CLI_TRY(read_own(cli, &line, &own));
    cli_attach(cli);
    int exit_code = answer_all(&analysis, command, &own);
    analysis_clear(&analysis);
    return exit_code;
}

const struct command command_split = {
    .name = "split",
    .synopsis = "  warpsage split KERNEL.ptx|LAUNCH.yaml [launch options] --gpu ID --cpu ID\n"
                "                 [--transfer pcie3x16 [--bytes-in N] [--bytes-out N]]\n"
                "  warpsage split --profile FILE --gpu ID --cpu ID [--model NAME]",
    .summary = "share the blocks of a launch between a GPU and a CPU",
    .text =
        "The share with which both are done at the same time, in whole blocks, and whether one of\n"
        "them alone is as good. Without --transfer the data count as being where they are\n"
        "needed, as in the thesis; with it the GPU's share of what the kernel reads and writes\n"
        "goes over the link before and after its kernel. doc/split.md has the equations.\n",
    .options = options,
    .run = run_split,
};
