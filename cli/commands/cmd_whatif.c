// SPDX-License-Identifier: Apache-2.0
/* whatif: what each change of a launch or a GPU would gain. Changes of figures are predictions
 * anew; what changes the counts (another block, other banks or segments) executes the kernel again. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands/whatif.h"

enum { OPTION_SET = OPTION_OWN, OPTION_EACH };

static const struct option_row options[] = {
    {OPTION_WITHOUT, 0, "without", "EFFECT[,...]", "as if an effect did not exist"},
    {OPTION_SET, 0, "set", "KEY=VALUE", "with another figure: =V, =*V, =+V, =-V, =+P%, =-P%"},
    {OPTION_EACH, 0, "each", NULL, "also without each effect that a model knows, one by one"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv", "form of the table"},
    ANALYSIS_OPTION_ROWS,
    {0},
};

struct whatif {
    struct analysis base; /* the launch as it is */
    const struct command *command;
    struct change *changes;
    size_t change_count;
    bool each;
    struct whatif_table table;
};

/* ---- changes --------------------------------------------------------------------------------- */

static int add_effects(struct cli *cli, struct whatif *w, const char *list)
{
    char *rest = cli_copy(cli, list);
    for (char *effect; (effect = strsep(&rest, ",")) != NULL;) {
        const char *names[64];
        size_t count = 0;
        bool known = false;
        while (count < 64 && ws_effect_name(count)) {
            known |= !strcmp(ws_effect_name(count), effect);
            names[count] = ws_effect_name(count);
            count++;
        }
        if (!known)
            return cli_error(cli, EXIT_USAGE,
                             "--without: no effect is called '%s'%s; `warpsage explain` lists them",
                             effect, cli_perhaps(cli, effect, names, count));
        struct change change = {CHANGE_EFFECT, cli_format(cli, "without %s", effect), effect, NULL};
        CLI_APPEND(cli, w->changes, w->change_count, change);
    }
    return EXIT_DONE;
}

static int read_changes(struct cli *cli, struct whatif *w, const struct command_line *line)
{
    for (size_t i = 0; i < line->use_count; i++) {
        struct change change;
        switch (line->uses[i].id) {
        case OPTION_WITHOUT:
            CLI_TRY(add_effects(cli, w, line->uses[i].value));
            break;
        case OPTION_SET:
            CLI_TRY(whatif_parse_set(cli, line->uses[i].value, &change));
            CLI_APPEND(cli, w->changes, w->change_count, change);
            break;
        case OPTION_EACH:
            w->each = true;
            break;
        default:
            break;
        }
    }
    if (w->change_count || w->each) return EXIT_DONE;
    return cli_error(cli, EXIT_USAGE,
                     "what is to change? Give --without EFFECT, --set KEY=VALUE or --each");
}

/* ---- one row --------------------------------------------------------------------------------- */

/* A launch with some changes. */
struct variant {
    struct whatif *w;
    struct analysis a;   /* own machines, profile and device; shares the rest with the base */
    const char *without; /* effects, comma-separated; NULL: none */
    const char *note;
    bool new_block, executed;
    bool refused; /* the change was understood, but such a launch is not possible */
};

static int failed_change(struct whatif *w, const struct change *change, ws_status status)
{
    return cli_error(w->base.cli, ws_status_exit_code(status), "--set %s: %s", change->text,
                     ws_context_error(w->base.cli->context));
}

static int load_machines(struct variant *v)
{
    const struct analysis *base = &v->w->base;
    v->a.machines = cli_alloc(base->cli, (base->machine_count + 1) * sizeof *v->a.machines);
    v->a.machine_count = 0;
    for (size_t i = 0; i < base->machine_count; i++) {
        const char *path;
        CLI_TRY(cli_input_machine(base->cli, base->names[i], &path));
        ws_status status = ws_machine_load(base->cli->context, path, &v->a.machines[i]);
        if (status != WS_OK) return cli_failed(base->cli, status);
        v->a.machine_count++;
    }
    return EXIT_DONE;
}

/* Without the kernel nothing can be counted anew. */
static int refuse_counted(struct variant *v, const char *text)
{
    if (!analysis_is_counted(&v->a)) return EXIT_DONE;
    return cli_error(v->a.cli, EXIT_USAGE,
                     "%s changes what is counted: give the kernel instead of %s", text,
                     v->a.request.profile ? "--profile" : "a recorded trace");
}

