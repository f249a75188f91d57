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

/* Keeps the lower bits of lanes of `bytes`. */
static void emit_kept_bits(struct body *b, unsigned reg, unsigned bytes, unsigned bits,
                           bool is_signed)
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
    if (insn->op != OP_CVT || !is_single || insn->sub_op ||
        insn->flags & (INSN_SAT | INSN_FTZ | INSN_RELU | INSN_SATFINITE))
        return false;
    if (is_integer(to) && is_integer(from)) return template_resize(b, u);
    if (to == TYPE_F64 && from == TYPE_F32) return template_widen(b, u, X86_F64_OF_F32);
    if (insn->rounding != ROUND_RN) return false;
    if (to == TYPE_F32 && from == TYPE_F64) return template_round(b, u);
    if (to == TYPE_F64 && from == TYPE_S32) return template_widen(b, u, X86_F64_OF_S32);
    if (to == TYPE_F64 && from == TYPE_U32) return template_widen(b, u, X86_F64_OF_U32);
    if (to == TYPE_F32 && from == TYPE_S32) return template_f32_of(b, u, X86_F32_OF_S32);
    if (to == TYPE_F32 && from == TYPE_U32) return template_f32_of(b, u, X86_F32_OF_U32);
    return false;
}
