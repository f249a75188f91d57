// SPDX-License-Identifier: Apache-2.0
/* A launch as a CPU runs it: cores take blocks, and run the threads of a block in groups, as many as
 * a vector has lanes, one group after the other (Hong's thesis, sections 5.2 and 5.8). Counts are
 * of one group, a vector instruction counting once. */
#ifndef MODEL_CPU_COUNTS_H
#define MODEL_CPU_COUNTS_H

#include "model/core/estimate.h"

struct cpu_counts {
    double lanes;        /* threads of a group: 1 if they are not vectorised */
    double threads;      /* of the launch */
    double groups;       /* of the launch */
    double cores;        /* that have a block */
    double flops;        /* of a thread */
    double fp, fp_fused; /* floating point: instructions, multiply-adds */
    double fp_units;     /* scalar or vector units of a core, whichever these use */
    double integer, br_misc, mem;
    double
        software; /* what functions without an instruction of a CPU take beside the one in br_misc */
    double lines; /* of the caches that the group's accesses to global memory touch */
    double line_bytes;
    bool fma; /* a multiply-add is one instruction */
};

/* `vectorised` false: each thread by itself. The effects that are off count. */
struct cpu_counts cpu_counts_read(const struct model_input *input, bool vectorised);
/* Floating-point instructions, multiply-adds as the CPU executes them, and all instructions but `software`. */
double cpu_counts_useful(const struct cpu_counts *counts);
double cpu_counts_all(const struct cpu_counts *counts);
/* Peak of the floating-point units for this mix, flop/s: (65) to (67); 0 if it has none. */
double cpu_counts_peak(const struct cpu_counts *counts, double freq_hz);

#endif
