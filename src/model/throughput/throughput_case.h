// SPDX-License-Identifier: Apache-2.0
/* One case of the throughput model: what a program asks of a device, and what may be changed in it.
 * It is read once and evaluated as often as there are questions. */
#ifndef MODEL_THROUGHPUT_CASE_H
#define MODEL_THROUGHPUT_CASE_H

#include "base/diag.h"
#include "machine/machine.h"
#include "model/throughput/throughput.h"

struct model_input;
struct predict_options;
struct prediction;

enum tp_input {
#define TP_INPUT(name, id, may_be_zero, text) TP_INPUT_##name,
#include "model/throughput/throughput_inputs.def"
    TP_INPUT_COUNT
};
struct tp_input_info {
    const char *id, *text;
    bool may_be_zero;
};
extern const struct tp_input_info tp_input_infos[TP_INPUT_COUNT];

enum { TP_CATEGORIES = 10 };
struct tp_category_info {
    unsigned number, rank; /* rank 1: the best; 0: not ranked */
    const char *meaning, *advice;
};
extern const struct tp_category_info tp_category_infos[TP_CATEGORIES]; /* by number - 1 */

/* Where accesses are served (section 5.6). */
enum tp_cache {
    TP_CACHE_AUTO,
    TP_CACHE_DRAM,
    TP_CACHE_MOSTLY_DRAM,
    TP_CACHE_L1,
    TP_CACHE_MEASURED
};

/* The bounds of section 5.6 and what lies between them, the fastest first. */
enum { TP_BOUNDS = 4 };
struct tp_bound_info {
    enum tp_cache cache;
    const char *id, *text;         /* "mostly-dram" */
    const char *perf_id, *rate_id; /* of the estimate's terms; NULL: it has none */
};
extern const struct tp_bound_info tp_bound_infos[TP_BOUNDS];

/* Instructions of one kind. */
enum tp_kind { TP_KIND_FP, TP_KIND_FUSED, TP_KIND_INTEGER, TP_KIND_MEMORY, TP_KIND_MISC, TP_KINDS };

struct tp_case {
    struct tp_device device;   /* mem_latency and mwp_proc: of accesses to DRAM */
    struct tp_program program; /* bytes_per_warp: that an access to DRAM moves */
    struct tp_readings readings;
    double kind_insts[TP_KINDS];             /* of one warp */
    double kind_cycles[TP_KINDS];            /* of an SM, without dependences */
    double bytes_per_thread, distance_bytes; /* by hand; 0: as counted */
    enum tp_cache cache;
    bool has_caches;                     /* the following were measured */
    double l1_hits, l2_hits, dram_share; /* of sectors: found in L1, in L2, moved by DRAM */
    double l2_latency;
    double waves;     /* of N warps on every core; 0: by hand, as much work as one wave */
    bool all_periods; /* T-5a: the ramp once a kernel */
};

/* From the profile, with tp.* in its place where given. */
ws_status tp_case_read(struct diag *diag, const struct model_input *input, struct tp_case *out);
/* From tp.* alone. WS_ERR_ARGUMENT says what is missing or contradicts something else. */
ws_status tp_case_by_hand(struct diag *diag, const struct model_input *input, struct tp_case *out);

/* throughput.c: the one estimate of a prediction that has no profile; its arena holds the options. */
ws_status throughput_by_hand(struct diag *diag, const struct machine *machine,
                             const struct predict_options *options, struct prediction *out);

/* The value of an input as the case has it. */
double tp_case_input(const struct tp_case *c, enum tp_input input);
void tp_case_evaluate(const struct tp_case *c, struct tp_terms *terms);
/* Warps per second that the device gets through. */
double tp_case_warp_rate(const struct tp_case *c, const struct tp_terms *terms);
/* Cycles of the core from the first to the last instruction. */
double tp_case_cycles(const struct tp_case *c, const struct tp_terms *terms);

/* Section 7.1: how much faster with ... (1: as fast), by the readings T-5 for predictions. */
struct tp_gains {
    double core;        /* one more core */
    double cores;       /* 10 % more cores */
    double bandwidth;   /* 10 % more bandwidth */
    double memory;      /* 10 % fewer accesses, 10 % more of all other instructions */
    double computation; /* 10 % fewer other instructions, 10 % more accesses */
    double warps;       /* one more warp per core */
};
struct tp_gains tp_case_gains(const struct tp_case *c);

#endif
