// SPDX-License-Identifier: Apache-2.0
#include "calibrate/campaign.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/native_count.h"
#include "calibrate/watch.h"

enum { REPEATS = 7, SHORT_REPEATS = 3, MOST_REPEATS = 24, TRIES = 3 };

bool bench_is_chosen(const struct calibration *calibration, const struct bench *bench)
{
    regex_t only;
    if (bench->is_power && !calibration->with_power) return false;
    if (!calibration->only) return true;
    if (regcomp(&only, calibration->only, REG_EXTENDED | REG_NOSUB)) return false;
    bool is_chosen = regexec(&only, bench->id, 0, NULL, 0) == 0;
    regfree(&only);
    return is_chosen;
}

static unsigned repeats_of(const struct calibration *calibration)
{
    unsigned wanted = calibration->repeats    ? calibration->repeats
                      : calibration->is_short ? SHORT_REPEATS
                                              : REPEATS;
    return wanted < RAW_REPEATS ? wanted : RAW_REPEATS;
}

static void identify(struct raw *raw_data, struct raw_point *raw, const struct bench *bench,
                     const struct plan *plan, const struct point *point)
{
    *raw = (struct raw_point){.bench = bench->id,
                              .grid = point->grid,
                              .block = point->block,
                              .shared = point->shared,
                              .kernel = raw_text(raw_data, plan->kernels[point->kernel].name),
                              .remark = ""};
    memcpy(raw->x, point->x, sizeof raw->x);
    memcpy(raw->args, point->args, sizeof raw->args);
}

/* Is the middle of the repeats less certain than a per mille? Few that differ at all say little. Then four times as
 * many, once or twice. */
static bool wants_more(const struct raw_point *point, unsigned *repeats)
{
    const unsigned few = 7;
    double spread, cycles = middle(point->block_cycles, point->count, &spread);
    double certain = point->count < few ? 0 : 0.001 * sqrt(point->count);
    if (!(cycles > 0) || !(spread > certain * cycles)) return false;
    if (*repeats >= MOST_REPEATS) return false;
    *repeats = 4 * *repeats < MOST_REPEATS ? 4 * *repeats : MOST_REPEATS;
    return true;
}

static int time_point(struct watch *watch, const struct plan *plan, const struct bench *bench,
                      const struct point *point, struct raw_point *out)
{
    const struct calibration *calibration = watch->calibration;
    if (calibration->is_interrupted && calibration->is_interrupted()) return CALIBRATE_INTERRUPTED;
    identify(watch->raw, out, bench, plan, point);
    if (bench->is_power) {
        if (!power_measure(&watch->meter, bench, plan, point, out)) return CALIBRATE_DEVICE;
        bool is_cut = calibration->is_interrupted && calibration->is_interrupted();
        return is_cut ? CALIBRATE_INTERRUPTED : CALIBRATE_DONE;
    }
    unsigned repeats = repeats_of(calibration);
    do
        if (!gpu_time(watch->gpu, plan, point, repeats, out)) return CALIBRATE_DEVICE;
    while (!calibration->repeats && wants_more(out, &repeats));
    const char *native = plan->kernels[point->kernel].remark;
    if (native && !*out->remark) out->remark = raw_text(watch->raw, native);
    watch_point(watch, out);
    return CALIBRATE_DONE;
}

static int keep_point(struct watch *watch, const struct raw_point *point)
{
    const struct calibration *calibration = watch->calibration;
    if (!point->is_checked) {
        calibrate_tell(calibration, "%s: %s: the point is left out of the fit", point->bench,
                       *point->remark ? point->remark : "wrong results");
    }
    return raw_add(watch->raw, calibration, point) ? CALIBRATE_DONE : CALIBRATE_INPUT;
}

/* Points that the raw data lack, between two runs of the reference; *out_why: what disturbed them. Those of power
 * take seconds each, and are kept at once. */
static int time_points(struct watch *watch, const struct plan *plan, const struct bench *bench,
                       struct raw_point *out, unsigned *out_count, const char **out_why)
{
    int exit_code = CALIBRATE_DONE;
    *out_count = 0;
    *out_why = "";
    if (!watch_begin(watch, plan)) return CALIBRATE_DEVICE;
    for (unsigned i = 0; exit_code == CALIBRATE_DONE && i < plan->point_count; i++) {
        const struct point *point = &plan->points[i];
        if (raw_find(watch->raw, bench->id, point->x)) continue;
        struct raw_point *result = &out[*out_count];
        exit_code = time_point(watch, plan, bench, point, result);
        if (exit_code == CALIBRATE_DONE && bench->is_power)
            exit_code = keep_point(watch, result);
        else if (exit_code == CALIBRATE_DONE)
            ++*out_count;
    }
    if (exit_code == CALIBRATE_DONE && *out_count && !watch_end(watch, plan, out_why))
        return CALIBRATE_DEVICE;
    return exit_code;
}

