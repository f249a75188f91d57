// SPDX-License-Identifier: Apache-2.0
/* The model teg (Lai and Seznec, INRIA RR-7804): runs the traced blocks of one cluster of SMs against
 * the machine's timing engine, and extends a steady state to the grid. doc/models/teg.md. */
#include <math.h>
#include <string.h>

#include "model/teg_engine.h"
#include "model/teg_sharing.h"
#include "model/teg_waits.h"

/* Everything is executed that has no more than STEPS_MAX warp instructions. Else as many whole waves of
 * resident blocks as have: the first fills the SMs, those behind it are the steady state while the last
 * follows them; and the last one of all, if it is not whole. */
enum { STEPS_MAX = 500000 };

struct answer {
    const struct model_input *input;
    struct estimate *out;
    struct teg_machine machine;
    struct teg_setup setup;
    struct teg_result result;
    double blocks; /* of the cluster with the most: whole ones */
    double mean;   /* of all clusters */
    uint64_t wave; /* blocks that are resident on the simulated SMs */
    double sharing;
    teg_time total; /* of the launch */
};

static const struct model_option_info options[] = {
    {"policy", (const char *const[]){"round-robin", "greedy-oldest", "oldest", NULL},
     "which of the ready warps a scheduler of the model teg issues"},
};

static bool is_cached(const struct answer *a)
{
    return a->machine.rule == RULE_IS_SECTOR;
}

/* ---- what is executed ------------------------------------------------------------------------ */

static uint64_t blocks_to_run(const struct answer *a)
{
    const struct trace *trace = a->setup.trace;
    double steps = (double)trace->step_count / trace->block_count; /* a block */
    uint64_t blocks = (uint64_t)a->blocks;
    if (steps * a->blocks <= STEPS_MAX) return blocks;
    uint64_t waves = (uint64_t)(STEPS_MAX / (steps * (double)a->wave));
    if (!waves) waves = 1;
    if (blocks < a->wave * waves) return blocks;
    return a->wave * waves + blocks % a->wave;
}

/* L1 and shared memory are one memory from cc 7.0 on: what the blocks take is no cache. */
static void set_l1(struct answer *a)
{
    const struct profile *profile = a->input->profile;
    uint64_t shared = profile->static_shared_bytes + profile->dynamic_shared_bytes;
    uint64_t taken = shared * a->setup.blocks_per_sm;
    if (a->input->machine->cc_major < 7) return;
    a->machine.l1.bytes -= taken < a->machine.l1.bytes ? taken : a->machine.l1.bytes;
}

/* The L2 holds what this SM reads and what the others read; what they share it holds once. */
static void set_sharing(struct answer *a)
{
    const struct profile *profile = a->input->profile;
    a->sharing = 1;
    a->setup.dram_share = TEG_DRAM_ALL;
    if (!is_cached(a)) return;
    double read = profile_get(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT);
    uint64_t blocks = a->setup.trace->block_count;
    if (a->setup.block_count < blocks) blocks = a->setup.block_count;
    a->sharing = teg_sharing(a->setup.trace, &a->machine, (uint32_t)blocks,
                             (double)profile_blocks(profile), read);
    a->sharing = fmin(a->sharing, a->machine.active_sms);
    a->setup.dram_share = (uint32_t)(TEG_DRAM_ALL / a->sharing);
    a->machine.l2.bytes =
        (uint64_t)((double)a->machine.l2.bytes * a->sharing / a->machine.active_sms);
}

static void prepare(struct answer *a)
{
    double blocks = (double)profile_blocks(a->input->profile);
    unsigned sms = a->machine.cluster_sms;
    a->mean = blocks / a->machine.clusters;
    a->blocks = ceil(a->mean);
    if (a->blocks < sms) sms = (unsigned)a->blocks;
    a->setup.trace = a->input->trace;
    a->setup.machine = &a->machine;
    a->setup.observer = a->input->observer;
    a->setup.sms = sms;
    a->setup.blocks_per_sm = a->input->occupancy.blocks_per_sm;
    if (a->setup.blocks_per_sm * (double)sms > a->blocks)
        a->setup.blocks_per_sm = (unsigned)ceil(a->blocks / sms);
    a->wave = (uint64_t)a->setup.blocks_per_sm * sms;
    a->setup.block_count = blocks_to_run(a);
    if (is_cached(a))
        a->setup.last_sms = (unsigned)(blocks - (a->blocks - 1) * a->machine.clusters);
    set_l1(a);
    set_sharing(a);
}

