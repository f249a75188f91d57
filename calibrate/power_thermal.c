// SPDX-License-Identifier: Apache-2.0
/* Constants of heating and cooling, (49) to (57) of Hong's thesis, out of curves of power and temperature.
 *
 * Sensors answer whole degrees, and GPUs that answer whole watts are common: most readings of a curve are off by the
 * same. Where the answer changes, though, the value lies half way between the two, so these times alone count. */
#include <math.h>
#include <stdlib.h>

#include "calibrate/power.h"

enum { CURVES = 8, EVENTS = 512, UNKNOWNS = 3 * CURVES + 1 };

struct event {
    double seconds, value;
};
struct events {
    struct event list[EVENTS];
    unsigned count;
};

/* A curve's temperature while it heats, from second 0, and while it cools, from its second 0; watts while it
 * heats. */
struct curve {
    struct events heating, cooling, watts;
    double heat_end; /* second of the last reading at work */
    double last_celsius, last_watts;
    double intensity;
};

struct thermal_fit {
    struct curve curves[CURVES];
    unsigned count;
    double tau_rise, tau_decay;
    /* By least squares for these: idle, then of each curve the temperature that it heats to and how far from
     * that it begins, then how far above idle it begins to cool. */
    double idle, target[CURVES], below[CURVES], above[CURVES];
    double squares;
    unsigned events;
};

/* ---- changes ----------------------------------------------------------------------------------- */

static void add_event(struct events *events, double seconds, double value)
{
    if (events->count < EVENTS) events->list[events->count++] = (struct event){seconds, value};
}

static void add_change(struct events *events, double before, double after, double from, double to)
{
    if (before != after) add_event(events, (from + to) / 2, (before + after) / 2);
}

static void find_events(const struct power_curve *in, struct curve *out)
{
    const struct reading *before = NULL;
    *out = (struct curve){.intensity = in->intensity};
    for (unsigned i = 0; i < in->count; i++) {
        const struct reading *one = &in->readings[i];
        bool heats = one->share > 0, follows = before && (before->share > 0) == heats;
        if (heats) {
            out->heat_end = one->seconds;
            out->last_celsius = one->celsius;
            out->last_watts = one->watts;
        }
        if (follows && heats) {
            add_change(&out->heating, before->celsius, one->celsius, before->seconds, one->seconds);
            add_change(&out->watts, before->watts, one->watts, before->seconds, one->seconds);
        }
        if (follows && !heats)
            add_change(&out->cooling, before->celsius, one->celsius,
                       before->seconds - out->heat_end, one->seconds - out->heat_end);
        before = one;
    }
}

/* ---- linear least squares ---------------------------------------------------------------------- */

struct linear {
    unsigned unknowns;
    double matrix[UNKNOWNS][UNKNOWNS + 1];
    double squares;
};

static void add_equation(struct linear *linear, const double *row, double value)
{
    for (unsigned a = 0; a < linear->unknowns; a++) {
        for (unsigned b = 0; b < linear->unknowns; b++)
            linear->matrix[a][b] += row[a] * row[b];
        linear->matrix[a][linear->unknowns] += row[a] * value;
    }
    linear->squares += value * value;
}

/* Leaves the answers in the last column and the residual in `squares`; what nothing determines is 0. */
static void solve_linear(struct linear *linear, double *out)
{
    unsigned n = linear->unknowns;
    double right[UNKNOWNS];
    for (unsigned a = 0; a < n; a++)
        right[a] = linear->matrix[a][n];
    for (unsigned p = 0; p < n; p++) {
        double pivot = linear->matrix[p][p];
        out[p] = 0;
        if (!(pivot > 1e-9)) {
            for (unsigned b = 0; b <= n; b++)
                linear->matrix[p][b] = 0;
            continue;
        }
        for (unsigned b = 0; b <= n; b++)
            linear->matrix[p][b] /= pivot;
        for (unsigned a = 0; a < n; a++) {
            double factor = linear->matrix[a][p];
            for (unsigned b = 0; a != p && b <= n; b++)
                linear->matrix[a][b] -= factor * linear->matrix[p][b];
        }
    }
    for (unsigned p = 0; p < n; p++) {
        out[p] = linear->matrix[p][n];
        linear->squares -= out[p] * right[p];
    }
}

/* ---- time constants ---------------------------------------------------------------------------- */

