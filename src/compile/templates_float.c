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

static enum x86_rounding rounding_of(const struct insn *insn)
{
    return insn->rounding == ROUND_RZ   ? X86_ROUND_ZERO
           : insn->rounding == ROUND_RM ? X86_ROUND_DOWN
           : insn->rounding == ROUND_RP ? X86_ROUND_UP
                                        : X86_ROUND_DEFAULT;
}

struct x86_place emit_rounded(struct body *b, const struct uop *u, struct x86_place last,
                              unsigned scratch)
{
    enum x86_rounding rounding = rounding_of(u->insn);
    if (rounding == X86_ROUND_DEFAULT) return last;
    return x86_rounded(value_in_register(b, last, scratch), rounding);
}

void emit_finished(struct body *b, const struct uop *u, unsigned reg)
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

/* Of f32 or pairs of them. */
static bool template_binary_f32(struct body *b, const struct uop *u, unsigned bytes, bool flushes)
{
    if (!has_widths(u, bytes, bytes, bytes, 0)) return false;
    struct source first = value_raw_source(b, u->src[0], bytes);
    struct source second = value_raw_source(b, u->src[1], bytes);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++) {
        struct x86_place x = emit_flushed(b, first.chunks[c], flushes, SCRATCH);
        struct x86_place y = emit_flushed(b, second.chunks[c], flushes, SCRATCH + 1);
        emit3(b, binary_f32(u->insn->op), result.regs[c], value_in_register(b, x, SCRATCH),
              emit_rounded(b, u, y, SCRATCH + 1));
        emit_finished(b, u, result.regs[c]);
    }
    value_finish(b, 0, &result, bytes, true);
    return true;
}

static bool template_fma_f32(struct body *b, const struct uop *u, unsigned bytes, bool flushes)
{
    if (!has_widths(u, bytes, bytes, bytes, bytes)) return false;
    struct source first = value_raw_source(b, u->src[0], bytes);
    struct source second = value_raw_source(b, u->src[1], bytes);
    struct source third = value_raw_source(b, u->src[2], bytes);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++) {
        unsigned to = result.regs[c];
        struct x86_place x = emit_flushed(b, first.chunks[c], flushes, SCRATCH);
        struct x86_place y = emit_flushed(b, second.chunks[c], flushes, SCRATCH + 1);
        unsigned factor = value_in_register(b, x, SCRATCH);
        emit2(b, X86_MOVE, to, third.chunks[c]);
        if (flushes) emit_flush(b, to);
        emit3(b, X86_FMA_F32, to, factor, emit_rounded(b, u, y, SCRATCH + 1));
        emit_finished(b, u, to);
    }
    value_finish(b, 0, &result, bytes, true);
    return true;
}

/* Of a number and a NaN the number; of equal ones, which may be zeros, the sign by or, and. */
void emit_min_max(struct body *b, const struct insn *insn, unsigned to, unsigned x, unsigned y)
{
    enum { COMPARE_EQUAL = 0, EQUAL_MASK = 5, SIGNS = SCRATCH + 2 };
    bool is_min = insn->op == OP_MIN, takes_signs = insn->flags & INSN_XORSIGN;
    if (takes_signs) {
        emit3(b, X86_XOR_32, SIGNS, x, x86_reg(y));
        emit3(b, X86_AND_32, SIGNS, SIGNS, CONSTANT(sign));
    }
    for (unsigned k = 0; insn->flags & INSN_ABS && k < 2; k++)
        emit3(b, X86_AND_32, k ? y : x, k ? y : x, CONSTANT(no_sign));
    emit3(b, is_min ? X86_MIN_F32 : X86_MAX_F32, to, x, x86_reg(y));
    x86_vector(b->a, X86_COMPARE_F32, EQUAL_MASK, x, x86_reg(y), 0, COMPARE_EQUAL);
    x86_vector(b->a, is_min ? X86_OR_32 : X86_AND_32, to, x, x86_reg(y), EQUAL_MASK, -1);
    x86_vector(b->a, X86_COMPARE_F32, NAN_MASK, y, x86_reg(y), 0, COMPARE_UNORDERED);
    x86_vector(b->a, X86_MOVE, to, 0, x86_reg(x), NAN_MASK, -1);
    if (takes_signs) {
        emit3(b, X86_AND_32, to, to, CONSTANT(no_sign));
        emit3(b, X86_OR_32, to, to, x86_reg(SIGNS));
    }
    if (!(insn->flags & INSN_NAN)) return;
    x86_vector(b->a, X86_COMPARE_F32, NAN_MASK, x, x86_reg(y), 0, COMPARE_UNORDERED);
    x86_vector(b->a, X86_BROADCAST_32, to, 0, CONSTANT(nan), NAN_MASK, -1);
}

