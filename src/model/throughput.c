// SPDX-License-Identifier: Apache-2.0
/* The model throughput: from profile and machine to the equations of throughput_equations.c. What
 * counts as what: doc/models/throughput.md. */
#include "model/throughput.h"

#include <math.h>
#include <string.h>

#include "model/accesses.h"
#include "model/estimate.h"
#include "model/prices.h"

extern const struct model model_throughput;

/* ---- instructions ---------------------------------------------------------------------------- */

/* Useful instructions are floating-point ones (section 5.3.1); flops of a lane. */
double tp_class_flops(enum insn_class id)
{
    switch (id) {
    case CLASS_FP32_FMA:
    case CLASS_FP64_FMA:
        return 2;
    case CLASS_FP32_ADD:
    case CLASS_FP32_MUL:
    case CLASS_FP32_MINMAX:
    case CLASS_FP32_DIV:
    case CLASS_FP64_ADD:
    case CLASS_FP64_MUL:
    case CLASS_FP64_MINMAX:
    case CLASS_FP64_DIV:
    case CLASS_FP16:
    case CLASS_BF16:
        return 1;
    default:
        return 0;
    }
}

bool tp_class_is_integer(enum insn_class id)
{
    return (id >= CLASS_INT_ADD && id <= CLASS_INT_MINMAX) || id == CLASS_LOGIC ||
           id == CLASS_SHIFT || id == CLASS_CMP;
}

bool tp_class_is_memory(enum insn_class id)
{
    return (id >= CLASS_MEM_GLOBAL_LOAD && id <= CLASS_MEM_GLOBAL_ATOMIC) ||
           (id >= CLASS_MEM_LOCAL_LOAD && id <= CLASS_MEM_LOCAL_ATOMIC);
}

/* Cycles of an SM that a warp instruction takes. The thesis has one, with 32 lanes an SM and every
 * class at full rate; here the class's own throughput, never faster than the SM issues. */
static double class_cycles(const struct model_input *input, enum insn_class id)
{
    double lanes, issue = price_issue_cycles(input->machine);
    if (model_without(input, EFFECT_LONG_INSTRUCTIONS)) id = CLASS_FP32_ADD;
    bool priced = price_by_throughput(id) && machine_throughput(input->machine, id, &lanes);
    return priced && lanes > 0 ? fmax(issue, WARP_LANES / lanes) : issue;
}

/* Of one warp. */
struct mix {
    double fp, fp_fused, integer, mem, br_misc;
    double flops;                     /* of a lane */
    double useful_cycles, all_cycles; /* of an SM, without dependences */
};

static struct mix read_mix(const struct model_input *input, double warps)
{
    struct mix mix = {0};
    double counted = 0, total = profile_get(input->profile, COUNTER_INST_WARP) / warps;
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        double count =
            profile_get(input->profile, (enum counter)(COUNTER_INST_WARP_FIRST + i)) / warps;
        double flops = tp_class_flops(i), cycles = count * class_cycles(input, i);
        counted += count;
        mix.all_cycles += cycles;
        mix.flops += flops * count;
        if (flops > 0) mix.useful_cycles += cycles;
        if (flops > 1)
            mix.fp_fused += count;
        else if (flops > 0)
            mix.fp += count;
        else if (tp_class_is_integer(i))
            mix.integer += count;
        else if (tp_class_is_memory(i))
            mix.mem += count;
    }
    mix.all_cycles += fmax(0, total - counted) * price_issue_cycles(input->machine);
    mix.br_misc = fmax(total, counted) - mix.fp - mix.fp_fused - mix.integer - mix.mem;
    if (model_without(input, EFFECT_DIVERGENCE)) {
        double share = active_lane_share(input->profile);
        mix.useful_cycles *= share;
        mix.all_cycles *= share;
    }
    return mix;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Terms of mwp-cwp for the same pair: N, waves, Mem_L, MWP_Proc. */
