// SPDX-License-Identifier: Apache-2.0
/* Division by a number that is known long before: a multiplication, which takes a fraction of the time. */
#ifndef BASE_FIXED_DIVISOR_H
#define BASE_FIXED_DIVISOR_H

#include <stdint.h>

struct fixed_divisor {
    uint64_t divisor, factor;
    unsigned shift;
};

__extension__ typedef unsigned __int128 fixed_divisor_wide;

/* Dividends with more bits are divided. */
enum { FIXED_DIVIDEND_BITS = 56 };

/* factor = 2^shift / divisor, rounded up: by e / divisor too large, with e < divisor <= 2^bits. The quotient of a dividend
 * n < 2^56 is then too large by n e / (divisor 2^shift) < 1 / divisor, which changes no whole part, since shift is
 * 56 + bits (Granlund and Montgomery, PLDI 1994, theorem 4.2). divisor: at least 1. */
static inline struct fixed_divisor fixed_divisor_of(uint64_t divisor)
{
    unsigned bits = divisor > 1 ? 64 - (unsigned)__builtin_clzll(divisor - 1) : 0;
    unsigned shift = FIXED_DIVIDEND_BITS + bits;
    fixed_divisor_wide power = (fixed_divisor_wide)1 << shift;
    return (struct fixed_divisor){divisor, (uint64_t)((power + divisor - 1) / divisor), shift};
}

static inline uint64_t fixed_quotient(const struct fixed_divisor *by, uint64_t dividend)
{
    if (dividend >> FIXED_DIVIDEND_BITS) return dividend / by->divisor;
    return (uint64_t)((fixed_divisor_wide)dividend * by->factor >> by->shift);
}

static inline uint64_t fixed_remainder(const struct fixed_divisor *by, uint64_t dividend)
{
    return dividend - fixed_quotient(by, dividend) * by->divisor;
}

#endif
