// SPDX-License-Identifier: Apache-2.0
/* Runs every model on one profile and one machine: needs, estimates, gains. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/core/accesses.h"
#include "model/core/choose_best.h"
#include "model/core/needs.h"
#include "model/core/sample_time.h"

enum { ESTIMATES_MAX = 16 };
_Static_assert(sizeof((struct prediction *)0)->estimates == ESTIMATES_MAX * sizeof(struct estimate),
               "as many as a prediction holds");

/* ---- occupancy of the launch ----------------------------------------------------------------- */

static const char *describe_registers(struct prediction *out, unsigned registers, const char *from,
                                      unsigned made_for, unsigned target)
{
    const char *elsewhere = "", *beyond = "";
    if (made_for && made_for != target)
        elsewhere = arena_format(&out->arena, " for sm_%u, used for sm_%u", made_for, target);
    if (out->registers < registers)
        beyond =
            arena_format(&out->arena, "; the limit of this GPU is %u per thread", out->registers);
    if (!strcmp(from, "user")) from = "the user";
    return arena_format(&out->arena, "%u registers by %s%s%s", registers, from, elsewhere, beyond);
}

static void choose_registers(struct prediction *out)
{
    const struct machine *machine = out->machine;
    unsigned target = machine->cc_major * 10 + machine->cc_minor, made_for = 0, registers;
    const char *from = "";
    if (!profile_registers(out->profile, target, &registers, &from, &made_for)) {
        out->registers = 0;
        out->registers_note = "register count unknown: registers do not limit the occupancy";
        return;
    }
    double most = machine_get(machine, MACHINE_SM_MAX_REGISTERS_PER_THREAD, 0);
    out->registers = most > 0 && registers > most ? (unsigned)most : registers;
    if (!out->options.only_figures)
        out->registers_note = describe_registers(out, registers, from, made_for, target);
}

static ws_status check_block(struct diag *diag, const struct profile *profile,
                             const struct machine *machine)
{
    double most = machine_get(machine, MACHINE_BLOCK_MAX_THREADS, INFINITY);
    uint32_t threads = profile_threads_per_block(profile);
    if (threads > most)
        return diag_error(
            diag, WS_ERR_LAUNCH,
            "%s: a block of %u threads exceeds the limit of %.0f on %s: use a smaller block",
            profile->kernel ? profile->kernel : "kernel", threads, most, machine->name);
    return WS_OK;
}

/* The launch with its spills, unless they are switched off; NULL: it has none. */
static void find_spills(struct prediction *out, const struct model_input *input)
{
    unsigned target = out->machine->cc_major * 10 + out->machine->cc_minor;
    const struct register_count *entry = profile_register_entry(out->profile, target);
    if (out->machine->kind != MACHINE_IS_GPU || !entry || !input->trace ||
        out->options.without_spills)
        return;
    out->spilled = profile_with_spills(out->profile, target);
    if (!out->spilled) return;
    out->registers_note = arena_format(
        &out->arena,
        "%s; spilled: %u bytes of stores and %u bytes of loads in the code of a thread",
        out->registers_note, entry->spill_store_bytes, entry->spill_load_bytes);
}

/* *out_reason: why the occupancy is not known, NULL if it is. */
static ws_status find_occupancy(struct diag *diag, struct prediction *out, const char **out_reason)
{
    const struct profile *profile = out->profile;
    *out_reason = NULL;
    choose_registers(out);
    TRY(check_block(diag, profile, out->machine));
    struct occupancy_query query = {
        .threads_per_block = profile_threads_per_block(profile),
        .registers_per_thread = out->registers,
        .shared_bytes = profile_shared_bytes(profile),
    };
    if (!query.threads_per_block || !profile_blocks(profile)) {
        *out_reason = "the profile has no grid or block";
        return WS_OK;
    }
    ws_status status = machine_occupancy(diag, out->machine, &query, &out->occupancy);
    if (status == WS_ERR_NO_MODEL) {
        *out_reason = arena_copy(&out->arena, diag_text(diag));
        diag_clear(diag);
        return WS_OK;
    }
    return status;
}

/* ---- models ---------------------------------------------------------------------------------- */

/* Is the model asked? `only` may rest on it, by way of others, too. */
static bool is_wanted(const struct model *model, const char *only)
{
    const struct model *wanted = only ? model_find(only) : NULL;
    if (!wanted || wanted == model) return true;
    for (const enum model_id *id = wanted->needs_prior; id && *id != MODEL_COUNT; id++)
        if (is_wanted(model, models[*id]->name)) return true;
    return false;
}

