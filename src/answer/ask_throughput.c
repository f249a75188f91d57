// SPDX-License-Identifier: Apache-2.0
/* The question `throughput`: how much of its peak a GPU reaches for a program, why not more, and what
 * would help. The program is that of a profile, or inputs by hand alone. */
#include <math.h>
#include <string.h>

#include "answer/question.h"
#include "base/quantity.h"
#include "model/throughput/throughput_case.h"

struct throughput_input {
    const struct tp_input_info *info;
    double value;
    bool is_given;
};

struct throughput_bound {
    const struct tp_bound_info *info;
    struct tp_terms terms;
    double warp_rate;
};

struct throughput_memory {
    struct tp_terms terms;
    const struct tp_category_info *category;
    struct tp_suggestion suggestion;
    double blocks, shared_bytes; /* of the suggested warps; NAN: not known */
};

/* So many warps per SM on so many SMs. */
struct throughput_point {
    double sms, n;
    struct tp_terms terms;
    double warp_rate;
};

struct throughput_machine {
    const struct machine *machine;
    const struct estimate *estimate;
    const struct tp_case *found;
    struct tp_terms terms;
    double raised; /* the time, over that of the model before it was raised to the speed of light */
    struct throughput_input inputs[TP_INPUT_COUNT];
    size_t input_count;
    struct throughput_bound bounds[TP_BOUNDS];
    size_t bound_count;
    struct throughput_memory memory;
    struct tp_gains gains;
    struct throughput_point *points; /* by warps of the sweep, then by SMs */
    size_t point_count;
    double slowdown;
};

struct throughput_answer {
    const struct profile *profile; /* NULL: inputs by hand */
    double warps_per_block;        /* NAN: not known */
    const struct machine *fastest;
    struct throughput_machine *machines;
    size_t count;
};

#define FIGURE_FILE "answer/figures/throughput.def"
#include "base/figure_tables.h"

/* ---- inputs ---------------------------------------------------------------------------------- */

static const struct input_info inputs[] = {
    PREDICT_INPUTS,
    {"sweep", INPUT_COUNT, "warp", "table of this many warps per SM on 1 to all SMs; repeatable"},
#define TP_INPUT(name, id, may_be_zero, text) {id, INPUT_NUMBER, "", text " of a warp"},
#include "model/throughput/throughput_inputs.def"
};

/* Inputs by hand are the model's options tp.NAME. */
static ws_status read_options(const struct asked *asked, struct predict_options *out)
{
    struct arena *arena = &asked->answer->arena;
    TRY(asked_predict_options(asked, out));
    struct model_option *all =
        ARENA_ARRAY(arena, struct model_option, out->option_count + TP_INPUT_COUNT);
    if (out->option_count) memcpy(all, out->options, out->option_count * sizeof *all);
    out->options = all;
    out->only = models[MODEL_THROUGHPUT]->name;
    for (size_t i = 0; i < TP_INPUT_COUNT; i++) {
        const char *id = tp_input_infos[i].id;
        char text[NUMBER_TEXT];
        if (!asked_has(asked, id)) continue;
        number_exact(text, asked_number(asked, id, 0));
        all[out->option_count++] = (struct model_option){.key = arena_format(arena, "tp.%s", id),
                                                         .value = arena_copy(arena, text)};
    }
    return WS_OK;
}

static bool is_given(const struct prediction *prediction, const char *input)
{
    const struct predict_options *options = &prediction->options;
    for (size_t i = 0; i < options->option_count; i++)
        if (!strncmp(options->options[i].key, "tp.", 3) &&
            !strcmp(options->options[i].key + 3, input))
            return true;
    return false;
}

/* ---- one GPU --------------------------------------------------------------------------------- */

static void find_inputs(const struct prediction *prediction, struct throughput_machine *out)
{
    for (unsigned i = 0; i < TP_INPUT_COUNT; i++) {
        double value = tp_case_input(out->found, i);
        bool given = is_given(prediction, tp_input_infos[i].id);
        bool counted = i != TP_INPUT_BYTES && i != TP_INPUT_DISTANCE;
        if (given || counted || value > 0)
            out->inputs[out->input_count++] =
                (struct throughput_input){&tp_input_infos[i], value, given};
    }
}

