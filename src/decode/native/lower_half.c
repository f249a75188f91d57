// SPDX-License-Identifier: Apache-2.0
/* Pairs of 16-bit floats. Operands of an instruction: rows_float.def. */
#include "decode/native/lower_float.h"

static enum ptx_type pair_type(const struct lowering *l)
{
    return has(l, "BF16_V2") ? TYPE_BF16X2 : TYPE_F16X2;
}

/* Which half stands in which place, and signs of both. */
static void from_halves(struct lowering *l, unsigned i)
{
    const struct native_operand *operand = lower_operand(l, i);
    from_value(l, i);
    apply_signs(l);
    change_value(l, VALUE_SIGNED_HALVES | (operand_has(operand, "H0_H0")    ? VALUE_LOW_TWICE
                                           : operand_has(operand, "H1_H1")  ? VALUE_HIGH_TWICE
                                           : operand_has(operand, "H0_NH1") ? VALUE_TURNED
                                                                            : 0));
}

/* An operand of the instruction is in f32. */
static bool has_f32(const struct lowering *l)
{
    for (unsigned i = 0; i < l->in->operand_count; i++)
        if (operand_has(lower_operand(l, i), "F32")) return true;
    return false;
}

/* d and sources at these places of the text, up to a 0 */
static bool lower_halves(struct lowering *l, enum ptx_op op, const unsigned *sources)
{
    if (has_f32(l) || has(l, "FMZ")) return false;
    lower_to(l, op, pair_type(l));
    set_float_modifiers(l);
    to_register(l, 0);
    for (; *sources; sources++)
        from_halves(l, *sources);
    return true;
}
#define SOURCES(...) ((const unsigned[]){__VA_ARGS__, 0})

static bool is_zero(const struct native_operand *operand, bool negative)
{
    return operand->kind == NATIVE_REGISTER && operand->number == NATIVE_RZ &&
           operand->negate == negative;
}

/* d, a.F32, -RZ or d, -RZ, a.F32: a cut to a half, which is what ptxas makes of cvt.rz.f16.f32 for sm_75 */
static bool lower_cut(struct lowering *l)
{
    unsigned from = operand_has(lower_operand(l, 1), "F32") ? 1 : 2;
    if (!is_zero(lower_operand(l, 3 - from), true)) return false;
    if (has(l, "F32") || has(l, "FTZ") || has(l, "BF16_V2")) return false;
    lower_to(l, OP_CVT, TYPE_F16);
    l->out->type2 = TYPE_F32;
    l->out->rounding = ROUND_RZ;
    if (has(l, "SAT")) l->out->flags |= INSN_SAT;
    to_register(l, 0);
    from_value(l, from);
    return true;
}

/* Which of the sources first, first + 1 .. have this suffix, from this bit on. */
static int64_t half_bits(const struct lowering *l, unsigned first, unsigned count,
                         const char *suffix, unsigned bit)
{
    int64_t bits = 0;
    for (unsigned k = 0; k < count; k++)
        if (operand_has(lower_operand(l, first + k), suffix)) bits |= INT64_C(1) << (bit + k);
    return bits;
}

/* d, a, b; .F32: the sum of one half each, in f32 */
bool lower_hadd2(struct lowering *l)
{
    if (has_f32(l)) return lower_cut(l);
    if (!has(l, "F32")) return lower_halves(l, OP_ADD, SOURCES(1, 2));
    if (has(l, "BF16_V2") || has(l, "FTZ")) return false;
    lower_to(l, OP_N_HADD2_F32, TYPE_F32);
    set_float_modifiers(l);
    l->out->modifiers = sign_bits(l, 1, 2) | half_bits(l, 1, 2, "H1_H1", NM_HIGH_HALF_AT) |
                        (is_zero(lower_operand(l, 1), true) ? NM_SECOND_ALONE : 0);
    to_register(l, 0);
    from_value(l, 1);
    from_value(l, 2);
    return true;
}

bool lower_hmul2(struct lowering *l)
{
    return lower_halves(l, OP_MUL, SOURCES(1, 2));
}

static bool is_one(const struct native_operand *operand)
{
    return operand->kind == NATIVE_HALVES && (uint32_t)operand->value == 0x3c003c00u &&
           !operand->negate && !operand->absolute;
}

/* Signs of a, b, c and the halves that they have twice, all of them or none: what the native operation does itself; 0:
 * something else is to be done, or nothing. */
