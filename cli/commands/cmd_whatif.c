// SPDX-License-Identifier: Apache-2.0
/* whatif: what each change of a launch or a GPU would gain. Changes of figures are predictions
 * anew; what changes the counts (another block, other banks or segments) executes the kernel again. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands/whatif.h"
#include "cli/options/asking.h"

enum { OPTION_SET = OPTION_OWN, OPTION_EACH };

static const struct option_row options[] = {
    {OPTION_WITHOUT, 0, "without", "{effect}EFFECT[,...]", "predict without an effect"},
    {OPTION_SET, 0, "set", "KEY=VALUE", "change a figure: =V, =*V, =+V, =-V, =+P%, =-P%"},
    {OPTION_EACH, 0, "each", NULL, "also remove each modelled effect, one at a time"},
    {OPTION_FORMAT, 'f', "format", "text|json|csv|html", "output format"},
    ANALYSIS_OPTION_ROWS,
    {0},
};

struct variant;
struct whatif {
    struct analysis base; /* the launch as it is */
    const struct command *command;
    struct change *changes;
    size_t change_count;
    bool each;
    struct asking asking;
    struct variant *variants; /* to be freed once the question is answered */
    size_t variant_count;
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
                             "--without: unknown effect '%s'%s; `warpsage explain` lists them",
                             effect, cli_hint(cli, effect, names, count));
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
                     "no change given: use --without EFFECT, --set KEY=VALUE or --each");
}

/* ---- one row --------------------------------------------------------------------------------- */

