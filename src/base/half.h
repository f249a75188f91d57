// SPDX-License-Identifier: Apache-2.0
/* IEEE binary16 on hosts that lack it. */
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

#endif
