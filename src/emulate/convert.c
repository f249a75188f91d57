// SPDX-License-Identifier: Apache-2.0
#include "emulate/convert.h"

#include <string.h>

__extension__ typedef unsigned __int128 u128;

enum specials {
    SPECIALS_NONE = 1, /* every code is a finite number */
    SPECIALS_NAN,      /* all ones is NaN, there is no infinity */
    SPECIALS_IEEE,
};

/* Sign, exponent, mantissa from the top; subnormals as in IEEE 754. */
struct format {
    uint8_t exponent_bits, mantissa_bits, specials, field_bits;
};

static const struct format formats[TYPE_COUNT] = {
#define BOTH(type, ...) [TYPE_##type] = {__VA_ARGS__}, [TYPE_##type##X2] = {__VA_ARGS__}
#define PACKED(type, ...) [TYPE_##type##X2] = {__VA_ARGS__}, [TYPE_##type##X4] = {__VA_ARGS__}
    [TYPE_F64] = {11, 52, SPECIALS_IEEE, 64}, BOTH(F32, 8, 23, SPECIALS_IEEE, 32),
    BOTH(F16, 5, 10, SPECIALS_IEEE, 16),      BOTH(BF16, 8, 7, SPECIALS_IEEE, 16),
    [TYPE_TF32] = {8, 10, SPECIALS_IEEE, 32}, PACKED(E4M3, 4, 3, SPECIALS_NAN, 8),
    PACKED(E5M2, 5, 2, SPECIALS_IEEE, 8),     PACKED(E2M3, 2, 3, SPECIALS_NONE, 8),
    PACKED(E3M2, 3, 2, SPECIALS_NONE, 8),     PACKED(E2M1, 2, 1, SPECIALS_NONE, 4),
#undef BOTH
#undef PACKED
};

unsigned convert_field_bits(enum ptx_type type)
{
    return formats[type].field_bits ? formats[type].field_bits : 8;
}

/* ---- exact values ---------------------------------------------------------------------------- */

enum kind { FINITE, INFINITE, NOT_A_NUMBER };

/* significand * 2^exponent. Of a NaN the significand is the payload, 52 bits wide. */
struct exact {
    enum kind kind;
    bool negative;
    uint64_t significand;
    int32_t exponent;
};

static int32_t bias_of(const struct format *format)
{
    return (1 << (format->exponent_bits - 1)) - 1;
}

