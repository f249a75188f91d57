// SPDX-License-Identifier: Apache-2.0
/* f32x2, u16x2, s16x2: a register of 32 lanes is an array of 64 elements. */
#ifndef EMULATE_SEM_PACKED_H
#define EMULATE_SEM_PACKED_H

#include "emulate/sem_float.h"
#include "emulate/sem_select.h"

#define PACKED_FORMS(name, T, lane, prepare, load, expr)                                           \
    static inline void name(struct exec *x, const struct uop *u, T *r)                             \
    {                                                                                              \
        prepare;                                                                                   \
        VECTOR for (unsigned i = 0; i < 2 * WARP_LANES; i++)                                       \
        {                                                                                          \
            load;                                                                                  \
            r[i] = (T)(expr);                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void name##_full(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        name(x, u, DST(T, 0));                                                                     \
    }                                                                                              \
    static void name##_part(struct exec *x, const struct uop *u)                                   \
    {                                                                                              \
        T r[2 * WARP_LANES] __attribute__((aligned(64)));                                          \
        name(x, u, r);                                                                             \
        KEEP_OTHER_LANES(lane)                                                                     \
    }
#define PACKED2(name, T, lane, expr)                                                               \
    PACKED_FORMS(name, T, lane, const T *a = SRC(T, 0); const T *b = SRC(T, 1), const T A = a[i];  \
                 const T B = b[i], expr)
#define PACKED3(name, T, lane, expr)                                                               \
    PACKED_FORMS(name, T, lane, const T *a = SRC(T, 0); const T *b = SRC(T, 1);                    \
                 const T *c = SRC(T, 2), const T A = a[i]; const T B = b[i];                       \
                 const T C = c[i], expr)

PACKED2(add_f32x2, float, uint64_t, canon(A + B))
PACKED2(sub_f32x2, float, uint64_t, canon(A - B))
PACKED2(mul_f32x2, float, uint64_t, canon(A *B))
PACKED3(fma_f32x2, float, uint64_t, canon(fmaf(A, B, C)))
PACKED2(add_f32x2_any, float, uint64_t, add_any(A, B, u->imm))
PACKED2(sub_f32x2_any, float, uint64_t, add_any(A, -B, u->imm))
PACKED2(mul_f32x2_any, float, uint64_t, mul_any(A, B, u->imm))
PACKED3(fma_f32x2_any, float, uint64_t, fma_any(A, B, C, u->imm))

PACKED2(add_f32x2_ftz, float, uint64_t, flushed(flush(A) + flush(B)))
PACKED2(sub_f32x2_ftz, float, uint64_t, flushed(flush(A) - flush(B)))
PACKED2(mul_f32x2_ftz, float, uint64_t, flushed(flush(A) * flush(B)))
PACKED3(fma_f32x2_ftz, float, uint64_t, flushed(fmaf(flush(A), flush(B), flush(C))))

PACKED2(add_16x2, uint16_t, uint32_t, A + B)
PACKED2(min_u16x2, uint16_t, uint32_t, A < B ? A : B)
PACKED2(max_u16x2, uint16_t, uint32_t, A > B ? A : B)
PACKED2(min_s16x2, int16_t, uint32_t, A < B ? A : B)
PACKED2(max_s16x2, int16_t, uint32_t, A > B ? A : B)
PACKED2(min_relu_s16x2, int16_t, uint32_t, A < 0 || B < 0 ? 0 : A < B ? A : B)
PACKED2(max_relu_s16x2, int16_t, uint32_t, A < 0 && B < 0 ? 0 : A > B ? A : B)

/* ---- selection ------------------------------------------------------------------------------- */

static struct uop_pair select_f32x2(const struct insn *insn)
{
    bool ftz = insn->flags & INSN_FTZ, any = insn->rounding > ROUND_RN;
    switch (insn->op) {
    case OP_ADD:
        return BY_MODIFIERS(add_f32x2);
    case OP_SUB:
        return BY_MODIFIERS(sub_f32x2);
    case OP_MUL:
        return BY_MODIFIERS(mul_f32x2);
    case OP_FMA:
        return BY_MODIFIERS(fma_f32x2);
    default:
        return NOT_SUPPORTED;
    }
}
static struct uop_pair select_16x2(const struct insn *insn)
{
    bool is_signed = insn->type == TYPE_S16X2, relu = insn->flags & INSN_RELU;
    switch (insn->op) {
    case OP_ADD:
        return PAIR(add_16x2);
    case OP_MIN:
        return relu ? PAIR(min_relu_s16x2) : is_signed ? PAIR(min_s16x2) : PAIR(min_u16x2);
    case OP_MAX:
        return relu ? PAIR(max_relu_s16x2) : is_signed ? PAIR(max_s16x2) : PAIR(max_u16x2);
    default:
        return NOT_SUPPORTED;
    }
}

#endif