/* ---- from the executed blocks to the grid ---------------------------------------------------- */

/* Ticks a block in the steady state: from the first wave to the last but one, or the first if that is the
 * only whole one. 0: no more than one wave. */
static double steady_rate(const struct answer *a)
{
    const teg_time *ends = a->result.block_ends;
    uint64_t wave = a->wave, waves = a->result.block_count / wave;
    if (a->blocks <= (double)wave) return 0;
    if (waves < 2) return (double)ends[wave - 1] / (double)wave;
    uint64_t last = waves > 2 ? waves - 1 : waves;
    return (double)(ends[last * wave - 1] - ends[wave - 1]) / (double)((last - 1) * wave);
}

/* What was not executed are whole waves in the midst: the last wave, perhaps not whole, was. */
static teg_time whole_grid(const struct answer *a)
{
    double rest = a->blocks - (double)a->result.block_count;
    return (teg_time)((double)a->result.end + rest * steady_rate(a)) + a->machine.launch;
}

/* Whole waves: every cluster has its mean number of blocks, and the last ones are not alone. */
static teg_time without_tail(const struct answer *a)
{
    double rate = steady_rate(a);
    if (!(rate > 0)) return a->total;
    double time = rate * a->mean + (double)a->machine.launch;
    return time < (double)a->total ? (teg_time)time : a->total;
}

/* ---- terms ----------------------------------------------------------------------------------- */

struct resource {
    const char *id, *name;
    double share; /* of the simulated time */
};

static const char *const unit_texts[TEG_UNIT_COUNT] = {
    [TEG_MAIN] = "fp32 pipe",
    [TEG_INTEGER] = "integer pipe",
    [TEG_FP64] = "fp64 pipe",
    [TEG_FP16] = "fp16 pipe",
    [TEG_SPECIAL] = "special function pipe",
    [TEG_TENSOR] = "tensor pipe",
    [TEG_SHARED] = "shared memory",
    [TEG_GLOBAL] = "load/store units",
};
static const char *const unit_terms[TEG_UNIT_COUNT] = {
    [TEG_MAIN] = "t_pipe.fp32", [TEG_INTEGER] = "t_pipe.int", [TEG_FP64] = "t_pipe.fp64",
    [TEG_FP16] = "t_pipe.fp16", [TEG_SPECIAL] = "t_pipe.sfu", [TEG_TENSOR] = "t_pipe.tensor",
    [TEG_SHARED] = "t_shared",  [TEG_GLOBAL] = "t_lsu",
};

enum { RESOURCES = TEG_UNIT_COUNT + 4 };

static size_t list_resources(const struct answer *a, struct resource *out)
{
    const struct teg_result *r = &a->result;
    const struct teg_machine *machine = &a->machine;
    double time = (double)(r->end ? r->end : 1), sms = a->setup.sms;
    double schedulers = sms * machine->schedulers;
    size_t count = 0;
    out[count++] = (struct resource){"t_issue", "instruction issue",
                                     (double)r->issued * (double)machine->interval /
                                         machine->width / (schedulers * time)};
    for (unsigned i = 0; i < TEG_UNIT_COUNT; i++) {
        double owners = i == TEG_SHARED || i == TEG_GLOBAL ? sms : sms * machine->parts;
        if (unit_texts[i])
            out[count++] = (struct resource){unit_terms[i], unit_texts[i],
                                             (double)r->unit_busy[i] / (owners * time)};
    }
    out[count++] = (struct resource){"t_l2", "L2 bandwidth", (double)r->memory.l2_busy / time};
    out[count++] =
        (struct resource){"t_dram", "global memory bandwidth", (double)r->memory.dram_busy / time};
    out[count++] = (struct resource){"t_rows", "DRAM rows", (double)r->memory.rows_busy / time};
    return count;
}

