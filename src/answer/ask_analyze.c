// SPDX-License-Identifier: Apache-2.0
/* The question `analyze`: how long kernels take on machines, what limits them, why, what to do. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "answer/access_table.h"
#include "answer/analyze.h"
#include "answer/charts.h"
#include "answer/code_answer.h"
#include "answer/comparison.h"
#include "answer/profiler_counts.h"
#include "answer/question.h"
#include "answer/words.h"
#include "measure/cache.h"
#include "model/power/power_estimate.h"
#include "model/quantitative.h"
#include "model/teg/warp_waits.h"

struct access_node {
    struct access_row row;
    const char *place;
};

struct hot_node {
    struct hot_line line;
    const char *place;
};

struct effect_node {
    const char *id;
    struct effect_gain gain;
};

struct wait_node {
    struct wait_line line;
    const char *place;
};

struct waits_node {
    const struct warp_waits *waits; /* NULL: the model does not follow warps */
    struct wait_node *lines;
};

struct estimate_node {
    const struct estimate *estimate;
    bool is_best;
    struct waits_node waits;
};

struct cache_node {
    const struct cache_section *section;
    const struct profile *profile;
};

struct analyzed_machine {
    const struct prediction *prediction;
    const struct diagnosis *diagnosis;
    struct estimate_node *estimates;
    const struct profiler_counts *profiler; /* NULL: not asked for, or unknown */
    const struct hot_code *hot_code;        /* NULL: not asked for, or no instruction is known */
    const struct machine_charts *charts;    /* NULL: not asked for */
    size_t access_count;
    struct access_node *accesses;
};

struct analyzed_kernel {
    const struct profile *profile;
    size_t access_count, line_count, machine_count;
    struct access_node *accesses;
    struct hot_node *lines;
    struct analyzed_machine *machines;
    const struct code_answer *code; /* NULL: not asked for */
};

struct analyze_answer {
    size_t count;
    struct analyzed_kernel *kernels;
    size_t comparison_count;
    struct comparison *comparisons;
};

/* ---- figures: the profile ---------------------------------------------------------------------- */

static const char *name_of(const struct profile *profile)
{
    return profile->kernel ? profile->kernel : "";
}

static const uint64_t *three(const uint32_t values[3], struct arena *arena)
{
    uint64_t *out = ARENA_ARRAY(arena, uint64_t, 3);
    for (unsigned i = 0; i < 3; i++)
        out[i] = values[i];
    return out;
}

static const uint64_t *global_size(const struct profile *profile, struct arena *arena)
{
    uint64_t *out = ARENA_ARRAY(arena, uint64_t, 3);
    for (unsigned i = 0; i < 3; i++)
        out[i] = (uint64_t)profile->grid[i] * profile->block[i];
    return out;
}

static const struct measured *counters_of(const struct profile *profile, struct arena *arena)
{
    struct measured *out = ARENA_ARRAY(arena, struct measured, COUNTER_COUNT);
    for (size_t i = 0; i < COUNTER_COUNT; i++) {
        const struct counter_value *value = &profile->counters[i];
        bool is_known = value->origin != ORIGIN_NONE && isfinite(value->value);
        out[i] = (struct measured){
            .id = counter_infos[i].id,
            .value = is_known ? value->value : NAN,
            .low = value->lo,
            .high = value->hi,
            .unit = counter_infos[i].unit,
            .text = counter_infos[i].text,
            .reason = value->reason ? value->reason : "not in this profile",
            .origin = is_known ? (enum origin)value->origin : ORIGIN_NONE,
        };
    }
    return out;
}

static struct measured plain_counter(size_t counter, double value)
{
    return (struct measured){.id = counter_infos[counter].id,
                             .value = value,
                             .low = value,
                             .high = value,
                             .unit = counter_infos[counter].unit,
                             .text = counter_infos[counter].text,
                             .origin = ORIGIN_EMULATED};
}

