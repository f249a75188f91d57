// SPDX-License-Identifier: Apache-2.0
/* validate: predictions beside launches that were measured on hardware. */
#include <math.h>
#include <string.h>

#include "cli/options/analysis.h"
#include "cli/options/asking.h"
#include "cli/validate/validate.h"

enum {
    OPTION_WRITE_PTX = OPTION_OWN,
    OPTION_WRITE_EVIDENCE,
    OPTION_ABLATION,
    OPTION_GPU_HERE,
    OPTION_DEVICE
};

/* The model of the ablation table. */
static const char *const ablated_model = "teg";

static const struct option_row options[] = {
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "report format"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write to FILE instead of standard output"},
    {OPTION_DETAILS, 0, "details", "normal|all", "all: every launch faster than its bound"},
    {OPTION_THREADS, 't', "threads", "N", "host threads (default: all cores)"},
    {OPTION_EFFORT, 0, "effort", "full|auto|N%|Ns",
     "blocks to execute: all, as many as fit in 20 s, N percent, or as many as fit in N s"},
    {OPTION_SEED, 0, "seed", "N",
     "draw other blocks to count (--effort) and to trace (default: 0)"},
    {OPTION_ISA, 0, "isa", "ptx|native|auto",
     "execute PTX (default), or the native code that ptxas makes of it for the set's GPU"},
    {OPTION_WITHOUT, 0, "without", "{effect}EFFECT[,...]",
     "predict without an effect (see `warpsage explain`)"},
    {OPTION_MODEL_OPTION, 0, "model-option", "KEY=VALUE", "select an interpretation of a model"},
    {OPTION_ABLATION, 0, "ablation", NULL,
     "also predict with each mechanism of the model teg left out"},
    {OPTION_WRITE_EVIDENCE, 0, "write-evidence", "FILE",
     "write the ratios of all kernels to FILE, as in data/evidence.yaml, instead of a report"},
    {OPTION_GPU_HERE, 0, "gpu-here", "{folder}DIR",
     "run the launch files of DIR on the GPU of this computer, whose machine file --gpu names"},
    {OPTION_GPU, 0, "gpu", "{gpu}ID",
     "machine file for --gpu-here, as `warpsage calibrate` writes it"},
    {OPTION_DEVICE, 0, "device", "N", "number of the GPU for --gpu-here (default 0)"},
    {OPTION_WRITE_PTX, 0, "write-ptx", "{folder}FOLDER",
     "write the generated kernels to FOLDER and predict nothing"},
    {0},
};

/* What a launch gave on a machine, kept for equal launches. */
struct outcome {
    const struct validate_row *row;
    struct asking inputs; /* of its predictions; of counters only names and values here */
};

struct validation {
    struct cli *cli;
    const struct command *command;
    struct request request;    /* what the command line says */
    struct asking asking;      /* of `validate` */
    const char *ptx_folder;    /* of --write-ptx; NULL: predict */
    const char *here;          /* folder of --gpu-here; NULL: sets */
    const char *here_machine;  /* its machine file */
    unsigned device;           /* and the number of the GPU */
    const char *evidence_file; /* of --write-evidence; NULL: report */
    const char *user_options;  /* of --model-option; NULL: none */
    const char *user_l2;       /* of --l2; NULL: not given */
    bool has_effort;           /* --effort was given */
    bool has_ablation;
    struct validate_set *sets; /* all that were predicted */
    size_t set_count;
    struct validate_set set; /* at work */
    double clock;            /* Hz, of the set's machine */
    const char *target;      /* "sm_80" */
    struct outcome *outcomes;
    size_t outcome_count;
};

/* ---- one launch ------------------------------------------------------------------------------ */

/* What the set measures: a launch, or of launches back to back what lies between two. The host submits the next one
 * while one runs. */
static void add_time(const struct validation *v, struct asking *out, double seconds)
{
    asking_number(v->cli, out, "predicted",
                  fmax(seconds + v->set.gap_seconds, v->set.interval_seconds));
}

