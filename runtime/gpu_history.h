// SPDX-License-Identifier: Apache-2.0
/* What a GPU did in virtual time, and the energy and temperature that follow: launches with their runtime power,
 * idle in between. Between two changes of power the temperature is an exponential (doc/models/temperature.md:
 * (49), (50), (53), (56), coupled), so every reading is exact, whenever it is taken. */
#ifndef RUNTIME_GPU_HISTORY_H
#define RUNTIME_GPU_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

/* Of a launch, by the model ipp-power. */
struct launch_power {
    double runtime_watts; /* of a chip at idle temperature; NAN: unknown */
    double intensity;     /* (54) */
};

/* Figures of the machine file. */
struct chip {
    double idle_watts;
    double idle_celsius, per_watt, offset_kelvin, by_intensity_kelvin;
    double rc_rise_seconds, rc_decay_seconds;
    double static_per_kelvin;
    bool has_power;       /* else all watts are 0 */
    bool has_temperature; /* else the chip stays at its idle temperature */
};

/* From time 0 to some time. */
struct gpu_totals {
    double joules;
    double kernel_seconds; /* in which a kernel ran */
    double memory_seconds; /* in which one ran that accesses global or local memory */
    double rise;           /* kelvin above the idle chip, at the time */
};

struct gpu_phase {
    double begin;
    struct gpu_totals totals; /* at the begin */
    struct launch_power power;
    bool runs;     /* a kernel; else idle */
    bool is_rough; /* phases after it were forgotten: linear up to the next one */
};

struct gpu_history {
    struct chip chip;
    struct gpu_phase *phases; /* the oldest first; one at least */
    size_t count, capacity;
    double end; /* of the last phase if it runs; idle from there on */
};

/* How far back readings go, in seconds. */
#define GPU_HISTORY_SECONDS 12.0

/* An idle chip at time 0. false: out of memory. To be ended by gpu_history_clear. */
bool gpu_history_init(struct gpu_history *history, const struct chip *chip);
void gpu_history_clear(struct gpu_history *history);
/* A kernel ran from `begin`, which is not before the end of the last one, to `end`. Of a kernel without known
 * power runtime_watts is taken for 0. false: out of memory. */
bool gpu_history_ran(struct gpu_history *history, const struct launch_power *power, double begin,
                     double end);
/* At a time not before the last GPU_HISTORY_SECONDS: before time 0 the chip was idle, after the last launch it
 * is. */
struct gpu_totals gpu_history_at(const struct gpu_history *history, double seconds);
/* Mean watts over `window` seconds up to a time. */
double gpu_history_mean_watts(const struct gpu_history *history, double seconds, double window);
/* Watts just before a time. */
double gpu_history_watts(const struct gpu_history *history, double seconds);

#endif
