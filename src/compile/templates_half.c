// SPDX-License-Identifier: Apache-2.0
/* f16, bf16 and pairs of them (emulate/sem_half.h): widened to f32, computed there, and rounded once. A vector of 32
 * halves becomes two of f32, its parts. */
#include "compile/body.h"

enum { MORE = SCRATCH + 2 };

static bool is_bf16(unsigned type)
{
    return type == TYPE_BF16 || type == TYPE_BF16X2;
}

bool is_half(unsigned type)
{
    return type == TYPE_F16 || type == TYPE_F16X2 || is_bf16(type);
}

/* ---- to f32 and back ------------------------------------------------------------------------- */

void emit_flush_f16(struct body *b, unsigned reg, unsigned other)
{
    enum { LESS = 1, SMALL = 6 };
    emit3(b, X86_AND_32, other, reg, CONSTANT(no_sign));
    x86_vector(b->a, X86_COMPARE_F32, SMALL, other, CONSTANT(least_f16), 0, LESS);
    x86_vector(b->a, X86_AND_32, reg, reg, CONSTANT(sign), SMALL, -1);
}

void emit_half_widened(struct body *b, unsigned type, unsigned to, const struct source *from,
                       unsigned part)
{
    emit_widened(b, is_bf16(type) ? X86_WIDEN_U16_32 : X86_F32_OF_F16, to, from, part);
    if (is_bf16(type)) x86_vector(b->a, X86_SHL_32_BY, 0, to, x86_reg(to), 0, 16);
}

/* One more where the bits that go do not all lie on the side to which the instruction rounds. Changes both. */
static void emit_rounded_bits(struct body *b, unsigned rounding, unsigned reg, unsigned other)
{
    enum { SIGN_MASK = 6 };
    if (rounding == ROUND_RZ) return;
    if (rounding == ROUND_RM || rounding == ROUND_RP) { /* away from 0, of one sign */
        emit3(b, X86_XOR_32, other, other, x86_reg(other));
        x86_vector(b->a, X86_COMPARE_S32, SIGN_MASK, reg, x86_reg(other), 0,
                   rounding == ROUND_RM ? 1 : 5);
        x86_vector(b->a, X86_ADD_32, reg, reg, CONSTANT(low_halves), SIGN_MASK, -1);
        return;
    }
    x86_vector(b->a, X86_SHR_U32_BY, 0, other, x86_reg(reg), 0, 16);
    emit3(b, X86_AND_32, other, other, CONSTANT(one));
    emit3(b, X86_ADD_32, reg, reg, x86_reg(other));
    emit3(b, X86_ADD_32, reg, reg, CONSTANT(half_nan));
}

/* In the lower halves of lanes of 32 bits; every NaN is 0x7fff. */
static void emit_bf16(struct body *b, const struct insn *insn, unsigned reg, unsigned other)
{
    enum { UNORDERED = 3, NOT_A_NUMBER = 7 };
    x86_vector(b->a, X86_COMPARE_F32, NOT_A_NUMBER, reg, x86_reg(reg), 0, UNORDERED);
    emit_rounded_bits(b, insn->rounding, reg, other);
    x86_vector(b->a, X86_SHR_U32_BY, 0, reg, x86_reg(reg), 0, 16);
    x86_vector(b->a, X86_BROADCAST_32, reg, 0, CONSTANT(half_nan), NOT_A_NUMBER, -1);
}

static int f16_mode(const struct insn *insn)
{
    enum { NEAREST, DOWN, UP, ZERO };
    return insn->rounding == ROUND_RZ   ? ZERO
           : insn->rounding == ROUND_RM ? DOWN
           : insn->rounding == ROUND_RP ? UP
                                        : NEAREST;
}

/* .satfinite: infinities become the greatest numbers, one less. */
static void emit_finite(struct body *b, unsigned infinity, unsigned reg, unsigned other)
{
    enum { INFINITE = 6, EQUAL = 0 };
    x86_load_imm(b->a, RAX, infinity);
    emit2(b, X86_SPREAD_32, other, x86_reg(RAX));
    emit3(b, X86_AND_32, MORE, reg, CONSTANT(half_nan));
    x86_vector(b->a, X86_COMPARE_U32, INFINITE, MORE, x86_reg(other), 0, EQUAL);
    x86_vector(b->a, X86_SUB_32, reg, reg, CONSTANT(one), INFINITE, -1);
}

void emit_half_lanes(struct body *b, const struct insn *insn, unsigned reg, unsigned other)
{
    unsigned type = insn->type;
    if (is_bf16(type)) {
        emit_bf16(b, insn, reg, other);
    } else {
        emit_canonical(b, reg);
        x86_vector(b->a, X86_F16_OF_F32, reg, 0, x86_reg(reg), 0, f16_mode(insn));
        emit2(b, X86_WIDEN_U16_32, reg, x86_reg(reg));
    }
    if (insn->flags & INSN_SATFINITE) emit_finite(b, is_bf16(type) ? 0x7f80 : 0x7c00, reg, other);
}

