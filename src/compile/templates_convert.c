// SPDX-License-Identifier: Apache-2.0
/* Conversions (emulate/sem_convert.h). */
#include "compile/body.h"

/* ---- integers -------------------------------------------------------------------------------- */

/* The lower bits of a value, extended to the register of the result, in which the upper ones may be cut off once more. */
struct cut {
    unsigned from, to; /* bytes of registers */
    unsigned bits;
    bool is_signed;
    unsigned kept_bits;
};

static struct cut cut_of(const struct uop *u)
{
    const struct type_info *from = &type_infos[u->insn->type2], *to = &type_infos[u->insn->type];
    struct cut cut = {u->source_width[0], u->result_width[0], from->bits, from->kind == KIND_SIGNED,
                      0};
    cut.kept_bits = 8 * cut.to;
    if (from->bits >= to->bits) {
        cut.bits = to->bits;
        cut.is_signed = to->kind == KIND_SIGNED;
    } else if (cut.is_signed && to->kind != KIND_SIGNED) {
        cut.kept_bits = to->bits;
    }
    return cut;
}

void emit_kept_bits(struct body *b, unsigned reg, unsigned bytes, unsigned bits, bool is_signed)
{
    static const uint8_t left[] = {[2] = X86_SHL_16_BY, [4] = X86_SHL_32_BY, [8] = X86_SHL_64_BY};
    static const uint8_t right[2][9] = {
        {[2] = X86_SHR_U16_BY, [4] = X86_SHR_U32_BY, [8] = X86_SHR_U64_BY},
        {[2] = X86_SHR_S16_BY, [4] = X86_SHR_S32_BY, [8] = X86_SHR_S64_BY}};
    if (bits >= 8 * bytes) return;
    int by = (int)(8 * bytes - bits);
    x86_vector(b->a, left[bytes], 0, reg, x86_reg(reg), 0, by);
    x86_vector(b->a, right[is_signed][bytes], 0, reg, x86_reg(reg), 0, by);
}

static enum x86_form widening_form(const struct cut *cut)
{
    if (cut->from == 4) return cut->is_signed ? X86_WIDEN_S32 : X86_WIDEN_U32;
    if (cut->to == 4) return cut->is_signed ? X86_WIDEN_S16_32 : X86_WIDEN_U16_32;
    return cut->is_signed ? X86_WIDEN_S16_64 : X86_WIDEN_U16_64;
}

static bool is_register_width(unsigned bytes)
{
    return bytes == 2 || bytes == 4 || bytes == 8;
}

static bool template_resize(struct body *b, const struct uop *u)
{
    struct cut cut = cut_of(u);
    if (!is_register_width(cut.from) || !is_register_width(cut.to) ||
        !has_widths(u, cut.to, cut.from, 0, 0))
        return false;
    struct source source = value_source(b, u->src[0], cut.from);
    struct result result = value_begin(b, cut.to);
    for (unsigned c = 0; cut.from > cut.to && c < cut.from / 2; c++)
        emit_narrowed(b, &result, value_in_register(b, source.chunks[c], SCRATCH), cut.from, cut.to,
                      c);
    for (unsigned c = 0; c < cut.to / 2; c++) {
        unsigned to = result.regs[c];
        if (cut.from < cut.to)
            emit_widened(b, widening_form(&cut), to, &source, c);
        else if (cut.from == cut.to)
            emit2(b, X86_MOVE, to, source.chunks[c]);
        if (cut.from >= cut.to || cut.bits < 8 * cut.from)
            emit_kept_bits(b, to, cut.to, cut.bits, cut.is_signed);
        emit_kept_bits(b, to, cut.to, cut.kept_bits, false);
    }
    value_finish(b, 0, &result, cut.to, false);
    return true;
}

/* ---- floats ---------------------------------------------------------------------------------- */

