// SPDX-License-Identifier: Apache-2.0
/* Integers, logic, moves, predicates. Operands of an instruction: rows_integer.def. */
#include "decode/native/lower.h"

/* ---- sums and products ----------------------------------------------------------------------- */

/* d, p, p, a, b, c, p, p: of pairs */
static bool lower_iadd3_64(struct lowering *l)
{
    lower_to(l, OP_N_IADD3_64, TYPE_U64);
    to_pair(l, 0);
    to_predicate(l, 1);
    to_predicate(l, 2);
    for (unsigned i = 3; i < 6; i++)
        from_pair(l, i);
    if (!has(l, "X")) return true;
    from_predicate(l, 6);
    from_predicate(l, 7);
    return true;
}

/* d, p, p, a, b, c, p, p */
bool lower_iadd3(struct lowering *l)
{
    bool has_carries = has(l, "X") || names_predicate(l, 1) || names_predicate(l, 2);
    lower_to(l, has_carries ? OP_N_IADD3C : OP_N_IADD3, TYPE_U32);
    l->out->modifiers = inverted(l, 3, NM_INVERT_A) | inverted(l, 4, NM_INVERT_B) |
                        inverted(l, 5, NM_INVERT_C) | (has(l, "X") ? NM_X : 0);
    if (has(l, "64")) return lower_iadd3_64(l);
    to_register(l, 0);
    if (has_carries) {
        to_predicate(l, 1);
        to_predicate(l, 2);
    }
    for (unsigned i = 3; i < 6; i++)
        from_value(l, i);
    if (!has(l, "X")) return true;
    from_predicate(l, 6);
    from_predicate(l, 7);
    return true;
}

/* d, p, a, b, c, p: the first of .WIDE and .HI, the second of .X */
bool lower_imad(struct lowering *l)
{
    bool is_wide = has(l, "WIDE"), is_high = has(l, "HI"), is_x = has(l, "X");
    bool is_long = is_wide || is_high, has_out = is_long && names_predicate(l, 1);
    bool has_carries = is_x || has_out;
    unsigned a = lower_find(l, false, 1), b = lower_find(l, false, 2), c = lower_find(l, false, 3);
    if (c == l->in->operand_count) return false;
    l->out->modifiers = inverted(l, c, NM_INVERT_C) | inverted(l, a, NM_INVERT_A) |
                        (is_x ? NM_X : 0) | (is_high ? NM_HIGH : 0) |
                        (has(l, "U32") ? 0 : NM_SIGNED);
    if (inverted(l, b, 1) || (is_long && inverted(l, a, 1))) return false;
    enum ptx_op op = is_long ? (has_carries ? OP_N_IMAD_WIDE_X : OP_N_IMAD_WIDE)
                             : (has_carries ? OP_N_IMAD_X : OP_N_IMAD);
    lower_to(l, op, TYPE_U32);
    if (is_wide)
        to_pair(l, 0);
    else
        to_register(l, 0);
    if (has_out)
        to_predicate(l, 1);
    else if (has_carries)
        to_no_predicate(l);
    from_value(l, a);
    from_value(l, b);
    if (is_long)
        from_pair(l, c);
    else
        from_value(l, c);
    if (is_x) from_predicate(l, lower_find(l, true, is_long ? 1 : 0));
    return true;
}

/* d, p, a, b, c, shift [, p]: c of .HI without .SX32, the last of .X */
bool lower_lea(struct lowering *l)
{
    bool is_high = has(l, "HI"), is_x = has(l, "X"), is_extended = has(l, "SX32");
    unsigned a = lower_find(l, false, 1), b = lower_find(l, false, 2);
    const struct native_operand *amount = lower_operand(l, lower_find(l, false, 4));
    if (!amount || amount->kind != NATIVE_INTEGER) return false;
    bool is_plain =
        !is_high && !is_x && !names_predicate(l, 1) && !inverted(l, a, 1) && !inverted(l, b, 1);
    lower_to(l, is_plain ? OP_N_LEA_LOW : OP_N_LEA, TYPE_U32);
    l->out->modifiers = value_bits(amount->value) | inverted(l, a, NM_INVERT_A) |
                        inverted(l, b, NM_INVERT_B) | (is_x ? NM_X : 0) | (is_high ? NM_HIGH : 0) |
                        (is_extended ? NM_SX32 : 0);
    to_register(l, 0);
    if (!is_plain) to_predicate(l, lower_find(l, true, 0));
    from_value(l, a);
    from_value(l, b);
    if (is_plain) return true;
    from_value(l, lower_find(l, false, 3));
    if (is_x) from_predicate(l, lower_find(l, true, 1));
    return true;
}

