// SPDX-License-Identifier: Apache-2.0
/* Compare, select, classify. A comparison makes one bit a lane, which is then combined with c and
 * written to p and, inverted, to q. */
#ifndef EMULATE_SEM_COMPARE_H
#define EMULATE_SEM_COMPARE_H

#include "emulate/sem_compare_half.h"
#include "emulate/sem_compare_result.h"
#include "emulate/sem_double.h"
#include "emulate/sem_float.h"
#include "emulate/sem_select.h"

static inline float compare_in(float v, int64_t imm)
{
    return imm & 4 ? flush(v) : v;
}
static inline double compare_in64(double v, int64_t imm)
{
    (void)imm;
    return v;
}
#define INT_IN(v, imm) (v)
/* Every comparison of type T: COMPARE makes the lane values -1 or 0, setp and set use them. */
#define COMPARE_OF(name, T, S, in, lane_a, lane_b, expr)                                           \
    static inline uint32_t name##_bits(struct exec *x, const struct uop *u)                        \
    {                                                                                              \
        const S *a = SRC(S, 0), *b = SRC(S, 1);                                                    \
        int32_t c[WARP_LANES] __attribute__((aligned(64)));                                        \
        VECTOR LANES                                                                               \
        {                                                                                          \
            const T A = in(lane_a, u->imm), B = in(lane_b, u->imm);                                \
            c[i] = (expr) ? -1 : 0;                                                                \
        }                                                                                          \
        return lanes_to_mask(c);                                                                   \
    }                                                                                              \
    static void setp_##name(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        write_setp(x, u, name##_bits(x, u));                                                       \
    }
