// SPDX-License-Identifier: Apache-2.0
#include "model/throughput/throughput.h"

#include <math.h>

/* fmax and fmin, of NaN too, without a call: bench_throughput. */
static inline double more(double a, double b)
{
    return a > b || isnan(b) ? a : b;
}

static inline double less(double a, double b)
{
    return a < b || isnan(b) ? a : b;
}

/* Instructions of a multiply-add: two on a CPU that has none (section 5.7). */
static double fused_instructions(const struct tp_device *device)
{
    return device->cpu && !device->fma ? 2 : 1;
}

/* Table 14's peaks: clock x cores x units, `simd` lanes in a vector on a CPU; two flops for a
 * multiply-add in however many instructions. (65) to (67) weigh them by the instructions that reach
 * them. */
double tp_peak_achievable(const struct tp_device *device, const struct tp_program *program)
{
    double of_a_core = device->freq_hz * device->cores, fused = fused_instructions(device);
    double scalar = of_a_core * device->fp_units;
    double vector = device->cpu ? of_a_core * device->vec_units * device->simd : scalar;
    double instructions =
        program->fp + program->fp_vec + fused * (program->fp_fused + program->fp_vec_fused);
    if (!(instructions > 0)) return 0;
    return (scalar * (program->fp + 2 * program->fp_fused) +
            vector * (program->fp_vec + 2 * program->fp_vec_fused)) /
           instructions;
}

double tp_dep_effect(double inst_latency, double dep, double between)
{
    return more(1, inst_latency / (dep * between));
}

void tp_computation(const struct tp_device *device, const struct tp_program *program,
                    const struct tp_readings *readings, struct tp_terms *terms)
{
    double fused = fused_instructions(device);
    double plain = program->fp + fused * program->fp_fused;
    double vector = program->fp_vec + fused * program->fp_vec_fused;
    double others = program->integer + program->br_misc + program->mem;
    terms->peak_achi = tp_peak_achievable(device, program);
    terms->dep_effect = tp_dep_effect(device->inst_latency, program->dep,
                                      readings->warps_hide_dep ? program->n : 1);
    terms->perf_cycles = plain / program->ilp + vector / program->sse_ilp;
    terms->total_cycles = (terms->perf_cycles + others / program->ilp) * terms->dep_effect;
    terms->eff_ratio_comp = terms->total_cycles > 0 ? terms->perf_cycles / terms->total_cycles : 0;
}

void tp_mwp_app(double n, double mstr, struct tp_terms *terms)
{
    terms->mwp_app_infin = more(1, terms->eff_mem / terms->eff_comp);
    terms->mwp_app = less(terms->mwp_app_infin, n) * mstr;
}

double tp_mwp_bw(const struct tp_device *device, double bytes_per_warp)
{
    double of_a_warp = device->freq_hz * bytes_per_warp / device->mem_latency;
    return device->mem_bandwidth / (of_a_warp * device->cores);
}

void tp_idle(double n, const struct tp_readings *readings, struct tp_terms *terms)
{
    terms->mem_serial_n = terms->eff_mem * n;
    terms->mem_divided_n = terms->mem_serial_n / terms->mwp;
    /* Below one request at a time there is no ramp, as in chapter II (reading A-9). */
    double ramp = terms->eff_comp * more(0, terms->mwp - 1);
    terms->mem_n = terms->mem_divided_n + ramp / readings->tail_periods;
    terms->comp_n = terms->eff_comp * n;
    double covered = readings->overlap_n1 ? terms->eff_comp * (n - 1) : terms->comp_n;
    terms->idle = more(0, terms->mem_n - covered);
    terms->hidden = terms->mem_serial_n > 0 ? terms->idle / terms->mem_serial_n : 0;
    terms->eff_ratio = terms->eff_perf * n / (terms->comp_n + terms->idle);
}

static double limit_or_none(double limit)
{
    return limit > 0 ? limit : INFINITY;
}

int tp_category(double n, const struct tp_terms *terms)
{
    double app = terms->mwp_app;
    int base = n < terms->mwp_app_infin ? 0 : 5;
    if (limit_or_none(terms->mwp_proc) < app) return base + (terms->mwp_bw < app ? 1 : 2);
    if (terms->mwp_bw < 0.85 * app) return base + 3; /* 0.85: section 5.4 */
    return base + (terms->mwp_bw < app ? 4 : 5);
}

void tp_memory(const struct tp_device *device, const struct tp_program *program,
               const struct tp_readings *readings, struct tp_terms *terms)
{
    if (!(program->mem > 0) || readings->without_memory) {
        *terms = (struct tp_terms){.peak_achi = terms->peak_achi,
                                   .perf_cycles = terms->perf_cycles,
                                   .total_cycles = terms->total_cycles,
                                   .eff_ratio_comp = terms->eff_ratio_comp,
                                   .dep_effect = terms->dep_effect,
                                   .periods = terms->periods,
                                   .eff_ratio = terms->eff_ratio_comp,
                                   .perf = terms->peak_achi * terms->eff_ratio_comp};
        return;
    }
    double periods = program->mem / (readings->period_is_group ? program->mstr : 1);
    terms->eff_perf = terms->perf_cycles / periods;
    terms->eff_comp = terms->total_cycles / periods;
    terms->eff_mem = device->mem_latency;
    tp_mwp_app(program->n, program->mstr, terms);
    terms->mwp_bw = tp_mwp_bw(device, program->bytes_per_warp);
    terms->mwp_proc = device->mwp_proc;
    terms->mwp =
        less(less(terms->mwp_app, terms->mwp_bw), less(limit_or_none(terms->mwp_proc), program->n));
    terms->category = tp_category(program->n, terms);
    tp_idle(program->n, readings, terms);
    terms->perf = terms->peak_achi * terms->eff_ratio;
}

/* Whole figures of quotients that binary arithmetic puts a hair beside a whole number. */
static const double HAIR = 1e-9;

struct tp_suggestion tp_suggest(const struct tp_terms *terms, double cores, double n)
{
    struct tp_suggestion s = {.freq_factor = 1};
    s.alpha_bw = more(1, terms->mwp_app / terms->mwp_bw);
    s.cores_exact = cores / s.alpha_bw;
    s.cores = (int)ceil(s.cores_exact - HAIR);
    s.alpha_n = less(1, terms->mwp_bw / terms->mwp_app);
    s.n_exact = n * s.alpha_n;
    s.n = (int)floor(s.n_exact + HAIR);
    if (n > 1) s.freq_factor = more(1, (terms->mwp_app_infin - 1) / (n - 1));
    return s;
}

struct tp_shares tp_split(double perf_cpu, double perf_gpu)
{
    double sum = perf_cpu + perf_gpu;
    return (struct tp_shares){perf_cpu / sum, perf_gpu / sum};
}
