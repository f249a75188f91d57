// SPDX-License-Identifier: Apache-2.0
#include "model/core/sample_time.h"

#include <math.h>
#include <string.h>

enum side { SIDE_LOW, SIDE_HIGH };

/* The profile with its counters at one end of their intervals. Arrays are shared; means stay, as a higher one
 * may be faster. */
static struct profile *at_end(const struct profile *profile, enum side side)
{
    struct profile *copy = mem_alloc(sizeof *copy);
    memcpy(copy, profile, sizeof *copy);
    copy->sampled_fraction = 1; /* no intervals of this one */
    for (unsigned i = 0; i < COUNTER_COUNT; i++) {
        struct counter_value *value = &copy->counters[i];
        bool is_mean = i == COUNTER_DEP_DISTANCE || i == COUNTER_DEP_ILP || i == COUNTER_MEM_MSTR;
        if (!is_mean) value->value = side == SIDE_LOW ? value->lo : value->hi;
    }
    return copy;
}

static void widen(struct estimate *estimate, double time)
{
    estimate->low_seconds = fmin(estimate->low_seconds, time);
    estimate->high_seconds = fmax(estimate->high_seconds, time);
}

static void widen_all(struct prediction *prediction, enum side side)
{
    struct predict_options options = prediction->options;
    struct prediction *other;
    struct diag diag = {0};
    options.without_gains = options.without_details = options.without_traces = true;
    options.caches = prediction->caches;
    options.evidence = NULL;
    options.observer = NULL;
    options.clocks = NULL;
    struct profile *profile = at_end(prediction->profile, side);
    if (model_predict(&diag, profile, prediction->machine, &options, &other) == WS_OK) {
        for (size_t i = 0; i < prediction->estimate_count; i++) {
            struct estimate *estimate = &prediction->estimates[i];
            const struct estimate *moved = prediction_find(other, estimate->model);
            if (moved) widen(estimate, moved->time_seconds);
        }
        prediction_destroy(other);
    }
    diag_clear(&diag);
    mem_free(profile);
}

/* Distinct sectors of a launch at one end of their interval, over their number. */
static double footprint_end(const struct profile *profile, enum side side)
{
    const struct counter_value *read = &profile->counters[COUNTER_MEM_GLOBAL_READ_FOOTPRINT];
    const struct counter_value *written = &profile->counters[COUNTER_MEM_GLOBAL_WRITTEN_FOOTPRINT];
    double sum = read->value + written->value;
    double end = side == SIDE_LOW ? read->lo + written->lo : read->hi + written->hi;
    return sum > 0 ? end / sum : 1;
}

/* Models that follow traces are not run again: theirs is as wide as the widest of the others. They divide what SMs
 * fetch from the DRAM by how many share it, for which the footprint tells: the DRAM is busy as much longer or shorter,
 * and at most by that the launch. */
static void widen_followers(struct prediction *prediction)
{
    double low = 1, high = 1;
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        const struct estimate *estimate = &prediction->estimates[i];
        low = fmin(low, estimate->low_seconds / estimate->time_seconds);
        high = fmax(high, estimate->high_seconds / estimate->time_seconds);
    }
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        struct estimate *estimate = &prediction->estimates[i];
        if (!models[estimate->id]->needs_trace) continue;
        const struct term *dram = estimate_busy(estimate, COMPONENT_GLOBAL_BANDWIDTH);
        double busy = dram ? dram->value : 0, time = estimate->time_seconds;
        widen(estimate,
              fmax(0, time * low - busy * (1 - footprint_end(prediction->profile, SIDE_LOW))));
        widen(estimate, time * (high + estimate->unseen) +
                            busy * (footprint_end(prediction->profile, SIDE_HIGH) - 1));
    }
}

void sample_time_intervals(struct prediction *prediction)
{
    const struct counter_value *insns = &prediction->profile->counters[COUNTER_INST_WARP];
    if (!(prediction->profile->sampled_fraction < 1) || !(insns->value > 0)) return;
    for (size_t i = 0; i < prediction->estimate_count; i++) {
        struct estimate *estimate = &prediction->estimates[i];
        estimate->low_seconds = estimate->time_seconds * insns->lo / insns->value;
        estimate->high_seconds = estimate->time_seconds * insns->hi / insns->value;
    }
    widen_all(prediction, SIDE_LOW);
    widen_all(prediction, SIDE_HIGH);
    widen_followers(prediction);
}
