// SPDX-License-Identifier: Apache-2.0
/* The model quantitative: from profile and machine to the times of quantitative_equations.c. What
 * counts as what: doc/models/quantitative.md. */
#include "model/quantitative.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/accesses.h"
#include "model/core/estimate.h"
#include "model/core/prices.h"

extern const struct model model_quantitative;

static const enum component components[ZO_COMPONENTS + 1] = {
    [ZO_INSTRUCTION] = COMPONENT_INSTRUCTION_PIPELINE,
    [ZO_SHARED] = COMPONENT_SHARED_ACCESS,
    [ZO_GLOBAL] = COMPONENT_GLOBAL_ACCESS,
    [ZO_NONE] = COMPONENT_NONE,
};

/* What does not change between stages. */
struct setting {
    const struct model_input *input;
    struct estimate *out;
    struct stage_times *times;
    double sms, clock_hz;                 /* SMs that have a block */
    double blocks_per_sm;                 /* resident, mean over the SMs */
    double reference;                     /* lanes of the multiply-adds, thread/cycle */
    double fill_warps, shared_fill_warps; /* that fill the pipe where there is no curve; 0: any */
    double shared_peak;                   /* B/cycle of an SM */
    double loads_in_flight;               /* of a warp */
    struct zo_global global;
    enum zo_type_curve type_curve;
    bool releases_early; /* places of idle warps are free for other blocks */
    size_t table;        /* 0: the machine's own units, else enum zo_table + 1 */
};

/* ---- instruction pipeline -------------------------------------------------------------------- */

/* Table 1 of the paper; classes that it does not name keep the machine's figure. */
static bool type_of(enum insn_class id, enum zo_type *out)
{
    switch (id) {
    case CLASS_FP32_MUL:
    case CLASS_INT_MUL24:
        *out = ZO_TYPE_I;
        return true;
    case CLASS_FP32_ADD:
    case CLASS_FP32_FMA:
    case CLASS_INT_ADD:
    case CLASS_MOVE:
        *out = ZO_TYPE_II;
        return true;
    default:
        *out = id >= CLASS_FP64_ADD && id <= CLASS_FP64_FMA ? ZO_TYPE_IV : ZO_TYPE_III;
        return *out == ZO_TYPE_IV || (id >= CLASS_SFU_RCP && id <= CLASS_SFU_EX2);
    }
}

static double machine_lanes(const struct setting *s, enum insn_class id)
{
    const struct machine *machine = s->input->machine;
    double lanes, issue = WARP_LANES / price_issue_cycles(machine);
    if (id >= CLASS_MEM_GLOBAL_LOAD) /* where the load/store units are narrower than the issue */
        return fmin(issue, machine_get(machine, MACHINE_GLOBAL_LOAD_STORE_LANES, issue));
    if (!price_by_throughput(id)) return issue;
    if (machine_throughput(machine, id, &lanes) && lanes > 0) return lanes;
    estimate_assume(s->out, s->input->arena,
                    "%s: throughput unknown on this GPU, one issue slot assumed", class_ids[id]);
    return issue;
}

/* Lanes of an SM that run this class, thread/cycle. */
static double class_lanes(const struct setting *s, enum insn_class id)
{
    enum zo_type type;
    double lanes =
        s->table && type_of(id, &type) ? zo_units[s->table - 1][type] : machine_lanes(s, id);
    if (!model_without(s->input, EFFECT_LONG_INSTRUCTIONS)) return lanes;
    return fmax(lanes, machine_lanes(s, CLASS_FP32_ADD));
}

/* Share of its peak that a pipe reaches with this many warps. */
static double fill_at(const struct setting *s, enum machine_curve_id id, double warps,
                      double fill_warps, double peak)
{
    const struct machine_curve *curve = &s->input->machine->curves[id];
    if (model_without(s->input, EFFECT_INST_LATENCY)) warps = INFINITY;
    if (curve->count) return machine_curve_at(curve, warps) / peak;
    return fill_warps > 0 ? fmin(1, warps / fill_warps) : 1;
}