static ws_status ask(struct diag *diag, enum model_id id, const struct model_input *input,
                     struct estimate *out)
{
    const struct model *model = model_for(id, input->machine->kind);
    memset(out, 0, sizeof *out);
    out->id = id;
    out->model = model->name;
    if (input->without_texts) out->assumption_count = ASSUMPTIONS_MAX;
    ws_status status = model->predict(diag, input, out);
    if (input->without_texts) out->assumption_count = 0;
    out->model_seconds = out->time_seconds;
    return status;
}

/* ---- caches ---------------------------------------------------------------------------------- */

/* Caches of the very GPU that the profile has been asked for with other resident blocks, or before a
 * what-if changed it. */
static const struct cache_section *find_near_caches(const struct prediction *out)
{
    struct cache_geometry geometry;
    const struct cache_section *near = NULL;
    if (!profile_next_caches(out->profile, NULL)) return NULL;
    struct machine *loaded = machine_as_loaded(out->machine);
    if (cache_geometry_read(loaded, out->profile, out->occupancy.blocks_per_sm, &geometry))
        near = profile_near_caches(out->profile, cache_geometry_find(&geometry, out->l2.share));
    mem_free(loaded);
    return near;
}

/* The model that follows the traces in time, MODEL_COUNT: none. */
static enum model_id follower(void)
{
    enum model_id id = 0;
    while (id < MODEL_COUNT && !models[id]->follows_caches)
        id++;
    return id;
}

/* Does the model answer for the launch as it is: no effect switched off, none of its options set? */
static bool is_plain(const struct model *model, const struct model_input *input)
{
    for (size_t i = 0; i < model->option_count; i++)
        if (model_option_get(model, input, model->options[i].key)) return false;
    return !input->effects_off && !input->observer && !input->clocks;
}

/* By the model that follows the traces in time, for the launch as it is. *out_answer: its estimate, if that is
 * what the prediction asks for, too; else NULL. */
static ws_status follow_caches(struct diag *diag, const struct model_input *base,
                               const char *no_occupancy, struct prediction *out,
                               const struct estimate **out_answer)
{
    enum model_id id = follower();
    const struct model *model = models[id];
    struct model_input input = *base;
    bool is_answer = is_plain(model, base) && is_wanted(model, out->options.only);
    if (!is_answer) {
        input.effects_off = 0;
        input.option_count = 0;
        input.observer = NULL;
        input.clocks = NULL;
        input.without_details = true;
    }
    out->caches_reason = needs_check(model, &input, no_occupancy);
    if (out->caches_reason) return WS_OK;
    struct estimate *estimate = ARENA_ARRAY(&out->arena, struct estimate, 1);
    ws_status status = ask(diag, id, &input, estimate);
    if (status == WS_OK) {
        out->caches = estimate->traffic;
        if (is_answer) *out_answer = estimate;
    }
    if (status != WS_ERR_NO_MODEL) return status;
    out->caches_reason = arena_copy(&out->arena, diag_text(diag));
    diag_clear(diag);
    return WS_OK;
}

/* Followed, if there are traces; else those of the profile, if it has been asked for such caches before; without
 * either a change is compared with the hits as they were, not with none. */
static ws_status find_caches(struct diag *diag, const struct model_input *base,
                             const char *no_occupancy, struct prediction *out,
                             const struct estimate **out_answer)
{
    struct cache_geometry geometry;
    const struct profile *profile = out->profile;
    if (!out->occupancy.blocks_per_sm)
        out->caches_reason = "the resident blocks per SM are unknown";
    else if (!cache_geometry_read(out->machine, profile, out->occupancy.blocks_per_sm, &geometry))
        out->caches_reason =
            "this GPU has no caches for global memory, or its machine file lacks them";
    if (out->caches_reason) return WS_OK;
    if (base->trace && !out->options.without_caches)
        return follow_caches(diag, base, no_occupancy, out, out_answer);
    out->caches = profile_find_caches(profile, cache_geometry_find(&geometry, out->l2.share));
    if (!out->caches) out->caches = find_near_caches(out);
    if (!out->caches)
        out->caches_reason = out->options.without_traces
                                 ? "warp traces are switched off"
                                 : arena_format(&out->arena, "no warp traces: %s",
                                                profile->trace_reason ? profile->trace_reason : "");
    return WS_OK;
}

