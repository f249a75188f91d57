// SPDX-License-Identifier: Apache-2.0
/* Comparison and selection: PTX ISA 9.7.6 and testp of 9.7.3. */
#include "reference/exact.h"
#include "reference/scalar.h"

enum order { ORDER_LESS, ORDER_EQUAL, ORDER_GREATER, ORDER_NONE };

static enum order order_of(bool less, bool greater)
{
    return less ? ORDER_LESS : greater ? ORDER_GREATER : ORDER_EQUAL;
}

/* The sign of the exact difference. */
static enum order float_order(unsigned type, uint64_t a, uint64_t b)
{
    const struct float_format *format = float_format_of(type);
    struct number x = number_of_bits(format, a), y = number_of_bits(format, b);
    if (x.kind == NUMBER_NAN || y.kind == NUMBER_NAN) return ORDER_NONE;
    if (x.kind == NUMBER_INFINITE || y.kind == NUMBER_INFINITE) {
        int left = x.kind == NUMBER_INFINITE ? (x.negative ? -1 : 1) : 0;
        int right = y.kind == NUMBER_INFINITE ? (y.negative ? -1 : 1) : 0;
        return order_of(left<right, left> right);
    }
    struct exact difference = {0};
    y.negative = !y.negative;
    exact_add(&difference, x);
    exact_add(&difference, y);
    bool any = false;
    for (unsigned i = 0; i < EXACT_WORDS; i++)
        any = any || difference.words[i];
    bool negative = difference.words[EXACT_WORDS - 1] >> 63;
    return order_of(negative, any && !negative);
}

static enum order integer_order(unsigned type, uint64_t a, uint64_t b)
{
    unsigned width = type_infos[type].bits;
    if (!is_kind(type, KIND_SIGNED)) return order_of(a<b, a> b);
    int64_t x = signed_value(a, width), y = signed_value(b, width);
    return order_of(x<y, x> y);
}

static bool holds(enum compare compare, enum order order)
{
    bool ordered = order != ORDER_NONE;
    switch (compare) {
    case CMP_EQ:
        return order == ORDER_EQUAL;
    case CMP_NE:
        return order == ORDER_LESS || order == ORDER_GREATER;
    case CMP_LT:
    case CMP_LO:
        return order == ORDER_LESS;
    case CMP_LE:
    case CMP_LS:
        return order == ORDER_LESS || order == ORDER_EQUAL;
    case CMP_GT:
    case CMP_HI:
        return order == ORDER_GREATER;
    case CMP_GE:
    case CMP_HS:
        return order == ORDER_GREATER || order == ORDER_EQUAL;
    case CMP_EQU:
        return !ordered || order == ORDER_EQUAL;
    case CMP_NEU:
        return order != ORDER_EQUAL;
    case CMP_LTU:
        return !ordered || order == ORDER_LESS;
    case CMP_LEU:
        return order != ORDER_GREATER;
    case CMP_GTU:
        return !ordered || order == ORDER_GREATER;
    case CMP_GEU:
        return order != ORDER_LESS;
    case CMP_NUM:
        return ordered;
    default: /* nan */
        return !ordered;
    }
}

static bool compared(const struct insn *insn, unsigned type, uint64_t a, uint64_t b)
{
    bool flushes = insn->flags & INSN_FTZ;
    if (!is_kind(type, KIND_FLOAT)) return holds(insn->compare, integer_order(type, a, b));
    if (flushes) a = float_flush(type, a), b = float_flush(type, b);
    return holds(insn->compare, float_order(type, a, b));
}

static bool combined(const struct insn *insn, bool result, uint64_t c)
{
    switch (insn->combine) {
    case COMBINE_AND:
        return result && c;
    case COMBINE_OR:
        return result || c;
    case COMBINE_XOR:
        return result != (c != 0);
    default:
        return result;
    }
}

/* True: all ones, or 1.0 for a floating-point destination. */
static uint64_t set_value(unsigned type, bool result)
{
    const struct float_format *format = float_format_of(type);
    struct exact one = {0};
    if (!result) return 0;
    if (!is_kind(type, KIND_FLOAT)) return UINT64_MAX;
    exact_add(&one, number_of_integer(false, 1));
    return exact_round(&one, format, ROUND_RN);
}

static bool has_property(const struct insn *insn, uint64_t a)
{
    const struct float_format *format = float_format_of(insn->type);
    struct number x = number_of_bits(format, a);
    bool is_zero = x.kind == NUMBER_FINITE && x.significand == 0;
    bool is_subnormal =
        x.kind == NUMBER_FINITE && !is_zero && x.significand >> format->fraction_bits == 0;
    switch (insn->sub_op) {
    case SUB_FINITE:
        return x.kind == NUMBER_FINITE;
    case SUB_INFINITE:
        return x.kind == NUMBER_INFINITE;
    case SUB_NUMBER:
        return x.kind != NUMBER_NAN;
    case SUB_NOTANUMBER:
        return x.kind == NUMBER_NAN;
    case SUB_NORMAL: /* zeros count as normal (PTX ISA, testp) */
        return x.kind == NUMBER_FINITE && !is_subnormal;
    default:
        return is_subnormal;
    }
}

/* slct: whether the selector is not negative; NaN is not, -0 is. */
static bool selects_first(const struct insn *insn, uint64_t c)
{
    if (insn->type2 == TYPE_S32) return signed_value(c, 32) >= 0;
    if (insn->flags & INSN_FTZ) c = float_flush(TYPE_F32, c);
    enum order order = float_order(TYPE_F32, c, 0);
    return order == ORDER_EQUAL || order == ORDER_GREATER;
}

bool scalar_select(const struct insn *insn, const uint64_t *a, uint64_t *d)
{
    bool result;
    switch (insn->op) {
    case OP_SETP:
        result = compared(insn, insn->type, a[0], a[1]);
        d[0] = combined(insn, result, a[2]);
        d[1] = combined(insn, !result, a[2]);
        return true;
    case OP_SET:
        result = compared(insn, insn->type2, a[0], a[1]);
        d[0] = set_value(insn->type, combined(insn, result, a[2]));
        return true;
    case OP_SELP:
        d[0] = a[2] ? a[0] : a[1];
        return true;
    case OP_SLCT:
        d[0] = selects_first(insn, a[2]) ? a[0] : a[1];
        return true;
    case OP_TESTP:
        d[0] = has_property(insn, a[0]);
        return true;
    default:
        return false;
    }
}
