// SPDX-License-Identifier: Apache-2.0
/* How much the time of a launch depends on each property of the GPU: a fixed set of better GPUs, each predicted
 * by the model of the headline, ranked by what it gains. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/charts.h"
#include "answer/whatif_words.h"
#include "base/parallel.h"

enum { KEYS_MAX = 12, REASON_TEXT = 240 };

struct better {
    const char *id, *text, *change; /* of each key that the machine file has */
    enum machine_key keys[KEYS_MAX];
    bool is_throughput; /* of classes: left out where the launch has none of them */
};

#define RATE(name) MACHINE_THROUGHPUT_##name
#define END_OF_KEYS MACHINE_KEY_COUNT
/* What a GPU can have more of, as far as machine files tell it and models ask for it. Shared memory has no
 * bandwidth of its own there: its banks are those that the conflicts were counted with. */
static const struct better changes[] = {
    {"sms", "twice the SMs", "=*2", {MACHINE_SM_COUNT, END_OF_KEYS}, false},
    {"core_clock", "10 % more core clock", "=*1.1", {MACHINE_CLOCK_CORE, END_OF_KEYS}, false},
    {"warps",
     "room for twice the warps",
     "=*2",
     {MACHINE_SM_MAX_WARPS, MACHINE_SM_MAX_BLOCKS, END_OF_KEYS},
     false},
    {"registers", "twice the registers", "=*2", {MACHINE_SM_REGISTERS, END_OF_KEYS}, false},
    {"shared_memory",
     "twice the shared memory",
     "=*2",
     {MACHINE_SHARED_PER_SM, END_OF_KEYS},
     false},
    {"occupancy",
     "twice everything that warps occupy",
     "=*2",
     {MACHINE_SM_REGISTERS, MACHINE_SHARED_PER_SM, MACHINE_SM_MAX_WARPS, MACHINE_SM_MAX_BLOCKS,
      END_OF_KEYS},
     false},
    {"dram_bandwidth",
     "twice the DRAM bandwidth",
     "=*2",
     {MACHINE_DRAM_BANDWIDTH, END_OF_KEYS},
     false},
    {"dram_latency", "half the DRAM latency", "=*0.5", {MACHINE_DRAM_LATENCY, END_OF_KEYS}, false},
    {"l2_bandwidth",
     "twice the L2 bandwidth",
     "=*2",
     {MACHINE_L2_BANDWIDTH, MACHINE_L2_SM_BANDWIDTH, MACHINE_L2_REQUEST_BANDWIDTH, END_OF_KEYS},
     false},
    {"l2_latency", "half the L2 latency", "=*0.5", {MACHINE_L2_LATENCY, END_OF_KEYS}, false},
    {"l2_size", "twice the L2 cache", "=*2", {MACHINE_L2_SIZE, END_OF_KEYS}, false},
    {"l1_bandwidth",
     "twice the L1 bandwidth",
     "=*2",
     {MACHINE_L1_BANDWIDTH, MACHINE_GLOBAL_LOAD_STORE_LANES, END_OF_KEYS},
     false},
    {"l1_latency", "half the L1 latency", "=*0.5", {MACHINE_L1_LATENCY, END_OF_KEYS}, false},
    {"l1_size", "twice the L1 cache", "=*2", {MACHINE_L1_SIZE, END_OF_KEYS}, false},
    {"shared_latency",
     "half the shared memory latency",
     "=*0.5",
     {MACHINE_SHARED_LATENCY, END_OF_KEYS},
     false},
    {"issue",
     "instructions issued twice as fast",
     "=*0.5",
     {MACHINE_ISSUE_CYCLES, MACHINE_ISSUE_INTERVAL, END_OF_KEYS},
     false},
    {"fp32",
     "twice the single precision units",
     "=*2",
     {RATE(FP32_ADD), RATE(FP32_MUL), RATE(FP32_FMA), RATE(FP32_MINMAX), END_OF_KEYS},
     true},
    {"fp64",
     "twice the double precision units",
     "=*2",
     {RATE(FP64_ADD), RATE(FP64_MUL), RATE(FP64_FMA), RATE(FP64_MINMAX), END_OF_KEYS},
     true},
    {"fp16", "twice the half precision units", "=*2", {RATE(FP16), RATE(BF16), END_OF_KEYS}, true},
    {"integer",
     "twice the integer and logic units",
     "=*2",
     {RATE(INT_ADD), RATE(INT_MINMAX), RATE(LOGIC), RATE(SHIFT), RATE(CMP), RATE(SELECT),
      RATE(INT_MUL24), RATE(INT_MUL), RATE(INT_MAD), END_OF_KEYS},
     true},
    {"special",
     "twice the special function units",
     "=*2",
     {RATE(SFU_RCP), RATE(SFU_SQRT), RATE(SFU_RSQRT), RATE(SFU_SIN), RATE(SFU_COS), RATE(SFU_LG2),
      RATE(SFU_EX2), RATE(SFU_TANH), END_OF_KEYS},
     true},
    {"tensor", "twice the tensor cores", "=*2", {MACHINE_TENSOR_FMA, END_OF_KEYS}, false},
};
enum { CHANGES = sizeof changes / sizeof *changes };

/* ---- one change ------------------------------------------------------------------------------ */

struct trial {
    const struct better *better;
    double seconds; /* NAN: see reason */
    enum component bottleneck;
    char reason[REASON_TEXT];
};

struct trials {
    const struct prediction *now;
    struct trial *each;
};

