// SPDX-License-Identifier: Apache-2.0
/* The model throughput: from profile and machine to the equations of throughput_equations.c. What
 * counts as what: doc/models/throughput.md. */
#include <math.h>

#include "model/core/accesses.h"
#include "model/core/estimate.h"
#include "model/core/needs.h"
#include "model/throughput/throughput_case.h"

extern const struct model model_throughput;

/* Of overlap and tail_periods: predictions of a launch take the reading that more bandwidth never makes
 * slower, inputs by hand what is printed. */
static bool is_chosen(const struct model_input *input, const char *option)
{
    enum { AUTO, PRINTED };
    size_t given = model_option_get(&model_throughput, input, option);
    return given == AUTO ? input->profile != NULL : given != PRINTED;
}

static struct tp_readings read_options(const struct model_input *input)
{
    const struct model *self = &model_throughput;
    return (struct tp_readings){
        .period_is_group = model_option_get(self, input, "period") == 1,
        .overlap_n1 = is_chosen(input, "overlap"),
        .warps_hide_dep = model_option_get(self, input, "hide_by_warps") == 0,
    };
}

static enum tp_cache choose_cache(const struct model_input *input)
{
    if (model_without(input, EFFECT_CACHE_MISSES)) return TP_CACHE_L1;
    return (enum tp_cache)model_option_get(&model_throughput, input, "cache");
}

static enum component name_bottleneck(const struct tp_terms *t, double n)
{
    if (!(t->idle > 0)) return t->dep_effect > 1 ? COMPONENT_INSTRUCTION_LATENCY : COMPONENT_ISSUE;
    if (t->mwp >= n || t->mwp >= t->mwp_app) return COMPONENT_MEMORY_LATENCY;
    return t->mwp >= t->mwp_bw ? COMPONENT_GLOBAL_BANDWIDTH : COMPONENT_MEMORY_PORT;
}

static void write_terms(const struct tp_device *device, const struct tp_program *program,
                        const struct tp_terms *t, struct estimate *out)
{
#define TERM(id, value, unit, text) estimate_add_term(out, id, value, unit, text)
    TERM("fp_insts", program->fp, "1", "FP instructions per warp (table 15)");
    TERM("fp_fused_insts", program->fp_fused, "1", "fused multiply-adds per warp");
    TERM("int_insts", program->integer, "1", "integer instructions per warp");
    TERM("br_misc_insts", program->br_misc, "1", "other instructions per warp");
    TERM("mem_insts", program->mem, "1", "global and local accesses per warp");
    TERM("dep", program->dep, "1", "DEP, distance to the nearest producer");
    TERM("n", program->n, "1", "N, active warps per SM");
    TERM("peak_achi", t->peak_achi, "flop/s", "PeakAchi (67)");
    TERM("perf_cycles", t->perf_cycles, "cycle", "PerfCycles per warp (69)");
    TERM("total_cycles", t->total_cycles, "cycle", "TotalCycles per warp (70)");
    TERM("dep_effect", t->dep_effect, "1", "DEP_Effect (70)");
    TERM("eff_ratio_comp", t->eff_ratio_comp, "1", "EffRatio of computation only (68)");
    TERM("eff_ratio", t->eff_ratio, "1", "EffRatio (77)");
    TERM("perf", t->perf, "flop/s", "Perf (64)");
    if (!t->category) return;
    struct tp_suggestion s = tp_suggest(t, device->cores, program->n);
    TERM("mem_indep_strength", program->mstr, "1", "MSTR, loads before the first consumer");
    TERM("bytes_per_warp", program->bytes_per_warp, "B", "bytes moved per access");
    TERM("eff_mem", t->eff_mem, "cycle", "EffMem");
    TERM("eff_comp", t->eff_comp, "cycle", "EffComp");
    TERM("mwp_app_infin", t->mwp_app_infin, "1", "MWP_App_InfiN (72)");
    TERM("mwp_app_demand", t->mwp_app_infin * program->mstr, "1",
         "in accesses, for unlimited warps");
    TERM("mwp_app", t->mwp_app, "1", "MWP_App (74)");
    TERM("mwp_bw", t->mwp_bw, "1", "MWP_BW (75)");
    if (t->mwp_proc > 0) TERM("mwp_proc", t->mwp_proc, "1", "MWP_Proc (16)");
    TERM("mwp", t->mwp, "1", "MWP (71)");
    TERM("idle", t->idle, "cycle", "IdleMemCycles (82)");
    TERM("hidden", t->hidden, "1", "IdleMemCycles / Mem_SerialN (figure 113)");
    TERM("category", t->category, "1", "category (figures 114, 115)");
    TERM("alpha_bw", s.alpha_bw, "1", "bandwidth demand over bandwidth (85)");
    TERM("cores_exact", s.cores_exact, "1", "SMs that the bandwidth sustains (88)");
    TERM("cores", s.cores, "1", "the same, rounded up to whole SMs");
    TERM("n_exact", s.n_exact, "1", "warps per SM that the bandwidth sustains (91)");
    TERM("n_suggested", s.n, "1", "the same, rounded down to whole warps");
    TERM("freq_factor", s.freq_factor, "1", "core clock divisor at little loss (93)");
#undef TERM
}

