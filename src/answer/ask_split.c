// SPDX-License-Identifier: Apache-2.0
/* The question `split`: one launch on a GPU and a CPU at once, for every GPU with every CPU. */
#include <math.h>
#include <string.h>

#include "answer/question.h"
#include "model/power/power_estimate.h"
#include "model/throughput/split_plan.h"

enum { SECTOR_BYTES = 32 };

struct split_row {
    struct split_times times;
    double joules; /* NAN: not known */
};

struct split_pair {
    const struct profile *profile;
    const struct machine *gpu, *cpu;
    enum model_id gpu_model, cpu_model;
    struct split_input input;
    struct split_plan plan;
    const char *link;     /* as asked; NULL: transfers do not count */
    const char *no_power; /* NULL: the energy is known */
    struct split_row best, gpu_alone, cpu_alone;
    double alone_seconds; /* of the better device */
};

struct split_answer {
    struct split_pair *pairs;
    size_t count;
};

/* ---- figures --------------------------------------------------------------------------------- */

/* Below this a split is not worth its trouble; guess. */
static const double WORTH = 1.02;

static const char *judge(const struct split_pair *pair)
{
    if (pair->alone_seconds >= WORTH * pair->best.times.seconds) return "split";
    return pair->cpu_alone.times.seconds <= pair->gpu_alone.times.seconds ? "cpu" : "gpu";
}

static uint64_t gpu_blocks(const struct split_pair *pair)
{
    return (uint64_t)nearbyint(pair->best.times.gpu_share * pair->input.blocks);
}

#define FIGURE_FILE "answer/figures/split.def"
#include "base/figure_tables.h"

/* ---- asking ---------------------------------------------------------------------------------- */

static const struct input_info inputs[] = {
    PREDICT_INPUTS,
    {"transfer", INPUT_WORD, "", "include transfers over this link, as in pcie3x16"},
    {"bytes_in", INPUT_NUMBER, "B",
     "bytes to the GPU if it does all the work; default: what the kernel reads"},
    {"bytes_out", INPUT_NUMBER, "B", "bytes back from the GPU; default: what the kernel writes"},
    {"model", INPUT_WORD, "", "model that predicts the times: throughput (default) or best"},
};

/* The estimate of the wanted model; its refusal is the reason if there is none. */
static ws_status find_time(const struct asked *asked, const struct prediction *prediction,
                           enum model_id *out_model, double *out_seconds)
{
    const char *model = asked_word(asked, "model");
    if (!model) model = models[MODEL_THROUGHPUT]->name;
    const struct estimate *estimate = !strcmp(model, "best")
                                          ? &prediction->estimates[prediction->best]
                                          : prediction_find(prediction, model);
    const char *reason = "unknown time model";
    if (estimate) {
        *out_model = estimate->id;
        *out_seconds = estimate->time_seconds;
        return WS_OK;
    }
    for (size_t i = 0; i < prediction->refusal_count; i++)
        if (!strcmp(prediction->refusals[i].model, model)) reason = prediction->refusals[i].reason;
    return diag_error(asked->diag, WS_ERR_NO_MODEL,
                      "split requires the time of model %s on %s, which is not available: %s (use "
                      "--model for another model)",
                      model, prediction->machine->id, reason);
}

static double moved_bytes(const struct asked *asked, const char *name, enum counter counter)
{
    const struct profile *profile = asked->profiles[0];
    if (asked_has(asked, name)) return asked_number(asked, name, 0);
    return profile_has(profile, counter) ? profile_get(profile, counter) * SECTOR_BYTES : NAN;
}

static ws_status read_transfers(const struct asked *asked, struct split_pair *pair)
{
    struct split_input *input = &pair->input;
    pair->link = asked_word(asked, "transfer");
    if (!pair->link) return WS_OK;
    pair->link = arena_copy(&asked->answer->arena, pair->link);
    TRY(split_link_find(asked->diag, pair->link, &input->link));
    input->bytes_in = moved_bytes(asked, "bytes_in", COUNTER_MEM_GLOBAL_READ_FOOTPRINT);
    input->bytes_out = moved_bytes(asked, "bytes_out", COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT);
    if (isfinite(input->bytes_in) && isfinite(input->bytes_out)) return WS_OK;
    return diag_error(
        asked->diag, WS_ERR_COMPARE,
        "the profile lacks the bytes read and written (%s, %s): set the bytes to move",
        counter_infos[COUNTER_MEM_GLOBAL_READ_FOOTPRINT].id,
        counter_infos[COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT].id);
}