static const struct measured *instruction_counters(const struct instruction_profile *instruction,
                                                   struct arena *arena)
{
    struct measured *out = ARENA_ARRAY(arena, struct measured, instruction->counter_count + 1);
    for (uint32_t i = 0; i < instruction->counter_count; i++)
        out[i] = plain_counter(instruction->counters[i], instruction->values[i]);
    return out;
}

static bool stage_has(const struct stage_profile *stage, size_t counter)
{
    return stage->counters[counter] != 0 && isfinite(stage->counters[counter]);
}

static size_t stage_counter_count(const struct stage_profile *stage)
{
    size_t count = 0;
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        count += stage_has(stage, i);
    return count;
}

static const struct measured *stage_counters(const struct stage_profile *stage, struct arena *arena)
{
    struct measured *out = ARENA_ARRAY(arena, struct measured, stage_counter_count(stage) + 1);
    size_t count = 0;
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        if (stage_has(stage, i)) out[count++] = plain_counter(i, stage->counters[i]);
    return out;
}

/* ---- figures: estimates ------------------------------------------------------------------------ */

static size_t component_count(const struct estimate *estimate)
{
    size_t count = 0;
    for (size_t i = 0; i < estimate->term_count; i++)
        count += estimate->terms[i].component != COMPONENT_NONE;
    return count;
}

static const struct measured *components_of(const struct estimate *estimate, struct arena *arena)
{
    struct measured *out = ARENA_ARRAY(arena, struct measured, component_count(estimate) + 1);
    size_t count = 0;
    for (size_t i = 0; i < estimate->term_count; i++) {
        const struct term *term = &estimate->terms[i];
        if (!term->component) continue;
        out[count] = measured_of_term(term);
        out[count++].id = component_infos[term->component].id;
    }
    return out;
}

/* Stages that the model knows; none: an empty list. */
static const struct stage_times *times_of(const struct estimate *estimate)
{
    static const struct stage_times none = {0};
    const struct stage_times *times = estimate_details(estimate, MODEL_QUANTITATIVE);
    return times ? times : &none;
}

/* The table of a model's own section; NULL: it has none. */
static const struct record *details_record(const struct estimate *estimate)
{
    return estimate->details ? models[estimate->id]->details : NULL;
}

static const struct record *details_choice(size_t index)
{
    for (size_t i = 0; i < MODEL_COUNT; i++)
        if (models[i]->details && !index--) return models[i]->details;
    return NULL;
}

static const struct measured *wait_causes(const struct warp_waits *waits, struct arena *arena)
{
    struct measured *out = ARENA_ARRAY(arena, struct measured, waits->cause_count + 1);
    for (size_t i = 0; i < waits->cause_count; i++)
        out[i] = (struct measured){.id = waits->causes[i].id,
                                   .value = waits->causes[i].share,
                                   .unit = "1",
                                   .text = waits->causes[i].text,
                                   .origin = ORIGIN_MODELLED};
    return out;
}

static const struct effect_node *effects_of(const struct estimate *estimate, struct arena *arena)
{
    struct effect_node *out = ARENA_ARRAY(arena, struct effect_node, EFFECT_COUNT);
    for (size_t i = 0; i < EFFECT_COUNT; i++)
        out[i] = (struct effect_node){effect_infos[i].id, estimate->without[i]};
    return out;
}

static bool is_modelled(const struct effect_node *effect)
{
    return effect->gain.modelled && isfinite(effect->gain.time_seconds) &&
           isfinite(effect->gain.gain);
}

/* ---- figures: the machine ---------------------------------------------------------------------- */

static const struct estimate *best_of(const struct analyzed_machine *machine)
{
    return &machine->prediction->estimates[machine->prediction->best];
}

static double waves_of(const struct prediction *prediction)
{
    double sms = machine_get(prediction->machine, MACHINE_SM_COUNT, 0);
    unsigned resident = prediction->occupancy.blocks_per_sm;
    return sms > 0 && resident ? (double)profile_blocks(prediction->profile) / (sms * resident) : 0;
}

static double rate_of(double rate)
{
    return rate < 0 ? NAN : rate;
}

