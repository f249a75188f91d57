// SPDX-License-Identifier: Apache-2.0
/* Floating-point arithmetic in integers: operands become whole numbers times a power of two, the
 * exact result is rounded once. Slow and short: a reference for tests, sharing no code with the
 * engine. */
#ifndef SUPPORT_EXACT_FLOAT_H
#define SUPPORT_EXACT_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

struct exact_format {
    unsigned precision; /* bits of the significand with the hidden one */
    unsigned exponent_bits;
};
extern const struct exact_format exact_f16, exact_bf16, exact_f32;

enum exact_rounding { EXACT_RN, EXACT_RZ, EXACT_RM, EXACT_RP };

struct exact {
    bool nan, infinite, negative;
    uint64_t significand; /* 0: zero */
    int exponent;         /* value = significand * 2^exponent */
};

struct exact exact_read(uint32_t bits, const struct exact_format *format);
struct exact exact_negate(struct exact a);
struct exact exact_product(struct exact a, struct exact b);
/* a + b, rounded; what is not a number becomes all ones below the sign. */
uint32_t exact_sum_bits(struct exact a, struct exact b, const struct exact_format *format,
                        enum exact_rounding rounding);
uint32_t exact_bits(struct exact a, const struct exact_format *format,
                    enum exact_rounding rounding);

bool exact_is_nan(uint32_t bits, const struct exact_format *format);
bool exact_is_subnormal(uint32_t bits, const struct exact_format *format);
uint32_t exact_sign_bit(const struct exact_format *format);
/* A subnormal number becomes a zero with its sign. */
uint32_t exact_flush(uint32_t bits, const struct exact_format *format);

#endif