#define COMPARE(name, T, in, expr)                                                                 \
    COMPARE_OF(name, T, T, in, a[i], b[i], expr)                                                   \
    static void set_##name(struct exec *x, const struct uop *u)                                    \
    {                                                                                              \
        write_set(x, u, name##_bits(x, u));                                                        \
    }

#define COMPARE_INT(N, U, S)                                                                       \
    COMPARE(eq_##N, U, INT_IN, A == B)                                                             \
    COMPARE(ne_##N, U, INT_IN, A != B)                                                             \
    COMPARE(lt_u##N, U, INT_IN, A < B)                                                             \
    COMPARE(le_u##N, U, INT_IN, A <= B)                                                            \
    COMPARE(gt_u##N, U, INT_IN, A > B)                                                             \
    COMPARE(ge_u##N, U, INT_IN, A >= B)                                                            \
    COMPARE(lt_s##N, S, INT_IN, A < B)                                                             \
    COMPARE(le_s##N, S, INT_IN, A <= B)                                                            \
    COMPARE(gt_s##N, S, INT_IN, A > B)                                                             \
    COMPARE(ge_s##N, S, INT_IN, A >= B)
INT_TYPES(COMPARE_INT)

/* Ordered comparisons are false, unordered ones true, if an operand is NaN. */
#define COMPARE_FLOAT(N, T, in) COMPARE_FLOATS(N, COMPARE, T, in)
#define COMPARE_FLOATS(N, COMPARE, T, in)                                                          \
    COMPARE(eq_##N, T, in, A == B)                                                                 \
    COMPARE(ne_##N, T, in, A<B || A> B)                                                            \
    COMPARE(lt_##N, T, in, A < B)                                                                  \
    COMPARE(le_##N, T, in, A <= B)                                                                 \
    COMPARE(gt_##N, T, in, A > B)                                                                  \
    COMPARE(ge_##N, T, in, A >= B)                                                                 \
    COMPARE(equ_##N, T, in, !(A < B || A > B))                                                     \
    COMPARE(neu_##N, T, in, A != B)                                                                \
    COMPARE(ltu_##N, T, in, !(A >= B))                                                             \
    COMPARE(leu_##N, T, in, !(A > B))                                                              \
    COMPARE(gtu_##N, T, in, !(A <= B))                                                             \
    COMPARE(geu_##N, T, in, !(A < B))                                                              \
    COMPARE(num_##N, T, in, A == A && B == B)                                                      \
    COMPARE(nan_##N, T, in, A != A || B != B)
COMPARE_FLOAT(f32, float, compare_in)
COMPARE_FLOAT(f64, double, compare_in64)
/* Of pairs of native registers. */
#define COMPARE_PAIR(name, T, in, expr)                                                            \
    COMPARE_OF(name, T, uint32_t, in, double_of_bits(pair_lane(a, i)),                             \
               double_of_bits(pair_lane(b, i)), expr)
COMPARE_FLOATS(pair, COMPARE_PAIR, double, compare_in64)

static void selp_pred_bits(const struct uop *u, struct exec *x, int32_t *c)
{
    uint32_t p = source_predicate(x, u, 2);
    expand_mask(p, c);
}
#define SELECT_LANES(N, U)                                                                         \
    static void selp_##N##_full(struct exec *x, const struct uop *u)                               \
    {                                                                                              \
        const U *a = SRC(U, 0), *b = SRC(U, 1);                                                    \
        U *d = DST(U, 0);                                                                          \
        int32_t c[WARP_LANES] __attribute__((aligned(64)));                                        \
        selp_pred_bits(u, x, c);                                                                   \
        VECTOR LANES d[i] = c[i] ? a[i] : b[i];                                                    \
    }                                                                                              \
    static void selp_##N##_part(struct exec *x, const struct uop *u)                               \
    {                                                                                              \
        const U *a = SRC(U, 0), *b = SRC(U, 1);                                                    \
        U *d = DST(U, 0);                                                                          \
        int32_t c[WARP_LANES] __attribute__((aligned(64)));                                        \
        selp_pred_bits(u, x, c);                                                                   \
        const int32_t *m = x->lane_mask;                                                           \
        VECTOR LANES                                                                               \
        {                                                                                          \
            U r = c[i] ? a[i] : b[i];                                                              \
            d[i] = m[i] ? r : d[i];                                                                \
        }                                                                                          \
    }                                                                                              \
    OP3(slct_s##N, U, U, U, int32_t, C >= 0 ? A : B)                                               \
    OP3(slct_f##N, U, U, U, float, ftz_in(C, u->imm) >= 0.0f ? A : B)
SELECT_LANES(16, uint16_t)
SELECT_LANES(32, uint32_t)
SELECT_LANES(64, uint64_t)

static inline bool test_property(double v, bool subnormal, int64_t what)
{
    switch (what) {
    case SUB_FINITE:
        return isfinite(v);
    case SUB_INFINITE:
        return isinf(v);
    case SUB_NUMBER:
        return v == v;
    case SUB_NOTANUMBER:
        return v != v;
    case SUB_NORMAL:
        return isfinite(v) && !subnormal; /* zeros count as normal (ISA) */
    default:
        return subnormal;
    }
}
#define TESTP(name, T, least)                                                                      \
    static void name(struct exec *x, const struct uop *u)                                          \
    {                                                                                              \
        const T *a = SRC(T, 0);                                                                    \
        uint32_t bits = 0;                                                                         \
        LANES bits |=                                                                              \
            (uint32_t)test_property((double)a[i], a[i] != 0 && fabs((double)a[i]) < least, u->imm) \
            << i;                                                                                  \
        write_predicate(x, u->dst[0], bits);                                                       \
    }
TESTP(testp_f32, float, (double)FLT_MIN)
TESTP(testp_f64, double, DBL_MIN)
OP2(copysign_32, uint32_t, uint32_t, uint32_t, (A & 0x80000000) | (B & 0x7fffffff))
OP2(copysign_64, uint64_t, uint64_t, uint64_t,
    (A & UINT64_C(0x8000000000000000)) | (B & UINT64_C(0x7fffffffffffffff)))

/* ---- selection ------------------------------------------------------------------------------- */

typedef uop_fn *compare_row[3]; /* by width: 16, 32, 64 */
#define ROW_INT(prefix, cmp)                                                                       \
    {                                                                                              \
        prefix##cmp##16, prefix##cmp##32, prefix##cmp##64                                          \
    }
#define INT_TABLE(prefix)                                                                          \
    static uop_fn *prefix##int(unsigned compare, bool is_signed, unsigned width)                   \
    {                                                                                              \
        static const compare_row u[] = {                                                           \
            [CMP_EQ] = ROW_INT(prefix, eq_),  [CMP_NE] = ROW_INT(prefix, ne_),                     \
            [CMP_LT] = ROW_INT(prefix, lt_u), [CMP_LE] = ROW_INT(prefix, le_u),                    \
            [CMP_GT] = ROW_INT(prefix, gt_u), [CMP_GE] = ROW_INT(prefix, ge_u),                    \
            [CMP_LO] = ROW_INT(prefix, lt_u), [CMP_LS] = ROW_INT(prefix, le_u),                    \
            [CMP_HI] = ROW_INT(prefix, gt_u), [CMP_HS] = ROW_INT(prefix, ge_u)};                   \
        static const compare_row s[] = {                                                           \
            [CMP_EQ] = ROW_INT(prefix, eq_),  [CMP_NE] = ROW_INT(prefix, ne_),                     \
            [CMP_LT] = ROW_INT(prefix, lt_s), [CMP_LE] = ROW_INT(prefix, le_s),                    \
            [CMP_GT] = ROW_INT(prefix, gt_s), [CMP_GE] = ROW_INT(prefix, ge_s)};                   \
        unsigned column = width == 16 ? 0 : width == 32 ? 1 : 2;                                   \
        if (is_signed) return compare <= CMP_GE ? s[compare][column] : NULL;                       \
        return compare <= CMP_HS ? u[compare][column] : NULL;                                      \
    }
INT_TABLE(setp_)
INT_TABLE(set_)
#define FLOAT_TABLE(prefix, type)                                                                  \
    static uop_fn *prefix##type(unsigned compare)                                                  \
    {                                                                                              \
        static uop_fn *const rows[] = {                                                            \
            [CMP_EQ] = prefix##eq_##type,   [CMP_NE] = prefix##ne_##type,                          \
            [CMP_LT] = prefix##lt_##type,   [CMP_LE] = prefix##le_##type,                          \
            [CMP_GT] = prefix##gt_##type,   [CMP_GE] = prefix##ge_##type,                          \
            [CMP_EQU] = prefix##equ_##type, [CMP_NEU] = prefix##neu_##type,                        \
            [CMP_LTU] = prefix##ltu_##type, [CMP_LEU] = prefix##leu_##type,                        \
            [CMP_GTU] = prefix##gtu_##type, [CMP_GEU] = prefix##geu_##type,                        \
            [CMP_NUM] = prefix##num_##type, [CMP_NAN] = prefix##nan_##type};                       \
        return compare <= CMP_NAN ? rows[compare] : NULL;                                          \
    }
FLOAT_TABLE(setp_, f32)
FLOAT_TABLE(setp_, f64)
FLOAT_TABLE(setp_, pair)
FLOAT_TABLE(set_, f32)
FLOAT_TABLE(set_, f64)

static struct uop_pair select_setp(const struct insn *insn, const struct function *function)
{
    const struct type_info *type = &type_infos[insn->type];
    if (insn->type == TYPE_F32) return SAME(setp_f32(insn->compare));
    if (function->native_code && keeps_pairs(insn)) return SAME(setp_pair(insn->compare));
    if (insn->type == TYPE_F64) return SAME(setp_f64(insn->compare));
    if (type->kind == KIND_FLOAT) return select_setp_half(insn);
    return SAME(setp_int(insn->compare, type->kind == KIND_SIGNED, type->bits));
}
static struct uop_pair select_set(const struct insn *insn, const struct function *function)
{
    (void)function;
    const struct type_info *type = &type_infos[insn->type2];
    if (insn->type2 == TYPE_F32) return SAME(set_f32(insn->compare));
    if (insn->type2 == TYPE_F64) return SAME(set_f64(insn->compare));
    if (type->kind == KIND_FLOAT) return select_set_half(insn);
    return SAME(set_int(insn->compare, type->kind == KIND_SIGNED, type->bits));
}
SELECT_ONE(selp, BY_WIDTH(insn, selp_))
SELECT_ONE(slct, insn->type2 == TYPE_F32 ? BY_WIDTH(insn, slct_f) : BY_WIDTH(insn, slct_s))
SELECT_ONE(testp, is_64(insn) ? SAME(testp_f64) : SAME(testp_f32))
SELECT_ONE(copysign, is_64(insn) ? PAIR(copysign_64) : PAIR(copysign_32))

#endif
