// SPDX-License-Identifier: Apache-2.0
/* Integer arithmetic: PTX ISA 9.7.1 and 9.7.2 (extended precision). */
#include "reference/scalar.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

/* The mathematical value of an operand. */
static int128 value_of(unsigned type, uint64_t bits)
{
    unsigned width = type_infos[type].bits;
    return is_kind(type, KIND_SIGNED) ? (int128)signed_value(bits, width)
                                      : (int128)low_bits(bits, width);
}

static uint64_t saturated_s32(int128 value)
{
    if (value > INT32_MAX) value = INT32_MAX;
    if (value < INT32_MIN) value = INT32_MIN;
    return (uint64_t)value;
}

static uint64_t product(const struct insn *insn, uint64_t a, uint64_t b)
{
    /* The product of two 64-bit numbers modulo 2^128 has the right bits for either sign. */
    uint128 exact = (uint128)value_of(insn->type, a) * (uint128)value_of(insn->type, b);
    return (uint64_t)(insn->mul_part == MUL_HI ? exact >> type_infos[insn->type].bits : exact);
}

/* Of the 48-bit product of two 24-bit numbers, the low or the high 32 bits. */
static uint64_t product24(const struct insn *insn, uint64_t a, uint64_t b)
{
    bool is_signed = insn->type == TYPE_S32;
    int64_t x = is_signed ? signed_value(a, 24) : (int64_t)low_bits(a, 24);
    int64_t y = is_signed ? signed_value(b, 24) : (int64_t)low_bits(b, 24);
    uint64_t exact = (uint64_t)(x * y);
    return insn->mul_part == MUL_HI ? (uint64_t)((int64_t)exact >> 16) : exact;
}

static uint64_t multiply_add(const struct insn *insn, uint64_t high_or_low, uint64_t c)
{
    if (insn->flags & INSN_SAT)
        return saturated_s32((int128)signed_value(high_or_low, 32) + signed_value(c, 32));
    return high_or_low + c;
}

/* Division by zero gives all ones, its remainder the dividend: what GPUs give. */
static uint64_t quotient(unsigned type, uint64_t a, uint64_t b)
{
    return b == 0 ? UINT64_MAX : (uint64_t)(value_of(type, a) / value_of(type, b));
}

static uint64_t remainder_of(unsigned type, uint64_t a, uint64_t b)
{
    return b == 0 ? a : (uint64_t)(value_of(type, a) % value_of(type, b));
}

/* a + b + carry in, with the carry out. */
static uint64_t add_with_carry(const struct insn *insn, uint64_t a, uint64_t b, bool in,
                               bool *carry)
{
    unsigned width = type_infos[insn->type].bits;
    uint128 sum = (uint128)a + b + in;
    if (insn->flags & INSN_CC) *carry = sum >> width != 0;
    return (uint64_t)sum;
}

/* a - b, and one less without a carry in. Carry out: nothing had to be borrowed. */
static uint64_t subtract_with_carry(const struct insn *insn, uint64_t a, uint64_t b, bool in,
                                    bool *carry)
{
    uint64_t borrow = !in;
    if (insn->flags & INSN_CC) *carry = (uint128)a >= (uint128)b + borrow;
    return a - b - borrow;
}

/* Four products of bytes, or two of 16-bit halves of a and bytes of b. */
static uint64_t dot_product(const struct insn *insn, const uint64_t *a)
{
    bool by_four = insn->op == OP_DP4A;
    unsigned count = by_four ? 4 : 2, a_bits = by_four ? 8 : 16;
    unsigned first = !by_four && insn->flags & INSN_B_HI ? 2 : 0;
    uint64_t sum = a[2];
    for (unsigned i = 0; i < count; i++) {
        uint64_t x = a[0] >> (a_bits * i), y = a[1] >> (8 * (i + first));
        int64_t p = insn->type == TYPE_S32 ? signed_value(x, a_bits) : (int64_t)low_bits(x, a_bits);
        int64_t q = insn->type2 == TYPE_S32 ? signed_value(y, 8) : (int64_t)low_bits(y, 8);
        sum += (uint64_t)(p * q);
    }
    return sum;
}

static uint64_t difference(unsigned type, uint64_t a, uint64_t b)
{
    return value_of(type, a) < value_of(type, b) ? b - a : a - b;
}

static uint64_t extremum(const struct insn *insn, uint64_t a, uint64_t b)
{
    bool less = value_of(insn->type, a) < value_of(insn->type, b);
    uint64_t chosen = less == (insn->op == OP_MIN) ? a : b;
    return insn->flags & INSN_RELU && value_of(insn->type, chosen) < 0 ? 0 : chosen;
}

static bool extended_precision(const struct insn *insn, const uint64_t *a, bool *carry, uint64_t *d)
{
    switch (insn->op) {
    case OP_ADD:
        *d = add_with_carry(insn, a[0], a[1], false, carry);
        return true;
    case OP_ADDC:
        *d = add_with_carry(insn, a[0], a[1], *carry, carry);
        return true;
    case OP_SUB:
        *d = subtract_with_carry(insn, a[0], a[1], true, carry);
        return true;
    case OP_SUBC:
        *d = subtract_with_carry(insn, a[0], a[1], *carry, carry);
        return true;
    default: {
        uint64_t part = low_bits(product(insn, a[0], a[1]), type_infos[insn->type].bits);
        *d = add_with_carry(insn, part, a[2], insn->op == OP_MADC && *carry, carry);
        return true;
    }
    }
}

static bool is_extended(const struct insn *insn)
{
    return insn->flags & INSN_CC || insn->op == OP_ADDC || insn->op == OP_SUBC ||
           insn->op == OP_MADC;
}

bool scalar_integer(const struct insn *insn, const uint64_t *a, bool *carry, uint64_t *d)
{
    unsigned type = insn->type;
    if (!is_kind(type, KIND_SIGNED) && !is_kind(type, KIND_UNSIGNED)) return false;
    if (is_extended(insn)) return extended_precision(insn, a, carry, d);
    bool saturates = insn->flags & INSN_SAT;
    switch (insn->op) {
    case OP_ADD:
        *d = saturates ? saturated_s32(value_of(type, a[0]) + value_of(type, a[1])) : a[0] + a[1];
        return true;
    case OP_SUB:
        *d = saturates ? saturated_s32(value_of(type, a[0]) - value_of(type, a[1])) : a[0] - a[1];
        return true;
    case OP_MUL:
        *d = product(insn, a[0], a[1]);
        return true;
    case OP_MAD:
        *d = multiply_add(insn, product(insn, a[0], a[1]), a[2]);
        return true;
    case OP_MUL24:
        *d = product24(insn, a[0], a[1]);
        return true;
    case OP_MAD24:
        *d = multiply_add(insn, product24(insn, a[0], a[1]), a[2]);
        return true;
    case OP_SAD:
        *d = a[2] + difference(type, a[0], a[1]);
        return true;
    case OP_DIV:
        *d = quotient(type, a[0], a[1]);
        return true;
    case OP_REM:
        *d = remainder_of(type, a[0], a[1]);
        return true;
    case OP_ABS:
        *d = value_of(type, a[0]) < 0 ? 0 - a[0] : a[0];
        return true;
    case OP_NEG:
        *d = 0 - a[0];
        return true;
    case OP_MIN:
    case OP_MAX:
        *d = extremum(insn, a[0], a[1]);
        return true;
    case OP_DP4A:
    case OP_DP2A:
        *d = dot_product(insn, a);
        return true;
    default:
        return false;
    }
}
