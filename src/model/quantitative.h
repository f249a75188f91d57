// SPDX-License-Identifier: Apache-2.0
/* The closed form of Zhang and Owens, "A quantitative performance analysis model for GPU
 * architectures", HPCA 2011: times of the instruction pipeline, of shared and of global memory, by
 * stage between barriers. Numbers in, times out; no profile, no machine file. Readings taken where
 * the paper leaves something open: doc/models/quantitative.md. */
#ifndef MODEL_QUANTITATIVE_H
#define MODEL_QUANTITATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"
#include "model/core/component.h"

enum zo_component { ZO_INSTRUCTION, ZO_SHARED, ZO_GLOBAL, ZO_COMPONENTS, ZO_NONE = ZO_COMPONENTS };

/* Types of instructions by the units that can run them (table 1). */
enum zo_type { ZO_TYPE_I, ZO_TYPE_II, ZO_TYPE_III, ZO_TYPE_IV, ZO_TYPES };
/* Who counted the units: 000 (the paper), 003 (Wang et al.), 001 (Lai and Seznec). */
enum zo_table { ZO_TABLE_ZHANG_OWENS, ZO_TABLE_WANG, ZO_TABLE_TEG, ZO_TABLES };
extern const double zo_units[ZO_TABLES][ZO_TYPES];

/* How far a type without a printed curve fills its pipe: as the multiply-adds with warps x units of
 * theirs / units of its own, or with as many warps as they. */
enum zo_type_curve { ZO_CURVE_OWN, ZO_CURVE_SAME };
/* Warps at which the curve of multiply-adds is read for a type of `units`. */
double zo_curve_warps(enum zo_type_curve reading, double warps, double reference_units,
                      double units);

/* Peaks: section 4.1 to 4.3; instructions are those of warps. */
double zo_instruction_peak(double units, double clock_hz, double sms);   /* inst/s */
double zo_shared_peak(double cores_per_sm, double clock_hz, double sms); /* B/s */
double zo_global_peak(double memory_clock_hz, double bus_bits);          /* B/s */
/* What the paper measured on the GTX 285, by warps per SM (section 5.1). */
double zo_paper_instructions(double warps); /* multiply-adds, inst/s */
double zo_paper_shared(double warps);       /* B/s */
/* The same of any type: units / units of type II times the curve of type II, inst/s. */
double zo_paper_type(enum zo_table table, enum zo_type_curve reading, enum zo_type type,
                     double warps);

/* Bytes loaded for one entry of a matrix in ELLPACK format (section 5.3), block x block entries
 * sharing an index: entry, index and vector entry, the last at `vector_bytes` a load. */
struct zo_ell_bytes {
    double entry, index, vector, total;
};
struct zo_ell_bytes zo_ell_bytes(double block, double vector_bytes);

/* Global memory (section 4.3): the bandwidth of figure 3 by blocks, threads per block and transactions
 * per thread, as peak x fill of the memory pipeline x sawtooth of the clusters that have one each.
 * The figure's numbers are not in the text: the fill comes from a measured curve, else it is modelled
 * as that of a pipeline which takes one latency to fill. */
struct zo_global {
    double peak;            /* B/s; INFINITY: no limit */
    double latency_seconds; /* of one access; 0: unknown */
    double clusters;        /* that have a memory pipeline each; 1: no sawtooth */
    double blocks;
    double bytes;                         /* of all blocks, that flow together */
    double threads, transactions;         /* of a block, of a thread; for `measured` */
    const struct machine_curve *measured; /* NULL: modelled */
    bool full;                            /* as if its latency were hidden; for `measured` */
};
/* Share of the peak that launches of this size reach if their blocks are whole rounds of the clusters:
 * grows with blocks, threads and transactions. Modelled: towards 1, bytes / (bytes + peak x latency)
 * with the bytes of whole rounds. */
double zo_global_fill(const struct zo_global *global);
/* blocks / (clusters x ceil(blocks / clusters)). */
double zo_global_sawtooth(const struct zo_global *global);
/* Their product with the peak, B/s. */
double zo_global_bandwidth(const struct zo_global *global);
/* Time for `bytes` of those; but no shorter than `waits` latencies, one after the other in each warp.
 */
double zo_global_seconds(const struct zo_global *global, double bytes, double waits);

/* Times of one stage; all blocks together. */
struct zo_stage {
    double seconds[ZO_COMPONENTS];
    enum zo_component bottleneck, next; /* ZO_NONE: takes no time */
};
/* Fills bottleneck and next: the longest and the second longest. */
void zo_rank(struct zo_stage *stage);

/* One stage on the GTX 285 with the paper's own figures. */
struct zo_counts {
    double instructions[ZO_TYPES]; /* of warps */
    double shared_transactions;    /* of half-warps, 64 B each */
    double global_bytes;
    double warps; /* per SM */
};
struct zo_stage zo_paper_stage(const struct zo_counts *counts, enum zo_table table,
                               enum zo_type_curve reading);

struct zo_program {
    double seconds;             /* serial: sum of the stages' longest, else longest of the sums */
    struct zo_stage components; /* sums; its bottleneck and next are those of the program */
};
/* Stages are serial where one block fills an SM, else they overlap. Ranks every stage. */
struct zo_program zo_combine(struct zo_stage *stages, size_t count, int serial);

/* ---- what its estimate has beyond others (estimate_details) ---- */

/* One interval between barriers, all blocks together (models that know stages). */
struct stage_estimate {
    uint32_t index;
    double warps; /* working warps per SM */
    double inst_seconds, smem_seconds, gmem_seconds;
    enum component bottleneck, next;
};
/* No stage: the profile has none, the program was timed as one. */
struct stage_times {
    size_t count;
    const struct stage_estimate *stages;
    bool overlap; /* the stages of several blocks run at the same time */
};

#endif
