// SPDX-License-Identifier: Apache-2.0
/* The throughput model's equations (S. Hong, PhD thesis, Georgia Tech 2012, chapter V; numbers in
 * parentheses are the thesis' equations, letters the readings of doc/models/throughput.md). Units:
 * cycles of the core, bytes, hertz, flop/s. All figures are of one warp (GPU) or thread (CPU), as
 * in table 15. */
#ifndef MODEL_THROUGHPUT_H
#define MODEL_THROUGHPUT_H

#include <stdbool.h>

#include "isa/insn.h"

/* Table 15. */
struct tp_program {
    double fp, fp_fused;         /* scalar, and multiply-add, instructions */
    double fp_vec, fp_vec_fused; /* those that a CPU vectorises; a GPU makes no difference */
    double integer, br_misc;
    double mem;          /* memory instructions */
    double mstr;         /* mem_indep_strength: loads in flight before the first consumer */
    double ilp, sse_ilp; /* of all, and of vector instructions; SSE_ILP has no equation (T-10) */
    double dep;          /* instructions to the nearest producer */
    double bytes_per_warp;
    double n; /* warps per SM, threads per core */
};

/* Table 14. */
struct tp_device {
    bool cpu;               /* vector units beside the scalar ones */
    bool fma;               /* a CPU's multiply-add is one instruction; a GPU's always is */
    double freq_hz, cores;  /* active cores (SMs) */
    double fp_units;        /* scalar units of a core, lanes of an SM */
    double vec_units, simd; /* vector units of a core and their lanes; CPU only */
    double mem_bandwidth;   /* B/s */
    double mem_latency, inst_latency;
    double mwp_proc; /* requests that the core's memory port lets overlap; 0: no limit known */
};

struct tp_readings {
    bool period_is_group; /* T-3: EffComp and EffMem by group of MSTR accesses, not by access */
    bool overlap_n1;      /* T-5b: EffComp (N - 1) is subtracted, not EffComp N */
    double tail_periods;  /* T-5a: (80)'s ramp is paid once in so many periods; printed: 1 */
    bool warps_hide_dep;  /* T-9: N warps lie between an instruction and its consumer */
    bool without_memory;  /* section 5.4: computations alone */
};

struct tp_terms {
    double peak_achi;                 /* flop/s (67) */
    double perf_cycles, total_cycles; /* (69), (70) */
    double eff_ratio_comp;            /* (68) */
    double dep_effect;
    double eff_perf, eff_comp, eff_mem;                      /* by period */
    double mwp_app_infin, mwp_app, mwp_bw, mwp_proc, mwp;    /* (71) to (75) */
    double mem_serial_n, mem_divided_n, mem_n, comp_n, idle; /* (78) to (82) */
    double hidden;    /* share of the memory cycles that is not hidden: figure 113 */
    double eff_ratio; /* (77) */
    double perf;      /* flop/s (64) */
    double periods;   /* of a warp: as often as eff_comp and idle come */
    int category;     /* figures 114 and 115; 0: no memory instruction */
};

/* (67): peak of a device for a mix of instructions; 0 if there is no FP instruction. */
double tp_peak_achievable(const struct tp_device *device, const struct tp_program *program);
/* (70)'s factor. `between`: warps that run between two instructions of one, 1 if none do. */
double tp_dep_effect(double inst_latency, double dep, double between);
/* (68) to (70): fills peak_achi, perf_cycles, total_cycles, eff_ratio_comp, dep_effect. */
void tp_computation(const struct tp_device *device, const struct tp_program *program,
                    const struct tp_readings *readings, struct tp_terms *terms);
/* (71) to (82), from what tp_computation fills: all other terms but `periods`; 0 without accesses. */
void tp_memory(const struct tp_device *device, const struct tp_program *program,
               const struct tp_readings *readings, struct tp_terms *terms);
/* (78) to (82), from eff_perf, eff_comp, eff_mem and mwp. */
void tp_idle(double n, const struct tp_readings *readings, struct tp_terms *terms);
/* (72) to (74). */
void tp_mwp_app(double n, double mstr, struct tp_terms *terms);
/* (75), (76). */
double tp_mwp_bw(const struct tp_device *device, double bytes_per_warp);
/* 1 to 10. mwp_proc 0: no limit. */
int tp_category(double n, const struct tp_terms *terms);

/* Section 5.5: what would match demand and supply. Exact figures, and whole ones (T-2: cores up, N
 * down). */
struct tp_suggestion {
    double alpha_bw;    /* factor of bandwidth, or divisor of bytes (85) */
    double cores_exact; /* (88) */
    int cores;
    double alpha_n; /* (91) */
    double n_exact;
    int n;
    double freq_factor; /* divisor of the core clock (93) */
};
struct tp_suggestion tp_suggest(const struct tp_terms *terms, double cores, double n);

/* Section 5.9: shares of the work of two devices, in proportion to their performance. */
struct tp_shares {
    double cpu, gpu;
};
struct tp_shares tp_split(double perf_cpu, double perf_gpu);

#endif
