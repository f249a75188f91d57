// SPDX-License-Identifier: Apache-2.0
/* Parts of words: extension, masks, products and distances of bytes, least and greatest of halves,
 * saturation, predicates as bits. Operands of an instruction: rows_integer.def. */
#include "decode/native/lower.h"

#include <string.h>

static uint32_t wraps(const struct lowering *l)
{
    return has(l, "W") ? INSN_WRAP : 0;
}

/* d, a, b */
bool lower_sgxt(struct lowering *l)
{
    l->out->flags |= wraps(l);
    return !has_signs(l) && lower_as(l, OP_SZEXT, has(l, "U32") ? TYPE_U32 : TYPE_S32, 2);
}

bool lower_bmsk(struct lowering *l)
{
    l->out->flags |= wraps(l);
    return !has_signs(l) && lower_as(l, OP_BMSK, TYPE_B32, 2);
}

/* d, a, b, c: IDP.4A.S8.U8: of a's parts, then of b's */
bool lower_idp(struct lowering *l)
{
    const char *last = strrchr(l->in->opcode, '.');
    bool has_four = has(l, "4A"), is_signed = last && last[-2] != 'U' && last[-3] != 'U';
    if (!last || has_signs(l)) return false;
    l->out->type2 = last[1] == 'S' ? TYPE_S32 : TYPE_U32;
    l->out->flags |= has(l, "HI") ? INSN_B_HI : 0;
    return lower_as(l, has_four ? OP_DP4A : OP_DP2A, is_signed ? TYPE_S32 : TYPE_U32, 3);
}

/* d, p, a, b, c: p is not established */
bool lower_vabsdiff(struct lowering *l)
{
    bool has_four = l->in->opcode[8] == '4';
    bool is_unsigned = has_four ? has(l, "U8") : has(l, "U32");
    if (names_predicate(l, 1) || has_signs(l)) return false;
    l->out->modifiers = (is_unsigned ? 0 : NM_SIGNED) | (has(l, "ACC") ? NM_ACCUMULATE : 0);
    return lower_as(l, has_four ? OP_N_VABSDIFF4 : OP_N_VABSDIFF, TYPE_U32, 3);
}

/* ---- saturation ------------------------------------------------------------------------------ */

/* Bits and sign of the type that numbers are narrowed to; false: it is not known. */
static bool narrows(struct lowering *l)
{
    static const struct {
        const char *word;
        uint8_t bits;
        bool is_signed;
    } types[] = {{"U8", 8, false}, {"S8", 8, true}, {"U16", 16, false}, {"S16", 16, true},
                 {"U2", 2, false}, {"S2", 2, true}, {"U4", 4, false},   {"S4", 4, true}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!has(l, types[i].word)) continue;
        l->out->modifiers = value_bits(types[i].bits) | (types[i].is_signed ? NM_SIGNED : 0);
        return has(l, "S32") && has(l, "SAT") && !has_signs(l);
    }
    return false;
}

/* d, a */
bool lower_i2i(struct lowering *l)
{
    return narrows(l) && lower_as(l, OP_N_I2I, TYPE_U32, 1);
}

/* d, a, b, c or c.H1; c.24 and c.28 say how much of c there is place for */
bool lower_i2ip(struct lowering *l)
{
    if (!narrows(l)) return false;
    if (operand_has(lower_operand(l, 3), "H1")) l->out->modifiers |= NM_HIGH;
    return lower_as(l, OP_N_I2IP, TYPE_U32, 3);
}

/* ---- least and greatest ---------------------------------------------------------------------- */

/* d, a, b */
bool lower_viadd(struct lowering *l)
{
    l->out->modifiers = inverted(l, 2, NM_INVERT_B);
    if (has(l, "16x2")) return lower_as(l, OP_N_VIADD2, TYPE_U32, 2);
    if (!lower_as(l, OP_N_IADD3, TYPE_U32, 2)) return false;
    from_number(l, 0);
    return true;
}

/* d, p, q, a, b, p: the predicates in front tell which halves of d are those of a. */
static bool lower_vimnmx_told(struct lowering *l)
{
    lower_to(l, OP_N_VIMNMX_TOLD, TYPE_B32);
    to_register(l, 0);
    to_predicate(l, 1);
    to_predicate(l, 2);
    from_value(l, 3);
    from_value(l, 4);
    from_predicate(l, 5);
    return true;
}

/* d, [p, q,] a, b, [c,] p: what the predicates in front tell is established for pairs of halves */
bool lower_vimnmx(struct lowering *l)
{
    bool has_three = l->in->opcode[6] == '3', is_sum = l->in->opcode[2] == 'A';
    bool has_results = lower_find(l, true, 1) != l->in->operand_count;
    bool has_halves = has(l, "U16x2") || has(l, "S16x2");
    bool is_signed = !has(l, "U32") && !has(l, "U16x2");
    bool is_plain = !has_three && !is_sum && !has_halves && !has(l, "RELU");
    if ((has_results && (!has_halves || has_three || is_sum)) || (has_signs(l) && !is_sum))
        return false;
    l->out->modifiers = (is_signed ? NM_SIGNED : 0) | (has_halves ? NM_HALVES : 0) |
                        (has(l, "RELU") ? NM_RELU : 0) | (is_sum ? inverted(l, 2, NM_INVERT_B) : 0);
    if (has_results) return lower_vimnmx_told(l);
    enum ptx_op op = is_plain    ? OP_N_IMNMX
                     : has_three ? OP_N_VIMNMX3
                     : is_sum    ? OP_N_VIADDMNMX
                                 : OP_N_VIMNMX;
    if (!lower_as(l, op, TYPE_B32, has_three || is_sum ? 3 : 2)) return false;
    from_predicate(l, lower_find(l, true, 0));
    return true;
}

/* ---- predicates as bits ---------------------------------------------------------------------- */

static int64_t byte_of(const char *suffix)
{
    return sass_has_modifier(suffix, "B1")   ? 8
           : sass_has_modifier(suffix, "B2") ? 16
           : sass_has_modifier(suffix, "B3") ? 24
                                             : 0;
}

/* d, PR, a, mask */
bool lower_p2r(struct lowering *l)
{
    int32_t first = *l->in->opcode == 'U' ? VREG_UP : VREG_P;
    if (has_signs(l)) return false;
    lower_to(l, OP_N_P2R, TYPE_U32);
    l->out->modifiers = value_bits(byte_of(l->in->opcode));
    to_register(l, 0);
    from_value(l, 2);
    from_value(l, 3);
    for (int32_t k = 0; k < 7; k++)
        from_vreg(l, first + k, WIDTH_PREDICATE);
    return true;
}

/* PR, a.B1, mask */
bool lower_r2p(struct lowering *l)
{
    int32_t first = *l->in->opcode == 'U' ? VREG_UP : VREG_P;
    const struct native_operand *a = lower_operand(l, 1), *mask = lower_operand(l, 2);
    if (has_signs(l)) return false;
    lower_to(l, OP_N_R2P, TYPE_PRED);
    l->out->modifiers = value_bits(byte_of(a->suffix));
    for (int32_t k = 0; k < 7; k++)
        if (mask->kind != NATIVE_INTEGER || mask->value >> k & 1) to_vreg(l, first + k);
    if (!l->out->ndst) to_no_predicate(l);
    from_value(l, 1);
    from_value(l, 2);
    return true;
}
