// SPDX-License-Identifier: Apache-2.0
/* occupancy: blocks and warps that an SM holds, what limits them, and how that varies. */
#include <string.h>

#include "cli/options/asking.h"
#include "cli/options/options.h"
#include "cli/options/request.h"

enum option_id {
    OPTION_GPU = 1,
    OPTION_BLOCK,
    OPTION_REGS,
    OPTION_SHARED,
    OPTION_BARRIERS,
    OPTION_CURVE,
    OPTION_NO_GRANULARITY,
    OPTION_PARTITIONED,
    OPTION_FORMAT,
    OPTION_OUTPUT,
};

static const struct option_row options[] = {
    {OPTION_GPU, 0, "gpu", "{gpu}ID[,ID...]", "GPUs; `warpsage machines` lists them"},
    {OPTION_BLOCK, 'b', "block", "X[,Y[,Z]]", "block size in threads"},
    {OPTION_REGS, 0, "regs", "N", "registers per thread (default: not a limit)"},
    {OPTION_SHARED, 's', "shared", "BYTES", "shared memory per block, static and dynamic"},
    {OPTION_BARRIERS, 0, "barriers", "N", "named barriers per block"},
    {OPTION_CURVE, 0, "curve", "block|regs|shared", "warps per SM over all values of one resource"},
    {OPTION_NO_GRANULARITY, 0, "no-granularity", NULL,
     "limits by plain division, as in papers: no allocation granularity, nothing reserved"},
    {OPTION_PARTITIONED, 0, "partitioned", NULL,
     "with partitioned caching (cc 5.2, 5.3, 6.1, 6.2): a block stays in half an SM"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv|html", "output format"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write to FILE instead of standard output"},
    {0},
};

struct occupancy_request {
    struct asking asking;
    ws_format format;
    const char *output;
    bool has_block, has_curve;
};

static int add_count(struct cli *cli, const struct option_use *use, const char *option,
                     const char *input, unsigned least, struct occupancy_request *request)
{
    uint64_t count;
    CLI_TRY(parse_unsigned(cli, option, use->value, UINT32_MAX - 1, &count));
    if (count < least)
        return cli_error(cli, EXIT_USAGE, "%s must be at least %u (got %s)", option, least,
                         use->value);
    asking_number(cli, &request->asking, input, (double)count);
    return EXIT_DONE;
}

static int add_block(struct cli *cli, const char *text, struct occupancy_request *request)
{
    static const char *const inputs[] = {"block_x", "block_y", "block_z"};
    uint32_t block[3];
    CLI_TRY(request_set_shape(cli, "--block", text, block));
    uint64_t threads = (uint64_t)block[0] * block[1];
    threads = threads < UINT32_MAX ? threads * block[2] : threads;
    if (threads >= UINT32_MAX)
        return cli_error(cli, EXIT_USAGE,
                         "--block: '%s' is out of range: a block has at most 1024 threads", text);
    for (size_t i = 0; i < 3; i++)
        asking_number(cli, &request->asking, inputs[i], block[i]);
    request->has_block = true;
    return EXIT_DONE;
}

static int add_curve(struct cli *cli, const char *text, struct occupancy_request *request)
{
    static const char *const rows[][2] = {{"block", "threads_per_block"},
                                          {"regs", "registers_per_thread"},
                                          {"shared", "shared_bytes"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(text, rows[i][0]) != 0) continue;
        asking_word(cli, &request->asking, "curve", rows[i][1]);
        request->has_curve = true;
        request->has_block |= i == 0;
        return EXIT_DONE;
    }
    return cli_error(cli, EXIT_USAGE,
                     "invalid value '%s' for --curve: expected block, regs or shared", text);
}

static int apply_option(struct cli *cli, const struct option_use *use, struct request *gpus,
                        struct occupancy_request *request)
{
    switch (use->id) {
    case OPTION_GPU:
        return request_add_gpus(cli, gpus, use->value);
    case OPTION_BLOCK:
        return add_block(cli, use->value, request);
    case OPTION_REGS:
        return add_count(cli, use, "--regs", "registers_per_thread", 1, request);
    case OPTION_SHARED:
        return add_count(cli, use, "--shared", "shared_bytes", 0, request);
    case OPTION_BARRIERS:
        return add_count(cli, use, "--barriers", "barriers", 0, request);
    case OPTION_CURVE:
        return add_curve(cli, use->value, request);
    case OPTION_NO_GRANULARITY:
        asking_number(cli, &request->asking, "no_granularity", 1);
        return EXIT_DONE;
    case OPTION_PARTITIONED:
        asking_number(cli, &request->asking, "partitioned_caching", 1);
        return EXIT_DONE;
    case OPTION_FORMAT:
        return parse_format(cli, use->value, &request->format);
    case OPTION_OUTPUT:
        request->output = use->value;
        return EXIT_DONE;
    default:
        return EXIT_DONE;
    }
}

