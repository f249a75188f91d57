// SPDX-License-Identifier: Apache-2.0
#include "measure/footprint.h"

#include <stdlib.h>

#include "base/arena.h"

enum { SECTOR_SHIFT = 5, PIECE_SECTORS_SHIFT = 15, PIECE_WORDS = 1 << (PIECE_SECTORS_SHIFT - 6) };
enum { LANES = 32 };

struct footprint_piece {
    uint64_t key;   /* first sector >> PIECE_SECTORS_SHIFT, plus 1; 0: empty */
    uint64_t *bits; /* PIECE_WORDS */
};

static uint32_t slot_of(const struct footprint *footprint, uint64_t key)
{
    uint32_t at =
        (uint32_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (footprint->capacity - 1);
    while (footprint->pieces[at].key && footprint->pieces[at].key != key)
        at = (at + 1) & (footprint->capacity - 1);
    return at;
}

static void grow(struct footprint *footprint)
{
    struct footprint old = *footprint;
    footprint->capacity = old.capacity ? 2 * old.capacity : 64;
    footprint->pieces = mem_zalloc(footprint->capacity, sizeof *footprint->pieces);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.pieces[i].key)
            footprint->pieces[slot_of(footprint, old.pieces[i].key)] = old.pieces[i];
    free(old.pieces);
}

static uint64_t *piece_of(struct footprint *footprint, uint64_t sector)
{
    uint64_t key = (sector >> PIECE_SECTORS_SHIFT) + 1;
    if (key == footprint->last_key) return footprint->last_bits;
    if (2 * footprint->count >= footprint->capacity) grow(footprint);
    struct footprint_piece *piece = &footprint->pieces[slot_of(footprint, key)];
    if (!piece->key) {
        *piece = (struct footprint_piece){key, mem_zalloc(PIECE_WORDS, sizeof(uint64_t))};
        footprint->count++;
    }
    footprint->last_key = key;
    return footprint->last_bits = piece->bits;
}

static inline void add_sectors(struct footprint *footprint, uint64_t first, uint64_t last)
{
    for (uint64_t sector = first; sector <= last; sector++) {
        uint64_t at = sector & ((1 << PIECE_SECTORS_SHIFT) - 1);
        piece_of(footprint, sector)[at >> 6] |= UINT64_C(1) << (at & 63);
    }
}

static inline void add_bytes(struct footprint *footprint, uint64_t address, uint64_t bytes)
{
    add_sectors(footprint, address >> SECTOR_SHIFT, (address + bytes - 1) >> SECTOR_SHIFT);
}

void footprint_add(struct footprint *footprint, const struct access *access)
{
    bool whole = access->mask == UINT32_MAX;
    if (access->shape == ACCESS_UNIFORM) {
        add_bytes(footprint, access->base, access->bytes);
    } else if (whole && access->shape == ACCESS_STRIDED && access->stride == access->bytes) {
        add_bytes(footprint, access->base, (uint64_t)access->bytes * LANES);
    } else if (whole && access->shape == ACCESS_HALVES && access->stride == access->bytes) {
        add_bytes(footprint, access->base, (uint64_t)access->bytes * LANES / 2);
        add_bytes(footprint, access->base2, (uint64_t)access->bytes * LANES / 2);
    } else {
        uint64_t last = UINT64_MAX; /* neighbours mostly share a sector */
        for (uint32_t left = access->mask; left; left &= left - 1) {
            uint64_t address = access->addresses[__builtin_ctz(left)];
            uint64_t sector = address >> SECTOR_SHIFT;
            if (sector != last) add_bytes(footprint, address, access->bytes);
            last = sector;
        }
    }
}

void footprint_merge(struct footprint *to, const struct footprint *from)
{
    for (uint32_t i = 0; i < from->capacity; i++) {
        if (!from->pieces[i].key) continue;
        uint64_t *bits = piece_of(to, (from->pieces[i].key - 1) << PIECE_SECTORS_SHIFT);
        for (unsigned k = 0; k < PIECE_WORDS; k++)
            bits[k] |= from->pieces[i].bits[k];
    }
}

uint64_t footprint_sectors(const struct footprint *footprint)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < footprint->capacity; i++)
        for (unsigned k = 0; footprint->pieces[i].key && k < PIECE_WORDS; k++)
            count += (uint64_t)__builtin_popcountll(footprint->pieces[i].bits[k]);
    return count;
}

void footprint_clear(struct footprint *footprint)
{
    for (uint32_t i = 0; i < footprint->capacity; i++)
        free(footprint->pieces[i].bits);
    free(footprint->pieces);
    *footprint = (struct footprint){0};
}
