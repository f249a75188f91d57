// SPDX-License-Identifier: Apache-2.0
/* Integers of 16 bits that are computed in lanes of 32, pairs of them, of 24 bits and of bytes, and sums that saturate
 * (emulate/sem_int.h, sem_packed.h). */
#include "compile/body.h"

static bool is_signed(const struct uop *u)
{
    return type_infos[u->insn->type].kind == KIND_SIGNED;
}

/* ---- 16 bits in lanes of 32 ------------------------------------------------------------------ */

/* Chunk c of an operation of lanes of 32 bits. Uses all scratch registers. */
static void emit_widened_operation(struct body *b, const struct uop *u,
                                   const struct source *sources, unsigned to, unsigned c)
{
    unsigned x = sources[0].chunks[c].reg; /* never in memory */
    struct x86_place y = sources[1].chunks[c];
    switch (u->insn->op) {
    case OP_SHL:
        emit3(b, X86_SHL_32, to, x, y);
        return;
    case OP_SHR:
        emit3(b, is_signed(u) ? X86_SHR_S32 : X86_SHR_U32, to, x, y);
        return;
    case OP_DIV:
    case OP_REM:
        emit_divided(b, u, to, &sources[0], &sources[1], c);
        return;
    default: /* mul, mad */
        emit3(b, X86_MUL_32, to, x, y);
        if (u->insn->mul_part == MUL_HI)
            x86_vector(b->a, X86_SHR_U32_BY, 0, to, x86_reg(to), 0, 16);
        if (u->insn->op == OP_MAD) emit3(b, X86_ADD_32, to, to, sources[2].chunks[c]);
    }
}

static struct source widen_source(struct body *b, const struct source *from, bool has_sign,
                                  const struct result *temporary)
{
    struct source wide = {0};
    for (unsigned c = 0; c < 2; c++) {
        emit_widened(b, has_sign ? X86_WIDEN_S16_32 : X86_WIDEN_U16_32, temporary->regs[c], from,
                     c);
        wide.chunks[c] = x86_reg(temporary->regs[c]);
    }
    return wide;
}

static bool template_16(struct body *b, const struct uop *u)
{
    bool is_wide = u->insn->mul_part == MUL_WIDE,
         shifts = u->insn->op == OP_SHL || u->insn->op == OP_SHR;
    unsigned bytes = is_wide ? 4 : 2, count = u->insn->nsrc;
    if (!has_widths(u, bytes, 2, shifts ? 4 : 2, count > 2 ? bytes : 0)) return false;
    struct source sources[3];
    struct result temporaries[3], result = value_begin(b, bytes), wide = value_begin(b, 4);
    for (unsigned k = 0; k < count; k++) {
        sources[k] = value_source(b, u->src[k], u->source_width[k]);
        temporaries[k] = value_begin(b, 4);
        if (u->source_width[k] == 2)
            sources[k] = widen_source(b, &sources[k], is_signed(u), &temporaries[k]);
    }
    for (unsigned c = 0; c < 2; c++) {
        unsigned to = is_wide ? result.regs[c] : wide.regs[c];
        emit_widened_operation(b, u, sources, to, c);
        if (!is_wide) emit_narrowed(b, &result, to, 4, 2, c);
    }
    value_release(b, &wide, 4);
    for (unsigned k = 0; k < count; k++)
        value_release(b, &temporaries[k], 4);
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* ---- pairs of 16 bits, and minima with 0 ----------------------------------------------------- */

/* add, min and max of pairs; of the last two also .relu. */
static bool template_pairs(struct body *b, const struct uop *u, bool is_pair)
{
    unsigned lane = is_pair ? is_signed(u) ? TYPE_S16 : TYPE_U16 : u->insn->type;
    if (!has_widths(u, 4, 4, 4, 0)) return false;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned to = result.regs[c];
        emit3(b, integer_form(u->insn->op, lane), to,
              value_in_register(b, first.chunks[c], SCRATCH), second.chunks[c]);
        if (!(u->insn->flags & INSN_RELU)) continue;
        emit3(b, X86_XOR_32, SCRATCH, SCRATCH, x86_reg(SCRATCH));
        emit3(b, integer_form(OP_MAX, lane), to, to, x86_reg(SCRATCH));
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* ---- sums that saturate ---------------------------------------------------------------------- */

/* x + y or x - y, whose signs tell whether it overflows. Uses SCRATCH + 2. */
static void emit_saturated(struct body *b, bool subtracts, unsigned to, unsigned x,
                           struct x86_place y)
{
    enum { OVERFLOWS = 6, OTHER = SCRATCH + 2 };
    /* of the sum, x and y: (sum ^ x) & (sum ^ y); (difference ^ x) & (x ^ y) */
    enum { ADDED = 0x18, SUBTRACTED = 0x24 };
    emit3(b, subtracts ? X86_SUB_32 : X86_ADD_32, to, x, y);
    emit2(b, X86_MOVE, OTHER, x86_reg(to));
    x86_vector(b->a, X86_TERNARY_32, OTHER, x, y, 0, subtracts ? SUBTRACTED : ADDED);
    emit2(b, X86_SIGNS_32, OVERFLOWS, x86_reg(OTHER));
    x86_vector(b->a, X86_SHR_S32_BY, 0, OTHER, x86_reg(x), 0, 31);
    x86_vector(b->a, X86_XOR_32, to, OTHER, CONSTANT(no_sign), OVERFLOWS, -1);
}

static bool template_saturated(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 4, 4, 4, 0)) return false;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++)
        emit_saturated(b, u->insn->op == OP_SUB, result.regs[c],
                       value_in_register(b, first.chunks[c], SCRATCH), second.chunks[c]);
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* ---- products of 24 bits, and upper halves with a sum that saturates ------------------------- */

