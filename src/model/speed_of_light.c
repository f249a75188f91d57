// SPDX-License-Identifier: Apache-2.0
/* The model speed-of-light: the roofline bound. What each resource alone would need at its peak,
 * all of them perfectly overlapped; the longest is the bound (Williams et al., CACM 2009; Zhang and
 * Owens, HPCA 2011, section 3). What is left out and why: doc/models/speed-of-light.md. */
#include <math.h>

#include "base/quantity.h"
#include "model/core/accesses.h"
#include "model/core/estimate.h"
#include "model/core/prices.h"

/* One resource of the bound. A term is kept even where it is no part of the bound. */
struct bound {
    const struct model_input *input;
    struct estimate *out;
    double sms, clock_hz, share; /* share: of the lanes at work if divergence is off, else 1 */
    double longest, second;
    enum component component, second_component;
};

static void add_time(struct bound *bound, const char *id, enum component component, double seconds)
{
    if (!(seconds > 0)) return;
    estimate_add_busy(bound->out, id, component, seconds);
    if (seconds > bound->longest) {
        bound->second = bound->longest;
        bound->second_component = bound->component;
        bound->longest = seconds;
        bound->component = component;
    } else if (seconds > bound->second) {
        bound->second = seconds;
        bound->second_component = component;
    }
}

/* Cycles summed over the SMs. */
static void add_cycles(struct bound *bound, const char *id, enum component component, double cycles)
{
    add_time(bound, id, component, cycles / bound->sms / bound->clock_hz);
}

/* ---- issue and pipes ------------------------------------------------------------------------- */

/* Classes that share lanes. Moves are left out: compilers rename them away. Memory: see lanes(). */
enum pipe {
    PIPE_NONE,
    PIPE_FP32,
    PIPE_FP64,
    PIPE_FP16,
    PIPE_ALU,
    PIPE_IMUL,
    PIPE_SFU,
    PIPE_CONVERT,
    PIPE_FP32_DIV,
    PIPE_FP64_DIV,
    PIPE_INT_DIV,
    PIPE_SHUFFLE,
    PIPE_COUNT
};
static const struct {
    const char *id;
    enum component component;
} pipes[PIPE_COUNT] = {
    [PIPE_FP32] = {"t_pipe.fp32", COMPONENT_PIPE_FP32},
    [PIPE_FP64] = {"t_pipe.fp64", COMPONENT_PIPE_FP64},
    [PIPE_FP16] = {"t_pipe.fp16", COMPONENT_PIPE_FP16},
    [PIPE_ALU] = {"t_pipe.alu", COMPONENT_PIPE_INTEGER},
    [PIPE_IMUL] = {"t_pipe.imul", COMPONENT_PIPE_IMUL},
    [PIPE_SFU] = {"t_pipe.sfu", COMPONENT_PIPE_SFU},
    [PIPE_CONVERT] = {"t_pipe.convert", COMPONENT_PIPE_CONVERT},
    [PIPE_FP32_DIV] = {"t_pipe.fp32_div", COMPONENT_PIPE_FP32_DIV},
    [PIPE_FP64_DIV] = {"t_pipe.fp64_div", COMPONENT_PIPE_FP64_DIV},
    [PIPE_INT_DIV] = {"t_pipe.int_div", COMPONENT_PIPE_INT_DIV},
    [PIPE_SHUFFLE] = {"t_pipe.shuffle", COMPONENT_PIPE_SHUFFLE},
};
static const uint8_t pipe_of[CLASS_COUNT] = {
    [CLASS_FP32_ADD] = PIPE_FP32,     [CLASS_FP32_MUL] = PIPE_FP32,
    [CLASS_FP32_FMA] = PIPE_FP32,     [CLASS_FP32_MINMAX] = PIPE_ALU,
    [CLASS_FP32_DIV] = PIPE_FP32_DIV, [CLASS_FP64_ADD] = PIPE_FP64,
    [CLASS_FP64_MUL] = PIPE_FP64,     [CLASS_FP64_FMA] = PIPE_FP64,
    [CLASS_FP64_MINMAX] = PIPE_FP64,  [CLASS_FP64_DIV] = PIPE_FP64_DIV,
    [CLASS_FP16] = PIPE_FP16,         [CLASS_BF16] = PIPE_FP16,
    [CLASS_INT_ADD] = PIPE_ALU,       [CLASS_INT_MINMAX] = PIPE_ALU,
    [CLASS_LOGIC] = PIPE_ALU,         [CLASS_SHIFT] = PIPE_ALU,
    [CLASS_CMP] = PIPE_ALU,           [CLASS_SELECT] = PIPE_ALU,
    [CLASS_INT_MUL24] = PIPE_IMUL,    [CLASS_INT_MUL] = PIPE_IMUL,
    [CLASS_INT_MAD] = PIPE_IMUL,      [CLASS_INT_DIV] = PIPE_INT_DIV,
    [CLASS_CONVERT] = PIPE_CONVERT,   [CLASS_CONVERT_INT] = PIPE_CONVERT,
    [CLASS_SFU_RCP] = PIPE_SFU,       [CLASS_SFU_SQRT] = PIPE_SFU,
    [CLASS_SFU_RSQRT] = PIPE_SFU,     [CLASS_SFU_SIN] = PIPE_SFU,
    [CLASS_SFU_COS] = PIPE_SFU,       [CLASS_SFU_LG2] = PIPE_SFU,
    [CLASS_SFU_EX2] = PIPE_SFU,       [CLASS_SFU_TANH] = PIPE_SFU,
    [CLASS_SHUFFLE] = PIPE_SHUFFLE,
};