/* ---- shifts, logic --------------------------------------------------------------------------- */

/* d, a, b, c */
bool lower_shf(struct lowering *l)
{
    bool is_signed = has(l, "S32") || has(l, "S64");
    lower_to(l, OP_N_SHF, TYPE_B32);
    l->out->modifiers = (has(l, "R") ? NM_RIGHT : 0) | (has(l, "W") ? NM_WRAP : 0) |
                        (has(l, "HI") ? NM_HIGH : 0) | (is_signed ? NM_SIGNED : 0) |
                        (has(l, "U64") || has(l, "S64") ? NM_WIDE : 0);
    to_register(l, 0);
    for (unsigned i = 1; i < 4; i++)
        from_value(l, i);
    return true;
}

bool lower_as(struct lowering *l, enum ptx_op op, enum ptx_type type, unsigned sources)
{
    lower_to(l, op, type);
    to_register(l, lower_find(l, false, 0));
    for (unsigned i = 0; i < sources; i++) {
        unsigned at = lower_find(l, false, 1 + i);
        if (at == l->in->operand_count) return false;
        from_value(l, at);
    }
    return true;
}

bool has_signs(const struct lowering *l)
{
    for (unsigned i = 0; i < l->in->operand_count; i++) {
        const struct native_operand *operand = lower_operand(l, i);
        bool is_predicate =
            operand->kind == NATIVE_PREDICATE || operand->kind == NATIVE_UNIFORM_PREDICATE;
        if (!is_predicate && (operand->negate || operand->invert || operand->absolute)) return true;
    }
    return false;
}

/* p, d, a, b, c, table, p: the predicate is (d != 0) or, of .PAND, and the other one */
bool lower_lop3(struct lowering *l)
{
    const struct native_operand *table = lower_operand(l, lower_find(l, false, 4));
    unsigned to = lower_find(l, true, 0), with = lower_find(l, true, 1);
    if (!table || table->kind != NATIVE_INTEGER || has_signs(l)) return false;
    bool has_predicate = names_predicate(l, to);
    lower_to(l, OP_LOP3, TYPE_B32);
    if (has_predicate) l->out->combine = has(l, "PAND") ? COMBINE_AND : COMBINE_OR;
    to_register(l, lower_find(l, false, 0));
    if (has_predicate) to_predicate(l, to);
    for (unsigned i = 1; i < 4; i++)
        from_value(l, lower_find(l, false, i));
    from_number(l, (uint64_t)table->value);
    if (has_predicate) from_predicate(l, with);
    return true;
}

/* p, p, a, b, c, table, table: a, b and c predicates or signs of registers */
bool lower_plop3(struct lowering *l)
{
    const struct native_operand *first = lower_operand(l, 5), *second = lower_operand(l, 6);
    if (!first || !second) return false;
    lower_to(l, OP_N_PLOP3, TYPE_PRED);
    l->out->modifiers = value_bits((first->value & 0xff) | (second->value & 0xff) << 8);
    to_predicate(l, 0);
    to_predicate(l, 1);
    for (unsigned i = 2; i < 5; i++) {
        unsigned kind = lower_operand(l, i)->kind;
        if (kind == NATIVE_PREDICATE || kind == NATIVE_UNIFORM_PREDICATE)
            from_predicate(l, i);
        else
            from_value(l, i);
    }
    return true;
}

