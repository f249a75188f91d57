// SPDX-License-Identifier: Apache-2.0
/* Which 32-byte sectors of global memory a launch touches at all: the traffic that no cache can
 * save. One bit a sector, in pieces made on first touch. */
#ifndef MEASURE_FOOTPRINT_H
#define MEASURE_FOOTPRINT_H

#include "base/hash_table.h"
#include "emulate/observer.h"

struct footprint {
    uint64_t **near; /* bits by number of the piece, as far up as addresses have come; NULL: none */
    uint64_t near_count;
    struct hash_table far; /* struct footprint_piece, beyond the reach of that array */
};

void footprint_add(struct footprint *footprint, const struct access *access);
/* The same of an access of so many bytes by lane, `offset` behind it. */
void footprint_add_at(struct footprint *footprint, const struct access *access, unsigned bytes,
                      uint64_t offset);
/* to becomes the union of both. */
void footprint_merge(struct footprint *to, const struct footprint *from);
uint64_t footprint_sectors(const struct footprint *footprint);
/* Stretches of sectors that follow each other, by address. */
typedef void footprint_run_fn(void *user, uint64_t first, uint64_t end);
void footprint_each_run(const struct footprint *footprint, footprint_run_fn *run, void *user);
void footprint_clear(struct footprint *footprint);

#endif