static void add_issue(struct bound *bound)
{
    const struct machine *machine = bound->input->machine;
    if (!machine_has(machine, MACHINE_ISSUE_SCHEDULERS) &&
        !machine_has(machine, MACHINE_ISSUE_CYCLES)) {
        estimate_assume(bound->out, bound->input->arena,
                        "issue rate of this GPU unknown: not part of the bound");
        return;
    }
    double width = fmax(1, machine_get(machine, MACHINE_ISSUE_WIDTH, 1));
    double instructions = profile_get(bound->input->profile, COUNTER_INST_WARP) * bound->share;
    add_cycles(bound, "t_issue", COMPONENT_ISSUE,
               instructions * price_issue_cycles(machine) / width);
}

typedef bool throughput_fn(const struct machine *machine, enum insn_class id, double *out);

/* Threads per cycle of a class; 0: not known. */
static double class_lanes(const struct bound *bound, enum insn_class id, throughput_fn *throughput)
{
    double lanes = 0, add = 0;
    const struct machine *machine = bound->input->machine;
    if (!throughput(machine, id, &lanes)) return 0;
    if (model_without(bound->input, EFFECT_LONG_INSTRUCTIONS) &&
        throughput(machine, CLASS_FP32_ADD, &add))
        lanes = fmax(lanes, add);
    return lanes;
}

static double class_count(const struct bound *bound, unsigned id)
{
    return profile_get(bound->input->profile, (enum counter)(COUNTER_INST_WARP_FIRST + id));
}

/* Classes of a pipe are added up only where the machine's file prices them alike: differing prices are a sign that
 * they do not share all of their lanes, and a bound must not add what may overlap. A what-if that makes one of them
 * slower does not part them: it takes the lanes for longer. */
static void add_pipes(struct bound *bound)
{
    double lanes[CLASS_COUNT] = {0}, loaded[CLASS_COUNT] = {0}, longest[PIPE_COUNT] = {0};
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        if (pipe_of[i] == PIPE_NONE || !(class_count(bound, i) > 0)) continue;
        lanes[i] = class_lanes(bound, i, machine_throughput);
        loaded[i] = class_lanes(bound, i, machine_throughput_as_loaded);
    }
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        double count = 0;
        if (!(lanes[i] > 0)) continue;
        for (unsigned k = 0; k < CLASS_COUNT; k++)
            if (pipe_of[k] == pipe_of[i] && lanes[k] > 0 && fabs(loaded[k] - loaded[i]) < 1e-9)
                count += class_count(bound, k) * (lanes[i] / lanes[k]);
        longest[pipe_of[i]] = fmax(longest[pipe_of[i]], count * WARP_LANES / lanes[i]);
    }
    for (unsigned pipe = PIPE_NONE + 1; pipe < PIPE_COUNT; pipe++)
        add_cycles(bound, pipes[pipe].id, pipes[pipe].component, longest[pipe] * bound->share);
}

