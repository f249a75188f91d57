// SPDX-License-Identifier: Apache-2.0
/* The model teg (Lai and Seznec, INRIA RR-7804): runs the traced blocks of one cluster of SMs against
 * the machine's timing engine, and extends a steady state to the grid. doc/models/teg.md. */
#include <math.h>
#include <string.h>

#include "base/quantity.h"
#include "model/teg/teg_grid.h"
#include "model/teg/teg_parallel.h"
#include "model/teg/teg_traffic.h"
#include "model/teg/teg_waits.h"

static const struct model_option_info options[] = {
    {"policy",
     (const char *const[]){"auto", "round-robin", "greedy-oldest", "oldest", "greedy-youngest",
                           NULL},
     "warp scheduling policy of the model teg; auto: greedy-youngest from compute capability 7.0 "
     "on, round-robin before"},
    {"forwarding", (const char *const[]){"auto", "none", NULL},
     "longer distances of dependent instructions between pipes in the model teg; auto: from "
     "compute "
     "capability 7.0 on"},
    {"memory-path", (const char *const[]){"auto", "none", NULL},
     "address units and the path of memory instructions in the model teg; auto: from compute "
     "capability 7.0 on"},
    {"phases", (const char *const[]){"joined", "apart", NULL},
     "words of 8 and 16 bytes of shared memory that lanes read in pairs in the model teg: in half "
     "the passes from compute capability 7.0 on, or in all"},
    {"sms", (const char *const[]){"one", "all", NULL},
     "what the model teg simulates: the cluster with the most blocks, or every cluster with its "
     "own blocks"},
    {"order", (const char *const[]){"native", "ptx", NULL},
     "order in which the model teg issues PTX on compute capability 7.0 and later: that of native "
     "code, or as written"},
    {"control", (const char *const[]){"words", "registers", NULL},
     "when the model teg issues native code on compute capability 7.0 and later: as its control "
     "words say, or once its registers are there"},
    {"operands", (const char *const[]){"banks", "free", NULL},
     "registers that native code reads in the model teg: from two banks with an operand cache, or "
     "at no cost"},
    {"requests", (const char *const[]){"packets", "free", NULL},
     "what the SMs of a cluster send to the L2 in the model teg: packets on one way, or at no "
     "cost"},
    {"tags", (const char *const[]){"four", "one", NULL},
     "lines that a load looks up in the L1 at a time in the model teg: from compute capability 7.0 "
     "on four"},
    {"fills", (const char *const[]){"port", "free", NULL},
     "what the L2 sends to an L1 in the model teg: keeps it from serving, or not"},
    {"fetch", (const char *const[]){"unit", "sectors", NULL},
     "what a miss in the L2 fetches in the model teg: what dram.fetch_bytes says, or the sectors "
     "asked for"},
    {"blocks", (const char *const[]){"weighed", "followed", NULL},
     "blocks that the model teg simulates: their time weighed by the instructions of all blocks "
     "of their cluster, or as it is"},
    {"places", (const char *const[]){"grid", "traced", NULL},
     "addresses of the blocks that the model teg simulates: by their place in the grid where "
     "addresses are linear in it, or those of traced blocks"},
    {"turnaround", (const char *const[]){"auto", "none", NULL},
     "what DRAM writes cost beyond reads in the model teg: what dram.mixed_bandwidth says (auto), "
     "or "
     "nothing"},
    {"writes", (const char *const[]){"kept", "through", NULL},
     "written sectors in the model teg: the last stay in the L2, or all go to the DRAM"},
};

/* Options that take a mechanism away: rows of `warpsage validate --ablation`. */
static const char *const ablations[] = {
    "policy=round-robin", "memory-path=none",  "order=ptx",      "requests=free",
    "fills=free",         "fetch=sectors",     "writes=through", "forwarding=none",
    "blocks=followed",    "turnaround=none",   "places=traced",  "phases=apart",
    "tags=one",           "control=registers", "operands=free",  NULL};

/* ---- terms ----------------------------------------------------------------------------------- */

struct resource {
    const char *id;
    enum component component;
    double share; /* of the simulated time */
};

enum { RESOURCES = TEG_UNIT_COUNT + 5 };

