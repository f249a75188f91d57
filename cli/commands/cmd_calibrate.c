// SPDX-License-Identifier: Apache-2.0
/* calibrate: micro-benchmarks on a GPU, or on a model of one, and the machine file that comes of them. */
#include <string.h>

#include "calibrate/calibrate.h"
#include "cli/options/options.h"

enum option_id {
    OPTION_OUTPUT = 1,
    OPTION_LIST,
    OPTION_ONLY,
    OPTION_EMIT,
    OPTION_GPU,
    OPTION_DEVICE,
    OPTION_POWER,
    OPTION_SHORT,
    OPTION_REPEATS,
    OPTION_FIT,
    OPTION_PLOTS,
    OPTION_NATIVE,
};

static const struct option_row options[] = {
    {OPTION_OUTPUT, 'o', "output", ">FILE",
     "machine file; raw data are kept beside it (FILE.raw.jsonl)"},
    {OPTION_LIST, 0, "list", NULL, "list the benchmarks, their figures and the papers' sections"},
    {OPTION_ONLY, 0, "only", "REGEX", "only benchmarks whose name matches"},
    {OPTION_POWER, 0, "power", NULL, "measure power and temperature, too (up to 40 minutes)"},
    {OPTION_DEVICE, 0, "device", "N", "number of the GPU (default 0)"},
    {OPTION_REPEATS, 0, "repeats", "N",
     "timings of each point (default 7, with --short 3, up to 24 where they differ)"},
    {OPTION_SHORT, 0, "short", NULL, "short kernels: for a GPU modelled by `warpsage run`"},
    {OPTION_FIT, 0, "fit", "<RAW", "fit raw data again, without a GPU"},
    {OPTION_PLOTS, 0, "plots", "{folder}DIR", "write SVG pictures of measured and fitted values"},
    {OPTION_EMIT, 0, "emit", "{folder}DIR",
     "write kernels and launch files for `warpsage analyze`, run nothing"},
    {OPTION_NATIVE, 0, "native", NULL,
     "count native instructions, with --short and --emit, too (needs ptxas and nvdisasm or "
     "cuobjdump in PATH)"},
    {OPTION_GPU, 0, "gpu", "{gpu}ID", "the GPU that --emit writes for"},
    {0},
};

struct calibrate_request {
    struct calibration calibration;
    const char *emit, *gpu, *fit;
    bool lists;
};

static void show_progress(void *user, const char *text, double fraction)
{
    cli_show_progress(user, text, fraction);
}

static void tell(void *user, const char *text)
{
    cli_error(user, EXIT_DONE, "%s", text);
}

static int apply_option(struct cli *cli, const struct option_use *use,
                        struct calibrate_request *request)
{
    struct calibration *calibration = &request->calibration;
    switch (use->id) {
    case OPTION_OUTPUT:
        calibration->output = use->value;
        return EXIT_DONE;
    case OPTION_LIST:
        request->lists = true;
        return EXIT_DONE;
    case OPTION_ONLY:
        calibration->only = use->value;
        return EXIT_DONE;
    case OPTION_EMIT:
        request->emit = use->value;
        return EXIT_DONE;
    case OPTION_GPU:
        request->gpu = use->value;
        return EXIT_DONE;
    case OPTION_DEVICE:
        return parse_small(cli, "--device", use->value, &calibration->gpu);
    case OPTION_POWER:
        calibration->with_power = true;
        return EXIT_DONE;
    case OPTION_SHORT:
        calibration->is_short = true;
        return EXIT_DONE;
    case OPTION_REPEATS:
        return parse_small(cli, "--repeats", use->value, &calibration->repeats);
    case OPTION_FIT:
        return cli_input(cli, use->value, &request->fit);
    case OPTION_NATIVE:
        calibration->counts_native = true;
        return EXIT_DONE;
    case OPTION_PLOTS:
        calibration->plots = use->value;
        return EXIT_DONE;
    default:
        return EXIT_DONE;
    }
}

static int check_request(struct cli *cli, const struct command_line *line,
                         const struct calibrate_request *request)
{
    const struct calibration *calibration = &request->calibration;
    if (line->operand_count)
        return cli_error(cli, EXIT_USAGE, "calibrate takes no operand: unexpected '%s'",
                         line->operands[0]);
    if (request->emit && !request->gpu)
        return cli_error(cli, EXIT_USAGE, "--emit needs the GPU to write for: add --gpu ID");
    if (request->lists || request->emit) return EXIT_DONE;
    if (!calibration->output || !strcmp(calibration->output, "-"))
        return cli_error(cli, EXIT_USAGE, "no machine file given: use -o FILE.yaml");
    size_t length = strlen(calibration->output);
    if (length < 6 || strcmp(calibration->output + length - 5, ".yaml") != 0)
        return cli_error(cli, EXIT_USAGE, "-o: '%s' must end in .yaml, as all machine files do",
                         calibration->output);
    return cli_check_outputs(cli);
}

static int list(struct cli *cli, const struct calibration *calibration)
{
    struct cli_text text;
    CLI_TRY(cli_text_open(cli, &text));
    int exit_code = calibrate_list(calibration, text.out);
    if (exit_code == EXIT_DONE) return cli_text_close(cli, &text, NULL);
    cli_text_drop(&text);
    return exit_code;
}

static int run_calibrate(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct calibrate_request request = {.calibration = {.context = cli->context,
                                                        .is_interrupted = cli_is_interrupted,
                                                        .progress = show_progress,
                                                        .tell = tell,
                                                        .user = cli}};
    struct command_line line;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    for (size_t i = 0; i < line.use_count; i++)
        CLI_TRY(apply_option(cli, &line.uses[i], &request));
    CLI_TRY(check_request(cli, &line, &request));
    const struct calibration *calibration = &request.calibration;
    request.calibration.is_quiet = cli->quiet;
    if (request.lists) return list(cli, calibration);
    if (request.emit) return calibrate_emit(calibration, request.gpu, request.emit);
    int exit_code =
        request.fit ? calibrate_fit(calibration, request.fit) : calibrate_measure(calibration);
    cli_clear_progress(cli);
    return exit_code;
}

const struct command command_calibrate = {
    .name = "calibrate",
    .synopsis = "  warpsage calibrate [--power] [--only REGEX] -o FILE.yaml\n"
                "  warpsage calibrate --fit FILE.raw.jsonl -o FILE.yaml\n"
                "  warpsage calibrate --list | --emit DIR --gpu ID",
    .summary = "measure a GPU with micro-benchmarks and write its machine file",
    .text = "Needs an NVIDIA GPU and its driver, no toolkit. A campaign that was interrupted goes "
            "on where it was.\n"
            "Without a GPU, a modelled one is measured:\n"
            "  warpsage run --gpu v100 --clock teg -- warpsage calibrate --short -o FILE.yaml\n",
    .options = options,
    .run = run_calibrate,
};