/* As many threads in each dimension as before, or a few more. */
static int change_block(struct variant *v, const struct change *change)
{
    struct request *request = &v->a.request;
    uint32_t block[3];
    uint64_t x = 0;
    CLI_TRY(refuse_counted(v, change->text));
    if (strpbrk(change->value, ",x")) {
        CLI_TRY(request_set_shape(v->a.cli, "launch.block", change->value + 1, block));
    } else {
        CLI_TRY(whatif_apply(v->a.cli, change, request->block[0], &x));
        block[0] = (uint32_t)x;
        block[1] = request->block[1];
        block[2] = request->block[2];
    }
    for (unsigned i = 0; i < 3; i++) {
        uint64_t threads = (uint64_t)request->grid[i] * request->block[i];
        request->grid[i] = (uint32_t)((threads + block[i] - 1) / block[i]);
        request->block[i] = block[i];
    }
    v->new_block = true;
    v->note =
        cli_format(v->a.cli, "grid %u,%u,%u", request->grid[0], request->grid[1], request->grid[2]);
    return EXIT_DONE;
}

/* Before the execution: machines and launch. */
static int prepare(struct variant *v, const struct change *change)
{
    if (change->kind == CHANGE_BLOCK) return change_block(v, change);
    if (change->kind == CHANGE_EFFECT) {
        v->without =
            v->without ? cli_format(v->a.cli, "%s,%s", v->without, change->key) : change->key;
        return EXIT_DONE;
    }
    for (size_t i = 0; change->kind == CHANGE_MACHINE && i < v->a.machine_count; i++) {
        ws_status status = ws_machine_set(v->a.machines[i], change->key, change->value);
        if (status != WS_OK) return failed_change(v->w, change, status);
    }
    return EXIT_DONE;
}

/* After it: what a block takes of an SM. */
static int adjust(struct variant *v, const struct change *change)
{
    uint64_t value;
    if (change->kind == CHANGE_SHARED) {
        CLI_TRY(whatif_apply(v->a.cli, change, ws_profile_shared(v->a.profile), &value));
        ws_status status = ws_profile_set_shared(v->a.profile, value);
        if (status != WS_OK) return cli_failed(v->a.cli, status);
    }
    if (change->kind == CHANGE_REGISTERS) {
        unsigned now = ws_profile_registers(v->a.profile, v->a.machines[0]);
        CLI_TRY(whatif_apply(v->a.cli, change, now, &value));
        ws_status status = ws_profile_set_registers(
            v->a.profile, value > UINT32_MAX ? UINT32_MAX : (unsigned)value);
        if (status != WS_OK) return failed_change(v->w, change, status);
    }
    return EXIT_DONE;
}

/* Do the changed machines count by other rules, segments or banks? */
static int needs_execution(struct variant *v, bool *out)
{
    ws_launch counted = {.size = sizeof counted};
    for (size_t i = 0; i < v->a.machine_count; i++) {
        ws_status status = ws_machine_prepare_launch(v->a.machines[i], &counted);
        if (status != WS_OK) return cli_failed(v->a.cli, status);
    }
    const ws_launch *before = &v->w->base.counted;
    v->a.counted = counted;
    *out = v->new_block || (counted.rules & ~before->rules) != 0 ||
           counted.initial_segment_bytes != before->initial_segment_bytes ||
           counted.min_segment_bytes != before->min_segment_bytes ||
           counted.shared_banks != before->shared_banks;
    return EXIT_DONE;
}

static int find_profile(struct variant *v, const char *text)
{
    bool again = false;
    CLI_TRY(needs_execution(v, &again));
    if (!again) {
        ws_status status = ws_profile_copy(v->w->base.profile, &v->a.profile);
        return status == WS_OK ? EXIT_DONE : cli_failed(v->a.cli, status);
    }
    CLI_TRY(refuse_counted(v, text));
    v->executed = true;
    return analysis_execute(&v->a);
}

static int set_registers(struct analysis *a)
{
    if (!a->request.registers) return EXIT_DONE;
    ws_status status = ws_profile_set_registers(a->profile, a->request.registers);
    return status == WS_OK ? EXIT_DONE : cli_failed(a->cli, status);
}

/* ---- predictions ----------------------------------------------------------------------------- */

static size_t model_index(struct whatif_table *table, const char *model)
{
    size_t i = 0;
    while (i < table->model_count && strcmp(table->models[i], model) != 0)
        i++;
    if (i == table->model_count && i < WHATIF_MODELS) table->models[table->model_count++] = model;
    return i;
}

static int predict(struct whatif *w, const struct analysis *a, const char *without, size_t machine,
                   struct whatif_answer *out, size_t *out_best)
{
    ws_estimate estimates[WHATIF_MODELS];
    ws_predict_options given = {
        .size = sizeof given, .model_options = a->request.model_options, .without = without};
    size_t count;
    ws_status status = ws_predict(a->cli->context, a->profile, a->machines[machine], &given,
                                  estimates, WHATIF_MODELS, &count);
    if (status != WS_OK) return cli_failed(a->cli, status);
    for (size_t i = 0; i < WHATIF_MODELS; i++)
        out->cells[i].reason = "no answer";
    for (size_t i = 0; i < count && i < WHATIF_MODELS; i++) {
        size_t at = model_index(&w->table, estimates[i].model);
        if (at == WHATIF_MODELS) continue;
        out->cells[at] = (struct whatif_cell){
            .seconds = estimates[i].time_seconds,
            .bottleneck = cli_copy(a->cli, estimates[i].bottleneck),
        };
        if (i == 0) *out_best = at;
    }
    return EXIT_DONE;
}

