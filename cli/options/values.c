// SPDX-License-Identifier: Apache-2.0
#include "cli/options/values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct value_type types[] = {
    {VALUE_SIGNED, 8, "s8"},     {VALUE_SIGNED, 16, "s16"},   {VALUE_SIGNED, 32, "s32"},
    {VALUE_SIGNED, 64, "s64"},   {VALUE_UNSIGNED, 8, "u8"},   {VALUE_UNSIGNED, 16, "u16"},
    {VALUE_UNSIGNED, 32, "u32"}, {VALUE_UNSIGNED, 64, "u64"}, {VALUE_BITS, 8, "b8"},
    {VALUE_BITS, 16, "b16"},     {VALUE_BITS, 32, "b32"},     {VALUE_BITS, 64, "b64"},
    {VALUE_SIGNED, 8, "i8"},     {VALUE_SIGNED, 16, "i16"},   {VALUE_SIGNED, 32, "i32"},
    {VALUE_SIGNED, 64, "i64"},   {VALUE_FLOAT, 16, "f16"},    {VALUE_BFLOAT, 16, "bf16"},
    {VALUE_FLOAT, 32, "f32"},    {VALUE_FLOAT, 64, "f64"},
};

bool value_type_parse(const char *text, size_t length, struct value_type *out)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) != length || strncmp(types[i].name, text, length) != 0) continue;
        *out = types[i];
        return true;
    }
    return false;
}

bool value_type_is_float(const struct value_type *type)
{
    return type->kind == VALUE_FLOAT || type->kind == VALUE_BFLOAT;
}

