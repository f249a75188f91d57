// SPDX-License-Identifier: Apache-2.0
/* Arithmetic instructions that exist for several kinds of types: which of the integer,
 * floating-point and packed loops an instruction runs. */
#ifndef EMULATE_SEM_ARITHMETIC_H
#define EMULATE_SEM_ARITHMETIC_H

#include "emulate/sem_double.h"
#include "emulate/sem_float.h"
#include "emulate/sem_half.h"
#include "emulate/sem_int.h"
#include "emulate/sem_packed.h"
#include "emulate/sem_select.h"

static bool is_16x2(const struct insn *insn)
{
    return insn->type == TYPE_U16X2 || insn->type == TYPE_S16X2;
}

static struct uop_pair select_float(const struct insn *insn)
{
    switch (insn->type) {
    case TYPE_F32:
        return insn->type2 ? select_mixed(insn) : select_f32(insn);
    case TYPE_F32X2:
        return select_f32x2(insn);
    case TYPE_F64:
        return select_f64(insn);
    default:
        return select_half(insn);
    }
}
#define SELECT_FLOAT(name) SELECT_ONE(name, select_float(insn))
SELECT_FLOAT(fma)
SELECT_FLOAT(rcp)
SELECT_FLOAT(sqrt)
SELECT_FLOAT(rsqrt)
SELECT_FLOAT(sin)
SELECT_FLOAT(cos)
SELECT_FLOAT(lg2)
SELECT_FLOAT(ex2)
SELECT_FLOAT(tanh)

static struct uop_pair select_add(const struct insn *insn, const struct function *function)
{
    (void)function;
    if (is_float(insn)) return select_float(insn);
    if (is_16x2(insn)) return select_16x2(insn);
    if (insn->flags & INSN_SAT) return PAIR(add_sat_s32);
    if (insn->flags & INSN_CC) return is_64(insn) ? SAME(addc_64) : SAME(addc_32);
    return BY_WIDTH(insn, add_);
}
static struct uop_pair select_sub(const struct insn *insn, const struct function *function)
{
    (void)function;
    if (is_float(insn)) return select_float(insn);
    if (insn->flags & INSN_SAT) return PAIR(sub_sat_s32);
    if (insn->flags & INSN_CC) return is_64(insn) ? SAME(subc_64) : SAME(subc_32);
    return BY_WIDTH(insn, sub_);
}
static struct uop_pair select_mul(const struct insn *insn, const struct function *function)
{
    (void)function;
    if (is_float(insn)) return select_float(insn);
    bool is_signed = type_infos[insn->type].kind == KIND_SIGNED;
    if (insn->mul_part == MUL_HI) return BY_SIGN(insn, mul_hi_);
    if (insn->mul_part != MUL_WIDE) return BY_WIDTH(insn, mul_lo_);
    if (type_infos[insn->type].bits == 16)
        return is_signed ? PAIR(mul_wide_s16) : PAIR(mul_wide_u16);
    if (is_64(insn)) return NOT_SUPPORTED;
    return is_signed ? PAIR(mul_wide_s32) : PAIR(mul_wide_u32);
}
static struct uop_pair select_mad(const struct insn *insn, const struct function *function)
{
    if (is_float(insn)) return select_float(insn);
    if (insn->flags & INSN_CC) return select_madc(insn, function);
    if (insn->flags & INSN_SAT)
        return insn->mul_part == MUL_HI ? PAIR(mad_hi_sat_s32) : NOT_SUPPORTED;
    bool is_signed = type_infos[insn->type].kind == KIND_SIGNED;
    if (insn->mul_part == MUL_HI) return BY_SIGN(insn, mad_hi_);
    if (insn->mul_part != MUL_WIDE) return BY_WIDTH(insn, mad_lo_);
    if (type_infos[insn->type].bits == 16)
        return is_signed ? PAIR(mad_wide_s16) : PAIR(mad_wide_u16);
    if (is_64(insn)) return NOT_SUPPORTED;
    return is_signed ? PAIR(mad_wide_s32) : PAIR(mad_wide_u32);
}
static struct uop_pair select_div(const struct insn *insn, const struct function *function)
{
    (void)function;
    return is_float(insn) ? select_float(insn) : BY_SIGN(insn, div_);
}
static struct uop_pair select_abs(const struct insn *insn, const struct function *function)
{
    (void)function;
    return is_float(insn) ? select_float(insn) : BY_WIDTH(insn, abs_s);
}
static struct uop_pair select_neg(const struct insn *insn, const struct function *function)
{
    (void)function;
    return is_float(insn) ? select_float(insn) : BY_WIDTH(insn, neg_s);
}
static struct uop_pair select_min(const struct insn *insn, const struct function *function)
{
    (void)function;
    if (is_float(insn)) return select_float(insn);
    if (is_16x2(insn)) return select_16x2(insn);
    if (insn->flags & INSN_RELU) return PAIR(min_relu_s32);
    return BY_SIGN(insn, min_);
}
static struct uop_pair select_max(const struct insn *insn, const struct function *function)
{
    (void)function;
    if (is_float(insn)) return select_float(insn);
    if (is_16x2(insn)) return select_16x2(insn);
    if (insn->flags & INSN_RELU) return PAIR(max_relu_s32);
    return BY_SIGN(insn, max_);
}

#endif