/* Gains over the first row; an effect that a model does not know is no change to it. */
static void find_gains(const struct whatif_table *table, struct whatif_row *row, const char *effect)
{
    for (size_t m = 0; m < table->machine_count; m++)
        for (size_t i = 0; i < table->model_count; i++) {
            const struct whatif_cell *before = &table->rows[0].answers[m].cells[i];
            struct whatif_cell *cell = &row->answers[m].cells[i];
            if (effect && !ws_model_knows(table->models[i], effect)) cell->reason = "not modelled";
            if (!cell->reason && before->reason) cell->reason = "no answer before";
            /* Cases of a model that do not meet: no gain, as in the report. */
            if (!cell->reason && effect && cell->seconds > before->seconds)
                cell->seconds = before->seconds;
            if (!cell->reason) cell->gain = before->seconds / cell->seconds;
        }
}

static int add_row(struct whatif *w, const struct analysis *a, struct whatif_row row,
                   const char *without, const char *effect)
{
    struct cli *cli = w->base.cli;
    struct whatif_table *table = &w->table;
    row.answers = cli_alloc(cli, (table->machine_count + 1) * sizeof *row.answers);
    for (size_t m = 0; m < table->machine_count; m++) {
        size_t best = 0;
        CLI_TRY(predict(w, a, without, m, &row.answers[m], &best));
        if (!table->row_count) table->best[m] = best;
    }
    CLI_APPEND(cli, table->rows, table->row_count, row);
    if (table->row_count > 1) find_gains(table, &table->rows[table->row_count - 1], effect);
    return EXIT_DONE;
}

static int refuse(struct variant *v, int exit_code)
{
    v->refused = exit_code != EXIT_DONE;
    return exit_code;
}

/* What must be said where a worse machine gains. */
static void explain_row(struct variant *v, const struct change *change)
{
    struct whatif_table *table = &v->w->table;
    struct whatif_row *row = &table->rows[table->row_count - 1];
    for (size_t m = 0; m < table->machine_count; m++) {
        double before, after;
        if (ws_machine_get(v->w->base.machines[m], change->key, &before) != WS_OK ||
            ws_machine_get(v->a.machines[m], change->key, &after) != WS_OK)
            continue;
        whatif_explain(v->a.cli, table, row, m, change->key,
                       whatif_direction(change->key, before, after));
    }
}

static int run_variant(struct variant *v, const struct change *changes, size_t count,
                       const char *text)
{
    CLI_TRY(load_machines(v));
    for (size_t i = 0; i < count; i++)
        CLI_TRY(prepare(v, &changes[i]));
    CLI_TRY(refuse(v, find_profile(v, text)));
    CLI_TRY(set_registers(&v->a));
    for (size_t i = 0; i < count; i++)
        CLI_TRY(adjust(v, &changes[i]));
    const char *effect = count == 1 && changes->kind == CHANGE_EFFECT ? changes->key : NULL;
    const struct whatif_row row = {.text = text, .executed = v->executed, .note = v->note};
    CLI_TRY(refuse(v, add_row(v->w, &v->a, row, v->without, effect)));
    if (count == 1 && changes->kind == CHANGE_MACHINE) explain_row(v, changes);
    return EXIT_DONE;
}

/* With --each a change that cannot be is a row that says why: the first line of the message. */
static int add_impossible(struct whatif *w, const char *text, const char *message)
{
    struct cli *cli = w->base.cli;
    struct whatif_table *table = &w->table;
    char *why = cli_copy(cli, message);
    why[strcspn(why, "\n")] = '\0';
    struct whatif_row row = {.text = text, .note = why, .impossible = true};
    row.answers = cli_alloc(cli, (table->machine_count + 1) * sizeof *row.answers);
    for (size_t m = 0; m < table->machine_count; m++)
        for (size_t i = 0; i < WHATIF_MODELS; i++)
            row.answers[m].cells[i].reason = "impossible";
    CLI_APPEND(cli, table->rows, table->row_count, row);
    return EXIT_DONE;
}

