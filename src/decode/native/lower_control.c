// SPDX-License-Identifier: Apache-2.0
/* Branches, barriers, warps, special registers. Operands of an instruction: rows_control.def. */
#include "decode/native/lower.h"

/* The target of a branch is found by native_module.c, which knows where instructions lie. */
bool lower_bra(struct lowering *l)
{
    lower_to(l, OP_BRA, TYPE_NONE);
    return true;
}

/* p */
bool lower_exit(struct lowering *l)
{
    const struct native_operand *condition = lower_operand(l, 0);
    bool is_plain = !condition || (condition->number == NATIVE_PT && !condition->invert);
    lower_to(l, is_plain ? OP_EXIT : OP_N_EXIT, TYPE_NONE);
    if (!is_plain) from_predicate(l, 0);
    return true;
}

bool lower_nop(struct lowering *l)
{
    lower_to(l, OP_N_NOP, TYPE_NONE);
    return true;
}

/* b, target */
bool lower_bssy(struct lowering *l)
{
    lower_to(l, OP_N_BSSY, TYPE_B32);
    to_vreg(l, VREG_B + lower_operand(l, 0)->number);
    return true;
}

bool lower_bsync(struct lowering *l)
{
    lower_to(l, OP_N_BSYNC, TYPE_B32);
    from_vreg(l, VREG_B + lower_operand(l, 0)->number, WIDTH_ONE);
    return true;
}

bool lower_s2r(struct lowering *l)
{
    (void)l;
    return false;
}