/* What of the launch is on an SM at once. A core of a CPU runs work-items one after
 * the other: nothing of this is known there. */
static ws_status place_launch(struct diag *diag, struct prediction *out, const char **no_occupancy)
{
    if (out->machine->kind == MACHINE_IS_CPU) {
        *no_occupancy = "occupancy applies to GPUs only";
        out->registers_note = *no_occupancy;
        out->caches_reason = "caches of CPUs are not modelled";
        return WS_OK;
    }
    TRY(needs_check_segments(diag, out->profile, out->machine));
    return find_occupancy(diag, out, no_occupancy);
}

/* ---- the bound ------------------------------------------------------------------------------- */

static const enum model_id bound_id = MODEL_SPEED_OF_LIGHT;

/* The speed of light of the same launch, machine and effects: the estimate among those made, else one
 * for this question alone; NULL if it is not known, or the option bound says none. */
static const struct estimate *find_bound(struct diag *diag, const struct model_input *input,
                                         const struct prediction *out)
{
    const struct estimate *made = prediction_of(out, bound_id);
    if (model_option_get(models[bound_id], input, "bound") != 0) return NULL;
    if (made) return made;
    const struct model *model = model_for(bound_id, input->machine->kind);
    if (needs_check(model, input, NULL)) return NULL;
    struct estimate *bound = ARENA_ARRAY(input->arena, struct estimate, 1);
    *bound = (struct estimate){.id = bound_id, .model = model->name};
    bound->assumption_count = ASSUMPTIONS_MAX; /* not read: none is written */
    if (model->predict(diag, input, bound) == WS_OK) return bound;
    diag_clear(diag);
    return NULL;
}

static double bound_without(const struct estimate *bound, enum effect effect)
{
    const struct effect_gain *gain = &bound->without[effect];
    return gain->modelled ? gain->time_seconds : bound->time_seconds;
}

/* Raises an answer to the bound and says so: no kernel is faster, whatever a model leaves out. */
static void raise_to(const struct estimate *bound, const struct model_input *input,
                     struct estimate *out)
{
    if (!bound || out == bound || !(out->time_seconds < bound->time_seconds)) return;
    if (out->time_seconds < bound->time_seconds * (1 - 1e-9)) {
        estimate_assume(
            out, input->arena,
            "raised to the speed of light: the model predicts %s, but %s alone takes %s",
            quantity_format(out->time_seconds, "s").text, component_words(bound->bottleneck),
            quantity_format(bound->time_seconds, "s").text);
        out->bottleneck = bound->bottleneck;
        out->next = bound->next;
    }
    out->time_seconds = bound->time_seconds;
    out->cycles = bound->cycles;
}

/* ---- gains ----------------------------------------------------------------------------------- */

/* A model whose cases do not meet (mwp-cwp as printed, reading A-3) may answer more without an effect
 * than with it: that counts as no gain, and is said. */
static void note_gain(const struct model_input *input, const struct estimate *bound,
                      enum effect effect, double time, struct estimate *out)
{
    double now = out->time_seconds, least = 0;
    if (time > now * (1 + 1e-12))
        estimate_assume(out, input->arena,
                        "without %s the model predicts %s, more than with it, because its cases "
                        "are discontinuous there; counted as no gain",
                        effect_infos[effect].id, quantity_format(time, "s").text);
    if (bound) {
        now = fmax(now, bound->time_seconds);
        least = bound_without(bound, effect);
    }
    time = fmin(fmax(time, least), now);
    out->without[effect] = (struct effect_gain){
        .modelled = true, .time_seconds = time, .gain = time > 0 ? now / time : 1};
}

/* A model asked without each of some effects. */
struct without {
    enum model_id id;
    const struct model_input *input;
    size_t count;
    enum effect effects[EFFECT_COUNT];
    double times[EFFECT_COUNT]; /* NAN: nothing is left that takes time */
};

static ws_status ask_without(struct diag *diag, void *argument, size_t i)
{
    struct without *all = argument;
    struct arena arena = {0}; /* of this thread */
    struct estimate *other = mem_zalloc(1, sizeof *other);
    struct model_input input = *all->input;
    input.effects_off |= UINT32_C(1) << all->effects[i];
    input.only_time = true;
    input.arena = &arena;
    ws_status status = ask(diag, all->id, &input, other);
    all->times[i] = status == WS_OK ? other->time_seconds : NAN;
    if (status == WS_ERR_NO_MODEL) {
        diag_clear(diag);
        status = WS_OK;
    }
    mem_free(other);
    arena_clear(&arena);
    return status;
}

