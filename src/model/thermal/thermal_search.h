// SPDX-License-Identifier: Apache-2.0
/* Which SMs to put work on. Temperatures are linear in heat: the rise of every cell by every SM and by
 * every TPC is computed once, a set of SMs is then a sum. Private to model. */
#ifndef MODEL_THERMAL_SEARCH_H
#define MODEL_THERMAL_SEARCH_H

#include "model/thermal/thermal_network.h"

struct thermal_search {
    struct thermal *thermal;
    struct thermal_load load;
    size_t cells; /* of the die */
    unsigned sm_count, tpc_count, wanted;
    unsigned tpc_limit; /* TPCs that the set may have: the fewest, or all if they are free */
    const double *base; /* temperatures with no active SM, by cell */
    double *sm_rise;    /* by SM, then cell */
    double *tpc_rise;   /* by TPC, then cell */
    unsigned *tpc_of;   /* by SM */
    unsigned *tpc_size; /* SMs by TPC */
};

/* An improvement below this is none: equal sets differ by rounding. */
static const double SAME_KELVIN = 1e-9;

/* Peak of a set on all cells of the die. */
double search_peak(const struct thermal_search *search, const unsigned *sms, double *cells);
/* All sets, cut off where they cannot be better. Exact. */
double search_all(const struct thermal_search *search, unsigned *out_sms);
/* A good set and a bound: no set has a peak below *out_bound. */
double search_large(const struct thermal_search *search, unsigned *out_sms, double *out_bound);

/* ---- units: what search_large chooses among -------------------------------------------------- */

/* Whole TPCs if the set must have few of them, else single SMs. `rise` is by unit, then by place; places
 * are cells, one for each unit first: that unit's hottest. */
struct thermal_units {
    size_t count, chosen, place_count, place_capacity;
    size_t *places;
    double *base; /* by place */
    double *rise; /* by unit, then place (place_capacity apart) */
};

/* thermal_bound.c: peak >= result for every choice of `chosen` of the units. */
double units_bound(const struct thermal_units *units, size_t chosen);
/* In place: the lower triangle becomes L with A = L L'. False: A is not positive definite. */
bool dense_cholesky(double *a, size_t n);

#endif
