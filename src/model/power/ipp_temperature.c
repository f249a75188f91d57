// SPDX-License-Identifier: Apache-2.0
/* How warm the chip gets and what that adds to its power: (49) to (57) of Hong's thesis. */
#include <math.h>

#include "model/power/ipp_power.h"

enum { POINTS_MAX = 1000000 };

struct ipp_thermal ipp_gtx280_thermal(void) /* table 9, sections 3.2.7 and 3.5.2 */
{
    return (struct ipp_thermal){
        .idle_celsius = 57,
        .per_watt = 0.120,
        .offset_kelvin = 5.5,
        .by_intensity_kelvin = 21.505,
        .rc_rise_seconds = 35,
        .rc_decay_seconds = 60,
        .static_per_kelvin = 10.0 / 22.0,
    };
}

double ipp_rise(const struct ipp_thermal *thermal, double runtime_watts, double intensity)
{
    return thermal->per_watt * runtime_watts + thermal->offset_kelvin +
           thermal->by_intensity_kelvin * intensity;
}

double ipp_coupled_rise(const struct ipp_thermal *thermal, double runtime_watts, double intensity)
{
    return ipp_rise(thermal, runtime_watts, intensity) /
           (1 - thermal->per_watt * thermal->static_per_kelvin);
}

double ipp_warming(const struct ipp_thermal *thermal, double start, double rise, double seconds)
{
    return start + (rise - start) * -expm1(-seconds / thermal->rc_rise_seconds);
}

double ipp_cooling(const struct ipp_thermal *thermal, double start, double seconds)
{
    return start * exp(-seconds / thermal->rc_decay_seconds);
}

/* ---- curves ---------------------------------------------------------------------------------- */

static size_t steps_of(double seconds, double step)
{
    return (size_t)ceil(seconds / step * (1 - 1e-12));
}

size_t ipp_curve_count(const struct ipp_curve_input *in)
{
    return 1 + steps_of(in->run_seconds, in->step_seconds) +
           steps_of(in->cool_seconds, in->step_seconds);
}

ws_status ipp_curve_check(struct diag *diag, const struct ipp_curve_input *in)
{
    const struct ipp_thermal *thermal = &in->thermal;
    double shortest = fmin(thermal->rc_rise_seconds, thermal->rc_decay_seconds);
    if (!(in->run_seconds >= 0) || !(in->cool_seconds >= 0) ||
        !isfinite(in->run_seconds + in->cool_seconds) || in->run_seconds + in->cool_seconds == 0)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "temperature: invalid times %g s under load and %g s idle: both must be "
                          "at least 0, one of them greater than 0",
                          in->run_seconds, in->cool_seconds);
    if (!(in->step_seconds > 0))
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "temperature: the time step must be greater than 0 (got %g s)",
                          in->step_seconds);
    if (in->step_seconds > shortest)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "temperature: the time step of %g s is too large: it exceeds the time "
                          "constant of %g s, use at most a tenth of that",
                          in->step_seconds, shortest);
    if (!(in->runtime_watts >= 0) || !(in->intensity >= 0))
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "temperature: runtime power (%g W) and intensity (%g) must be at least 0",
                          in->runtime_watts, in->intensity);
    if (!(in->start_celsius >= thermal->idle_celsius))
        return diag_error(
            diag, WS_ERR_ARGUMENT,
            "temperature: the initial temperature of %g degC is below the %g degC of the idle chip",
            in->start_celsius, thermal->idle_celsius);
    if (thermal->per_watt * thermal->static_per_kelvin >= 1)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "temperature: %g K/W times %g W/K is 1 or more: thermal runaway",
                          thermal->per_watt, thermal->static_per_kelvin);
    double steps = (in->run_seconds + in->cool_seconds) / in->step_seconds;
    if (steps > POINTS_MAX - 2)
        return diag_error(diag, WS_ERR_ARGUMENT,
                          "temperature: too many time steps: %.0f (at most %d): use a larger step",
                          steps, POINTS_MAX);
    return WS_OK;
}

/* One step of an exponential from `start` towards `target`: power follows the temperature (56), so
 * the energy is the integral of both. */
static void advance(const struct ipp_curve_input *in, double runtime_watts, double target,
                    double rc_seconds, double seconds, const struct ipp_curve_point *from,
                    struct ipp_curve_point *to)
{
    const struct ipp_thermal *thermal = &in->thermal;
    double start = from->celsius - thermal->idle_celsius;
    double gone = -expm1(-seconds / rc_seconds); /* share of the way to the target */
    double rise = start + (target - start) * gone;
    double kelvin_seconds = target * seconds + (start - target) * rc_seconds * gone;
    to->seconds = from->seconds + seconds;
    to->celsius = thermal->idle_celsius + rise;
    to->watts = in->idle_watts + runtime_watts + thermal->static_per_kelvin * rise;
    to->joules = from->joules + (in->idle_watts + runtime_watts) * seconds +
                 thermal->static_per_kelvin * kelvin_seconds;
}

static struct ipp_curve_point *run_phase(const struct ipp_curve_input *in, double seconds,
                                         bool is_at_work, struct ipp_curve_point *at)
{
    const struct ipp_thermal *thermal = &in->thermal;
    size_t steps = steps_of(seconds, in->step_seconds);
    double watts = is_at_work ? in->runtime_watts : 0, begin = at->seconds;
    double rc = is_at_work ? thermal->rc_rise_seconds : thermal->rc_decay_seconds;
    for (size_t i = 1; i <= steps; i++, at++) {
        double end = begin + fmin(seconds, (double)i * in->step_seconds);
        double grown = watts;
        if (in->coupling == IPP_COUPLED)
            grown += thermal->static_per_kelvin * (at->celsius - thermal->idle_celsius);
        double target = is_at_work ? ipp_rise(thermal, grown, in->intensity) : 0;
        advance(in, watts, target, rc, end - at->seconds, at, at + 1);
        at[1].seconds = end;
    }
    return at;
}

void ipp_curve(const struct ipp_curve_input *in, struct ipp_curve_point *out)
{
    const struct ipp_thermal *thermal = &in->thermal;
    double rise = in->start_celsius - thermal->idle_celsius;
    double runtime = in->run_seconds > 0 ? in->runtime_watts : 0;
    out[0] = (struct ipp_curve_point){
        .celsius = in->start_celsius,
        .watts = in->idle_watts + runtime + thermal->static_per_kelvin * rise,
    };
    struct ipp_curve_point *at = run_phase(in, in->run_seconds, true, out);
    run_phase(in, in->cool_seconds, false, at);
}