static void write_bounds(const struct tp_case *c, struct estimate *out)
{
    double rates[TP_BOUNDS];
    for (size_t i = 0; i < TP_BOUNDS; i++) {
        const struct tp_bound_info *info = &tp_bound_infos[i];
        struct tp_case bound = *c;
        struct tp_terms terms;
        if (!info->perf_id) continue;
        bound.cache = info->cache;
        tp_case_evaluate(&bound, &terms);
        rates[i] = tp_case_warp_rate(&bound, &terms);
        estimate_add_term(out, info->perf_id, terms.perf, "flop/s", info->text);
        estimate_add_term(out, info->rate_id, rates[i], "1/s", "warps completed per second");
    }
    estimate_add_term(out, "l1_over_dram", rates[0] / rates[TP_BOUNDS - 1], "1",
                      "the upper bound over the lower one (figures 131 to 135)");
}

static void write_assumptions(const struct model_input *input, const struct tp_case *c,
                              const struct tp_terms *t, struct estimate *out)
{
    bool useful = c->kind_insts[TP_KIND_FP] + c->kind_insts[TP_KIND_FUSED] > 0;
    if (!useful)
        estimate_assume(out, input->arena,
                        "no floating-point instructions, so no useful work as the thesis defines "
                        "it: the time counts instructions only");
    double sms = fmax(machine_get(input->machine, MACHINE_SM_COUNT, 0), input->whole_sms);
    const struct cache_geometry *caches = input->caches ? &input->caches->geometry : NULL;
    if (t->category && caches &&
        (caches->sm_count != (uint64_t)sms ||
         caches->l2_bytes != (uint64_t)machine_get(input->machine, MACHINE_L2_SIZE, 0)))
        estimate_assume(out, input->arena,
                        "no warp traces: cache hit rates kept from %llu SMs and %.4g MB of L2",
                        (unsigned long long)caches->sm_count, (double)caches->l2_bytes / 1e6);
    bool to_dram = c->cache == TP_CACHE_DRAM || (c->cache != TP_CACHE_L1 && !c->has_caches);
    if (t->category && to_dram && coalescing_rule_of(input->machine) == RULE_IS_SECTOR)
        estimate_assume(out, input->arena,
                        "[W604] no caches modelled: all global and local accesses go to DRAM");
    if (t->category && !to_dram && !caches && c->has_caches)
        estimate_assume(out, input->arena,
                        "[W604] no caches modelled: all global and local accesses go to DRAM but "
                        "%.3g %% of the loads, found in the L2",
                        100 * input->l2.share);
}