static size_t list_resources(const struct teg_grid *a, struct resource *out)
{
    const struct teg_result *r = &a->result;
    const struct teg_machine *machine = &a->machine;
    double time = (double)(r->end ? r->end : 1), sms = a->setup.sms;
    double schedulers = sms * machine->schedulers;
    size_t count = 0;
    out[count++] = (struct resource){"t_issue", COMPONENT_ISSUE,
                                     (double)r->issued * (double)machine->interval /
                                         machine->width / (schedulers * time)};
    for (unsigned i = 0; i < TEG_UNIT_COUNT; i++) {
        const struct teg_unit_info *unit = &teg_unit_infos[i];
        bool of_sm = unit->of_sm || (i == TEG_FP64 && machine->shares_fp64);
        double owners = of_sm ? sms : sms * machine->parts;
        if (unit->term)
            out[count++] = (struct resource){unit->term, unit->component,
                                             (double)r->unit_busy[i] / (owners * time)};
    }
    const struct resource memory[] = {
        {"t_l2", COMPONENT_L2_BANDWIDTH,
         (double)(r->memory.way_busy > r->memory.l2_busy ? r->memory.way_busy : r->memory.l2_busy) /
             time},
        {"t_dram", COMPONENT_GLOBAL_BANDWIDTH, (double)r->memory.dram_busy / time},
        {"t_atomics", COMPONENT_ATOMICS, (double)r->atomics_busy / time},
        {"t_rows", COMPONENT_DRAM_ROWS, (double)r->memory.rows_busy / time},
    };
    memcpy(out + count, memory, sizeof memory);
    return count + sizeof memory / sizeof memory[0];
}

/* A resource that is busy for so much of the time is the bottleneck (guess), and so is the busiest one if
 * warps are throttled by units for more of their time than they wait for anything else; else what they
 * wait for most. */
static const double BUSY = 0.8;

/* Time for which warps find a unit taken: its queue is full. */
static teg_time throttled(const struct teg_grid *a)
{
    const teg_time *stalls = a->result.stalls;
    return stalls[TEG_STALL_MATH_PIPE_THROTTLE] + stalls[TEG_STALL_MIO_THROTTLE] +
           stalls[TEG_STALL_LG_THROTTLE];
}

static void name_bottleneck(const struct teg_grid *a, const struct resource *resources,
                            size_t count)
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
    enum component wait = COMPONENT_NONE;
    teg_time most = 0;
    for (unsigned i = 0; i < TEG_STALL_COUNT; i++) {
        if (!teg_stall_infos[i].component || a->result.stalls[i] <= most) continue;
        most = a->result.stalls[i];
        wait = teg_stall_infos[i].component;
    }
    enum component after = second ? second->component : COMPONENT_NONE;
    bool is_busy = first->share >= BUSY || !wait || throttled(a) > most;
    a->out->bottleneck = is_busy ? first->component : wait;
    a->out->next =
        is_busy ? (second && second->share >= BUSY / 2 ? after : wait) : first->component;
    if (a->out->next == a->out->bottleneck) a->out->next = after;
}

static void write_terms(struct teg_grid *a)
{
#define TERM(id, value, unit, text) estimate_add_term(a->out, id, value, unit, text)
    const struct teg_result *r = &a->result;
    struct resource resources[RESOURCES];
    size_t count = list_resources(a, resources);
    for (size_t i = 0; i < count; i++)
        if (resources[i].share > 0)
            estimate_add_busy(a->out, resources[i].id, resources[i].component,
                              resources[i].share * a->out->time_seconds);
    name_bottleneck(a, resources, count);
    double cycles = (double)r->end / (double)TEG_CYCLE;
    TERM("ipc", (double)r->issued / (cycles * a->setup.sms), "1",
         "warp instructions issued per cycle per SM");
    TERM("n", a->setup.blocks_per_sm * (double)a->setup.trace->head.warps_per_block, "1",
         "resident warps per SM");
    TERM("simulated_blocks", (double)r->block_count, "1", "blocks simulated");
    TERM("simulated_cycles", cycles, "cycle", "cycles simulated");
    TERM("simulated_instructions", (double)r->issued, "1", "warp instructions simulated");
    TERM("blocks_of_cluster", a->blocks, "1", "blocks on the busiest cluster");
    TERM("cycles_per_block", teg_steady_rate(a) / (double)TEG_CYCLE, "cycle",
         "per cluster, steady state; 0: one wave");
    if (a->timed > 1) {
        TERM("timed_clusters", a->timed, "1", "clusters simulated; the slowest counts");
        TERM("mean_cluster_cycles", a->mean_total / (double)TEG_CYCLE, "cycle",
             "mean time of a cluster");
    }
    if (a->machine.launch)
        TERM("launch_cycles", (double)a->machine.launch / (double)TEG_CYCLE, "cycle",
             "fixed launch cost, included in the time");
    double sectors = (double)r->memory.sectors;
    if (teg_is_cached(&a->machine) && sectors > 0) {
        TERM("l1_hit", (double)r->memory.l1_hits / sectors, "1", "L1 hit rate of sectors");
        TERM("l2_hit", (double)r->memory.l2_hits / sectors, "1", "L2 hit rate of sectors");
        TERM("sharing", a->sharing, "1", "mean SMs that read the same sector");
    }
#undef TERM
}

