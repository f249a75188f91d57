// SPDX-License-Identifier: Apache-2.0
/* The work of one launch on a GPU and a CPU at once (Hong's thesis, section 5.9, and appendix A, (110)
 * to (114)): the share of each, with the transfers that the thesis leaves out. Part of estimate.h. */
#ifndef MODEL_SPLIT_PLAN_H
#define MODEL_SPLIT_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

struct split_link {
    const char *words; /* "PCI Express 3" */
    unsigned lanes;
    double bytes_per_second; /* of one direction, as programs reach it */
    double latency_seconds;  /* of a transfer, however short */
};
/* "pcie3x16". WS_ERR_ARGUMENT with the names that there are. */
ws_status split_link_find(struct diag *diag, const char *name, struct split_link *out);

struct split_input {
    double gpu_seconds, cpu_seconds; /* of all the work on the one device */
    double bytes_in, bytes_out;      /* to and from the GPU if it does all the work */
    struct split_link link;          /* bytes_per_second 0: transfers do not count */
    double blocks;                   /* the work comes in so many equal parts; 0: in any */
};

struct split_times {
    double gpu_share;            /* of the work */
    double gpu_seconds;          /* kernel */
    double transfer_seconds;     /* to and from the GPU, before and after its kernel */
    double cpu_seconds, seconds; /* seconds: until both are done (110), (113) */
};
struct split_plan {
    double printed_share; /* of the GPU, in proportion to performance: section 5.9 */
    double exact_share;   /* both done at the same time, transfers included; 0 to 1 */
    struct split_times best, gpu_alone, cpu_alone; /* best: whole blocks */
};

struct split_times split_at(const struct split_input *input, double gpu_share);
struct split_plan split_plan(const struct split_input *input);

/* Watts of the two devices; any of them may be missing. */
struct split_power {
    double gpu_idle_watts, gpu_runtime_watts; /* runtime: beyond idle, while its kernel runs */
    double cpu_idle_watts, cpu_runtime_watts;
};
/* Joules until both are done: (111) over time, with each device idle while the other works. */
double split_energy(const struct split_power *power, const struct split_times *times);

/* Mean of |manual - model| / manual (figure 147, over the GPU column). */
double split_mean_error(const double *manual, const double *model, size_t count);

#endif