static double pipe_fill(const struct setting *s, double lanes, double warps)
{
    double at = zo_curve_warps(s->type_curve, warps, s->reference, lanes);
    return fill_at(s, CURVE_INSTRUCTION, at, s->fill_warps, s->reference);
}

/* Σ count / throughput(type, warps): section 3. */
static double instruction_seconds(const struct setting *s, const struct profile *profile,
                                  double warps)
{
    double cycles = 0, counted = 0, total = profile_get(profile, COUNTER_INST_WARP);
    bool no_sync = model_without(s->input, EFFECT_SYNC);
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        double count = profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + i));
        if (!(count > 0)) continue;
        counted += count;
        double lanes = class_lanes(s, i);
        if (i == CLASS_BARRIER && no_sync) continue;
        cycles += count * WARP_LANES / (lanes * pipe_fill(s, lanes, warps));
    }
    if (counted < total) {
        double lanes = WARP_LANES / price_issue_cycles(s->input->machine);
        cycles += (total - counted) * WARP_LANES / (lanes * pipe_fill(s, lanes, warps));
        estimate_assume(s->out, s->input->arena, "unclassified instructions take one issue slot");
    }
    if (model_without(s->input, EFFECT_DIVERGENCE)) cycles *= active_lane_share(profile);
    return cycles / s->sms / s->clock_hz;
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* A pass through the banks after conflicts (section 4.2): one word a lane of a half-warp (64 B) or
 * of a warp. */
static double bytes_per_pass(const struct machine *machine)
{
    enum { WORD_BYTES = 4 };
    return (shared_is_half_warp(machine) ? WARP_LANES / 2 : WARP_LANES) * WORD_BYTES;
}

static double shared_bandwidth(const struct setting *s, double warps)
{
    double fill = fill_at(s, CURVE_SHARED, warps, s->shared_fill_warps, s->shared_peak);
    return s->shared_peak * fill * s->sms * s->clock_hz;
}

static double shared_seconds(const struct setting *s, const struct profile *profile, double warps)
{
    bool half_warp = shared_is_half_warp(s->input->machine);
    double passes = shared_sum(profile, SHARED_WAVEFRONTS, half_warp);
    if (model_without(s->input, EFFECT_BANK_CONFLICTS))
        passes -= shared_sum(profile, SHARED_CONFLICTS, half_warp);
    if (!(passes > 0)) return 0;
    return passes * bytes_per_pass(s->input->machine) / shared_bandwidth(s, warps);
}

/* ---- global memory --------------------------------------------------------------------------- */

static double global_bytes(const struct setting *s, const struct profile *profile)
{
    double bytes = texture_bytes(s->input->profile, profile);
    enum coalescing_rule rule = coalescing_rule_of(s->input->machine);
    for (unsigned op = 0; op < ACCESS_OP_COUNT; op++) {
        struct accesses one = accesses_read(profile, op, rule);
        bytes += model_without(s->input, EFFECT_UNCOALESCED) ? accesses_ideal_bytes(&one)
                                                             : one.parts[ACCESS_BYTES_MOVED];
    }
    return bytes;
}

/* What flows through the memory pipeline together: a launch, or one of its stages. */
static struct zo_global flow_of(const struct setting *s, const struct profile *profile,
                                double block_threads, double warps_of_block)
{
    enum coalescing_rule rule = coalescing_rule_of(s->input->machine);
    double requests = accesses_sum(profile, ACCESS_ALL, rule).parts[ACCESS_REQUESTS];
    struct zo_global flow = s->global;
    flow.bytes = global_bytes(s, profile);
    flow.threads = block_threads;
    flow.transactions = requests / (flow.blocks * warps_of_block);
    return flow;
}

