// SPDX-License-Identifier: Apache-2.0
/* Floating point. Operands of an instruction: rows_float.def. */
#include "decode/native/lower.h"

static void set_float_modifiers(struct lowering *l)
{
    l->out->rounding = has(l, "RM")   ? ROUND_RM
                       : has(l, "RP") ? ROUND_RP
                       : has(l, "RZ") ? ROUND_RZ
                                      : ROUND_RN;
    if (has(l, "FTZ")) l->out->flags |= INSN_FTZ;
    if (has(l, "SAT")) l->out->flags |= INSN_SAT;
}

static bool lower_arithmetic(struct lowering *l, enum ptx_op op, unsigned sources)
{
    lower_to(l, op, TYPE_F32);
    set_float_modifiers(l);
    to_register(l, 0);
    for (unsigned i = 0; i < sources; i++)
        from_value(l, 1 + i);
    return true;
}

bool lower_fadd(struct lowering *l)
{
    return lower_arithmetic(l, OP_ADD, 2);
}

bool lower_fmul(struct lowering *l)
{
    return lower_arithmetic(l, OP_MUL, 2);
}

bool lower_ffma(struct lowering *l)
{
    return lower_arithmetic(l, OP_FMA, 3);
}