static const struct cache_node *caches_of(const struct analyzed_machine *machine,
                                          struct arena *arena)
{
    struct cache_node *out = ARENA_ARRAY(arena, struct cache_node, 1);
    *out = (struct cache_node){machine->prediction->caches, machine->prediction->profile};
    return out;
}

static double grid_bytes(const struct cache_node *caches, enum cache_count what)
{
    return (double)caches->section->counts[what] * CACHE_SECTOR_BYTES;
}

static struct measured counted(const char *id, const char *text, uint64_t count)
{
    return (struct measured){.id = id,
                             .is_count = true,
                             .count = count,
                             .unit = "",
                             .text = text,
                             .origin = ORIGIN_MODELLED};
}

static const struct measured *cache_geometry_figures(const struct cache_section *section,
                                                     struct arena *arena)
{
    struct measured *out = ARENA_ARRAY(arena, struct measured, CACHE_GEOMETRY_COUNT);
    for (unsigned i = 0; i < CACHE_GEOMETRY_COUNT; i++)
        out[i] =
            counted(cache_geometry_numbers[i].id, NULL, cache_geometry_get(&section->geometry, i));
    return out;
}

static const struct measured *cache_sector_figures(const struct cache_section *section,
                                                   struct arena *arena)
{
    struct measured *out = ARENA_ARRAY(arena, struct measured, CACHE_COUNT_COUNT);
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++)
        out[i] = counted(cache_count_infos[i].id, cache_count_infos[i].text, section->counts[i]);
    return out;
}

/* ---- figures: power ---------------------------------------------------------------------------- */

static struct measured watts_or_joules(const char *id, const char *unit, double value,
                                       const char *reason)
{
    return (struct measured){.id = id,
                             .value = reason ? NAN : value,
                             .low = value,
                             .high = value,
                             .unit = unit,
                             .reason = reason,
                             .origin = ORIGIN_MODELLED};
}

/* Of watts times `factor`. */
static void set_band(const struct power_estimate *power, double factor, struct measured *out)
{
    if (!power || !power->band) return;
    out->low = power->low_watts * factor;
    out->high = power->high_watts * factor;
}

static const struct measured *mean_power(const struct prediction *prediction, struct arena *arena)
{
    const struct power_estimate *power = prediction->power;
    struct measured *out = ARENA_ARRAY(arena, struct measured, 1);
    *out = watts_or_joules("mean", "W", power ? power->watts.gpu_watts : NAN,
                           power ? NULL : prediction->no_power);
    set_band(power, 1, out);
    return out;
}

static const struct measured *energy_of(const struct prediction *prediction, struct arena *arena)
{
    const struct power_estimate *power = prediction->power;
    double joules = power ? power->watts.gpu_watts * power->answer.time_seconds : NAN;
    struct measured *out = ARENA_ARRAY(arena, struct measured, 1);
    *out = watts_or_joules("energy", "J", joules, power ? NULL : prediction->no_power);
    set_band(power, power ? power->answer.time_seconds : NAN, out);
    return out;
}

static const struct measured *power_parts(const struct power_estimate *power, struct arena *arena)
{
    const struct ipp_watts *watts = &power->watts;
    struct measured *out = ARENA_ARRAY(arena, struct measured, POWER_UNIT_COUNT + 3);
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++) {
        out[i] =
            watts_or_joules(power_unit_infos[i].id, "W", watts->units[i], power->unit_reasons[i]);
        out[i].text = power_unit_infos[i].text;
    }
    struct measured *others = &out[POWER_UNIT_COUNT];
    others[0] = watts_or_joules("const_sm", "W", watts->const_sm_watts, NULL);
    others[0].text = "active SMs, whatever they do";
    others[1] = watts_or_joules("activation", "W", watts->activation_watts, NULL);
    others[1].text = "activation";
    others[2] = watts_or_joules("idle", "W", watts->idle_watts, NULL);
    others[2].text = "idle GPU";
    return out;
}

