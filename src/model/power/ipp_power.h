// SPDX-License-Identifier: Apache-2.0
/* The closed form of the IPP power model: access rates in, watts out; no profile, no machine.
 * Source: S. Hong, PhD thesis, Georgia Tech 2012, chapter III (equation numbers are its own). The
 * readings taken where the text is open are in doc/models/ipp-power.md. */
#ifndef MODEL_IPP_POWER_H
#define MODEL_IPP_POWER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "machine/machine.h"

enum power_unit {
#define POWER_UNIT(name, id, place, text) POWER_UNIT_##name,
#include "machine/power_units.def"
#undef POWER_UNIT
    POWER_UNIT_COUNT
};
struct power_unit_info {
    const char *id, *text;
    bool once_per_gpu;
};
extern const struct power_unit_info power_unit_infos[POWER_UNIT_COUNT];

enum ipp_spec_policy { IPP_SPEC_CLAMP, IPP_SPEC_RAW };
enum ipp_log_scaling { IPP_LOG_ONCE, IPP_LOG_NONE };

/* What a machine file gives. Watts of an SM, or of the GPU (power_unit_infos). */
struct ipp_parameters {
    double max_watts[POWER_UNIT_COUNT];
    bool spec_linear[POWER_UNIT_COUNT];
    double spec_slope, spec_offset;
    double const_sm_watts;   /* of an active SM */
    double activation_watts; /* of the GPU, while anything runs */
    double idle_watts;
    double sms;      /* of the GPU */
    bool log_scales; /* else linear in the active SMs */
    double log_beta;
    enum ipp_spec_policy spec_policy;
    enum ipp_log_scaling log_scaling;
};

/* Table 8 and 11: the two GPUs of the thesis, for published cases. */
struct ipp_parameters ipp_gtx280(void);
struct ipp_parameters ipp_gtx580(void);

/* Watts after the core-scaling factor; they add up to gpu_watts (reading P-14). */
struct ipp_watts {
    double effective[POWER_UNIT_COUNT]; /* f(access rate), or the rate */
    double units[POWER_UNIT_COUNT];     /* W */
    double const_sm_watts, activation_watts, idle_watts;
    double scale;              /* log10(alpha active + beta), or active / SMs: of the SMs' power */
    double sm_component_watts; /* of one SM, (37) */
    double max_sm_watts;       /* all SMs, (45) */
    double rp_sms_watts;       /* the active ones, (44) */
    double rp_memory_watts;    /* before scaling, (43) */
    double runtime_watts, gpu_watts;
};

/* f of a spec-linear unit (section 3.2.4): 0 at and below its zero unless the policy is raw. */
double ipp_spec_linear(double slope, double offset, double rate, enum ipp_spec_policy policy);
/* (46): alpha. */
double ipp_log_alpha(double sms, double beta);
/* (44): log10(alpha active + beta). 1 with all SMs. */
double ipp_log_scale(double sms, double active_sms, double beta);
/* (40): instructions of a warp x warps of an SM over the issue slots of the time. */
double ipp_access_rate(double dac_per_thread, double warps_per_sm, double exec_cycles,
                       double issue_cycles);
/* (35)-(48). active_sms 0: nothing runs, idle power (reading P-1). */
void ipp_power(const struct ipp_parameters *parameters, const double rates[POWER_UNIT_COUNT],
               double active_sms, struct ipp_watts *out);

/* Power of `active_sms` if SMs at rest were gated (section 3.5.6): that of all SMs at these rates,
 * including idle power, times the share of active SMs. */
double ipp_gated_watts(const struct ipp_parameters *parameters,
                       const double rates[POWER_UNIT_COUNT], double active_sms);

/* ---- number of cores (63) ---- */