static double prior_term(const struct model_input *input, const char *id, double otherwise)
{
    for (size_t i = 0; i < input->prior_count; i++) {
        if (strcmp(input->prior[i].model, "mwp-cwp")) continue;
        const struct term *term = estimate_term(&input->prior[i], id);
        return term ? term->value : otherwise;
    }
    return otherwise;
}

/* Latency and bytes of an access go together (section 5.3.8): what u transactions take, and move. */
static void read_memory(const struct model_input *input, double warps, struct tp_device *device,
                        struct tp_program *program)
{
    struct accesses all =
        accesses_sum(input->profile, ACCESS_ALL, coalescing_rule_of(input->machine));
    double requests = all.parts[ACCESS_REQUESTS];
    program->mem = requests / warps;
    program->mstr = fmax(1, profile_get(input->profile, COUNTER_MEM_MSTR));
    if (!(requests > 0)) return;
    program->bytes_per_warp = all.parts[ACCESS_BYTES_MOVED] / requests;
    device->mem_latency = prior_term(input, "mem_l", 0);
    device->mwp_proc = prior_term(input, "mwp_without_bw_full", 0);
    if (model_without(input, EFFECT_UNCOALESCED)) {
        program->bytes_per_warp = accesses_ideal_bytes(&all) / requests;
        device->mem_latency = prior_term(input, "mem_l_coal", device->mem_latency);
        device->mwp_proc = device->mem_latency / prior_term(input, "dep_coal", 1);
    }
    if (model_without(input, EFFECT_MEM_LATENCY)) device->mem_latency = 1;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static struct tp_readings read_options(const struct model_input *input)
{
    const struct model *self = &model_throughput;
    return (struct tp_readings){
        .period_is_group = model_option_get(self, input, "period") == 1,
        .overlap_n1 = model_option_get(self, input, "overlap") == 1,
        .tail_periods = 1,
        .warps_hide_dep = model_option_get(self, input, "hide_by_warps") == 0,
        .without_memory = model_option_get(self, input, "cache") == 1 ||
                          model_without(input, EFFECT_CACHE_MISSES),
    };
}

/* As tp_computation, with each class at its own price. */
static void price_mix(const struct model_input *input, const struct mix *mix,
                      const struct tp_readings *readings, struct tp_device *device,
                      struct tp_program *program, struct tp_terms *terms)
{
    double insts = mix->fp + mix->fp_fused + mix->integer + mix->mem + mix->br_misc;
    double cycles = insts > 0 ? mix->all_cycles / insts : 1; /* of an instruction */
    program->fp = mix->fp;
    program->fp_fused = mix->fp_fused;
    program->integer = mix->integer;
    program->br_misc = mix->br_misc;
    program->ilp = program->sse_ilp = 1; /* a warp issues in order, one at a time */
    program->dep = fmax(1, profile_get(input->profile, COUNTER_DEP_DISTANCE));
    if (!machine_latency(input->machine, CLASS_FP32_FMA, &device->inst_latency))
        device->inst_latency = 1;
    if (model_without(input, EFFECT_INST_LATENCY)) device->inst_latency = 1;
    /* Between two instructions of a warp pass those of N warps, `cycles` each. */
    terms->dep_effect = tp_dep_effect(device->inst_latency, program->dep,
                                      readings->warps_hide_dep ? program->n * cycles : cycles);
    terms->perf_cycles = mix->useful_cycles;
    terms->total_cycles = mix->all_cycles * terms->dep_effect;
    terms->eff_ratio_comp = terms->perf_cycles / terms->total_cycles;
    if (mix->useful_cycles > 0)
        terms->peak_achi =
            WARP_LANES * mix->flops / mix->useful_cycles * device->freq_hz * device->cores;
}

static const char *name_bottleneck(const struct tp_terms *t, double n)
{
    if (!(t->idle > 0)) return t->dep_effect > 1 ? "instruction latency" : "instruction issue";
    if (t->mwp >= n || t->mwp >= t->mwp_app) return "memory latency";
    return t->mwp >= t->mwp_bw ? "global memory bandwidth" : "memory port of the SM";
}

static void write_terms(const struct tp_device *device, const struct tp_program *program,
                        const struct tp_terms *t, struct estimate *out)
{
#define TERM(id, value, unit, text) estimate_add_term(out, id, value, unit, text)
    TERM("fp_insts", program->fp, "1", "FP instructions of a warp (table 15)");
    TERM("fp_fused_insts", program->fp_fused, "1", "fused multiply-adds of a warp");
    TERM("int_insts", program->integer, "1", "integer instructions of a warp");
    TERM("br_misc_insts", program->br_misc, "1", "other instructions of a warp");
    TERM("mem_insts", program->mem, "1", "global and local accesses of a warp");
    TERM("dep", program->dep, "1", "DEP, distance to the nearest producer");
    TERM("n", program->n, "1", "N, active warps per SM");
    TERM("peak_achi", t->peak_achi, "flop/s", "PeakAchi (67)");
    TERM("perf_cycles", t->perf_cycles, "cycle", "PerfCycles of a warp (69)");
    TERM("total_cycles", t->total_cycles, "cycle", "TotalCycles of a warp (70)");
    TERM("dep_effect", t->dep_effect, "1", "DEP_Effect (70)");
    TERM("eff_ratio_comp", t->eff_ratio_comp, "1", "EffRatio of the computation (68)");
    TERM("eff_ratio", t->eff_ratio, "1", "EffRatio (77)");
    TERM("perf", t->perf, "flop/s", "Perf (64)");
    if (!t->category) return;
    struct tp_suggestion s = tp_suggest(t, device->cores, program->n);
    TERM("mem_indep_strength", program->mstr, "1", "MSTR");
    TERM("bytes_per_warp", program->bytes_per_warp, "B", "bytes that an access moves");
    TERM("eff_mem", t->eff_mem, "cycle", "EffMem");
    TERM("eff_comp", t->eff_comp, "cycle", "EffComp");
    TERM("mwp_app_infin", t->mwp_app_infin, "1", "MWP_App_InfiN (72)");
    TERM("mwp_app_demand", t->mwp_app_infin * program->mstr, "1",
         "the same in accesses: what warps without end would overlap");
    TERM("mwp_app", t->mwp_app, "1", "MWP_App (74)");
    TERM("mwp_bw", t->mwp_bw, "1", "MWP_BW (75)");
    if (t->mwp_proc > 0) TERM("mwp_proc", t->mwp_proc, "1", "MWP_Proc (16)");
    TERM("mwp", t->mwp, "1", "MWP (71)");
    TERM("idle", t->idle, "cycle", "IdleMemCycles (82)");
    TERM("hidden", t->hidden, "1", "IdleMemCycles / Mem_SerialN (figure 113)");
    TERM("category", t->category, "1", "category (figures 114, 115)");
    TERM("alpha_bw", s.alpha_bw, "1", "bandwidth that the demand asks for, as a factor (85)");
    TERM("cores_exact", s.cores_exact, "1", "SMs that the bandwidth feeds (88)");
    TERM("cores", s.cores, "1", "the same, whole");
    TERM("n_exact", s.n_exact, "1", "warps per SM that the bandwidth feeds (91)");
    TERM("n_suggested", s.n, "1", "the same, whole");
    TERM("freq_factor", s.freq_factor, "1", "divisor of the core clock that costs least (93)");
#undef TERM
}

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    const struct machine *machine = input->machine;
    double warps = executed_warps(input->profile);
    struct tp_device device = {
        .freq_hz = machine_get(machine, MACHINE_CLOCK_CORE, 0),
        .cores = price_active_sms(input),
        .mem_bandwidth = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0),
    };
    if (model_without(input, EFFECT_BANDWIDTH)) device.mem_bandwidth = INFINITY;
    struct tp_program program = {.n = prior_term(input, "n", 1)};
    struct tp_readings readings = read_options(input);
    struct tp_terms t = {0};
    struct mix mix = read_mix(input, warps);
    if (!(mix.all_cycles > 0))
        return diag_error(diag, WS_ERR_NO_MODEL, "no instruction was executed");
    read_memory(input, warps, &device, &program);
    price_mix(input, &mix, &readings, &device, &program, &t);
    if (model_option_get(&model_throughput, input, "tail_periods") == 1)
        readings.tail_periods = fmax(1, program.mem);
    tp_memory(&device, &program, &readings, &t);
    double periods =
        t.category && readings.period_is_group ? program.mem / program.mstr : program.mem;
    double of_a_wave = t.total_cycles * program.n + (t.category ? t.idle * periods : 0);
    out->cycles = of_a_wave * prior_term(input, "rep", 1);
    out->time_seconds = out->cycles / device.freq_hz;
    out->bottleneck = name_bottleneck(&t, program.n);
    write_terms(&device, &program, &t, out);
    if (!(mix.flops > 0))
        estimate_assume(out, input->arena,
                        "no floating-point instruction: nothing is useful work in the thesis' "
                        "sense, so the time counts instructions alone");
    if (t.category && coalescing_rule_of(machine) == RULE_IS_SECTOR)
        estimate_assume(out, input->arena,
                        "[W604] no cache: every global and local access goes to DRAM");
    return WS_OK;
}