/* Side by side where that pays: what follows traces takes longer than a thread needs to begin. */
static ws_status ask_without_each(struct diag *diag, struct without *all)
{
    if (models[all->id]->needs_trace) return parallel_each(diag, all->count, ask_without, all);
    for (size_t i = 0; i < all->count; i++)
        TRY(ask_without(diag, all, i));
    return WS_OK;
}

/* Time without each effect that the model knows, neither side below its bound. */
static ws_status find_gains(struct diag *diag, enum model_id id, const struct model_input *input,
                            const struct estimate *bound, struct estimate *out)
{
    struct without all = {.id = id, .input = input};
    uint32_t effects = model_for(id, input->machine->kind)->effects;
    for (unsigned i = 0; i < EFFECT_COUNT; i++)
        if (effects >> i & 1 && !out->without[i].modelled) all.effects[all.count++] = i;
    TRY(ask_without_each(diag, &all));
    for (size_t i = 0; i < all.count; i++)
        if (!isnan(all.times[i])) note_gain(input, bound, all.effects[i], all.times[i], out);
    return WS_OK;
}

static void refuse(struct prediction *out, const char *model, const char *reason)
{
    if (out->refusal_count == sizeof out->refusals / sizeof out->refusals[0]) return;
    out->refusals[out->refusal_count].model = model;
    out->refusals[out->refusal_count++].reason = reason;
}

static void note_effects(const struct model *model, const struct model_input *input,
                         struct estimate *out)
{
    for (unsigned i = 0; i < EFFECT_COUNT; i++) {
        if (!model_without(input, i)) continue;
        bool known = model->effects >> i & 1;
        estimate_assume(out, input->arena, "%s: %s", effect_infos[i].id,
                        known ? "switched off by the user" : "not modelled, so unchanged");
    }
}

/* known: an estimate that has been made already, NULL: none. */
static ws_status run_models(struct diag *diag, const struct model_input *base,
                            const char *no_occupancy, const struct estimate *known,
                            struct prediction *out)
{
    const struct estimate *bound = NULL;
    for (enum model_id i = 0; i < MODEL_COUNT && out->estimate_count < ESTIMATES_MAX; i++) {
        if (!is_wanted(models[i], out->options.only)) continue;
        struct model_input input = *base;
        const struct model *model = model_for(i, out->machine->kind);
        if (!models[i]->predict) continue;
        if (!model) {
            refuse(out, models[i]->name,
                   arena_format(&out->arena, "models GPUs only, %s is a CPU", out->machine->id));
            continue;
        }
        input.prior = out->estimates;
        input.prior_count = out->estimate_count;
        const char *lacking = needs_check(model, &input, no_occupancy);
        if (lacking) {
            refuse(out, model->name, lacking);
            continue;
        }
        struct estimate *estimate = &out->estimates[out->estimate_count];
        if (!bound && i != bound_id) bound = find_bound(diag, &input, out);
        ws_status status = WS_OK;
        if (known && known->id == i)
            *estimate = *known;
        else
            status = ask(diag, i, &input, estimate);
        if (status == WS_OK && !out->options.only && !out->options.without_gains)
            status = find_gains(diag, i, &input, bound, estimate);
        if (status == WS_OK) raise_to(bound, &input, estimate);
        if (status == WS_ERR_NO_MODEL) {
            refuse(out, model->name, arena_copy(&out->arena, diag_text(diag)));
            diag_clear(diag);
            continue;
        }
        TRY(status);
        note_effects(model, &input, estimate);
        out->estimate_count++;
    }
    return WS_OK;
}

static ws_status no_answer(struct diag *diag, const struct prediction *out)
{
    ws_status status =
        diag_error(diag, WS_ERR_NO_MODEL, "no model can predict %s on %s",
                   out->profile->kernel ? out->profile->kernel : "this kernel", out->machine->name);
    for (size_t i = 0; i < out->refusal_count; i++)
        diag_add(diag, "  %s: %s", out->refusals[i].model, out->refusals[i].reason);
    return status;
}