static double global_seconds(const struct setting *s, const struct zo_global *flow,
                             const struct profile *profile, double warps)
{
    enum { LOADS = 1 << ACCESS_GLOBAL_LOAD | 1 << ACCESS_LOCAL_LOAD };
    struct accesses loads = accesses_sum(profile, LOADS, coalescing_rule_of(s->input->machine));
    double requests = loads.parts[ACCESS_REQUESTS] + texture_requests(profile);
    double waits = requests / s->loads_in_flight / (s->sms * warps);
    return zo_global_seconds(flow, global_bytes(s, profile), waits);
}

/* ---- setting --------------------------------------------------------------------------------- */

/* Where there is no measured curve: as many warps as keep a pipe busy for its latency. */
static void set_fills(struct setting *s)
{
    const struct machine *machine = s->input->machine;
    double latency = 0, shared = machine_get(machine, MACHINE_SHARED_LATENCY, 0);
    bool known = machine_latency(machine, CLASS_FP32_FMA, &latency) && latency > 0;
    s->fill_warps = latency * s->reference / WARP_LANES;
    s->shared_fill_warps = shared * s->shared_peak / (WARP_LANES * sizeof(float));
    if (machine->curves[CURVE_INSTRUCTION].count && machine->curves[CURVE_SHARED].count) return;
    estimate_assume(s->out, s->input->arena,
                    "no measured throughput by warps for this GPU: pipelines modelled as "
                    "saturated by %.3g warps (instructions%s) and %.3g warps (shared memory%s)",
                    s->fill_warps, known ? "" : ", latency unknown", s->shared_fill_warps,
                    shared > 0 ? "" : ", latency unknown");
}

static void set_global(struct setting *s)
{
    const struct machine *machine = s->input->machine;
    const struct machine_curve *measured = &machine->curves[CURVE_GLOBAL];
    double latency = machine_get(machine, MACHINE_DRAM_LATENCY, 0);
    bool no_limit = model_without(s->input, EFFECT_BANDWIDTH);
    bool no_latency = model_without(s->input, EFFECT_MEM_LATENCY);
    if (!(latency > 0))
        estimate_assume(s->out, s->input->arena,
                        "global memory latency unknown: its pipeline is assumed saturated");
    if (no_latency) latency = fmin(latency, 1);
    s->global = (struct zo_global){
        .peak = no_limit ? INFINITY : machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0),
        .latency_seconds = latency / s->clock_hz,
        .clusters = model_without(s->input, EFFECT_TAIL) ? 1 : machine_clusters(machine),
        .blocks = (double)profile_blocks(s->input->profile),
        .measured = measured->count ? measured : NULL,
        .full = no_latency,
    };
    double strength = profile_get(s->input->profile, COUNTER_MEM_MSTR);
    s->loads_in_flight = fmax(1, strength);
    if (!measured->count)
        estimate_assume(s->out, s->input->arena,
                        "global memory bandwidth modelled (figure 3 has no numbers): peak x "
                        "pipeline fill x sawtooth of the clusters");
}

static void read_setting(const struct model_input *input, struct estimate *out, struct setting *s)
{
    const struct model *self = &model_quantitative;
    const struct machine *machine = input->machine;
    double cores = 0, blocks = (double)profile_blocks(input->profile);
    *s = (struct setting){
        .input = input,
        .out = out,
        .sms = price_active_sms(input),
        .clock_hz = machine_get(machine, MACHINE_CLOCK_CORE, 0),
        .releases_early = machine_get(machine, MACHINE_SM_EARLY_RELEASE, 0) > 0,
        .type_curve = (enum zo_type_curve)model_option_get(self, input, "type_curve"),
        .table = model_option_get(self, input, "table1"),
    };
    s->blocks_per_sm = fmin(input->occupancy.blocks_per_sm, blocks / fmax(1, s->sms));
    (void)machine_throughput(machine, CLASS_FP32_FMA, &cores);
    s->reference = cores;
    double banks = machine_get(machine, MACHINE_SHARED_BANKS, WARP_LANES);
    s->shared_peak = fmin(zo_shared_peak(cores, 1, 1),
                          banks * machine_get(machine, MACHINE_SHARED_BANK_WIDTH, 4));
    set_fills(s);
    set_global(s);
    if (texture_requests(input->profile) > 0)
        estimate_assume(out, input->arena,
                        "texture fetches: each distinct sector comes from DRAM once%s",
                        profile_has(input->profile, COUNTER_MEM_TEXTURE_READ_FOOTPRINT)
                            ? ""
                            : "; the number is unknown, so none is counted");
}

