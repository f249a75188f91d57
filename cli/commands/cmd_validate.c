// SPDX-License-Identifier: Apache-2.0
/* validate: predictions beside launches that were measured on hardware. */
#include <math.h>
#include <string.h>

#include "cli/options/analysis.h"
#include "cli/options/asking.h"
#include "cli/validate/validate.h"

static const struct option_row options[] = {
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "report format"},
    {OPTION_OUTPUT, 'o', "output", ">FILE", "write to FILE instead of standard output"},
    {OPTION_DETAILS, 0, "details", "normal|all", "all: every launch faster than its bound"},
    {OPTION_THREADS, 't', "threads", "N", "host threads (default: all cores)"},
    {OPTION_EFFORT, 0, "effort", "full|auto|N%|Ns",
     "blocks to execute: all, as many as fit in 20 s, N percent, or as many as fit in N s"},
    {OPTION_WITHOUT, 0, "without", "EFFECT[,...]",
     "predict without an effect (see `warpsage explain`)"},
    {OPTION_MODEL_OPTION, 0, "model-option", "KEY=VALUE", "select an interpretation of a model"},
    {0},
};

/* What a launch gave, kept for equal launches. */
struct outcome {
    const struct validate_row *row;
    struct asking inputs; /* of its predictions; of counters only names and values here */
};

struct validation {
    struct cli *cli;
    const struct command *command;
    struct request request; /* what the command line says */
    struct asking asking;   /* of `validate` */
    struct validate_set set;
    double clock; /* Hz, of the set's machine */
    struct outcome *outcomes;
    size_t outcome_count;
};

/* ---- one launch ------------------------------------------------------------------------------ */

static int prepare(const struct validation *v, const struct validate_row *row,
                   struct analysis *analysis)
{
    struct request *request = &analysis->request;
    *request = v->request;
    request->kernel_file = row->file;
    request->kernel = row->entry;
    request->has_grid = request->has_block = true;
    memcpy(request->grid, row->grid, sizeof request->grid);
    memcpy(request->block, row->block, sizeof request->block);
    request->dynamic_shared_bytes = row->shared_bytes;
    request->registers = row->registers;
    CLI_TRY(request_add_gpus(v->cli, request, v->set.machine));
    const char *place = cli_format(v->cli, "%s:%zu", v->set.table, row->line);
    char *rest = cli_copy(v->cli, row->args);
    for (char *word; (word = strsep(&rest, " ")) != NULL;) {
        struct arg_text text = {word, v->set.folder, place};
        if (*word) CLI_APPEND(v->cli, request->args, request->arg_count, text);
    }
    return EXIT_DONE;
}

static void add_predictions(const struct validation *v, const ws_answer *answer, struct asking *out)
{
    ws_node machine = ws_node_find(ws_answer_root(answer), "kernels/0/machines/0");
    ws_node estimates = ws_node_find(machine, "estimates");
    asking_word(v->cli, out, "model", "headline");
    asking_number(v->cli, out, "predicted", ws_answer_time(answer, 0, 0));
    for (size_t i = 0; i < ws_node_count(estimates); i++) {
        ws_node estimate = ws_node_child(estimates, i);
        ws_value time = {.size = sizeof time};
        if (!ws_node_value(ws_node_find(estimate, "time_s"), &time) || !time.is_known) continue;
        asking_word(v->cli, out, "model", ws_node_id(estimate));
        asking_number(v->cli, out, "predicted", time.number);
    }
}

static int predict(const struct validation *v, struct analysis *analysis, struct asking *out)
{
    struct asking asking = {.name = "analyze"};
    ws_answer *answer;
    asking_profile(v->cli, &asking, analysis->profile);
    asking_machine(v->cli, &asking, analysis->machines[0]);
    asking_predict(v->cli, &asking, &v->request);
    asking_number(v->cli, &asking, "times_only", 1);
    CLI_TRY(asking_ask(v->cli, &asking, &answer));
    add_predictions(v, answer, out);
    for (size_t i = 0; i < v->set.counter_count; i++) {
        double value = ws_answer_counter(answer, 0, v->set.counters[i].name);
        asking_word(v->cli, out, "counter", v->set.counters[i].name);
        asking_number(v->cli, out, "counted", isfinite(value) ? value : 0);
    }
    ws_answer_destroy(answer);
    return EXIT_DONE;
}

static int execute(const struct validation *v, struct analysis *analysis, struct asking *out)
{
    CLI_TRY(analysis_load_machines(analysis));
    CLI_TRY(analysis_load_kernel(analysis, v->command));
    CLI_TRY(analysis_execute(analysis));
    if (analysis->request.registers) {
        ws_status status = ws_profile_set_registers(analysis->profile, analysis->request.registers);
        if (status != WS_OK) return cli_failed(v->cli, status);
    }
    return predict(v, analysis, out);
}

