// SPDX-License-Identifier: Apache-2.0
#include "measure/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { SECTOR_SHIFT = 5, PIECE_SECTORS_SHIFT = 15, PIECE_WORDS = 1 << (PIECE_SECTORS_SHIFT - 6) };
enum { LANES = 32, NEAR_MAX = 1 << 20 /* pieces of 1 MiB: 1 TiB */ };

struct footprint_piece {
    uint64_t number; /* first sector >> PIECE_SECTORS_SHIFT */
    uint64_t *bits;  /* PIECE_WORDS; NULL: empty */
};

static uint32_t slot_of(const struct footprint *footprint, uint64_t number)
{
    uint32_t last = footprint->far_capacity - 1;
    uint32_t at = (uint32_t)((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & last;
    while (footprint->far[at].bits && footprint->far[at].number != number)
        at = (at + 1) & last;
    return at;
}

static void grow_far(struct footprint *footprint)
{
    struct footprint old = *footprint;
    footprint->far_capacity = old.far_capacity ? 2 * old.far_capacity : 64;
    footprint->far = mem_zalloc(footprint->far_capacity, sizeof *footprint->far);
    for (uint32_t i = 0; i < old.far_capacity; i++)
        if (old.far[i].bits) footprint->far[slot_of(footprint, old.far[i].number)] = old.far[i];
    mem_free(old.far);
}

static void grow_near(struct footprint *footprint, uint64_t number)
{
    uint64_t count = footprint->near_count ? footprint->near_count : 1024;
    while (count <= number)
        count *= 2;
    footprint->near = mem_realloc(footprint->near, count * sizeof *footprint->near);
    memset(footprint->near + footprint->near_count, 0,
           (count - footprint->near_count) * sizeof *footprint->near);
    footprint->near_count = count;
}

static __attribute__((noinline)) uint64_t *find_piece(struct footprint *footprint, uint64_t number)
{
    uint64_t **bits;
    if (number < NEAR_MAX) {
        if (number >= footprint->near_count) grow_near(footprint, number);
        bits = &footprint->near[number];
    } else {
        if (2 * footprint->far_count >= footprint->far_capacity) grow_far(footprint);
        struct footprint_piece *piece = &footprint->far[slot_of(footprint, number)];
        footprint->far_count += !piece->bits;
        piece->number = number;
        bits = &piece->bits;
    }
    if (!*bits) *bits = mem_zalloc(PIECE_WORDS, sizeof **bits);
    return *bits;
}

static inline uint64_t *piece_of(struct footprint *footprint, uint64_t sector)
{
    uint64_t number = sector >> PIECE_SECTORS_SHIFT;
    bool known = number < footprint->near_count && footprint->near[number];
    return known ? footprint->near[number] : find_piece(footprint, number);
}

static inline void add_sector(struct footprint *footprint, uint64_t sector)
{
    uint64_t at = sector & ((1 << PIECE_SECTORS_SHIFT) - 1), bit = UINT64_C(1) << (at & 63);
    uint64_t *word = &piece_of(footprint, sector)[at >> 6];
    if (!(*word & bit)) *word |= bit; /* mostly known already: then nothing is stored */
}

static inline void add_sectors(struct footprint *footprint, uint64_t first, uint64_t last)
{
    for (uint64_t sector = first; sector <= last; sector++)
        add_sector(footprint, sector);
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
        /* A naturally aligned word lies within one sector. */
        for (uint32_t left = access->mask; left; left &= left - 1)
            add_sector(footprint, access->addresses[__builtin_ctz(left)] >> SECTOR_SHIFT);
    }
}

static void merge_piece(struct footprint *to, uint64_t number, const uint64_t *from)
{
    if (!from) return;
    uint64_t *bits = find_piece(to, number);
    for (unsigned k = 0; k < PIECE_WORDS; k++)
        bits[k] |= from[k];
}

void footprint_merge(struct footprint *to, const struct footprint *from)
{
    for (uint64_t i = 0; i < from->near_count; i++)
        merge_piece(to, i, from->near[i]);
    for (uint32_t i = 0; i < from->far_capacity; i++)
        merge_piece(to, from->far[i].number, from->far[i].bits);
}

static uint64_t count_piece(const uint64_t *bits)
{
    uint64_t count = 0;
    for (unsigned k = 0; bits && k < PIECE_WORDS; k++)
        count += (uint64_t)__builtin_popcountll(bits[k]);
    return count;
}

uint64_t footprint_sectors(const struct footprint *footprint)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < footprint->near_count; i++)
        count += count_piece(footprint->near[i]);
    for (uint32_t i = 0; i < footprint->far_capacity; i++)
        count += count_piece(footprint->far[i].bits);
    return count;
}

void footprint_clear(struct footprint *footprint)
{
    for (uint64_t i = 0; i < footprint->near_count; i++)
        mem_free(footprint->near[i]);
    for (uint32_t i = 0; i < footprint->far_capacity; i++)
        mem_free(footprint->far[i].bits);
    mem_free(footprint->near);
    mem_free(footprint->far);
    *footprint = (struct footprint){0};
}