static void add_predictions(const struct validation *v, const ws_answer *answer, struct asking *out)
{
    ws_node machine = ws_node_find(ws_answer_root(answer), "kernels/0/machines/0");
    ws_node estimates = ws_node_find(machine, "estimates");
    asking_word(v->cli, out, "model", "headline");
    add_time(v, out, ws_answer_time(answer, 0, 0));
    for (size_t i = 0; i < ws_node_count(estimates); i++) {
        ws_node estimate = ws_node_child(estimates, i);
        ws_value time = {.size = sizeof time};
        if (!ws_node_value(ws_node_find(estimate, "time_s"), &time) || !time.is_known) continue;
        asking_word(v->cli, out, "model", ws_node_id(estimate));
        add_time(v, out, time.number);
    }
}

/* The board's mean over a loop in which the SMs are active for a share of the time. */
static void add_watts(const struct validation *v, const ws_answer *answer,
                      const struct validate_row *row, const char *suffix, struct asking *out)
{
    ws_node power = ws_node_find(ws_answer_root(answer), "kernels/0/machines/0/power");
    ws_value mean = {.size = sizeof mean}, idle = mean, model = mean;
    if (!ws_node_value(ws_node_find(power, "mean"), &mean) || !mean.is_known) return;
    if (!ws_node_value(ws_node_find(power, "parts/idle"), &idle) ||
        !ws_node_value(ws_node_find(power, "model"), &model))
        return;
    asking_word(v->cli, out, "model", cli_format(v->cli, "%s%s", model.text, suffix));
    asking_number(v->cli, out, "predicted",
                  row->active * mean.number + (1 - row->active) * idle.number);
}

static void begin_question(const struct validation *v, const struct analysis *analysis,
                           size_t machine, struct asking *asking)
{
    *asking = (struct asking){.name = "analyze"};
    asking_profile(v->cli, asking, analysis->profile);
    asking_machine(v->cli, asking, analysis->machines[machine]);
    if (!v->here) asking_number(v->cli, asking, "times_only", 1); /* else watts, too */
}

/* The time of the ablated model by a request without the mechanism that is named. */
static int predict_ablated(const struct validation *v, const struct analysis *analysis,
                           const struct request *request, const char *name, struct asking *out)
{
    struct asking asking;
    ws_answer *answer;
    begin_question(v, analysis, 0, &asking);
    asking_predict(v->cli, &asking, request);
    asking_word(v->cli, &asking, "model", ablated_model);
    CLI_TRY(asking_ask(v->cli, &asking, &answer));
    asking_word(v->cli, out, "model", ablated_model);
    add_time(v, out, ws_answer_time(answer, 0, 0));
    asking_word(v->cli, out, "without", name);
    ws_answer_destroy(answer);
    return EXIT_DONE;
}

static const char *with_one_more(const struct validation *v, const char *list, const char *one)
{
    return list ? cli_format(v->cli, "%s,%s", list, one) : one;
}

static int ablate(const struct validation *v, const struct analysis *analysis, struct asking *out)
{
    struct request request = v->request;
    const char *one;
    for (size_t i = 0; (one = ws_effect_name(i)) != NULL; i++) {
        request.without = with_one_more(v, v->request.without, one);
        CLI_TRY(predict_ablated(v, analysis, &request, one, out));
    }
    request = v->request;
    for (size_t i = 0; (one = ws_model_ablation(ablated_model, i)) != NULL; i++) {
        request.model_options = with_one_more(v, v->request.model_options, one);
        CLI_TRY(predict_ablated(v, analysis, &request, one, out));
    }
    request = v->request;
    request.spills = "none";
    return predict_ablated(v, analysis, &request, "spills=none", out);
}