/* What the warps wait for, where nothing is busy. */
static const char *const stall_names[TEG_STALL_COUNT] = {
    [TEG_STALL_WAIT] = "instruction latency",
    [TEG_STALL_LONG_SCOREBOARD] = "memory latency",
    [TEG_STALL_SHORT_SCOREBOARD] = "shared memory latency",
    [TEG_STALL_BARRIER] = "barriers",
    [TEG_STALL_MEMBAR] = "memory latency",
    [TEG_STALL_NOT_SELECTED] = "instruction issue",
};

/* A resource that is busy for so much of the time is the bottleneck (guess); else what the warps wait
 * for most. */
static const double BUSY = 0.8;

static void name_bottleneck(const struct answer *a, const struct resource *resources, size_t count)
{
    const struct resource *first = &resources[0], *second = NULL;
    for (size_t i = 1; i < count; i++) {
        if (resources[i].share > first->share) {
            second = first;
            first = &resources[i];
        } else if (!second || resources[i].share > second->share) {
            second = &resources[i];
        }
    }
    const char *wait = "";
    teg_time most = 0;
    for (unsigned i = 0; i < TEG_STALL_COUNT; i++) {
        if (!stall_names[i] || a->result.stalls[i] <= most) continue;
        most = a->result.stalls[i];
        wait = stall_names[i];
    }
    bool is_busy = first->share >= BUSY || !*wait;
    a->out->bottleneck = is_busy ? first->name : wait;
    a->out->next =
        is_busy ? (second && second->share >= BUSY / 2 ? second->name : wait) : first->name;
    if (!strcmp(a->out->next, a->out->bottleneck)) a->out->next = second ? second->name : "";
}

static void write_terms(struct answer *a)
{
#define TERM(id, value, unit, text) estimate_add_term(a->out, id, value, unit, text)
    const struct teg_result *r = &a->result;
    struct resource resources[RESOURCES];
    size_t count = list_resources(a, resources);
    for (size_t i = 0; i < count; i++)
        if (resources[i].share > 0)
            TERM(resources[i].id, resources[i].share * a->out->time_seconds, "s",
                 resources[i].name);
    name_bottleneck(a, resources, count);
    double cycles = (double)r->end / (double)TEG_CYCLE;
    TERM("ipc", (double)r->issued / (cycles * a->setup.sms), "1",
         "warp instructions a cycle and SM");
    TERM("n", a->setup.blocks_per_sm * (double)a->setup.trace->head.warps_per_block, "1",
         "resident warps per SM");
    TERM("simulated_blocks", (double)r->block_count, "1", "blocks that were timed");
    TERM("simulated_cycles", cycles, "cycle", "which took");
    TERM("simulated_instructions", (double)r->issued, "1", "their warp instructions");
    TERM("blocks_of_cluster", a->blocks, "1", "blocks of the busiest cluster");
    TERM("cycles_per_block", steady_rate(a) / (double)TEG_CYCLE, "cycle",
         "of a cluster, in the steady state (0: one wave)");
    if (a->machine.launch)
        TERM("launch_cycles", (double)a->machine.launch / (double)TEG_CYCLE, "cycle",
             "fixed cost of the launch, in the time");
    double sectors = (double)r->memory.sectors;
    if (is_cached(a) && sectors > 0) {
        TERM("l1_hit", (double)r->memory.l1_hits / sectors, "1", "sectors found in the L1");
        TERM("l2_hit", (double)r->memory.l2_hits / sectors, "1", "sectors found in the L2");
        TERM("sharing", a->sharing, "1", "SMs that read the same sector, on average");
    }
#undef TERM
}

