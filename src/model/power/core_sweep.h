// SPDX-License-Identifier: Apache-2.0
/* The same work on any number of active SMs: time by one model, power by ipp-power, performance per watt
 * (Hong's thesis, section 3.3.2). Part of estimate.h. */
#ifndef MODEL_CORE_SWEEP_H
#define MODEL_CORE_SWEEP_H

#include "base/arena.h"
#include "base/diag.h"
#include "model/core/component.h"
#include "model/power/ipp_power.h"

struct machine;
struct predict_options;
struct prediction;
struct profile;

struct core_sweep_point {
    struct core_point point;
    double active_sms;       /* that have a block */
    double sms_watts;        /* units of the active SMs, with Const_SM */
    double memory_watts;     /* L2, global and local memory */
    double bytes_per_second; /* of global and local memory, as the machine moves them */
    double inst_per_second;  /* of threads: warp instructions times 32 (reading P-7) */
    unsigned case_number;    /* of mwp-cwp; 0: the model has no cases */
    enum component bottleneck;
};

struct core_sweep {
    struct arena arena;
    const char *time_model;
    double time_factor; /* measured over predicted time at all SMs; 1: predicted */
    size_t count;
    struct core_sweep_point *points; /* first to last, in this order */
    struct core_sweep_point all;     /* all SMs, be they among the points or not */
    size_t best[POWER_METRIC_COUNT]; /* index of a point */
    const char *no_closed_form;      /* why `closed` is unknown; NULL: it is known */
    struct ipp_cores closed;         /* (63) */
    struct ipp_cores_input terms;    /* what (63) was given */
};

/* The launch of `whole` with `cores` SMs of `machine`, which may have another clock than whole->machine:
 * as if it had only these SMs, all of them active; the power knows the others, too. */
ws_status core_sweep_point(struct diag *diag, const struct prediction *whole,
                           const struct machine *machine, unsigned cores,
                           struct core_sweep_point *out);
/* The points of `first` to `last` SMs, on all cores of the host. */
ws_status core_sweep_points(struct diag *diag, const struct prediction *whole,
                            const struct machine *machine, unsigned first, unsigned last,
                            struct core_sweep_point *out);
/* WS_ERR_NO_MODEL with the reason why `whole` has no power. */
ws_status core_sweep_no_power(struct diag *diag, const struct prediction *whole);

/* The launch of `whole` on `first` to `last` active SMs. WS_ERR_ARGUMENT if that is no range within the
 * machine's SMs; WS_ERR_NO_MODEL if the time or the power cannot be predicted. */
ws_status core_sweep_run(struct diag *diag, const struct prediction *whole, unsigned first,
                         unsigned last, struct core_sweep **out);
void core_sweep_destroy(struct core_sweep *sweep);

#endif
