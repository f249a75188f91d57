// SPDX-License-Identifier: Apache-2.0
/* How often each of a set of small numbers occurred. */
#ifndef MEASURE_COST_TALLY_H
#define MEASURE_COST_TALLY_H

#include <stdint.h>

struct tally {
    uint64_t *counts;
    uint32_t size;
};

void tally_grow(struct tally *tally, uint32_t number);
void tally_clear(struct tally *tally);

static inline void tally_add(struct tally *tally, uint32_t number, uint64_t times)
{
    if (number >= tally->size) tally_grow(tally, number);
    tally->counts[number] += times;
}

#endif
