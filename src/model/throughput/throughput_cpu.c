// SPDX-License-Identifier: Apache-2.0
/* The model throughput on CPUs (Hong's thesis, section 5.8): one thread a core (N = 1, so MWP is at
 * most 1), a multiply-add is two instructions where the CPU has none, dependences are hidden by
 * nothing (T-9). What counts as what: doc/models/throughput.md. */
#include <math.h>

#include "model/core/cpu_counts.h"
#include "model/throughput/throughput_case.h"

extern const struct model model_throughput, model_throughput_cpu;

static struct tp_readings read_options(const struct model_input *input)
{
    const struct model *self = &model_throughput;
    return (struct tp_readings){
        .period_is_group = model_option_get(self, input, "period") == 1,
        .overlap_n1 = model_option_get(self, input, "overlap") == 2,
        .tail_periods = 1, /* no ramp: MWP is at most 1 */
        .without_memory = model_option_get(self, input, "cache") == TP_CACHE_L1 ||
                          model_without(input, EFFECT_CACHE_MISSES),
    };
}

static struct tp_device read_device(const struct model_input *input,
                                    const struct cpu_counts *counts)
{
    const struct machine *machine = input->machine;
    struct tp_device device = {
        .cpu = true,
        .fma = counts->fma,
        .freq_hz = machine_get(machine, MACHINE_CLOCK_CORE, 0),
        .cores = counts->cores,
        .fp_units = counts->fp_units,
        .mem_bandwidth = machine_get(machine, MACHINE_DRAM_BANDWIDTH, 0),
        .mem_latency = machine_get(machine, MACHINE_DRAM_LATENCY, 0),
        .inst_latency = machine_get(machine, MACHINE_CPU_INST_LATENCY, 1),
    };
    if (model_without(input, EFFECT_BANDWIDTH)) device.mem_bandwidth = INFINITY;
    if (model_without(input, EFFECT_MEM_LATENCY)) device.mem_latency = 1;
    if (model_without(input, EFFECT_INST_LATENCY)) device.inst_latency = 1;
    return device;
}

/* ILP: the units of a core are busy but for what DEP takes away; counting a dependence by both would
 * count it twice (T-10). The other reading takes the profile's figure, up to the units. */
static struct tp_program read_program(const struct model_input *input,
                                      const struct cpu_counts *counts)
{
    double ilp = counts->fp_units;
    if (model_option_get(&model_throughput, input, "ilp") == 1)
        ilp = fmin(ilp, fmax(1, profile_get(input->profile, COUNTER_DEP_ILP)));
    return (struct tp_program){
        .fp = counts->lanes > 1 ? 0 : counts->fp,
        .fp_fused = counts->lanes > 1 ? 0 : counts->fp_fused,
        .fp_vec = counts->lanes > 1 ? counts->fp : 0,
        .fp_vec_fused = counts->lanes > 1 ? counts->fp_fused : 0,
        .integer = counts->integer,
        .br_misc = counts->br_misc + counts->software,
        .mem = counts->mem,
        .mstr = fmax(1, profile_get(input->profile, COUNTER_MEM_MSTR)),
        .ilp = ilp,
        .sse_ilp = ilp,
        .dep = fmax(1, profile_get(input->profile, COUNTER_DEP_DISTANCE)),
        .bytes_per_warp = counts->line_bytes,
        .n = 1,
    };
}

static enum component name_bottleneck(const struct tp_terms *t)
{
    if (!(t->idle > 0)) return t->dep_effect > 1 ? COMPONENT_INSTRUCTION_LATENCY : COMPONENT_ISSUE;
    return t->mwp_bw < 1 ? COMPONENT_CPU_BANDWIDTH : COMPONENT_MEMORY_LATENCY;
}

#define TERM(id, value, unit, text) estimate_add_term(out, id, value, unit, text)

static void write_memory_terms(const struct cpu_counts *counts, const struct tp_program *program,
                               const struct tp_terms *t, struct estimate *out)
{
    struct tp_suggestion s = tp_suggest(t, counts->cores, 1);
    TERM("mem_indep_strength", program->mstr, "1", "MSTR, loads before the first consumer");
    TERM("lines", counts->lines, "1", "cache lines fetched per thread group");
    TERM("bytes_per_warp", counts->line_bytes, "B", "bytes per cache line");
    TERM("eff_mem", t->eff_mem, "cycle", "EffMem per line");
    TERM("eff_comp", t->eff_comp, "cycle", "EffComp between two lines");
    TERM("mwp_app_infin", t->mwp_app_infin, "1", "MWP_App_InfiN (72)");
    TERM("mwp_app", t->mwp_app, "1", "MWP_App (74)");
    TERM("mwp_bw", t->mwp_bw, "1", "MWP_BW (75)");
    TERM("mwp", t->mwp, "1", "MWP (71)");
    TERM("idle", t->idle, "cycle", "IdleMemCycles per line (82)");
    TERM("hidden", t->hidden, "1", "IdleMemCycles / Mem_SerialN (figure 113)");
    TERM("category", t->category, "1", "category (figures 114, 115)");
    TERM("alpha_bw", s.alpha_bw, "1", "bandwidth demand over bandwidth (85)");
    TERM("cores_exact", s.cores_exact, "1", "cores that the bandwidth sustains (88)");
    TERM("cores", s.cores, "1", "the same, rounded up to whole cores");
}