static const struct measured *energy_parts(const struct power_estimate *power, struct arena *arena)
{
    const struct ipp_watts *watts = &power->watts;
    double seconds = power->answer.time_seconds, memory = 0;
    for (size_t i = 0; i < POWER_UNIT_COUNT; i++)
        if (power_unit_infos[i].once_per_gpu) memory += watts->units[i];
    double sms = watts->runtime_watts - watts->activation_watts - memory;
    struct measured *out = ARENA_ARRAY(arena, struct measured, 4);
    out[0] = watts_or_joules("idle", "J", watts->idle_watts * seconds, NULL);
    out[1] = watts_or_joules("activation", "J", watts->activation_watts * seconds, NULL);
    out[2] = watts_or_joules("sms", "J", sms * seconds, NULL);
    out[3] = watts_or_joules("memory", "J", memory * seconds, NULL);
    return out;
}

/* ---- figures: evidence ------------------------------------------------------------------------- */

static const char *const *capability_range(const struct evidence_row *row, struct arena *arena)
{
    const char **out = ARENA_ARRAY(arena, const char *, 2);
    out[0] = arena_format(arena, "%u.%u", row->cc_first / 10, row->cc_first % 10);
    out[1] = arena_format(arena, "%u.%u", row->cc_last / 10, row->cc_last % 10);
    return out;
}

static bool has_source(const struct advice *advice)
{
    return advice->instruction && advice->instruction->file && advice->instruction->source_line;
}

#define FIGURE_FILE "answer/figures/analyze.def"
#include "base/figure_tables.h"

/* ---- asking ------------------------------------------------------------------------------------ */

static const char *place_of(const struct instruction_profile *instruction, struct arena *arena)
{
    char place[200];
    instruction_place(place, sizeof place, instruction);
    return arena_copy(arena, place);
}

static struct access_node *find_accesses(const struct profile *profile,
                                         const struct machine *machine, struct arena *arena,
                                         size_t *out_count)
{
    struct access_rule rule = {.global = RULE_IS_SECTOR};
    if (machine)
        rule = (struct access_rule){coalescing_rule_of(machine), shared_is_half_warp(machine)};
    struct access_row *rows = access_table(profile, &rule, out_count);
    struct access_node *out = ARENA_ARRAY(arena, struct access_node, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++)
        out[i] = (struct access_node){rows[i], place_of(rows[i].insn, arena)};
    mem_free(rows);
    return out;
}

static struct hot_node *find_lines(const struct profile *profile, struct arena *arena,
                                   size_t *out_count)
{
    struct hot_line *lines = hot_lines(profile, out_count);
    struct hot_node *out = ARENA_ARRAY(arena, struct hot_node, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++)
        out[i] = (struct hot_node){lines[i], place_of(lines[i].insn, arena)};
    mem_free(lines);
    return out;
}

static struct waits_node find_waits(const struct estimate *estimate, const struct profile *profile,
                                    struct arena *arena)
{
    const struct warp_waits *waits = estimate_details(estimate, MODEL_TEG);
    bool is_native = profile->instruction_count && profile->instructions[0].is_native;
    if (!waits) return (struct waits_node){0};
    struct wait_node *lines = ARENA_ARRAY(arena, struct wait_node, waits->line_count + 1);
    for (size_t i = 0; i < waits->line_count; i++) {
        const struct wait_line *line = &waits->lines[i];
        struct instruction_profile at = {.file = line->file, .is_native = is_native};
        *(line->file ? &at.source_line : &at.line) = line->line;
        lines[i] = (struct wait_node){*line, place_of(&at, arena)};
    }
    return (struct waits_node){waits, lines};
}

static void release_diagnosis(void *what)
{
    diagnosis_destroy(what);
}

