// SPDX-License-Identifier: Apache-2.0
/* Sums of binary floating-point numbers without any error, and their one rounding. A number is put
 * into a fixed-point integer that is wide enough for every product of two f64, so that what is
 * rounded is what the PTX ISA calls the exact result. No arithmetic of the host's floats is used. */
#ifndef REFERENCE_EXACT_H
#define REFERENCE_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"

__extension__ typedef unsigned __int128 uint128;

struct float_format {
    unsigned exponent_bits, fraction_bits;
    uint64_t greatest; /* finite number; the next one is infinity if there is one, else NaN */
    uint64_t nan;      /* every NaN result; of f64 those without a NaN among the operands */
    bool has_infinity;
};
/* The format of a floating-point type; of one element for the narrow formats that come in pairs. */
const struct float_format *float_format_of(unsigned type);

enum number_kind { NUMBER_FINITE, NUMBER_INFINITE, NUMBER_NAN };

/* +-significand x 2^exponent */
struct number {
    enum number_kind kind;
    bool negative;
    uint128 significand;
    int exponent;
};
struct number number_of_bits(const struct float_format *format, uint64_t bits);
struct number number_of_integer(bool negative, uint64_t magnitude);
struct number number_product(struct number a, struct number b);
/* Correct to far more bits than any format has; the last bit is set if anything was cut off, so
 * that every later rounding is the rounding of the exact value. */
struct number number_quotient(struct number a, struct number b);
struct number number_square_root(struct number a);

/* Bit i of the words weighs 2^(i - EXACT_POINT); two's complement. */
enum { EXACT_POINT = 35 * 64, EXACT_WORDS = 70 };
struct exact {
    enum number_kind kind;
    bool negative;                   /* of an infinity */
    bool has_positive, has_negative; /* signs of the terms: they decide the sign of a zero */
    uint64_t words[EXACT_WORDS];
};
void exact_add(struct exact *sum, struct number term);

/* The bits of the sum in a format. Results out of range become infinity or the greatest number, as
 * the direction says. */
uint64_t exact_round(const struct exact *sum, const struct float_format *format,
                     enum rounding rounding);

/* The integer that the sum rounds to, saturated to [low, high]; the sum is not NaN. */
struct integer_range {
    uint64_t low_magnitude, high; /* -low_magnitude .. high */
};
uint64_t exact_round_integer(const struct exact *sum, struct integer_range range,
                             enum rounding rounding);

#endif