/* Temperatures for given time constants. */
static double solve_curves(struct thermal_fit *fit)
{
    struct linear linear = {.unknowns = 1 + 3 * fit->count};
    double row[UNKNOWNS], values[UNKNOWNS] = {0};
    fit->events = 0;
    for (unsigned i = 0; i < fit->count; i++) {
        const struct curve *curve = &fit->curves[i];
        for (unsigned k = 0; k < curve->heating.count; k++, fit->events++) {
            for (unsigned a = 0; a < UNKNOWNS; a++)
                row[a] = 0;
            row[1 + 3 * i] = 1;
            row[2 + 3 * i] = -exp(-curve->heating.list[k].seconds / fit->tau_rise);
            add_equation(&linear, row, curve->heating.list[k].value);
        }
        for (unsigned k = 0; k < curve->cooling.count; k++, fit->events++) {
            for (unsigned a = 0; a < UNKNOWNS; a++)
                row[a] = 0;
            row[0] = 1;
            row[3 + 3 * i] = exp(-curve->cooling.list[k].seconds / fit->tau_decay);
            add_equation(&linear, row, curve->cooling.list[k].value);
        }
    }
    solve_linear(&linear, values);
    fit->idle = values[0];
    for (unsigned i = 0; i < fit->count; i++) {
        fit->target[i] = values[1 + 3 * i];
        fit->below[i] = values[2 + 3 * i];
        fit->above[i] = values[3 + 3 * i];
    }
    fit->squares = fmax(0, linear.squares);
    return fit->squares;
}

/* Golden section over the logarithm of a time constant. */
static void find_tau(struct thermal_fit *fit, double *tau)
{
    const double golden = 0.6180339887498949;
    double low = log(1.0), high = log(1000.0);
    while (high - low > 1e-5) {
        double a = high - golden * (high - low), b = low + golden * (high - low);
        *tau = exp(a);
        double of_a = solve_curves(fit);
        *tau = exp(b);
        if (of_a < solve_curves(fit))
            high = b;
        else
            low = a;
    }
    *tau = exp((low + high) / 2);
    solve_curves(fit);
}

/* Standard deviation of a temperature of an event. */
static double deviation(const struct thermal_fit *fit)
{
    unsigned unknowns = 3 * fit->count + 3;
    double free_events = fit->events > unknowns ? fit->events - unknowns : 1;
    return fmax(0.02, sqrt(fit->squares / free_events));
}

/* 95 %: where the sum of squares has grown by four variances. */
static struct power_value tau_value(struct thermal_fit *fit, double *tau)
{
    double best = *tau, limit = fit->squares + 4 * pow(deviation(fit), 2);
    struct power_value out = {.value = best, .is_known = true};
    for (*tau = best; *tau > best / 2 && solve_curves(fit) < limit;)
        *tau *= 0.999;
    out.low = *tau;
    for (*tau = best; *tau < best * 2 && solve_curves(fit) < limit;)
        *tau *= 1.001;
    out.high = *tau;
    out.is_known = out.high - out.low < 0.5 * best;
    *tau = best;
    solve_curves(fit);
    return out;
}

/* ---- static power ------------------------------------------------------------------------------ */

static double rise_at(const struct thermal_fit *fit, unsigned i, double seconds)
{
    return fit->target[i] - fit->below[i] * exp(-seconds / fit->tau_rise) - fit->idle;
}

/* Watts over temperature: one slope for all curves. *out_watts: of each at the temperature of the idle chip. */
static struct power_value find_static(const struct thermal_fit *fit, double *out_watts)
{
    struct linear linear = {.unknowns = 1 + fit->count};
    double values[UNKNOWNS] = {0}, rises = 0, most = 0;
    unsigned events = 0;
    for (unsigned i = 0; i < fit->count; i++) {
        const struct events *watts = &fit->curves[i].watts;
        for (unsigned k = 0; k < watts->count; k++, events++) {
            double row[UNKNOWNS] = {rise_at(fit, i, watts->list[k].seconds)};
            row[1 + i] = 1;
            add_equation(&linear, row, watts->list[k].value);
        }
        most = fmax(most, rise_at(fit, i, fit->curves[i].heat_end));
    }
    solve_linear(&linear, values);
    rises = linear.matrix[0][0]; /* 1 if the slope was determined */
    struct power_value out = {.value = fmax(0, values[0])};
    for (unsigned i = 0; i < fit->count; i++) {
        const struct curve *curve = &fit->curves[i];
        out_watts[i] = curve->watts.count
                           ? values[1 + i]
                           : curve->last_watts - out.value * rise_at(fit, i, curve->heat_end);
    }
    /* A watt over the largest rise if none changed by one; else a tenth of a watt, as times are known. */
    double half = events > fit->count + 1 && rises > 0 ? 0.2 / most : 1 / most;
    out.low = fmax(0, out.value - half);
    out.high = out.value + half;
    out.is_known = most > 3;
    return out;
}