/* NULL: `power` is complete. */
static const char *read_power(const struct prediction *gpu, const struct prediction *cpu,
                              struct split_power *power)
{
    static const enum machine_key keys[] = {MACHINE_POWER_IDLE, MACHINE_CPU_CORE_POWER};
    if (!gpu->power) return gpu->no_power;
    for (size_t i = 0; i < 2; i++)
        if (!machine_has(cpu->machine, keys[i]))
            return "no power coefficients for this CPU (it lacks power.idle or cpu.core_power)";
    const struct term *cores = estimate_term(&cpu->estimates[cpu->best], "active_cores");
    *power = (struct split_power){
        .gpu_idle_watts = gpu->power->watts.idle_watts,
        .gpu_runtime_watts = gpu->power->watts.runtime_watts,
        .cpu_idle_watts = machine_get(cpu->machine, MACHINE_POWER_IDLE, 0),
        .cpu_runtime_watts =
            machine_get(cpu->machine, MACHINE_CPU_CORE_POWER, 0) *
            (cores ? cores->value : machine_get(cpu->machine, MACHINE_CPU_CORES, 1)),
    };
    return NULL;
}

static struct split_row row_of(const struct split_times *times, const struct split_power *power)
{
    return (struct split_row){*times, power ? split_energy(power, times) : NAN};
}

static ws_status plan_pair(const struct asked *asked, const struct prediction *gpu,
                           const struct prediction *cpu, struct split_pair *out)
{
    struct split_input *input = &out->input;
    struct split_power coefficients;
    *out = (struct split_pair){
        .profile = asked->profiles[0], .gpu = gpu->machine, .cpu = cpu->machine};
    input->blocks = (double)profile_blocks(out->profile);
    TRY(find_time(asked, gpu, &out->gpu_model, &input->gpu_seconds));
    TRY(find_time(asked, cpu, &out->cpu_model, &input->cpu_seconds));
    TRY(read_transfers(asked, out));
    out->plan = split_plan(input);
    out->no_power = read_power(gpu, cpu, &coefficients);
    const struct split_power *power = out->no_power ? NULL : &coefficients;
    out->best = row_of(&out->plan.best, power);
    out->gpu_alone = row_of(&out->plan.gpu_alone, power);
    out->cpu_alone = row_of(&out->plan.cpu_alone, power);
    out->alone_seconds = fmin(out->plan.gpu_alone.seconds, out->plan.cpu_alone.seconds);
    return WS_OK;
}

static ws_status predict(const struct asked *asked, const struct predict_options *options,
                         size_t machine, const struct prediction **predictions)
{
    if (predictions[machine]) return WS_OK;
    return asked_predict(asked, asked->profiles[0], asked->machines[machine], options,
                         &predictions[machine]);
}

static ws_status ask_pairs(const struct asked *asked, const struct predict_options *options,
                           struct split_answer *answer)
{
    const struct prediction **predictions =
        ARENA_ARRAY(&asked->answer->arena, const struct prediction *, asked->machine_count + 1);
    for (size_t g = 0; g < asked->machine_count; g++) {
        if (asked->machines[g]->kind == MACHINE_IS_CPU) continue;
        for (size_t c = 0; c < asked->machine_count; c++) {
            if (asked->machines[c]->kind != MACHINE_IS_CPU) continue;
            TRY(predict(asked, options, g, predictions));
            TRY(predict(asked, options, c, predictions));
            TRY(plan_pair(asked, predictions[g], predictions[c], &answer->pairs[answer->count]));
            answer->count++;
        }
    }
    return WS_OK;
}

static ws_status ask(struct asked *asked, const void **out)
{
    struct arena *arena = &asked->answer->arena;
    struct split_answer *answer = ARENA_ARRAY(arena, struct split_answer, 1);
    size_t count = asked->machine_count;
    struct predict_options options;
    TRY(asked_predict_options(asked, &options));
    options.without_gains = options.without_details = true;
    answer->pairs = ARENA_ARRAY(arena, struct split_pair, count * count / 4 + 1);
    TRY(ask_pairs(asked, &options, answer));
    if (!answer->count)
        return diag_error(asked->diag, WS_ERR_ARGUMENT, "split requires one GPU and one CPU");
    *out = answer;
    return WS_OK;
}

const struct question question_split = {
    .name = "split",
    .schema = "warpsage.split/1",
    .text = "How much of a launch should go to a GPU and how much to a CPU?",
    .record = &record_split,
    .inputs = inputs,
    .input_count = sizeof inputs / sizeof *inputs,
    .takes_profiles = true,
    .ask = ask,
};