/* A figure that the machine file assumes, from its generation or as a guess: said where it is used. */
static double assumed_figure(struct bound *bound, enum machine_key key, double amount)
{
    const struct machine *machine = bound->input->machine;
    double value = machine_get(machine, key, 0);
    if (value > 0 && amount > 0 && machine->values[key].assumed)
        estimate_assume(bound->out, bound->input->arena,
                        "%s of this GPU unknown: %s assumed, from its generation",
                        machine_key_infos[key].path,
                        quantity_format(value, key == MACHINE_L2_BANDWIDTH   ? "B/s"
                                               : key == MACHINE_L1_BANDWIDTH ? "B/cycle"
                                                                             : "FMA/cycle")
                            .text);
    return value;
}

/* Matrix instructions by what they multiply: their shapes differ too much for a price of the class. */
static void add_tensor(struct bound *bound)
{
    double work = profile_get(bound->input->profile, COUNTER_TENSOR_FMA);
    double rate = assumed_figure(bound, MACHINE_TENSOR_FMA, work);
    if (!(class_count(bound, CLASS_TENSOR) > 0)) return;
    if (rate > 0 && work > 0)
        add_cycles(bound, "t_pipe.tensor", COMPONENT_PIPE_TENSOR, work * bound->share / rate);
    else
        estimate_assume(
            bound->out, bound->input->arena,
            work > 0 ? "tensor.fma of this GPU unknown: the tensor pipe is not part of the bound"
                     : "shapes of the matrix instructions unknown: the tensor pipe is not part of "
                       "the bound");
}

enum { SECTOR_BYTES = 32 };

/* ---- memory ---------------------------------------------------------------------------------- */

/* From cc 8.0 on atomics that add one take a pass a word, however many lanes it has: the profile does not tell
 * them from others, so that all of their turns are left out. */
static double counted_lanes(const struct bound *bound, bool half_warp)
{
    enum { ATOMIC = SHARED_OP_COUNT - 1 };
    const struct profile *profile = bound->input->profile;
    double passes = profile_get(profile, shared_counter(ATOMIC, SHARED_WAVEFRONTS, half_warp));
    double requests = profile_get(profile, shared_counter(ATOMIC, SHARED_REQUESTS, half_warp));
    return fmax(0, passes - requests);
}

/* One wavefront a cycle: all banks at once. */
static void add_shared(struct bound *bound)
{
    const struct profile *profile = bound->input->profile;
    bool half_warp = shared_is_half_warp(bound->input->machine);
    double cycles = shared_sum(profile, SHARED_WAVEFRONTS, half_warp);
    double conflicts = shared_sum(profile, SHARED_CONFLICTS, half_warp);
    if (shared_missing(profile, half_warp) != COUNTER_COUNT) {
        cycles = shared_sum(profile, SHARED_REQUESTS, half_warp);
        conflicts = 0;
        estimate_assume(bound->out, bound->input->arena,
                        "wavefronts with %d banks were not counted: shared memory bounded by one "
                        "wavefront per request",
                        half_warp ? 16 : 32);
    }
    if (model_without(bound->input, EFFECT_BANK_CONFLICTS))
        cycles -= conflicts;
    else if (bound->input->machine->cc_major >= 8)
        cycles -= counted_lanes(bound, half_warp);
    add_cycles(bound, "t_shared", COMPONENT_SHARED, cycles);
}