void emit_half_narrowed(struct body *b, const struct insn *insn, const struct result *result,
                        unsigned reg, unsigned other, unsigned part)
{
    unsigned whole = result->regs[part / 2], to = part % 2 ? other : whole;
    bool is_direct = !is_bf16(insn->type) && !(insn->flags & INSN_SATFINITE);
    if (is_direct) {
        emit_canonical(b, reg);
        x86_vector(b->a, X86_F16_OF_F32, reg, 0, x86_reg(to), 0, f16_mode(insn));
    } else {
        emit_half_lanes(b, insn, reg, other);
        emit2(b, X86_NARROW_32_16, reg, x86_reg(to));
    }
    if (part % 2) x86_vector(b->a, X86_JOIN_HALVES, whole, whole, x86_reg(to), 0, 1);
}

/* Subnormal halves of a result. */
static void emit_flush_result(struct body *b, unsigned reg)
{
    enum { LESS = 1, SMALL = 6 };
    emit3(b, X86_AND_32, SCRATCH, reg, CONSTANT(no_signs_16));
    emit2(b, X86_BROADCAST_32, SCRATCH + 1, CONSTANT(least_normals_f16));
    x86_vector(b->a, X86_COMPARE_U16, SMALL, SCRATCH, x86_reg(SCRATCH + 1), 0, LESS);
    emit3(b, X86_AND_32, SCRATCH, reg, CONSTANT(signs_16));
    x86_vector(b->a, X86_MOVE_16, reg, 0, x86_reg(SCRATCH), SMALL, -1);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

enum { FIRST = SCRATCH, SECOND, THIRD, RESULT };

/* The sum cut off, and odd where it is not exact, which the two other directions tell: rounded once more it is
 * right (sem_half.h). */
static void emit_odd_sum(struct body *b, const struct result *temporary)
{
    enum { NOT_EQUAL = 0x0c, INEXACT = 6 };
    static const uint8_t modes[] = {X86_ROUND_DOWN, X86_ROUND_UP, X86_ROUND_ZERO};
    const uint8_t regs[] = {temporary->regs[0], temporary->regs[1], RESULT};
    for (unsigned k = 0; k < 3; k++) {
        emit2(b, X86_MOVE, regs[k], x86_reg(THIRD));
        emit3(b, X86_FMA_F32, regs[k], FIRST, x86_rounded(SECOND, modes[k]));
    }
    x86_vector(b->a, X86_COMPARE_F32, INEXACT, regs[0], x86_reg(regs[1]), 0, NOT_EQUAL);
    x86_vector(b->a, X86_OR_32, RESULT, RESULT, CONSTANT(one), INEXACT, -1);
}

static void emit_half_operation(struct body *b, const struct uop *u, const struct result *temporary)
{
    switch (u->insn->op) {
    case OP_ADD:
        emit3(b, X86_ADD_F32, RESULT, FIRST, x86_reg(SECOND));
        return;
    case OP_SUB:
        emit3(b, X86_SUB_F32, RESULT, FIRST, x86_reg(SECOND));
        return;
    case OP_MUL:
        emit3(b, X86_MUL_F32, RESULT, FIRST, x86_reg(SECOND));
        return;
    case OP_FMA:
        emit_odd_sum(b, temporary);
        return;
    case OP_NEG:
        emit3(b, X86_XOR_32, RESULT, FIRST, CONSTANT(sign));
        return;
    case OP_ABS:
        emit3(b, X86_AND_32, RESULT, FIRST, CONSTANT(no_sign));
        return;
    default:
        emit_min_max(b, u->insn, RESULT, FIRST, SECOND);
    }
}

void emit_limits(struct body *b, const struct insn *insn, unsigned reg, unsigned other)
{
    enum { LESS_EQUAL = 0x12, NEGATIVE = 6 };
    if (insn->flags & (INSN_SAT | INSN_RELU)) emit3(b, X86_XOR_32, other, other, x86_reg(other));
    if (insn->flags & INSN_SAT) { /* a NaN becomes 0 */
        emit3(b, X86_MAX_F32, reg, reg, x86_reg(other));
        emit3(b, X86_MIN_F32, reg, reg, CONSTANT(float_one));
    }
    if (insn->flags & INSN_RELU) { /* a NaN stays */
        x86_vector(b->a, X86_COMPARE_F32, NEGATIVE, reg, x86_reg(other), 0, LESS_EQUAL);
        x86_vector(b->a, X86_MOVE, reg, 0, x86_reg(other), NEGATIVE, -1);
    }
}

static bool template_halves(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    unsigned type = insn->type, bytes = type_infos[type].bits / 8, count = insn->nsrc;
    bool flushes = insn->flags & INSN_FTZ;
    if (!has_widths(u, bytes, bytes, count > 1 ? bytes : 0, count > 2 ? bytes : 0)) return false;
    struct source sources[3];
    for (unsigned k = 0; k < count; k++)
        sources[k] = value_source(b, u->src[k], bytes);
    struct result result = value_begin(b, bytes), temporary = value_begin(b, 4);
    for (unsigned part = 0; part < bytes; part++) {
        for (unsigned k = 0; k < count; k++) {
            emit_half_widened(b, type, FIRST + k, &sources[k], part);
            if (flushes) emit_flush_f16(b, FIRST + k, RESULT);
        }
        emit_half_operation(b, u, &temporary);
        emit_limits(b, insn, RESULT, FIRST);
        emit_half_narrowed(b, insn, &result, RESULT, FIRST, part);
    }
    for (unsigned c = 0; flushes && c < bytes / 2; c++)
        emit_flush_result(b, result.regs[c]);
    value_release(b, &temporary, 4);
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* ---- f32 of halves and an f32 ---------------------------------------------------------------- */

static bool template_mixed(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    bool is_fma = insn->op == OP_FMA, flushes = insn->flags & INSN_FTZ;
    unsigned halves = is_fma ? 2 : 1;
    if (!has_widths(u, 4, 2, is_fma ? 2 : 4, is_fma ? 4 : 0)) return false;
    struct source sources[2], last = value_raw_source(b, u->src[halves], 4);
    for (unsigned k = 0; k < halves; k++)
        sources[k] = value_source(b, u->src[k], 2);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned to = result.regs[c];
        for (unsigned k = 0; k < halves; k++) {
            emit_half_widened(b, insn->type2, FIRST + k, &sources[k], c);
            if (flushes && !is_bf16(insn->type2)) emit_flush_f16(b, FIRST + k, RESULT);
            if (flushes) emit_flushed(b, x86_reg(FIRST + k), true, FIRST + k);
        }
        struct x86_place z = emit_flushed(b, last.chunks[c], flushes, THIRD);
        if (is_fma) {
            emit2(b, X86_MOVE, to, z);
            emit3(b, X86_FMA_F32, to, FIRST, emit_rounded(b, u, x86_reg(SECOND), SECOND));
        } else {
            emit3(b, insn->op == OP_ADD ? X86_ADD_F32 : X86_SUB_F32, to, FIRST,
                  emit_rounded(b, u, z, THIRD));
        }
        emit_finished(b, u, to);
    }
    value_finish(b, 0, &result, 4, true);
    return true;
}

/* ---- pairs of two f32 ------------------------------------------------------------------------ */

/* The first gives the upper half. */
static bool template_pair(struct body *b, const struct uop *u)
{
    enum { HALF = SCRATCH + 3, OTHER = SCRATCH };
    const struct insn *insn = u->insn;
    bool is_plain = insn->type2 == TYPE_F32 && insn->nsrc == 2 && insn->rounding <= ROUND_RP &&
                    !(insn->flags & INSN_FTZ);
    if (!is_plain || !has_widths(u, 4, 4, 4, 0)) return false;
    const struct source upper = value_raw_source(b, u->src[0], 4);
    const struct source lower = value_raw_source(b, u->src[1], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        for (unsigned k = 0; k < 2; k++) {
            emit2(b, X86_MOVE, HALF, k ? lower.chunks[c] : upper.chunks[c]);
            emit_limits(b, insn, HALF, OTHER);
            emit_half_lanes(b, insn, HALF, OTHER);
            if (!k) x86_vector(b->a, X86_SHL_32_BY, 0, result.regs[c], x86_reg(HALF), 0, 16);
        }
        emit3(b, X86_OR_32, result.regs[c], result.regs[c], x86_reg(HALF));
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

bool template_half(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    bool is_plain = insn->rounding <= ROUND_RN && !(insn->flags & INSN_OOB) &&
                    !(is_bf16(insn->type) && insn->flags & INSN_FTZ);
    switch (insn->op) {
    case OP_CVT:
        return (insn->type == TYPE_F16X2 || insn->type == TYPE_BF16X2) && template_pair(b, u);
    case OP_ADD:
    case OP_SUB:
    case OP_FMA:
        if (insn->type == TYPE_F32 && is_half(insn->type2)) return template_mixed(b, u);
        break;
    case OP_MUL:
    case OP_MIN:
    case OP_MAX:
    case OP_NEG:
    case OP_ABS:
        break;
    default:
        return false;
    }
    return is_half(insn->type) && !insn->type2 && is_plain && template_halves(b, u);
}