static const enum machine_key needs_machine[] = {
    MACHINE_SM_COUNT,     MACHINE_CLOCK_CORE,       MACHINE_DRAM_BANDWIDTH, MACHINE_DRAM_LATENCY,
    MACHINE_ISSUE_CYCLES, MACHINE_ISSUE_SCHEDULERS, MACHINE_GLOBAL_RULE,    MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

static const struct model_option_info options[] = {
    {"period", (const char *const[]){"access", "group", NULL},
     "EffComp and EffMem by memory access, or by group of independent ones (reading T-3)"},
    {"overlap", (const char *const[]){"n", "n-1", NULL},
     "a warp's own computation hides its access as (82) is printed, or does not (reading T-5)"},
    {"tail_periods", (const char *const[]){"one", "all", NULL},
     "the ramp of (80) is paid in every period, as printed, or once a kernel (reading T-5)"},
    {"hide_by_warps", (const char *const[]){"warps", "none", NULL},
     "other warps hide the latency of instructions, or do not (reading T-9)"},
    {"cache", (const char *const[]){"dram", "l1", NULL},
     "every access goes to DRAM, or all hit L1: the lower and upper bound of section 5.6"},
    {"vectorise", (const char *const[]){"threads", "none", NULL},
     "on a CPU: neighbouring threads share vector instructions, or each runs by itself"},
    {"ilp", (const char *const[]){"units", "profile", NULL},
     "on a CPU: as many instructions a cycle as units, or at most those of dep.ilp (reading T-10)"},
};

const struct model model_throughput = {
    .name = "throughput",
    .reference = "S. Hong, PhD thesis, Georgia Tech 2012, chapter V",
    .about = "Peak times the share of useful cycles; how many accesses a kernel asks to overlap "
             "against how many the memory lets overlap, in ten categories.",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .needs_prior = (const char *const[]){"mwp-cwp", NULL},
    .needs_occupancy = true,
    .needs_accesses = true,
    .needs_transactions = true,
    .effects = 1u << EFFECT_UNCOALESCED | 1u << EFFECT_DIVERGENCE | 1u << EFFECT_INST_LATENCY |
               1u << EFFECT_LONG_INSTRUCTIONS | 1u << EFFECT_MEM_LATENCY | 1u << EFFECT_BANDWIDTH |
               1u << EFFECT_CACHE_MISSES,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .predict = predict,
};