/* What is shown of a prediction, in the arena; without a diagnosis only the estimates. */
static void describe_machine(const struct prediction *prediction, const struct diagnosis *diagnosis,
                             struct arena *arena, struct analyzed_machine *out)
{
    static const struct diagnosis none = {0};
    size_t count = prediction->estimate_count;
    *out = (struct analyzed_machine){.prediction = prediction,
                                     .diagnosis = diagnosis ? diagnosis : &none};
    out->estimates = ARENA_ARRAY(arena, struct estimate_node, count + 1);
    for (size_t i = 0; i < count; i++) {
        const struct estimate *estimate = &prediction->estimates[i];
        out->estimates[i] = (struct estimate_node){
            estimate, i == prediction->best, find_waits(estimate, prediction->profile, arena)};
    }
    if (diagnosis)
        out->accesses =
            find_accesses(prediction->profile, prediction->machine, arena, &out->access_count);
}

static struct analyzed_kernel describe_kernel(const struct profile *profile, size_t machine_count,
                                              bool with_evidence, struct arena *arena)
{
    struct analyzed_kernel kernel = {.profile = profile, .machine_count = machine_count};
    kernel.machines = ARENA_ARRAY(arena, struct analyzed_machine, machine_count + 1);
    if (!with_evidence) return kernel;
    kernel.accesses = find_accesses(profile, NULL, arena, &kernel.access_count);
    kernel.lines = find_lines(profile, arena, &kernel.line_count);
    return kernel;
}

/* Is more asked for than times? */
static bool has_evidence(const struct predict_options *options)
{
    return !options->without_gains && !options->only;
}

static const struct warp_waits *waits_of(const struct analyzed_machine *machine)
{
    for (size_t i = 0; i < machine->prediction->estimate_count; i++)
        if (machine->estimates[i].waits.waits) return machine->estimates[i].waits.waits;
    return NULL;
}

/* What the lines of the code cost, once the machines are described; `lists`: all of them. */
static void describe_code(struct arena *arena, struct analyzed_kernel *kernel, bool lists)
{
    struct code_machine *machines =
        ARENA_ARRAY(arena, struct code_machine, kernel->machine_count + 1);
    size_t count = 0;
    if (!kernel->profile->instruction_count) return;
    for (size_t i = 0; i < kernel->machine_count; i++) {
        const struct warp_waits *waits = waits_of(&kernel->machines[i]);
        const char *id = kernel->machines[i].prediction->machine->id;
        if (waits) machines[count++] = (struct code_machine){id, waits};
    }
    struct code_table *table = code_table_make(arena, kernel->profile, machines, count);
    for (size_t i = 0, known = 0; i < kernel->machine_count; i++) {
        bool is_known = waits_of(&kernel->machines[i]) != NULL;
        kernel->machines[i].hot_code = hot_code_find(arena, table, is_known ? known : CODE_NO_ROW);
        known += is_known;
    }
    if (lists)
        kernel->code = code_answer_make(arena, kernel->profile, table, kernel->machine_count);
}

static ws_status ask_machine(struct asked *asked, const struct profile *profile,
                             const struct machine *machine, const struct predict_options *options,
                             struct analyzed_machine *out)
{
    const struct prediction *prediction;
    struct diagnosis *diagnosis = NULL;
    TRY(asked_predict(asked, profile, machine, options, &prediction));
    if (has_evidence(options)) {
        TRY(recommend_derive(asked->diag, prediction, &diagnosis));
        answer_own(asked->answer, release_diagnosis, diagnosis);
    }
    describe_machine(prediction, diagnosis, &asked->answer->arena, out);
    struct profiler_counts *profiler =
        ARENA_ARRAY(&asked->answer->arena, struct profiler_counts, 1);
    if (asked_flag(asked, "profiler") && profiler_counts_read(prediction, profiler))
        out->profiler = profiler;
    if (!asked_flag(asked, "charts") || !has_evidence(options)) return WS_OK;
    return charts_find(asked, prediction, &out->charts);
}

static ws_status ask_kernel(struct asked *asked, const struct profile *profile,
                            const struct predict_options *options, struct analyzed_kernel *out)
{
    *out = describe_kernel(profile, asked->machine_count, has_evidence(options),
                           &asked->answer->arena);
    for (size_t i = 0; i < asked->machine_count; i++)
        TRY(ask_machine(asked, profile, asked->machines[i], options, &out->machines[i]));
    if (has_evidence(options)) describe_code(&asked->answer->arena, out, asked_flag(asked, "code"));
    return WS_OK;
}