static int check_request(struct cli *cli, const struct command_line *line,
                         const struct request *gpus, const struct occupancy_request *request)
{
    if (line->operand_count)
        return cli_error(
            cli, EXIT_USAGE,
            "occupancy takes no file: unexpected operand '%s'; use --block, --regs and --shared",
            line->operands[0]);
    if (!gpus->gpu_count)
        return cli_error(cli, EXIT_USAGE,
                         "no GPU given: use --gpu ID[,ID...]; `warpsage machines` lists them");
    if (!request->has_block)
        return cli_error(cli, EXIT_USAGE, "no block size given: use --block X[,Y[,Z]]");
    return EXIT_DONE;
}

/* Is there anything to show? */
static bool has_any(const ws_answer *answer)
{
    ws_node machines = ws_node_find(ws_answer_root(answer), "machines");
    for (size_t i = 0; i < ws_node_count(machines); i++) {
        ws_node machine = ws_node_child(machines, i);
        if (ws_node_count(ws_node_find(machine, "occupancy")) ||
            ws_node_count(ws_node_find(machine, "next")) ||
            ws_node_count(ws_node_find(machine, "curve")))
            return true;
    }
    return false;
}

/* All that keep the launch from fitting are told, each with its own message. */
static int tell_reasons(struct cli *cli, const ws_answer *answer, int exit_code)
{
    ws_node machines = ws_node_find(ws_answer_root(answer), "machines");
    for (size_t i = 0; i < ws_node_count(machines); i++) {
        ws_value reason = {.size = sizeof reason};
        ws_node machine = ws_node_child(machines, i);
        if (ws_node_value(ws_node_find(machine, "reason"), &reason) && reason.is_known)
            cli_error(cli, exit_code, "%s", reason.text);
    }
    return exit_code;
}

static int answer(struct cli *cli, const struct occupancy_request *request)
{
    ws_answer *answer;
    cli->keeps_errors = true; /* reasons are told by machine */
    int exit_code = asking_ask(cli, &request->asking, &answer);
    cli->keeps_errors = false;
    if (!answer) return cli_error(cli, exit_code, "%s", cli->kept_error);
    if (exit_code != EXIT_DONE) tell_reasons(cli, answer, exit_code);
    if (has_any(answer) || request->format != WS_FORMAT_TEXT) {
        int written =
            asking_write(cli, answer, request->format, WS_DETAILS_NORMAL, request->output);
        if (exit_code == EXIT_DONE) exit_code = written;
    }
    ws_answer_destroy(answer);
    return exit_code;
}

static int run_occupancy(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct request gpus = {0};
    struct occupancy_request request = {.asking.name = "occupancy"};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    for (size_t i = 0; i < line.use_count; i++)
        CLI_TRY(apply_option(cli, &line.uses[i], &gpus, &request));
    CLI_TRY(check_request(cli, &line, &gpus, &request));
    ws_machine **machines = cli_alloc(cli, gpus.gpu_count * sizeof *machines);
    int exit_code = EXIT_DONE;
    for (size_t i = 0; i < gpus.gpu_count && exit_code == EXIT_DONE; i++) {
        exit_code = cli_load_gpu(cli, gpus.gpus[i], &machines[i]);
        if (machines[i]) asking_machine(cli, &request.asking, machines[i]);
    }
    if (exit_code == EXIT_DONE) exit_code = answer(cli, &request);
    for (size_t i = 0; i < gpus.gpu_count; i++)
        ws_machine_destroy(machines[i]);
    return exit_code;
}

const struct command command_occupancy = {
    .name = "occupancy",
    .synopsis = "  warpsage occupancy --gpu a100 --block 256 --regs 40 --shared 16384\n"
                "  warpsage occupancy --gpu ID[,ID...] --block X[,Y[,Z]] --curve block|regs|shared",
    .summary = "compute resident blocks and warps per SM and their limiters",
    .text = "Block Limit SM, Registers, Shared Mem and Warps are the blocks that an SM could hold\n"
            "under that limit alone. The smallest are the limiters. Rules and sources:\n"
            "doc/occupancy.md.\n",
    .options = options,
    .run = run_occupancy,
};
