// SPDX-License-Identifier: Apache-2.0
#include "measure/footprint.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "measure/bits.h"

enum { PIECE_SECTORS_SHIFT = FOOTPRINT_PIECE_SHIFT, PIECE_WORDS = 1 << (PIECE_SECTORS_SHIFT - 6) };
enum { NEAR_MAX = 1 << 20 /* pieces of 1 MiB: 1 TiB */ };

struct footprint_piece {
    uint64_t key;   /* (first sector >> PIECE_SECTORS_SHIFT) + 1 */
    uint64_t *bits; /* PIECE_WORDS */
};

/* NULL: the first. */
static const struct footprint_piece *next_far(const struct footprint *footprint,
                                              const struct footprint_piece *after)
{
    return hash_table_next(&footprint->far, after, sizeof *after);
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
        struct footprint_piece *piece = hash_table_add(&footprint->far, number + 1, sizeof *piece);
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

void footprint_add_sectors(struct footprint *footprint, uint64_t first, uint64_t last)
{
    for (uint64_t sector = first; sector <= last; sector++)
        add_sector(footprint, sector);
}

/* A naturally aligned word lies within one sector. */
void footprint_add_lanes(struct footprint *footprint, const uint64_t *addresses, uint32_t lanes,
                         uint64_t offset)
{
    for (uint32_t left = lanes; left; left &= left - 1)
        add_sector(footprint, (addresses[__builtin_ctz(left)] + offset) >> FOOTPRINT_SECTOR_SHIFT);
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
    for (const struct footprint_piece *piece = NULL; (piece = next_far(from, piece));)
        merge_piece(to, piece->key - 1, piece->bits);
}

static uint64_t count_piece(const uint64_t *bits)
{
    uint64_t count = 0;
    for (unsigned k = 0; bits && k < PIECE_WORDS; k++) {
        bool is_plain = bits[k] == 0 || bits[k] == UINT64_MAX; /* most are */
        count += is_plain ? bits[k] & 64 : bits_count64(bits[k]);
    }
    return count;
}

uint64_t footprint_sectors(const struct footprint *footprint)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < footprint->near_count; i++)
        count += count_piece(footprint->near[i]);
    for (const struct footprint_piece *piece = NULL; (piece = next_far(footprint, piece));)
        count += count_piece(piece->bits);
    return count;
}

/* Calls for the runs of ones; a run goes on in the next word. */
static void runs_of_word(uint64_t word, uint64_t sector, footprint_run_fn *run, void *user)
{
    while (word) {
        unsigned from = (unsigned)__builtin_ctzll(word);
        uint64_t rest = word >> from;
        unsigned length = ~rest ? (unsigned)__builtin_ctzll(~rest) : 64;
        run(user, sector + from, sector + from + length);
        if (from + length >= 64) break;
        word &= ~UINT64_C(0) << (from + length);
    }
}

static void runs_of_piece(uint64_t number, const uint64_t *bits, footprint_run_fn *run, void *user)
{
    for (unsigned k = 0; bits && k < PIECE_WORDS; k++)
        runs_of_word(bits[k], (number << PIECE_SECTORS_SHIFT) + 64 * (uint64_t)k, run, user);
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const struct footprint_piece *)a)->key;
    uint64_t y = ((const struct footprint_piece *)b)->key;
    return x < y ? -1 : x > y;
}

void footprint_each_run(const struct footprint *footprint, footprint_run_fn *run, void *user)
{
    struct footprint_piece *far = mem_zalloc(footprint->far.used + 1, sizeof *far);
    size_t count = 0;
    for (const struct footprint_piece *piece = NULL; (piece = next_far(footprint, piece));)
        far[count++] = *piece;
    qsort(far, count, sizeof *far, by_key);
    for (uint64_t i = 0; i < footprint->near_count; i++)
        runs_of_piece(i, footprint->near[i], run, user);
    for (size_t i = 0; i < count; i++)
        runs_of_piece(far[i].key - 1, far[i].bits, run, user);
    mem_free(far);
}

void footprint_clear(struct footprint *footprint)
{
    for (uint64_t i = 0; i < footprint->near_count; i++)
        mem_free(footprint->near[i]);
    for (const struct footprint_piece *piece = NULL; (piece = next_far(footprint, piece));)
        mem_free(piece->bits);
    mem_free(footprint->near);
    hash_table_clear(&footprint->far);
    *footprint = (struct footprint){0};
}