/* NAN: unknown. */
static double count_of(const struct validation *v, const struct validate_column *column,
                       const ws_answer *answer)
{
    ws_value value = {.size = sizeof value};
    if (!column->is_profiler && !column->path) return ws_answer_counter(answer, 0, column->name);
    const char *path =
        cli_format(v->cli, "kernels/0/machines/0/%s%s", column->path ? column->path : "profiler/",
                   column->path ? "" : column->name);
    bool is_there = ws_node_value(ws_node_find(ws_answer_root(answer), path), &value);
    return is_there && value.is_known ? value.number : NAN;
}

/* Those that are known, with what was measured still to come. */
static void add_counters(const struct validation *v, const ws_answer *answer, struct asking *out)
{
    for (size_t i = 0; i < v->set.counter_count; i++) {
        const struct validate_column *column = &v->set.counters[i];
        const char *end = strrchr(column->name, '_');
        double value = count_of(v, column, answer);
        if (!isfinite(value)) continue;
        asking_word(v->cli, out, "counter", column->name);
        asking_number(v->cli, out, "counted", value);
        if (end && !strcmp(end, "_percent")) asking_number(v->cli, out, "percentage", 1);
    }
}

/* The watts at the predicted time, and at the measured one where that is of a single launch. */
static int predict_watts(const struct validation *v, const struct analysis *analysis,
                         size_t machine, const struct validate_row *row, struct asking *out)
{
    struct request request = v->request;
    for (int is_measured = 0; is_measured < (row->launch_seconds > 0 ? 2 : 1); is_measured++) {
        struct asking asking;
        ws_answer *answer;
        if (is_measured)
            request.model_options =
                with_one_more(v, v->request.model_options,
                              cli_format(v->cli, "power_time_s=%.9g", row->launch_seconds));
        begin_question(v, analysis, machine, &asking);
        asking_predict(v->cli, &asking, &request);
        CLI_TRY(asking_ask(v->cli, &asking, &answer));
        add_watts(v, answer, row, is_measured ? VALIDATE_MEASURED_TIME : "", out);
        ws_answer_destroy(answer);
    }
    return EXIT_DONE;
}

static int predict(const struct validation *v, struct analysis *analysis, struct asking *out)
{
    struct asking asking;
    ws_answer *answer;
    begin_question(v, analysis, 0, &asking);
    asking_predict(v->cli, &asking, &v->request);
    asking_number(v->cli, &asking, "profiler", 1);
    CLI_TRY(asking_ask(v->cli, &asking, &answer));
    add_predictions(v, answer, out);
    int exit_code = v->has_ablation ? ablate(v, analysis, out) : EXIT_DONE;
    add_counters(v, answer, out);
    ws_answer_destroy(answer);
    return exit_code;
}

static int execute(const struct validation *v, const struct validate_row *row,
                   struct analysis *analysis)
{
    struct generated generated;
    const struct validate_launches launches = {v->cli, &v->set, &v->request, v->target,
                                               v->has_effort};
    int exit_code = validate_prepare(&launches, row, &generated, &analysis->request);
    if (exit_code == EXIT_DONE) exit_code = analysis_load_machines(analysis);
    if (exit_code == EXIT_DONE) exit_code = analysis_load_kernel(analysis, v->command);
    if (generated.ptx.out) cli_text_drop(&generated.ptx);
    CLI_TRY(exit_code);
    CLI_TRY(analysis_execute(analysis));
    const struct request *request = &analysis->request;
    if (request->registers) {
        ws_status status = ws_profile_set_registers(analysis->profile, request->registers);
        if (status == WS_OK)
            status = ws_profile_set_spills(analysis->profile, request->spill_store_bytes,
                                           request->spill_load_bytes);
        if (status != WS_OK) return cli_failed(v->cli, status);
    }
    return EXIT_DONE;
}

/* What went wrong is the row, not an option. */
static int row_failed(const struct validation *v, const struct validate_row *row, int exit_code)
{
    return cli_error(v->cli, exit_code == EXIT_USAGE ? EXIT_INPUT : exit_code, "%s:%zu: %s",
                     v->set.table, row->line, v->cli->kept_error);
}

