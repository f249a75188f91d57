// SPDX-License-Identifier: Apache-2.0
/* The loops of struct lane_math: each lane_math_*.c is compiled with its own -march and defines its
 * table as LANE_MATH. */
#ifndef MEASURE_LANE_MATH_LOOPS_H
#define MEASURE_LANE_MATH_LOOPS_H

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "measure/lane_math.h"

enum { LANES = 32 };

/* For a multiply-add hash of 32 words; any odd numbers without a pattern will do. */
static const uint32_t weights[LANES] = {
    0x8f1bbcdd, 0x5a827999, 0x6ed9eba1, 0xca62c1d7, 0xb7e15163, 0x243f6a89, 0x85a308d3, 0x13198a2f,
    0x03707345, 0xa4093823, 0x299f31d1, 0x082efa99, 0xec4e6c8b, 0x452821e7, 0x38d01377, 0xbe5466cf,
    0x34e90c6d, 0xc0ac29b7, 0xc97c50dd, 0x3f84d5b5, 0xb5470917, 0x9216d5d9, 0x8979fb1b, 0xd1310ba7,
    0x98dfb5ad, 0x2ffd72db, 0xd01adfb7, 0xb8e1afed, 0x6a267e97, 0xba7c9045, 0xf12c7f99, 0x24a19947,
};

static bool relative_lanes(const uint64_t *addresses, uint32_t mask, int32_t *relative,
                           uint64_t *out_hash)
{
    uint64_t first = addresses[__builtin_ctz(mask)], high = 0, hash = 0;
    if (mask == UINT32_MAX) {
        for (unsigned i = 0; i < LANES; i++) {
            uint64_t difference = addresses[i] - first;
            high |= (difference + UINT64_C(0x80000000)) >> 32;
            relative[i] = (int32_t)(uint32_t)difference;
        }
    } else {
        for (unsigned i = 0; i < LANES; i++) {
            uint64_t on = -(uint64_t)(mask >> i & 1);
            uint64_t difference = (addresses[i] - first) & on;
            high |= (difference + UINT64_C(0x80000000)) >> 32;
            relative[i] = (int32_t)(uint32_t)difference;
        }
    }
    for (unsigned i = 0; i < LANES; i++)
        hash += (uint64_t)(uint32_t)relative[i] * weights[i];
    *out_hash = hash;
    return high == 0;
}

/* The lanes whose key is `key`; keys are aligned to 64 bytes. */
static inline uint32_t lanes_equal(const uint32_t *keys, uint32_t key)
{
#if defined(__AVX512F__)
    __m512i k = _mm512_set1_epi32((int)key);
    uint32_t low = _mm512_cmpeq_epi32_mask(_mm512_load_si512((const void *)keys), k);
    uint32_t high = _mm512_cmpeq_epi32_mask(_mm512_load_si512((const void *)(keys + 16)), k);
    return low | high << 16;
#elif defined(__AVX2__)
    __m256i k = _mm256_set1_epi32((int)key);
    uint32_t mask = 0;
    for (unsigned i = 0; i < 4; i++) {
        __m256i v = _mm256_load_si256((const __m256i *)(const void *)(keys + 8 * i));
        __m256i equal = _mm256_cmpeq_epi32(v, k);
        mask |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(equal)) << (8 * i);
    }
    return mask;
#elif defined(__SSE2__)
    __m128i k = _mm_set1_epi32((int)key);
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        __m128i v = _mm_load_si128((const __m128i *)(const void *)(keys + 4 * i));
        __m128i equal = _mm_cmpeq_epi32(v, k);
        mask |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(equal)) << (4 * i);
    }
    return mask;
#else
    uint32_t mask = 0;
    for (unsigned i = 0; i < LANES; i++)
        mask |= (uint32_t)(keys[i] == key) << i;
    return mask;
#endif
}

/* Addresses further apart than 32 bits can tell. */
static uint32_t group_far(const uint64_t *addresses, uint32_t mask, unsigned shift, uint32_t *same)
{
    uint32_t leaders = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        uint32_t of = 0;
        for (unsigned k = 0; k < LANES; k++)
            of |= (uint32_t)(addresses[k] >> shift == addresses[i] >> shift) << k;
        same[i] = of & mask;
        leaders |= same[i] & (0 - same[i]) & UINT32_C(1) << i;
    }
    return leaders;
}

static inline uint32_t group_keys(const uint32_t *keys, uint32_t mask, uint32_t *same)
{
    uint32_t leaders = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        uint32_t of = lanes_equal(keys, keys[i]) & mask;
        same[i] = of;
        leaders |= of & (0 - of) & UINT32_C(1) << i;
    }
    return leaders;
}

/* Addresses less one that is aligned like lines, for lanes outside of mask any; false: they are too far apart. */
static inline bool near_keys(const uint64_t *addresses, uint32_t mask, unsigned line_shift,
                             int32_t *keys)
{
    uint64_t first = addresses[__builtin_ctz(mask)] >> line_shift << line_shift, high = 0;
    for (unsigned i = 0; i < LANES; i++) {
        uint64_t on = -(uint64_t)(mask >> i & 1);
        uint64_t difference = (addresses[i] - first) & on;
        high |= (difference + UINT64_C(0x80000000)) >> 32;
        keys[i] = (int32_t)(uint32_t)difference;
    }
    return !high;
}

static inline uint32_t group_shifted(const int32_t *near, uint32_t mask, unsigned shift,
                                     uint32_t *same)
{
    uint32_t keys[LANES] __attribute__((aligned(64)));
    for (unsigned i = 0; i < LANES; i++)
        keys[i] = (uint32_t)(near[i] >> shift);
    return group_keys(keys, mask, same);
}

static uint32_t group_lanes(const uint64_t *addresses, uint32_t mask, unsigned shift,
                            uint32_t *same)
{
    int32_t near[LANES] __attribute__((aligned(64)));
    if (!near_keys(addresses, mask, shift, near)) return group_far(addresses, mask, shift, same);
    return group_shifted(near, mask, shift, same);
}

/* All apart on one scale is all apart on the finer ones. */
static void count_lanes(const uint64_t *addresses, uint32_t mask, unsigned word_shift,
                        uint32_t *line_of, struct lane_counts *out)
{
    enum { LINE_SHIFT = 7, SECTOR_SHIFT = 5 };
    int32_t near[LANES] __attribute__((aligned(64)));
    uint32_t same[LANES];
    const bool is_near = near_keys(addresses, mask, LINE_SHIFT, near);
#define COUNT(shift, to)                                                                           \
    (is_near ? group_shifted(near, mask, shift, to) : group_far(addresses, mask, shift, to))
    out->leaders = COUNT(LINE_SHIFT, line_of);
    out->lanes = (unsigned)__builtin_popcount(mask);
    out->lines = (unsigned)__builtin_popcount(out->leaders);
    out->sectors = out->words = out->lanes;
    if (out->lines < out->lanes)
        out->sectors = (unsigned)__builtin_popcount(COUNT(SECTOR_SHIFT, same));
    if (out->sectors < out->lanes)
        out->words = (unsigned)__builtin_popcount(COUNT(word_shift, same));
#undef COUNT
}

static unsigned most_lanes(const uint32_t *same, uint32_t mask)
{
    unsigned most = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned count = (unsigned)__builtin_popcount(same[__builtin_ctz(rest)]);
        if (count > most) most = count;
    }
    return most;
}

#define LANE_MATH                                                                                  \
    {                                                                                              \
        relative_lanes, group_lanes, count_lanes, most_lanes                                       \
    }

#endif
