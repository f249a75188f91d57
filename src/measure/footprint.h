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

enum { FOOTPRINT_SECTOR_SHIFT = 5, FOOTPRINT_PIECE_SHIFT = 15 /* of sectors */ };

/* Slow paths. */
void footprint_add_sectors(struct footprint *footprint, uint64_t first, uint64_t last);
void footprint_add_lanes(struct footprint *footprint, const uint64_t *addresses, uint32_t lanes,
                         uint64_t offset);

/* False: nothing was done, as this is not simple. Without calls and vectors. */
static inline bool footprint_try(struct footprint *footprint, uint64_t first, uint64_t last)
{
    const uint64_t piece = first >> FOOTPRINT_PIECE_SHIFT;
    if (first >> 6 != last >> 6 || piece >= footprint->near_count || !footprint->near[piece])
        return false;
    uint64_t bits = ((UINT64_C(2) << (last - first)) - 1) << (first & 63);
    uint64_t *word = &footprint->near[piece][(first & ((1 << FOOTPRINT_PIECE_SHIFT) - 1)) >> 6];
    if ((*word & bits) != bits) *word |= bits; /* mostly known already: then nothing is stored */
    return true;
}
static inline void footprint_add_bytes(struct footprint *footprint, uint64_t address,
                                       uint64_t bytes)
{
    const uint64_t first = address >> FOOTPRINT_SECTOR_SHIFT;
    const uint64_t last = (address + bytes - 1) >> FOOTPRINT_SECTOR_SHIFT;
    if (!footprint_try(footprint, first, last)) footprint_add_sectors(footprint, first, last);
}

/* An access of so many bytes by lane, `offset` behind another one. */
static inline void footprint_add_at(struct footprint *footprint, const struct access *access,
                                    uint64_t bytes, uint64_t offset)
{
    enum { LANES = 32 };
    bool whole = access->mask == UINT32_MAX && (uint64_t)access->stride == bytes;
    uint64_t base = access->base + offset;
    if (access->shape == ACCESS_UNIFORM) {
        footprint_add_bytes(footprint, base, bytes);
    } else if (whole && access->shape == ACCESS_STRIDED) {
        footprint_add_bytes(footprint, base, bytes * LANES);
    } else if (whole && access->shape == ACCESS_HALVES) {
        footprint_add_bytes(footprint, base, bytes * LANES / 2);
        footprint_add_bytes(footprint, access->base2 + offset, bytes * LANES / 2);
    } else {
        footprint_add_lanes(footprint, access->addresses, access->mask, offset);
    }
}
static inline void footprint_add(struct footprint *footprint, const struct access *access)
{
    footprint_add_at(footprint, access, access->bytes, 0);
}
/* to becomes the union of both. */
void footprint_merge(struct footprint *to, const struct footprint *from);
uint64_t footprint_sectors(const struct footprint *footprint);
/* Stretches of sectors that follow each other, by address. */
typedef void footprint_run_fn(void *user, uint64_t first, uint64_t end);
void footprint_each_run(const struct footprint *footprint, footprint_run_fn *run, void *user);
void footprint_clear(struct footprint *footprint);

#endif
