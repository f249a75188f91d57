// SPDX-License-Identifier: Apache-2.0
/* --gpu-here: launch files of a folder are run on the GPU of this computer, and become a set of launches that
 * were measured. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibrate.h"
#include "cli/options/analysis.h"
#include "cli/validate/validate.h"

enum { REPEATS = 11 };

struct here {
    struct cli *cli;
    const struct command *command;
    struct gpu *gpu;
    struct validate_set *set;
};

static void tell(void *user, const char *text)
{
    cli_error(user, EXIT_DONE, "%s", text);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int list_launches(struct cli *cli, const char *folder, const char ***out, size_t *out_count)
{
    DIR *stream = opendir(folder);
    *out = NULL;
    *out_count = 0;
    if (!stream) return cli_error(cli, EXIT_INPUT, "%s: cannot open: %s", folder, strerror(errno));
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && dot != entry->d_name && !strcmp(dot, ".yaml"))
            CLI_APPEND(cli, *out, *out_count, cli_copy(cli, entry->d_name));
    }
    closedir(stream);
    if (!*out_count)
        return cli_error(cli, EXIT_INPUT, "%s: no launch files (*.yaml; doc/arguments.md)", folder);
    qsort(*out, *out_count, sizeof **out, by_name);
    return EXIT_DONE;
}

/* The buffers as the launch finds them, from a device that placed them. */
static int read_buffers(struct here *here, const struct analysis *a, ws_device *device,
                        struct gpu_call *call)
{
    struct cli *cli = here->cli;
    unsigned *number = cli_alloc(cli, (a->request.arg_count + 1) * sizeof *number);
    for (size_t i = 0; i < a->request.arg_count; i++) {
        const struct arg *arg = &a->args[i];
        ws_parameter parameter;
        ws_status status = ws_module_parameter(a->module, a->kernels[0], i, &parameter);
        if (status != WS_OK) return cli_failed(cli, status);
        if (arg->kind == ARG_LOCAL)
            return cli_error(cli, EXIT_INPUT,
                             "local: arguments of OpenCL cannot be run on the GPU");
        if (arg->kind == ARG_SAME) {
            struct gpu_same same = {parameter.offset, number[arg->bits]};
            number[i] = same.buffer;
            CLI_APPEND(cli, call->same, call->same_count, same);
        }
        if (arg->kind != ARG_BUFFER) continue;
        struct gpu_buffer buffer = {.place = parameter.offset, .bytes = arg_bytes(arg)};
        void *content = cli_alloc(cli, buffer.bytes + 1);
        status = ws_device_copy_out(device, content, arg->address, buffer.bytes);
        if (status != WS_OK) return cli_failed(cli, status);
        buffer.content = content;
        number[i] = call->buffer_count;
        CLI_APPEND(cli, call->buffers, call->buffer_count, buffer);
    }
    return EXIT_DONE;
}

static int prepare_call(struct here *here, struct analysis *a, struct gpu_call *call)
{
    const struct request *request = &a->request;
    ws_device_options options = {.size = sizeof options};
    ws_device *device;
    CLI_TRY(analysis_load_machines(a));
    CLI_TRY(analysis_load_kernel(a, here->command));
    if (a->kernel_count != 1)
        return cli_error(here->cli, EXIT_USAGE, "a launch file names one kernel");
    ws_status status = ws_device_create(here->cli->context, &options, &device);
    if (status != WS_OK) return cli_failed(here->cli, status);
    int exit_code = args_place(here->cli, device, a->module, a->kernels[0], a->args,
                               request->arg_count, &call->parameters, &call->parameter_bytes);
    if (exit_code == EXIT_DONE) exit_code = read_buffers(here, a, device, call);
    ws_device_destroy(device);
    call->ptx = ws_module_ptx(a->module);
    call->kernel = ws_module_kernel_name(a->module, a->kernels[0]);
    for (unsigned i = 0; i < 3; i++) {
        call->grid[i] = request->grid[i] ? request->grid[i] : 1;
        call->block[i] = request->block[i] ? request->block[i] : 1;
    }
    call->shared = (unsigned)request->dynamic_shared_bytes;
    return exit_code;
}

static int measure(struct here *here, struct analysis *a, const char *file)
{
    struct cli *cli = here->cli;
    struct gpu_call call = {0};
    struct gpu_times times;
    CLI_TRY(prepare_call(here, a, &call));
    if (!gpu_time_call(here->gpu, &call, REPEATS, &times)) return EXIT_DEVICE;
    struct request *request = cli_alloc(cli, sizeof *request);
    *request = a->request;
    if (!request->registers) request->registers = times.registers;
    struct validate_row row = {.line = here->set->row_count + 1,
                               .application = here->set->id,
                               .instance = file,
                               .role = "report",
                               .request = request,
                               .registers = request->registers,
                               .measured = times.seconds};
    row.kernel = cli_copy(cli, ws_module_kernel_display_name(a->module, a->kernels[0]));
    row.values = cli_alloc(cli, 2 * sizeof *row.values);
    row.values[0] = times.watts;
    CLI_APPEND(cli, here->set->rows, here->set->row_count, row);
    return EXIT_DONE;
}

static int measure_file(struct here *here, const char *file)
{
    struct cli *cli = here->cli;
    struct analysis analysis = {.cli = cli};
    const char *path = cli_format(cli, "%s/%s", here->set->folder, file);
    int exit_code = launchfile_read(cli, path, &analysis.request);
    analysis.request.gpu_count = analysis.request.cpu_count = 0;
    if (exit_code == EXIT_DONE)
        exit_code = request_add_gpus(cli, &analysis.request, here->set->machine);
    if (exit_code == EXIT_DONE) exit_code = measure(here, &analysis, file);
    analysis_clear(&analysis);
    return exit_code;
}

int gpu_here_measure(struct cli *cli, const struct command *command, const char *folder,
                     const char *machine, unsigned device, struct validate_set *out)
{
    static struct validate_column watts = {.name = "power_watts", .path = "power/mean"};
    struct calibration calibration = {
        .context = cli->context, .gpu = device, .tell = tell, .user = cli};
    struct here here = {.cli = cli, .command = command, .set = out};
    const char **files;
    size_t count;
    char *id = cli_copy(cli, folder);
    for (size_t length = strlen(id); length > 1 && id[length - 1] == '/'; length--)
        id[length - 1] = '\0';
    const char *slash = strrchr(id, '/');
    *out = (struct validate_set){.id = slash && slash[1] ? slash + 1 : id,
                                 .folder = folder,
                                 .machine = machine,
                                 .table = folder,
                                 .source = "this computer",
                                 .counters = &watts,
                                 .counter_count = 1};
    CLI_TRY(list_launches(cli, folder, &files, &count));
    here.gpu = gpu_open(&calibration);
    if (!here.gpu) return EXIT_DEVICE;
    out->title = cli_format(cli, "%s: median of %d launches, each with a cold L2",
                            gpu_name(here.gpu), REPEATS);
    int exit_code = EXIT_DONE;
    for (size_t i = 0; exit_code == EXIT_DONE && i < count; i++) {
        cli_begin_step(cli, files[i], i, count);
        exit_code = cli_is_interrupted() ? cli_stop_code() : measure_file(&here, files[i]);
    }
    cli_end_steps(cli);
    gpu_close(here.gpu);
    return exit_code;
}
