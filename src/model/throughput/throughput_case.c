// SPDX-License-Identifier: Apache-2.0
#include "model/throughput/throughput_case.h"

#include <math.h>

#include "model/core/accesses.h"

const struct tp_input_info tp_input_infos[TP_INPUT_COUNT] = {
#define TP_INPUT(name, id, may_be_zero, text) [TP_INPUT_##name] = {id, text, may_be_zero},
#include "model/throughput/throughput_inputs.def"
};

const struct tp_category_info tp_category_infos[TP_CATEGORIES] = {
#define TP_CATEGORY(number, rank, meaning, advice) [(number)-1] = {number, rank, meaning, advice},
#include "model/throughput/throughput_categories.def"
};

const struct tp_bound_info tp_bound_infos[TP_BOUNDS] = {
    {TP_CACHE_L1, "l1", "all accesses hit L1: the upper bound", "perf_l1", "warp_rate_l1"},
    {TP_CACHE_MEASURED, "measured", "cache hit rates from the traces", NULL, NULL},
    {TP_CACHE_MOSTLY_DRAM, "mostly-dram", "80 % of accesses go to DRAM", "perf_mostly_dram",
     "warp_rate_mostly_dram"},
    {TP_CACHE_DRAM, "dram", "all accesses go to DRAM: the lower bound", "perf_dram",
     "warp_rate_dram"},
};

double tp_case_input(const struct tp_case *c, enum tp_input input)
{
    const struct tp_program *p = &c->program;
    switch (input) {
    case TP_INPUT_FP:
        return p->fp;
    case TP_INPUT_FP_FUSED:
        return p->fp_fused;
    case TP_INPUT_FP_VEC:
        return p->fp_vec;
    case TP_INPUT_FP_VEC_FUSED:
        return p->fp_vec_fused;
    case TP_INPUT_INTEGER:
        return p->integer;
    case TP_INPUT_BR_MISC:
        return p->br_misc;
    case TP_INPUT_MEM:
        return p->mem;
    case TP_INPUT_MSTR:
        return p->mstr;
    case TP_INPUT_ILP:
        return p->ilp;
    case TP_INPUT_SSE_ILP:
        return p->sse_ilp;
    case TP_INPUT_DEP:
        return p->dep;
    case TP_INPUT_BYTES:
        return c->bytes_per_thread;
    case TP_INPUT_DISTANCE:
        return c->distance_bytes;
    case TP_INPUT_N:
        return p->n;
    case TP_INPUT_COUNT:
        break;
    }
    return NAN;
}

/* ---- computation ----------------------------------------------------------------------------- */