static void add_load_store(struct bound *bound)
{
    double lanes = machine_get(bound->input->machine, MACHINE_GLOBAL_LOAD_STORE_LANES, 0);
    if (!(lanes > 0)) return;
    struct accesses all =
        accesses_sum(bound->input->profile, ACCESS_ALL, coalescing_rule_of(bound->input->machine));
    double requests =
        all.parts[ACCESS_REQUESTS] + shared_sum(bound->input->profile, SHARED_REQUESTS, false);
    add_cycles(bound, "t_lsu", COMPONENT_LOAD_STORE, requests * bound->share * WARP_LANES / lanes);
}

/* Bytes that the accesses in `ops` move by the machine's rule. */
static double bytes_moved(const struct bound *bound, unsigned ops)
{
    double bytes = 0;
    enum coalescing_rule rule = coalescing_rule_of(bound->input->machine);
    for (unsigned op = 0; op < ACCESS_OP_COUNT; op++) {
        if (!(ops & 1u << op)) continue;
        struct accesses one = accesses_read(bound->input->profile, op, rule);
        if (one.parts[ACCESS_REQUESTS] > 0 &&
            !profile_has(bound->input->profile, access_counter(op, ACCESS_BYTES_MOVED, rule)))
            estimate_assume(bound->out, bound->input->arena,
                            "%s is not in the profile: its traffic is not part of the bound",
                            counter_infos[access_counter(op, ACCESS_BYTES_MOVED, rule)].id);
        bytes += model_without(bound->input, EFFECT_UNCOALESCED) ? accesses_ideal_bytes(&one)
                                                                 : one.parts[ACCESS_BYTES_MOVED];
    }
    return bytes;
}

/* No cache before the DRAM (cc 1.x): every transaction is DRAM traffic. */
static void add_uncached(struct bound *bound)
{
    double bandwidth = machine_get(bound->input->machine, MACHINE_DRAM_BANDWIDTH, 0);
    double texture = texture_bytes(bound->input->profile, bound->input->profile);
    if (!(bandwidth > 0)) return;
    add_time(bound, "t_dram", COMPONENT_GLOBAL_BANDWIDTH,
             (bytes_moved(bound, ACCESS_ALL) + texture) / bandwidth);
    estimate_assume(bound->out, bound->input->arena,
                    "traffic: every half-warp transaction goes to DRAM");
}

/* Distinct sectors that the launch reads and the L2 did not hold before, whatever it replaces: of what a launch
 * like it left all that fits. */
static double read_anew(const struct bound *bound, double kept)
{
    double read = profile_get(bound->input->profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT);
    if (bound->input->l2.kind == L2_WARM) return fmax(0, read - kept);
    return read * (1 - bound->input->l2.share);
}

/* Each of them must come from DRAM once. Of those written the L2 may keep as many as it holds beyond the end of the
 * launch. */
static bool add_footprint(struct bound *bound, double dram)
{
    const struct profile *profile = bound->input->profile;
    if (!profile_has(profile, COUNTER_MEM_GLOBAL_READ_FOOTPRINT) ||
        !profile_has(profile, COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT))
        return false;
    double kept = machine_get(bound->input->machine, MACHINE_L2_SIZE, 0) / SECTOR_BYTES;
    double written = profile_get(profile, COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT) - kept;
    double sectors = read_anew(bound, kept) + fmax(0, written);
    add_time(bound, "t_dram", COMPONENT_GLOBAL_BANDWIDTH, sectors * SECTOR_BYTES / dram);
    if (sectors > 0)
        estimate_assume(bound->out, bound->input->arena,
                        "traffic: all sectors through L1, each distinct sector read from DRAM once "
                        "(%s L2), and those written to it that the L2 cannot hold",
                        bound->input->l2.kind == L2_COLD ? "cold" : "but for those found in the");
    return true;
}

/* Caches may serve any load again, so that only what must pass is counted: all sectors through L1,
 * stores and atomics through L2, the footprint through DRAM. Without a footprint DRAM stands beside
 * the bound, not in it. */