static ws_status answer(struct diag *diag, const struct model_input *input, struct tp_case *c,
                        struct estimate *out)
{
    struct tp_terms t;
    c->readings = read_options(input);
    c->cache = choose_cache(input);
    c->all_periods = is_chosen(input, "tail_periods");
    TRY(input->profile ? tp_case_read(diag, input, c) : tp_case_by_hand(diag, input, c));
    tp_case_evaluate(c, &t);
    out->cycles = tp_case_cycles(c, &t);
    out->time_seconds = out->cycles / c->device.freq_hz;
    out->bottleneck = name_bottleneck(&t, c->program.n);
    write_terms(&c->device, &c->program, &t, out);
    if (c->program.mem > 0) write_bounds(c, out);
    write_assumptions(input, c, &t, out);
    return WS_OK;
}

static ws_status predict(struct diag *diag, const struct model_input *input, struct estimate *out)
{
    struct tp_case *c = ARENA_ARRAY(input->arena, struct tp_case, 1);
    out->details = c;
    return answer(diag, input, c, out);
}

ws_status throughput_by_hand(struct diag *diag, const struct machine *machine,
                             const struct predict_options *options, struct prediction *out)
{
    struct model_input input = {.machine = machine,
                                .option_count = options->option_count,
                                .options = options->options,
                                .effects_off = options->effects_off,
                                .arena = &out->arena};
    out->machine = machine;
    out->options = *options;
    out->estimates[0] = (struct estimate){.id = MODEL_THROUGHPUT, .model = model_throughput.name};
    out->estimate_count = 1;
    TRY(needs_check_options(diag, &out->arena, options->option_count, options->options));
    return predict(diag, &input, &out->estimates[0]);
}

static const enum machine_key needs_machine[] = {
    MACHINE_SM_COUNT,     MACHINE_CLOCK_CORE,       MACHINE_DRAM_BANDWIDTH, MACHINE_DRAM_LATENCY,
    MACHINE_ISSUE_CYCLES, MACHINE_ISSUE_SCHEDULERS, MACHINE_GLOBAL_RULE,    MACHINE_KEY_COUNT};
static const enum counter needs_counters[] = {COUNTER_INST_WARP, COUNTER_COUNT};

static const struct model_option_info options[] = {
    {"period", (const char *const[]){"access", "group", NULL},
     "EffComp and EffMem per memory access, or per group of independent accesses (reading T-3)"},
    {"overlap", (const char *const[]){"auto", "n", "n-1", NULL},
     "a warp's own computation hides its access, as (82) is printed (n), or does not (n-1); "
     "auto: n-1 for launches on GPUs (reading T-5)"},
    {"tail_periods", (const char *const[]){"auto", "one", "all", NULL},
     "the ramp of (80) occurs in every period, as printed (one), or once per kernel (all); auto: "
     "all for launches (reading T-5)"},
    {"hide_by_warps", (const char *const[]){"warps", "none", NULL},
     "other warps hide instruction latency, or do not (reading T-9)"},
    {"cache", (const char *const[]){"auto", "dram", "mostly-dram", "l1", "measured", NULL},
     "where accesses are served (section 5.6): as measured where caches are known, else all by "
     "DRAM; l1 and dram give the upper and lower bound"},
    {"vectorise", (const char *const[]){"threads", "none", NULL},
     "on a CPU: adjacent threads share vector instructions, or each thread is scalar"},
    {"ilp", (const char *const[]){"units", "profile", NULL},
     "on a CPU: one instruction per unit per cycle, or at most dep.ilp (reading T-10)"},
#define TP_INPUT(name, id, may_be_zero, text)                                                      \
    {"tp." id, (may_be_zero) ? model_counts : NULL, text " of a warp, instead of the profile's"},
#include "model/throughput/throughput_inputs.def"
};

const struct model model_throughput = {
    .name = "throughput",
    .reference = "S. Hong, PhD thesis, Georgia Tech 2012, chapter V",
    .about = "Peak throughput times the share of useful cycles. Compares the memory overlap of a "
             "kernel with what the memory system sustains, in ten categories.",
    .needs_machine = needs_machine,
    .needs_counters = needs_counters,
    .needs_prior = (const enum model_id[]){MODEL_MWP_CWP, MODEL_COUNT},
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
