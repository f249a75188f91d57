// SPDX-License-Identifier: Apache-2.0
/* Integer arithmetic. Wrap-around is modulo 2^n; division by zero gives all ones (quotient) and the
 * dividend (remainder), as NVIDIA's expansion does; the ISA leaves it unspecified. */
#ifndef EMULATE_SEM_INT_H
#define EMULATE_SEM_INT_H

#include "emulate/sem_select.h"

/* 16-bit operands are widened first: C would promote them to int and overflow there. */
#define INT_OPS(N, U, S)                                                                           \
    OP2(add_##N, U, U, U, (uint64_t)A + B)                                                         \
    OP2(sub_##N, U, U, U, (uint64_t)A - B)                                                         \
    OP2(mul_lo_##N, U, U, U, (uint64_t)A *B)                                                       \
    OP3(mad_lo_##N, U, U, U, U, (uint64_t)A *B + C)                                                \
    OP2(div_u##N, U, U, U, B ? A / B : (U) ~(U)0)                                                  \
    OP2(rem_u##N, U, U, U, B ? A % B : A)                                                          \
    OP2(div_s##N, U, S, S, B == 0 ? (U) ~(U)0 : B == -1 ? (U)(0 - (uint64_t)A) : (U)(A / B))       \
    OP2(rem_s##N, U, S, S, B == 0 ? (U)A : B == -1 ? (U)0 : (U)(A % B))                            \
    OP1(abs_s##N, U, S, A < 0 ? (U)(0 - (uint64_t)A) : (U)A)                                       \
    OP1(neg_s##N, U, U, 0 - (uint64_t)A)                                                           \
    OP3(sad_u##N, U, U, U, U, (uint64_t)C + (A > B ? (uint64_t)A - B : (uint64_t)B - A))           \
    OP3(sad_s##N, U, S, S, U,                                                                      \
        (uint64_t)C + (A > B ? (uint64_t)A - (uint64_t)B : (uint64_t)B - (uint64_t)A))
INT_TYPES(INT_OPS)

#define MINMAX_OPS(N, U, S)                                                                        \
    OP2(min_u##N, U, U, U, A < B ? A : B)                                                          \
    OP2(max_u##N, U, U, U, A > B ? A : B)                                                          \
    OP2(min_s##N, S, S, S, A < B ? A : B)                                                          \
    OP2(max_s##N, S, S, S, A > B ? A : B)
MINMAX_OPS(32, uint32_t, int32_t)
MINMAX_OPS(64, uint64_t, int64_t)
OP2(min_relu_s32, int32_t, int32_t, int32_t, A < 0 || B < 0 ? 0 : A < B ? A : B)
OP2(max_relu_s32, int32_t, int32_t, int32_t, A < 0 && B < 0 ? 0 : A > B ? A : B)
/* gcc 12 fails on masked 16-bit minima and maxima (x86-64-v4): result and mask in two loops. */
#define MINMAX_16(name, T, expr)                                                                   \
    static void name##_full(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        const T *a = SRC(T, 0), *b = SRC(T, 1);                                                    \
        T *d = DST(T, 0);                                                                          \
        VECTOR LANES                                                                               \
        {                                                                                          \
            const T A = a[i], B = b[i];                                                            \
            d[i] = expr;                                                                           \
        }                                                                                          \
    }                                                                                              \
    static void name##_part(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        T *d = DST(T, 0), kept[WARP_LANES];                                                        \
        memcpy(kept, d, sizeof kept);                                                              \
        name##_full(x, u);                                                                         \
        LANES if (!((x->mask >> i) & 1)) d[i] = kept[i];                                           \
    }
MINMAX_16(min_u16, uint16_t, A < B ? A : B)
MINMAX_16(max_u16, uint16_t, A > B ? A : B)
MINMAX_16(min_s16, int16_t, A < B ? A : B)
MINMAX_16(max_s16, int16_t, A > B ? A : B)

OP2(mul_hi_u16, uint16_t, uint16_t, uint16_t, ((uint32_t)A * B) >> 16)
OP2(mul_hi_s16, uint16_t, int16_t, int16_t, ((int32_t)A * B) >> 16)
OP2(mul_hi_u32, uint32_t, uint32_t, uint32_t, ((uint64_t)A * B) >> 32)
OP2(mul_hi_s32, uint32_t, int32_t, int32_t, ((int64_t)A * B) >> 32)
OP2(mul_wide_u16, uint32_t, uint16_t, uint16_t, (uint32_t)A *B)
OP2(mul_wide_s16, int32_t, int16_t, int16_t, (int32_t)A *B)
OP2(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)A *B)
OP2(mul_wide_s32, int64_t, int32_t, int32_t, (int64_t)A *B)
OP3(mad_hi_u16, uint16_t, uint16_t, uint16_t, uint16_t, (((uint32_t)A * B) >> 16) + C)
OP3(mad_hi_s16, uint16_t, int16_t, int16_t, uint16_t, (uint32_t)(((int32_t)A * B) >> 16) + C)
OP3(mad_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t, (((uint64_t)A * B) >> 32) + C)
OP3(mad_hi_s32, uint32_t, int32_t, int32_t, uint32_t, (uint64_t)(((int64_t)A * B) >> 32) + C)
OP3(mad_wide_u16, uint32_t, uint16_t, uint16_t, uint32_t, (uint32_t)A *B + C)
OP3(mad_wide_s16, uint32_t, int16_t, int16_t, uint32_t, (uint32_t)((int32_t)A *B) + C)
OP3(mad_wide_u32, uint64_t, uint32_t, uint32_t, uint64_t, (uint64_t)A *B + C)
OP3(mad_wide_s32, uint64_t, int32_t, int32_t, uint64_t, (uint64_t)((int64_t)A *B) + C)

OP2(mul_hi_u64, uint64_t, uint64_t, uint64_t, ((u128)A * B) >> 64)
OP2(mul_hi_s64, uint64_t, int64_t, int64_t, (u128)((s128)A *B) >> 64)
OP3(mad_hi_u64, uint64_t, uint64_t, uint64_t, uint64_t, (uint64_t)(((u128)A * B) >> 64) + C)
OP3(mad_hi_s64, uint64_t, int64_t, int64_t, uint64_t, (uint64_t)((u128)((s128)A *B) >> 64) + C)

static inline int32_t sext24(int32_t v)
{
    return (int32_t)((uint32_t)v << 8) >> 8;
}
OP2(mul24_lo_u32, uint32_t, uint32_t, uint32_t, (uint64_t)(A & 0xffffff) * (B & 0xffffff))
OP2(mul24_hi_u32, uint32_t, uint32_t, uint32_t, ((uint64_t)(A & 0xffffff) * (B & 0xffffff)) >> 16)
OP2(mul24_lo_s32, uint32_t, int32_t, int32_t, (uint64_t)((int64_t)sext24(A) * sext24(B)))
OP2(mul24_hi_s32, uint32_t, int32_t, int32_t, ((int64_t)sext24(A) * sext24(B)) >> 16)
OP3(mad24_lo_u32, uint32_t, uint32_t, uint32_t, uint32_t,
    (uint64_t)(A & 0xffffff) * (B & 0xffffff) + C)
OP3(mad24_hi_u32, uint32_t, uint32_t, uint32_t, uint32_t,
    (((uint64_t)(A & 0xffffff) * (B & 0xffffff)) >> 16) + C)
OP3(mad24_lo_s32, uint32_t, int32_t, int32_t, uint32_t,
    (uint64_t)((int64_t)sext24(A) * sext24(B)) + C)
OP3(mad24_hi_s32, uint32_t, int32_t, int32_t, uint32_t,
    (uint64_t)(((int64_t)sext24(A) * sext24(B)) >> 16) + C)

static inline int32_t saturate32(int64_t v)
{
    return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;
}
OP2(add_sat_s32, int32_t, int32_t, int32_t, saturate32((int64_t)A + B))
OP2(sub_sat_s32, int32_t, int32_t, int32_t, saturate32((int64_t)A - B))
OP3(mad_hi_sat_s32, int32_t, int32_t, int32_t, int32_t, saturate32((((int64_t)A * B) >> 32) + C))
OP3(mad24_hi_sat_s32, int32_t, int32_t, int32_t, int32_t,
    saturate32((((int64_t)sext24(A) * sext24(B)) >> 16) + C))

/* Extended precision: the condition code is a bit a lane in the warp. imm bit 0: reads it,
 * bit 1: writes it. It is the carry out of the top bit in subtraction, too, a + ~b + 1: a borrow
 * leaves 0, and subc subtracts one less if the bit is set. ptxas compiles and folds it so, whatever mix of
 * add, sub and mad a chain is. */
#define CARRY_OP(name, U, wide, second, alone)                                                     \
    static void name(struct exec *x, const struct uop *u)                                          \
    {                                                                                              \
        const U *a = SRC(U, 0), *b = SRC(U, 1);                                                    \
        U *d = DST(U, 0);                                                                          \
        uint32_t carry = u->imm & 1 ? x->warp->carry : alone, next = 0;                            \
        LANES                                                                                      \
        {                                                                                          \
            if (!((x->mask >> i) & 1)) continue;                                                   \
            const U A = a[i], B = b[i];                                                            \
            wide sum = (wide)A + (U)(second) + ((carry >> i) & 1);                                 \
            next |= (uint32_t)(sum >> (8 * sizeof(U))) << i;                                       \
            d[i] = (U)sum;                                                                         \
        }                                                                                          \
        if (u->imm & 2) x->warp->carry = (x->warp->carry & ~x->mask) | next;                       \
    }
CARRY_OP(addc_32, uint32_t, uint64_t, B, 0)
CARRY_OP(addc_64, uint64_t, u128, B, 0)
CARRY_OP(subc_32, uint32_t, uint64_t, ~B, UINT32_MAX)
CARRY_OP(subc_64, uint64_t, u128, ~B, UINT32_MAX)

#define MADC_OP(name, U, product, wide)                                                            \
    static void name(struct exec *x, const struct uop *u)                                          \
    {                                                                                              \
        const U *a = SRC(U, 0), *b = SRC(U, 1), *c = SRC(U, 2);                                    \
        U *d = DST(U, 0);                                                                          \
        uint32_t carry = x->warp->carry, next = 0;                                                 \
        LANES                                                                                      \
        {                                                                                          \
            if (!((x->mask >> i) & 1)) continue;                                                   \
            const U A = a[i], B = b[i], C = c[i];                                                  \
            wide sum = (wide)(U)(product) + C + ((u->imm & 1) ? (carry >> i) & 1 : 0);             \
            next |= (uint32_t)(sum >> (8 * sizeof(U))) << i;                                       \
            d[i] = (U)sum;                                                                         \
        }                                                                                          \
        if (u->imm & 2) x->warp->carry = (carry & ~x->mask) | next;                                \
    }
MADC_OP(madc_lo_32, uint32_t, (uint64_t)A *B, uint64_t)
MADC_OP(madc_hi_u32, uint32_t, ((uint64_t)A * B) >> 32, uint64_t)
MADC_OP(madc_hi_s32, uint32_t, ((int64_t)(int32_t)A * (int32_t)B) >> 32, uint64_t)
MADC_OP(madc_lo_64, uint64_t, (u128)A *B, u128)
MADC_OP(madc_hi_u64, uint64_t, ((u128)A * B) >> 64, u128)
MADC_OP(madc_hi_s64, uint64_t, (u128)((s128)(int64_t)A *(int64_t)B) >> 64, u128)

/* Dot products of packed bytes and halves. imm: bit 0 a signed, bit 1 b signed, bit 2 upper half. */
static inline int32_t packed(uint32_t v, unsigned at, unsigned bits, bool is_signed)
{
    uint32_t field = (v >> at) & ((1u << bits) - 1);
    return is_signed && (field >> (bits - 1)) ? (int32_t)field - (1 << bits) : (int32_t)field;
}
static inline uint32_t dot4(uint32_t a, uint32_t b, uint32_t c, int64_t imm)
{
    for (unsigned k = 0; k < 32; k += 8)
        c += (uint32_t)(packed(a, k, 8, imm & 1) * packed(b, k, 8, imm & 2));
    return c;
}
static inline uint32_t dot2(uint32_t a, uint32_t b, uint32_t c, int64_t imm)
{
    unsigned from = imm & 4 ? 16 : 0;
    for (unsigned k = 0; k < 2; k++)
        c += (uint32_t)(packed(a, 16 * k, 16, imm & 1) * packed(b, from + 8 * k, 8, imm & 2));
    return c;
}
OP3(dp4a_any, uint32_t, uint32_t, uint32_t, uint32_t, dot4(A, B, C, u->imm))
OP3(dp2a_any, uint32_t, uint32_t, uint32_t, uint32_t, dot2(A, B, C, u->imm))

/* ---- selection ------------------------------------------------------------------------------- */

static struct uop_pair select_addc(const struct insn *insn, const struct function *function)
{
    (void)function;
    return is_64(insn) ? SAME(addc_64) : SAME(addc_32);
}
static struct uop_pair select_subc(const struct insn *insn, const struct function *function)
{
    (void)function;
    return is_64(insn) ? SAME(subc_64) : SAME(subc_32);
}
static struct uop_pair select_madc(const struct insn *insn, const struct function *function)
{
    (void)function;
    bool hi = insn->mul_part == MUL_HI, is_signed = type_infos[insn->type].kind == KIND_SIGNED;
    if (!hi) return is_64(insn) ? SAME(madc_lo_64) : SAME(madc_lo_32);
    if (is_64(insn)) return is_signed ? SAME(madc_hi_s64) : SAME(madc_hi_u64);
    return is_signed ? SAME(madc_hi_s32) : SAME(madc_hi_u32);
}
static struct uop_pair select_mul24(const struct insn *insn, const struct function *function)
{
    (void)function;
    if (insn->mul_part == MUL_HI)
        return insn->type == TYPE_S32 ? PAIR(mul24_hi_s32) : PAIR(mul24_hi_u32);
    return insn->type == TYPE_S32 ? PAIR(mul24_lo_s32) : PAIR(mul24_lo_u32);
}
static struct uop_pair select_mad24(const struct insn *insn, const struct function *function)
{
    (void)function;
    if (insn->flags & INSN_SAT)
        return insn->mul_part == MUL_HI ? PAIR(mad24_hi_sat_s32) : NOT_SUPPORTED;
    if (insn->mul_part == MUL_HI)
        return insn->type == TYPE_S32 ? PAIR(mad24_hi_s32) : PAIR(mad24_hi_u32);
    return insn->type == TYPE_S32 ? PAIR(mad24_lo_s32) : PAIR(mad24_lo_u32);
}
static struct uop_pair select_sad(const struct insn *insn, const struct function *function)
{
    (void)function;
    return BY_SIGN(insn, sad_);
}
static struct uop_pair select_rem(const struct insn *insn, const struct function *function)
{
    (void)function;
    return BY_SIGN(insn, rem_);
}
static struct uop_pair select_dp4a(const struct insn *insn, const struct function *function)
{
    (void)insn, (void)function;
    return PAIR(dp4a_any);
}
static struct uop_pair select_dp2a(const struct insn *insn, const struct function *function)
{
    (void)insn, (void)function;
    return PAIR(dp2a_any);
}

#endif
