// SPDX-License-Identifier: Apache-2.0
/* IEEE binary16 and bfloat16 on hosts that lack them: conversions, and the arithmetic of single
 * values that atomics need. */
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = (half >> 10) & 31;
    uint32_t mantissa = half & 0x3ff, bits;
    if (exponent == 31) {
        bits = sign | 0x7f800000 | mantissa << 13;
    } else if (exponent) {
        bits = sign | (exponent + 112) << 23 | mantissa << 13;
    } else if (mantissa) {
        uint32_t shift = (uint32_t)__builtin_clz(mantissa) - 21;
        bits = sign | (113 - shift) << 23 | ((mantissa << shift) & 0x3ff) << 13;
    } else {
        bits = sign;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Rounds to nearest even; with `toward_zero` truncates (overflow gives the largest number). NaN
 * becomes 0x7fff, as PTX converts it. */
static inline uint16_t half_from_float(float value, int toward_zero)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude == 0x7f800000) return (uint16_t)(sign | 0x7c00);
    int32_t exponent = (int32_t)(magnitude >> 23) - 112;
    if (exponent < -10) return (uint16_t)sign;
    uint32_t mantissa = (magnitude & 0x7fffff) | 0x800000;
    uint32_t shift = exponent > 0 ? 13 : (uint32_t)(14 - exponent);
    uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1);
    uint32_t middle = 1u << (shift - 1);
    if (!toward_zero && (rest > middle || (rest == middle && (kept & 1)))) kept++;
    uint32_t result = exponent > 0 ? kept + ((uint32_t)(exponent - 1) << 10) : kept;
    if (result >= 0x7c00) result = toward_zero ? 0x7bff : 0x7c00;
    return (uint16_t)(sign | result);
}

/* bfloat16 is the upper half of binary32. */
static inline float bf16_to_float(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Rounds to nearest even; NaN becomes 0x7fff. */
static inline uint16_t bf16_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t rounded = (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
    return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fff : rounded;
}

/* A sum of halves in binary32 rounds as if it were exact: 24 bits are at least twice 11 (or 8) plus
 * two (Figueroa, "When is double rounding innocuous?", 1995). */
static inline uint16_t half_add(uint16_t a, uint16_t b)
{
    return half_from_float(half_to_float(a) + half_to_float(b), 0);
}
static inline uint16_t bf16_add(uint16_t a, uint16_t b)
{
    return bf16_from_float(bf16_to_float(a) + bf16_to_float(b));
}

/* Order of the bits of a half as an integer: -0 lies below +0. */
static inline int32_t half_order(uint16_t half)
{
    int32_t magnitude = half & 0x7fff;
    return half & 0x8000 ? -magnitude - 1 : magnitude;
}
/* The PTX minimum and maximum: of a number and a NaN the number; two NaNs give 0x7fff. `infinity`
 * is 0x7c00 for f16, 0x7f80 for bf16. */
static inline uint16_t half_min_max(uint16_t a, uint16_t b, uint16_t infinity, int maximum)
{
    int a_is_nan = (a & 0x7fff) > infinity, b_is_nan = (b & 0x7fff) > infinity;
    if (a_is_nan) return b_is_nan ? 0x7fff : b;
    if (b_is_nan) return a;
    return (half_order(a) < half_order(b)) == !maximum ? a : b;
}
static inline uint16_t half_min(uint16_t a, uint16_t b)
{
    return half_min_max(a, b, 0x7c00, 0);
}
static inline uint16_t half_max(uint16_t a, uint16_t b)
{
    return half_min_max(a, b, 0x7c00, 1);
}
static inline uint16_t bf16_min(uint16_t a, uint16_t b)
{
    return half_min_max(a, b, 0x7f80, 0);
}
static inline uint16_t bf16_max(uint16_t a, uint16_t b)
{
    return half_min_max(a, b, 0x7f80, 1);
}

#endif
