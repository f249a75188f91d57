// SPDX-License-Identifier: Apache-2.0
/* What the charts of a report show of a kernel on a machine and its other sections do not (input `charts` of
 * `analyze`): one file a chart. Everything is in the answer's arena, or owned by the answer. */
#ifndef ANSWER_CHARTS_H
#define ANSWER_CHARTS_H

#include "answer/occupancy_steps.h"
#include "answer/question.h"
#include "model/power/core_sweep.h"
#include "model/teg/warp_waits.h"
#include "model/warp_parallelism.h"

/* Why a chart of the machine as it is cannot be. */
#define CHART_EFFECTS_OFF "effects are switched off (--without)"

/* ---- roofline (chart_roofline.c) ------------------------------------------------------------- */

struct roof_level {
    const char *id, *name;
    double bytes, seconds; /* that pass; of the launch */
    const char *basis;     /* where the bytes come from; NULL: they are unknown */
    double bandwidth;      /* B/s of the whole GPU */
    const char *source;    /* of the bandwidth */
    const char *reason;    /* why a figure is NAN */
};
enum { ROOF_LEVELS = 4, ROOF_CORNERS = 3 };

struct roof_point { /* a kind of operations over the bytes of a level */
    const char *level;
    double intensity, roof, ridge, share;
};

/* A roof of a level as a line: where it begins, its ridge, and where it ends. */
struct roof_corner {
    const char *level;
    double intensity, rate;
};

struct roof_kind {
    const char *id, *name, *unit, *rate_unit;
    double operations, seconds, peak; /* of the launch; of the whole GPU, a second */
    const char *source;               /* of the peak */
    const char *reason;               /* why the peak is NAN */
    size_t point_count;
    struct roof_point points[ROOF_LEVELS];
    size_t corner_count;
    struct roof_corner corners[ROOF_LEVELS * ROOF_CORNERS];
};
enum { ROOF_KINDS = 5 };

struct roofline {
    const char *model; /* whose time it is */
    double seconds;
    size_t level_count, kind_count;
    struct roof_level levels[ROOF_LEVELS];
    struct roof_kind kinds[ROOF_KINDS];
};

/* NULL: there is none, and *out_reason says why. */
const struct roofline *chart_roofline(struct arena *arena, const struct prediction *prediction,
                                      const char **out_reason);

/* ---- numbers of warps (chart_warps.c) -------------------------------------------------------- */

struct warp_scaling_row {
    const struct scaling_point *point;
    double relative, speedup, seconds; /* speedup: over one warp */
    bool is_here;
};

struct warp_scaling {
    const char *model;
    double seconds;
    size_t count;
    struct warp_scaling_row *rows;
};

struct parallelism_chart {
    uint64_t here; /* warps of the launch */
    size_t count;
    struct parallelism_point *rows; /* no time below the speed of light */
};

const struct warp_scaling *chart_scaling(struct arena *arena, const struct prediction *prediction,
                                         const char **out_reason);
const struct parallelism_chart *chart_parallelism(struct arena *arena,
                                                  const struct prediction *prediction,
                                                  const char **out_reason);

/* ---- better GPUs (chart_sensitivity.c) ------------------------------------------------------- */

struct sensitivity_row {
    const char *id, *text;
    double factor;    /* of each figure ... */
    const char *keys; /* ... of these */
    double seconds, gain;
    const char *bottleneck, *note; /* note NULL: none */
    size_t order;                  /* among the changes that are tried */
};

struct sensitivity {
    const char *model;
    double seconds;
    size_t count;
    struct sensitivity_row *rows; /* largest gain first */
};

ws_status chart_sensitivity(struct asked *asked, const struct prediction *prediction,
                            const struct sensitivity **out, const char **out_reason);

/* ---- power (chart_power.c) ------------------------------------------------------------------- */

struct power_chart {
    const char *time_model;
    size_t core_count, curve_count;
    const struct core_sweep_point *cores; /* by active SMs, ascending */
    const struct core_sweep_point *best;  /* of these, by the energy of the whole GPU */
    const struct ipp_curve_point *curve;  /* of the chip's temperature; NULL: unknown ... */
    const char *no_curve;                 /* ... and why */
    double run_seconds, cool_seconds;
    const void *thermal;    /* record of the question `thermal`; NULL: unknown ... */
    const char *no_thermal; /* ... and why */
};

ws_status chart_power(struct asked *asked, const struct prediction *prediction,
                      const struct power_chart **out, const char **out_reason);

/* ---- all of them ----------------------------------------------------------------------------- */

struct machine_charts {
    const struct roofline *roofline;
    const struct warp_scaling *scaling;
    const struct parallelism_chart *parallelism;
    const struct occupancy_curves *occupancy;
    const struct sensitivity *sensitivity;
    const struct power_chart *power;
    const char *no_roofline, *no_scaling, *no_parallelism, *no_occupancy, *no_sensitivity,
        *no_power; /* NULL: it is there */
};

ws_status charts_find(struct asked *asked, const struct prediction *prediction,
                      const struct machine_charts **out);

extern const struct record record_charts;

#endif
