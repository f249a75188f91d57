// SPDX-License-Identifier: Apache-2.0
/* 2^x and log2 x of an f32, in double: polynomials whose rounding to f32 is that of glibc's exp2 and log2 in double for every
 * float (all were compared), with the same bits at each level and in compiled code (compile/templates_powers.c has the same
 * steps). */
#ifndef EMULATE_POWERS_H
#define EMULATE_POWERS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* (2^x - 1) / x on [-1/2, 1/2]: the polynomial of least error in Chebyshev's points, within 2^-62 relatively; from x^0
 * on. */
#define EXP2_COEFFICIENTS                                                                          \
    0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0c6p-5, 0x1.3b2ab6fba4e79p-7,        \
        0x1.5d87fe78a3f9cp-10, 0x1.430912f86b7dbp-13, 0x1.ffcbfc6da6ed1p-17,                       \
        0x1.62c02242b879cp-20, 0x1.b524ebd13a55fp-24, 0x1.e4cf10dec0f59p-28,                       \
        0x1.e9ec1fcb69a7fp-32, 0x1.c4a29324a1038p-36
/* (log2(1 + x) - x / ln 2) / x^2 on [sqrt(1/2) - 1, sqrt(2) - 1], within 2^-55. */
#define LOG2_COEFFICIENTS                                                                          \
    -0x1.71547652b82fep-1, 0x1.ec709dc3a0408p-2, -0x1.71547652b826bp-2, 0x1.2776c50ef8328p-2,      \
        -0x1.ec709dc3b254cp-3, 0x1.a61762a9ea84ap-3, -0x1.7154764ce2849p-3, 0x1.484b131ad0390p-3,  \
        -0x1.2776c5a089ebfp-3, 0x1.0c9aa658b9effp-3, -0x1.ec70bec8ada25p-4, 0x1.c6885b8702ef2p-4,  \
        -0x1.a60d1d18a8ecdp-4, 0x1.8a5ecb442acdap-4, -0x1.7253af4689b4ep-4, 0x1.58383ab4ead37p-4,  \
        -0x1.3c19f8ac78fe2p-4, 0x1.3f94fbd0c1559p-4, -0x1.6ed1790500c8dp-4, 0x1.4dbebdde244fep-4,  \
        -0x1.1f8013e77cf3ep-5
enum { EXP2_DEGREE = 11, LOG2_DEGREE = 20, DOUBLE_FRACTION = 52 };
/* 1 / ln 2, in 29 bits and what they leave. */
#define LOG2_E_HIGH 0x1.7154765p+0
#define LOG2_E_LOW 0x1.5c17f0bbbe880p-31
/* Beyond, 2^x is 0 or infinity as f32. */
#define EXP2_LIMIT 200.0
/* Added to a double below 2^51, it rounds that to an integer, which the low bits of the sum hold. */
#define ROUNDING_SHIFT 0x1.8p52
/* The bits of sqrt(1/2), less the exponent of 1: what is at least that has exponent 0. */
#define LOG2_LEAST_BITS UINT64_C(0x3fe6a09e00000000)
/* gcc makes vectors of loops within which no loop is left. */
#if defined(__clang__)
#define POWERS_UNROLLED
#else
#define POWERS_UNROLLED _Pragma("GCC unroll 32")
#endif

static inline uint64_t bits_of_double(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static inline double double_of_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Of a NaN a NaN: the lower half of a float's fraction as a double is 0. */
static inline double exp2_of_float(double v)
{
    static const double coefficients[] = {EXP2_COEFFICIENTS};
    v = fabs(v) > EXP2_LIMIT ? copysign(EXP2_LIMIT, v) : v;
    const double shifted = v + ROUNDING_SHIFT, x = v - (shifted - ROUNDING_SHIFT);
    double p = coefficients[EXP2_DEGREE];
    POWERS_UNROLLED
    for (unsigned k = EXP2_DEGREE; k-- > 0;)
        p = fma(p, x, coefficients[k]);
    p = fma(p, x, 1.0);
    return double_of_bits(bits_of_double(p) + (bits_of_double(shifted) << DOUBLE_FRACTION));
}

/* Of positive finite numbers; a float less 1 has so few bits that its square and its product with 29 bits are exact. */
static inline double log2_of_float(double v)
{
    static const double coefficients[] = {LOG2_COEFFICIENTS};
    const int64_t whole = (int64_t)(bits_of_double(v) - LOG2_LEAST_BITS) >> DOUBLE_FRACTION;
    const double exponent = (double)whole;
    const double x = double_of_bits(bits_of_double(v) - ((uint64_t)whole << DOUBLE_FRACTION)) - 1.0;
    double p = coefficients[LOG2_DEGREE];
    POWERS_UNROLLED
    for (unsigned k = LOG2_DEGREE; k-- > 0;)
        p = fma(p, x, coefficients[k]);
    p = fma(x * x, p, x * LOG2_E_LOW);
    const double high = x * LOG2_E_HIGH, sum = exponent + high;
    return sum + ((high - (sum - exponent)) + p);
}

#endif
