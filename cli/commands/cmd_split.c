// SPDX-License-Identifier: Apache-2.0
/* split: how much of a launch goes to a GPU and how much to a CPU. */
#include "cli/options/analysis.h"
#include "cli/options/asking.h"

enum { OPTION_TRANSFER = OPTION_OWN, OPTION_BYTES_IN, OPTION_BYTES_OUT, OPTION_MODEL };

static const struct option_row options[] = {
    ANALYSIS_OPTION_ROWS,
    CPU_OPTION_ROW,
    {OPTION_TRANSFER, 0, "transfer", "pcieGxN",
     "include transfers over this link: pcie1 to pcie5, x1 to x16"},
    {OPTION_BYTES_IN, 0, "bytes-in", "N",
     "bytes to the GPU if it runs all blocks (default: what the kernel reads)"},
    {OPTION_BYTES_OUT, 0, "bytes-out", "N",
     "bytes back to the host (default: what the kernel writes)"},
    {OPTION_MODEL, 0, "model", "{model}NAME",
     "model that predicts the times: throughput (default) or best"},
    {OPTION_FORMAT, 'f', "format", "text|json", "output format"},
    {0},
};

static int add_bytes(struct cli *cli, const char *option, const char *input, const char *text,
                     struct asking *asking)
{
    uint64_t bytes;
    CLI_TRY(parse_unsigned(cli, option, text, UINT64_MAX >> 1, &bytes));
    asking_number(cli, asking, input, (double)bytes);
    return EXIT_DONE;
}

static int read_own(struct cli *cli, const struct command_line *line, struct asking *asking)
{
    bool has_link = false, has_bytes = false;
    for (size_t i = 0; i < line->use_count; i++) {
        const char *value = line->uses[i].value;
        switch (line->uses[i].id) {
        case OPTION_TRANSFER:
            asking_word(cli, asking, "transfer", value);
            has_link = true;
            break;
        case OPTION_BYTES_IN:
            CLI_TRY(add_bytes(cli, "--bytes-in", "bytes_in", value, asking));
            has_bytes = true;
            break;
        case OPTION_BYTES_OUT:
            CLI_TRY(add_bytes(cli, "--bytes-out", "bytes_out", value, asking));
            has_bytes = true;
            break;
        case OPTION_MODEL:
            asking_word(cli, asking, "model", value);
            break;
        default:
            break;
        }
    }
    if (has_link || !has_bytes) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "--bytes-in and --bytes-out require --transfer pcieGxN");
}

static int check_request(struct analysis *a)
{
    if (a->request.gpu_count == 0) return analysis_ask_gpu(a, "");
    if (a->request.cpu_count == 0)
        return cli_error(a->cli, EXIT_USAGE,
                         "no CPU given: use --cpu ID (`warpsage machines list cpu` lists them) or "
                         "--cpu host for this computer");
    return EXIT_DONE;
}

static int answer(struct analysis *a, const struct command *command, struct asking *asking)
{
    CLI_TRY(check_request(a));
    CLI_TRY(analysis_load_machines(a));
    CLI_TRY(analysis_find_profile(a, command));
    return analysis_answer(a, asking);
}

static int run_split(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct analysis analysis = {.cli = cli, .takes_cpus = true};
    struct asking asking = {.name = "split"};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &analysis.request));
    CLI_TRY(read_own(cli, &line, &asking));
    cli_attach(cli);
    int exit_code = answer(&analysis, command, &asking);
    analysis_clear(&analysis);
    return exit_code;
}

const struct command command_split = {
    .name = "split",
    .synopsis = "  warpsage split KERNEL.ptx|LAUNCH.yaml [launch options] --gpu ID --cpu ID\n"
                "                 [--transfer pcie3x16 [--bytes-in N] [--bytes-out N]]\n"
                "  warpsage split --profile FILE --gpu ID --cpu ID [--model NAME]",
    .summary = "divide the blocks of a launch between a GPU and a CPU",
    .text =
        "Finds the division, in whole blocks, with which both devices finish at the same time, "
        "and\n"
        "tells whether one device alone is as fast. Without --transfer the data are assumed to be\n"
        "in place, as in the thesis; with it the GPU's share of the data crosses the link before\n"
        "and after its kernel. doc/split.md has the equations.\n",
    .operands = "<FILE",
    .options = options,
    .run = run_split,
};