/* ---- stages ---------------------------------------------------------------------------------- */

static double block_warps(const struct profile *profile)
{
    return ceil((double)profile_threads_per_block(profile) / WARP_LANES);
}

static struct zo_stage stage_times(const struct setting *s, const struct zo_global *flow,
                                   const struct profile *profile, double warps, double shared_warps)
{
    return (struct zo_stage){.seconds = {
                                 [ZO_INSTRUCTION] = instruction_seconds(s, profile, warps),
                                 [ZO_SHARED] = shared_seconds(s, profile, shared_warps),
                                 [ZO_GLOBAL] = global_seconds(s, flow, profile, warps),
                             }};
}

/* The launch's profile with the counters of one stage. */
static void show_stage(struct profile *view, const struct stage_profile *stage)
{
    for (unsigned i = 0; i < COUNTER_COUNT; i++)
        if (counter_infos[i].staged) view->counters[i].value = stage->counters[i];
}

/* Warps at work on an SM in a stage. With early release the places of idle warps are taken by the
 * warps of further blocks, so that as many work as are resident (section 5.2). */
static double stage_warps(const struct setting *s, double working)
{
    if (s->releases_early) working = fmax(working, block_warps(s->input->profile));
    return working * s->blocks_per_sm;
}

/* Warps that keep shared memory busy: those that access it. Idle warps test and wait without. */
static double shared_warps(const struct setting *s, const struct stage_profile *stage)
{
    double working = stage->shared_warps_working;
    return stage_warps(s, working > 0 ? working : stage->warps_working);
}

static struct zo_global stage_flow(const struct setting *s, const struct profile *view,
                                   const struct stage_profile *stage)
{
    double threads = stage->threads_working;
    if (!(threads > 0)) threads = (double)profile_threads_per_block(view);
    return flow_of(s, view, threads, fmax(1, stage->warps_working));
}

static struct zo_global launch_flow(const struct setting *s)
{
    const struct profile *profile = s->input->profile;
    return flow_of(s, profile, (double)profile_threads_per_block(profile), block_warps(profile));
}

static void write_stages(const struct setting *s, const struct zo_stage *stages, size_t count)
{
    const struct profile *profile = s->input->profile;
    struct stage_estimate *out = ARENA_ARRAY(s->input->arena, struct stage_estimate, count);
    for (size_t i = 0; i < count; i++)
        out[i] = (struct stage_estimate){
            .index = profile->stages[i].index,
            .warps = stage_warps(s, profile->stages[i].warps_working),
            .inst_seconds = stages[i].seconds[ZO_INSTRUCTION],
            .smem_seconds = stages[i].seconds[ZO_SHARED],
            .gmem_seconds = stages[i].seconds[ZO_GLOBAL],
            .bottleneck = components[stages[i].bottleneck],
            .next = components[stages[i].next],
        };
    s->times->stages = out;
    s->times->count = count;
}

