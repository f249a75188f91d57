// SPDX-License-Identifier: Apache-2.0
/* f32 and f64 (emulate/sem_float.h, sem_double.h). f32: any NaN among the sources gives 0x7fffffff, so that a chain
 * of sums and products need make it that only at its end (value.is_raw). f64: the processor's rule is ours as
 * long as operands come in the order in which the interpreter names them. */
#include "compile/body.h"

enum { COMPARE_UNORDERED = 3, CLASS_SUBNORMAL = 0x20, NAN_MASK = 7, FLUSH_MASK = 6 };

void emit_canonical(struct body *b, unsigned reg)
{
    x86_vector(b->a, X86_COMPARE_F32, NAN_MASK, reg, x86_reg(reg), 0, COMPARE_UNORDERED);
    x86_vector(b->a, X86_BROADCAST_32, reg, 0, CONSTANT(nan), NAN_MASK, -1);
}

/* Subnormals become zeros of their sign. */
static void emit_flush(struct body *b, unsigned reg)
{
    x86_vector(b->a, X86_CLASS_F32, FLUSH_MASK, 0, x86_reg(reg), 0, CLASS_SUBNORMAL);
    x86_vector(b->a, X86_AND_32, reg, reg, CONSTANT(sign), FLUSH_MASK, -1);
}

struct x86_place emit_flushed(struct body *b, struct x86_place from, bool flushes, unsigned scratch)
{
    if (!flushes) return from;
    emit2(b, X86_MOVE, scratch, from);
    emit_flush(b, scratch);
    return x86_reg(scratch);
}

/* How the operation rounds: by the processor's default, or as the last operand says, which is a register then. */
static enum x86_rounding rounding_of(const struct insn *insn)
{
    return insn->rounding == ROUND_RZ   ? X86_ROUND_ZERO
           : insn->rounding == ROUND_RM ? X86_ROUND_DOWN
           : insn->rounding == ROUND_RP ? X86_ROUND_UP
                                        : X86_ROUND_DEFAULT;
}

static struct x86_place emit_rounded(struct body *b, const struct uop *u, struct x86_place last,
                                     unsigned scratch)
{
    enum x86_rounding rounding = rounding_of(u->insn);
    if (rounding == X86_ROUND_DEFAULT) return last;
    return x86_rounded(value_in_register(b, last, scratch), rounding);
}

/* Of a result of f32: subnormals, and what lies outside of 0 to 1; a NaN becomes 0. */
static void emit_finished(struct body *b, const struct uop *u, unsigned reg)
{
    if (u->insn->flags & INSN_FTZ) emit_flush(b, reg);
    if (!(u->insn->flags & INSN_SAT)) return;
    emit3(b, X86_XOR_32, SCRATCH, SCRATCH, x86_reg(SCRATCH));
    emit3(b, X86_MAX_F32, reg, reg, x86_reg(SCRATCH));
    emit3(b, X86_MIN_F32, reg, reg, CONSTANT(float_one));
}

/* ---- f32 ------------------------------------------------------------------------------------- */

static enum x86_form binary_f32(unsigned op)
{
    return op == OP_ADD   ? X86_ADD_F32
           : op == OP_SUB ? X86_SUB_F32
           : op == OP_MUL ? X86_MUL_F32
                          : X86_DIV_F32;
}

static bool template_binary_f32(struct body *b, const struct uop *u, bool flushes)
{
    if (!has_widths(u, 4, 4, 4, 0)) return false;
    struct source first = value_raw_source(b, u->src[0]), second = value_raw_source(b, u->src[1]);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        struct x86_place x = emit_flushed(b, first.chunks[c], flushes, SCRATCH);
        struct x86_place y = emit_flushed(b, second.chunks[c], flushes, SCRATCH + 1);
        emit3(b, binary_f32(u->insn->op), result.regs[c], value_in_register(b, x, SCRATCH),
              emit_rounded(b, u, y, SCRATCH + 1));
        emit_finished(b, u, result.regs[c]);
    }
    value_finish(b, 0, &result, 4, true);
    return true;
}

