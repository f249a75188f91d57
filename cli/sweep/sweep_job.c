// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/sweep_job.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/asking.h"
#include "cli/sweep/design_files.h"

static const struct design_axis *gpus_of(const struct design *design)
{
    return &design->gpus.items[0];
}

/* Points of a launch on one GPU. */
static uint64_t points_of_gpu(const struct design *design)
{
    return design->machine_count / gpus_of(design)->count;
}

static uint64_t jobs_of_gpu(const struct design *design)
{
    return (points_of_gpu(design) + JOB_POINTS - 1) / JOB_POINTS;
}

uint64_t job_count(const struct design *design)
{
    return design->launch_count * gpus_of(design)->count * jobs_of_gpu(design);
}

uint64_t job_first_point(const struct design *design, uint64_t job, uint64_t *out_count)
{
    uint64_t parts = jobs_of_gpu(design), first = job % parts * JOB_POINTS;
    uint64_t left = points_of_gpu(design) - first;
    *out_count = left < JOB_POINTS ? left : JOB_POINTS;
    return job / parts * points_of_gpu(design) + first;
}

/* ---- machines -------------------------------------------------------------------------------- */

static int load_machine(struct cli *cli, const struct design *design, const char *const *texts,
                        ws_machine **out)
{
    ws_status status = WS_OK;
    CLI_TRY(cli_load_gpu(cli, texts[0], out));
    for (size_t i = 0; i < design->fields.count && status == WS_OK; i++) {
        const char *key = cli_format(cli, "machine.%s", design->fields.items[i].name);
        status = ws_machine_set(*out, key, cli_format(cli, "=%s", texts[1 + i]));
    }
    if (status == WS_OK) return EXIT_DONE;
    int exit_code = cli_failed(cli, status);
    ws_machine_destroy(*out);
    *out = NULL;
    return exit_code;
}

static int prepare_with(struct cli *cli, const char *gpu, const struct design_axis *axis,
                        const char *text, ws_launch *counted)
{
    ws_machine *machine;
    ws_status status = WS_OK;
    CLI_TRY(cli_load_gpu(cli, gpu, &machine));
    if (axis)
        status = ws_machine_set(machine, cli_format(cli, "machine.%s", axis->name),
                                cli_format(cli, "=%s", text));
    if (status == WS_OK) status = ws_machine_prepare_launch(machine, counted);
    int exit_code = status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
    ws_machine_destroy(machine);
    return exit_code;
}

/* Rules of coalescing and banks that any point of a GPU needs, by every value of a figure; wrong names and values are
 * found here, before the first launch. */
static int prepare(struct cli *cli, const struct design *design, const char *gpu,
                   ws_launch *counted)
{
    counted->size = sizeof *counted;
    CLI_TRY(prepare_with(cli, gpu, NULL, NULL, counted));
    for (size_t i = 0; i < design->fields.count; i++)
        for (size_t k = 0; k < design->fields.items[i].count; k++)
            CLI_TRY(prepare_with(cli, gpu, &design->fields.items[i],
                                 design->fields.items[i].texts[k], counted));
    return EXIT_DONE;
}

int runner_make_folder(struct cli *cli, char **out)
{
    const char *base = getenv("TMPDIR");
    *out = cli_format(cli, "%s/warpsage-sweep-XXXXXX", base && *base == '/' ? base : "/tmp");
    if (mkdtemp(*out)) return EXIT_DONE;
    return cli_error(cli, EXIT_INPUT, "%s: cannot create: %s", *out, strerror(errno));
}

int runner_begin(struct cli *cli, const struct command *command, const struct design *design,
                 const char *folder, unsigned threads, struct sweep_runner *out)
{
    const struct design_axis *gpus = gpus_of(design);
    *out = (struct sweep_runner){
        .cli = cli, .command = command, .design = design, .folder = folder, .threads = threads};
    out->values = cli_alloc(cli, gpus->count * sizeof *out->values);
    out->counted = cli_alloc(cli, gpus->count * sizeof *out->counted);
    for (size_t i = 0; i < gpus->count; i++)
        CLI_TRY(prepare(cli, design, gpus->texts[i], &out->counted[i]));
    return EXIT_DONE;
}

/* ---- the launch ------------------------------------------------------------------------------ */

