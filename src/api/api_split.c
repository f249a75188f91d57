// SPDX-License-Identifier: Apache-2.0
/* One launch on a GPU and a CPU at once: two predictions, one plan. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/pipeline.h"
#include "base/float_state.h"
#include "model/power/power_estimate.h"
#include "model/throughput/split_plan.h"

enum { SECTOR_BYTES = 32 };

/* The estimate of the wanted model; its refusal is the reason if there is none. */
static ws_status find_time(struct diag *diag, const struct prediction *prediction,
                           const char *model, const struct estimate **out)
{
    *out = &prediction->estimates[prediction->best];
    if (!strcmp(model, "best")) return WS_OK;
    *out = prediction_find(prediction, model);
    if (*out) return WS_OK;
    const char *reason = "there is no such model of time";
    for (size_t i = 0; i < prediction->refusal_count; i++)
        if (!strcmp(prediction->refusals[i].model, model)) reason = prediction->refusals[i].reason;
    return diag_error(
        diag, WS_ERR_NO_MODEL,
        "split needs the time of the model %s on %s, which cannot answer: %s (another "
        "model: --model)",
        model, prediction->machine->id, reason);
}

static double footprint(const struct profile *profile, enum counter counter)
{
    return profile_has(profile, counter) ? profile_get(profile, counter) * SECTOR_BYTES : NAN;
}

static ws_status read_transfers(struct diag *diag, const struct profile *profile,
                                const ws_split_options *options, struct split_input *input)
{
    if (!options->link) return WS_OK;
    TRY(split_link_find(diag, options->link, &input->link));
    input->bytes_in = options->bytes_in >= 0
                          ? options->bytes_in
                          : footprint(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT);
    input->bytes_out = options->bytes_out >= 0
                           ? options->bytes_out
                           : footprint(profile, COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT);
    if (isfinite(input->bytes_in) && isfinite(input->bytes_out)) return WS_OK;
    return diag_error(diag, WS_ERR_COMPARE,
                      "the profile does not tell how much is read and written (%s, %s): give the "
                      "bytes to move",
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

static ws_split_times copy_times(const struct split_times *times, const struct split_power *power)
{
    return (ws_split_times){
        .gpu_share = times->gpu_share,
        .time_seconds = times->seconds,
        .gpu_seconds = times->gpu_seconds,
        .transfer_seconds = times->transfer_seconds,
        .cpu_seconds = times->cpu_seconds,
        .joules = power ? split_energy(power, times) : NAN,
    };
}

/* Below this a split is not worth its trouble; guess. */
static const double WORTH = 1.02;

static const char *judge(const struct split_plan *plan)
{
    bool cpu = plan->cpu_alone.seconds <= plan->gpu_alone.seconds;
    double alone = cpu ? plan->cpu_alone.seconds : plan->gpu_alone.seconds;
    if (alone >= WORTH * plan->best.seconds) return "split";
    return cpu ? "cpu" : "gpu";
}

static void fill(const struct split_input *input, const struct split_plan *plan,
                 const struct split_power *power, ws_split *out)
{
    out->verdict = judge(plan);
    out->printed_gpu_share = plan->printed_share;
    out->exact_gpu_share = plan->exact_share;
    out->blocks = (uint64_t)input->blocks;
    out->gpu_blocks = (uint64_t)nearbyint(plan->best.gpu_share * input->blocks);
    out->best = copy_times(&plan->best, power);
    out->gpu_alone = copy_times(&plan->gpu_alone, power);
    out->cpu_alone = copy_times(&plan->cpu_alone, power);
    out->bytes_in = input->bytes_in;
    out->bytes_out = input->bytes_out;
    out->link_words = input->link.words;
    out->link_lanes = input->link.lanes;
    out->link_bytes_per_second = input->link.bytes_per_second;
    out->link_latency_seconds = input->link.latency_seconds;
}

static ws_status plan_work(ws_context *context, const struct profile *profile,
                           const struct prediction *gpu, const struct prediction *cpu,
                           const ws_split_options *options, ws_split *out)
{
    struct diag *diag = &context->diag;
    const char *model = options->model ? options->model : models[MODEL_THROUGHPUT]->name;
    const struct estimate *gpu_time, *cpu_time;
    struct split_power power;
    struct split_input input = {.blocks = (double)profile_blocks(profile)};
    TRY(find_time(diag, gpu, model, &gpu_time));
    TRY(find_time(diag, cpu, model, &cpu_time));
    input.gpu_seconds = gpu_time->time_seconds;
    input.cpu_seconds = cpu_time->time_seconds;
    TRY(read_transfers(diag, profile, options, &input));
    struct split_plan plan = split_plan(&input);
    const char *no_power = read_power(gpu, cpu, &power);
    fill(&input, &plan, no_power ? NULL : &power, out);
    snprintf(out->no_energy, sizeof out->no_energy, "%s", no_power ? no_power : "");
    out->gpu_model = models[gpu_time->id]->name;
    out->cpu_model = models[cpu_time->id]->name;
    out->is_ordered = profile->ordered || profile->unordered_by_user;
    out->has_atomics = profile_get(profile, COUNTER_MEM_GLOBAL_ATOMIC_REQUESTS) > 0;
    return WS_OK;
}

static ws_status check_kind(struct diag *diag, const ws_machine *machine, enum machine_kind kind)
{
    if (machine->machine->kind == kind) return WS_OK;
    return diag_error(diag, WS_ERR_ARGUMENT,
                      "split takes a GPU and a CPU, in this order: %s is a %s",
                      machine->machine->id, kind == MACHINE_IS_CPU ? "GPU" : "CPU");
}

ws_status ws_split_predict(ws_context *context, const ws_profile *profile, const ws_machine *gpu,
                           const ws_machine *cpu, const ws_predict_options *predict,
                           const ws_split_options *options, ws_split *out)
{
    STANDARD_FLOATS;
    API_CALL(context)
    static const ws_split_options none = {.size = sizeof none, .bytes_in = -1, .bytes_out = -1};
    struct diag *diag = &context->diag;
    struct prediction *on_gpu = NULL, *on_cpu = NULL;
    const ws_split_options *with = options ? options : &none;
    TRY(handle_check_size(diag, "ws_split_options", with->size, sizeof *with));
    TRY(handle_check_size(diag, "ws_split", out->size, sizeof *out));
    TRY(check_kind(diag, gpu, MACHINE_IS_GPU));
    TRY(check_kind(diag, cpu, MACHINE_IS_CPU));
    *out = (ws_split){.size = out->size};
    ws_status status = pipeline_predict(context, profile, gpu, predict, false, &on_gpu);
    if (status == WS_OK) status = pipeline_predict(context, profile, cpu, predict, false, &on_cpu);
    if (status == WS_OK) status = plan_work(context, profile->profile, on_gpu, on_cpu, with, out);
    prediction_destroy(on_cpu);
    prediction_destroy(on_gpu);
    return status;
}