static bool template_fma_f32(struct body *b, const struct uop *u, bool flushes)
{
    if (!has_widths(u, 4, 4, 4, 4)) return false;
    struct source first = value_raw_source(b, u->src[0]), second = value_raw_source(b, u->src[1]);
    struct source third = value_raw_source(b, u->src[2]);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned to = result.regs[c];
        struct x86_place x = emit_flushed(b, first.chunks[c], flushes, SCRATCH);
        struct x86_place y = emit_flushed(b, second.chunks[c], flushes, SCRATCH + 1);
        unsigned factor = value_in_register(b, x, SCRATCH);
        emit2(b, X86_MOVE, to, third.chunks[c]);
        if (flushes) emit_flush(b, to);
        emit3(b, X86_FMA_F32, to, factor, emit_rounded(b, u, y, SCRATCH + 1));
        emit_finished(b, u, to);
    }
    value_finish(b, 0, &result, 4, true);
    return true;
}

/* Of a number and a NaN the number; of equal ones, which may be zeros, the sign by or, and. */
static bool template_minmax_f32(struct body *b, const struct uop *u, bool flushes)
{
    enum { COMPARE_EQUAL = 0, EQUAL_MASK = 5 };
    bool is_min = u->insn->op == OP_MIN;
    if (u->insn->nsrc != 2 || !has_widths(u, 4, 4, 4, 0)) return false;
    struct source first = value_raw_source(b, u->src[0]), second = value_raw_source(b, u->src[1]);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned to = result.regs[c];
        unsigned x =
            value_in_register(b, emit_flushed(b, first.chunks[c], flushes, SCRATCH), SCRATCH);
        unsigned y = value_in_register(b, emit_flushed(b, second.chunks[c], flushes, SCRATCH + 1),
                                       SCRATCH + 1);
        emit3(b, is_min ? X86_MIN_F32 : X86_MAX_F32, to, x, x86_reg(y));
        x86_vector(b->a, X86_COMPARE_F32, EQUAL_MASK, x, x86_reg(y), 0, COMPARE_EQUAL);
        x86_vector(b->a, is_min ? X86_OR_32 : X86_AND_32, to, x, x86_reg(y), EQUAL_MASK, -1);
        x86_vector(b->a, X86_COMPARE_F32, NAN_MASK, y, x86_reg(y), 0, COMPARE_UNORDERED);
        x86_vector(b->a, X86_MOVE, to, 0, x86_reg(x), NAN_MASK, -1);
    }
    value_finish(b, 0, &result, 4, true);
    return true;
}

static bool template_unary_f32(struct body *b, const struct uop *u, bool flushes)
{
    const struct insn *insn = u->insn;
    if (!has_widths(u, 4, 4, 0, 0)) return false;
    struct source source = value_raw_source(b, u->src[0]);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned to = result.regs[c];
        struct x86_place from = emit_flushed(b, source.chunks[c], flushes, SCRATCH);
        if (insn->op == OP_SQRT) {
            emit2(b, X86_SQRT_F32, to, emit_rounded(b, u, from, SCRATCH));
        } else if (insn->op == OP_RCP) {
            emit2(b, X86_BROADCAST_32, to, CONSTANT(float_one));
            emit3(b, X86_DIV_F32, to, to, emit_rounded(b, u, from, SCRATCH));
        } else {
            bool is_abs = insn->op == OP_ABS;
            emit3(b, is_abs ? X86_AND_32 : X86_XOR_32, to, value_in_register(b, from, SCRATCH),
                  is_abs ? CONSTANT(no_sign) : CONSTANT(sign));
        }
        emit_finished(b, u, to);
    }
    value_finish(b, 0, &result, 4, true);
    return true;
}

