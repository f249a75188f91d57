// SPDX-License-Identifier: Apache-2.0
/* Figures of power and temperature from all points of power together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/power.h"

void fit_power(const struct bench *bench, struct fit *fit);

enum { REG = 7, FDS = 8, GLOBAL = 9, LOCAL = 10, L1 = 11, L2 = 12, TENSOR = 14 };

static void put_value(struct fit *fit, const char *bench, const char *key, const char *unit,
                      const struct power_value *value, const char *why)
{
    const struct bench *from = bench_find(bench);
    const char *name = fit_text(fit, key);
    if (value->is_known)
        fit_figure(fit, from, name, unit, value->value, value->low, value->high);
    else
        fit_unknown(fit, from, name, "%s", why);
}

static const char *bench_of(unsigned unit)
{
    static const char *const benches[POWER_UNITS] = {
        "power.int",   "power.fp",     "power.sfu", "power.alu",  "power.texture",
        "power.const", "power.shared", "power.reg", "power.fds",  "power.global",
        "power.local", "power.l1",     "power.l2",  "power.fp64", "power.tensor"};
    return benches[unit];
}

static const char *why_unknown(const struct fit *fit, unsigned unit)
{
    const struct raw_point *point;
    unsigned count = fit_points(fit, bench_of(unit), &point, 1);
    if (fit->raw->gpu.l2_bytes == 0 && (unit == L1 || unit == L2)) return "the GPU has no caches";
    if (!count && unit != REG) return "not measured";
    return "the readings do not tell it from others";
}

/* ---- watts of a unit --------------------------------------------------------------------------- */

static void put_spec(struct fit *fit, const struct power_solution *solution, unsigned unit)
{
    char key[64];
    struct power_value value = {.value = solution->spec_linear[unit],
                                .is_known = solution->spec_is_known[unit]};
    snprintf(key, sizeof key, "power.spec_linear.%s", power_unit_ids[unit]);
    value.low = value.high = value.value;
    put_value(fit, bench_of(unit), key, "", &value,
              "linear and spec-linear leave the same residual: linear");
}

/* A cache that the GPU does not have draws nothing. */
static void put_units(struct fit *fit, const struct power_solution *solution)
{
    bool is_spec = false, has_caches = fit->raw->gpu.l2_bytes > 0;
    for (unsigned unit = 0; unit < POWER_UNITS; unit++) {
        char key[64];
        struct power_value value = solution->max[unit];
        bool is_cache = unit == L1 || unit == L2;
        if (is_cache && !has_caches) value = (struct power_value){.is_known = true};
        snprintf(key, sizeof key, "power.max.%s", power_unit_ids[unit]);
        put_value(fit, bench_of(unit), key, "W", &value, why_unknown(fit, unit));
        if (!value.is_known || (is_cache && !has_caches)) continue;
        put_spec(fit, solution, unit);
        is_spec |= solution->spec_linear[unit] && solution->spec_is_known[unit];
    }
    if (!is_spec) return;
    /* The function that the thesis prints (section 3.2.4): MaxPower is then that at a rate of 1. */
    const struct bench *mixed = bench_find("power.reg");
    fit_figure(fit, mixed, "power.spec_linear.slope", "", 0.1365, 0, 0);
    fit_figure(fit, mixed, "power.spec_linear.offset", "", 1.001375, 0, 0);
}

/* Energy of an instruction, where its unit is used at each issue slot: of the unit, the registers and the fetch; of a
 * level of memory for what a warp loads, 128 bytes. Matrix instructions are left out. A spec-linear unit takes more at
 * lower rates. */