static void write_terms(const struct cpu_counts *counts, const struct tp_program *program,
                        const struct tp_terms *t, struct estimate *out)
{
    TERM("fp_insts", program->fp, "1", "scalar FP instructions per thread (table 15)");
    TERM("fp_fused_insts", program->fp_fused, "1", "scalar multiply-adds");
    TERM("fp_vec_insts", program->fp_vec, "1", "vector FP instructions per thread group");
    TERM("fp_vec_fused_insts", program->fp_vec_fused, "1", "vector multiply-adds");
    TERM("int_insts", program->integer, "1", "integer instructions");
    TERM("br_misc_insts", program->br_misc, "1", "other instructions");
    TERM("mem_insts", counts->mem, "1", "global and local accesses");
    TERM("ilp", program->ilp, "1", "ILP");
    TERM("sse_ilp", program->sse_ilp, "1", "SSE_ILP");
    TERM("dep", program->dep, "1", "DEP, distance to the nearest producer");
    TERM("n", program->n, "1", "N, threads per core");
    TERM("lanes", counts->lanes, "1", "threads per vector");
    TERM("active_cores", counts->cores, "1", "active cores");
    TERM("peak_achi", t->peak_achi, "flop/s", "PeakAchi (67)");
    TERM("perf_cycles", t->perf_cycles, "cycle", "PerfCycles per thread group (69)");
    TERM("total_cycles", t->total_cycles, "cycle", "TotalCycles per thread group (70)");
    TERM("dep_effect", t->dep_effect, "1", "DEP_Effect (70)");
    TERM("eff_ratio_comp", t->eff_ratio_comp, "1", "EffRatio of computation only (68)");
    TERM("eff_ratio", t->eff_ratio, "1", "EffRatio (77)");
    TERM("perf", t->perf, "flop/s", "Perf (64)");
    if (t->category) write_memory_terms(counts, program, t, out);
}

#undef TERM

static void write_assumptions(const struct model_input *input, const struct cpu_counts *counts,
                              const struct tp_terms *t, struct estimate *out)
{
    if (!(counts->flops > 0))
        estimate_assume(out, input->arena,
                        "no floating-point instructions, so no useful work as the thesis defines "
                        "it: the time counts instructions only");
    if (counts->lanes > 1)
        estimate_assume(out, input->arena, "%.0f threads share a vector instruction",
                        counts->lanes);
    if (t->category)
        estimate_assume(out, input->arena,
                        "every cache line comes from DRAM once per warp; no prefetching (MWP = "
                        "1, section 5.8)");
    if (counts->software > 0)
        estimate_assume(
            out, input->arena,
            "sin, cos, ex2, lg2 and tanh are sequences on a CPU: %.4g more instructions per "
            "thread group",
            counts->software);
    if (profile_get(input->profile, COUNTER_BARRIER_WARP) > 0)
        estimate_assume(out, input->arena, "barriers are free on a CPU");
}

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    bool vectorised = model_option_get(&model_throughput, input, "vectorise") == 0;
    struct cpu_counts counts = cpu_counts_read(input, vectorised);
    if (!(cpu_counts_all(&counts) > 0) || !(counts.groups > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "throughput: the launch has no blocks or executes no instructions");
    struct tp_device device = read_device(input, &counts);
    struct tp_program program = read_program(input, &counts);
    struct tp_readings readings = read_options(input);
    struct tp_terms t = {0};
    tp_computation(&device, &program, &readings, &t);
    t.peak_achi = cpu_counts_peak(&counts, device.freq_hz);
    program.mem = counts.lines; /* a period is that of a line: accesses beside it hit */
    tp_memory(&device, &program, &readings, &t);
    double periods = counts.lines / (readings.period_is_group ? program.mstr : 1);
    double of_a_group = t.total_cycles + (t.category ? t.idle * periods : 0);
    /* flops / Perf; the same formula holds without any. */
    out->cycles = of_a_group * program.ilp / counts.fp_units * counts.groups / counts.cores;
    out->time_seconds = out->cycles / device.freq_hz;
    out->bottleneck = name_bottleneck(&t);
    write_terms(&counts, &program, &t, out);
    write_assumptions(input, &counts, &t, out);
    return WS_OK;
}

static const enum machine_key needs_machine[] = {
    MACHINE_CPU_CORES,        MACHINE_CPU_FP_UNITS,     MACHINE_CPU_VECTOR_UNITS,
    MACHINE_CPU_VECTOR_WIDTH, MACHINE_CPU_INST_LATENCY, MACHINE_CLOCK_CORE,
    MACHINE_DRAM_BANDWIDTH,   MACHINE_DRAM_LATENCY,     MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

const struct model model_throughput_cpu = {
    .name = "throughput",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .needs_accesses = true,
    .effects = 1u << EFFECT_UNCOALESCED | 1u << EFFECT_DIVERGENCE | 1u << EFFECT_INST_LATENCY |
               1u << EFFECT_LONG_INSTRUCTIONS | 1u << EFFECT_MEM_LATENCY | 1u << EFFECT_BANDWIDTH |
               1u << EFFECT_CACHE_MISSES,
    .predict = predict,
};