static bool template_minmax_f32(struct body *b, const struct uop *u, bool flushes)
{
    unsigned count = u->insn->nsrc;
    bool takes_signs = u->insn->flags & INSN_XORSIGN;
    bool changes = flushes || u->insn->flags & INSN_ABS || count > 2;
    if (!has_widths(u, 4, 4, 4, count > 2 ? 4 : 0)) return false;
    struct source sources[3];
    for (unsigned k = 0; k < count; k++) /* the sign of a NaN may count */
        sources[k] =
            takes_signs ? value_source(b, u->src[k], 4) : value_raw_source(b, u->src[k], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        struct x86_place so_far = sources[0].chunks[c];
        for (unsigned k = 1; k < count; k++) {
            struct x86_place next = sources[k].chunks[c];
            for (unsigned i = 0; changes && i < 2; i++)
                emit2(b, X86_MOVE, SCRATCH + i, i ? next : so_far);
            for (unsigned i = 0; flushes && i < 2; i++)
                emit_flush(b, SCRATCH + i);
            unsigned x = changes ? SCRATCH : value_in_register(b, so_far, SCRATCH);
            unsigned y = changes ? SCRATCH + 1 : value_in_register(b, next, SCRATCH + 1);
            emit_min_max(b, u->insn, result.regs[c], x, y);
            if (takes_signs) emit_canonical(b, result.regs[c]);
            so_far = x86_reg(result.regs[c]);
        }
    }
    value_finish(b, 0, &result, 4, true);
    return true;
}

static bool template_unary_f32(struct body *b, const struct uop *u, bool flushes)
{
    const struct insn *insn = u->insn;
    if (!has_widths(u, 4, 4, 0, 0)) return false;
    struct source source = value_raw_source(b, u->src[0], 4);
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
    unsigned bytes = type_infos[insn->type].bits / 8;
    if (insn->type2 || insn->rounding > ROUND_RP || insn->flags & (INSN_RELU | INSN_OOB))
        return false;
    switch (insn->op) {
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
        return template_binary_f32(b, u, bytes, flushes);
    case OP_DIV:
        return insn->flags & INSN_APPROX ? template_div_approx(b, u)
                                         : template_binary_f32(b, u, bytes, flushes);
    case OP_FMA:
    case OP_MAD:
        return template_fma_f32(b, u, bytes, flushes);
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

/* Of a number and a NaN the number, of two NaNs the first, made quiet; of equal ones, which may be zeros, the sign by or,
 * and. */
static bool template_minmax_f64(struct body *b, const struct uop *u)
{
    enum { COMPARE_EQUAL = 0, EQUAL_MASK = 5 };
    bool is_min = u->insn->op == OP_MIN;
    if (u->insn->nsrc != 2 || !has_widths(u, 8, 8, 8, 0)) return false;
    struct source first = value_source(b, u->src[0], 8), second = value_source(b, u->src[1], 8);
    struct result result = value_begin(b, 8);
    for (unsigned c = 0; c < 4; c++) {
        unsigned to = result.regs[c], x = value_in_register(b, first.chunks[c], SCRATCH);
        unsigned y = value_in_register(b, second.chunks[c], SCRATCH + 1);
        emit3(b, is_min ? X86_MIN_F64 : X86_MAX_F64, to, x, x86_reg(y));
        x86_vector(b->a, X86_COMPARE_F64, EQUAL_MASK, x, x86_reg(y), 0, COMPARE_EQUAL);
        x86_vector(b->a, is_min ? X86_OR_64 : X86_AND_64, to, x, x86_reg(y), EQUAL_MASK, -1);
        x86_vector(b->a, X86_COMPARE_F64, NAN_MASK, y, x86_reg(y), 0, COMPARE_UNORDERED);
        x86_vector(b->a, X86_MOVE_64, to, 0, x86_reg(x), NAN_MASK, -1);
        x86_vector(b->a, X86_COMPARE_F64, NAN_MASK, to, x86_reg(to), 0, COMPARE_UNORDERED);
        x86_vector(b->a, X86_OR_64, to, to, CONSTANT(quiet_64), NAN_MASK, -1);
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
    case OP_MIN:
    case OP_MAX:
        return template_minmax_f64(b, u);
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
    if (u->insn->type == TYPE_F32 || u->insn->type == TYPE_F32X2) return template_f32(b, u);
    if (u->insn->type == TYPE_F64) return template_f64(b, u);
    return false;
}