/* What a launch that has been executed gives for each of its machines, in the order of add_machines. */
static int predict_all(struct validation *v, struct analysis *analysis,
                       const struct validate_row *row)
{
    size_t machine = 0;
    for (size_t i = 0; i < v->set.row_count; i++) {
        struct outcome outcome = {.row = row->machine ? &v->set.rows[i] : row};
        if (row->machine && !validate_same_launch(outcome.row, row)) continue;
        CLI_TRY(v->set.in_watts
                    ? predict_watts(v, analysis, machine++, outcome.row, &outcome.inputs)
                    : predict(v, analysis, &outcome.inputs));
        CLI_APPEND(v->cli, v->outcomes, v->outcome_count, outcome);
        if (!row->machine) break;
    }
    return EXIT_DONE;
}

/* NULL: it has not been executed yet. */
static const struct asking *known_outcome(const struct validation *v,
                                          const struct validate_row *row)
{
    for (size_t i = 0; i < v->outcome_count; i++) {
        const struct outcome *one = &v->outcomes[i];
        if (one->row == row || (!row->machine && validate_same_launch(one->row, row)))
            return &one->inputs;
    }
    return NULL;
}

/* Of an equal launch before, or by executing it. */
static int find_outcome(struct validation *v, const struct validate_row *row,
                        const struct asking **out)
{
    struct analysis analysis = {.cli = v->cli};
    *out = known_outcome(v, row);
    if (*out) return EXIT_DONE;
    v->cli->keeps_errors = true;
    int exit_code = execute(v, row, &analysis);
    if (exit_code == EXIT_DONE) exit_code = predict_all(v, &analysis, row);
    v->cli->keeps_errors = false;
    analysis_clear(&analysis);
    if (exit_code != EXIT_DONE) return row_failed(v, row, exit_code);
    *out = known_outcome(v, row);
    return EXIT_DONE;
}

/* ---- a set ----------------------------------------------------------------------------------- */

static double seconds(const struct validation *v, double measured)
{
    return v->set.in_cycles ? measured / v->clock : measured;
}

static void add_measured(struct validation *v, const struct validate_row *row)
{
    struct cli *cli = v->cli;
    asking_word(cli, &v->asking, "row", row->instance);
    asking_word(cli, &v->asking, "application", row->application);
    asking_word(cli, &v->asking, "kernel", row->kernel);
    asking_word(cli, &v->asking, "role", row->role);
    asking_number(cli, &v->asking, "measured", seconds(v, row->measured));
}

static void add_simulators(struct validation *v, const struct validate_row *row)
{
    for (size_t i = 0; i < v->set.simulator_count; i++) {
        double value = row->values[v->set.simulators[i].index];
        if (isnan(value)) continue;
        asking_word(v->cli, &v->asking, "model", v->set.simulators[i].name);
        asking_number(v->cli, &v->asking, "predicted", seconds(v, value));
        asking_number(v->cli, &v->asking, "foreign", 1);
    }
}

static double measured_count(const struct validation *v, const struct validate_row *row,
                             const char *counter)
{
    size_t i = 0;
    while (strcmp(v->set.counters[i].name, counter) != 0)
        i++;
    return row->values[v->set.counters[i].index];
}

/* Predictions as they are, counters with what was measured. */
static void add_outcome(struct validation *v, const struct validate_row *row,
                        const struct asking *outcome)
{
    for (size_t i = 0; i < outcome->input_count; i++) {
        const ws_input *input = &outcome->inputs[i];
        CLI_APPEND(v->cli, v->asking.inputs, v->asking.input_count, *input);
        if (strcmp(input->name, "counter") != 0) continue;
        double measured = measured_count(v, row, input->word);
        if (!isnan(measured)) asking_number(v->cli, &v->asking, "measured_count", measured);
    }
}

static int find_machine(struct validation *v)
{
    ws_machine *machine;
    CLI_TRY(cli_load_gpu(v->cli, v->set.machine, &machine));
    ws_status status = ws_machine_get(machine, "clock.core", &v->clock);
    v->target = cli_format(v->cli, "sm_%u", ws_machine_target(machine));
    asking_word(v->cli, &v->asking, "machine", cli_copy(v->cli, ws_machine_name(machine)));
    ws_machine_destroy(machine);
    return status == WS_OK ? EXIT_DONE : cli_failed(v->cli, status);
}