static void write_assumptions(struct teg_grid *a)
{
#define ASSUME(...) estimate_assume(a->out, a->input->arena, __VA_ARGS__)
    const struct teg_machine *machine = &a->machine;
    ASSUME("%s%s with %s simulated: %.0f of %s%s", quantity_of(a->setup.sms, "SM").text,
           a->setup.sms > 1 ? " of a cluster" : "",
           teg_is_cached(&a->machine) ? "its share of L2 and DRAM" : "their share of the bandwidth",
           (double)a->result.block_count, quantity_of(a->blocks, "block").text,
           (double)a->result.block_count < a->blocks
               ? a->result.block_count < 2 * a->wave
                     ? "; the others assumed in waves like the first"
                     : "; the others assumed at the rate of the second wave"
               : "");
    uint32_t traced = a->setup.trace->block_count;
    if (a->result.block_count > traced)
        ASSUME("%s %s the others, at other addresses", quantity_of(traced, "block").text,
               traced == 1 ? "traced: represents" : "traced: represent");
    if (teg_is_cached(&a->machine) && a->sharing > 1.0001)
        ASSUME("one in %.3g first-touch sectors of an SM comes from DRAM: as many SMs read the "
               "same sector, by the footprint of the launch",
               a->sharing);
    if (teg_is_cached(&a->machine) && machine->l1.bytes)
        ASSUME("L1 with %u ways and L2 with %u ways, LRU replacement; local accesses and atomics "
               "treated like global accesses",
               machine->l1.ways, machine->l2.ways);
    if (machine->row_cycle > 0)
        ASSUME("DRAM rows of %u channels with %u banks: a bank opens one in %.4g cycles",
               machine->channels, machine->banks_of_channel,
               machine->row_cycle / (double)TEG_CYCLE);
    if (teg_follows_words(a->setup.trace, machine))
        ASSUME("issue as the control words of the native code say: bit 109 = 0 yields; %s",
               machine->words.has_banks ? "two register banks with an operand cache"
                                        : "registers read at no cost");
    else if (a->setup.native_registers)
        ASSUME("[W601] order of native code by a list schedule of the PTX for %u registers: loops "
               "unrolled, loads hoisted, addresses folded",
               a->setup.native_registers);
    else if (!profile_is_native(a->input->profile))
        ASSUME("[W601] native code is assumed to issue as many instructions as the PTX");
#undef ASSUME
}

/* ---- without an effect ----------------------------------------------------------------------- */

static bool has_long_instructions(const struct teg_grid *a)
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

static bool waits_for_textures(const struct teg_grid *a)
{
    if (!a->machine.classes[CLASS_MEM_TEXTURE_LOAD].latency) return false;
    for (uint32_t i = 0; i < a->setup.trace->insn_count; i++)
        if (a->setup.trace->insns[i].class_id == CLASS_MEM_TEXTURE_LOAD) return true;
    return false;
}

