// SPDX-License-Identifier: Apache-2.0
/* Pairs of native registers, 32 low words and then 32 high ones, as vectors of 64-bit lanes. From lane i on as many
 * words as a vector has become two vectors of 64 bits, whose lanes are in another order than those of the
 * warp (of 512 bits: the even lanes and the odd ones); taken apart they are in order again. `whole`, a constant, says
 * that all lanes are active. All of a step is read before any of it is written, so that sources may be destinations. */
#ifndef EMULATE_SEM_PAIRS_H
#define EMULATE_SEM_PAIRS_H

#include "emulate/lanes.h"

#if defined(__SSE2__)

#if defined(__AVX512F__)
typedef __m512i word_vector;
typedef __m512d word_doubles;
static inline word_vector read_words(const uint32_t *from, unsigned i)
{
    return _mm512_load_si512((const void *)(from + i));
}
static inline void write_words_of(const struct exec *x, uint32_t *to, unsigned i, word_vector v,
                                  bool whole)
{
    if (whole)
        _mm512_store_si512((void *)(to + i), v);
    else
        _mm512_mask_store_epi32((void *)(to + i), (__mmask16)(x->mask >> i), v);
}
#define AS_DOUBLES _mm512_castsi512_pd
#define AS_WORDS _mm512_castpd_si512
#define SAME_DOUBLES _mm512_set1_pd
#elif defined(__AVX2__)
typedef __m256i word_vector;
typedef __m256d word_doubles;
static inline word_vector read_words(const uint32_t *from, unsigned i)
{
    return _mm256_load_si256((const void *)(from + i));
}
static inline void write_words_of(const struct exec *x, uint32_t *to, unsigned i, word_vector v,
                                  bool whole)
{
    if (whole)
        _mm256_store_si256((void *)(to + i), v);
    else
        _mm256_maskstore_epi32((int *)(void *)(to + i),
                               _mm256_load_si256((const void *)(x->lane_mask + i)), v);
}
#define UNPACK_LOW _mm256_unpacklo_epi32
#define UNPACK_HIGH _mm256_unpackhi_epi32
#define AS_DOUBLES _mm256_castsi256_pd
#define AS_WORDS _mm256_castpd_si256
#define SAME_DOUBLES _mm256_set1_pd
#define AS_FLOATS _mm256_castsi256_ps
#define FLOATS_AS_WORDS _mm256_castps_si256
#define SHUFFLE_FLOATS _mm256_shuffle_ps
#else
typedef __m128i word_vector;
typedef __m128d word_doubles;
static inline word_vector read_words(const uint32_t *from, unsigned i)
{
    return _mm_load_si128((const void *)(from + i));
}
static inline void write_words_of(const struct exec *x, uint32_t *to, unsigned i, word_vector v,
                                  bool whole)
{
    word_vector active = _mm_load_si128((const void *)(x->lane_mask + i)), old = read_words(to, i);
    if (!whole) v = _mm_or_si128(_mm_and_si128(active, v), _mm_andnot_si128(active, old));
    _mm_store_si128((void *)(to + i), v);
}
#define UNPACK_LOW _mm_unpacklo_epi32
#define UNPACK_HIGH _mm_unpackhi_epi32
#define AS_DOUBLES _mm_castsi128_pd
#define AS_WORDS _mm_castpd_si128
#define AS_FLOATS _mm_castsi128_ps
#define FLOATS_AS_WORDS _mm_castps_si128
#define SHUFFLE_FLOATS _mm_shuffle_ps
#endif

enum { WORDS = sizeof(word_vector) / sizeof(uint32_t) };
#define EACH_WORDS for (unsigned i = 0; i < WARP_LANES; i += WORDS)

struct longs {
    word_vector a, b;
};
#if defined(__AVX512F__)
/* Even lanes of both, odd lanes of both: what joins words takes them apart, too. Shuffles have one port, a shift
 * and a blend two others; so one of them is made that way. */
static inline word_vector even_words(word_vector a, word_vector b)
{
    return _mm512_mask_mov_epi32(a, 0xaaaa, _mm512_slli_epi64(b, 32));
}
static inline word_vector odd_words(word_vector a, word_vector b)
{
    return _mm512_mask_shuffle_epi32(b, 0x5555, a, _MM_PERM_DDBB);
}
static inline struct longs join_words(word_vector low, word_vector high)
{
    word_vector even = _mm512_mask_shuffle_epi32(low, 0xaaaa, high, _MM_PERM_CCAA);
    return (struct longs){even, odd_words(low, high)};
}
static inline word_vector low_words(struct longs v)
{
    return even_words(v.a, v.b);
}
static inline word_vector high_words(struct longs v)
{
    return odd_words(v.a, v.b);
}
#else
static inline struct longs join_words(word_vector low, word_vector high)
{
    return (struct longs){UNPACK_LOW(low, high), UNPACK_HIGH(low, high)};
}
static inline word_vector low_words(struct longs v)
{
    return FLOATS_AS_WORDS(SHUFFLE_FLOATS(AS_FLOATS(v.a), AS_FLOATS(v.b), 0x88));
}
static inline word_vector high_words(struct longs v)
{
    return FLOATS_AS_WORDS(SHUFFLE_FLOATS(AS_FLOATS(v.a), AS_FLOATS(v.b), 0xdd));
}
#endif
static inline struct longs join_longs(const uint32_t *low, unsigned i)
{
    return join_words(read_words(low, i), read_words(low + WARP_LANES, i));
}
static inline void split_longs(const struct exec *x, uint32_t *low, unsigned i, struct longs v,
                               bool whole)
{
    write_words_of(x, low, i, low_words(v), whole);
    write_words_of(x, low + WARP_LANES, i, high_words(v), whole);
}