static int change_row(struct whatif *w, const struct change *changes, size_t count,
                      const char *text)
{
    struct cli *cli = w->base.cli;
    struct variant v = {.w = w, .a = w->base};
    v.a.profile = NULL;
    v.a.device = NULL;
    cli->keeps_errors = true;
    int exit_code = run_variant(&v, changes, count, text);
    cli->keeps_errors = false;
    bool is_answer = exit_code == EXIT_USAGE || exit_code == EXIT_INPUT || exit_code == EXIT_GUEST;
    if (w->each && v.refused && is_answer) {
        exit_code = add_impossible(w, text, cli->kept_error);
    } else if (exit_code != EXIT_DONE) {
        cli_error(cli, exit_code, "%s", cli->kept_error);
        cli_error(cli, exit_code, "that is what becomes of %s", text);
    }
    v.a.module = NULL; /* the base's */
    analysis_clear(&v.a);
    return exit_code;
}

/* Without every effect that some model of the table knows. */
static int each_effect(struct whatif *w)
{
    const char *effect;
    for (size_t i = 0; (effect = ws_effect_name(i)) != NULL; i++) {
        bool known = false;
        for (size_t k = 0; k < w->table.model_count; k++)
            known |= ws_model_knows(w->table.models[k], effect);
        if (!known) continue;
        struct change change = {CHANGE_EFFECT, cli_format(w->base.cli, "without %s", effect),
                                effect, NULL};
        CLI_TRY(change_row(w, &change, 1, change.text));
    }
    return EXIT_DONE;
}

static int fill_table(struct whatif *w)
{
    struct analysis *base = &w->base;
    w->table.kernel = ws_profile_kernel(base->profile);
    w->table.machine_count = base->machine_count;
    w->table.machines = base->machines;
    w->table.best = cli_alloc(base->cli, (base->machine_count + 1) * sizeof *w->table.best);
    CLI_TRY(add_row(w, base, (struct whatif_row){.text = "as it is"}, NULL, NULL));
    for (size_t i = 0; i < w->change_count; i++)
        CLI_TRY(change_row(w, &w->changes[i], 1, w->changes[i].text));
    if (w->change_count > 1)
        CLI_TRY(change_row(w, w->changes, w->change_count, "all of these together"));
    return w->each ? each_effect(w) : EXIT_DONE;
}

/* A profile was counted for its machines: what they ask for stands for what it has. */
static int note_counted(struct analysis *a)
{
    for (size_t i = 0; i < a->machine_count; i++) {
        ws_status status = ws_machine_prepare_launch(a->machines[i], &a->counted);
        if (status != WS_OK) return cli_failed(a->cli, status);
    }
    return EXIT_DONE;
}

static int compare(struct whatif *w)
{
    struct analysis *base = &w->base;
    CLI_TRY(analysis_load_machines(base));
    if (!base->machine_count) return analysis_ask_gpu(base, "");
    if (analysis_is_counted(base)) {
        CLI_TRY(analysis_load_profile(base, false));
        CLI_TRY(note_counted(base));
    } else {
        CLI_TRY(analysis_load_kernel(base, w->command));
        CLI_TRY(analysis_execute(base));
    }
    CLI_TRY(set_registers(base));
    CLI_TRY(fill_table(w));
    return whatif_write(base->cli, &w->table, &base->request);
}

static int run_whatif(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct whatif whatif = {.base = {.cli = cli}, .command = command};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &whatif.base.request));
    CLI_TRY(read_changes(cli, &whatif, &line));
    cli_attach(cli);
    int exit_code = compare(&whatif);
    analysis_clear(&whatif.base);
    return exit_code;
}

const struct command command_whatif = {
    .name = "whatif",
    .synopsis = "  warpsage whatif KERNEL.ptx|LAUNCH.yaml [launch options] --gpu ID[,ID...]\n"
                "                  [--without EFFECT[,...]] [--set KEY=VALUE] ... [--each]\n"
                "  warpsage whatif --profile FILE --gpu ID ...   without executing",
    .summary = "what each change of a launch or a GPU would gain",
    .text =
        "Changes\n"
        "  --without EFFECT          `warpsage explain` lists the effects\n"
        "  --set machine.KEY=VALUE   a figure of the GPU; `warpsage machines show` has the keys\n"
        "  --set launch.block=X[,Y,Z]    another block, the grid covers as many threads; the\n"
        "                            kernel is executed again and must allow it\n"
        "  --set launch.registers=N, --set launch.shared=BYTES   what a block takes of an SM\n\n"
        "Each change is a row of its own against the launch as it is; several make one more row\n"
        "with all of them. Gains are alternatives: they do not add up. A change that makes the\n"
        "launch impossible is an error; with --each it is a row that says why, the others answer\n"
        "and the status is 0.\n\n"
        "Example\n"
        "  warpsage whatif sgemm.yaml --gpu gtx285 --without bank-conflicts \\\n"
        "      --set machine.sm.max_blocks=16 --set launch.block=256\n",
    .options = options,
    .run = run_whatif,
};