static bool template_f32(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    bool flushes = insn->flags & INSN_FTZ;
    bool more = insn->type2 || insn->rounding > ROUND_RP ||
                insn->flags & (INSN_NAN | INSN_ABS | INSN_RELU | INSN_OOB | INSN_XORSIGN);
    if (more) return false;
    switch (insn->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
        return template_binary_f32(b, u, flushes);
    case OP_DIV:
        return !(insn->flags & (INSN_APPROX | INSN_FULL)) && template_binary_f32(b, u, flushes);
    case OP_FMA:
    case OP_MAD:
        return template_fma_f32(b, u, flushes);
    case OP_MIN:
    case OP_MAX:
        return template_minmax_f32(b, u, flushes);
    case OP_SQRT:
    case OP_RCP:
    case OP_NEG:
    case OP_ABS:
        return template_unary_f32(b, u, flushes);
    default:
        return false;
    }
}

/* ---- f64 ------------------------------------------------------------------------------------- */

static bool template_binary_f64(struct body *b, const struct uop *u, enum x86_form form)
{
    if (!has_widths(u, 8, 8, 8, 0)) return false;
    struct source first = value_source(b, u->src[0], 8), second = value_source(b, u->src[1], 8);
    struct result result = value_begin(b, 8);
    for (unsigned c = 0; c < 4; c++)
        emit3(b, form, result.regs[c], value_in_register(b, first.chunks[c], SCRATCH),
              emit_rounded(b, u, second.chunks[c], SCRATCH + 1));
    value_finish(b, 0, &result, 8, false);
    return true;
}

static bool template_fma_f64(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 8, 8, 8, 8)) return false;
    struct source first = value_source(b, u->src[0], 8), second = value_source(b, u->src[1], 8);
    struct source third = value_source(b, u->src[2], 8);
    struct result result = value_begin(b, 8);
    for (unsigned c = 0; c < 4; c++) {
        unsigned addend = value_in_register(b, third.chunks[c], SCRATCH);
        emit2(b, X86_MOVE, result.regs[c], first.chunks[c]);
        emit3(b, X86_FMA_F64, result.regs[c], addend,
              emit_rounded(b, u, second.chunks[c], SCRATCH + 1));
    }
    value_finish(b, 0, &result, 8, false);
    return true;
}

/* A NaN passes neg and abs as it is. */
static bool template_unary_f64(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    if (!has_widths(u, 8, 8, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 8);
    struct result result = value_begin(b, 8);
    for (unsigned c = 0; c < 4; c++) {
        unsigned to = result.regs[c];
        if (insn->op == OP_SQRT) {
            emit2(b, X86_SQRT_F64, to, emit_rounded(b, u, source.chunks[c], SCRATCH));
            continue;
        }
        unsigned from = value_in_register(b, source.chunks[c], SCRATCH);
        emit3(b, insn->op == OP_ABS ? X86_AND_64 : X86_XOR_64, to, from,
              insn->op == OP_ABS ? CONSTANT(no_sign_64) : CONSTANT(sign_64));
        x86_vector(b->a, X86_COMPARE_F64, NAN_MASK, from, x86_reg(from), 0, COMPARE_UNORDERED);
        x86_vector(b->a, X86_BLEND_64, to, to, x86_reg(from), NAN_MASK, -1);
    }
    value_finish(b, 0, &result, 8, false);
    return true;
}

static bool template_f64(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    if (insn->type2 || insn->rounding > ROUND_RP) return false;
    switch (insn->op) {
    case OP_ADD:
        return template_binary_f64(b, u, X86_ADD_F64);
    case OP_SUB:
        return template_binary_f64(b, u, X86_SUB_F64);
    case OP_MUL:
        return template_binary_f64(b, u, X86_MUL_F64);
    case OP_DIV:
        return template_binary_f64(b, u, X86_DIV_F64);
    case OP_FMA:
    case OP_MAD:
        return template_fma_f64(b, u);
    case OP_SQRT:
    case OP_NEG:
    case OP_ABS:
        return template_unary_f64(b, u);
    default:
        return false;
    }
}

bool template_float(struct body *b, const struct uop *u)
{
    if (u->insn->type == TYPE_F32) return template_f32(b, u);
    if (u->insn->type == TYPE_F64) return template_f64(b, u);
    return false;
}