#if defined(__AVX512F__)
/* In the order of the lanes. */
static inline struct longs join_ordered(const uint32_t *low, unsigned i)
{
    const word_vector first =
        _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const word_vector second =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    word_vector l = read_words(low, i), h = read_words(low + WARP_LANES, i);
    return (struct longs){_mm512_permutex2var_epi32(l, first, h),
                          _mm512_permutex2var_epi32(l, second, h)};
}
/* A pair as an array of 64 bits in the order of the lanes, `more` added to each. */
static inline void join_sums(const uint32_t *low, uint64_t more, uint64_t *out)
{
    const word_vector add = _mm512_set1_epi64((int64_t)more);
    EACH_WORDS
    {
        struct longs v = join_ordered(low, i);
        _mm512_storeu_si512((void *)(out + i), _mm512_add_epi64(v.a, add));
        _mm512_storeu_si512((void *)(out + i + WORDS / 2), _mm512_add_epi64(v.b, add));
    }
}
/* And apart again. */
static inline void split_ordered(const struct exec *x, const uint64_t *from, uint32_t *low)
{
    const word_vector lows =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const word_vector highs = _mm512_add_epi32(lows, _mm512_set1_epi32(1));
    EACH_WORDS
    {
        word_vector a = _mm512_load_si512((const void *)(from + i));
        word_vector b = _mm512_load_si512((const void *)(from + i + WORDS / 2));
        write_words_of(x, low, i, _mm512_permutex2var_epi32(a, lows, b), false);
        write_words_of(x, low + WARP_LANES, i, _mm512_permutex2var_epi32(a, highs, b), false);
    }
}

/* The products of words: their instructions read the lower halves of 64 bits. */
static inline struct longs multiply_words(word_vector a, word_vector b, bool is_signed)
{
    word_vector p = _mm512_srli_epi64(a, 32), q = _mm512_srli_epi64(b, 32);
    return is_signed ? (struct longs){_mm512_mul_epi32(a, b), _mm512_mul_epi32(p, q)}
                     : (struct longs){_mm512_mul_epu32(a, b), _mm512_mul_epu32(p, q)};
}
static inline struct longs add_longs(struct longs a, struct longs b)
{
    return (struct longs){_mm512_add_epi64(a.a, b.a), _mm512_add_epi64(a.b, b.b)};
}
#elif defined(__AVX2__)
/* A pair as an array of 64 bits in the order of the lanes, `more` added to each. */
static inline void join_sums(const uint32_t *low, uint64_t more, uint64_t *out)
{
    const word_vector add = _mm256_set1_epi64x((int64_t)more);
    EACH_WORDS
    {
        struct longs v = join_longs(low, i);
        word_vector first = _mm256_permute2x128_si256(v.a, v.b, 0x20);
        word_vector second = _mm256_permute2x128_si256(v.a, v.b, 0x31);
        _mm256_storeu_si256((void *)(out + i), _mm256_add_epi64(first, add));
        _mm256_storeu_si256((void *)(out + i + WORDS / 2), _mm256_add_epi64(second, add));
    }
}

/* The products of words; of a vector of 64 bits their instructions read the lower halves. */
static inline struct longs multiply_words(word_vector a, word_vector b, bool is_signed)
{
    struct longs p = join_words(a, a), q = join_words(b, b);
    return is_signed ? (struct longs){_mm256_mul_epi32(p.a, q.a), _mm256_mul_epi32(p.b, q.b)}
                     : (struct longs){_mm256_mul_epu32(p.a, q.a), _mm256_mul_epu32(p.b, q.b)};
}
static inline struct longs add_longs(struct longs a, struct longs b)
{
    return (struct longs){_mm256_add_epi64(a.a, b.a), _mm256_add_epi64(a.b, b.b)};
}
#endif

#endif

#if !defined(__AVX512F__)
static inline void split_ordered(const struct exec *x, const uint64_t *from, uint32_t *low)
{
    const int32_t *m = x->lane_mask;
    uint32_t *high = low + WARP_LANES;
    VECTOR LANES low[i] = m[i] ? (uint32_t)from[i] : low[i];
    VECTOR LANES high[i] = m[i] ? (uint32_t)(from[i] >> 32) : high[i];
}
#endif
#if !defined(__AVX2__)
static inline void join_sums(const uint32_t *low, uint64_t more, uint64_t *out)
{
    VECTOR LANES out[i] = pair_lane(low, i) + more;
}
#endif

/* Both forms of an operation out of NAME(x, u, whole). */
#define WHOLE_FORMS(name)                                                                          \
    static void name##_full(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        name(x, u, true);                                                                          \
    }                                                                                              \
    static void name##_part(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        name(x, u, false);                                                                         \
    }

#endif
