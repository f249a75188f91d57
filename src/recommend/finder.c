// SPDX-License-Identifier: Apache-2.0
#include "recommend/finder.h"

#include <math.h>

struct finder finder_of(const struct prediction *prediction, struct diagnosis *diagnosis)
{
    return (struct finder){
        .prediction = prediction,
        .profile = prediction->profile,
        .best = &prediction->estimates[prediction->best],
        .diagnosis = diagnosis,
        .arena = &diagnosis->arena,
    };
}

/* Below this a gain is not worth a line; guess. */
static const double gain_threshold = 1.02;

void finder_add(struct finder *finder, enum advice_code code, const char *title, const char *where,
                const char *evidence, double gain)
{
    struct diagnosis *diagnosis = finder->diagnosis;
    size_t capacity = sizeof diagnosis->advice / sizeof diagnosis->advice[0];
    if (diagnosis->advice_count == capacity || gain < gain_threshold) return;
    diagnosis->advice[diagnosis->advice_count++] = (struct advice){
        .code = code,
        .info = &advice_infos[code],
        .title = title,
        .where = where,
        .evidence = evidence,
        .gain = gain,
        .time_seconds = finder->best->time_seconds / gain,
    };
}

double finder_gain(const struct finder *finder, enum effect effect)
{
    const struct effect_gain *gain = &finder->best->without[effect];
    return gain->modelled ? gain->gain : NAN;
}

double finder_gain_of_share(const struct finder *finder, enum effect effect, double share)
{
    return 1 / (1 - share * (1 - 1 / finder_gain(finder, effect)));
}

bool finder_follows_traces(const struct finder *finder)
{
    return models[finder->best->id]->needs_trace;
}

bool finder_memory_costs(const struct finder *finder)
{
    double latency = finder_gain(finder, EFFECT_MEM_LATENCY);
    double bandwidth = finder_gain(finder, EFFECT_BANDWIDTH);
    return !(latency < gain_threshold && bandwidth < gain_threshold);
}

double finder_count(const struct finder *finder, enum counter counter)
{
    return profile_get(finder->profile, counter);
}