static bool is_same_launch(const struct validate_row *a, const struct validate_row *b)
{
    return !strcmp(a->file, b->file) && !strcmp(a->entry, b->entry) && !strcmp(a->args, b->args) &&
           !memcmp(a->grid, b->grid, sizeof a->grid) &&
           !memcmp(a->block, b->block, sizeof a->block) && a->shared_bytes == b->shared_bytes &&
           a->registers == b->registers;
}

/* Of an equal launch before, or by executing it. */
static int find_outcome(struct validation *v, const struct validate_row *row,
                        const struct asking **out)
{
    struct outcome outcome = {.row = row};
    struct analysis analysis = {.cli = v->cli};
    for (size_t i = 0; i < v->outcome_count; i++)
        if (is_same_launch(v->outcomes[i].row, row)) {
            *out = &v->outcomes[i].inputs;
            return EXIT_DONE;
        }
    v->cli->keeps_errors = true;
    int exit_code = prepare(v, row, &analysis);
    if (exit_code == EXIT_DONE) exit_code = execute(v, &analysis, &outcome.inputs);
    v->cli->keeps_errors = false;
    analysis_clear(&analysis);
    /* What is wrong is the row, not an option. */
    if (exit_code != EXIT_DONE)
        return cli_error(v->cli, exit_code == EXIT_USAGE ? EXIT_INPUT : exit_code, "%s:%zu: %s",
                         v->set.table, row->line, v->cli->kept_error);
    CLI_APPEND(v->cli, v->outcomes, v->outcome_count, outcome);
    *out = &v->outcomes[v->outcome_count - 1].inputs;
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

/* Predictions as they are, counters with what was measured. */
static void add_outcome(struct validation *v, const struct validate_row *row,
                        const struct asking *outcome)
{
    size_t counter = 0;
    for (size_t i = 0; i < outcome->input_count; i++) {
        const ws_input *input = &outcome->inputs[i];
        CLI_APPEND(v->cli, v->asking.inputs, v->asking.input_count, *input);
        if (strcmp(input->name, "counted") != 0) continue;
        double measured = row->values[v->set.counters[counter++].index];
        asking_number(v->cli, &v->asking, "measured_count", isnan(measured) ? 0 : measured);
    }
}

static int find_clock(struct validation *v)
{
    ws_machine *machine;
    CLI_TRY(cli_load_gpu(v->cli, v->set.machine, &machine));
    ws_status status = ws_machine_get(machine, "clock.core", &v->clock);
    asking_word(v->cli, &v->asking, "machine", cli_copy(v->cli, ws_machine_name(machine)));
    ws_machine_destroy(machine);
    return status == WS_OK ? EXIT_DONE : cli_failed(v->cli, status);
}

static int validate_one(struct validation *v, const char *name)
{
    CLI_TRY(validate_read(v->cli, name, &v->set));
    v->outcome_count = 0;
    asking_word(v->cli, &v->asking, "set", v->set.id);
    asking_word(v->cli, &v->asking, "title", v->set.title);
    asking_word(v->cli, &v->asking, "source", v->set.source);
    CLI_TRY(find_clock(v));
    for (size_t i = 0; i < v->set.row_count; i++) {
        const struct asking *outcome;
        const struct validate_row *row = &v->set.rows[i];
        if (cli_is_interrupted()) return cli_stop_code();
        CLI_TRY(find_outcome(v, row, &outcome));
        add_measured(v, row);
        add_outcome(v, row, outcome);
        add_simulators(v, row);
    }
    return EXIT_DONE;
}

static int validate(struct validation *v, const char *const *names, size_t count)
{
    ws_answer *answer;
    for (size_t i = 0; i < count; i++)
        CLI_TRY(validate_one(v, names[i]));
    CLI_TRY(asking_ask(v->cli, &v->asking, &answer));
    int exit_code =
        asking_write(v->cli, answer, v->request.format, v->request.details, v->request.output);
    ws_answer_destroy(answer);
    return exit_code;
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
    cli_attach(cli);
    /* Registers are those of the table or by liveness: the same with and without ptxas. */
    ws_status status = ws_context_set_tool_path(cli->context, "");
    if (status != WS_OK) return cli_failed(cli, status);
    if (line.operand_count) return validate(&v, line.operands, line.operand_count);
    CLI_TRY(validate_list(cli, &names, &count));
    return validate(&v, names, count);
}

const struct command command_validate = {
    .name = "validate",
    .synopsis = "  warpsage validate [SET...] [--format text|json|csv] [--without EFFECT]",
    .summary = "compare predictions with launches measured on hardware",
    .text = "SET is one of accuracy/ or a .yaml file; without one all of them. Each kernel is "
            "executed\n"
            "and predicted for the machine of the set. Errors are |predicted / measured - 1|, the "
            "mean\n"
            "over the launches of a kernel. Launches of the role `build` may serve choices in the\n"
            "models, those of `report` serve none. The form of sets: doc/accuracy.md.\n",
    .options = options,
    .run = run_validate,
};