static void write_assumptions(struct answer *a)
{
#define ASSUME(...) estimate_assume(a->out, a->input->arena, __VA_ARGS__)
    const struct teg_machine *machine = &a->machine;
    ASSUME("%u SM%s with %s timed: %.0f of %.0f blocks%s", a->setup.sms,
           a->setup.sms > 1 ? "s of a cluster" : "",
           is_cached(a) ? "its share of L2 and DRAM" : "their share of the bandwidth",
           (double)a->result.block_count, a->blocks,
           (double)a->result.block_count < a->blocks
               ? a->result.block_count < 2 * a->wave ? "; the others in waves like the first"
                                                     : "; the others at the rate of the second wave"
               : "");
    if (a->result.block_count > a->setup.trace->block_count)
        ASSUME("%u blocks were traced: they stand for the others, at other addresses",
               a->setup.trace->block_count);
    if (is_cached(a) && a->sharing > 1.0001)
        ASSUME("of the sectors that an SM reads first, one in %.3g comes from DRAM: as many SMs "
               "read the same, by the footprint of the launch",
               a->sharing);
    if (is_cached(a) && machine->l1.bytes)
        ASSUME("caches of %u and %u ways, least recently used out; local memory and atomics as "
               "any access",
               machine->l1.ways, machine->l2.ways);
    if (machine->row_cycle > 0)
        ASSUME("DRAM rows of %u channels with %u banks: a bank opens one in %.4g cycles",
               machine->channels, machine->banks_of_channel,
               machine->row_cycle / (double)TEG_CYCLE);
    ASSUME("[W601] native code is taken to issue as many instructions as PTX counts");
#undef ASSUME
}

/* ---- without an effect ----------------------------------------------------------------------- */

static bool has_long_instructions(const struct answer *a)
{
    const struct teg_class *add = &a->machine.classes[CLASS_FP32_ADD];
    for (uint32_t i = 0; i < a->setup.trace->insn_count; i++) {
        const struct teg_class *class = &a->machine.classes[a->setup.trace->insns[i].class_id];
        if (class->busy > add->busy || class->latency > add->latency ||
            class->same_warp > add->same_warp)
            return true;
    }
    return false;
}

/* An effect that met nothing in the execution needs no second one: the engine would do the same. */
static void write_known_gains(struct answer *a)
{
    const struct teg_result *r = &a->result;
    const bool idle[EFFECT_COUNT] = {
        [EFFECT_BANK_CONFLICTS] = !r->conflicts,
        [EFFECT_UNCOALESCED] = !r->scattered,
        [EFFECT_SYNC] = !r->barrier_waits,
        [EFFECT_LONG_INSTRUCTIONS] = !has_long_instructions(a),
        [EFFECT_MEM_LATENCY] = !r->memory.sectors,
        [EFFECT_BANDWIDTH] = !r->memory.sectors,
        [EFFECT_CHANNEL_SKEW] = !r->memory.skewed,
        [EFFECT_CACHE_MISSES] = is_cached(a) && r->memory.l1_hits == r->memory.sectors,
    };
    double time = a->out->time_seconds;
    for (unsigned i = 0; i < EFFECT_COUNT; i++)
        if (idle[i])
            a->out->without[i] =
                (struct effect_gain){.modelled = true, .time_seconds = time, .gain = 1};
    double even = time * (double)without_tail(a) / (double)a->total;
    a->out->without[EFFECT_TAIL] =
        (struct effect_gain){.modelled = true, .time_seconds = even, .gain = time / even};
}

/* ---- scaling --------------------------------------------------------------------------------- */

/* So many warps on each SM, from one to all: the paper's curves (tables 2 to 5). */
static ws_status write_scaling(struct diag *diag, struct answer *a, struct warp_waits *waits)
{
    unsigned all = a->setup.blocks_per_sm * a->setup.trace->head.warps_per_block;
    struct scaling_point *points = ARENA_ARRAY(a->input->arena, struct scaling_point, 34);
    size_t count = 0;
    for (unsigned warps = 1; count < 33; warps = 2 * warps < all ? 2 * warps : all) {
        struct teg_setup setup = a->setup;
        struct teg_result result;
        setup.warps_per_sm = warps;
        setup.block_count = a->wave;
        setup.last_sms = 0;
        TRY(teg_run(diag, &setup, &result));
        double cycles = (double)result.end / (double)TEG_CYCLE;
        points[count++] = (struct scaling_point){
            .warps = warps, .cycles = cycles, .ipc = (double)result.issued / cycles / setup.sms};
        teg_result_clear(&result);
        if (warps == all) break;
    }
    waits->scaling = points;
    waits->scaling_count = count;
    return WS_OK;
}