static void forget_launch(struct sweep_runner *runner)
{
    if (!runner->has_launch) return;
    analysis_clear(&runner->analysis);
    cli_scope_end(&runner->scope);
    runner->has_launch = false;
}

static void remove_defined(const struct sweep_runner *runner)
{
    if (!runner->design->define_count || !runner->folder) return;
    struct cli scope = cli_scope(runner->cli);
    unlink(design_defined_file(&scope, runner->folder, ".cu"));
    unlink(design_defined_file(&scope, runner->folder, ".cl"));
    cli_scope_end(&scope);
}

void runner_end(struct sweep_runner *runner)
{
    forget_launch(runner);
    remove_defined(runner);
}

static void sample(struct request *request, uint64_t blocks)
{
    const uint32_t *grid = request->grid;
    double all = (double)grid[0] * grid[1] * grid[2];
    if (blocks && all > (double)blocks)
        request->effort = (struct effort){EFFORT_FRACTION, (double)blocks / all};
}

static int execute(struct sweep_runner *runner)
{
    struct analysis *a = &runner->analysis;
    CLI_TRY(design_request(a->cli, runner->design, runner->launch, runner->folder, &a->request));
    a->request.threads = runner->threads;
    sample(&a->request, runner->design->launches[runner->launch].sample_blocks);
    CLI_TRY(request_add_gpus(a->cli, &a->request, gpus_of(runner->design)->texts[runner->gpu]));
    CLI_TRY(analysis_load_machines(a));
    a->counted = runner->counted[runner->gpu];
    CLI_TRY(analysis_load_kernel(a, runner->command));
    /* Limits of the GPU as it is are no limits of a changed one: they are a matter of its points. */
    size_t machines = a->machine_count;
    a->machine_count = 0;
    int exit_code = analysis_execute(a);
    a->machine_count = machines;
    CLI_TRY(exit_code);
    if (a->request.check_count)
        CLI_TRY(results_deliver(a->cli, NULL, a->device, &a->request, a->args));
    if (!a->request.registers) return EXIT_DONE;
    ws_status status = ws_profile_set_registers(a->profile, a->request.registers);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

static const char *status_word(int exit_code)
{
    return exit_code == EXIT_DONE    ? "done"
           : exit_code == EXIT_GUEST ? "fault"
           : exit_code == EXIT_CHECK ? "wrong"
                                     : "refused";
}

static int begin_launch(struct sweep_runner *runner, size_t launch, size_t gpu)
{
    if (runner->has_launch && runner->launch == launch && runner->gpu == gpu) return EXIT_DONE;
    forget_launch(runner);
    runner->has_launch = true;
    runner->launch = launch;
    runner->gpu = gpu;
    runner->scope = cli_scope(runner->cli);
    runner->analysis = (struct analysis){.cli = &runner->scope};
    int exit_code = execute(runner);
    const struct analysis *a = &runner->analysis;
    remove_defined(runner);
    if (cli_is_interrupted()) return cli_stop_code();
    runner->result = (struct launch_result){
        .launch = launch,
        .kernel = a->module && a->kernel_count ? ws_module_kernel_display_name(a->module, a->kernel)
                                               : a->request.kernel,
        .status = status_word(exit_code),
        .message = exit_code == EXIT_DONE ? NULL : runner->scope.kept_error,
        .dynamic_shared_bytes = a->request.dynamic_shared_bytes,
        .sample_blocks = runner->design->launches[launch].sample_blocks,
    };
    memcpy(runner->result.grid, a->request.grid, sizeof runner->result.grid);
    memcpy(runner->result.block, a->request.block, sizeof runner->result.block);
    return EXIT_DONE;
}

/* ---- points ---------------------------------------------------------------------------------- */

static void read_answer(const ws_answer *answer, struct point_result *out)
{
    static const char root[] = "kernels/0/machines/0";
    char path[96];
#define AT(name) (snprintf(path, sizeof path, "%s/%s", root, name), path)
    out->status = "done";
    out->model = ws_answer_word(answer, AT("headline/model"));
    out->limit = ws_answer_limit(answer, 0, 0);
    out->time_s = ws_answer_time(answer, 0, 0);
    out->low_s = ws_answer_number(answer, AT("headline/lo"));
    out->high_s = ws_answer_number(answer, AT("headline/hi"));
    out->bound_s = ws_answer_bound(answer, 0, 0);
    out->occupancy = ws_answer_occupancy(answer, 0, 0);
    out->watts = ws_answer_number(answer, AT("power/mean/value"));
    out->joules = ws_answer_number(answer, AT("power/energy/value"));
#undef AT
}

static int ask_point(struct sweep_runner *runner, struct cli *cli, const char *const *texts,
                     ws_answer **out)
{
    ws_machine *machine;
    struct asking asking = {.name = "analyze"};
    CLI_TRY(load_machine(cli, runner->design, texts, &machine));
    asking_profile(cli, &asking, runner->analysis.profile);
    asking_machine(cli, &asking, machine);
    asking_predict(cli, &asking, &runner->analysis.request);
    asking_number(cli, &asking, "times_only", 1);
    if (runner->design->model) asking_word(cli, &asking, "model", runner->design->model);
    int exit_code = asking_ask(cli, &asking, out);
    ws_machine_destroy(machine);
    return exit_code;
}

static void do_point(struct sweep_runner *runner, uint64_t point, const char **texts,
                     struct sweep_message *out)
{
    struct cli scope = cli_scope(runner->cli);
    ws_answer *answer = NULL;
    struct point_result result = {
        .point = point, .status = runner->result.status, .message = runner->result.message};
    result.time_s = result.low_s = result.high_s = result.bound_s = NAN;
    result.occupancy = result.watts = result.joules = NAN;
    if (!strcmp(runner->result.status, "done")) {
        design_machine(runner->design, point % runner->design->machine_count, texts);
        int exit_code = ask_point(runner, &scope, texts, &answer);
        result.status = "refused";
        if (exit_code == EXIT_DONE) read_answer(answer, &result);
        result.message = exit_code == EXIT_DONE ? NULL : scope.kept_error;
    }
    message_put_point(out, &result);
    ws_answer_destroy(answer);
    cli_scope_end(&scope);
}

/* ---- points of one model, many at once ------------------------------------------------------- */

/* What a text means for this GPU: "*2" of its own figure. */
static int read_value(struct cli *cli, const char *gpu, const struct design_axis *axis,
                      const char *text, double *out)
{
    const char *texts[] = {gpu, text};
    const struct design one = {.fields = {(struct design_axis *)axis, 1}};
    ws_machine *machine;
    CLI_TRY(load_machine(cli, &one, texts, &machine));
    ws_status status = ws_machine_get(machine, axis->name, out);
    ws_machine_destroy(machine);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

static int find_values(struct sweep_runner *runner, size_t gpu)
{
    const struct design *design = runner->design;
    struct cli *cli = runner->cli;
    if (runner->values[gpu]) return EXIT_DONE;
    double **values = cli_alloc(cli, (design->fields.count + 1) * sizeof *values);
    for (size_t i = 0; i < design->fields.count; i++) {
        const struct design_axis *axis = &design->fields.items[i];
        values[i] = cli_alloc(cli, axis->count * sizeof *values[i]);
        for (size_t k = 0; k < axis->count; k++)
            CLI_TRY(
                read_value(cli, gpus_of(design)->texts[gpu], axis, axis->texts[k], &values[i][k]));
    }
    runner->values[gpu] = values;
    return EXIT_DONE;
}

/* Rows of the values of all fields, the last one fastest, for `count` points of one GPU from `first` on. */
static void lay_out(const struct design *design, double *const *values, uint64_t first,
                    size_t count, double *out)
{
    size_t fields = design->fields.count;
    for (size_t i = 0; i < count; i++) {
        uint64_t at = first + i;
        for (size_t k = fields; k-- > 0;) {
            out[i * fields + k] = values[k][at % design->fields.items[k].count];
            at /= design->fields.items[k].count;
        }
    }
}

enum { BULK_TIME, BULK_OCCUPANCY, BULK_FIGURES };

static int ask_bulk(struct sweep_runner *runner, struct cli *cli, const char *gpu, const double *in,
                    size_t count, double *out)
{
    static const char *const figures[BULK_FIGURES] = {"time_s", "occupancy"};
    const struct design *design = runner->design;
    struct asking asking = {.name = "analyze"};
    const char **names = cli_alloc(cli, (design->fields.count + 1) * sizeof *names);
    ws_machine *machine;
    for (size_t i = 0; i < design->fields.count; i++)
        names[i] = design->fields.items[i].name;
    CLI_TRY(cli_load_gpu(cli, gpu, &machine));
    asking_profile(cli, &asking, runner->analysis.profile);
    asking_machine(cli, &asking, machine);
    asking_predict(cli, &asking, &runner->analysis.request);
    asking_word(cli, &asking, "model", design->model);
    const ws_question question = {.size = sizeof question,
                                  .name = asking.name,
                                  .profiles = asking.profiles,
                                  .profile_count = asking.profile_count,
                                  .machines = asking.machines,
                                  .machine_count = asking.machine_count,
                                  .inputs = asking.inputs,
                                  .input_count = asking.input_count};
    ws_status status = ws_ask_points(cli->context, &question, names, design->fields.count, in,
                                     figures, BULK_FIGURES, out, count);
    ws_machine_destroy(machine);
    return status == WS_OK ? EXIT_DONE : cli_failed(cli, status);
}

static void put_bulk(const struct sweep_runner *runner, uint64_t first, size_t count,
                     const double *figures, struct sweep_message *out)
{
    for (size_t i = 0; i < count; i++) {
        const double *at = &figures[i * BULK_FIGURES];
        struct point_result result = {.point = first + i,
                                      .status = isnan(at[BULK_TIME]) ? "refused" : "done",
                                      .message =
                                          isnan(at[BULK_TIME]) ? "the model has no answer" : NULL,
                                      .model = runner->design->model,
                                      .time_s = at[BULK_TIME],
                                      .occupancy = at[BULK_OCCUPANCY]};
        result.low_s = result.high_s = result.bound_s = result.watts = result.joules = NAN;
        message_put_point(out, &result);
    }
}

/* Not EXIT_DONE: a point cannot be asked about; nothing was put out. */
static int do_bulk(struct sweep_runner *runner, uint64_t first, size_t count,
                   struct sweep_message *out)
{
    const struct design *design = runner->design;
    struct cli scope = cli_scope(runner->cli);
    double *in = cli_alloc(&scope, count * (design->fields.count + 1) * sizeof *in);
    double *figures = cli_alloc(&scope, count * BULK_FIGURES * sizeof *figures);
    int exit_code = find_values(runner, runner->gpu);
    if (exit_code == EXIT_DONE) {
        lay_out(design, runner->values[runner->gpu], first % points_of_gpu(design), count, in);
        exit_code =
            ask_bulk(runner, &scope, gpus_of(design)->texts[runner->gpu], in, count, figures);
    }
    if (exit_code == EXIT_DONE) put_bulk(runner, first, count, figures, out);
    cli_scope_end(&scope);
    return exit_code;
}

static int do_each(struct sweep_runner *runner, uint64_t first, uint64_t count,
                   struct sweep_message *out)
{
    const char **texts = calloc(1 + runner->design->fields.count, sizeof *texts);
    if (!texts) return cli_out_of_memory(runner->cli, 0);
    for (uint64_t i = 0; i < count && !cli_is_interrupted(); i++)
        do_point(runner, first + i, texts, out);
    free(texts);
    return cli_is_interrupted() ? cli_stop_code() : EXIT_DONE;
}

int runner_do(struct sweep_runner *runner, uint64_t job, struct sweep_message *out)
{
    const struct design *design = runner->design;
    uint64_t count, first = job_first_point(design, job, &count);
    uint64_t machine = first % design->machine_count;
    CLI_TRY(begin_launch(runner, (size_t)(first / design->machine_count),
                         (size_t)(machine / points_of_gpu(design))));
    message_put_job(out, job);
    if (machine == 0) message_put_launch(out, &runner->result);
    /* The time alone of one model is asked for all points at once. */
    bool is_bulk = design->model && !strcmp(runner->result.status, "done");
    if (!is_bulk || do_bulk(runner, first, (size_t)count, out) != EXIT_DONE)
        CLI_TRY(do_each(runner, first, count, out));
    return out->is_lost ? cli_out_of_memory(runner->cli, 0) : EXIT_DONE;
}
