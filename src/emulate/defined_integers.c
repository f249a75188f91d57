// SPDX-License-Identifier: Apache-2.0
/* Undefined bits of integer results (defined.h): sums and differences by their least and greatest value, products by the
 * lowest bit that can change, comparisons by ranges. */
#include "emulate/defined.h"

static struct known known_extend(struct known a, unsigned bits, bool is_signed)
{
    if (!is_signed || bits >= 64) return a;
    unsigned shift = 64 - bits;
    return (struct known){(uint64_t)((int64_t)(a.value << shift) >> shift),
                          (uint64_t)((int64_t)(a.undefined << shift) >> shift)};
}

static uint64_t sum_undefined(struct known a, struct known b)
{
    uint64_t least = (a.value & ~a.undefined) + (b.value & ~b.undefined);
    uint64_t greatest = (a.value | a.undefined) + (b.value | b.undefined);
    return a.undefined | b.undefined | (least ^ greatest);
}

static uint64_t difference_undefined(struct known a, struct known b)
{
    uint64_t least = (a.value & ~a.undefined) - (b.value | b.undefined);
    uint64_t greatest = (a.value | a.undefined) - (b.value & ~b.undefined);
    return a.undefined | b.undefined | (least ^ greatest);
}

/* Trailing bits that are zeros for certain. */
static unsigned zeros_below(struct known a)
{
    uint64_t may_be_set = a.value | a.undefined;
    return may_be_set ? (unsigned)__builtin_ctzll(may_be_set) : 64;
}

/* The product is certain below the lowest bit that a change of either factor can reach. */
static uint64_t product_undefined(struct known a, struct known b)
{
    unsigned lowest = 64;
    if (a.undefined) {
        unsigned at = (unsigned)__builtin_ctzll(a.undefined) + zeros_below(b);
        if (at < lowest) lowest = at;
    }
    if (b.undefined) {
        unsigned at = (unsigned)__builtin_ctzll(b.undefined) + zeros_below(a);
        if (at < lowest) lowest = at;
    }
    return lowest >= 64 ? 0 : ~UINT64_C(0) << lowest;
}

static int64_t as_signed(uint64_t value, unsigned bits)
{
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}
static int64_t signed_least(struct known a, unsigned bits)
{
    uint64_t sign = a.undefined & (UINT64_C(1) << (bits - 1));
    return as_signed((a.value & ~a.undefined) | sign, bits);
}
static int64_t signed_greatest(struct known a, unsigned bits)
{
    uint64_t sign = a.undefined & (UINT64_C(1) << (bits - 1));
    return as_signed((a.value | a.undefined) & ~sign, bits);
}

enum order { SURELY, SURELY_NOT, UNDECIDED };

/* Is a < b? With `or_equal` a <= b. */
static enum order order_of(struct known a, struct known b, unsigned bits, bool is_signed,
                           bool or_equal)
{
    bool surely, surely_not;
    if (is_signed) {
        int64_t a0 = signed_least(a, bits), a1 = signed_greatest(a, bits);
        int64_t b0 = signed_least(b, bits), b1 = signed_greatest(b, bits);
        surely = or_equal ? a1 <= b0 : a1 < b0;
        surely_not = or_equal ? a0 > b1 : a0 >= b1;
    } else {
        uint64_t a0 = a.value & ~a.undefined, a1 = a.value | a.undefined;
        uint64_t b0 = b.value & ~b.undefined, b1 = b.value | b.undefined;
        surely = or_equal ? a1 <= b0 : a1 < b0;
        surely_not = or_equal ? a0 > b1 : a0 >= b1;
    }
    return surely ? SURELY : surely_not ? SURELY_NOT : UNDECIDED;
}

bool known_comparison(unsigned compare, struct known a, struct known b, unsigned bits,
                      bool is_signed)
{
    uint64_t undefined = a.undefined | b.undefined;
    switch (compare) {
    case CMP_EQ:
    case CMP_NE:
        return undefined && !((a.value ^ b.value) & ~undefined);
    case CMP_LT:
    case CMP_LO:
        return order_of(a, b, bits, is_signed, false) == UNDECIDED;
    case CMP_LE:
    case CMP_LS:
        return order_of(a, b, bits, is_signed, true) == UNDECIDED;
    case CMP_GT:
    case CMP_HI:
        return order_of(b, a, bits, is_signed, false) == UNDECIDED;
    default:
        return order_of(b, a, bits, is_signed, true) == UNDECIDED;
    }
}

/* As a selection by a comparison. */
static uint64_t choice_undefined(struct known a, struct known b, unsigned bits, bool is_signed,
                                 bool is_min)
{
    enum order order = order_of(a, b, bits, is_signed, false);
    if (order == UNDECIDED) return a.undefined | b.undefined | (a.value ^ b.value);
    return (order == SURELY) == is_min ? a.undefined : b.undefined;
}

/* Of clz: is a bit above the highest certain one undefined? */
static bool highest_is_undefined(struct known a)
{
    uint64_t certain = a.value & ~a.undefined;
    return certain ? a.undefined > certain : a.undefined != 0;
}

bool known_integer(const struct insn *insn, const struct known *s, uint64_t *out)
{
    const struct type_info *type = &type_infos[insn->type];
    bool is_signed = type->kind == KIND_SIGNED, is_wide = insn->mul_part == MUL_WIDE;
    struct known a = s[0], b = s[1], product;
    switch (insn->op) {
    case OP_ADD:
        *out = sum_undefined(a, b);
        return true;
    case OP_SUB:
        *out = difference_undefined(a, b);
        return true;
    case OP_NEG:
        *out = difference_undefined((struct known){0, 0}, a);
        return true;
    case OP_MUL:
    case OP_MAD:
        if (insn->mul_part == MUL_HI) return false;
        if (is_wide) {
            a = known_extend(a, type->bits, is_signed);
            b = known_extend(b, type->bits, is_signed);
        }
        product = (struct known){a.value * b.value, product_undefined(a, b)};
        if (type->bits < 64) { /* a sum of them is one of their own width */
            unsigned bits = is_wide ? 2u * type->bits : type->bits;
            product.value &= low_bits(bits);
            product.undefined &= low_bits(bits);
        }
        *out = insn->op == OP_MUL ? product.undefined : sum_undefined(product, s[2]);
        return true;
    case OP_MIN:
    case OP_MAX:
        *out = choice_undefined(a, b, type->bits, is_signed, insn->op == OP_MIN);
        return true;
    case OP_POPC:
        *out = a.undefined ? 2u * type->bits - 1 : 0;
        return true;
    case OP_CLZ:
        *out = highest_is_undefined(a) ? 2u * type->bits - 1 : 0;
        return true;
    case OP_BFIND:
        if (is_signed) return false;
        *out = highest_is_undefined(a) ? UINT32_MAX : 0;
        return true;
    default:
        return false;
    }
}