/* An effect that met nothing in the execution needs no second one: the engine would do the same. */
static void write_known_gains(struct teg_grid *a)
{
    const struct teg_result *r = &a->result;
    const bool idle[EFFECT_COUNT] = {
        [EFFECT_BANK_CONFLICTS] = !r->conflicts,
        [EFFECT_UNCOALESCED] = !r->scattered,
        [EFFECT_DIVERGENCE] = !(active_lane_share(a->input->profile) < 1),
        [EFFECT_SYNC] = !r->barrier_waits,
        [EFFECT_LONG_INSTRUCTIONS] = !has_long_instructions(a),
        [EFFECT_MEM_LATENCY] = !r->memory.sectors && !waits_for_textures(a),
        [EFFECT_BANDWIDTH] = !r->memory.sectors,
        [EFFECT_CHANNEL_SKEW] = !r->memory.skewed,
        [EFFECT_CACHE_MISSES] =
            teg_is_cached(&a->machine) && r->memory.l1_hits == r->memory.sectors,
        [EFFECT_FETCH] = !a->machine.fetch.is_used,
    };
    double time = a->out->time_seconds;
    for (unsigned i = 0; i < EFFECT_COUNT; i++)
        if (idle[i])
            a->out->without[i] =
                (struct effect_gain){.modelled = true, .time_seconds = time, .gain = 1};
    double alone = time * (double)(a->total - a->machine.launch) / (double)a->total;
    a->out->without[EFFECT_LAUNCH] =
        (struct effect_gain){.modelled = true, .time_seconds = alone, .gain = time / alone};
    double even = time * (double)teg_without_tail(a) / (double)a->total;
    a->out->without[EFFECT_TAIL] =
        (struct effect_gain){.modelled = true, .time_seconds = even, .gain = time / even};
}

/* ---- scaling --------------------------------------------------------------------------------- */

/* So many warps on each SM, from one to all: the paper's curves (tables 2 to 5). */
static ws_status write_scaling(struct diag *diag, struct teg_grid *a, struct warp_waits *waits)
{
    enum { POINTS = 33 };
    unsigned all = a->setup.blocks_per_sm * a->setup.trace->head.warps_per_block;
    struct scaling_point *points = ARENA_ARRAY(a->input->arena, struct scaling_point, POINTS);
    struct teg_setup setups[POINTS];
    struct teg_result results[POINTS];
    size_t count = 0;
    for (unsigned warps = 1; count < POINTS; warps = 2 * warps < all ? 2 * warps : all) {
        setups[count] = a->setup;
        setups[count].block_count = a->wave;
        setups[count].last_sms = 0;
        setups[count].running = NULL;
        setups[count].without_stalls = true;
        setups[count++].warps_per_sm = warps;
        if (warps == all) break;
    }
    TRY(teg_run_all(diag, setups, count, results));
    for (size_t i = 0; i < count; i++) {
        double cycles = (double)results[i].end / (double)TEG_CYCLE;
        points[i] =
            (struct scaling_point){.warps = setups[i].warps_per_sm,
                                   .cycles = cycles,
                                   .ipc = (double)results[i].issued / cycles / a->setup.sms};
        teg_result_clear(&results[i]);
    }
    waits->scaling = points;
    waits->scaling_count = count;
    return WS_OK;
}

extern const struct model model_teg;

/* ---- the answer ------------------------------------------------------------------------------ */

/* What the GPU cannot execute at all. */
static ws_status check_classes(struct diag *diag, const struct teg_grid *a)
{
    for (uint32_t i = 0; i < a->input->trace->insn_count; i++) {
        unsigned id = a->input->trace->insns[i].class_id;
        if (!(a->machine.lacking >> id & 1)) continue;
        if (!(profile_get(a->input->profile, (enum counter)(COUNTER_INST_WARP_FIRST + id)) > 0))
            continue;
        return diag_error(diag, WS_ERR_NO_MODEL, "teg: %s does not support %s instructions",
                          a->input->machine->id, class_ids[id]);
    }
    return WS_OK;
}

/* By how much a block that a sample missed may be longer: as its work adds to the longest cluster, or as it lasts
 * alone. */
static double unseen(const struct teg_grid *a)
{
    double share, fraction = a->input->profile->sampled_fraction;
    double times = teg_assigned_unseen(&a->assignment, fraction, &share);
    double alone = (double)a->longest_ends * times / (double)a->total - 1;
    return fmax(share * (times - 1), alone);
}