static bool template_widen(struct body *b, const struct uop *u, enum x86_form form)
{
    if (!has_widths(u, 8, 4, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 4);
    struct result result = value_begin(b, 8);
    for (unsigned c = 0; c < 4; c++)
        emit_widened(b, form, result.regs[c], &source, c);
    value_finish(b, 0, &result, 8, false);
    return true;
}

static bool template_round(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 4, 8, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 8);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 4; c++) {
        unsigned to = c % 2 ? SCRATCH + 1 : result.regs[c / 2];
        emit2(b, X86_F32_OF_F64, to, source.chunks[c]);
        if (c % 2)
            x86_vector(b->a, X86_JOIN_HALVES, result.regs[c / 2], result.regs[c / 2], x86_reg(to),
                       0, 1);
    }
    value_finish(b, 0, &result, 4, true);
    return true;
}

static bool template_f32_of(struct body *b, const struct uop *u, enum x86_form form)
{
    if (!has_widths(u, 4, 4, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++)
        emit2(b, form, result.regs[c], source.chunks[c]);
    value_finish(b, 0, &result, 4, false);
    return true;
}

int integral_mode(const struct insn *insn)
{
    enum { NO_EXCEPTION = 8, NEAREST = 0, DOWN = 1, UP = 2, ZERO = 3 };
    return NO_EXCEPTION | (insn->rounding == ROUND_RNI   ? NEAREST
                           : insn->rounding == ROUND_RMI ? DOWN
                           : insn->rounding == ROUND_RPI ? UP
                                                         : ZERO);
}

/* f32 to 32 bits. What does not fit becomes the nearest that does, a NaN 0. */
static void emit_integral_f32(struct body *b, bool has_sign, unsigned to, unsigned from)
{
    enum { TOO_LARGE = 1, UNORDERED_MASK = 2, GREATER_EQUAL = 0x1d, UNORDERED = 3 };
    if (!has_sign) { /* the processor gives all ones for what is too large */
        emit3(b, X86_XOR_32, SCRATCH + 1, SCRATCH + 1, x86_reg(SCRATCH + 1));
        emit3(b, X86_MAX_F32, SCRATCH, from, x86_reg(SCRATCH + 1));
        emit2(b, X86_U32_OF_F32, to, x86_reg(SCRATCH));
        return;
    }
    x86_vector(b->a, X86_COMPARE_F32, TOO_LARGE, from, CONSTANT(two_31), 0, GREATER_EQUAL);
    x86_vector(b->a, X86_COMPARE_F32, UNORDERED_MASK, from, x86_reg(from), 0, UNORDERED);
    emit2(b, X86_S32_OF_F32, to, x86_reg(from));
    x86_vector(b->a, X86_BROADCAST_32, to, 0, CONSTANT(no_sign), TOO_LARGE, -1);
    x86_vector(b->a, X86_XOR_32, to, to, x86_reg(to), UNORDERED_MASK, -1);
}

static bool template_integral_f32(struct body *b, const struct uop *u)
{
    bool flushes = u->insn->flags & INSN_FTZ, stays = u->insn->type == TYPE_F32;
    if (!has_widths(u, 4, 4, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        struct x86_place from = emit_flushed(b, source.chunks[c], flushes, SCRATCH);
        unsigned rounded = stays ? result.regs[c] : SCRATCH;
        x86_vector(b->a, X86_ROUND_F32, rounded, 0, from, 0, integral_mode(u->insn));
        if (!stays) emit_integral_f32(b, u->insn->type == TYPE_S32, result.regs[c], rounded);
    }
    value_finish(b, 0, &result, 4, stays);
    return true;
}

/* f64 to signed 32 bits; a NaN gives the sign bit alone, as from the processor. */
static bool template_integral_f64(struct body *b, const struct uop *u)
{
    enum { TOO_LARGE = 1, GREATER_EQUAL = 0x1d };
    if (!has_widths(u, 4, 8, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 8);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 4; c++) {
        unsigned to = c % 2 ? SCRATCH + 1 : result.regs[c / 2];
        x86_vector(b->a, X86_ROUND_F64, SCRATCH, 0, source.chunks[c], 0, integral_mode(u->insn));
        x86_vector(b->a, X86_COMPARE_F64, TOO_LARGE, SCRATCH,
                   x86_element(RBP, (int32_t)offsetof(struct body_constants, two_31_64)), 0,
                   GREATER_EQUAL);
        emit2(b, X86_S32_OF_F64, to, x86_reg(SCRATCH));
        x86_vector(b->a, X86_BROADCAST_32, to, 0, CONSTANT(no_sign), TOO_LARGE, -1);
        if (c % 2)
            x86_vector(b->a, X86_JOIN_HALVES, result.regs[c / 2], result.regs[c / 2], x86_reg(to),
                       0, 1);
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

static bool template_f32_of_f16(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 4, 2, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 2);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++)
        emit_widened(b, X86_F32_OF_F16, result.regs[c], &source, c);
    value_finish(b, 0, &result, 4, true);
    return true;
}

/* To nearest; the NaN of f32 becomes that of f16. */
static bool template_f16_of_f32(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 2, 4, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 4);
    struct result result = value_begin(b, 2);
    for (unsigned c = 0; c < 2; c++) {
        unsigned from = value_in_register(b, source.chunks[c], SCRATCH);
        unsigned to = c ? SCRATCH : result.regs[0];
        emit2(b, X86_MOVE, SCRATCH, x86_reg(from));
        emit_canonical(b, SCRATCH);
        x86_vector(b->a, X86_F16_OF_F32, SCRATCH, 0, x86_reg(to), 0, 0);
        if (c) x86_vector(b->a, X86_JOIN_HALVES, result.regs[0], result.regs[0], x86_reg(to), 0, 1);
    }
    value_finish(b, 0, &result, 2, false);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_integer(unsigned type)
{
    bool is_single = (type >= TYPE_U8 && type <= TYPE_U64) || (type >= TYPE_S8 && type <= TYPE_S64);
    return is_single;
}

bool template_convert(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    unsigned to = insn->type, from = insn->type2;
    bool is_single = insn->ndst == 1 && insn->nsrc == 1;
    bool is_integral = insn->rounding >= ROUND_RNI && insn->rounding <= ROUND_RPI;
    if (insn->op != OP_CVT || !is_single || insn->sub_op ||
        insn->flags & (INSN_SAT | INSN_RELU | INSN_SATFINITE))
        return false;
    if (from == TYPE_F32 && is_integral)
        return (to == TYPE_S32 || to == TYPE_U32 || to == TYPE_F32) && template_integral_f32(b, u);
    if (insn->flags & INSN_FTZ) return false;
    if (from == TYPE_F64 && is_integral) return to == TYPE_S32 && template_integral_f64(b, u);
    if (to == TYPE_F32 && from == TYPE_F16) return template_f32_of_f16(b, u);
    if (is_integer(to) && is_integer(from)) return template_resize(b, u);
    if (to == TYPE_F64 && from == TYPE_F32) return template_widen(b, u, X86_F64_OF_F32);
    if (insn->rounding != ROUND_RN) return false;
    if (to == TYPE_F32 && from == TYPE_F64) return template_round(b, u);
    if (to == TYPE_F16 && from == TYPE_F32) return template_f16_of_f32(b, u);
    if (to == TYPE_F64 && from == TYPE_S32) return template_widen(b, u, X86_F64_OF_S32);
    if (to == TYPE_F64 && from == TYPE_U32) return template_widen(b, u, X86_F64_OF_U32);
    if (to == TYPE_F32 && from == TYPE_S32) return template_f32_of(b, u, X86_F32_OF_S32);
    if (to == TYPE_F32 && from == TYPE_U32) return template_f32_of(b, u, X86_F32_OF_U32);
    return false;
}