/* What the command line says comes after, and wins. */
static void choose_options(struct validation *v)
{
    const char *set = v->set.model_options, *user = v->user_options;
    v->request.model_options = set && user ? cli_format(v->cli, "%s,%s", set, user)
                               : set       ? set
                                           : user;
    v->request.l2 = v->user_l2 ? v->user_l2 : v->set.l2;
}

static int validate_one(struct validation *v)
{
    v->outcome_count = 0;
    choose_options(v);
    asking_word(v->cli, &v->asking, "set", v->set.id);
    asking_word(v->cli, &v->asking, "title", v->set.title);
    asking_word(v->cli, &v->asking, "source", v->set.source);
    asking_number(v->cli, &v->asking, "gap", v->set.gap_seconds);
    asking_number(v->cli, &v->asking, "interval", v->set.interval_seconds);
    if (v->set.is_ranking) asking_number(v->cli, &v->asking, "is_ranking", 1);
    if (v->set.in_watts) asking_number(v->cli, &v->asking, "in_watts", 1);
    CLI_TRY(find_machine(v));
    for (size_t i = 0; i < v->set.row_count; i++) {
        const struct asking *outcome;
        const struct validate_row *row = &v->set.rows[i];
        if (cli_is_interrupted()) return cli_stop_code();
        cli_begin_step(v->cli, v->set.id, i, v->set.row_count);
        CLI_TRY(find_outcome(v, row, &outcome));
        add_measured(v, row);
        add_outcome(v, row, outcome);
        add_simulators(v, row);
    }
    cli_end_steps(v->cli);
    return EXIT_DONE;
}

/* Each kernel of the set as FOLDER/INSTANCE.ptx. */
static int write_kernels(struct validation *v)
{
    if (!v->set.generator)
        return cli_error(v->cli, EXIT_USAGE, "--write-ptx: the kernels of '%s' are files",
                         v->set.id);
    CLI_TRY(find_machine(v));
    for (size_t i = 0; i < v->set.row_count; i++) {
        const struct validate_row *row = &v->set.rows[i];
        struct generated generated;
        v->cli->keeps_errors = true;
        int exit_code = validate_generate(v->cli, &v->set, row, v->target, &generated);
        v->cli->keeps_errors = false;
        if (exit_code != EXIT_DONE) return row_failed(v, row, exit_code);
        CLI_TRY(cli_text_close(v->cli, &generated.ptx,
                               cli_format(v->cli, "%s/%s.ptx", v->ptx_folder, row->instance)));
    }
    return EXIT_DONE;
}

static int report(struct validation *v)
{
    ws_answer *answer;
    CLI_TRY(asking_ask(v->cli, &v->asking, &answer));
    int exit_code = v->evidence_file
                        ? evidence_write(v->cli, v->sets, v->set_count, answer, v->evidence_file)
                        : asking_write(v->cli, answer, v->request.format, v->request.details,
                                       v->request.output);
    ws_answer_destroy(answer);
    return exit_code;
}

static int validate_here(struct validation *v)
{
    CLI_TRY(gpu_here_measure(v->cli, v->command, v->here, v->here_machine, v->device, &v->set));
    CLI_TRY(validate_one(v));
    return report(v);
}

static int validate(struct validation *v, const char *const *names, size_t count, bool is_asked)
{
    for (size_t i = 0; i < count; i++) {
        CLI_TRY(validate_read(v->cli, names[i], &v->set));
        if (v->set.is_ranking && !is_asked) continue;
        CLI_TRY(v->ptx_folder ? write_kernels(v) : validate_one(v));
        CLI_APPEND(v->cli, v->sets, v->set_count, v->set);
    }
    return v->ptx_folder ? EXIT_DONE : report(v);
}