bool lower_prmt(struct lowering *l)
{
    static const struct {
        const char *word;
        uint8_t mode;
    } modes[] = {{"F4E", SUB_F4E}, {"B4E", SUB_B4E}, {"RC8", SUB_RC8},
                 {"ECL", SUB_ECL}, {"ECR", SUB_ECR}, {"RC16", SUB_RC16}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (has(l, modes[i].word)) l->out->sub_op = modes[i].mode;
    /* d, a, selector, c */
    lower_to(l, OP_PRMT, TYPE_B32);
    to_register(l, lower_find(l, false, 0));
    from_value(l, lower_find(l, false, 1));
    from_value(l, lower_find(l, false, 3));
    from_value(l, lower_find(l, false, 2));
    return true;
}

/* d, a, b, p */
bool lower_sel(struct lowering *l)
{
    if (has_signs(l) || !lower_as(l, OP_SELP, TYPE_B32, 2)) return false;
    from_predicate(l, lower_find(l, true, 0));
    return true;
}

bool lower_imnmx(struct lowering *l)
{
    if (has_signs(l) || !lower_as(l, OP_N_IMNMX, TYPE_B32, 2)) return false;
    l->out->modifiers = has(l, "U32") ? 0 : NM_SIGNED;
    from_predicate(l, lower_find(l, true, 0));
    return true;
}

/* d, a or ~a; FLO: d, p, a, where p tells that a bit was found */
bool lower_popc(struct lowering *l)
{
    l->out->modifiers = inverted(l, lower_find(l, false, 1), NM_INVERT_A);
    return lower_as(l, OP_N_POPC, TYPE_B32, 1);
}

bool lower_flo(struct lowering *l)
{
    if (names_predicate(l, lower_find(l, true, 0))) return false;
    l->out->modifiers = inverted(l, lower_find(l, false, 1), NM_INVERT_A) |
                        (has(l, "U32") ? 0 : NM_SIGNED) | (has(l, "SH") ? NM_RIGHT : 0);
    return lower_as(l, OP_N_FLO, TYPE_B32, 1);
}

bool lower_brev(struct lowering *l)
{
    return !has_signs(l) && lower_as(l, OP_BREV, TYPE_B32, 1);
}

bool lower_iabs(struct lowering *l)
{
    return !has_signs(l) && lower_as(l, OP_ABS, TYPE_S32, 1);
}

/* ---- moves and comparisons ------------------------------------------------------------------- */

/* d, a */
bool lower_mov(struct lowering *l)
{
    lower_to(l, OP_MOV, TYPE_B32);
    to_register(l, 0);
    from_value(l, 1);
    return true;
}

static enum compare compare_of(const struct lowering *l)
{
    static const struct {
        const char *word;
        uint8_t compare;
    } words[] = {{"LT", CMP_LT}, {"EQ", CMP_EQ}, {"LE", CMP_LE},
                 {"GT", CMP_GT}, {"NE", CMP_NE}, {"GE", CMP_GE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has(l, words[i].word)) return (enum compare)words[i].compare;
    return CMP_NONE;
}

static enum combine combine_of(const struct lowering *l)
{
    return has(l, "OR") ? COMBINE_OR : has(l, "XOR") ? COMBINE_XOR : COMBINE_AND;
}

/* p, p, a, b, p [, p]: the last of .EX */
bool lower_isetp(struct lowering *l)
{
    bool is_signed = !has(l, "U32"), is_ex = has(l, "EX");
    enum compare compare = compare_of(l);
    if (!compare) return false;
    lower_to(l, is_ex ? OP_N_ISETP_EX : OP_SETP, is_signed ? TYPE_S32 : TYPE_U32);
    l->out->compare = (uint8_t)compare;
    l->out->combine = (uint8_t)combine_of(l);
    l->out->modifiers = value_bits(compare | combine_of(l) << 8) | (is_signed ? NM_SIGNED : 0);
    to_predicate(l, 0);
    to_predicate(l, 1);
    from_value(l, 2);
    from_value(l, 3);
    from_predicate(l, 4);
    if (is_ex) from_predicate(l, 5);
    return true;
}
