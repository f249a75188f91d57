// SPDX-License-Identifier: Apache-2.0
/* The power of a kernel, once the models of time have answered. */
#ifndef MODEL_POWER_ESTIMATE_H
#define MODEL_POWER_ESTIMATE_H

#include "model/core/estimate.h"
#include "model/power/ipp_power.h"

/* The reason of a unit without watts that the GPU does not have. */
extern const char power_unit_absent[];

/* One answer about power (the models ipp-power and energy-per-instruction). Arrays by enum power_unit. */
struct power_estimate {
    struct estimate answer; /* time that it rests on, terms, assumptions */
    const char *time_model; /* whose time, or that a measured time is compared with */
    bool measured;
    double time_factor; /* time over that of time_model */
    double active_sms;
    double unit_instructions[POWER_UNIT_COUNT]; /* of the launch, by the counters */
    double counted[POWER_UNIT_COUNT];           /* the same; units without coefficient with kin */
    double rates[POWER_UNIT_COUNT], max_watts[POWER_UNIT_COUNT];
    bool spec_linear[POWER_UNIT_COUNT];
    const struct cache_section
        *caches; /* that L1, L2 and DRAM rest on; NULL: none known or none there */
    const char *unit_reasons[POWER_UNIT_COUNT]; /* why a unit has no watts; NULL: it has */
    struct ipp_watts watts;
    double gated_watts;
    /* Where the measured watts lie for two of three kernels, by the evidence of the model; NAN: unknown. */
    double low_watts, high_watts;
    const char *band;       /* whose errors that are; NULL: unknown */
    double intensity;       /* (54); NAN if there are only memory instructions */
    const char *no_thermal; /* why the following is unknown; NULL: it is known */
    struct ipp_thermal thermal;
    double printed_rise_kelvin, rise_kelvin, static_watts;
};

/* `out` from its time, whose model, factor and measurement are set. */
typedef ws_status power_predict(struct diag *diag, const struct model_input *input,
                                const struct estimate *time, struct power_estimate *out);

/* SMs of the whole GPU, active or not. */
double power_gpu_sms(const struct model_input *input);
/* Fills power, power_terms or no_power of `out`, whose estimates and best one are known, by the model `id`;
 * nothing if a model before it has answered. */
ws_status run_power(struct diag *diag, const struct model_input *input, enum model_id id,
                    power_predict *predict, struct prediction *out);
/* The kernel over and over again until the chip is as warm as it gets; `memory` of `all` warp instructions access
 * global or local memory. */
void power_find_temperature(const struct machine *machine, double memory, double all,
                            struct power_estimate *out);

#endif
