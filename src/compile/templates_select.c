// SPDX-License-Identifier: Apache-2.0
/* Selection by a predicate, a sign or a comparison (emulate/sem_compare.h). */
#include "compile/body.h"

static const uint8_t blends[] = {[2] = X86_BLEND_16, [4] = X86_BLEND_32, [8] = X86_BLEND_64};

/* The first source where the masks k1 and following hold, else the second. */
static void emit_blended(struct body *b, const struct source *first, const struct source *second,
                         unsigned bytes)
{
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++)
        x86_vector(b->a, blends[bytes], result.regs[c],
                   value_in_register(b, second->chunks[c], SCRATCH), first->chunks[c], 1 + c, -1);
    value_finish(b, 0, &result, bytes, false);
}

static bool template_selp(struct body *b, const struct uop *u)
{
    unsigned bytes = type_infos[u->insn->type].bits / 8;
    if (!has_value_width(bytes) || !has_widths(u, bytes, bytes, bytes, 1)) return false;
    struct source first = value_source(b, u->src[0], bytes);
    struct source second = value_source(b, u->src[1], bytes);
    emit_masks(b, u, 2, bytes);
    emit_blended(b, &first, &second, bytes);
    return true;
}

void emit_spread_masks(struct body *b, unsigned bytes)
{
    unsigned chunks = bytes / 2;
    x86_mask_of_gpr(b->a, 1, RAX);
    for (unsigned c = 1; c < chunks; c++)
        x86_mask_shift(b->a, 1 + c, 1, WARP_LANES / chunks * c);
}

/* By the sign of an integer, or of a float, of which -0 counts as 0 and a NaN as negative. */
static bool template_slct(struct body *b, const struct uop *u)
{
    enum { FLOAT_GREATER_EQUAL = 0x1d, INTEGER_GREATER_EQUAL = 5 };
    unsigned bytes = type_infos[u->insn->type].bits / 8;
    bool is_float = u->insn->type2 == TYPE_F32;
    if (!has_value_width(bytes) || !has_widths(u, bytes, bytes, bytes, 4)) return false;
    struct source first = value_source(b, u->src[0], bytes);
    struct source second = value_source(b, u->src[1], bytes), sign = value_source(b, u->src[2], 4);
    for (unsigned c = 0; c < 2; c++) {
        struct x86_place place = emit_flushed(b, sign.chunks[c], is_float && u->imm & 1, SCRATCH);
        unsigned x = value_in_register(b, place, SCRATCH);
        emit3(b, X86_XOR_32, SCRATCH + 1, SCRATCH + 1, x86_reg(SCRATCH + 1));
        x86_vector(b->a, is_float ? X86_COMPARE_F32 : X86_COMPARE_S32, 1 + c, x,
                   x86_reg(SCRATCH + 1), 0, is_float ? FLOAT_GREATER_EQUAL : INTEGER_GREATER_EQUAL);
    }
    emit_joined_masks(b, 4);
    emit_spread_masks(b, bytes);
    emit_blended(b, &first, &second, bytes);
    return true;
}

bool template_select(struct body *b, const struct uop *u)
{
    switch (u->insn->op) {
    case OP_SELP:
        return template_selp(b, u);
    case OP_SLCT:
        return template_slct(b, u);
    default:
        return false;
    }
}

/* ---- signs and classes of floats ------------------------------------------------------------- */

static bool template_copysign(struct body *b, const struct uop *u, unsigned bytes)
{
    enum { CHOOSE = 0xca };
    if (!has_widths(u, bytes, bytes, bytes, 0)) return false;
    struct source first = value_source(b, u->src[0], bytes),
                  second = value_source(b, u->src[1], bytes);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++) {
        unsigned to = result.regs[c], x = value_in_register(b, first.chunks[c], SCRATCH);
        if (bytes == 8)
            emit2(b, X86_BROADCAST_64, to, CONSTANT(sign_64));
        else
            emit2(b, X86_BROADCAST_32, to, CONSTANT(sign));
        x86_vector(b->a, X86_TERNARY_32, to, x, second.chunks[c], 0, CHOOSE);
    }
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* As vfpclass names them, and whether they are those that do not have the property. */
static int classes_of(unsigned property, bool *is_complement)
{
    enum { NANS = 0x81, INFINITIES = 0x18, SUBNORMALS = 0x20 };
    *is_complement = property == SUB_FINITE || property == SUB_NUMBER || property == SUB_NORMAL;
    return property == SUB_FINITE                                 ? NANS | INFINITIES
           : property == SUB_NORMAL                               ? NANS | INFINITIES | SUBNORMALS
           : property == SUB_INFINITE                             ? INFINITIES
           : property == SUB_NUMBER || property == SUB_NOTANUMBER ? NANS
                                                                  : SUBNORMALS;
}

static bool template_testp(struct body *b, const struct uop *u, unsigned bytes)
{
    bool is_complement;
    int classes = classes_of((unsigned)u->imm, &is_complement);
    if (u->source_width[0] != bytes || u->src[0] == REF_NONE || u->dst[0] == REF_NONE) return false;
    struct source source = value_source(b, u->src[0], bytes);
    for (unsigned c = 0; c < bytes / 2; c++)
        x86_vector(b->a, bytes == 8 ? X86_CLASS_F64 : X86_CLASS_F32, 1 + c, 0, source.chunks[c], 0,
                   classes);
    emit_joined_masks(b, bytes);
    if (is_complement) x86_not(b->a, RAX);
    emit_store_predicate(b, u->dst[0], RAX);
    return true;
}

bool template_classify(struct body *b, const struct uop *u)
{
    unsigned bytes = type_infos[u->insn->type].bits / 8;
    switch (u->insn->op) {
    case OP_COPYSIGN:
        return template_copysign(b, u, bytes);
    case OP_TESTP:
        return template_testp(b, u, bytes);
    default:
        return false;
    }
}
