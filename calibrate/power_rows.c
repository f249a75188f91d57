// SPDX-License-Identifier: Apache-2.0
/* What a point of power says: watts, and how often its kernel uses each unit. The counts come of executing the
 * kernel again with this library, the rates of the model's own equation (40), (61). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/power.h"

enum {
    FP = 1,
    ALU = 3,
    FDS = 8,
    GLOBAL = 9,
    LOCAL = 10,
    L1 = 11,
    L2 = 12,
    FP64 = 13,
    TENSOR = 14,
    COUNTED = L1
};

struct counts {
    double warps, units[POWER_UNITS]; /* instructions of a block */
};

struct runner {
    const struct fit *fit;
    ws_device *device;
    const struct bench *bench; /* of `module` */
    unsigned kernel;
    ws_module *module;
    bool is_told;
};

/* ---- counts ------------------------------------------------------------------------------------ */

static void tell_failure(struct runner *runner)
{
    const struct calibration *calibration = runner->fit->calibration;
    if (!runner->is_told) calibrate_tell(calibration, "%s", ws_context_error(calibration->context));
    runner->is_told = true;
}

static bool load(struct runner *runner, const struct bench *bench, unsigned kernel)
{
    if (runner->module && runner->bench == bench && runner->kernel == kernel) return true;
    ws_context *context = runner->fit->calibration->context;
    struct power_mix mix = power_mix_of(bench, kernel);
    char *text = power_kernel(&runner->fit->raw->gpu, "counted", &mix);
    ws_module_destroy(runner->module);
    ws_status status =
        ws_module_load_memory(context, bench->id, text, strlen(text), &runner->module);
    free(text);
    runner->bench = bench;
    runner->kernel = kernel;
    return status == WS_OK;
}

static ws_status make_texture(struct runner *runner, uint64_t data, uint64_t *out)
{
    const ws_texture texture = {.size = sizeof texture,
                                .kind = WS_TEXTURE_LINEAR_MEMORY,
                                .address = data,
                                .width = TEXELS,
                                .channels = 1,
                                .channel_bits = 32,
                                .channel_kind = WS_CHANNEL_SIGNED};
    return ws_device_texture_create(runner->device, &texture, out);
}

static ws_status launch(struct runner *runner, const struct raw_point *point, ws_profile **out)
{
    struct {
        uint64_t out, data;
        uint32_t args[BENCH_ARGS];
    } parameters;
    uint64_t bytes = (uint64_t)point->args[0] * point->args[2] * POWER_SLOTS + 65536;
    memcpy(parameters.args, point->args, sizeof parameters.args);
    ws_status status = ws_device_alloc(runner->device, 65536, &parameters.out);
    if (status != WS_OK) return status;
    status = ws_device_alloc(runner->device, bytes, &parameters.data);
    if (status != WS_OK) return status;
    ws_launch given = {
        .size = sizeof given,
        .grid = {1, 1, 1},
        .block = {point->block, 1, 1},
        .parameters = &parameters,
        .parameter_bytes = sizeof parameters,
        .counters = true,
        .trace_blocks = WS_TRACE_NONE,
        .isa_view = runner->fit->raw->gpu.cc >= 70 ? "native" : NULL,
    };
    uint64_t data = parameters.data, texture = 0;
    if (power_mix_of(runner->bench, runner->kernel).atom == ATOM_TEXTURE) {
        status = make_texture(runner, data, &texture);
        parameters.data = texture;
    }
    if (status == WS_OK) status = ws_device_launch(runner->device, runner->module, &given, out);
    if ((texture && ws_device_texture_destroy(runner->device, texture) != WS_OK) ||
        ws_device_free(runner->device, data) != WS_OK ||
        ws_device_free(runner->device, parameters.out) != WS_OK)
        return WS_ERR_INTERNAL;
    return status;
}

static double counter_of(const ws_profile *profile, const char *id)
{
    double value;
    return ws_profile_get(profile, id, &value) == WS_OK ? value : 0;
}

/* Units that the thesis counts with others (reading P-18); the time of the tensor cores, where it was measured. */
static void count_later_units(const struct fit *fit, const ws_profile *profile, struct counts *out)
{
    double peak = fit_value(fit, "tensor.fma"), work = counter_of(profile, "tensor.fma");
    out->units[FP64] = counter_of(profile, "inst.warp.fp64.fma"); /* no other kind is in a kernel */
    out->units[TENSOR] = counter_of(profile, "inst.warp.tensor");
    out->units[FP] -= out->units[FP64];
    out->units[ALU] -= out->units[TENSOR];
    if (peak > 0 && work > 0) out->units[TENSOR] = work / peak / power_issue_cycles(fit);
}

/* All blocks do the same, so one is executed. */
static bool count(struct runner *runner, const struct raw_point *point, struct counts *out)
{
    ws_profile *profile = NULL;
    *out = (struct counts){.warps = point->block / 32};
    if (!load(runner, bench_find(point->bench), (unsigned)point->x[0]) ||
        launch(runner, point, &profile) != WS_OK) {
        tell_failure(runner);
        return false;
    }
    for (unsigned i = 0; i < COUNTED; i++) {
        char id[32];
        snprintf(id, sizeof id, "inst.unit.%s", power_unit_ids[i]);
        out->units[i] = counter_of(profile, id);
    }
    count_later_units(runner->fit, profile, out);
    ws_profile_destroy(profile);
    return true;
}