static void add_cached(struct bound *bound)
{
    const struct machine *machine = bound->input->machine;
    double dram = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0);
    double all = bytes_moved(bound, ACCESS_ALL);
    double l1 = assumed_figure(bound, MACHINE_L1_BANDWIDTH, all);
    bool no_l1 =
        machine_has(machine, MACHINE_L1_SIZE) && !(machine_get(machine, MACHINE_L1_SIZE, 0) > 0);
    unsigned through = 1u << ACCESS_GLOBAL_STORE | 1u << ACCESS_GLOBAL_ATOMIC;
    if (no_l1) through = ACCESS_ALL;
    if (l1 > 0) add_cycles(bound, "t_l1", COMPONENT_L1_BANDWIDTH, all / l1);
    if (model_without(bound->input, EFFECT_CACHE_MISSES)) return; /* nothing goes beyond L1 */
    double beyond = bytes_moved(bound, through);
    double l2 = assumed_figure(bound, MACHINE_L2_BANDWIDTH, beyond);
    if (l2 > 0) add_time(bound, "t_l2", COMPONENT_L2_BANDWIDTH, beyond / l2);
    if (dram > 0 && !add_footprint(bound, dram) && all > 0) {
        estimate_add_busy(bound->out, "t_dram_no_reuse", COMPONENT_DRAM_WITHOUT_REUSE, all / dram);
        estimate_assume(bound->out, bound->input->arena,
                        "traffic: sectors through L1, %s through L2; DRAM is not part of the "
                        "bound, because the profile has no footprint (without cache hits: %s)",
                        no_l1 ? "all accesses" : "stores and atomics",
                        quantity_format(all / dram, "s").text);
    }
}

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    struct bound bound = {
        .input = input,
        .out = out,
        .sms = price_active_sms(input),
        .clock_hz = machine_get(input->machine, MACHINE_CLOCK_CORE, 0),
        .share = model_without(input, EFFECT_DIVERGENCE) ? active_lane_share(input->profile) : 1,
    };
    if (!(bound.sms > 0) || !(profile_get(input->profile, COUNTER_INST_WARP) > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "speed-of-light: the launch has no blocks or executes no instructions");
    add_issue(&bound);
    add_pipes(&bound);
    add_tensor(&bound);
    add_shared(&bound);
    add_load_store(&bound);
    bool cached = coalescing_rule_of(input->machine) == RULE_IS_SECTOR;
    if (!model_without(input, EFFECT_BANDWIDTH)) {
        if (cached)
            add_cached(&bound);
        else if (!model_without(input, EFFECT_CACHE_MISSES))
            add_uncached(&bound);
    }
    if (!(bound.longest > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "speed-of-light: %s defines neither an issue rate nor a throughput or "
                          "bandwidth that this kernel uses",
                          input->machine->id);
    if (!profile_is_native(input->profile))
        estimate_assume(out, input->arena,
                        "[W601] native code is assumed to issue as many instructions as the PTX");
    out->time_seconds = bound.longest;
    out->cycles = bound.longest * bound.clock_hz;
    out->bottleneck = bound.component;
    out->next = bound.second_component;
    return WS_OK;
}

static const enum machine_key needs_machine[] = {MACHINE_SM_COUNT, MACHINE_CLOCK_CORE,
                                                 MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

static const struct model_option_info options[] = {
    {"bound", (const char *const[]){"speed-of-light", "none", NULL},
     "raise predictions to the speed of light, or keep them as the equations give them"},
};

const struct model model_speed_of_light = {
    .name = "speed-of-light",
    .reference = "Williams, Waterman and Patterson, CACM 2009 (roofline)",
    .about = "Lower bound of the time: the busiest resource at its peak rate, everything else "
             "overlapped. Applies to every GPU.",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .effects = 1u << EFFECT_BANK_CONFLICTS | 1u << EFFECT_UNCOALESCED | 1u << EFFECT_DIVERGENCE |
               1u << EFFECT_LONG_INSTRUCTIONS | 1u << EFFECT_BANDWIDTH | 1u << EFFECT_CACHE_MISSES,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .predict = predict,
};