/* ---- the answer ------------------------------------------------------------------------------ */

/* What the GPU cannot execute at all. */
static ws_status check_classes(struct diag *diag, const struct answer *a)
{
    for (uint32_t i = 0; i < a->input->trace->insn_count; i++) {
        unsigned id = a->input->trace->insns[i].class_id;
        if (!(a->machine.lacking >> id & 1)) continue;
        if (!(profile_get(a->input->profile, (enum counter)(COUNTER_INST_WARP_FIRST + id)) > 0))
            continue;
        return diag_error(diag, WS_ERR_NO_MODEL, "teg: %s has no %s instructions",
                          a->input->machine->id, class_ids[id]);
    }
    return WS_OK;
}

static ws_status answer(struct diag *diag, struct answer *a)
{
    const struct model_input *input = a->input;
    double clock = machine_get(input->machine, MACHINE_CLOCK_CORE, 1);
    prepare(a);
    TRY(teg_run(diag, &a->setup, &a->result));
    if (!a->result.issued)
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "teg: no warp of the blocks that were timed executes anything");
    a->total = whole_grid(a);
    teg_time total = model_without(input, EFFECT_TAIL) ? without_tail(a) : a->total;
    a->out->cycles = (double)total / (double)TEG_CYCLE;
    a->out->time_seconds = a->out->cycles / clock;
    write_terms(a);
    write_assumptions(a);
    if (input->effects_off || input->observer) return WS_OK;
    write_known_gains(a);
    struct warp_waits *waits = teg_waits(input->arena, input->trace, &a->result);
    a->out->waits = waits;
    return write_scaling(diag, a, waits);
}

extern const struct model model_teg;

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    struct answer a = {.input = input, .out = out};
    if (!input->occupancy.blocks_per_sm || !profile_blocks(input->profile) ||
        !input->trace->block_count)
        return diag_error(diag, WS_ERR_NO_MODEL, "teg: the launch or its trace has no blocks");
    TRY(teg_machine_read(diag, input, out, &a.machine));
    a.machine.policy = (enum teg_policy)model_option_get(&model_teg, input, "policy");
    if (model_without(input, EFFECT_CACHE_MISSES) && a.machine.rule != RULE_IS_SECTOR)
        return diag_error(diag, WS_ERR_NO_MODEL, "teg: %s has no caches that could hit",
                          input->machine->id);
    TRY(check_classes(diag, &a));
    ws_status status = answer(diag, &a);
    teg_result_clear(&a.result);
    return status;
}

static const enum machine_key needs_machine[] = {
    MACHINE_SM_COUNT,       MACHINE_CLOCK_CORE,          MACHINE_ISSUE_CYCLES,
    MACHINE_DRAM_BANDWIDTH, MACHINE_DRAM_LATENCY,        MACHINE_GLOBAL_RULE,
    MACHINE_SHARED_BANKS,   MACHINE_THROUGHPUT_FP32_FMA, MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

const struct model model_teg = {
    .name = "teg",
    .reference = "Lai and Seznec, INRIA RR-7804, 2011",
    .about = "Warps, scoreboard, units, banks, caches and memory pipelines of one cluster of SMs, "
             "from event to event over the traced instructions; from one warp to full occupancy.",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .needs_occupancy = true,
    .needs_trace = true,
    .effects = 1u << EFFECT_BANK_CONFLICTS | 1u << EFFECT_UNCOALESCED | 1u << EFFECT_SYNC |
               1u << EFFECT_INST_LATENCY | 1u << EFFECT_LONG_INSTRUCTIONS |
               1u << EFFECT_MEM_LATENCY | 1u << EFFECT_BANDWIDTH | 1u << EFFECT_CHANNEL_SKEW |
               1u << EFFECT_CACHE_MISSES | 1u << EFFECT_TAIL,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .predict = predict,
};
