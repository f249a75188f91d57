// SPDX-License-Identifier: Apache-2.0
/* Executes the launch files of the papers' folders. */
#include <stdlib.h>
#include <string.h>

#include "cli/options/request.h"
#include "cli/papers/papers.h"

static int read_args(struct papers *papers, const ws_module *module, size_t kernel,
                     const struct request *request, struct arg **out)
{
    *out = cli_alloc(papers->cli, (request->arg_count + 1) * sizeof **out);
    for (size_t i = 0; i < request->arg_count; i++)
        CLI_TRY(arg_parse(papers->cli, &request->args[i], &(*out)[i]));
    return args_check(papers->cli, module, kernel, *out, request->arg_count);
}

static int launch_on(struct papers *papers, ws_device *device, const ws_module *module,
                     const struct request *request, ws_launch *launch, ws_profile **out)
{
    struct arg *args;
    uint8_t *block;
    CLI_TRY(read_args(papers, module, launch->kernel, request, &args));
    CLI_TRY(args_place(papers->cli, device, module, launch->kernel, args, request->arg_count,
                       &block, &launch->parameter_bytes));
    launch->parameters = block;
    ws_status status = ws_device_launch(device, module, launch, out);
    cli_clear_progress(papers->cli);
    if (status == WS_OK && request->registers)
        status = ws_profile_set_registers(*out, request->registers);
    return status == WS_OK ? EXIT_DONE : cli_failed(papers->cli, status);
}

/* Blocks that do alike work: "sampled": [{"launch": NAME, "blocks": COUNT}]. 0: all are executed. */
static double find_effort(const struct papers *papers, const char *name, const uint32_t grid[3])
{
    json_t *one;
    size_t i;
    json_array_foreach(json_object_get(papers->published, "sampled"), i, one)
    {
        if (!strcmp(papers_text(one, "folder"), papers->folder) &&
            !strcmp(papers_text(one, "launch"), name))
            return papers_number(one, "blocks", 1) / ((double)grid[0] * grid[1] * grid[2]);
    }
    return 0;
}

static int execute(struct papers *papers, const char *name, struct papers_executed *executed)
{
    struct request request = {0};
    ws_device_options options = {.size = sizeof options};
    ws_launch launch = {
        .size = sizeof launch,
        .counters = true,
        .all_rules = true,
        .initial_segment_bytes = executed->counting.initial_segment,
        .min_segment_bytes = executed->counting.min_segment,
        .shared_banks = executed->counting.shared_banks,
    };
    ws_module *module;
    ws_device *device;
    CLI_TRY(launchfile_read(papers->cli, executed->path, &request));
    if (!request.kernel_file || !request.kernel || !request.has_grid || !request.has_block)
        return cli_error(papers->cli, EXIT_INPUT,
                         "%s: requires kernel_file, kernel, grid and block", executed->path);
    CLI_TRY(papers_load_module(papers, request.kernel_file, &module));
    ws_status status = ws_module_find_kernel(module, request.kernel, &launch.kernel);
    if (status == WS_OK) status = ws_device_create(papers->cli->context, &options, &device);
    if (status != WS_OK) return cli_failed(papers->cli, status);
    memcpy(launch.grid, request.grid, sizeof launch.grid);
    if (executed->blocks) launch.grid[0] = executed->blocks;
    memcpy(launch.block, request.block, sizeof launch.block);
    launch.dynamic_shared_bytes = request.dynamic_shared_bytes;
    launch.isa_view = request.isa_view;
    launch.effort = find_effort(papers, name, launch.grid);
    int exit_code = launch_on(papers, device, module, &request, &launch, &executed->profile);
    ws_device_destroy(device);
    return exit_code;
}

int papers_launch_file(struct papers *papers, const char *name,
                       const struct papers_counting *counting, ws_profile **out)
{
    const char *at = strchr(name, '@');
    size_t length = at ? (size_t)(at - name) : strlen(name);
    struct papers_executed wanted = {
        .path = cli_format(papers->cli, "%s/launch/%.*s.yaml", papers->folder, (int)length, name),
        .blocks = at ? (uint32_t)strtoul(at + 1, NULL, 10) : 0,
        .counting = *counting,
    };
    for (size_t i = 0; i < papers->executed_count; i++) {
        const struct papers_executed *executed = &papers->executed[i];
        *out = executed->profile;
        if (!strcmp(executed->path, wanted.path) && executed->blocks == wanted.blocks &&
            !memcmp(&executed->counting, counting, sizeof *counting))
            return EXIT_DONE;
    }
    int exit_code = execute(papers, name, &wanted);
    *out = wanted.profile;
    if (wanted.profile) CLI_APPEND(papers->cli, papers->executed, papers->executed_count, wanted);
    return exit_code;
}
