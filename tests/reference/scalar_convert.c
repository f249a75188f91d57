// SPDX-License-Identifier: Apache-2.0
/* cvt among integers, f16, bf16, f32 and f64 (PTX ISA 9.7.9.21). Results are sign- or zero-extended to
 * 64 bits by their type. */
#include "reference/exact.h"
#include "reference/scalar.h"

static bool is_float(unsigned type)
{
    return is_kind(type, KIND_FLOAT);
}

static bool is_integral(enum rounding rounding)
{
    return rounding == ROUND_RNI || rounding == ROUND_RZI || rounding == ROUND_RMI ||
           rounding == ROUND_RPI;
}

static uint64_t extended(unsigned type, uint64_t value)
{
    unsigned width = type_infos[type].bits;
    return is_kind(type, KIND_SIGNED) ? (uint64_t)signed_value(value, width)
                                      : low_bits(value, width);
}

static struct integer_range range_of(unsigned type)
{
    unsigned width = type_infos[type].bits;
    if (is_kind(type, KIND_SIGNED))
        return (struct integer_range){UINT64_C(1) << (width - 1), (UINT64_C(1) << (width - 1)) - 1};
    return (struct integer_range){0, low_bits(UINT64_MAX, width)};
}

static struct number number_of_operand(unsigned type, uint64_t a)
{
    unsigned width = type_infos[type].bits;
    if (is_float(type)) return number_of_bits(float_format_of(type), a);
    if (!is_kind(type, KIND_SIGNED)) return number_of_integer(false, a);
    int64_t value = signed_value(a, width);
    return number_of_integer(value < 0, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* "Zero if source is not .f64 and destination is not .s64, .u64. Otherwise 1 << (BitWidth(dst) - 1)" */
static uint64_t integer_of_nan(const struct insn *insn)
{
    unsigned width = type_infos[insn->type].bits;
    return insn->type2 != TYPE_F64 && width != 64 ? 0 : UINT64_C(1) << (width - 1);
}

static uint64_t to_integer(const struct insn *insn, struct number a)
{
    struct exact sum = {0};
    if (a.kind == NUMBER_NAN) return extended(insn->type, integer_of_nan(insn));
    exact_add(&sum, a);
    return exact_round_integer(&sum, range_of(insn->type), insn->rounding);
}

/* Integers: cut to the width, or saturated. */
static uint64_t between_integers(const struct insn *insn, uint64_t a)
{
    struct exact sum = {0};
    if (!(insn->flags & INSN_SAT)) return extended(insn->type, extended(insn->type2, a));
    exact_add(&sum, number_of_operand(insn->type2, a));
    return exact_round_integer(&sum, range_of(insn->type), ROUND_RZI);
}

/* The nearest integer as a number; one without a fraction stays what it is. */
static struct number integral(struct number a, enum rounding rounding)
{
    struct exact sum = {0};
    if (a.kind != NUMBER_FINITE || a.exponent >= 0) return a;
    exact_add(&sum, a);
    struct integer_range all = {INT64_MAX, INT64_MAX};
    uint64_t value = exact_round_integer(&sum, all, rounding);
    return number_of_integer(a.negative, a.negative ? 0 - value : value);
}

static uint64_t to_float(const struct insn *insn, struct number a)
{
    const struct float_format *format = float_format_of(insn->type);
    struct exact sum = {0};
    if (is_integral(insn->rounding)) a = integral(a, insn->rounding);
    exact_add(&sum, a);
    uint64_t d = exact_round(&sum, format, insn->rounding);
    if (insn->flags & INSN_FTZ && insn->type == TYPE_F32) d = float_flush(insn->type, d);
    if (insn->flags & INSN_SAT) d = float_saturate(insn->type, d);
    return d;
}

/* To f64 sign and payload of a NaN stay, and it becomes quiet; .ftz makes one of f32 the canonical NaN first
 * (QUIRKS.md). */
static uint64_t double_of_nan(const struct insn *insn, uint64_t a)
{
    const struct float_format *from = float_format_of(insn->type2);
    unsigned width = type_infos[insn->type2].bits;
    if (insn->flags & INSN_SAT) return 0;
    if (insn->flags & INSN_FTZ) a = from->nan;
    uint64_t fraction = low_bits(a, from->fraction_bits) << (52 - from->fraction_bits);
    return low_bits(a, width) >> (width - 1) << 63 | UINT64_C(0x7ff8000000000000) | fraction;
}

bool scalar_convert(const struct insn *insn, const uint64_t *a, uint64_t *d)
{
    if (insn->op != OP_CVT) return false;
    if (!is_float(insn->type) && !is_float(insn->type2)) {
        *d = between_integers(insn, a[0]);
        return true;
    }
    /* ptxas compiles cvt.ftz.f16.f32 to the instruction without .ftz (QUIRKS.md). */
    bool flushes = insn->flags & INSN_FTZ && insn->type2 == TYPE_F32 && insn->type != TYPE_F16;
    struct number value =
        number_of_operand(insn->type2, flushes ? float_flush(TYPE_F32, a[0]) : a[0]);
    if (insn->type == TYPE_F64 && value.kind == NUMBER_NAN)
        *d = double_of_nan(insn, a[0]);
    else
        *d = is_float(insn->type) ? to_float(insn, value) : to_integer(insn, value);
    return true;
}