/* As tp_computation, with each class at its own price. */
static void price_kinds(const struct tp_case *c, struct tp_terms *terms)
{
    double insts = 0, cycles = 0;
    double useful = c->kind_cycles[TP_KIND_FP] + c->kind_cycles[TP_KIND_FUSED];
    double flops = c->kind_insts[TP_KIND_FP] + 2 * c->kind_insts[TP_KIND_FUSED];
    for (unsigned i = 0; i < TP_KINDS; i++) {
        insts += c->kind_insts[i];
        cycles += c->kind_cycles[i];
    }
    /* Between two instructions of a warp pass those of N warps, each as long as the mean one. */
    double between = insts > 0 ? cycles / insts : 1;
    if (c->readings.warps_hide_dep) between *= c->program.n;
    terms->dep_effect = tp_dep_effect(c->device.inst_latency, c->program.dep, between);
    terms->perf_cycles = useful / c->program.ilp;
    terms->total_cycles = cycles / c->program.ilp * terms->dep_effect;
    terms->eff_ratio_comp = cycles > 0 ? terms->perf_cycles / terms->total_cycles : 0;
    terms->peak_achi =
        useful > 0 ? WARP_LANES * flops / useful * c->device.freq_hz * c->device.cores : 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The thesis runs a case of "mostly" DRAM accesses and does not say how many: one in five hits. Guess. */
static const double MOSTLY_HITS = 0.2;

/* Accesses that hit L1 are computation alone, as when all do (section 5.4); the others wait for L2 or
 * DRAM, and the bandwidth is asked for what DRAM moves. */
static void serve(const struct tp_case *c, struct tp_device *device, struct tp_program *program,
                  struct tp_readings *readings)
{
    double hits = 0;
    if (c->cache == TP_CACHE_L1) {
        readings->without_memory = true;
    } else if (c->cache == TP_CACHE_MOSTLY_DRAM) {
        hits = MOSTLY_HITS;
    } else if (c->has_caches && c->cache != TP_CACHE_DRAM) {
        hits = c->l1_hits;
        double beyond = fmax(1 - hits, 1e-12), dram = device->mem_latency;
        device->mem_latency = c->l2_hits * c->l2_latency + (1 - c->l2_hits) * dram;
        if (dram > 0) device->mwp_proc *= device->mem_latency / dram; /* (16): the delays stay */
        program->bytes_per_warp *= fmin(1, c->dram_share / beyond);
    }
    program->mem *= 1 - hits;
    if (program->mem < 1e-9 * c->program.mem) readings->without_memory = true;
}

void tp_case_evaluate(const struct tp_case *c, struct tp_terms *terms)
{
    price_kinds(c, terms);
    /* Behind the above: a caller has just written two numbers of the case, and a copy waits for them. */
    struct tp_device device = c->device;
    struct tp_program program = c->program;
    struct tp_readings readings = c->readings;
    serve(c, &device, &program, &readings);
    readings.tail_periods = c->all_periods ? fmax(1, program.mem) : 1;
    terms->periods = program.mem / (readings.period_is_group ? program.mstr : 1);
    tp_memory(&device, &program, &readings, terms);
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Cycles in which every core gets N warps through. */
static double wave_cycles(const struct tp_case *c, const struct tp_terms *terms)
{
    double idle = terms->category ? terms->idle * terms->periods : 0;
    return terms->total_cycles * c->program.n + idle;
}

double tp_case_cycles(const struct tp_case *c, const struct tp_terms *terms)
{
    return wave_cycles(c, terms) * (c->waves > 0 ? c->waves : 1);
}

double tp_case_warp_rate(const struct tp_case *c, const struct tp_terms *terms)
{
    return c->device.freq_hz * c->device.cores * c->program.n / wave_cycles(c, terms);
}

static void scale_kind(struct tp_case *c, unsigned kind, double factor)
{
    c->kind_insts[kind] *= factor;
    c->kind_cycles[kind] *= factor;
}

static double rate_of(const struct tp_case *c)
{
    struct tp_terms terms;
    tp_case_evaluate(c, &terms);
    return tp_case_warp_rate(c, &terms);
}

static double traded(const struct tp_case *c, double accesses, double others)
{
    struct tp_case changed = *c;
    for (unsigned i = 0; i < TP_KINDS; i++)
        scale_kind(&changed, i, i == TP_KIND_MEMORY ? accesses : others);
    changed.program.mem *= accesses;
    return rate_of(&changed);
}

struct tp_gains tp_case_gains(const struct tp_case *c)
{
    /* As printed, (80) and (82) let more bandwidth cost time (T-5): these are predictions. */
    struct tp_case now = *c;
    now.all_periods = now.readings.overlap_n1 = true;
    struct tp_case core = now, cores = now, bandwidth = now, warps = now;
    double as_it_is = rate_of(&now);
    core.device.cores += 1;
    cores.device.cores *= 1.1;
    bandwidth.device.mem_bandwidth *= 1.1;
    warps.program.n += 1;
    return (struct tp_gains){
        .core = rate_of(&core) / as_it_is,
        .cores = rate_of(&cores) / as_it_is,
        .bandwidth = rate_of(&bandwidth) / as_it_is,
        .memory = traded(&now, 0.9, 1.1) / as_it_is,
        .computation = traded(&now, 1.1, 0.9) / as_it_is,
        .warps = rate_of(&warps) / as_it_is,
    };
}