static void note_energy(struct fit *fit, const struct power_solution *solution)
{
    double slots = fit->raw->gpu.clock / power_issue_cycles(fit);
    double common = solution->max[REG].value + solution->max[FDS].value;
    for (unsigned unit = 0; unit < POWER_UNITS; unit++) {
        char key[64];
        double watts = solution->max[unit].value;
        if (!(watts > 0) || unit == REG || unit == FDS || unit == TENSOR) continue;
        snprintf(key, sizeof key, "power.max.%s", power_unit_ids[unit]);
        if (power_unit_is_shared(unit)) {
            double joules = watts / (slots * fit->raw->gpu.sms);
            fit_note(fit, key, "%.3g nJ an instruction of a warp, %.3g pJ a byte of 128",
                     1e9 * joules, 1e12 * joules / 128);
        } else {
            fit_note(fit, key, "%.3g nJ an instruction of a warp, with registers and fetch",
                     1e9 * (watts + common) / slots);
        }
    }
}

/* Without caches, and all linear, every instruction that uses another unit uses the registers, too: only sums are
 * determined, and they are what the model needs. */
static bool solve(const struct fit *fit, struct power_row *rows, unsigned count,
                  struct power_solution *out, double *fitted, bool *out_is_joint)
{
    double sms = fit->raw->gpu.sms;
    ws_context *context = fit->calibration->context;
    *out_is_joint = false;
    if (!power_solve(context, rows, count, sms, out, fitted)) return false;
    if (out->max[REG].is_known) return true;
    *out_is_joint = true;
    for (unsigned i = 0; i < count; i++)
        rows[i].rates[REG] = 0;
    if (!power_solve(context, rows, count, sms, out, fitted)) return false;
    double least = INFINITY;
    for (unsigned unit = 0; unit < POWER_UNITS; unit++)
        if (unit != FDS && out->max[unit].is_known && out->max[unit].value > 0)
            least = fmin(least, out->max[unit].value);
    out->max[REG] =
        (struct power_value){.high = isfinite(least) ? least : 0, .is_known = isfinite(least)};
    return true;
}

/* ---- the whole --------------------------------------------------------------------------------- */

static void put_scaling(struct fit *fit, const struct power_solution *solution)
{
    struct power_value scaling = {.value = solution->log_scales,
                                  .low = solution->log_scales,
                                  .high = solution->log_scales,
                                  .is_known = solution->scaling_is_known};
    const char *bench = "power.const_sm";
    put_value(fit, "power.idle", "power.idle", "W", &solution->idle, "the readings scatter");
    put_value(fit, "power.activation", "power.activation", "W", &solution->activation,
              "the readings do not tell it from power.const_sm");
    put_value(fit, bench, "power.const_sm", "W", &solution->const_sm,
              "the readings do not tell it from power.activation");
    put_value(fit, bench, "power.log_scaling", "", &scaling,
              "linear and logarithmic leave the same residual");
    put_value(fit, bench, "power.log_beta", "", &solution->log_beta,
              solution->log_scales ? "the readings scatter" : "power is linear in the SMs");
}

static void put_clock(struct fit *fit, const struct power_row *rows, unsigned count)
{
    double least = INFINITY, most = 0, sum = 0;
    unsigned known = 0;
    for (unsigned i = 0; i < count; i++) {
        double clock = rows[i].point->clock;
        if (!(clock > 0) || !(rows[i].sms > 0)) continue;
        least = fmin(least, clock);
        most = fmax(most, clock);
        sum += clock;
        known++;
    }
    const struct bench *bench = bench_find("power.idle");
    if (!known)
        fit_unknown(fit, bench, "power.clock", "NVML tells no clock");
    else
        fit_figure(fit, bench, "power.clock", "Hz", sum / known, least, most);
}