/* ---- (53) -------------------------------------------------------------------------------------- */

static struct power_value value_with(double value, double half)
{
    return (struct power_value){
        .value = value, .low = value - half, .high = value + half, .is_known = isfinite(half)};
}

/* Column `k` of the inverse of the normal matrix, its own place: what multiplies the variance. */
static double variance_of(const struct linear *linear, unsigned k)
{
    struct linear copy = *linear;
    double values[UNKNOWNS];
    for (unsigned a = 0; a < copy.unknowns; a++)
        copy.matrix[a][copy.unknowns] = a == k;
    solve_linear(&copy, values);
    return values[k] > 0 ? values[k] : INFINITY;
}

/* Rises of all curves over their power, warm as they were, and memory's share of the instructions. */
static void find_rises(const struct thermal_fit *fit, double idle_watts, const double *watts,
                       struct power_thermal *out)
{
    struct linear linear = {.unknowns = 3};
    double values[UNKNOWNS];
    for (unsigned i = 0; i < fit->count; i++) {
        double rise = fit->target[i] - fit->idle;
        const double row[UNKNOWNS] = {watts[i] - idle_watts + out->static_per_kelvin.value * rise,
                                      1, fit->curves[i].intensity};
        add_equation(&linear, row, rise);
    }
    struct linear kept = linear;
    solve_linear(&linear, values);
    unsigned free_curves = fit->count > 3 ? fit->count - 3 : 1;
    double sigma = fmax(0.05, sqrt(fmax(0, linear.squares) / free_curves));
    double t = fit->count > 4 ? 4.303 : 12.706; /* Student, 95 %: two degrees of freedom, or one */
    struct power_value *places[] = {&out->per_watt, &out->offset, &out->by_intensity};
    for (unsigned k = 0; k < 3; k++) {
        double half = t * sigma * sqrt(variance_of(&kept, k));
        *places[k] = value_with(values[k], half);
        places[k]->is_known = half < 0.5 * fabs(values[k]);
    }
}

/* A warmer chip draws more, which warms it: measured is RC over 1 - mu sigma. */
static void uncouple(struct power_thermal *out)
{
    double factor = 1 - out->per_watt.value * out->static_per_kelvin.value;
    out->rc_rise.value *= factor;
    out->rc_rise.low *= factor;
    out->rc_rise.high *= factor;
}

void power_thermal_solve(const struct power_curve *curves, unsigned count, double idle_watts,
                         struct power_thermal *out)
{
    enum { FEWEST_CURVES = 4, FEWEST_EVENTS = 20 };
    struct thermal_fit *fit = calibrate_alloc(sizeof *fit);
    double watts[CURVES];
    *out = (struct power_thermal){.why = NULL};
    for (unsigned i = 0; i < count && fit->count < CURVES; i++)
        if (curves[i].count && isfinite(curves[i].readings[0].celsius))
            find_events(&curves[i], &fit->curves[fit->count++]);
    fit->tau_rise = fit->tau_decay = 50;
    solve_curves(fit);
    if (count && !fit->count)
        out->why = "NVML tells no temperature";
    else if (fit->count < FEWEST_CURVES)
        out->why = "fewer than four curves of heating";
    else if (fit->events < FEWEST_EVENTS)
        out->why = "the temperature hardly changed";
    if (!out->why) {
        find_tau(fit, &fit->tau_rise);
        find_tau(fit, &fit->tau_decay);
        out->rc_rise = tau_value(fit, &fit->tau_rise);
        out->rc_decay = tau_value(fit, &fit->tau_decay);
        out->idle = value_with(fit->idle, 2 * deviation(fit));
        out->static_per_kelvin = find_static(fit, watts);
        find_rises(fit, idle_watts, watts, out);
        uncouple(out);
    }
    free(fit);
}
