// SPDX-License-Identifier: Apache-2.0
#include "calibrate/campaign.h"

#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/native_count.h"

enum { REPEATS = 7, SHORT_REPEATS = 3, MOST_REPEATS = 24 };

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

static int run_point(const struct calibration *calibration, struct gpu *gpu, struct raw *raw,
                     const struct bench *bench, const struct plan *plan, const struct point *point)
{
    struct raw_point result;
    if (raw_find(raw, bench->id, point->x)) return CALIBRATE_DONE;
    if (calibration->is_interrupted && calibration->is_interrupted()) return CALIBRATE_INTERRUPTED;
    identify(raw, &result, bench, plan, point);
    unsigned repeats = repeats_of(calibration);
    do
        if (!gpu_time(gpu, plan, point, repeats, &result)) return CALIBRATE_DEVICE;
    while (!calibration->repeats && wants_more(&result, &repeats));
    const char *native = plan->kernels[point->kernel].remark;
    if (native && !*result.remark) result.remark = raw_text(raw, native);
    if (!result.is_checked) {
        char *text = calibrate_format("%s: %s: the point is left out of the fit", bench->id,
                                      *result.remark ? result.remark : "wrong results");
        calibration->tell(calibration->user, text);
        free(text);
    }
    return raw_add(raw, calibration, &result) ? CALIBRATE_DONE : CALIBRATE_INPUT;
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
static int run_plan(const struct calibration *calibration, struct gpu *gpu, struct raw *raw,
                    const struct bench *bench, bool *more)
{
    struct plan plan = {.gpu = gpu_facts(gpu), .raw = raw, .is_short = calibration->is_short};
    const char *why = "";
    int exit_code = CALIBRATE_DONE;
    bool is_possible = bench->plan(bench, &plan, &why);
    *more = is_possible && new_points(raw, bench, &plan) > 0;
    if (*more) {
        if (calibration->counts_native || !calibration->is_short)
            native_count(calibration, bench, &plan);
        if (!gpu_load(gpu, &plan)) exit_code = CALIBRATE_DEVICE;
        for (unsigned i = 0; exit_code == CALIBRATE_DONE && i < plan.point_count; i++)
            exit_code = run_point(calibration, gpu, raw, bench, &plan, &plan.points[i]);
        gpu_unload(gpu);
    } else if (!is_possible) {
        exit_code = skip(calibration, raw, bench, why);
    }
    plan_clear(&plan);
    return exit_code;
}

static int run_bench(const struct calibration *calibration, struct gpu *gpu, struct raw *raw,
                     const struct bench *bench)
{
    enum { ROUNDS_MAX = 100 };
    int exit_code = CALIBRATE_DONE;
    bool more = true;
    for (unsigned i = 0; more && i < ROUNDS_MAX && exit_code == CALIBRATE_DONE; i++)
        exit_code = run_plan(calibration, gpu, raw, bench, &more);
    return exit_code;
}

int campaign_run(const struct calibration *calibration, struct gpu *gpu, struct raw *raw)
{
    unsigned chosen = 0, done = 0;
    int exit_code = CALIBRATE_DONE;
    for (unsigned i = 0; bench_at(i); i++)
        chosen += bench_is_chosen(calibration, bench_at(i));
    for (unsigned i = 0; exit_code == CALIBRATE_DONE && bench_at(i); i++) {
        if (!bench_is_chosen(calibration, bench_at(i))) continue;
        if (calibration->progress)
            calibration->progress(calibration->user, bench_at(i)->id, (double)done++ / chosen);
        exit_code = run_bench(calibration, gpu, raw, bench_at(i));
    }
    return exit_code;
}
