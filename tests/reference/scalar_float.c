// SPDX-License-Identifier: Apache-2.0
/* Floating-point arithmetic: PTX ISA 9.7.3 and 9.7.4. Everything is one rounding of an exact value.
 * Where the ISA leaves the NaN open, it is what QUIRKS.md says: the canonical one, of f64 the first that is an
 * operand, made quiet. */
#include "reference/exact.h"
#include "reference/scalar.h"

/* ---- the parts of a number in bits ----------------------------------------------------------- */

static uint64_t sign_bit(const struct float_format *format)
{
    return UINT64_C(1) << (format->exponent_bits + format->fraction_bits);
}

static uint64_t infinity_bits(const struct float_format *format)
{
    return sign_bit(format) - (UINT64_C(1) << format->fraction_bits);
}

static bool is_nan_bits(const struct float_format *format, uint64_t a)
{
    return (a & (sign_bit(format) - 1)) > infinity_bits(format);
}

static uint64_t one_bits(const struct float_format *format)
{
    return ((UINT64_C(1) << (format->exponent_bits - 1)) - 1) << format->fraction_bits;
}

static uint64_t flushed(const struct float_format *format, uint64_t a)
{
    uint64_t magnitude = a & (sign_bit(format) - 1);
    return magnitude >> format->fraction_bits == 0 ? a & sign_bit(format) : a;
}

uint64_t float_flush(unsigned type, uint64_t value)
{
    return flushed(float_format_of(type), value);
}

/* To [0, 1]; NaN becomes +0. */
static uint64_t saturated(const struct float_format *format, uint64_t a)
{
    if (is_nan_bits(format, a) || a & sign_bit(format)) return 0;
    return a > one_bits(format) ? one_bits(format) : a;
}

