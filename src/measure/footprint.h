// SPDX-License-Identifier: Apache-2.0
/* Which 32-byte sectors of global memory a launch touches at all: the traffic that no cache can
 * save. One bit a sector, in pieces made on first touch. */
#ifndef MEASURE_FOOTPRINT_H
#define MEASURE_FOOTPRINT_H

#include "emulate/observer.h"

struct footprint_piece;

struct footprint {
    struct footprint_piece *pieces; /* hash table by address */
    uint32_t count, capacity;
    uint64_t last_key; /* piece that was used last, 0: none */
    uint64_t *last_bits;
};

void footprint_add(struct footprint *footprint, const struct access *access);
/* to becomes the union of both. */
void footprint_merge(struct footprint *to, const struct footprint *from);
uint64_t footprint_sectors(const struct footprint *footprint);
void footprint_clear(struct footprint *footprint);

#endif
