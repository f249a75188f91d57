// SPDX-License-Identifier: Apache-2.0
#include "calibrate/watch.h"

#include <math.h>
#include <stdlib.h>

#include "calibrate/kernel_text.h"

/* Timers jitter by a percent; another program, or a lower clock, does more. */
static const double disturbed = 0.05;

enum { CHAIN = 64, LONG_ROUNDS = 2000, SHORT_ROUNDS = 4, TRIES = 3, SHORT_INTERVAL = 10 };

/* ---- NVML -------------------------------------------------------------------------------------- */

static void tell_others(const struct watch *watch)
{
    unsigned others = nvml_others(watch->nvml);
    if (others)
        calibrate_tell(
            watch->calibration,
            "the GPU is busy: %u other process%s it; measurements that this disturbs are repeated",
            others, others == 1 ? " uses" : "es use");
    const char *throttles = nvml_throttles(watch->nvml);
    if (*throttles)
        calibrate_tell(watch->calibration, "the GPU is %s; points that this disturbs are noted",
                       throttles);
}

void watch_open(struct watch *watch, const struct calibration *calibration, struct gpu *gpu,
                struct raw *raw)
{
    *watch = (struct watch){.calibration = calibration, .gpu = gpu, .raw = raw};
    watch->nvml =
        nvml_open(gpu_facts(gpu), calibration->gpu, watch->no_nvml, sizeof watch->no_nvml);
    const char *no_power = watch->nvml ? nvml_no_power(watch->nvml) : watch->no_nvml;
    watch->has_power = !no_power;
    if (watch->nvml) tell_others(watch);
    if (no_power && calibration->with_power)
        calibrate_tell(
            watch->calibration,
            "NVML tells no power: %s. The file gets no power figures, only those of performance",
            no_power);
    watch->meter = (struct power_meter){.calibration = calibration,
                                        .gpu = gpu,
                                        .nvml = watch->nvml,
                                        .idle_watts = NAN,
                                        .idle_celsius = NAN,
                                        .is_whole = true};
}

void watch_close(struct watch *watch)
{
    nvml_close(watch->nvml);
    watch->nvml = NULL;
}

/* ---- the reference ----------------------------------------------------------------------------- */

static char *reference_text(const struct plan *plan)
{
    struct kernel_writer writer;
    kernel_begin(&writer, plan->gpu, "reference", 0);
    put(&writer, "    mov.b32 %%f0, %%b;\n    mov.b32 %%f1, %%b;\n");
    kernel_clock(&writer);
    put(&writer, "    mov.u32 %%r1, %%a;\nround:\n");
    for (unsigned i = 0; i < CHAIN; i++)
        put(&writer, "    fma.rn.f32 %%f0, %%f0, %%f1, %%f1;\n");
    put(&writer,
        "    sub.u32 %%r1, %%r1, 1;\n    setp.ne.u32 %%p0, %%r1, 0;\n    @%%p0 bra round;\n"
        "    mov.b32 %%result, %%f0;\n");
    return kernel_end(&writer);
}

void watch_plan(struct watch *watch, const struct bench *bench, struct plan *plan)
{
    watch->is_watched =
        !bench->is_power && (!plan->is_short || watch->plans++ % SHORT_INTERVAL == 0);
    if (!watch->is_watched) return;
    watch->reference = (struct point){
        .kernel = plan_kernel(plan, "reference", reference_text(plan)),
        .grid = 1,
        .block = plan->gpu->warp,
        .args = {plan->is_short ? SHORT_ROUNDS : LONG_ROUNDS, 0},
    };
}

static bool run_reference(struct watch *watch, const struct plan *plan, double *out_seconds,
                          double *out_cycles)
{
    struct raw_point result = {.remark = ""};
    if (!gpu_time(watch->gpu, plan, &watch->reference, watch->calibration->is_short ? 1 : TRIES,
                  &result))
        return false;
    *out_seconds = middle(result.seconds, result.count, NULL);
    *out_cycles = middle(result.block_cycles, result.count, NULL);
    return true;
}

bool watch_begin(struct watch *watch, const struct plan *plan)
{
    return !watch->is_watched || run_reference(watch, plan, &watch->seconds, &watch->cycles);
}

bool watch_end(struct watch *watch, const struct plan *plan, const char **out)
{
    double seconds, cycles;
    *out = "";
    if (!watch->is_watched) return true;
    if (!run_reference(watch, plan, &seconds, &cycles)) return false;
    double longer = seconds / watch->seconds - 1, more = cycles / watch->cycles - 1;
    char *text = NULL;
    if (fabs(more) > disturbed)
        text = calibrate_format("disturbed: the reference took %+.0f %% cycles: another program "
                                "computes on the GPU",
                                100 * more);
    else if (fabs(longer) > disturbed)
        text = calibrate_format("disturbed: the clock changed by %+.0f %%",
                                100 * (watch->seconds / seconds - 1));
    if (text) *out = raw_text(watch->raw, text);
    free(text);
    return true;
}

void watch_point(struct watch *watch, struct raw_point *point)
{
    if (!watch->nvml) return;
    double clock = nvml_clock(watch->nvml);
    const char *throttles = nvml_throttles(watch->nvml);
    if (clock > 0) point->clock = clock;
    if (*throttles && !*point->remark) point->remark = throttles;
}
