// SPDX-License-Identifier: Apache-2.0
/* cvt into and out of the narrow formats (f16, bf16 and tf32 with .relu and .satfinite; e4m3, e5m2, e2m3,
 * e3m2; pairs) and cvt.pack: PTX ISA 9.7.9.21 and 9.7.9.22. */
#include "reference/exact.h"
#include "reference/scalar.h"

/* Of a pair the upper half comes first: d = {a, b}. */
static unsigned pair_width(unsigned type)
{
    switch (type) {
    case TYPE_F16X2:
    case TYPE_BF16X2:
        return 16;
    case TYPE_E4M3X2:
    case TYPE_E5M2X2:
    case TYPE_E2M3X2:
    case TYPE_E3M2X2:
        return 8;
    default:
        return 0;
    }
}

static uint64_t narrowed(const struct insn *insn, struct number a)
{
    const struct float_format *format = float_format_of(insn->type);
    uint64_t sign = UINT64_C(1) << (format->exponent_bits + format->fraction_bits);
    struct exact sum = {0};
    exact_add(&sum, a);
    if (a.kind == NUMBER_NAN) return format->nan;
    uint64_t d = exact_round(&sum, format, insn->rounding);
    bool is_infinite = (d & (sign - 1)) > format->greatest;
    if (is_infinite && insn->flags & INSN_SATFINITE) d = (d & sign) | format->greatest;
    return insn->flags & INSN_RELU && d & sign ? 0 : d;
}

static struct number element(unsigned type, uint64_t bits, unsigned i)
{
    unsigned width = pair_width(type);
    return number_of_bits(float_format_of(type),
                          width ? low_bits(bits >> (width * i), width) : bits);
}

static uint64_t converted_pair(const struct insn *insn, const uint64_t *a)
{
    bool from_pair = pair_width(insn->type2) != 0;
    uint64_t d = 0;
    for (unsigned i = 0; i < 2; i++) {
        struct number value =
            from_pair ? element(insn->type2, a[0], i) : element(insn->type2, a[1 - i], 0);
        d |= narrowed(insn, value) << (pair_width(insn->type) * i);
    }
    return d;
}

/* Each source saturated, the second lowest; what is left is the third's. */
static uint64_t packed(const struct insn *insn, const uint64_t *a)
{
    unsigned width = type_infos[insn->type].bits;
    bool is_signed = is_kind(insn->type, KIND_SIGNED);
    int64_t most = (INT64_C(1) << (width - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    uint64_t d = insn->nsrc > 2 ? a[2] << (2 * width) : 0;
    for (unsigned i = 0; i < 2; i++) {
        int64_t value = signed_value(a[1 - i], 32);
        value = value > most ? most : value < least ? least : value;
        d |= low_bits((uint64_t)value, width) << (width * i);
    }
    return d;
}

bool scalar_narrow(const struct insn *insn, const uint64_t *a, uint64_t *d)
{
    bool limits = insn->flags & (INSN_RELU | INSN_SATFINITE);
    if (insn->op != OP_CVT) return false;
    if (insn->sub_op == SUB_PACK)
        *d = packed(insn, a);
    else if (pair_width(insn->type))
        *d = converted_pair(insn, a);
    else if (insn->type == TYPE_TF32) /* the upper 19 bits of an f32 */
        *d = narrowed(insn, element(insn->type2, a[0], 0)) << 13;
    else if (limits)
        *d = narrowed(insn, element(insn->type2, a[0], 0));
    else
        return false;
    return true;
}
