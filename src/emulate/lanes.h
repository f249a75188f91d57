// SPDX-License-Identifier: Apache-2.0
/* How an operation on 32 lanes is written: one loop that the compiler turns into vector code, in
 * two forms, for all lanes and under a mask. Included by the semantics only, which are compiled
 * once an instruction-set level.
 *
 *     OP2(add_s32, uint32_t, uint32_t, uint32_t, A + B)      makes add_s32_full and add_s32_part
 *     return PAIR(add_s32);
 *
 * In the expression A, B, C are the lane's sources. Destination and source may be the same
 * register, never overlap otherwise (slots.c keeps widths apart), so the loops carry no dependence.
 */
#ifndef EMULATE_LANES_H
#define EMULATE_LANES_H

#include <float.h>
#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "emulate/exec.h"

/* Before calls of code that is compiled for SSE: each of its instructions waits for a hundred cycles as long as the upper
 * half of a register is in use, and gcc 12 forgets those that it filled with constants early. */
static inline void leave_upper_halves(void)
{
#if defined(__AVX__)
    _mm256_zeroupper();
#endif
}

#define LANES for (unsigned i = 0; i < WARP_LANES; i++)
#if defined(__clang__)
#define VECTOR _Pragma("clang loop vectorize(assume_safety)")
#else
#define VECTOR _Pragma("GCC ivdep")
#endif

#define PLACE(ref) __builtin_assume_aligned(x->base[(ref) >> 30] + ((ref)&0x3fffffff), 64)
#define SRC(T, n) ((const T *)PLACE(u->src[n]))
#define DST(T, n) ((T *)PLACE(u->dst[n]))
#define PREDICATE(ref) (*(uint32_t *)(void *)(x->base[(ref) >> 30] + ((ref)&0x3fffffff)))

#define PAIR(name) ((struct uop_pair){name##_full, name##_part})
#define SAME(name) ((struct uop_pair){name, name})

#define LOOP_FULL(TD, load, expr)                                                                  \
    VECTOR LANES                                                                                   \
    {                                                                                              \
        load;                                                                                      \
        d[i] = (TD)(expr);                                                                         \
    }
#define LOOP_PART(TD, load, expr)                                                                  \
    const int32_t *m = x->lane_mask;                                                               \
    VECTOR LANES                                                                                   \
    {                                                                                              \
        load;                                                                                      \
        TD r = (TD)(expr);                                                                         \
        d[i] = m[i] ? r : d[i];                                                                    \
    }
#define OP_FORMS(name, TD, prepare, load, expr)                                                    \
    static void name##_full(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        TD *d = DST(TD, 0);                                                                        \
        prepare;                                                                                   \
        LOOP_FULL(TD, load, expr)                                                                  \
    }                                                                                              \
    static void name##_part(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        TD *d = DST(TD, 0);                                                                        \
        prepare;                                                                                   \
        LOOP_PART(TD, load, expr)                                                                  \
    }
#define COMMA ,
#define OP1(name, TD, TA, expr)                                                                    \
    OP_FORMS(name, TD, const TA *a = SRC(TA, 0), const TA A = a[i], expr)
#define OP2(name, TD, TA, TB, expr)                                                                \
    OP_FORMS(name, TD, const TA *a = SRC(TA, 0); const TB *b = SRC(TB, 1), const TA A = a[i];      \
             const TB B = b[i], expr)
#define OP3(name, TD, TA, TB, TC, expr)                                                            \
    OP_FORMS(name, TD, const TA *a = SRC(TA, 0); const TB *b = SRC(TB, 1);                         \
             const TC *c = SRC(TC, 2), const TA A = a[i]; const TB B = b[i];                       \
             const TC C = c[i], expr)
#define OP4(name, TD, TA, TB, TC, TE, expr)                                                        \
    OP_FORMS(name, TD, const TA *a = SRC(TA, 0); const TB *b = SRC(TB, 1);                         \
             const TC *c = SRC(TC, 2); const TE *e = SRC(TE, 3), const TA A = a[i];                \
             const TB B = b[i]; const TC C = c[i]; const TE E = e[i], expr)

#define INT_TYPES(X) X(16, uint16_t, int16_t) X(32, uint32_t, int32_t) X(64, uint64_t, int64_t)

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

/* Lanes that do not execute keep what they had. */
#define KEEP_OTHER_LANES(T)                                                                        \
    const T *new_lanes = (const T *)(const void *)r;                                               \
    T *d = DST(T, 0);                                                                              \
    const int32_t *m = x->lane_mask;                                                               \
    VECTOR LANES d[i] = m[i] ? new_lanes[i] : d[i];

/* Sign bits of 32 lanes as one mask. */
static inline uint32_t lanes_to_mask(const int32_t *c)
{
#if defined(__AVX512DQ__)
    uint32_t low = _mm512_movepi32_mask(_mm512_load_si512((const void *)c));
    uint32_t high = _mm512_movepi32_mask(_mm512_load_si512((const void *)(c + 16)));
    return low | high << 16;
#elif defined(__AVX2__)
    uint32_t mask = 0;
    for (unsigned i = 0; i < 4; i++) {
        __m256i v = _mm256_load_si256((const __m256i *)(const void *)(c + 8 * i));
        mask |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(v)) << (8 * i);
    }
    return mask;
#elif defined(__SSE2__)
    uint32_t mask = 0;
    for (unsigned i = 0; i < 8; i++) {
        __m128i v = _mm_load_si128((const __m128i *)(const void *)(c + 4 * i));
        mask |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(v)) << (4 * i);
    }
    return mask;
#else
    uint32_t mask = 0;
    LANES mask |= ((uint32_t)c[i] >> 31) << i;
    return mask;
#endif
}

static inline uint32_t source_predicate(const struct exec *x, const struct uop *u, unsigned n)
{
    uint32_t value = PREDICATE(u->src[n]);
    return (u->negate >> n) & 1 ? ~value : value;
}

static inline void write_predicate(struct exec *x, operand_ref ref, uint32_t bits)
{
    if (ref == REF_NONE) return;
    uint32_t *d = &PREDICATE(ref);
    *d = (*d & ~x->mask) | (bits & x->mask);
}

/* A lane of a pair of native registers. */
static inline uint64_t pair_lane(const uint32_t *low, unsigned lane)
{
    return low[lane] | (uint64_t)low[WARP_LANES + lane] << 32;
}

/* One lane of a register of 16, 32, 64 or 128 bits. */
struct pair64 {
    uint64_t low, high;
};
static inline void write_bits(struct exec *x, operand_ref ref, unsigned bits, uint64_t value,
                              uint64_t high, unsigned lane)
{
    void *d = PLACE(ref);
    switch (bits) {
    case 16:
        ((uint16_t *)d)[lane] = (uint16_t)value;
        break;
    case 32:
        ((uint32_t *)d)[lane] = (uint32_t)value;
        break;
    case 64:
        ((uint64_t *)d)[lane] = value;
        break;
    default:
        ((struct pair64 *)d)[lane] = (struct pair64){value, high};
        break;
    }
}
static inline uint64_t read_bits(const struct exec *x, operand_ref ref, unsigned bits,
                                 unsigned lane)
{
    const void *s = PLACE(ref);
    switch (bits) {
    case 16:
        return ((const uint16_t *)s)[lane];
    case 32:
        return ((const uint32_t *)s)[lane];
    case 64:
        return ((const uint64_t *)s)[lane];
    default:
        return ((const struct pair64 *)s)[lane].low;
    }
}

static inline uint64_t sign_extend(uint64_t value, unsigned bits)
{
    return bits >= 64 ? value : (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

#endif