static void find_bounds(struct throughput_machine *out)
{
    struct tp_case bound = *out->found;
    for (size_t i = 0; i < TP_BOUNDS; i++) {
        if (tp_bound_infos[i].cache == TP_CACHE_MEASURED && !bound.has_caches) continue;
        struct throughput_bound *to = &out->bounds[out->bound_count++];
        to->info = &tp_bound_infos[i];
        bound.cache = to->info->cache;
        tp_case_evaluate(&bound, &to->terms);
        to->warp_rate = tp_case_warp_rate(&bound, &to->terms);
    }
}

static void find_memory(double warps_per_block, struct throughput_machine *out)
{
    struct throughput_memory *memory = &out->memory;
    memory->terms = out->terms;
    memory->category = &tp_category_infos[out->terms.category - 1];
    memory->suggestion = tp_suggest(&out->terms, out->found->device.cores, out->found->program.n);
    memory->blocks = warps_per_block > 0 ? floor(memory->suggestion.n / warps_per_block) : NAN;
    memory->shared_bytes =
        floor(machine_get(out->machine, MACHINE_SHARED_PER_SM, NAN) / (memory->blocks + 1));
}

static void find_terms(const struct throughput_answer *answer, const struct prediction *prediction,
                       struct throughput_machine *out)
{
    const struct estimate *estimate = out->estimate;
    tp_case_evaluate(out->found, &out->terms);
    out->raised =
        estimate->model_seconds > 0 ? estimate->time_seconds / estimate->model_seconds : 1;
    find_inputs(prediction, out);
    find_bounds(out);
    if (out->terms.category) find_memory(answer->warps_per_block, out);
    out->gains = tp_case_gains(out->found);
}

static void find_point(struct tp_case *c, double sms, double n, struct throughput_point *out)
{
    out->sms = c->device.cores = sms;
    out->n = c->program.n = n;
    tp_case_evaluate(c, &out->terms);
    out->warp_rate = tp_case_warp_rate(c, &out->terms);
}

static ws_status find_sweep(struct asked *asked, struct throughput_machine *out)
{
    struct tp_case c = *out->found;
    size_t count, sms = (size_t)machine_get(out->machine, MACHINE_SM_COUNT, 0);
    const double *warps = asked_numbers(asked, "sweep", &count);
    out->points = ARENA_ARRAY(&asked->answer->arena, struct throughput_point, count * sms + 1);
    for (size_t i = 0; i < count; i++) {
        if (!(warps[i] > 0) || floor(warps[i]) != warps[i])
            return diag_error(asked->diag, WS_ERR_ARGUMENT,
                              "input 'sweep' must be a whole number greater than 0 (got %g)",
                              warps[i]);
        for (size_t k = 1; k <= sms; k++)
            find_point(&c, (double)k, warps[i], &out->points[out->point_count++]);
    }
    return WS_OK;
}

static void release_prediction(void *what)
{
    prediction_destroy(what);
}

/* A prediction that holds the one estimate; there is no profile. */
static ws_status predict_by_hand(struct asked *asked, const struct machine *machine,
                                 const struct predict_options *options,
                                 const struct prediction **out)
{
    struct prediction *prediction = mem_zalloc(1, sizeof *prediction);
    answer_own(asked->answer, release_prediction, prediction);
    *out = prediction;
    return throughput_by_hand(asked->diag, machine, options, prediction);
}

/* What answers for CPUs has no case. */
static ws_status predict(struct asked *asked, const struct profile *profile,
                         const struct predict_options *options, struct throughput_machine *out,
                         const struct prediction **prediction)
{
    if (profile)
        TRY(asked_predict(asked, profile, out->machine, options, prediction));
    else
        TRY(predict_by_hand(asked, out->machine, options, prediction));
    out->estimate = prediction_of(*prediction, MODEL_THROUGHPUT);
    out->found = out->estimate ? out->estimate->details : NULL;
    if (out->found) return WS_OK;
    return diag_error(asked->diag, WS_ERR_NO_MODEL,
                      "%s is a CPU: the throughput model's questions require a GPU",
                      out->machine->name);
}