static uint64_t mask_of(unsigned bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* ---- floats of 16 bits ----------------------------------------------------------------------- */

/* A binary float with `exponent_bits` and `mantissa_bits`: rounded once, ties to even. */
static uint64_t encode_small(double value, unsigned exponent_bits, unsigned mantissa_bits)
{
    uint64_t sign = signbit(value) ? UINT64_C(1) << (exponent_bits + mantissa_bits) : 0;
    uint64_t infinity = mask_of(exponent_bits) << mantissa_bits;
    int bias = (1 << (exponent_bits - 1)) - 1, exponent;
    if (isnan(value)) return infinity | UINT64_C(1) << (mantissa_bits - 1);
    if (isinf(value)) return sign | infinity;
    if (value == 0) return sign;
    (void)frexp(fabs(value), &exponent);
    exponent -= 1;                                /* 1 <= |value| / 2^exponent < 2 */
    if (exponent < 1 - bias) exponent = 1 - bias; /* subnormal */
    /* Units of the last place; rint rounds ties to even. A carry runs into the exponent. */
    double units = rint(ldexp(fabs(value), (int)mantissa_bits - exponent));
    uint64_t field = (uint64_t)units + ((uint64_t)(exponent + bias - 1) << mantissa_bits);
    return sign | (field < infinity ? field : infinity);
}

static double decode_small(uint64_t bits, unsigned exponent_bits, unsigned mantissa_bits)
{
    int bias = (1 << (exponent_bits - 1)) - 1;
    uint64_t mantissa = bits & mask_of(mantissa_bits);
    int field = (int)(bits >> mantissa_bits & mask_of(exponent_bits));
    double sign = bits >> (exponent_bits + mantissa_bits) & 1 ? -1 : 1;
    if (field == (int)mask_of(exponent_bits)) return mantissa ? NAN : sign * INFINITY;
    if (field) mantissa |= UINT64_C(1) << mantissa_bits;
    return sign * ldexp((double)mantissa, (field ? field : 1) - bias - (int)mantissa_bits);
}

/* ---- conversions ----------------------------------------------------------------------------- */

uint64_t value_from_double(const struct value_type *type, double value)
{
    uint64_t bits = 0;
    if (type->kind == VALUE_BFLOAT) return encode_small(value, 8, 7);
    if (type->kind == VALUE_FLOAT && type->bits == 16) return encode_small(value, 5, 10);
    if (type->kind == VALUE_FLOAT && type->bits == 32) {
        float narrow = (float)value;
        memcpy(&bits, &narrow, sizeof narrow);
        return bits;
    }
    if (type->kind == VALUE_FLOAT) {
        memcpy(&bits, &value, sizeof value);
        return bits;
    }
    return (uint64_t)(int64_t)value & mask_of(type->bits);
}

uint64_t value_from_index(const struct value_type *type, uint64_t index)
{
    if (value_type_is_float(type)) return value_from_double(type, (double)index);
    return index & mask_of(type->bits);
}

static int64_t sign_extend(uint64_t bits, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((bits ^ sign) - sign);
}

double value_to_double(const struct value_type *type, uint64_t bits)
{
    if (type->kind == VALUE_BFLOAT) return decode_small(bits, 8, 7);
    if (type->kind == VALUE_FLOAT && type->bits == 16) return decode_small(bits, 5, 10);
    if (type->kind == VALUE_FLOAT && type->bits == 32) {
        uint32_t low = (uint32_t)bits;
        float narrow;
        memcpy(&narrow, &low, sizeof narrow);
        return (double)narrow;
    }
    if (type->kind == VALUE_FLOAT) {
        double wide;
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    }
    if (type->kind == VALUE_SIGNED) return (double)sign_extend(bits, type->bits);
    return (double)bits;
}

/* Integers: decimal or 0x; the range of the type, for b of both signs. */
static bool parse_integer(const struct value_type *type, const char *text, uint64_t *out)
{
    bool negative = *text == '-';
    const char *digits = text + negative;
    char *end;
    if (*digits < '0' || *digits > '9') return false;
    errno = 0;
    uint64_t magnitude = strtoull(digits, &end, 0);
    if (*end || errno) return false;
    uint64_t top = UINT64_C(1) << (type->bits - 1);
    if (negative && (type->kind == VALUE_UNSIGNED || magnitude > top)) return false;
    if (!negative && type->kind == VALUE_SIGNED && magnitude >= top) return false;
    if (magnitude > mask_of(type->bits)) return false;
    *out = (negative ? 0 - magnitude : magnitude) & mask_of(type->bits);
    return true;
}

bool value_parse(const struct value_type *type, const char *text, uint64_t *out)
{
    char *end;
    if (!value_type_is_float(type)) return parse_integer(type, text, out);
    if (!*text || *text == ' ' || *text == '\t') return false;
    if (type->kind == VALUE_FLOAT && type->bits == 32) {
        float value = strtof(text, &end); /* one rounding, not two */
        *out = 0;
        memcpy(out, &value, sizeof value);
        return !*end && end != text;
    }
    double value = strtod(text, &end);
    *out = value_from_double(type, value);
    return !*end && end != text;
}

void value_print(const struct value_type *type, uint64_t bits, char *out, size_t size)
{
    double value = value_to_double(type, bits);
    if (type->kind == VALUE_SIGNED)
        snprintf(out, size, "%lld", (long long)sign_extend(bits, type->bits));
    else if (type->kind == VALUE_UNSIGNED)
        snprintf(out, size, "%llu", (unsigned long long)bits);
    else if (type->kind == VALUE_BITS)
        snprintf(out, size, "0x%0*llx", (int)type->bits / 4, (unsigned long long)bits);
    else if (isnan(value))
        snprintf(out, size, "nan");
    else
        for (int digits = type->bits == 64 ? 15 : 6; digits <= 17; digits++) {
            uint64_t again;
            snprintf(out, size, "%.*g", digits, value);
            if (value_parse(type, out, &again) && again == bits) break;
        }
}

/* SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) as a function of the index, so that any part of a
 * buffer can be made on its own: state of step i is seed + (i + 1) * gamma. */
static uint64_t split_mix(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

#define INLINED static inline __attribute__((always_inline))

/* Floats have as many high bits as the type holds exactly: the largest is below 1 and nothing rounds. */
INLINED uint64_t random_value(const struct value_type *type, uint64_t seed, uint64_t index)
{
    uint64_t random = split_mix(seed, index), bits = 0;
    if (type->kind != VALUE_FLOAT && type->kind != VALUE_BFLOAT) return random >> (64 - type->bits);
    if (type->kind == VALUE_BFLOAT)
        return value_from_double(type, (double)(random >> (64 - 8)) * 0x1p-8);
    if (type->bits == 16) return value_from_double(type, (double)(random >> (64 - 11)) * 0x1p-11);
    float narrow = (float)(int32_t)(random >> (64 - 24)) * 0x1p-24f;
    double wide = (double)(int64_t)(random >> (64 - 53)) * 0x1p-53;
    if (type->bits == 32)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &wide, sizeof wide);
    return bits;
}

uint64_t value_random(const struct value_type *type, uint64_t seed, uint64_t index)
{
    return random_value(type, seed, index);
}

INLINED void store(const struct value_type *type, uint64_t bits, uint8_t *to)
{
    for (unsigned i = 0; i < type->bits / 8; i++)
        to[i] = (uint8_t)(bits >> 8 * i);
}

void value_store(const struct value_type *type, uint64_t bits, uint8_t *to)
{
    store(type, bits, to);
}

/* Inlined for one type each: loops without a question in them. */
INLINED void fill_random(const struct value_type *type, uint64_t seed, uint64_t first, size_t count,
                         uint8_t *to)
{
    for (size_t i = 0; i < count; i++)
        store(type, random_value(type, seed, first + i), to + i * (type->bits / 8));
}

void values_fill_random(const struct value_type *type, uint64_t seed, uint64_t first, size_t count,
                        uint8_t *to)
{
    static const struct value_type f32 = {VALUE_FLOAT, 32, "f32"}, f64 = {VALUE_FLOAT, 64, "f64"};
    static const struct value_type b8 = {VALUE_BITS, 8, "b8"}, b32 = {VALUE_BITS, 32, "b32"};
    bool is_float = value_type_is_float(type);
    if (type->kind == VALUE_FLOAT && type->bits == 32)
        fill_random(&f32, seed, first, count, to);
    else if (type->kind == VALUE_FLOAT && type->bits == 64)
        fill_random(&f64, seed, first, count, to);
    else if (!is_float && type->bits == 8)
        fill_random(&b8, seed, first, count, to);
    else if (!is_float && type->bits == 32)
        fill_random(&b32, seed, first, count, to);
    else
        fill_random(type, seed, first, count, to);
}

uint64_t value_load(const struct value_type *type, const uint8_t *from)
{
    uint64_t bits = 0;
    for (unsigned i = type->bits / 8; i-- > 0;)
        bits = bits << 8 | from[i];
    return bits;
}