/* Stages that overlap fill the memory pipeline once, together; serial ones each for itself. */
static struct zo_program run_stages(const struct setting *s, bool serial)
{
    const struct profile *profile = s->input->profile;
    size_t count = profile->stage_count;
    struct zo_stage *stages = mem_zalloc(count, sizeof *stages);
    struct profile *view = mem_alloc(sizeof *view);
    struct zo_global flow = launch_flow(s);
    profile_copy_fields(view, profile);
    for (size_t i = 0; i < count; i++) {
        const struct stage_profile *stage = &profile->stages[i];
        double warps = stage_warps(s, stage->warps_working);
        show_stage(view, stage);
        if (serial) flow = stage_flow(s, view, stage);
        stages[i] = stage_times(s, &flow, view, fmax(1, warps), fmax(1, shared_warps(s, stage)));
    }
    struct zo_program program = zo_combine(stages, count, serial);
    write_stages(s, stages, count);
    mem_free(view); /* shares all it points to with the profile */
    mem_free(stages);
    return program;
}

static ws_status run(struct diag *diag, const struct setting *s, struct zo_program *out)
{
    const struct profile *profile = s->input->profile;
    bool one_block = s->blocks_per_sm < 2 && !s->releases_early;
    bool serial = one_block && !model_without(s->input, EFFECT_SYNC);
    s->times->overlap = !serial;
    if (profile->stage_count) {
        *out = run_stages(s, serial);
        if (profile->stage_count > 1)
            estimate_assume(s->out, s->input->arena,
                            serial ? "one block per SM: its stages run one after another"
                                   : "stages of different blocks overlap completely");
        return WS_OK;
    }
    if (serial && profile_get(profile, COUNTER_BARRIER_WARP) > 0)
        return diag_error(
            diag, WS_ERR_NO_MODEL,
            "quantitative: one block with barriers fills an SM, so each stage must be timed, but "
            "the profile has no stages: save the profile of an execution or add its \"stages\"");
    double warps = block_warps(profile) * s->blocks_per_sm;
    struct zo_global flow = launch_flow(s);
    struct zo_stage whole = stage_times(s, &flow, profile, warps, warps);
    *out = zo_combine(&whole, 1, serial);
    return WS_OK;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static bool is_multiply_add(unsigned id)
{
    return id == CLASS_FP32_FMA || id == CLASS_FP64_FMA;
}

/* Share of the instructions whose class is in a set. */
static double class_share(const struct profile *profile, bool (*is_in)(unsigned id))
{
    double count = 0;
    for (unsigned i = 0; i < CLASS_COUNT; i++)
        if (is_in(i)) count += profile_get(profile, (enum counter)(COUNTER_INST_WARP_FIRST + i));
    return count / profile_get(profile, COUNTER_INST_WARP);
}

static void write_terms(const struct setting *s, const struct zo_program *program)
{
#define TERM(id, value, unit, text) estimate_add_term(s->out, id, value, unit, text)
    const struct profile *profile = s->input->profile;
    const double *seconds = program->components.seconds;
    bool half_warp = shared_is_half_warp(s->input->machine);
    double warps = block_warps(profile) * s->blocks_per_sm;
    struct zo_global flow = launch_flow(s);
    static const char *const busy[ZO_COMPONENTS] = {
        [ZO_INSTRUCTION] = "t_inst", [ZO_SHARED] = "t_smem", [ZO_GLOBAL] = "t_gmem"};
    for (unsigned i = 0; i < ZO_COMPONENTS; i++)
        estimate_add_busy(s->out, busy[i], components[i], seconds[i]);
    TERM("n", warps, "1", "active warps per SM");
    TERM("active_sms", s->sms, "1", "active SMs");
    TERM("active_blocks_per_sm", s->blocks_per_sm, "1", "resident blocks per SM");
    TERM("inst_fill", pipe_fill(s, s->reference, warps), "1",
         "share of peak multiply-add rate (figure 2)");
    TERM("inst_throughput",
         pipe_fill(s, s->reference, warps) * zo_instruction_peak(s->reference, s->clock_hz, s->sms),
         "1/s", "multiply-add rate, warp-level (figure 2)");
    TERM("smem_bandwidth", shared_bandwidth(s, warps), "B/s",
         "bandwidth at this warp count (figure 2)");
    TERM("smem_transactions", shared_sum(profile, SHARED_WAVEFRONTS, half_warp), "1",
         "wavefronts, including bank conflicts");
    TERM("smem_conflicts", shared_sum(profile, SHARED_CONFLICTS, half_warp), "1",
         "wavefronts caused by bank conflicts");
    TERM("gmem_bytes", flow.bytes, "B", "bytes of all transactions");
    TERM("gmem_per_thread", flow.transactions, "1", "accesses per thread (figure 3)");
    TERM("gmem_fill", zo_global_fill(&flow), "1", "share of peak with evenly loaded clusters");
    TERM("gmem_sawtooth", zo_global_sawtooth(&flow), "1",
         "factor of uneven cluster load (sawtooth)");
    if (isfinite(flow.peak))
        TERM("gmem_bandwidth", zo_global_bandwidth(&flow), "B/s",
             "bandwidth of this launch (figure 3)");
    TERM("mad_share", class_share(profile, is_multiply_add), "1",
         "multiply-add share of instructions");
    TERM("float_share", class_share(profile, class_is_float), "1",
         "FP share of instructions, including SFU");
#undef TERM
}

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    struct setting s;
    struct zo_program program = {0};
    if (!(profile_get(input->profile, COUNTER_INST_WARP) > 0) || !(price_active_sms(input) > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "quantitative: the launch has no blocks or executes no instructions");
    read_setting(input, out, &s);
    if (!(s.reference > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "quantitative: %s lacks the throughput of fp32.fma", input->machine->id);
    s.times = ARENA_ARRAY(input->arena, struct stage_times, 1);
    out->details = s.times;
    TRY(run(diag, &s, &program));
    write_terms(&s, &program);
    if (coalescing_rule_of(input->machine) == RULE_IS_SECTOR)
        estimate_assume(out, input->arena,
                        "[W604] no caches modelled: all global and local accesses go to DRAM");
    out->time_seconds = program.seconds;
    out->cycles = program.seconds * s.clock_hz;
    out->bottleneck = components[program.components.bottleneck];
    out->next = components[program.components.next];
    return WS_OK;
}

static const enum machine_key needs_machine[] = {
    MACHINE_SM_COUNT,     MACHINE_CLOCK_CORE,  MACHINE_DRAM_BANDWIDTH,      MACHINE_ISSUE_CYCLES,
    MACHINE_SHARED_BANKS, MACHINE_GLOBAL_RULE, MACHINE_THROUGHPUT_FP32_FMA, MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

static const struct model_option_info options[] = {
    {"table1", (const char *const[]){"machine", "zhang-owens", "wang", "teg", NULL},
     "units per instruction type: the machine's, or {10,8,4,1}, {10,8,2,1}, {16,8,2,1}"},
    {"type_curve", (const char *const[]){"own", "same", NULL},
     "types without a printed curve saturate their pipe with warps x 8 / units, or like "
     "multiply-adds"},
};

const struct model model_quantitative = {
    .name = "quantitative",
    .reference = "Zhang and Owens, HPCA 2011",
    .about = "Times of the instruction pipeline, shared memory and global memory, per stage "
             "where one block fills an SM. Made for GPUs without caches for global memory.",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .needs_occupancy = true,
    .needs_accesses = true,
    .needs_transactions = true,
    .effects = 1u << EFFECT_BANK_CONFLICTS | 1u << EFFECT_UNCOALESCED | 1u << EFFECT_DIVERGENCE |
               1u << EFFECT_SYNC | 1u << EFFECT_INST_LATENCY | 1u << EFFECT_LONG_INSTRUCTIONS |
               1u << EFFECT_MEM_LATENCY | 1u << EFFECT_BANDWIDTH | 1u << EFFECT_TAIL,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .predict = predict,
};