static bool is_used(const struct profile *profile, const struct better *better)
{
    if (better->keys[0] == MACHINE_TENSOR_FMA) return profile_get(profile, COUNTER_TENSOR_FMA) > 0;
    if (!better->is_throughput) return true;
    for (const enum machine_key *key = better->keys; *key != END_OF_KEYS; key++) {
        unsigned id = *key - (unsigned)MACHINE_THROUGHPUT_FIRST;
        if (profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + id)) > 0) return true;
    }
    return false;
}

static bool is_known(const struct machine *machine, const struct better *better)
{
    for (const enum machine_key *key = better->keys; *key != END_OF_KEYS; key++)
        if (machine_get(machine, *key, 0) > 0) return true;
    return false;
}

static ws_status change_machine(struct diag *diag, const struct better *better,
                                struct machine *machine)
{
    for (const enum machine_key *key = better->keys; *key != END_OF_KEYS; key++)
        if (machine_get(machine, *key, 0) > 0)
            TRY(machine_set(diag, machine, machine_key_infos[*key].path, better->change));
    return WS_OK;
}

static ws_status predict_changed(struct diag *diag, const struct prediction *now,
                                 struct trial *trial)
{
    struct machine better; /* shares all texts with the machine: not destroyed */
    struct predict_options options = now->options;
    struct prediction *after;
    const char *model = now->estimates[now->best].model;
    options.only = model;
    options.without_gains = options.without_details = true;
    machine_copy_fields(&better, now->machine);
    TRY(change_machine(diag, trial->better, &better));
    TRY(model_predict(diag, now->profile, &better, &options, &after));
    const struct estimate *estimate = prediction_find(after, model);
    if (estimate) {
        trial->seconds = estimate->time_seconds;
        trial->bottleneck = estimate->bottleneck;
    }
    prediction_destroy(after);
    return WS_OK;
}

/* What cannot be predicted says why; an interrupt or the lack of memory ends the answer. */
static ws_status run_trial(struct diag *diag, void *argument, size_t i)
{
    const struct trials *trials = argument;
    struct trial *trial = &trials->each[i];
    trial->seconds = NAN;
    ws_status status = predict_changed(diag, trials->now, trial);
    if (status <= WS_ERR_CHECK || status > WS_ERR_COMPARE) return status;
    snprintf(trial->reason, sizeof trial->reason, "%.*s", (int)strcspn(diag_text(diag), "\n"),
             diag_text(diag));
    diag_clear(diag);
    return WS_OK;
}

/* ---- ranking --------------------------------------------------------------------------------- */

static int by_gain(const void *a, const void *b)
{
    const struct sensitivity_row *x = a, *y = b;
    if (isnan(x->gain) != isnan(y->gain)) return isnan(x->gain) ? 1 : -1;
    if (x->gain != y->gain && !isnan(x->gain)) return x->gain > y->gain ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static const char *figures_changed(struct arena *arena, const struct machine *machine,
                                   const struct better *better)
{
    const char *text = "";
    for (const enum machine_key *key = better->keys; *key != END_OF_KEYS; key++)
        if (machine_get(machine, *key, 0) > 0)
            text = arena_format(arena, "%s%s%s", text, *text ? ", " : "",
                                machine_key_infos[*key].path);
    return text;
}

static struct sensitivity_row row_of(struct arena *arena, const struct prediction *now,
                                     const struct trial *trial)
{
    const struct estimate *best = &now->estimates[now->best];
    const struct better *better = trial->better;
    struct sensitivity_row row = {
        .id = better->id,
        .text = better->text,
        .factor = strtod(better->change + 2, NULL),
        .keys = figures_changed(arena, now->machine, better),
        .seconds = trial->seconds,
        .gain = best->time_seconds / trial->seconds,
        .bottleneck = component_words(trial->bottleneck),
        .order = (size_t)(better - changes),
    };
    if (isnan(trial->seconds))
        row.note = *trial->reason ? arena_copy(arena, trial->reason) : "the model does not answer";
    else if (row.gain < 1 - 1e-6)
        row.note = whatif_surprise(best->id, machine_key_infos[better->keys[0]].path);
    return row;
}

ws_status chart_sensitivity(struct asked *asked, const struct prediction *prediction,
                            const struct sensitivity **out, const char **out_reason)
{
    struct arena *arena = &asked->answer->arena;
    struct trial *each = ARENA_ARRAY(arena, struct trial, CHANGES);
    size_t count = 0;
    *out = NULL;
    *out_reason = NULL;
    if (prediction->machine->kind == MACHINE_IS_CPU) {
        *out_reason = "the changes are of GPUs only";
        return WS_OK;
    }
    for (size_t i = 0; i < CHANGES; i++)
        if (is_known(prediction->machine, &changes[i]) && is_used(prediction->profile, &changes[i]))
            each[count++].better = &changes[i];
    struct trials trials = {prediction, each};
    TRY(parallel_each(asked->diag, count, run_trial, &trials));
    struct sensitivity *found = ARENA_ARRAY(arena, struct sensitivity, 1);
    found->model = prediction->estimates[prediction->best].model;
    found->seconds = prediction->estimates[prediction->best].time_seconds;
    found->count = count;
    found->rows = ARENA_ARRAY(arena, struct sensitivity_row, count + 1);
    for (size_t i = 0; i < count; i++)
        found->rows[i] = row_of(arena, prediction, &each[i]);
    qsort(found->rows, count, sizeof *found->rows, by_gain);
    *out = found;
    return WS_OK;
}
