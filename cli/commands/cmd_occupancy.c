// SPDX-License-Identifier: Apache-2.0
/* occupancy: blocks and warps that an SM holds, what limits them, and how that varies. */
#include <limits.h>
#include <string.h>

#include "cli/commands/occupancy.h"
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
    {OPTION_GPU, 0, "gpu", "ID[,ID...]", "for these GPUs; `warpsage machines` lists them"},
    {OPTION_BLOCK, 'b', "block", "X[,Y[,Z]]", "threads of a block"},
    {OPTION_REGS, 0, "regs", "N", "registers per thread; without it they do not limit"},
    {OPTION_SHARED, 's', "shared", "BYTES", "shared memory of a block, static and dynamic"},
    {OPTION_BARRIERS, 0, "barriers", "N", "named barriers of a block"},
    {OPTION_CURVE, 0, "curve", "block|regs|shared", "warps per SM over all values of one of them"},
    {OPTION_NO_GRANULARITY, 0, "no-granularity", NULL,
     "limits by plain division, as papers do: no allocation units, nothing reserved"},
    {OPTION_PARTITIONED, 0, "partitioned", NULL,
     "with partitioned caching (cc 5.2, 5.3, 6.1, 6.2): a block stays in half an SM"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "form of the answer"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write there instead of to standard output"},
    {0},
};

static int read_count(struct cli *cli, const char *option, const char *text, unsigned least,
                      uint64_t *out)
{
    CLI_TRY(parse_unsigned(cli, option, text, UINT32_MAX - 1, out));
    if (*out >= least) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "%s: '%s' is too small: it is at least %u", option, text,
                     least);
}

static int read_block(struct cli *cli, const char *text, struct occupancy_request *request)
{
    CLI_TRY(request_set_shape(cli, "--block", text, request->block));
    uint64_t threads = (uint64_t)request->block[0] * request->block[1];
    threads = threads < UINT32_MAX ? threads * request->block[2] : threads;
    if (threads >= UINT32_MAX)
        return cli_error(cli, EXIT_USAGE,
                         "--block: '%s' has far too many threads: no GPU allows more than 1024",
                         text);
    request->query.threads_per_block = (unsigned)threads;
    return EXIT_DONE;
}

static int read_curve(struct cli *cli, const char *text, struct occupancy_request *request)
{
    static const struct {
        const char *name;
        ws_vary vary;
    } rows[] = {{"block", WS_VARY_BLOCK}, {"regs", WS_VARY_REGISTERS}, {"shared", WS_VARY_SHARED}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strcmp(text, rows[i].name)) request->curve = rows[i].vary;
    if (request->curve) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE, "--curve '%s' is none of block, regs, shared", text);
}