static void compare_kernels(struct arena *arena, struct analyze_answer *answer, bool are_different)
{
    size_t machine_count = answer->count ? answer->kernels[0].machine_count : 0, count = 0;
    const struct prediction **predictions =
        ARENA_ARRAY(arena, const struct prediction *, answer->count *machine_count + 1);
    const char **names = ARENA_ARRAY(arena, const char *, answer->count + 1);
    for (size_t i = 0; i < answer->count; i++) {
        names[i] = name_of(answer->kernels[i].profile);
        for (size_t k = 0; k < machine_count; k++)
            predictions[count++] = answer->kernels[i].machines[k].prediction;
    }
    answer->comparison_count = compare_headlines(arena, predictions, names, answer->count, count,
                                                 are_different, &answer->comparisons);
}

struct answer *analyze_describe(const struct profile *profile,
                                const struct prediction *const *predictions,
                                const struct diagnosis *const *diagnoses, size_t count)
{
    struct answer *answer = answer_create(&question_analyze);
    struct analyze_answer *record = ARENA_ARRAY(&answer->arena, struct analyze_answer, 1);
    record->count = 1;
    record->kernels = ARENA_ARRAY(&answer->arena, struct analyzed_kernel, 1);
    record->kernels[0] = describe_kernel(profile, count, true, &answer->arena);
    for (size_t i = 0; i < count; i++)
        describe_machine(predictions[i], diagnoses[i], &answer->arena,
                         &record->kernels[0].machines[i]);
    describe_code(&answer->arena, &record->kernels[0], false);
    compare_kernels(&answer->arena, record, false);
    answer_complete(answer, question_analyze.record, record);
    return answer;
}

ws_status asked_model(const struct asked *asked, const char **out)
{
    const char *name = asked_word(asked, "model");
    const struct model *model = name ? model_find(name) : NULL;
    *out = model ? model->name : NULL;
    if (!name || model) return WS_OK;
    return diag_error(asked->diag, WS_ERR_ARGUMENT,
                      "unknown model '%s'; `warpsage explain` lists them", name);
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct analyze_answer *answer = ARENA_ARRAY(arena, struct analyze_answer, 1);
    struct predict_options options;
    TRY(asked_predict_options(asked, &options));
    options.without_traces = asked_flag(asked, "without_traces");
    options.without_gains = asked_flag(asked, "times_only");
    TRY(asked_model(asked, &options.only));
    answer->count = asked->profile_count;
    answer->kernels = ARENA_ARRAY(arena, struct analyzed_kernel, answer->count + 1);
    for (size_t i = 0; i < answer->count; i++)
        TRY(ask_kernel(asked, asked->profiles[i], &options, &answer->kernels[i]));
    compare_kernels(arena, answer, asked_flag(asked, "different"));
    *out = answer;
    return WS_OK;
}

static const struct input_info inputs[] = {
    PREDICT_INPUTS,
    {"without_traces", INPUT_FLAG, "", "ignore warp traces: no model teg, no cache hits"},
    {"model", INPUT_WORD, "", "run only this model and those that it depends on"},
    {"times_only", INPUT_FLAG, "", "omit the cost of each effect, the cause and the advice"},
    {"different", INPUT_FLAG, "", "kernels do different things: do not compare their times"},
    {"profiler", INPUT_FLAG, "", "also what Nsight Compute would count"},
    {"charts", INPUT_FLAG, "",
     "also the figures of charts: roofline, curves over warps and launch parameters, ranked "
     "changes of the machine, temperatures; not with `model` or `times_only`"},
    {"code", INPUT_FLAG, "", "also source, PTX and native code, with the cost of each line"},
};

const struct question question_analyze = {
    .name = "analyze",
    .schema = "warpsage.report/1",
    .text = "How long do kernels take on these machines, what limits them and why, and what would "
            "help?",
    .record = &record_analyze,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .takes_profiles = true,
    .ask = ask,
    .points = &analyze_points,
};