uint64_t float_saturate(unsigned type, uint64_t value)
{
    return saturated(float_format_of(type), value);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static struct number negated(struct number a)
{
    a.negative = !a.negative;
    return a;
}

static uint64_t rounded(const struct float_format *format, struct number a, enum rounding rounding)
{
    struct exact sum = {0};
    exact_add(&sum, a);
    return exact_round(&sum, format, rounding);
}

static uint64_t rounded_sum(const struct float_format *format, struct number a, struct number b,
                            enum rounding rounding)
{
    struct exact sum = {0};
    exact_add(&sum, a);
    exact_add(&sum, b);
    return exact_round(&sum, format, rounding);
}

/* Factors of fma, and the first operand of add and sub, may be of a narrower type than the rest. */
static struct number operand_number(const struct insn *insn, unsigned k, uint64_t bits)
{
    bool mixes = insn->op == OP_ADD || insn->op == OP_SUB || insn->op == OP_FMA;
    bool is_narrow = mixes && insn->type2 && k < (insn->op == OP_FMA ? 2 : 1);
    return number_of_bits(float_format_of(is_narrow ? insn->type2 : insn->type), bits);
}

static uint64_t arithmetic(const struct insn *insn, const struct float_format *format,
                           const uint64_t *a)
{
    struct number x = operand_number(insn, 0, a[0]), y = operand_number(insn, 1, a[1]);
    struct number z = operand_number(insn, 2, a[2]), one = number_of_integer(false, 1);
    switch (insn->op) {
    case OP_ADD:
        return rounded_sum(format, x, y, insn->rounding);
    case OP_SUB:
        return rounded_sum(format, x, negated(y), insn->rounding);
    case OP_MUL:
        return rounded(format, number_product(x, y), insn->rounding);
    case OP_DIV:
        return rounded(format, number_quotient(x, y), insn->rounding);
    case OP_RCP:
        return rounded(format, number_quotient(one, x), insn->rounding);
    case OP_SQRT:
        return rounded(format, number_square_root(x), insn->rounding);
    default: /* fma, mad */
        return rounded_sum(format, number_product(x, y), z, insn->rounding);
    }
}

/* Whether an operand is a NaN, and what f64 arithmetic makes of the first one. */
static bool nan_of_operands(const struct insn *insn, const struct float_format *format,
                            const uint64_t *a, uint64_t *d)
{
    uint64_t quiet = UINT64_C(1) << (format->fraction_bits - 1);
    for (unsigned k = 0; k < insn->nsrc; k++)
        if (is_nan_bits(format, a[k])) {
            *d = a[k] | quiet;
            return true;
        }
    return false;
}

/* ---- minimum, maximum, signs ----------------------------------------------------------------- */

/* A key that orders all numbers, -0 below +0. */
static int64_t order_of(const struct float_format *format, uint64_t a)
{
    int64_t magnitude = (int64_t)(a & (sign_bit(format) - 1));
    return a & sign_bit(format) ? -1 - magnitude : magnitude;
}

static uint64_t extremum(const struct insn *insn, const struct float_format *format, uint64_t a,
                         uint64_t b)
{
    bool a_nan = is_nan_bits(format, a), b_nan = is_nan_bits(format, b);
    bool by_magnitude = insn->flags & INSN_ABS;
    uint64_t sign = insn->flags & INSN_XORSIGN ? (a ^ b) & sign_bit(format) : 0;
    if (insn->type == TYPE_F64 && a_nan && b_nan) return a | UINT64_C(1) << 51;
    if ((a_nan && b_nan) || (insn->flags & INSN_NAN && (a_nan || b_nan))) return format->nan;
    if (by_magnitude) a &= sign_bit(format) - 1, b &= sign_bit(format) - 1;
    if (a_nan) return b | sign;
    if (b_nan) return a | sign;
    bool less = order_of(format, a) < order_of(format, b);
    return (less == (insn->op == OP_MIN) ? a : b) | sign;
}

/* abs, neg: a NaN of f64 passes unchanged. */
static uint64_t with_sign(const struct float_format *format, uint64_t a, uint64_t sign)
{
    if (is_nan_bits(format, a)) return format->fraction_bits == 52 ? a : format->nan;
    return (a & (sign_bit(format) - 1)) | sign;
}

/* ---- the instruction ------------------------------------------------------------------------- */

static uint64_t modified(const struct insn *insn, const struct float_format *format, uint64_t d)
{
    if (insn->flags & INSN_FTZ) d = flushed(format, d);
    if (insn->flags & INSN_SAT) d = saturated(format, d);
    if (insn->flags & INSN_RELU && d & sign_bit(format)) d = 0;
    return d;
}

static bool one_float(const struct insn *insn, const uint64_t *operands, uint64_t *d)
{
    const struct float_format *format = float_format_of(insn->type);
    uint64_t a[3];
    for (unsigned k = 0; k < 3; k++)
        a[k] = insn->flags & INSN_FTZ ? flushed(format, operands[k]) : operands[k];
    switch (insn->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_MAD:
    case OP_FMA:
    case OP_DIV:
    case OP_RCP:
    case OP_SQRT:
        if (insn->type == TYPE_F64 && nan_of_operands(insn, format, a, d)) return true;
        *d = modified(insn, format, arithmetic(insn, format, a));
        return true;
    case OP_MIN:
    case OP_MAX:
        *d = extremum(insn, format, a[0], a[1]);
        if (insn->nsrc == 3) *d = extremum(insn, format, *d, a[2]);
        return true;
    case OP_ABS:
        *d = with_sign(format, a[0], 0);
        return true;
    case OP_NEG:
        *d = with_sign(format, a[0], ~a[0] & sign_bit(format));
        return true;
    case OP_COPYSIGN: /* the sign of a, the rest of b */
        *d = (a[0] & sign_bit(format)) | (a[1] & (sign_bit(format) - 1));
        return true;
    default:
        return false;
    }
}

bool scalar_float(const struct insn *insn, const uint64_t *a, uint64_t *d)
{
    bool is_approximate = insn->flags & (INSN_APPROX | INSN_FULL);
    if (!is_kind(insn->type, KIND_FLOAT) || is_approximate) return false;
    return one_float(insn, a, d);
}