/* The GPU is named once, and with --gpu-here only. */
static int check_here(struct validation *v, const struct command_line *line)
{
    size_t gpus = v->request.gpu_count;
    if (!v->here && gpus)
        return cli_error(v->cli, EXIT_USAGE,
                         "--gpu goes with --gpu-here: sets name the machine that was measured");
    if (!v->here) return EXIT_DONE;
    if (gpus != 1)
        return cli_error(v->cli, EXIT_USAGE,
                         "--gpu-here needs the machine file of this computer's GPU: add --gpu ID "
                         "or --gpu FILE.yaml, as `warpsage calibrate -o FILE.yaml` writes it");
    if (line->operand_count || v->ptx_folder || v->evidence_file)
        return cli_error(v->cli, EXIT_USAGE,
                         "--gpu-here takes no set, and neither --write-ptx nor --write-evidence");
    v->here_machine = v->request.gpus[0];
    v->request.gpu_count = 0;
    return EXIT_DONE;
}

static int read_options(struct validation *v, const struct command_line *line)
{
    for (size_t i = 0; i < line->use_count; i++) {
        const struct option_use *use = &line->uses[i];
        if (use->id == OPTION_WRITE_PTX) v->ptx_folder = use->value;
        if (use->id == OPTION_WRITE_EVIDENCE) v->evidence_file = use->value;
        if (use->id == OPTION_GPU_HERE) v->here = use->value;
        if (use->id == OPTION_DEVICE)
            CLI_TRY(parse_small(v->cli, "--device", use->value, &v->device));
        v->has_effort |= use->id == OPTION_EFFORT;
        v->has_ablation |= use->id == OPTION_ABLATION;
    }
    CLI_TRY(check_here(v, line));
    if (v->evidence_file && (v->has_effort || v->request.without || v->request.model_options ||
                             v->request.l2 || v->request.spills || v->request.isa))
        return cli_error(v->cli, EXIT_USAGE,
                         "--write-evidence states the error of the models as they are: it cannot "
                         "be combined with --effort, --without, --model-option, --l2, --isa or "
                         "--spills");
    return EXIT_DONE;
}

static int run_validate(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct validation v = {.cli = cli, .command = command, .asking.name = "validate"};
    struct command_line line;
    const char **names;
    size_t count;
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    struct command_line uses = line;
    uses.operand_count = 0; /* operands are sets, not kernels */
    CLI_TRY(analysis_read(cli, command, &uses, &v.request));
    v.user_options = v.request.model_options;
    v.user_l2 = v.request.l2;
    CLI_TRY(read_options(&v, &line));
    cli_attach(cli);
    /* Registers are those of the table or by liveness, and PTX is executed: the same with and without ptxas. */
    if (!v.request.isa) v.request.isa = "ptx";
    bool needs_ptxas = strcmp(v.request.isa, "ptx") != 0;
    ws_status status = needs_ptxas ? WS_OK : ws_context_set_tool_path(cli->context, "");
    if (status != WS_OK) return cli_failed(cli, status);
    if (v.here) return validate_here(&v);
    if (line.operand_count) return validate(&v, line.operands, line.operand_count, true);
    CLI_TRY(validate_list(cli, &names, &count));
    return validate(&v, names, count, false);
}

const struct command command_validate = {
    .name = "validate",
    .synopsis = "  warpsage validate [SET...] [--format text|json|csv] [--without EFFECT]\n"
                "  warpsage validate --gpu-here DIR --gpu FILE.yaml",
    .summary = "compare predictions with launches measured on hardware",
    .text =
        "SET is one of accuracy/ or a .yaml file; without one all but those that rank\n"
        "configurations of one kernel. Each kernel is executed and predicted for the machine of\n"
        "the set. Errors are |predicted / measured - 1|, the mean over the launches of a kernel.\n"
        "Launches of the role `build` may serve choices in the models, those of `report` serve\n"
        "none. The form of sets: doc/accuracy.md.\n",
    .operands = "<SET",
    .options = options,
    .run = run_validate,
};