/* A launch with some changes. */
struct variant {
    struct whatif *w;
    struct analysis a;   /* own machines, profile and device; shares the rest with the base */
    const char *without; /* effects, comma-separated; NULL: none */
    const char *launch;  /* how it was executed again; NULL: as before */
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
    return cli_error(v->a.cli, EXIT_USAGE, "%s changes the counts: use the kernel instead of %s",
                     text, v->a.request.profile ? "--profile" : "a recorded trace");
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
    v->launch =
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
    *out =
        v->new_block || (counted.rules & ~before->rules) != 0 ||
        counted.initial_segment_bytes != before->initial_segment_bytes ||
        counted.min_segment_bytes != before->min_segment_bytes ||
        counted.shared_banks != before->shared_banks ||
        (counted.isa_view && before->isa_view && strcmp(counted.isa_view, before->isa_view) != 0);
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

/* ---- the question ---------------------------------------------------------------------------- */

static void add_row(struct whatif *w, const struct analysis *a)
{
    asking_profile(w->base.cli, &w->asking, a->profile);
    for (size_t m = 0; m < w->base.machine_count; m++)
        asking_machine(w->base.cli, &w->asking, a->machines[m]);
}

/* What is said of a change, one input each. */
static void describe_row(struct whatif *w, const char *text, const struct variant *v,
                         const char *key, const char *impossible)
{
    const char *const words[][2] = {{"change", text},
                                    {"effects", v->without},
                                    {"machine_key", key},
                                    {"launch", impossible ? NULL : v->launch},
                                    {"impossible", impossible}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        asking_word(w->base.cli, &w->asking, words[i][0], words[i][1] ? words[i][1] : "");
    asking_number(w->base.cli, &w->asking, "executed_again", v->executed && !impossible);
}

static int refuse(struct variant *v, int exit_code)
{
    v->refused = exit_code != EXIT_DONE;
    return exit_code;
}

static bool only_effects(const struct change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (changes[i].kind != CHANGE_EFFECT) return false;
    return true;
}

/* What only switches effects off is asked about the launch as it is. */
static int run_variant(struct variant *v, const struct change *changes, size_t count,
                       const char *text)
{
    if (only_effects(changes, count)) {
        for (size_t i = 0; i < count; i++)
            CLI_TRY(prepare(v, &changes[i]));
        return EXIT_DONE;
    }
    CLI_TRY(load_machines(v));
    for (size_t i = 0; i < count; i++)
        CLI_TRY(prepare(v, &changes[i]));
    CLI_TRY(refuse(v, find_profile(v, text)));
    CLI_TRY(set_registers(&v->a));
    for (size_t i = 0; i < count; i++)
        CLI_TRY(adjust(v, &changes[i]));
    return EXIT_DONE;
}

static int change_failed(struct cli *cli, int exit_code, const char *text)
{
    cli_error(cli, exit_code, "%s", cli->kept_error);
    return cli_error(cli, exit_code, "while applying %s", text);
}

/* With --each a change that cannot be is a row that says why: the first line of the message. */
static int change_row(struct whatif *w, const struct change *changes, size_t count,
                      const char *text)
{
    struct cli *cli = w->base.cli;
    struct variant v = {.w = w, .a = w->base};
    const char *key = count == 1 && changes->kind == CHANGE_MACHINE ? changes->key : NULL;
    char *why = NULL;
    v.a.profile = NULL;
    v.a.device = NULL;
    v.a.machines = NULL;
    v.a.machine_count = 0;
    cli->keeps_errors = true;
    int exit_code = run_variant(&v, changes, count, text);
    cli->keeps_errors = false;
    ws_device_destroy(v.a.device);
    v.a.device = NULL;
    v.a.module = v.a.other_module = NULL; /* the base's */
    CLI_APPEND(cli, w->variants, w->variant_count, v);
    bool is_answer = exit_code == EXIT_USAGE || exit_code == EXIT_INPUT || exit_code == EXIT_GUEST;
    if (exit_code != EXIT_DONE) {
        if (!w->each || !v.refused || !is_answer) return change_failed(cli, exit_code, text);
        why = cli_copy(cli, cli->kept_error);
        why[strcspn(why, "\n")] = '\0';
    }
    add_row(w, why || !v.a.profile ? &w->base : &v.a);
    describe_row(w, text, &v, key, why);
    return EXIT_DONE;
}

static int ask_about(struct whatif *w)
{
    struct analysis *base = &w->base;
    add_row(w, base);
    for (size_t i = 0; i < w->change_count; i++) {
        cli_begin_step(base->cli, w->changes[i].text, i, w->change_count + (w->change_count > 1));
        CLI_TRY(change_row(w, &w->changes[i], 1, w->changes[i].text));
    }
    if (w->change_count > 1)
        CLI_TRY(change_row(w, w->changes, w->change_count, "all changes together"));
    cli_end_steps(base->cli);
    if (w->each) asking_number(base->cli, &w->asking, "each", 1);
    if (base->request.model_options)
        asking_word(base->cli, &w->asking, "model_options", base->request.model_options);
    if (base->request.l2) asking_word(base->cli, &w->asking, "l2", base->request.l2);
    if (base->request.spills) asking_word(base->cli, &w->asking, "spills", base->request.spills);
    return EXIT_DONE;
}

/* The change with which an answer that is not whole ends. */
static const char *last_change(const ws_answer *answer)
{
    ws_node rows = ws_node_find(ws_answer_root(answer), "machines/0/rows");
    ws_value change = {.size = sizeof change};
    ws_node row = ws_node_child(rows, ws_node_count(rows) - 1);
    return ws_node_value(ws_node_find(row, "change"), &change) ? change.text : "";
}

static int answer(struct whatif *w)
{
    struct cli *cli = w->base.cli;
    const struct request *request = &w->base.request;
    ws_answer *found;
    CLI_TRY(ask_about(w));
    int exit_code = asking_ask(cli, &w->asking, &found);
    if (exit_code == EXIT_DONE)
        exit_code = asking_write(cli, found, request->format, WS_DETAILS_NORMAL, request->output);
    else if (found)
        cli_error(cli, exit_code, "while applying %s", last_change(found));
    ws_answer_destroy(found);
    return exit_code;
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
    return answer(w);
}

static int run_whatif(struct cli *cli, const struct command *command, int argc, char **argv)
{
    struct command_line line;
    struct whatif whatif = {.base = {.cli = cli}, .command = command, .asking.name = "whatif"};
    bool done;
    CLI_TRY(options_parse(cli, command, argc, argv, &line, &done));
    if (done) return EXIT_DONE;
    CLI_TRY(analysis_read(cli, command, &line, &whatif.base.request));
    CLI_TRY(read_changes(cli, &whatif, &line));
    cli_attach(cli);
    int exit_code = compare(&whatif);
    for (size_t i = 0; i < whatif.variant_count; i++)
        analysis_clear(&whatif.variants[i].a);
    analysis_clear(&whatif.base);
    return exit_code;
}

const struct command command_whatif = {
    .name = "whatif",
    .synopsis = "  warpsage whatif KERNEL.ptx|LAUNCH.yaml [launch options] --gpu ID[,ID...]\n"
                "                  [--without EFFECT[,...]] [--set KEY=VALUE] ... [--each]\n"
                "  warpsage whatif --profile FILE --gpu ID ...   without executing",
    .summary = "predict the gain of changes to a launch or GPU",
    .text =
        "Changes\n"
        "  --without EFFECT          `warpsage explain` lists the effects\n"
        "  --set machine.KEY=VALUE   a figure of the GPU; `warpsage machines show` lists the keys\n"
        "  --set launch.block=X[,Y,Z]    another block size; the grid is adjusted to cover the\n"
        "                            same threads, and the kernel is executed again\n"
        "  --set launch.registers=N, --set launch.shared=BYTES   resources per block\n\n"
        "Each change is one row against the baseline launch; with several changes, a last row\n"
        "applies all of them. Gains are alternatives and do not add up. A change that makes the\n"
        "launch impossible is an error; with --each it is a row with the reason, the other rows\n"
        "are predicted and the exit status is 0.\n\n"
        "Example\n"
        "  warpsage whatif sgemm.yaml --gpu gtx285 --without bank-conflicts \\\n"
        "      --set machine.sm.max_blocks=16 --set launch.block=256\n",
    .operands = "<FILE",
    .options = options,
    .run = run_whatif,
};