/* The lower 24 bits, extended. */
static void emit_24_bits(struct body *b, bool has_sign, unsigned to, struct x86_place from)
{
    x86_vector(b->a, X86_SHL_32_BY, 0, to, from, 0, 8);
    x86_vector(b->a, has_sign ? X86_SHR_S32_BY : X86_SHR_U32_BY, 0, to, x86_reg(to), 0, 8);
}

/* The upper word of the product, or bits 16 to 47 of one of 24 bits. */
static void emit_upper(struct body *b, const struct uop *u, bool is_24, unsigned to, unsigned x,
                       unsigned y)
{
    emit_high_32(b, is_signed(u), to, x, x86_reg(y));
    if (!is_24) return;
    emit3(b, X86_MUL_32, SCRATCH, x, x86_reg(y));
    x86_vector(b->a, X86_SHR_U32_BY, 0, SCRATCH, x86_reg(SCRATCH), 0, 16);
    x86_vector(b->a, X86_SHL_32_BY, 0, to, x86_reg(to), 0, 16);
    emit3(b, X86_OR_32, to, to, x86_reg(SCRATCH));
}

/* mul24, mad24, mad.hi.sat */
static bool template_product(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    bool adds = insn->nsrc > 2, is_24 = insn->op == OP_MUL24 || insn->op == OP_MAD24;
    if (!has_widths(u, 4, 4, 4, adds ? 4 : 0)) return false;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct source third = {0};
    if (adds) third = value_source(b, u->src[2], 4);
    struct result result = value_begin(b, 4), factors = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned to = result.regs[c], x = factors.regs[0], y = factors.regs[1];
        for (unsigned k = 0; k < 2; k++) {
            struct x86_place from = k ? second.chunks[c] : first.chunks[c];
            if (is_24)
                emit_24_bits(b, is_signed(u), factors.regs[k], from);
            else
                emit2(b, X86_MOVE, factors.regs[k], from);
        }
        if (insn->mul_part == MUL_HI)
            emit_upper(b, u, is_24, to, x, y);
        else
            emit3(b, X86_MUL_32, to, x, x86_reg(y));
        if (insn->flags & INSN_SAT) {
            emit2(b, X86_MOVE, SCRATCH, x86_reg(to));
            emit_saturated(b, false, to, SCRATCH, third.chunks[c]);
        } else if (adds) {
            emit3(b, X86_ADD_32, to, to, third.chunks[c]);
        }
    }
    value_release(b, &factors, 4);
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* ---- dot products ---------------------------------------------------------------------------- */

/* A field of `bits` from bit `at` on, extended. */
static void emit_field(struct body *b, bool has_sign, unsigned to, struct x86_place from,
                       unsigned at, unsigned bits)
{
    x86_vector(b->a, X86_SHL_32_BY, 0, to, from, 0, (int)(32 - bits - at));
    x86_vector(b->a, has_sign ? X86_SHR_S32_BY : X86_SHR_U32_BY, 0, to, x86_reg(to), 0,
               (int)(32 - bits));
}

/* dp4a: four products of bytes; dp2a: two of a half and a byte. */
static bool template_dot(struct body *b, const struct uop *u)
{
    enum { FIRST_SIGNED = 1, SECOND_SIGNED = 2, UPPER_HALF = 4 };
    unsigned count = u->insn->op == OP_DP4A ? 4 : 2, bits = 32 / count;
    unsigned from = u->insn->op == OP_DP2A && u->imm & UPPER_HALF ? 16 : 0;
    if (!has_widths(u, 4, 4, 4, 4)) return false;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct source third = value_source(b, u->src[2], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        emit2(b, X86_MOVE, result.regs[c], third.chunks[c]);
        for (unsigned k = 0; k < count; k++) {
            emit_field(b, u->imm & FIRST_SIGNED, SCRATCH, first.chunks[c], bits * k, bits);
            emit_field(b, u->imm & SECOND_SIGNED, SCRATCH + 1, second.chunks[c], from + 8 * k, 8);
            emit3(b, X86_MUL_32, SCRATCH, SCRATCH, x86_reg(SCRATCH + 1));
            emit3(b, X86_ADD_32, result.regs[c], result.regs[c], x86_reg(SCRATCH));
        }
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool is_pair(unsigned type)
{
    return type == TYPE_U16X2 || type == TYPE_S16X2;
}

bool template_parts(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    const struct type_info *type = &type_infos[insn->type];
    bool saturates = insn->flags & INSN_SAT, has_relu = insn->flags & INSN_RELU;
    if (type->kind == KIND_FLOAT || type->kind == KIND_PRED || insn->flags & INSN_CC) return false;
    switch (insn->op) {
    case OP_ADD:
    case OP_SUB:
        if (saturates) return template_saturated(b, u);
        return is_pair(insn->type) && insn->op == OP_ADD && template_pairs(b, u, true);
    case OP_MIN:
    case OP_MAX:
        return (is_pair(insn->type) || (type->bits == 32 && has_relu)) &&
               template_pairs(b, u, is_pair(insn->type));
    case OP_MAD:
        if (saturates) return insn->mul_part == MUL_HI && template_product(b, u);
        return type->bits == 16 && template_16(b, u);
    case OP_MUL:
    case OP_SHL:
    case OP_SHR:
    case OP_DIV:
    case OP_REM:
        return type->bits == 16 && template_16(b, u);
    case OP_MUL24:
    case OP_MAD24:
        return template_product(b, u);
    case OP_DP4A:
    case OP_DP2A:
        return template_dot(b, u);
    default:
        return false;
    }
}
