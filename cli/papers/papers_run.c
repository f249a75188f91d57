// SPDX-License-Identifier: Apache-2.0
/* Executes the kernels of the papers. The blocks of a grid do alike work, so that a sample of them
 * gives the counts of a warp; the launch keeps its own number of blocks. */
#include <math.h>
#include <string.h>

#include "cli/options/args.h"
#include "cli/papers/papers.h"

enum { SAMPLE_BLOCKS = 4 };

int papers_load_module(struct papers *papers, const char *path, ws_module **out)
{
    for (size_t i = 0; i < papers->module_count; i++) {
        *out = papers->modules[i].module;
        if (!strcmp(papers->modules[i].path, path)) return EXIT_DONE;
    }
    ws_status status = ws_module_load_file(papers->cli->context, path, out);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    struct papers_module entry = {path, *out};
    CLI_APPEND(papers->cli, papers->modules, papers->module_count, entry);
    return EXIT_DONE;
}

static void set_grid(const struct papers_launch *given, ws_launch *out)
{
    const struct papers_kernel *kernel = given->kernel;
    uint32_t side = kernel->is_square ? (uint32_t)lround(sqrt(given->block)) : 1;
    out->block[0] = given->block / side;
    out->block[1] = side;
    out->block[2] = 1;
    uint64_t x = given->blocks_total;
    if (!x && kernel->is_work_blocks) x = kernel->work_x;
    if (!x) x = (kernel->work_x + out->block[0] - 1) / out->block[0];
    out->grid[0] = (uint32_t)x;
    out->grid[1] = given->blocks_total ? 1 : (uint32_t)((kernel->work_y + side - 1) / side);
    out->grid[2] = 1;
    double blocks = (double)out->grid[0] * out->grid[1];
    out->effort = blocks > SAMPLE_BLOCKS ? SAMPLE_BLOCKS / blocks : 0;
}

static int parse_args(struct papers *papers, const struct papers_kernel *kernel, struct arg **out)
{
    *out = cli_alloc(papers->cli, (kernel->arg_count + 1) * sizeof **out);
    for (size_t i = 0; i < kernel->arg_count; i++) {
        struct arg_text text = {kernel->args[i], kernel->folder, "kernels.csv"};
        CLI_TRY(arg_parse(papers->cli, &text, &(*out)[i]));
    }
    return EXIT_DONE;
}

static int launch_on(struct papers *papers, ws_device *device, const ws_module *module,
                     struct arg *args, size_t arg_count, ws_launch *launch, ws_profile **out)
{
    uint8_t *block;
    CLI_TRY(args_place(papers->cli, device, module, launch->kernel, args, arg_count, &block,
                       &launch->parameter_bytes));
    launch->parameters = block;
    ws_status status = ws_device_launch(device, module, launch, out);
    cli_clear_progress(papers->cli);
    return status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
}

int papers_run(struct papers *papers, const struct papers_launch *given, ws_profile **out)
{
    const struct papers_kernel *kernel = given->kernel;
    ws_device_options device_options = {.size = sizeof device_options};
    ws_launch launch = given->counted;
    launch.trace_blocks = WS_TRACE_NONE; /* the closed forms that are compared need none */
    launch.size = sizeof launch;
    launch.dynamic_shared_bytes = kernel->shared_bytes_per_thread * given->block;
    launch.counters = true;
    ws_module *module;
    ws_device *device;
    struct arg *args;
    *out = NULL;
    const char *path = cli_format(papers->cli, "%s/%s", kernel->folder, kernel->file);
    CLI_TRY(papers_load_module(papers, path, &module));
    ws_status status = ws_module_find_kernel(module, kernel->entry, &launch.kernel);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    set_grid(given, &launch);
    CLI_TRY(parse_args(papers, kernel, &args));
    CLI_TRY(args_check(papers->cli, module, launch.kernel, args, kernel->arg_count));
    status = ws_device_create(papers->cli->context, &device_options, &device);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    int exit_code = launch_on(papers, device, module, args, kernel->arg_count, &launch, out);
    ws_device_destroy(device);
    if (exit_code != EXIT_DONE || !given->registers) return exit_code;
    status = ws_profile_set_registers(*out, given->registers);
    return status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
}