/* ---- one prediction --------------------------------------------------------------------------- */

static void keep_options(struct prediction *out, const struct predict_options *options)
{
    struct model_option *copies =
        ARENA_ARRAY(&out->arena, struct model_option, options->option_count + 1);
    for (size_t i = 0; i < options->option_count; i++) {
        copies[i].key = arena_copy(&out->arena, options->options[i].key);
        copies[i].value = arena_copy(&out->arena, options->options[i].value);
    }
    out->options = *options; /* .only is a model's own name, or a caller's that outlives this */
    out->options.options = copies;
}

/* What rests on the estimates of all models. */
static ws_status complete(struct diag *diag, const struct model_input *input,
                          struct prediction *out)
{
    if (out->options.only_figures) return WS_OK;
    choose_best(out);
    for (enum model_id i = 0; i < MODEL_COUNT; i++)
        if (models[i]->complete) TRY(models[i]->complete(diag, input, out));
    out->options.evidence = NULL; /* the caller's, who may free it */
    if (!out->options.effects_off) sample_time_intervals(out);
    return WS_OK;
}

/* `prediction` has its profile, its machine and its options. */
static ws_status predict(struct diag *diag, struct prediction *prediction)
{
    const struct profile *profile = prediction->profile;
    const struct machine *machine = prediction->machine;
    const struct predict_options *options = &prediction->options;
    const char *no_occupancy = NULL;
    const struct estimate *known = NULL;
    ws_status status =
        needs_check_options(diag, &prediction->arena, options->option_count, options->options);
    prediction->l2 = options->l2;
    if (status == WS_OK) status = l2_start_find(diag, profile, machine, &prediction->l2);
    if (status == WS_OK) status = place_launch(diag, prediction, &no_occupancy);
    struct model_input input = {.profile = profile,
                                .machine = machine,
                                .trace = options->without_traces ? NULL : profile->trace,
                                .occupancy = prediction->occupancy,
                                .caches = options->caches,
                                .option_count = options->option_count,
                                .options = options->options,
                                .effects_off = options->effects_off,
                                .whole_sms = options->whole_sms,
                                .without_details = options->without_details,
                                .without_texts = options->only_figures,
                                .l2 = prediction->l2,
                                .observer = options->observer,
                                .clocks = options->clocks,
                                .arena = &prediction->arena};
    if (status == WS_OK) find_spills(prediction, &input);
    if (prediction->spilled) {
        input.profile = prediction->spilled;
        input.trace = prediction->spilled->trace;
    }
    if (status == WS_OK && !options->caches && machine->kind == MACHINE_IS_GPU)
        status = find_caches(diag, &input, no_occupancy, prediction, &known);
    else
        prediction->caches = options->caches;
    input.caches = prediction->caches;
    if (status == WS_OK) status = run_models(diag, &input, no_occupancy, known, prediction);
    if (status == WS_OK && !prediction->estimate_count) status = no_answer(diag, prediction);
    return status == WS_OK ? complete(diag, &input, prediction) : status;
}

static const struct predict_options no_options = {0};

ws_status model_predict(struct diag *diag, const struct profile *profile,
                        const struct machine *machine, const struct predict_options *options,
                        struct prediction **out)
{
    struct prediction *prediction = mem_zalloc(1, sizeof *prediction);
    prediction->profile = profile;
    prediction->machine = machine;
    keep_options(prediction, options ? options : &no_options);
    ws_status status = predict(diag, prediction);
    *out = status == WS_OK ? prediction : NULL;
    if (status != WS_OK) prediction_destroy(prediction);
    return status;
}

ws_status model_predict_again(struct diag *diag, const struct profile *profile,
                              const struct machine *machine, const struct predict_options *options,
                              struct prediction *prediction)
{
    profile_drop_spills(prediction->spilled);
    arena_restart(&prediction->arena);
    struct arena arena = prediction->arena;
    memset(prediction, 0, offsetof(struct prediction, estimates));
    prediction->arena = arena;
    prediction->profile = profile;
    prediction->machine = machine;
    keep_options(prediction, options);
    return predict(diag, prediction);
}

void prediction_clear(struct prediction *prediction)
{
    profile_drop_spills(prediction->spilled);
    arena_clear(&prediction->arena);
}

void prediction_destroy(struct prediction *prediction)
{
    if (!prediction) return;
    prediction_clear(prediction);
    mem_free(prediction);
}