/* Again, if they were disturbed; the last try is kept, and says so. */
static int run_points(struct watch *watch, const struct plan *plan, const struct bench *bench)
{
    struct raw_point *points = calibrate_alloc(plan->point_count * sizeof *points);
    const char *why = "";
    unsigned count = 0;
    int exit_code = CALIBRATE_DONE;
    for (unsigned i = 0; i < TRIES && exit_code == CALIBRATE_DONE && (i == 0 || *why); i++)
        exit_code = time_points(watch, plan, bench, points, &count, &why);
    if (*why && exit_code == CALIBRATE_DONE) {
        calibrate_tell(watch->calibration, "%s: %s, %u times", bench->id, why, TRIES);
    }
    for (unsigned i = 0; i < count && exit_code == CALIBRATE_DONE; i++) {
        if (*why) points[i].remark = why;
        exit_code = keep_point(watch, &points[i]);
    }
    free(points);
    return exit_code;
}

/* The GPU has nothing to measure: the raw data say why. */
static int skip(const struct calibration *calibration, struct raw *raw, const struct bench *bench,
                const char *why)
{
    static const double nowhere[BENCH_AXES];
    struct raw_point point = {
        .bench = bench->id, .kernel = "", .remark = raw_text(raw, why), .is_skipped = true};
    if (raw_find(raw, bench->id, nowhere)) return CALIBRATE_DONE;
    return raw_add(raw, calibration, &point) ? CALIBRATE_DONE : CALIBRATE_INPUT;
}

static unsigned new_points(const struct raw *raw, const struct bench *bench,
                           const struct plan *plan)
{
    unsigned count = 0;
    for (unsigned i = 0; i < plan->point_count; i++)
        count += !raw_find(raw, bench->id, plan->points[i].x);
    return count;
}

/* Plans, and measures what is new; *more: there was something. */
static int run_plan(struct watch *watch, const struct bench *bench, bool *more)
{
    struct plan plan = {
        .gpu = gpu_facts(watch->gpu), .raw = watch->raw, .is_short = watch->calibration->is_short};
    const char *why = "";
    int exit_code = CALIBRATE_DONE;
    bool is_possible = bench->plan(bench, &plan, &why);
    *more = is_possible && new_points(watch->raw, bench, &plan) > 0;
    if (*more) {
        if (watch->calibration->counts_native || !plan.is_short)
            native_count(watch->calibration, bench, &plan);
        watch_plan(watch, bench, &plan);
        exit_code =
            gpu_load(watch->gpu, &plan) ? run_points(watch, &plan, bench) : CALIBRATE_DEVICE;
        gpu_unload(watch->gpu);
    } else if (!is_possible) {
        exit_code = skip(watch->calibration, watch->raw, bench, why);
    }
    plan_clear(&plan);
    return exit_code;
}

static int run_bench(struct watch *watch, const struct bench *bench)
{
    enum { ROUNDS_MAX = 100 };
    int exit_code = CALIBRATE_DONE;
    bool more = true;
    if (bench->is_power && !watch->has_power) return CALIBRATE_DONE; /* watch_open told it */
    for (unsigned i = 0; more && i < ROUNDS_MAX && exit_code == CALIBRATE_DONE; i++)
        exit_code = run_plan(watch, bench, &more);
    return exit_code;
}

int campaign_run(const struct calibration *calibration, struct gpu *gpu, struct raw *raw)
{
    unsigned chosen = 0, done = 0;
    int exit_code = CALIBRATE_DONE;
    struct watch watch;
    watch_open(&watch, calibration, gpu, raw);
    for (unsigned i = 0; bench_at(i); i++)
        chosen += bench_is_chosen(calibration, bench_at(i));
    for (unsigned i = 0; exit_code == CALIBRATE_DONE && bench_at(i); i++) {
        if (!bench_is_chosen(calibration, bench_at(i))) continue;
        if (calibration->progress)
            calibration->progress(calibration->user, bench_at(i)->id, (double)done++ / chosen);
        exit_code = run_bench(&watch, bench_at(i));
    }
    watch_close(&watch);
    return exit_code;
}