/* ---- rates ------------------------------------------------------------------------------------- */

/* Cycles of an SM for an instruction of a warp: measured, else those of the generation (CUDA C Programming Guide,
 * compute capabilities). */
double power_issue_cycles(const struct fit *fit)
{
    double cycles = fit_value(fit, "issue.cycles"), ways = fit_value(fit, "issue.schedulers");
    unsigned cc = fit->raw->gpu.cc;
    if (cycles > 0 && ways > 0) return cycles / ways;
    return cc < 20 ? 4 : cc < 30 ? 1 : 0.25;
}

static double rate_of(const struct fit *fit, double instructions_of_warp, double warps_of_sm,
                      double cycles)
{
    const ws_input inputs[] = {{.name = "dac_per_th", .value = instructions_of_warp},
                               {.name = "warps_per_sm", .value = warps_of_sm},
                               {.name = "exec_cycles", .value = cycles},
                               {.name = "issue_cycles", .value = power_issue_cycles(fit)}};
    ws_term term;
    size_t terms;
    if (ws_model_evaluate(fit->calibration->context, "access_rate", inputs, 4, &term, 1, &terms) !=
        WS_OK)
        return NAN;
    return fmin(1, term.value);
}

/* Where loads get to: the kernels are made so. As reading P-16 has it, L1 and L2 are used by as many of
 * the instructions as their sectors are looked up there. */
static void place_loads(const struct fit *fit, const struct bench *bench, struct counts *counts)
{
    struct power_levels levels = power_levels_of(bench, &fit->raw->gpu);
    double loads = counts->units[GLOBAL] + counts->units[LOCAL];
    if (fit->raw->gpu.l2_bytes == 0) return;
    counts->units[L1] = loads * levels.l1;
    counts->units[L2] = loads * levels.l2;
    counts->units[GLOBAL] *= levels.dram;
    counts->units[LOCAL] *= levels.dram;
}

static void find_rates(const struct fit *fit, const struct raw_point *point, struct counts *counts,
                       struct power_row *out)
{
    double clock = point->clock > 0 ? point->clock : fit->raw->gpu.clock;
    double cycles = clock / point->launches, blocks = point->grid / out->sms;
    double memory = counts->units[GLOBAL] + counts->units[LOCAL];
    out->intensity = memory / (counts->units[FDS] - memory);
    place_loads(fit, bench_find(point->bench), counts);
    for (unsigned i = 0; i < POWER_UNITS; i++)
        out->rates[i] =
            rate_of(fit, counts->units[i] / counts->warps, counts->warps * blocks, cycles);
}

/* ---- watts ------------------------------------------------------------------------------------- */

static double idle_celsius(const struct fit *fit)
{
    const struct raw_point *idle;
    double sum = 0;
    if (!fit_points(fit, "power.idle", &idle, 1) || !idle->reading_count) return NAN;
    for (unsigned i = 0; i < idle->reading_count; i++)
        sum += idle->readings[i].celsius / idle->reading_count;
    return sum;
}

static void find_watts(const struct raw_point *point, double idle, struct power_row *out)
{
    double n = point->reading_count, squares = 0;
    bool is_whole = true;
    for (unsigned i = 0; i < point->reading_count; i++) {
        const struct reading *one = &point->readings[i];
        out->watts += one->watts / n;
        out->share += one->share / n;
        out->rise += (one->celsius - idle) / n;
        is_whole &= fabs(one->watts - round(one->watts)) < 1e-6;
    }
    for (unsigned i = 0; i < point->reading_count; i++)
        squares += pow(point->readings[i].watts - out->watts, 2);
    /* Whole watts: uniform within half of one, and n of them in equal steps, unless nothing was stepped. */
    double steps = out->share > 0 ? n : 1;
    out->spread = is_whole ? 1 / sqrt(12) / steps : sqrt(squares / fmax(1, n - 1) / n);
    if (!isfinite(out->rise)) out->rise = 0;
}

unsigned power_rows(const struct fit *fit, struct power_row **out)
{
    struct runner runner = {.fit = fit};
    ws_device_options options = {.size = sizeof options, .as_hardware = true};
    double idle = idle_celsius(fit);
    unsigned rows = 0;
    *out = NULL;
    if (ws_device_create(fit->calibration->context, &options, &runner.device) != WS_OK) return 0;
    for (unsigned i = 0; i < fit->raw->count; i++) {
        const struct raw_point *point = &fit->raw->points[i];
        const struct bench *bench = bench_find(point->bench);
        struct counts counts = {0};
        struct power_row row = {.point = point, .sms = fmin(point->grid, fit->raw->gpu.sms)};
        if (!bench || !bench->is_power || !point->reading_count) continue;
        find_watts(point, idle, &row);
        bool runs = power_kind_of(bench) != POWER_IDLE;
        if (runs && (!(point->launches > 0) || !count(&runner, point, &counts))) continue;
        if (runs) find_rates(fit, point, &counts, &row);
        *out = calibrate_grow(*out, rows, sizeof **out);
        (*out)[rows++] = row;
    }
    ws_module_destroy(runner.module);
    ws_device_destroy(runner.device);
    return rows;
}