static ws_status answer(struct diag *diag, struct teg_grid *a)
{
    const struct model_input *input = a->input;
    double clock = machine_get(input->machine, MACHINE_CLOCK_CORE, 1);
    bool is_all = model_option_get(&model_teg, input, "sms") && !input->observer;
    teg_prepare(a);
    TRY(is_all ? teg_run_clusters(diag, a) : teg_run_cluster(diag, a));
    if (!a->result.issued)
        return diag_error(diag, WS_ERR_NO_MODEL, "teg: the timed blocks execute no instructions");
    teg_time total = model_without(input, EFFECT_TAIL) ? teg_without_tail(a) : a->total;
    a->out->cycles = (double)total / (double)TEG_CYCLE;
    a->out->time_seconds = a->out->cycles / clock;
    write_terms(a);
    a->out->traffic = teg_traffic(a);
    a->out->warp_instructions = (double)a->result.issued * (double)profile_blocks(input->profile) /
                                (double)a->result.block_count;
    write_assumptions(a);
    if (input->effects_off || input->observer || input->clocks) return WS_OK;
    a->out->unseen = unseen(a);
    write_known_gains(a);
    if (input->without_details) return WS_OK;
    struct warp_waits *waits =
        teg_waits(input->arena, input->trace, &a->result, input->profile->instruction_count);
    a->out->details = waits;
    return write_scaling(diag, a, waits);
}

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    struct teg_grid a = {.input = input, .out = out};
    if (!input->occupancy.blocks_per_sm || !profile_blocks(input->profile) ||
        !input->trace->block_count)
        return diag_error(diag, WS_ERR_NO_MODEL, "teg: the launch or its trace has no blocks");
    TRY(teg_machine_read(diag, input, out, &a.machine));
    size_t policy = model_option_get(&model_teg, input, "policy");
    if (policy) a.machine.policy = (enum teg_policy)(policy - 1);
    if (model_option_get(&model_teg, input, "forwarding"))
        a.machine.distances = (struct teg_distances){0};
    if (model_option_get(&model_teg, input, "phases")) a.machine.joins_phases = false;
    if (model_option_get(&model_teg, input, "memory-path")) a.machine.path.is_used = false;
    a.is_native_order = !model_option_get(&model_teg, input, "order");
    if (model_option_get(&model_teg, input, "control")) a.machine.words.is_used = false;
    if (model_option_get(&model_teg, input, "operands")) a.machine.words.has_banks = false;
    if (model_option_get(&model_teg, input, "requests")) a.machine.packet = 0;
    if (model_option_get(&model_teg, input, "tags")) a.machine.tags = 0;
    if (model_option_get(&model_teg, input, "fills")) a.machine.fill = 0;
    if (model_option_get(&model_teg, input, "fetch")) a.machine.fetch_sectors = 1;
    if (model_option_get(&model_teg, input, "turnaround")) a.machine.write_cost = 1;
    a.is_weighed = !model_option_get(&model_teg, input, "blocks");
    a.stays_at_place = model_option_get(&model_teg, input, "places");
    a.writes_through = model_option_get(&model_teg, input, "writes");
    if (model_without(input, EFFECT_CACHE_MISSES) && a.machine.rule != RULE_IS_SECTOR)
        return diag_error(diag, WS_ERR_NO_MODEL, "teg: %s has no caches", input->machine->id);
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
    .about = "Event-driven simulation of one cluster of SMs over traced instructions: warps, "
             "scoreboard, functional units, banks, caches and memory pipelines. Covers one warp "
             "to full occupancy.",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .needs_occupancy = true,
    .needs_trace = true,
    .effects = 1u << EFFECT_BANK_CONFLICTS | 1u << EFFECT_UNCOALESCED | 1u << EFFECT_DIVERGENCE |
               1u << EFFECT_SYNC | 1u << EFFECT_INST_LATENCY | 1u << EFFECT_LONG_INSTRUCTIONS |
               1u << EFFECT_MEM_LATENCY | 1u << EFFECT_BANDWIDTH | 1u << EFFECT_CHANNEL_SKEW |
               1u << EFFECT_CACHE_MISSES | 1u << EFFECT_TAIL | 1u << EFFECT_FETCH |
               1u << EFFECT_LAUNCH,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .ablations = ablations,
    .predict = predict,
    .follows_caches = true,
};
