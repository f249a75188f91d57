// SPDX-License-Identifier: Apache-2.0
#include "gpu_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Phases that are kept: alternating short kernels have many in GPU_HISTORY_SECONDS. A tenth of a second has as
 * many of a microsecond and a half, so what is thinned is seldom asked for. */
enum { PHASES_MAX = 1 << 16 };

bool gpu_history_init(struct gpu_history *history, const struct chip *chip)
{
    enum { FIRST = 64 };
    *history = (struct gpu_history){.chip = *chip, .capacity = FIRST, .count = 1};
    history->phases = calloc(FIRST, sizeof *history->phases);
    return history->phases;
}

void gpu_history_clear(struct gpu_history *history)
{
    free(history->phases);
    *history = (struct gpu_history){0};
}

/* ---- one phase ------------------------------------------------------------------------------- */

/* Where the temperature goes, and how fast. A warmer chip draws sigma watts more per kelvin, which warm it by
 * mu sigma kelvin more: the rise is that of (53) over 1 - mu sigma, and so is its time constant. */
static void find_exponential(const struct chip *chip, const struct gpu_phase *phase,
                             double *out_target, double *out_tau)
{
    *out_target = 0;
    *out_tau = chip->rc_decay_seconds;
    if (!phase->runs) return;
    double feedback = 1 - chip->per_watt * chip->static_per_kelvin;
    double rise = chip->per_watt * phase->power.runtime_watts + chip->offset_kelvin +
                  chip->by_intensity_kelvin * phase->power.intensity;
    *out_target = rise / feedback;
    *out_tau = chip->rc_rise_seconds / feedback;
}

static double base_watts(const struct chip *chip, const struct gpu_phase *phase)
{
    if (!chip->has_power) return 0;
    return chip->idle_watts + (phase->runs ? phase->power.runtime_watts : 0);
}

static struct gpu_totals advance(const struct chip *chip, const struct gpu_phase *phase,
                                 double seconds)
{
    struct gpu_totals out = phase->totals;
    out.joules += base_watts(chip, phase) * seconds;
    if (phase->runs) {
        out.kernel_seconds += seconds;
        if (phase->power.intensity > 0) out.memory_seconds += seconds;
    }
    if (!chip->has_temperature) return out;
    double target, tau, start = phase->totals.rise;
    find_exponential(chip, phase, &target, &tau);
    double gone = -expm1(-seconds / tau); /* share of the way to the target */
    out.rise = start + (target - start) * gone;
    out.joules += chip->static_per_kelvin * (target * seconds + (start - target) * tau * gone);
    return out;
}

static struct gpu_totals between(const struct gpu_phase *phase, double seconds)
{
    const struct gpu_totals *a = &phase->totals, *b = &phase[1].totals;
    double part = (seconds - phase->begin) / (phase[1].begin - phase->begin);
    return (struct gpu_totals){
        .joules = a->joules + part * (b->joules - a->joules),
        .kernel_seconds = a->kernel_seconds + part * (b->kernel_seconds - a->kernel_seconds),
        .memory_seconds = a->memory_seconds + part * (b->memory_seconds - a->memory_seconds),
        .rise = a->rise + part * (b->rise - a->rise),
    };
}

/* ---- all phases ------------------------------------------------------------------------------ */

static struct gpu_phase *last_of(const struct gpu_history *history)
{
    return &history->phases[history->count - 1];
}

/* The last phase that begins before a time; the first, if none does. */
static const struct gpu_phase *phase_before(const struct gpu_history *history, double seconds)
{
    size_t low = 0, high = history->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (history->phases[middle].begin < seconds)
            low = middle;
        else
            high = middle;
    }
    return &history->phases[low];
}

/* The idle chip behind the last launch. */
static struct gpu_phase idle_after(const struct gpu_history *history)
{
    const struct gpu_phase *last = last_of(history);
    return (struct gpu_phase){.begin = history->end,
                              .totals = advance(&history->chip, last, history->end - last->begin)};
}

struct gpu_totals gpu_history_at(const struct gpu_history *history, double seconds)
{
    const struct gpu_phase *phase = phase_before(history, seconds);
    struct gpu_phase idle;
    if (phase->is_rough) return between(phase, seconds);
    if (phase == last_of(history) && phase->runs && seconds > history->end) {
        idle = idle_after(history);
        phase = &idle;
    }
    return advance(&history->chip, phase, seconds - phase->begin);
}

double gpu_history_mean_watts(const struct gpu_history *history, double seconds, double window)
{
    return (gpu_history_at(history, seconds).joules -
            gpu_history_at(history, seconds - window).joules) /
           window;
}

double gpu_history_watts(const struct gpu_history *history, double seconds)
{
    const struct chip *chip = &history->chip;
    const struct gpu_phase *phase = phase_before(history, seconds);
    struct gpu_phase idle = {0};
    if (phase == last_of(history) && phase->runs && seconds > history->end) phase = &idle;
    return base_watts(chip, phase) +
           chip->static_per_kelvin * gpu_history_at(history, seconds).rise;
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* Phases that can no longer be asked for are dropped. */
static void forget(struct gpu_history *history)
{
    const struct gpu_phase *oldest =
        phase_before(history, last_of(history)->begin - GPU_HISTORY_SECONDS);
    size_t gone = (size_t)(oldest - history->phases);
    if (gone < history->count / 2) return; /* so that moving costs little per phase */
    history->count -= gone;
    memmove(history->phases, oldest, history->count * sizeof *history->phases);
}

/* Every second phase of the older half goes: what it summed up stays in the next one. */
static void thin(struct gpu_history *history)
{
    size_t half = history->count / 2, kept = 0;
    for (size_t i = 0; i < history->count; i++) {
        if (i < half && i % 2) continue;
        history->phases[kept] = history->phases[i];
        if (i + 1 < half) history->phases[kept].is_rough = true;
        kept++;
    }
    history->count = kept;
}

static bool add(struct gpu_history *history, const struct gpu_phase *phase)
{
    if (history->count == history->capacity) forget(history);
    if (history->count == PHASES_MAX) thin(history);
    if (history->count == history->capacity) {
        size_t more = 2 * history->capacity;
        struct gpu_phase *phases = realloc(history->phases, more * sizeof *phases);
        if (!phases) return false;
        history->phases = phases;
        history->capacity = more;
    }
    history->phases[history->count++] = *phase;
    return true;
}

bool gpu_history_ran(struct gpu_history *history, const struct launch_power *power, double begin,
                     double end)
{
    const struct gpu_phase *last = last_of(history);
    struct gpu_phase next = {.power = *power, .runs = true};
    if (!(end > begin)) return true;
    if (!isfinite(next.power.runtime_watts)) next.power.runtime_watts = 0;
    if (!isfinite(next.power.intensity)) next.power.intensity = 0;
    bool follows = last->runs && begin <= history->end;
    if (follows && last->power.runtime_watts == next.power.runtime_watts &&
        last->power.intensity == next.power.intensity) {
        history->end = end;
        return true;
    }
    if (last->runs && !follows) {
        struct gpu_phase idle = idle_after(history);
        if (!add(history, &idle)) return false;
    }
    next.begin = begin;
    next.totals = gpu_history_at(history, begin);
    history->end = end;
    return add(history, &next);
}
