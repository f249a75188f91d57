// SPDX-License-Identifier: Apache-2.0
#include "reference/exact.h"

static const struct float_format half_format = {5, 10, 0x7bff, 0x7fff, true};
static const struct float_format bfloat_format = {8, 7, 0x7f7f, 0x7fff, true};
static const struct float_format single_format = {8, 23, 0x7f7fffff, 0x7fffffff, true};
static const struct float_format double_format = {11, 52, UINT64_C(0x7fefffffffffffff),
                                                  UINT64_C(0xfff8000000000000), true};
static const struct float_format tensor_format = {8, 10, 0x3fbff, 0x3ffff, true};
static const struct float_format e4m3_format = {4, 3, 0x7e, 0x7f, false};
static const struct float_format e5m2_format = {5, 2, 0x7b, 0x7f, true};
/* These have no NaN: it becomes the greatest number. */
static const struct float_format e2m3_format = {2, 3, 0x1f, 0x1f, false};
static const struct float_format e3m2_format = {3, 2, 0x1f, 0x1f, false};

const struct float_format *float_format_of(unsigned type)
{
    switch (type) {
    case TYPE_F16:
    case TYPE_F16X2:
        return &half_format;
    case TYPE_BF16:
    case TYPE_BF16X2:
        return &bfloat_format;
    case TYPE_F64:
        return &double_format;
    case TYPE_TF32:
        return &tensor_format;
    case TYPE_E4M3X2:
        return &e4m3_format;
    case TYPE_E5M2X2:
        return &e5m2_format;
    case TYPE_E2M3X2:
        return &e2m3_format;
    case TYPE_E3M2X2:
        return &e3m2_format;
    default:
        return &single_format;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int bias_of(const struct float_format *format)
{
    return (1 << (format->exponent_bits - 1)) - 1;
}

struct number number_of_bits(const struct float_format *format, uint64_t bits)
{
    uint64_t hidden = UINT64_C(1) << format->fraction_bits, fraction = bits & (hidden - 1);
    uint64_t top = (UINT64_C(1) << format->exponent_bits) - 1;
    uint64_t exponent = bits >> format->fraction_bits & top;
    uint64_t magnitude = exponent << format->fraction_bits | fraction;
    struct number number = {
        .kind = NUMBER_FINITE,
        .negative = bits >> (format->fraction_bits + format->exponent_bits) & 1,
    };
    if (magnitude > format->greatest) {
        bool is_infinite = format->has_infinity && magnitude == format->greatest + 1;
        number.kind = is_infinite ? NUMBER_INFINITE : NUMBER_NAN;
        return number;
    }
    number.significand = exponent ? fraction | hidden : fraction;
    number.exponent = (int)(exponent ? exponent : 1) - bias_of(format) - (int)format->fraction_bits;
    return number;
}

struct number number_of_integer(bool negative, uint64_t magnitude)
{
    return (struct number){.negative = negative, .significand = magnitude};
}

static bool is_zero(struct number a)
{
    return a.kind == NUMBER_FINITE && a.significand == 0;
}

struct number number_product(struct number a, struct number b)
{
    struct number product = {
        .negative = a.negative != b.negative,
        .significand = a.significand * b.significand,
        .exponent = a.exponent + b.exponent,
    };
    if (a.kind == NUMBER_NAN || b.kind == NUMBER_NAN)
        product.kind = NUMBER_NAN;
    else if (a.kind == NUMBER_INFINITE || b.kind == NUMBER_INFINITE)
        product.kind = is_zero(a) || is_zero(b) ? NUMBER_NAN : NUMBER_INFINITE;
    return product;
}

/* Shifts the significand so that its highest bit is bit `top`. */
static struct number with_top_bit(struct number a, int top)
{
    while (a.significand >> top == 0) {
        a.significand <<= 1;
        a.exponent--;
    }
    return a;
}

struct number number_quotient(struct number a, struct number b)
{
    struct number quotient = {.negative = a.negative != b.negative};
    if (a.kind == NUMBER_NAN || b.kind == NUMBER_NAN || (is_zero(a) && is_zero(b)) ||
        (a.kind == NUMBER_INFINITE && b.kind == NUMBER_INFINITE)) {
        quotient.kind = NUMBER_NAN;
    } else if (a.kind == NUMBER_INFINITE || is_zero(b)) {
        quotient.kind = NUMBER_INFINITE;
    } else if (b.kind == NUMBER_FINITE && !is_zero(a)) {
        a = with_top_bit(a, 123);
        b = with_top_bit(b, 53);
        uint128 whole = a.significand / b.significand;
        quotient.significand = whole << 1 | (a.significand % b.significand != 0);
        quotient.exponent = a.exponent - b.exponent - 1;
    }
    return quotient;
}

struct number number_square_root(struct number a)
{
    if (a.kind == NUMBER_NAN || is_zero(a)) return a;
    if (a.negative) return (struct number){.kind = NUMBER_NAN};
    if (a.kind == NUMBER_INFINITE) return a;
    a = with_top_bit(a, 125);
    if (a.exponent % 2 != 0) {
        a.significand >>= 1; /* its lowest bits are zeros */
        a.exponent++;
    }
    uint128 root = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint128 longer = root | (uint128)1 << bit;
        if (longer * longer <= a.significand) root = longer;
    }
    return (struct number){
        .significand = root << 1 | (root * root != a.significand),
        .exponent = a.exponent / 2 - 1,
    };
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void add_word(struct exact *sum, unsigned at, uint64_t word, bool subtract)
{
    while (word && at < EXACT_WORDS) {
        uint64_t before = sum->words[at];
        sum->words[at] = subtract ? before - word : before + word;
        bool carry = subtract ? before < word : sum->words[at] < before;
        word = carry;
        at++;
    }
}

static void add_finite(struct exact *sum, struct number term)
{
    unsigned bit = (unsigned)(term.exponent + EXACT_POINT), shift = bit % 64;
    uint64_t low = (uint64_t)term.significand, high = (uint64_t)(term.significand >> 64);
    uint128 first = (uint128)low << shift, second = (uint128)high << shift;
    add_word(sum, bit / 64, (uint64_t)first, term.negative);
    add_word(sum, bit / 64 + 1, (uint64_t)(first >> 64), term.negative);
    add_word(sum, bit / 64 + 1, (uint64_t)second, term.negative);
    add_word(sum, bit / 64 + 2, (uint64_t)(second >> 64), term.negative);
}

void exact_add(struct exact *sum, struct number term)
{
    if (term.negative)
        sum->has_negative = true;
    else
        sum->has_positive = true;
    if (term.kind == NUMBER_NAN || sum->kind == NUMBER_NAN) {
        sum->kind = NUMBER_NAN;
    } else if (term.kind == NUMBER_INFINITE) {
        bool opposed = sum->kind == NUMBER_INFINITE && sum->negative != term.negative;
        sum->kind = opposed ? NUMBER_NAN : NUMBER_INFINITE;
        sum->negative = term.negative;
    } else {
        add_finite(sum, term);
    }
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* Sign and magnitude of a finite sum. */
static bool magnitude_of(const struct exact *sum, uint64_t *words)
{
    bool negative = sum->words[EXACT_WORDS - 1] >> 63;
    uint64_t carry = 1;
    for (unsigned i = 0; i < EXACT_WORDS; i++) {
        words[i] = negative ? ~sum->words[i] + carry : sum->words[i];
        if (words[i] != 0) carry = 0;
    }
    return negative;
}

static int highest_bit(const uint64_t *words)
{
    for (int i = EXACT_WORDS - 1; i >= 0; i--)
        if (words[i]) return 64 * i + 63 - __builtin_clzll(words[i]);
    return -1;
}

static bool bit_at(const uint64_t *words, int bit)
{
    return bit >= 0 && words[bit / 64] >> (bit % 64) & 1;
}

/* The bits from `lowest` on, at most 64 of them. */
static uint64_t bits_from(const uint64_t *words, int lowest)
{
    unsigned at = (unsigned)lowest / 64, shift = (unsigned)lowest % 64;
    uint64_t next = at + 1 < EXACT_WORDS ? words[at + 1] : 0;
    return shift ? words[at] >> shift | next << (64 - shift) : words[at];
}

static bool any_below(const uint64_t *words, int bit)
{
    for (int i = 0; i < bit / 64; i++)
        if (words[i]) return true;
    return bit > 0 && words[bit / 64] & ((UINT64_C(1) << (bit % 64)) - 1);
}

/* Whether the magnitude, cut at `lowest`, goes up by one. */
static bool rounds_up(const uint64_t *words, int lowest, bool negative, enum rounding rounding)
{
    bool half = bit_at(words, lowest - 1), below = any_below(words, lowest - 1);
    switch (rounding) {
    case ROUND_RZ:
    case ROUND_RZI:
        return false;
    case ROUND_RM:
    case ROUND_RMI:
        return negative && (half || below);
    case ROUND_RP:
    case ROUND_RPI:
        return !negative && (half || below);
    case ROUND_RNA:
        return half;
    default:
        return half && (below || bit_at(words, lowest));
    }
}

static bool zero_is_negative(const struct exact *sum, enum rounding rounding)
{
    if (sum->has_positive && sum->has_negative) return rounding == ROUND_RM;
    return sum->has_negative;
}

static uint64_t overflowed(const struct float_format *format, bool negative, enum rounding rounding)
{
    bool stays = rounding == ROUND_RZ || rounding == (negative ? ROUND_RP : ROUND_RM);
    return stays || !format->has_infinity ? format->greatest : format->greatest + 1;
}

uint64_t exact_round(const struct exact *sum, const struct float_format *format,
                     enum rounding rounding)
{
    uint64_t sign = UINT64_C(1) << (format->exponent_bits + format->fraction_bits);
    if (sum->kind == NUMBER_NAN) return format->nan;
    if (sum->kind == NUMBER_INFINITE) {
        uint64_t infinity = format->greatest + format->has_infinity;
        return sum->negative ? sign | infinity : infinity;
    }
    uint64_t words[EXACT_WORDS];
    bool negative = magnitude_of(sum, words);
    int top = highest_bit(words), fraction_bits = (int)format->fraction_bits;
    if (top < 0) return zero_is_negative(sum, rounding) ? sign : 0;
    /* The last place: of the number itself, or of the subnormal numbers. */
    int lowest = top - fraction_bits, subnormal = 1 - bias_of(format) - fraction_bits + EXACT_POINT;
    if (lowest < subnormal) lowest = subnormal;
    uint64_t kept = bits_from(words, lowest);
    if (rounds_up(words, lowest, negative, rounding)) kept++;
    /* A carry out of the fraction goes into the exponent by itself. */
    uint64_t bits = kept + ((uint64_t)(lowest - subnormal) << format->fraction_bits);
    if (bits > format->greatest) bits = overflowed(format, negative, rounding);
    return negative ? sign | bits : bits;
}

uint64_t exact_round_integer(const struct exact *sum, struct integer_range range,
                             enum rounding rounding)
{
    uint64_t words[EXACT_WORDS];
    bool negative = magnitude_of(sum, words);
    if (sum->kind == NUMBER_INFINITE) return sum->negative ? 0 - range.low_magnitude : range.high;
    uint64_t limit = negative ? range.low_magnitude : range.high;
    bool too_great = highest_bit(words) >= EXACT_POINT + 64;
    uint64_t kept = bits_from(words, EXACT_POINT);
    bool up = rounds_up(words, EXACT_POINT, negative, rounding);
    if (too_great || kept > limit || (up && kept == limit))
        kept = limit;
    else
        kept += up;
    return negative ? 0 - kept : kept;
}
