// SPDX-License-Identifier: Apache-2.0
#include "support/exact_float.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

const struct exact_format exact_f16 = {11, 5}, exact_bf16 = {8, 8}, exact_f32 = {24, 8};

static unsigned stored_bits(const struct exact_format *format)
{
    return format->precision - 1;
}
static uint32_t exponent_mask(const struct exact_format *format)
{
    return ((1u << format->exponent_bits) - 1) << stored_bits(format);
}
/* Exponent of the last bit of a subnormal number. */
static int least_exponent(const struct exact_format *format)
{
    int bias = (1 << (format->exponent_bits - 1)) - 1;
    return 2 - bias - (int)format->precision;
}

uint32_t exact_sign_bit(const struct exact_format *format)
{
    return 1u << (stored_bits(format) + format->exponent_bits);
}

bool exact_is_nan(uint32_t bits, const struct exact_format *format)
{
    return (bits & (exact_sign_bit(format) - 1)) > exponent_mask(format);
}

bool exact_is_subnormal(uint32_t bits, const struct exact_format *format)
{
    return !(bits & exponent_mask(format)) && bits & (exact_sign_bit(format) - 1);
}

uint32_t exact_flush(uint32_t bits, const struct exact_format *format)
{
    return exact_is_subnormal(bits, format) ? bits & exact_sign_bit(format) : bits;
}

struct exact exact_read(uint32_t bits, const struct exact_format *format)
{
    uint32_t mask = exponent_mask(format), field = (bits & mask) >> stored_bits(format);
    uint32_t fraction = bits & ((1u << stored_bits(format)) - 1);
    struct exact value = {.negative = bits & exact_sign_bit(format), .exponent = 0};
    if ((bits & mask) == mask) {
        value.nan = fraction != 0;
        value.infinite = !fraction;
        return value;
    }
    value.significand = field ? fraction | 1u << stored_bits(format) : fraction;
    value.exponent = least_exponent(format) + (field ? (int)field - 1 : 0);
    return value;
}

struct exact exact_negate(struct exact a)
{
    a.negative = !a.negative;
    return a;
}

static bool is_zero(struct exact a)
{
    return !a.nan && !a.infinite && !a.significand;
}

struct exact exact_product(struct exact a, struct exact b)
{
    struct exact product = {.negative = a.negative != b.negative};
    product.nan = a.nan || b.nan || (a.infinite && is_zero(b)) || (b.infinite && is_zero(a));
    product.infinite = !product.nan && (a.infinite || b.infinite);
    product.significand = a.significand * b.significand;
    product.exponent = a.exponent + b.exponent;
    return product;
}

static int bit_length(uint128 v)
{
    int length = 0;
    for (; v; v >>= 1)
        length++;
    return length;
}

/* Rounds magnitude * 2^exponent. */
static uint32_t round_magnitude(bool negative, uint128 magnitude, int exponent,
                                const struct exact_format *format, enum exact_rounding rounding)
{
    uint32_t sign = negative ? exact_sign_bit(format) : 0, infinity = exponent_mask(format);
    int last = exponent + bit_length(magnitude) - (int)format->precision; /* of the result */
    if (last < least_exponent(format)) last = least_exponent(format);
    int drop = last - exponent;
    uint128 kept = drop <= 0 ? magnitude << -drop : drop > 127 ? 0 : magnitude >> drop;
    uint128 rest = drop <= 0 ? 0 : drop > 127 ? magnitude : magnitude - (kept << drop);
    int half = 0; /* how the rest compares with half of the last bit */
    if (drop > 127)
        half = -1;
    else if (drop > 0)
        half = rest > (uint128)1 << (drop - 1) ? 1 : rest < (uint128)1 << (drop - 1) ? -1 : 0;
    bool up = rest && (rounding == EXACT_RN   ? half > 0 || (half == 0 && kept & 1)
                       : rounding == EXACT_RM ? negative
                       : rounding == EXACT_RP ? !negative
                                              : false);
    kept += up;
    if (kept >> format->precision) {
        kept >>= 1;
        last++;
    }
    bool is_normal = kept >> (format->precision - 1);
    uint32_t bits = is_normal ? (uint32_t)((uint32_t)(last - least_exponent(format) + 1)
                                           << stored_bits(format)) +
                                    ((uint32_t)kept & ((1u << stored_bits(format)) - 1))
                              : (uint32_t)kept;
    if (is_normal && last - least_exponent(format) + 1 >= (1 << format->exponent_bits) - 1) {
        bool to_infinity = rounding == EXACT_RN || rounding == (negative ? EXACT_RM : EXACT_RP);
        bits = to_infinity ? infinity : infinity - 1;
    }
    return sign | bits;
}

uint32_t exact_bits(struct exact a, const struct exact_format *format, enum exact_rounding rounding)
{
    uint32_t sign = exact_sign_bit(format);
    if (a.nan) return sign - 1;
    if (a.infinite) return exponent_mask(format) | (a.negative ? sign : 0);
    return round_magnitude(a.negative, a.significand, a.exponent, format, rounding);
}

static int top(struct exact a)
{
    return a.exponent + bit_length(a.significand);
}

/* Signed sum in units of 2^*unit; `high` has the higher top. A term more than 60 bits below it can
 * only say on which side of it the sum lies: it becomes one unit far below the last bit of any
 * result. Otherwise all bits lie within 60 + 48. */
static int128 add_terms(struct exact high, struct exact low, int *unit)
{
    enum { FAR = 60, WIDTH = 100 };
    bool far = top(high) - top(low) > FAR;
    *unit = far ? top(high) - WIDTH : high.exponent < low.exponent ? high.exponent : low.exponent;
    int128 upper = (int128)((uint128)high.significand << (high.exponent - *unit));
    int128 lower = far ? 1 : (int128)((uint128)low.significand << (low.exponent - *unit));
    return (high.negative ? -upper : upper) + (low.negative ? -lower : lower);
}

uint32_t exact_sum_bits(struct exact a, struct exact b, const struct exact_format *format,
                        enum exact_rounding rounding)
{
    uint32_t sign = exact_sign_bit(format);
    bool opposite_infinities = a.infinite && b.infinite && a.negative != b.negative;
    if (a.nan || b.nan || opposite_infinities) return sign - 1;
    if (a.infinite) return exact_bits(a, format, rounding);
    if (b.infinite) return exact_bits(b, format, rounding);
    if (is_zero(a) && is_zero(b)) {
        bool negative = rounding == EXACT_RM ? a.negative || b.negative : a.negative && b.negative;
        return negative ? sign : 0;
    }
    if (is_zero(a)) return exact_bits(b, format, rounding);
    if (is_zero(b)) return exact_bits(a, format, rounding);
    int unit;
    int128 sum = top(a) >= top(b) ? add_terms(a, b, &unit) : add_terms(b, a, &unit);
    if (sum == 0) return rounding == EXACT_RM ? sign : 0;
    return round_magnitude(sum < 0, (uint128)(sum < 0 ? -sum : sum), unit, format, rounding);
}