static void put_temperature(struct fit *fit, const struct power_thermal *thermal)
{
    const struct {
        const char *key, *unit;
        const struct power_value *value;
    } rows[] = {
        {"temperature.idle", "degC", &thermal->idle},
        {"temperature.per_watt", "K/W", &thermal->per_watt},
        {"temperature.offset", "K", &thermal->offset},
        {"temperature.by_intensity", "K", &thermal->by_intensity},
        {"temperature.rc_rise", "s", &thermal->rc_rise},
        {"temperature.rc_decay", "s", &thermal->rc_decay},
        {"power.static_per_kelvin", "W/K", &thermal->static_per_kelvin},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        put_value(fit, "temperature.heat", rows[i].key, rows[i].unit, rows[i].value,
                  thermal->why ? thermal->why : "the curves do not tell it from others");
}

static bool is_heating(const struct power_row *row)
{
    return power_kind_of(bench_find(row->point->bench)) == POWER_HEAT;
}

static bool find_thermal(const struct power_row *rows, unsigned count, double idle_watts,
                         struct power_thermal *out)
{
    enum { CURVES = 8 };
    struct power_curve curves[CURVES];
    unsigned found = 0;
    for (unsigned i = 0; i < count && found < CURVES; i++)
        if (is_heating(&rows[i]))
            curves[found++] = (struct power_curve){rows[i].point->readings,
                                                   rows[i].point->reading_count, rows[i].intensity};
    if (found) power_thermal_solve(curves, found, idle_watts, out);
    return found > 0;
}

/* A cold chip that runs for a second warms by less than the degree that its sensor tells: the curve of heating says
 * by how much. */
static void find_rises(struct power_row *rows, unsigned count, double idle_watts,
                       const struct power_thermal *thermal)
{
    double mu = thermal->per_watt.value;
    double feedback = 1 - mu * thermal->static_per_kelvin.value;
    for (unsigned i = 0; i < count; i++) {
        struct power_row *row = &rows[i];
        if (!(row->share > 0) || !(fabs(row->rise) < 1)) continue;
        double runtime = (row->watts - idle_watts) / row->share, sum = 0;
        double target =
            (mu * runtime + thermal->offset.value + thermal->by_intensity.value * row->intensity) /
            feedback;
        for (unsigned k = 0; k < row->point->reading_count; k++)
            sum -= expm1(-row->point->readings[k].seconds * feedback / thermal->rc_rise.value);
        row->rise = row->share * target * sum / row->point->reading_count;
    }
}

static bool is_complete(const struct power_thermal *thermal)
{
    return !thermal->why && thermal->per_watt.is_known && thermal->offset.is_known &&
           thermal->rc_rise.is_known && thermal->static_per_kelvin.is_known;
}

/* Measured and fitted watts of all kernels, in the order of measurement. */
static void draw(struct fit *fit, const struct power_row *rows, unsigned count,
                 const double *fitted)
{
    double *x = calibrate_alloc(2 * count * sizeof *x), *watts = x + count;
    for (unsigned i = 0; i < count; i++) {
        x[i] = i + 1;
        watts[i] = rows[i].watts;
    }
    fit_picture(fit, "power", "Power of the stress kernels", "kernel", "W", x, watts, fitted, count,
                false);
    free(x);
}

void fit_power(const struct bench *bench, struct fit *fit)
{
    struct power_row *all, *rows;
    struct power_solution solution;
    struct power_thermal thermal;
    unsigned count = power_rows(fit, &all), used = 0;
    bool is_joint;
    (void)bench;
    if (!count) return;
    rows = calibrate_alloc(count * sizeof *rows);
    for (unsigned i = 0; i < count; i++)
        if (!is_heating(&all[i])) rows[used++] = all[i];
    double *fitted = calibrate_alloc((count + 1) * sizeof *fitted);
    bool is_solved = solve(fit, rows, used, &solution, fitted, &is_joint);
    bool is_warm = is_solved && find_thermal(all, count, solution.idle.value, &thermal);
    if (is_warm && is_complete(&thermal)) {
        find_rises(rows, used, solution.idle.value, &thermal);
        is_solved = solve(fit, rows, used, &solution, fitted, &is_joint);
    }
    if (is_solved) {
        put_scaling(fit, &solution);
        put_clock(fit, all, count);
        put_units(fit, &solution);
        note_energy(fit, &solution);
        draw(fit, rows, used, fitted);
    } else {
        fit_unknown(fit, bench_find("power.idle"), "power.idle", "too few kernels were measured");
    }
    if (is_warm) put_temperature(fit, &thermal);
    free(fitted);
    free(rows);
    free(all);
}