static uint64_t ones(unsigned bits)
{
    return bits >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

static struct exact decode_float(const struct format *format, uint64_t bits)
{
    unsigned m = format->mantissa_bits;
    uint64_t mantissa = bits & ones(m), top = ones(format->exponent_bits);
    uint64_t exponent = (bits >> m) & top;
    struct exact value = {.negative = (bits >> (m + format->exponent_bits)) & 1};
    bool special = (format->specials == SPECIALS_IEEE && exponent == top) ||
                   (format->specials == SPECIALS_NAN && exponent == top && mantissa == ones(m));
    if (special) {
        value.kind = mantissa ? NOT_A_NUMBER : INFINITE;
        value.significand = mantissa << (52 - m);
        return value;
    }
    value.significand = exponent ? mantissa | UINT64_C(1) << m : mantissa;
    value.exponent = (int32_t)(exponent ? exponent : 1) - bias_of(format) - (int32_t)m;
    return value;
}

static struct exact decode_integer(uint64_t bits, const struct type_info *type)
{
    bits &= ones(type->bits);
    bool negative = type->kind == KIND_SIGNED && (bits >> (type->bits - 1)) & 1;
    if (negative) bits = (0 - bits) & ones(type->bits);
    return (struct exact){.negative = negative, .significand = bits};
}

/* ue8m0: a power of two, no sign, no zero. */
static struct exact decode_power(uint64_t bits)
{
    bits &= 0xff;
    if (bits == 0xff) return (struct exact){.kind = NOT_A_NUMBER};
    return (struct exact){.significand = 1, .exponent = (int32_t)bits - 127};
}

/* s2f6: a signed byte that counts 64ths. */
static struct exact decode_fixed(uint64_t bits)
{
    struct exact value = decode_integer(bits, &type_infos[TYPE_S8]);
    value.exponent = -6;
    return value;
}

static struct exact decode(const struct conversion *c, uint64_t bits)
{
    if (c->from == TYPE_UE8M0X2) return decode_power(bits);
    if (c->from == TYPE_S2F6X2) return decode_fixed(bits);
    const struct format *format = &formats[c->from];
    if (!format->specials) return decode_integer(bits, &type_infos[c->from]);
    struct exact value = decode_float(format, bits);
    if (c->from == TYPE_F32 && c->ftz && c->to != TYPE_F16) { /* QUIRKS.md, conversions */
        if (value.kind == FINITE && value.significand < UINT64_C(1) << 23) value.significand = 0;
        if (value.kind == NOT_A_NUMBER) { /* the canonical NaN of .f32 */
            value.negative = false;
            value.significand = ones(23) << 29;
        }
    }
    return value;
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* What `shift` low bits of `whole` become: 0 or 1 unit above them. */
static unsigned round_up(const struct conversion *c, u128 whole, unsigned shift, bool negative,
                         uint32_t random)
{
    u128 rest = whole & (((u128)1 << shift) - 1), half = (u128)1 << (shift - 1);
    if (rest == 0) return 0;
    switch (c->rounding) {
    case ROUND_RZ:
    case ROUND_RZI:
        return 0;
    case ROUND_RM:
    case ROUND_RMI:
        return negative;
    case ROUND_RP:
    case ROUND_RPI:
        return !negative;
    case ROUND_RNA:
        return rest >= half;
    case ROUND_RS:
        return rest + ((u128)random << (shift - c->random_bits)) >= (u128)1 << shift;
    default:
        return rest > half || (rest == half && (whole >> shift) & 1);
    }
}

/* significand / 2^shift, rounded. More than 127 places away only its being there matters. */
static uint64_t shift_right(const struct conversion *c, uint64_t significand, int32_t shift,
                            bool negative, uint32_t random)
{
    if (shift <= 0) return shift > -64 ? significand << -shift : 0;
    unsigned by = shift < 127 ? (unsigned)shift : 127;
    return (uint64_t)((u128)significand >> by) + round_up(c, significand, by, negative, random);
}

/* To a multiple of `unit` = 2^unit. */
static void round_to_unit(const struct conversion *c, struct exact *value, int32_t unit)
{
    if (value->kind != FINITE || value->exponent >= unit) return;
    value->significand =
        shift_right(c, value->significand, unit - value->exponent, value->negative, 0);
    value->exponent = unit;
}

/* ---- encoding -------------------------------------------------------------------------------- */

static uint64_t infinity_of(const struct format *format)
{
    return ones(format->exponent_bits) << format->mantissa_bits;
}

static uint64_t largest_of(const struct format *format)
{
    switch (format->specials) {
    case SPECIALS_IEEE:
        return infinity_of(format) - 1;
    case SPECIALS_NAN:
        return ones(format->exponent_bits + format->mantissa_bits) - 1;
    default:
        return ones(format->exponent_bits + format->mantissa_bits);
    }
}

/* Of a result too large: infinity, or the largest number where rounding or .satfinite says so. */
static uint64_t overflow_of(const struct conversion *c, const struct format *format, bool negative)
{
    bool inward = c->rounding == ROUND_RZ || (c->rounding == ROUND_RM && !negative) ||
                  (c->rounding == ROUND_RP && negative);
    bool limited = c->satfinite || inward || format->specials != SPECIALS_IEEE;
    return limited ? largest_of(format) : infinity_of(format);
}

/* To .f64 the sign and payload of a NaN stay and it becomes quiet; elsewhere it is all ones. */
static uint64_t encode_nan(const struct conversion *c, const struct format *format,
                           const struct exact *value)
{
    unsigned m = format->mantissa_bits, sign_at = m + format->exponent_bits;
    if (c->sat) return 0;
    if (c->to != TYPE_F64) return ones(sign_at);
    uint64_t quiet = UINT64_C(1) << (m - 1), payload = value->significand >> (52 - m);
    return (uint64_t)value->negative << sign_at | infinity_of(format) | quiet | payload;
}

/* The code without its sign. */
static uint64_t encode_magnitude(const struct conversion *c, const struct format *format,
                                 const struct exact *value, uint32_t random)
{
    if (value->significand == 0) return 0;
    unsigned m = format->mantissa_bits;
    int32_t lead = __builtin_clzll(value->significand), least = 1 - bias_of(format);
    uint64_t normal = value->significand << lead;
    int32_t exponent = value->exponent + 63 - lead; /* of the leading bit */
    bool negative = value->negative;
    int32_t below = exponent < least ? least - exponent : 0;
    uint64_t kept = shift_right(c, normal, 63 - (int32_t)m + below, negative, random);
    /* A carry out of the mantissa counts the exponent up. */
    uint64_t code = below ? kept : ((uint64_t)(exponent - least) << m) + kept;
    bool is_subnormal = code < UINT64_C(1) << m;
    if (is_subnormal && c->to == TYPE_F32 && c->ftz) return 0;
    return code > largest_of(format) ? overflow_of(c, format, negative) : code;
}

static uint64_t encode_float(const struct conversion *c, const struct format *format,
                             struct exact value, uint32_t random)
{
    unsigned sign_at = format->mantissa_bits + format->exponent_bits;
    if (value.kind == NOT_A_NUMBER) return encode_nan(c, format, &value);
    if (c->rounding >= ROUND_RNI && c->rounding <= ROUND_RPI) round_to_unit(c, &value, 0);
    bool flushed = value.negative && (c->relu || c->sat);
    if (flushed) return 0;
    uint64_t code;
    if (value.kind == FINITE)
        code = encode_magnitude(c, format, &value, random);
    else
        code = c->satfinite || format->specials != SPECIALS_IEEE ? largest_of(format)
                                                                 : infinity_of(format);
    uint64_t one = (uint64_t)bias_of(format) << format->mantissa_bits;
    if (c->sat && code > one) code = one;
    return code | (uint64_t)value.negative << sign_at;
}

/* NaN gives 0, but the top bit alone where the source is f64 or the destination 64 bits (ISA). */
static uint64_t encode_integer(const struct conversion *c, struct exact value)
{
    const struct type_info *to = &type_infos[c->to];
    bool is_signed = to->kind == KIND_SIGNED, from_float = formats[c->from].specials != 0;
    uint64_t top = UINT64_C(1) << (to->bits - 1), limit = is_signed ? top - 1 : ones(to->bits);
    if (value.kind == NOT_A_NUMBER && c->from != TYPE_F64 && to->bits != 64) return 0;
    if (value.kind == NOT_A_NUMBER) return is_signed ? 0 - top : top;
    round_to_unit(c, &value, 0);
    bool clamps = c->sat || from_float;
    uint64_t magnitude = value.significand;
    if (value.exponent > 0) { /* a float beyond 2^63 may be */
        bool fits = value.exponent < 64 && magnitude <= ones(64u - (unsigned)value.exponent);
        magnitude = fits || !magnitude ? magnitude << (value.exponent & 63) : ~UINT64_C(0);
    }
    if (value.kind == INFINITE) magnitude = ~UINT64_C(0);
    if (clamps && value.negative) {
        uint64_t lowest = is_signed ? top : 0;
        if (magnitude > lowest) magnitude = lowest;
    } else if (clamps && magnitude > limit) {
        magnitude = limit;
    }
    uint64_t bits = value.negative ? 0 - magnitude : magnitude;
    unsigned unused = 64u - to->bits;
    return is_signed ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits & ones(to->bits);
}

/* Towards zero or away from it; the sign is lost. */
static uint64_t encode_power(const struct conversion *c, const struct exact *value)
{
    uint64_t largest = c->satfinite ? 0xfe : 0xff;
    if (value->kind == NOT_A_NUMBER) return 0xff;
    if (value->kind == INFINITE) return largest;
    if (value->significand == 0) return 0;
    int32_t exponent = value->exponent + 63 - __builtin_clzll(value->significand) + 127;
    bool is_power = (value->significand & (value->significand - 1)) == 0;
    if (c->rounding == ROUND_RP && !is_power) exponent++;
    return exponent < 0 ? 0 : (uint64_t)exponent > largest ? largest : (uint64_t)exponent;
}

static uint64_t encode_fixed(const struct conversion *c, struct exact value)
{
    if (value.kind == NOT_A_NUMBER) return 0x7f;
    if (c->relu && value.negative) return 0;
    if (value.kind == FINITE) round_to_unit(c, &value, -6);
    struct conversion to_byte = {.to = TYPE_S8, .from = TYPE_F32};
    value.exponent += 6;
    return encode_integer(&to_byte, value) & 0xff;
}

/* .rna adds half a unit to the bits whatever they mean, and .satfinite steps down from a code of the
 * topmost exponent (QUIRKS.md). */
static uint64_t tf32_away(const struct conversion *c, uint64_t bits)
{
    const uint64_t unit = 0x2000, top = 0x7f800000;
    uint64_t magnitude = ((bits & 0x7fffffff) + unit / 2) & ~(unit - 1);
    if (magnitude > 0x7fffe000) magnitude = 0x7fffe000;
    if (c->satfinite && magnitude >= top) magnitude -= unit;
    return (bits & 0x80000000) | magnitude;
}

uint64_t convert_value(const struct conversion *c, uint64_t bits, uint32_t random)
{
    if (c->to == TYPE_TF32 && c->rounding == ROUND_RNA) return tf32_away(c, bits);
    bool same_bits = c->to == c->from && !c->ftz && !c->sat && c->rounding == ROUND_DEFAULT;
    const struct format *format = &formats[c->to];
    if (same_bits && format->specials) return bits;
    struct exact value = decode(c, bits);
    if (c->to == TYPE_UE8M0X2) return encode_power(c, &value);
    if (c->to == TYPE_S2F6X2) return encode_fixed(c, value);
    if (!format->specials) return encode_integer(c, value);
    uint64_t code = encode_float(c, format, value, random);
    return c->to == TYPE_TF32 ? code << 13 : code;
}
