// SPDX-License-Identifier: Apache-2.0
/* Integers, logic, moves, predicates. Operands of an instruction: rows_integer.def. */
#include "decode/native/lower.h"

/* d, p, p, a, b, c, p, p */
bool lower_iadd3(struct lowering *l)
{
    const struct native_operand *carry = lower_operand(l, 1), *carry2 = lower_operand(l, 2);
    bool has_carries = has(l, "X") || carry->number != NATIVE_PT || carry2->number != NATIVE_PT;
    lower_to(l, has_carries ? OP_N_IADD3C : OP_N_IADD3, TYPE_U32);
    l->out->modifiers = inverted(l, 3, NM_INVERT_A) | inverted(l, 4, NM_INVERT_B) |
                        inverted(l, 5, NM_INVERT_C) | (has(l, "X") ? NM_X : 0);
    to_register(l, 0);
    if (has_carries) {
        to_predicate(l, 1);
        to_predicate(l, 2);
    }
    for (unsigned i = 3; i < 6; i++)
        from_value(l, i);
    if (!has_carries) return true;
    from_predicate(l, 6);
    from_predicate(l, 7);
    return true;
}

bool lower_imad(struct lowering *l)
{
    (void)l;
    return false;
}

/* d, a */
bool lower_mov(struct lowering *l)
{
    lower_to(l, OP_MOV, TYPE_B32);
    to_register(l, 0);
    from_value(l, 1);
    return true;
}

bool lower_isetp(struct lowering *l)
{
    (void)l;
    return false;
}

bool lower_uldc(struct lowering *l)
{
    (void)l;
    return false;
}
