// SPDX-License-Identifier: Apache-2.0
/* What the files that look for causes share. */
#ifndef RECOMMEND_FINDER_H
#define RECOMMEND_FINDER_H

#include "recommend/advice.h"

struct finder {
    const struct prediction *prediction;
    const struct profile *profile;
    const struct estimate *best;
    struct diagnosis *diagnosis;
    struct arena *arena;
};

struct finder finder_of(const struct prediction *prediction, struct diagnosis *diagnosis);

/* Adds an advice unless its gain is too small for a line. `gain` NaN: listed without one. */
void finder_add(struct finder *finder, enum advice_code code, const char *title, const char *where,
                const char *evidence, double gain);
/* The gain that the best model knows for an effect, else NaN. */
double finder_gain(const struct finder *finder, enum effect effect);
/* The gain if a share of what the effect costs is saved, else NaN. */
double finder_gain_of_share(const struct finder *finder, enum effect effect, double share);
/* Does the best model follow warp traces? Then it sees nothing of changed counters (what_if.h), only effects
 * and occupancy. */
bool finder_follows_traces(const struct finder *finder);
/* False if the best model knows that memory costs no time that a change could save. */
bool finder_memory_costs(const struct finder *finder);
double finder_count(const struct finder *finder, enum counter counter);

/* Causes behind the components of quantitative (component_causes.c). */
void find_components(struct finder *finder);

#endif