enum ipp_condition { IPP_CONDITION_AND, IPP_CONDITION_PRINTED };
enum ipp_rounding { IPP_ROUND_NEAREST, IPP_ROUND_FLOOR, IPP_ROUND_CEIL };
struct ipp_cores {
    double cores; /* rounded, 1 to sms */
    double exact; /* MWP_peak_BW sms / N, or sms */
    bool all;
    const char *why; /* which condition of (63) holds */
};
struct ipp_cores_input {
    double mwp, cwp, n, mwp_peak_bw, sms;
    enum ipp_condition condition;
    enum ipp_rounding rounding;
};
struct ipp_cores ipp_optimal_cores(const struct ipp_cores_input *in);

/* What some number of active SMs takes for the same work. */
struct core_point {
    double cores, seconds;
    double runtime_watts, gpu_watts, gated_watts;
};
/* What counts as the power: without idle power, with it, or with SMs at rest gated. */
#define POWER_METRICS(METRIC)                                                                      \
    METRIC(RUNTIME, "runtime") METRIC(TOTAL, "total") METRIC(GATED, "powergate")
enum power_metric {
#define METRIC(name, id) POWER_METRIC_##name,
    POWER_METRICS(METRIC)
#undef METRIC
        POWER_METRIC_COUNT
};
double core_point_watts(const struct core_point *point, enum power_metric metric);
double core_point_joules(const struct core_point *point, enum power_metric metric);
/* The point with the best performance per watt (62), of equal ones that with more cores; the points
 * are in the order of their cores. */
size_t core_points_best(const struct core_point *points, size_t count, enum power_metric metric);
/* Share of the energy of `all` that `point` saves. */
double core_point_saving(const struct core_point *point, const struct core_point *all,
                         enum power_metric metric);

/* ---- temperature (49)-(57) ---- */

struct ipp_thermal {
    double idle_celsius, per_watt, offset_kelvin, by_intensity_kelvin;
    double rc_rise_seconds, rc_decay_seconds;
    double static_per_kelvin; /* sigma */
};
struct ipp_thermal ipp_gtx280_thermal(void);
/* Of a machine file (ipp_power.c); false if it lacks any of it. */
bool ipp_read_thermal(const struct machine *machine, struct ipp_thermal *out);

/* (53) read as the rise: reading P-3. `runtime_watts` has no idle power. */
double ipp_rise(const struct ipp_thermal *thermal, double runtime_watts, double intensity);
/* The rise at which (53) and (56) agree: runtime power has grown by sigma times the rise. */
double ipp_coupled_rise(const struct ipp_thermal *thermal, double runtime_watts, double intensity);
/* (49): from `start` above idle towards `rise`; with start 0 as printed. (50): towards 0. */
double ipp_warming(const struct ipp_thermal *thermal, double start, double rise, double seconds);
double ipp_cooling(const struct ipp_thermal *thermal, double start, double seconds);

enum ipp_coupling {
    IPP_COUPLED, /* (53) follows the grown power, step by step */
    IPP_PRINTED, /* (53) keeps the power of the start */
};
struct ipp_curve_input {
    struct ipp_thermal thermal;
    double idle_watts;
    double runtime_watts; /* without its static part: of a chip at idle temperature */
    double intensity;     /* (54) */
    double start_celsius; /* of the chip; idle: cold start */
    double run_seconds, cool_seconds, step_seconds;
    enum ipp_coupling coupling;
};
struct ipp_curve_point {
    double seconds, celsius, watts; /* of the GPU */
    double joules;                  /* from the start to here */
};
/* Points of a curve: the start, one each step, and both ends. */
size_t ipp_curve_count(const struct ipp_curve_input *in);
/* Fills ipp_curve_count points. WS_ERR_ARGUMENT for a step that is 0 or longer than a time
 * constant, negative times or power, a start below idle, or a million points and more. */
ws_status ipp_curve_check(struct diag *diag, const struct ipp_curve_input *in);
void ipp_curve(const struct ipp_curve_input *in, struct ipp_curve_point *out);

#endif
