// SPDX-License-Identifier: Apache-2.0
/* machine, machine_check, machines: what machine files say, and what models find in them. */
#include <math.h>

#include "answer/question.h"
#include "answer/words.h"

static const char not_in_file[] = "not in the machine file", assumed[] = "assumed";

struct machine_curve_of {
    const struct machine *machine;
    enum machine_curve_id id;
};

struct machine_figures {
    const struct machine *machine;
    struct measured *values;
    const char **unknown;
    size_t value_count, unknown_count;
    struct machine_curve_of curves[CURVE_COUNT];
};

struct machine_model {
    const char *name;
    const struct model *model; /* NULL: not for this kind of machine */
    const char **lacks;
    size_t lacks_count;
};

struct machine_check {
    const struct machine *machine;
    unsigned known, assumed;
    const char *no_occupancy; /* NULL: it can be computed */
    struct machine_model models[MODEL_COUNT];
};

struct machine_list {
    struct machine *const *machines;
    size_t count;
};

/* ---- figures --------------------------------------------------------------------------------- */

static const struct machine_curve *curve_of(const struct machine_curve_of *at)
{
    return &at->machine->curves[at->id];
}

static const struct machine_curve_info *info_of(const struct machine_curve_of *at)
{
    return &machine_curve_infos[at->id];
}

static bool is_by_launch(const struct machine_curve_of *at)
{
    return info_of(at)->axes[1] != NULL;
}

static size_t axis_count(const struct machine_curve_of *at, unsigned axis)
{
    return curve_of(at)->count ? curve_of(at)->axis_counts[axis] : 0;
}

static const double *curve_values(const struct machine_curve_of *at, struct arena *arena)
{
    size_t count = curve_of(at)->count;
    double *out = ARENA_ARRAY(arena, double, count + 1);
    for (size_t i = 0; i < count; i++)
        out[i] = machine_curve_value(at->machine, at->id, i);
    return out;
}

static const char *curve_source(const struct machine_curve *curve)
{
    return curve->assumed ? assumed : curve->source;
}

#define FIGURE_FILE "answer/figures/machine.def"
#include "base/figure_tables.h"

/* ---- asking ---------------------------------------------------------------------------------- */

static ws_status need_one(const struct asked *asked)
{
    if (asked->machine_count == 1) return WS_OK;
    return diag_error(asked->diag, WS_ERR_ARGUMENT, "the question '%s' takes one machine (got %zu)",
                      asked->question->name, asked->machine_count);
}

static struct measured measure(size_t key, const struct machine_value *value)
{
    const struct machine_key_info *info = &machine_key_infos[key];
    double figure = value->known ? value->value : NAN;
    return (struct measured){
        .id = info->path,
        .value = figure,
        .low = value->low < value->high ? value->low : figure,
        .high = value->low < value->high ? value->high : figure,
        .unit = dimension_unit((enum dimension)info->dimension),
        .text = info->text,
        .reason = not_in_file,
        .source = value->assumed  ? assumed
                  : value->source ? value->source
                                  : MACHINE_WHAT_IF,
        .origin = value->assumed || !value->source ? ORIGIN_ASSUMED
                  : value->measured                ? ORIGIN_MEASURED
                                                   : ORIGIN_PUBLISHED,
    };
}

static ws_status ask_machine(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct machine_figures *answer = ARENA_ARRAY(arena, struct machine_figures, 1);
    TRY(need_one(asked));
    const struct machine *machine = answer->machine = asked->machines[0];
    answer->values = ARENA_ARRAY(arena, struct measured, MACHINE_KEY_COUNT);
    answer->unknown = ARENA_ARRAY(arena, const char *, MACHINE_KEY_COUNT);
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        const struct machine_value *value = &machine->values[key];
        if (!machine_key_is_for((enum machine_key)key, machine->kind)) continue;
        answer->values[answer->value_count++] = measure(key, value);
        if (!value->known && key < MACHINE_THROUGHPUT_FIRST)
            answer->unknown[answer->unknown_count++] = machine_key_infos[key].path;
    }
    for (size_t id = 0; id < CURVE_COUNT; id++)
        answer->curves[id] = (struct machine_curve_of){machine, (enum machine_curve_id)id};
    *out = answer;
    return WS_OK;
}

static void check_model(struct arena *arena, const struct machine_check *check,
                        struct machine_model *out)
{
    size_t capacity = 1;
    const enum machine_key *key = out->model ? out->model->needs_machine : NULL;
    for (const enum machine_key *at = key; at && *at != MACHINE_KEY_COUNT; at++)
        capacity++;
    out->lacks = ARENA_ARRAY(arena, const char *, capacity);
    for (; key && *key != MACHINE_KEY_COUNT; key++)
        if (!machine_has(check->machine, *key))
            out->lacks[out->lacks_count++] = machine_key_infos[*key].path;
    if (out->model && out->model->needs_occupancy && check->no_occupancy)
        out->lacks[out->lacks_count++] = "occupancy";
}

/* With every resource asked for, so that each figure of the occupancy must be there. */
static const char *try_occupancy(struct arena *arena, const struct machine *machine)
{
    const struct occupancy_query query = {
        .threads_per_block = 32, .registers_per_thread = 8, .shared_bytes = 4};
    struct occupancy occupancy;
    struct diag silent = {0};
    ws_status status = machine_occupancy(&silent, machine, &query, &occupancy);
    const char *reason = status == WS_OK ? NULL : arena_copy(arena, diag_text(&silent));
    diag_clear(&silent);
    return reason;
}

static ws_status ask_check(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct machine_check *check = ARENA_ARRAY(arena, struct machine_check, 1);
    TRY(need_one(asked));
    const struct machine *machine = check->machine = asked->machines[0];
    for (size_t key = 0; key < MACHINE_KEY_COUNT; key++) {
        check->known += machine->values[key].known;
        check->assumed += machine->values[key].known && machine->values[key].assumed;
    }
    if (machine->kind == MACHINE_IS_GPU) check->no_occupancy = try_occupancy(arena, machine);
    for (size_t i = 0; i < MODEL_COUNT; i++) {
        check->models[i] = (struct machine_model){
            models[i]->name, model_for((enum model_id)i, machine->kind), NULL, 0};
        check_model(arena, check, &check->models[i]);
    }
    *out = check;
    return WS_OK;
}

static ws_status ask_machines(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct machine_list *list = ARENA_ARRAY(arena, struct machine_list, 1);
    struct machine **kept = ARENA_ARRAY(arena, struct machine *, asked->machine_count + 1);
    for (size_t i = 0; i < asked->machine_count; i++)
        kept[i] = asked->machines[i];
    *list = (struct machine_list){kept, asked->machine_count};
    *out = list;
    return WS_OK;
}

const struct question question_machine = {
    .name = "machine",
    .schema = "warpsage.machine/1",
    .text = "What are the figures of a GPU or CPU, and where do they come from?",
    .record = &record_machine,
    .ask = ask_machine,
};

const struct question question_machine_check = {
    .name = "machine_check",
    .schema = "warpsage.machine_check/1",
    .text = "Which models does a machine file support?",
    .record = &record_machine_check,
    .ask = ask_check,
};

const struct question question_machines = {
    .name = "machines",
    .schema = "warpsage.machines/1",
    .text = "Which GPUs and CPUs are known?",
    .record = &record_machines,
    .ask = ask_machines,
};