static ws_status ask_machine(struct asked *asked, const struct throughput_answer *answer,
                             const struct predict_options *options, struct throughput_machine *out)
{
    const struct prediction *prediction;
    TRY(predict(asked, answer->profile, options, out, &prediction));
    find_terms(answer, prediction, out);
    return find_sweep(asked, out);
}

/* ---- asking ---------------------------------------------------------------------------------- */

static double count_warps(const struct profile *profile)
{
    double blocks = profile_get(profile, COUNTER_BLOCKS_EXECUTED);
    return blocks > 0 ? profile_get(profile, COUNTER_WARPS_EXECUTED) / blocks : NAN;
}

static void rank_machines(struct throughput_answer *answer)
{
    const struct throughput_machine *best = answer->machines;
    for (size_t i = 1; i < answer->count; i++)
        if (answer->machines[i].estimate->time_seconds < best->estimate->time_seconds)
            best = &answer->machines[i];
    for (size_t i = 0; i < answer->count; i++)
        answer->machines[i].slowdown =
            answer->machines[i].estimate->time_seconds / best->estimate->time_seconds;
    answer->fastest = best->machine;
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct throughput_answer *answer = ARENA_ARRAY(arena, struct throughput_answer, 1);
    struct predict_options options;
    TRY(read_options(asked, &options));
    if (asked->profile_count) answer->profile = asked->profiles[0];
    answer->warps_per_block = answer->profile ? count_warps(answer->profile) : NAN;
    answer->count = asked->machine_count;
    answer->machines = ARENA_ARRAY(arena, struct throughput_machine, answer->count + 1);
    for (size_t i = 0; i < answer->count; i++) {
        answer->machines[i].machine = asked->machines[i];
        TRY(ask_machine(asked, answer, &options, &answer->machines[i]));
    }
    if (answer->count) rank_machines(answer);
    *out = answer;
    return WS_OK;
}

/* ---- many points ----------------------------------------------------------------------------- */

static const char *varied(size_t index)
{
    static const char *const names[] = {"sms", "n"};
    return names[index];
}

struct throughput_sweep {
    struct tp_case at;
    double sms, n; /* where they are not given */
    struct throughput_point point;
};

static ws_status begin_points(struct asked *asked, void **out)
{
    struct throughput_sweep *sweep = ARENA_ARRAY(&asked->answer->arena, struct throughput_sweep, 1);
    struct throughput_machine found = {.machine = asked->machines[0]};
    struct predict_options options;
    const struct prediction *prediction;
    const struct profile *profile = asked->profile_count ? asked->profiles[0] : NULL;
    TRY(read_options(asked, &options));
    TRY(predict(asked, profile, &options, &found, &prediction));
    sweep->at = *found.found;
    sweep->sms = sweep->at.device.cores;
    sweep->n = sweep->at.program.n;
    *out = sweep;
    return WS_OK;
}

static ws_status at_point(struct diag *diag, void *state, const double *values, const void **out)
{
    struct throughput_sweep *sweep = state;
    double sms = isnan(values[0]) ? sweep->sms : values[0];
    double n = isnan(values[1]) ? sweep->n : values[1];
    if (!(sms > 0) || !(n > 0))
        return diag_error(diag, WS_ERR_ARGUMENT, "sms and n must be greater than 0 (got %g, %g)",
                          sms, n);
    find_point(&sweep->at, sms, n, &sweep->point);
    *out = &sweep->point;
    return WS_OK;
}

static const struct question_points points = {
    .input = varied,
    .input_count = 2,
    .record = &record_throughput_point,
    .begin = begin_points,
    .at = at_point,
};

const struct question question_throughput = {
    .name = "throughput",
    .schema = "warpsage.throughput/1",
    .text = "How much of its peak does a GPU reach, what limits it, and what would help?",
    .record = &record_throughput,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .ask = ask,
    .points = &points,
};
