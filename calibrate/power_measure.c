// SPDX-License-Identifier: Apache-2.0
/* NVML's readings while a kernel is repeated.
 *
 * Some GPUs, and the stand-in of `warpsage run`, answer whole watts, which are up to half a watt off, and the same for
 * all readings of a constant power. So between the launches of each tenth of a second the GPU then rests a little
 * longer each time, until the mean has fallen by a watt: readings round it up and down, and their mean is off by half
 * a watt over their number at most. The share of the time in which the kernel ran is known and part of the fit. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "calibrate/power.h"

/* What NVML's readings are means over where they are whole watts. */
static const double window = 0.1;

struct series {
    struct power_meter *meter;
    const struct plan *plan;
    const struct point *point;
    struct raw_point *out;
    double now, busy;            /* seconds since the first launch, and with launches */
    double launches, per_second; /* launches made in `busy`; expected */
};

static void rest(struct series *series, double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)(1e9 * (seconds - floor(seconds)))};
    if (!(seconds > 0)) return;
    nanosleep(&time, NULL);
    series->now += seconds;
}

static void read_now(struct series *series, double share)
{
    struct raw_point *out = series->out;
    struct power_meter *meter = series->meter;
    struct reading one = {series->now, nvml_watts(meter->nvml), nvml_celsius(meter->nvml), share};
    if (fabs(one.watts - round(one.watts)) > 1e-6) meter->is_whole = false;
    out->readings = calibrate_grow(out->readings, out->reading_count, sizeof *out->readings);
    out->readings[out->reading_count++] = one;
    const char *throttles = nvml_throttles(meter->nvml);
    if (*throttles) out->remark = throttles;
}

static bool is_stopped(const struct series *series)
{
    const struct calibration *calibration = series->meter->calibration;
    return calibration->is_interrupted && calibration->is_interrupted();
}

/* ---- a chunk of launches ----------------------------------------------------------------------- */

static bool finish(struct series *series, double launches)
{
    double seconds = gpu_wait(series->meter->gpu, series->plan, series->point);
    if (isnan(seconds)) return false;
    series->now += seconds;
    series->busy += seconds;
    series->launches += launches;
    return true;
}

/* Launches for so long, then a reading; with `pause`, after it and of the window alone. A reading while
 * they run takes no time from them. */
static bool run_chunk(struct series *series, double seconds, double pause, bool is_read)
{
    unsigned launches = (unsigned)fmax(1, ceil(seconds * series->per_second));
    bool reads_now = is_read && !series->meter->is_whole;
    if (!gpu_start(series->meter->gpu, series->plan, series->point, launches)) return false;
    if (reads_now) read_now(series, 1);
    if (!finish(series, launches)) return false;
    rest(series, pause);
    if (is_read && !reads_now) read_now(series, (window - pause) / window);
    return true;
}

/* The second launch counts: the first one may load the code. */
static bool find_rate(struct series *series)
{
    struct gpu *gpu = series->meter->gpu;
    double seconds = 0;
    for (unsigned i = 0; i < 2 && !isnan(seconds); i++)
        seconds = gpu_repeat(gpu, series->plan, series->point, 1);
    if (!(seconds > 0)) return !isnan(seconds);
    series->now += 2 * seconds;
    series->per_second = 1 / seconds;
    return true;
}

/* ---- constant load ----------------------------------------------------------------------------- */

enum { SHORT_READINGS = 6, FEW_READINGS = 4, REST_READINGS = 12, MANY_LAUNCHES = 10000 };
static const double long_run = 2.5, before = 0.5, chunk = 0.05;

static bool run_rounded(struct series *series)
{
    struct power_meter *meter = series->meter;
    unsigned count = meter->calibration->is_short ? SHORT_READINGS : (unsigned)(long_run / window);
    if (meter->calibration->is_short && series->per_second * window > MANY_LAUNCHES)
        count = FEW_READINGS;
    double pause = 0;
    if (!run_chunk(series, window, 0, true)) return false;
    /* The reading that sets the pauses is not kept. */
    double watts = series->out->readings[--series->out->reading_count].watts - meter->idle_watts;
    for (unsigned i = 0; i < count; i++) {
        if (is_stopped(series)) return true;
        pause = window * (i + 0.5) / count * fmin(0.75, 1 / fmax(watts, 1));
        if (!run_chunk(series, window, pause, true)) return false;
    }
    return true;
}

