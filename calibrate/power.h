// SPDX-License-Identifier: Apache-2.0
/* Power and temperature: kernels that keep units busy, NVML's readings while they are repeated, and what of the
 * power model (doc/models/ipp-power.md) follows. */
#ifndef CALIBRATE_POWER_H
#define CALIBRATE_POWER_H

#include "calibrate/fit.h"
#include "calibrate/gpu.h"
#include "calibrate/nvml.h"

/* ---- kernels (power_kernels.c) ---- */

enum power_atom {
    ATOM_FP,
    ATOM_INT,
    ATOM_FP64,
    ATOM_ALU,
    ATOM_SFU,
    ATOM_SHARED,
    ATOM_CONST,
    ATOM_BANKS,  /* loads from shared memory, all in one bank: slow */
    ATOM_BRANCH, /* fetched and decoded, uses no register */
    ATOM_L1,     /* loads that hit there */
    ATOM_L2,     /* loads past the L1 */
    ATOM_MISS,   /* loads that miss in the L1 and hit in the L2 */
    ATOM_DRAM,   /* 128 bytes of a warp, each once */
    ATOM_SECTOR, /* 32 bytes of a warp, each once */
    ATOM_LOCAL,
    ATOM_TEXTURE, /* fetches that hit in the texture cache */
    ATOM_TENSOR,  /* matrix multiply-adds */
    ATOM_COUNT
};
/* Out of so many slots of the loop: `slots` are `atom`, `fp` multiply-adds, the rest is not there. */
struct power_mix {
    enum power_atom atom;
    unsigned slots, fp;
};
/* Texels of 4 bytes, less than a texture cache holds. */
enum { POWER_SLOTS = 64, LOCAL_BYTES = 4096, TEXELS = 1024 };

/* Runs the loop `a` times; reads no clock and writes nothing unless its result is `d`, so that launches may be
 * repeated without being executed. c: bytes from one load of a warp to its next. */
char *power_kernel(const struct gpu_facts *gpu, const char *name, const struct power_mix *mix);

/* ---- benchmarks (power_benches.c) ---- */

enum power_kind { POWER_IDLE, POWER_RUN, POWER_HEAT, POWER_REST };
enum power_kind power_kind_of(const struct bench *bench);
/* How much of the loads of a benchmark get to which level, as the model counts it (reading P-16): sectors of 32 bytes. */
struct power_levels {
    double l1, l2, dram;
};
struct power_levels power_levels_of(const struct bench *bench, const struct gpu_facts *gpu);
/* The kernels of a benchmark, by the point's first axis. */
struct power_mix power_mix_of(const struct bench *bench, unsigned index);

/* ---- readings (power_measure.c) ---- */

struct power_meter {
    const struct calibration *calibration;
    struct gpu *gpu;
    const struct nvml *nvml;
    double idle_watts, idle_celsius; /* NAN: not measured yet */
    bool is_whole;                   /* all readings so far were whole watts */
};
/* Repeats the point and reads power and temperature. false: told. */
bool power_measure(struct power_meter *meter, const struct bench *bench, const struct plan *plan,
                   const struct point *point, struct raw_point *out);

/* ---- fits ---- */

enum { POWER_UNITS = 15 }; /* of the model, in the order of power_unit_ids */
extern const char *const power_unit_ids[POWER_UNITS];
bool power_unit_is_shared(unsigned unit); /* by the whole GPU */
struct power_row {
    const struct raw_point *point; /* NULL: made by a test */
    double watts;                  /* mean of the readings */
    double share;                  /* of the time in which the kernel ran */
    double rise;                   /* kelvin above the idle chip; 0: unknown */
    double sms;                    /* that had a block */
    double rates[POWER_UNITS];     /* of an SM at work, (40) and (61) */
    double intensity;              /* (54) */
    double spread;                 /* of `watts`: standard deviation of its mean */
};
/* power_rows.c: all points of power, with the definitions of the model ipp-power; the caller frees *out. */
/* Cycles of an SM for an instruction of a warp. */
double power_issue_cycles(const struct fit *fit);
unsigned power_rows(const struct fit *fit, struct power_row **out);

/* power_solve.c: bounded least squares; linear or logarithmic in the SMs, each unit linear or spec-linear. */
struct power_value {
    double value, low, high;
    bool is_known; /* else no row depends on it, or not alone */
};
struct power_solution {
    struct power_value idle, activation, const_sm, static_per_kelvin, max[POWER_UNITS];
    bool spec_linear[POWER_UNITS], spec_is_known[POWER_UNITS];
    bool log_scales, scaling_is_known;
    struct power_value log_beta;
    double residual; /* W, root of the mean square */
};
/* sms: of the GPU. false: too few rows. `fitted` has room for a value a row. */
bool power_solve(ws_context *context, const struct power_row *rows, unsigned count, double sms,
                 struct power_solution *out, double *fitted);

/* power_thermal.c: from curves of heating and cooling. */
struct power_thermal {
    struct power_value idle, per_watt, offset, by_intensity, rc_rise, rc_decay, static_per_kelvin;
    const char *why; /* NULL: known */
};
/* A point of heating: readings while it ran (share 1) and cooled (0). */
struct power_curve {
    const struct reading *readings;
    unsigned count;
    double intensity;
};
void power_thermal_solve(const struct power_curve *curves, unsigned count, double idle_watts,
                         struct power_thermal *out);

#endif