static int64_t fused_changes(const struct lowering *l)
{
    for (unsigned i = 1; i < 4; i++) {
        const struct native_operand *operand = lower_operand(l, i);
        if (operand->absolute || operand_has(operand, "H0_NH1")) return 0;
    }
    int64_t high = half_bits(l, 1, 3, "H1_H1", NM_HIGH_HALF_AT);
    int64_t low = half_bits(l, 1, 3, "H0_H0", NM_LOW_HALF_AT);
    int64_t twice = (high >> NM_HIGH_HALF_AT) | (low >> NM_LOW_HALF_AT);
    return twice == 0 || twice == 7 ? sign_bits(l, 1, 3) | high | low : 0;
}

/* d, a, b, c. Constants are moved by -0 * 0 + c, which is c. ptxas also makes sums a * 1 + c and products a * b - 0, to
 * use both pipes; of f16 they are exact in f32 and so are the same. */
bool lower_hfma2(struct lowering *l)
{
    const struct native_operand *c = lower_operand(l, 3);
    bool is_immediate = c->kind == NATIVE_HALVES || c->kind == NATIVE_BF16_HALVES;
    uint32_t magnitude = (uint32_t)c->value & 0x7fff7fffu;
    uint32_t most = has(l, "BF16_V2") ? 0x7f80 : 0x7c00;
    bool has_nan = (magnitude & 0xffff) > most || magnitude >> 16 > most;
    bool is_plain = !has(l, "FTZ") && !has(l, "SAT") && !has(l, "RELU") && !has(l, "OOB");
    if (is_immediate && is_plain && !has_nan && !c->negate && !c->absolute && !has(l, "FMZ") &&
        is_zero(lower_operand(l, 1), true) && is_zero(lower_operand(l, 2), false)) {
        lower_to(l, OP_MOV, TYPE_B32);
        to_register(l, 0);
        from_value(l, 3);
        return true;
    }
    bool is_f16 = pair_type(l) == TYPE_F16X2 && !has(l, "OOB");
    if (is_f16 && is_one(lower_operand(l, 2))) return lower_halves(l, OP_ADD, SOURCES(1, 3));
    if (is_f16 && is_zero(c, true)) return lower_halves(l, OP_MUL, SOURCES(1, 2));
    int64_t changes = is_f16 && is_plain && !has_f32(l) && !has(l, "FMZ") ? fused_changes(l) : 0;
    if (!changes) return lower_halves(l, OP_FMA, SOURCES(1, 2, 3));
    lower_to(l, OP_N_HFMA2, TYPE_F16X2);
    l->out->modifiers = changes;
    to_register(l, 0);
    for (unsigned i = 1; i < 4; i++)
        from_value(l, i);
    return true;
}

/* d, a, b, p */
bool lower_hmnmx2(struct lowering *l)
{
    const struct native_operand *p = lower_operand(l, 3);
    bool is_xorsign = has(l, "XORSIGN");
    if (!is_constant_predicate(p)) return false;
    if (!lower_halves(l, p->invert ? OP_MAX : OP_MIN, SOURCES(1, 2))) return false;
    if (!is_xorsign) return true;
    l->out->flags |= INSN_XORSIGN | INSN_ABS;
    for (unsigned i = 1; i < 3; i++) {
        bool is_constant =
            l->out->operands[i].kind == OPERAND_IMMEDIATE; /* as its absolute value */
        bool has_sign = l->out->operands[i].imm & 0x80008000;
        if (l->out->operands[i].negate || (is_constant && has_sign)) return false;
        if (!is_constant && !l->out->operands[i].absolute) return false;
        l->out->operands[i].absolute = false; /* PTX's min.xorsign.abs takes the signs off */
    }
    return true;
}

static bool set_comparison(struct lowering *l)
{
    l->out->compare = (uint8_t)float_compare(l);
    l->out->combine = (uint8_t)float_combine(l);
    return l->out->compare && !has_f32(l);
}

/* d, a, b, c: each half 1.0 or 0.0 (.BF), else all ones or 0 */
bool lower_hset2(struct lowering *l)
{
    lower_to(l, OP_SET, has(l, "BF") ? pair_type(l) : TYPE_U32);
    l->out->type2 = (uint8_t)pair_type(l);
    set_float_modifiers(l);
    to_register(l, 0);
    from_halves(l, 1);
    from_halves(l, 2);
    from_predicate(l, 3);
    return set_comparison(l);
}

/* p, q, a, b, c: the lower halves' comparison and the upper ones' */
bool lower_hsetp2(struct lowering *l)
{
    if (has(l, "H_AND")) return false;
    lower_to(l, OP_SETP, pair_type(l));
    set_float_modifiers(l);
    to_predicate(l, 0);
    to_predicate(l, 1);
    from_halves(l, 2);
    from_halves(l, 3);
    from_predicate(l, 4);
    return set_comparison(l);
}