static int apply_option(struct cli *cli, const struct option_use *use, struct request *gpus,
                        struct occupancy_request *request)
{
    uint64_t count;
    switch (use->id) {
    case OPTION_GPU:
        return request_add_gpus(cli, gpus, use->value);
    case OPTION_BLOCK:
        return read_block(cli, use->value, request);
    case OPTION_REGS:
        CLI_TRY(read_count(cli, "--regs", use->value, 1, &count));
        request->query.registers_per_thread = (unsigned)count;
        return EXIT_DONE;
    case OPTION_SHARED:
        return read_count(cli, "--shared", use->value, 0, &request->query.shared_bytes);
    case OPTION_BARRIERS:
        CLI_TRY(read_count(cli, "--barriers", use->value, 0, &count));
        request->query.barriers = (unsigned)count;
        return EXIT_DONE;
    case OPTION_CURVE:
        request->curve = (ws_vary)0;
        return read_curve(cli, use->value, request);
    case OPTION_NO_GRANULARITY:
        request->query.no_granularity = true;
        return EXIT_DONE;
    case OPTION_PARTITIONED:
        request->query.partitioned_caching = true;
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

/* ---- answers ----------------------------------------------------------------------------------- */

/* Changes of one figure, and of registers and shared memory together if neither alone helps. */
static void find_next(const struct occupancy_request *request, struct occupancy_answer *answer)
{
    static const unsigned changes[] = {WS_VARY_REGISTERS, WS_VARY_SHARED,
                                       WS_VARY_REGISTERS | WS_VARY_SHARED, WS_VARY_BLOCK};
    bool has_lower = false;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct occupancy_next *next = &answer->next[answer->next_count];
        bool is_both = changes[i] == (WS_VARY_REGISTERS | WS_VARY_SHARED);
        if (is_both && has_lower) continue;
        next->vary = changes[i];
        next->query.size = sizeof next->query;
        next->occupancy.size = sizeof next->occupancy;
        if (ws_machine_occupancy_next(answer->machine, &request->query, changes[i], &next->query,
                                      &next->occupancy) != WS_OK)
            continue;
        has_lower = true;
        answer->next_count++;
    }
}

static int find_curve(struct cli *cli, const struct occupancy_request *request,
                      struct occupancy_answer *answer)
{
    const ws_occupancy_query smallest = {.size = sizeof smallest, .threads_per_block = 1};
    ws_occupancy one = {.size = sizeof one};
    ws_status status = ws_machine_occupancy_curve(answer->machine, &request->query, request->curve,
                                                  NULL, 0, &answer->point_count);
    if (status != WS_OK) return cli_failed(cli, status);
    status = ws_machine_occupancy(answer->machine, &smallest, &one);
    if (status != WS_OK) return cli_failed(cli, status);
    answer->max_warps_per_sm = one.max_warps_per_sm;
    answer->points = cli_alloc(cli, (answer->point_count + 1) * sizeof *answer->points);
    status = ws_machine_occupancy_curve(answer->machine, &request->query, request->curve,
                                        answer->points, answer->point_count, &answer->point_count);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

static ws_status check_shape(const struct occupancy_request *request, ws_machine *machine)
{
    ws_launch launch = {.size = sizeof launch, .grid = {1, 1, 1}};
    memcpy(launch.block, request->block, sizeof launch.block);
    return ws_machine_check_launch(machine, &launch);
}

/* A GPU on which the launch does not fit is reported and the others are answered. */
static int answer_one(struct cli *cli, const struct occupancy_request *request,
                      struct occupancy_answer *answer)
{
    int exit_code = EXIT_DONE;
    answer->occupancy.size = sizeof answer->occupancy;
    if (request->curve) CLI_TRY(find_curve(cli, request, answer));
    if (!request->query.threads_per_block) return EXIT_DONE;
    ws_status status = check_shape(request, answer->machine);
    if (status == WS_OK)
        status = ws_machine_occupancy(answer->machine, &request->query, &answer->occupancy);
    if (status != WS_OK) {
        answer->reason = cli_copy(cli, ws_context_error(cli->context));
        exit_code = cli_failed(cli, status);
    }
    if (status == WS_OK || status == WS_ERR_LAUNCH) find_next(request, answer);
    return exit_code;
}

static int answer_all(struct cli *cli, const struct request *gpus,
                      const struct occupancy_request *request, struct occupancy_answer *answers,
                      size_t *out_count)
{
    int exit_code = EXIT_DONE;
    for (size_t i = 0; i < gpus->gpu_count; i++) {
        struct occupancy_answer *answer = &answers[*out_count];
        CLI_TRY(cli_load_gpu(cli, gpus->gpus[i], &answer->machine));
        ++*out_count;
        int one = answer_one(cli, request, answer);
        if (exit_code == EXIT_DONE) exit_code = one;
    }
    return exit_code;
}

static int check_request(struct cli *cli, const struct command_line *line,
                         const struct request *gpus, const struct occupancy_request *request)
{
    if (line->operand_count)
        return cli_error(cli, EXIT_USAGE,
                         "occupancy takes no file, '%s' is too much: give --block, --regs and "
                         "--shared",
                         line->operands[0]);
    if (!gpus->gpu_count)
        return cli_error(cli, EXIT_USAGE,
                         "for which GPU? Add --gpu ID[,ID...]; `warpsage machines` lists them");
    if (!request->query.threads_per_block && request->curve != WS_VARY_BLOCK)
        return cli_error(cli, EXIT_USAGE,
                         "occupancy needs --block X[,Y[,Z]], the threads of a "
                         "block");
    return EXIT_DONE;
}

static int run_occupancy(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct request gpus = {0};
    struct occupancy_request request = {.query.size = sizeof request.query};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    for (size_t i = 0; i < line.use_count; i++)
        CLI_TRY(apply_option(cli, &line.uses[i], &gpus, &request));
    CLI_TRY(check_request(cli, &line, &gpus, &request));
    struct occupancy_answer *answers = cli_alloc(cli, gpus.gpu_count * sizeof *answers);
    size_t count = 0;
    int exit_code = answer_all(cli, &gpus, &request, answers, &count);
    bool has_any = false;
    for (size_t i = 0; i < count; i++)
        has_any |=
            answers[i].occupancy.blocks_per_sm || answers[i].point_count || answers[i].next_count;
    if (count == gpus.gpu_count && (has_any || request.format != WS_FORMAT_TEXT)) {
        int written = occupancy_write(cli, &request, answers, count);
        if (exit_code == EXIT_DONE) exit_code = written;
    }
    for (size_t i = 0; i < count; i++)
        ws_machine_destroy(answers[i].machine);
    return exit_code;
}

const struct command command_occupancy = {
    .name = "occupancy",
    .synopsis = "  warpsage occupancy --gpu a100 --block 256 --regs 40 --shared 16384\n"
                "  warpsage occupancy --gpu ID[,ID...] --block X[,Y[,Z]] --curve block|regs|shared",
    .summary = "blocks and warps per SM, what limits them, curves",
    .text = "Block Limit SM, Registers, Shared Mem and Warps are the blocks that an SM could hold\n"
            "if only that limit existed. The least ones are the limiters. Rules and sources:\n"
            "doc/occupancy.md.\n",
    .options = options,
    .run = run_occupancy,
};