/* Working for a twentieth of the time, and more each time until the mean has risen by two watts. */
static bool run_resting(struct series *series)
{
    struct power_meter *meter = series->meter;
    if (!run_chunk(series, window, 0, true)) return false;
    double watts = series->out->readings[--series->out->reading_count].watts - meter->idle_watts;
    for (unsigned i = 0; i < REST_READINGS && !is_stopped(series); i++) {
        double share = fmin(0.3, 2 / fmax(watts, 1)) * (i + 0.5) / REST_READINGS;
        double launches = ceil(share * window * series->per_second);
        double pause = window - launches / series->per_second;
        if (!run_chunk(series, (launches - 0.5) / series->per_second, pause, true)) return false;
    }
    return true;
}

static bool run_steady(struct series *series)
{
    bool is_done = true;
    while (is_done && series->now < long_run && !is_stopped(series))
        is_done = run_chunk(series, chunk, 0, series->now > before);
    return is_done;
}

/* ---- heating and cooling ----------------------------------------------------------------------- */

struct stay {
    double celsius, since;
};

/* Has the temperature stayed, or is the time over? */
static bool is_over(const struct series *series, struct stay *stay, double begin, double most)
{
    double celsius = series->out->readings[series->out->reading_count - 1].celsius;
    double past = series->now - begin;
    if (celsius != stay->celsius) *stay = (struct stay){celsius, series->now};
    return past > most || series->now - stay->since > fmax(20, 0.3 * past);
}

static const double step = 0.2;

static bool run_heating(struct series *series)
{
    bool is_short = series->meter->calibration->is_short;
    /* Launches that are many heat for a part of the way, from which the rest follows. */
    double most = !is_short ? 100 : series->per_second > 2000 ? 40 : 600;
    struct stay stay = {NAN, 0};
    if (isnan(nvml_celsius(series->meter->nvml))) return run_chunk(series, step, 0, true);
    do {
        if (!run_chunk(series, step, 0, true)) return false;
    } while (!is_over(series, &stay, 0, most) && !is_stopped(series));
    double begin = series->now;
    rest(series, 2 * window);
    do {
        rest(series, step);
        read_now(series, 0);
    } while (!is_over(series, &stay, begin, is_short ? 900 : 80) && !is_stopped(series));
    return true;
}

/* ---- a point ----------------------------------------------------------------------------------- */

/* Short runs begin with a cold chip: under `warpsage run` waiting is free. */
static void cool_down(struct series *series)
{
    const struct power_meter *meter = series->meter;
    if (!meter->calibration->is_short || isnan(meter->idle_celsius)) return;
    for (unsigned i = 0; i < 60 && nvml_celsius(meter->nvml) > meter->idle_celsius; i++)
        rest(series, 30);
    rest(series, 600);
    series->now = 0;
}

static bool read_idle(struct series *series)
{
    enum { READINGS = 20 };
    struct power_meter *meter = series->meter;
    for (unsigned i = 0; i < READINGS && !is_stopped(series); i++) {
        rest(series, window);
        read_now(series, 0);
    }
    double watts = 0, celsius = 0;
    for (unsigned i = 0; i < series->out->reading_count; i++) {
        watts += series->out->readings[i].watts / series->out->reading_count;
        celsius += series->out->readings[i].celsius / series->out->reading_count;
    }
    meter->idle_watts = watts;
    meter->idle_celsius = celsius;
    return true;
}

/* Of a campaign that goes on, the idle GPU was measured before. */
static void want_idle(struct series *series)
{
    struct power_meter *meter = series->meter;
    if (!isnan(meter->idle_watts)) return;
    meter->idle_watts = nvml_watts(meter->nvml);
    meter->idle_celsius = nvml_celsius(meter->nvml);
}

static bool run(struct series *series, enum power_kind kind)
{
    bool is_whole = series->meter->is_whole;
    if (kind == POWER_HEAT) return run_heating(series);
    if (kind == POWER_REST && is_whole) return run_resting(series);
    return is_whole ? run_rounded(series) : run_steady(series);
}

bool power_measure(struct power_meter *meter, const struct bench *bench, const struct plan *plan,
                   const struct point *point, struct raw_point *out)
{
    struct series series = {.meter = meter, .plan = plan, .point = point, .out = out};
    bool is_done;
    if (!gpu_resident(meter->gpu, point)) {
        out->remark = "an SM has no room for such a block";
        return true;
    }
    if (power_kind_of(bench) == POWER_IDLE) {
        is_done = read_idle(&series);
    } else {
        want_idle(&series);
        cool_down(&series);
        is_done = gpu_prepare(meter->gpu, plan, point) && find_rate(&series);
        if (is_done) is_done = run(&series, power_kind_of(bench));
    }
    out->clock = fmax(0, nvml_clock(meter->nvml));
    out->launches = series.busy > 0 ? series.launches / series.busy : 0;
    out->is_checked = true;
    out->count = 0;
    return is_done;
}
