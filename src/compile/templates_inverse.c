// SPDX-License-Identifier: Apache-2.0
/* Approximate quotients, inverses and inverse roots (emulate/sem_float.h, sem_double.h). */
#include "compile/body.h"

/* Beyond 2^126 the quotient is 0; infinity over such a number a NaN. */
bool template_div_approx(struct body *b, const struct uop *u)
{
    enum { LARGE_MASK = 5, GREATER = 0x1e, LESS_EQUAL = 0x12, OTHER = SCRATCH + 2 };
    bool flushes = u->insn->flags & INSN_FTZ;
    if (!has_widths(u, 4, 4, 4, 0)) return false;
    struct source first = value_raw_source(b, u->src[0], 4);
    struct source second = value_raw_source(b, u->src[1], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned to = result.regs[c];
        struct x86_place place = emit_flushed(b, first.chunks[c], flushes, SCRATCH);
        unsigned x = value_in_register(b, place, SCRATCH);
        place = emit_flushed(b, second.chunks[c], flushes, SCRATCH + 1);
        unsigned y = value_in_register(b, place, SCRATCH + 1);
        emit3(b, X86_DIV_F32, to, x, x86_reg(y));
        emit3(b, X86_AND_32, OTHER, y, CONSTANT(no_sign));
        x86_vector(b->a, X86_COMPARE_F32, LARGE_MASK, OTHER, CONSTANT(two_126), 0, GREATER);
        x86_vector(b->a, X86_COMPARE_F32, LARGE_MASK, OTHER, CONSTANT(largest), LARGE_MASK,
                   LESS_EQUAL);
        emit3(b, X86_AND_32, OTHER, y, CONSTANT(sign));
        x86_vector(b->a, X86_MUL_F32, to, x, x86_reg(OTHER), LARGE_MASK, -1);
        emit_finished(b, u, to);
    }
    value_finish(b, 0, &result, 4, true);
    return true;
}

/* Eight of 1 / sqrt(x) in f64, rounded to f32: the steps of rsqrt_floats (emulate/sem_float.h). `to` has x. */
static void emit_rsqrt(struct body *b, unsigned to, unsigned root)
{
    enum { HALF = SCRATCH + 1, HALVED, REST };
    emit2(b, X86_BROADCAST_64, HALF, CONSTANT(half_64));
    emit3(b, X86_MUL_F64, HALVED, to, x86_reg(HALF));
    emit2(b, X86_RSQRT14_F64, root, x86_reg(to));
    for (unsigned step = 0; step < 2; step++) {
        emit3(b, X86_MUL_F64, to, HALVED, x86_reg(root));
        emit2(b, X86_MOVE, REST, x86_reg(HALF));
        emit3(b, X86_FNMA_F64, REST, to, x86_reg(root));
        emit2(b, X86_MOVE, to, x86_reg(root));
        emit3(b, X86_FMA_ADD_F64, root, to, x86_reg(REST));
    }
    emit2(b, X86_F32_OF_F64, to, x86_reg(root));
}

static bool template_rsqrt_f32(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 4, 4, 0, 0)) return false;
    struct source source = value_raw_source(b, u->src[0], 4);
    struct result result = value_begin(b, 4), temporary = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned root = temporary.regs[0], x = temporary.regs[1], to = result.regs[c];
        emit2(b, X86_MOVE, x,
              emit_flushed(b, source.chunks[c], u->insn->flags & INSN_FTZ, SCRATCH));
        emit2(b, X86_F64_OF_F32, to, x86_reg(x));
        emit_rsqrt(b, to, root);
        x86_vector(b->a, X86_UPPER_HALF, x, 0, x86_reg(SCRATCH), 0, 1);
        emit2(b, X86_F64_OF_F32, SCRATCH, x86_reg(SCRATCH));
        emit_rsqrt(b, SCRATCH, root);
        x86_vector(b->a, X86_JOIN_HALVES, to, to, x86_reg(SCRATCH), 0, 1);
        /* of zeros infinities, of infinity 0, of what is negative a NaN */
        x86_vector(b->a, X86_FIX_F32, to, x, CONSTANT(rsqrt_classes), 0, 0);
    }
    value_release(b, &temporary, 4);
    value_finish(b, 0, &result, 4, true);
    return true;
}

/* 1 / x, 1 / sqrt(x). */
static bool template_inverse_f64(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 8, 8, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 8);
    struct result result = value_begin(b, 8);
    for (unsigned c = 0; c < 4; c++) {
        struct x86_place divisor = source.chunks[c];
        if (u->insn->op == OP_RSQRT) {
            emit2(b, X86_SQRT_F64, SCRATCH, divisor);
            divisor = x86_reg(SCRATCH);
        }
        emit2(b, X86_BROADCAST_64, result.regs[c], CONSTANT(float_one_64));
        emit3(b, X86_DIV_F64, result.regs[c], result.regs[c], emit_rounded(b, u, divisor, SCRATCH));
    }
    value_finish(b, 0, &result, 8, false);
    return true;
}

bool template_inverse(struct body *b, const struct uop *u)
{
    bool is_f64 = u->insn->type == TYPE_F64, is_halved = u->insn->flags & (INSN_FTZ | INSN_APPROX);
    switch (u->insn->op) {
    case OP_RCP:
        return is_f64 && !is_halved && template_inverse_f64(b, u);
    case OP_RSQRT:
        if (is_f64) return !(u->insn->flags & INSN_FTZ) && template_inverse_f64(b, u);
        return u->insn->type == TYPE_F32 && template_rsqrt_f32(b, u);
    default:
        return false;
    }
}
