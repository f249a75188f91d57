// SPDX-License-Identifier: Apache-2.0
/* setp and set of halves and pairs of them (emulate/sem_compare_half.h), and set of any type to any other. Each half of a
 * pair is compared by itself. */
#include "compile/body.h"

static bool is_bf16(unsigned type)
{
    return type == TYPE_BF16 || type == TYPE_BF16X2;
}

static bool is_pair(unsigned type)
{
    return type == TYPE_F16X2 || type == TYPE_BF16X2;
}

/* Chunk c of the lower (part 0) or upper halves of pairs, or of single ones, as f32. */
static void emit_compared_half(struct body *b, unsigned type, unsigned to,
                               const struct source *from, unsigned part, unsigned c)
{
    if (!is_pair(type)) {
        emit_half_widened(b, type, to, from, c);
        return;
    }
    unsigned word = value_in_register(b, from->chunks[c], to);
    if (is_bf16(type) && part) { /* the lower half would be a part of the number */
        x86_vector(b->a, X86_SHR_U32_BY, 0, to, x86_reg(word), 0, 16);
        word = to;
    }
    if (is_bf16(type)) {
        x86_vector(b->a, X86_SHL_32_BY, 0, to, x86_reg(word), 0, 16);
        return;
    }
    x86_vector(b->a, X86_SHR_U32_BY, 0, to, x86_reg(word), 0, part ? 16 : 0);
    emit2(b, X86_NARROW_32_16, to, x86_reg(to));
    emit2(b, X86_F32_OF_F16, to, x86_reg(to));
}

/* The comparison of one part, in eax. */
static void emit_part_compared(struct body *b, const struct uop *u, unsigned type,
                               const struct source *sources, unsigned part)
{
    for (unsigned c = 0; c < 2; c++) {
        for (unsigned k = 0; k < 2; k++) {
            emit_compared_half(b, type, SCRATCH + k, &sources[k], part, c);
            if (u->insn->flags & INSN_FTZ) emit_flush_f16(b, SCRATCH + k, SCRATCH + 2);
        }
        x86_vector(b->a, X86_COMPARE_F32, 1 + c, SCRATCH, x86_reg(SCRATCH + 1), 0,
                   float_comparison(u->insn->compare));
    }
    emit_joined_masks(b, 4);
}

bool emit_halves_compared(struct body *b, const struct uop *u, unsigned type)
{
    unsigned bytes = type_infos[type].bits / 8;
    if (u->source_width[0] != bytes || u->source_width[1] != bytes ||
        float_comparison(u->insn->compare) < 0)
        return false;
    if (!is_pair(type) && u->dst[1] != REF_NONE) return false;
    const struct source sources[] = {value_source(b, u->src[0], bytes),
                                     value_source(b, u->src[1], bytes)};
    if (u->imm & 3) emit_predicate(b, u, 2, RCX);
    if (is_pair(type)) {
        emit_part_compared(b, u, type, sources, 1);
        emit_combined(b, u, RAX);
        x86_scalar(b->a, false, X86_LOAD, RDX, x86_reg(RAX));
    }
    emit_part_compared(b, u, type, sources, 0);
    emit_combined(b, u, RAX);
    return true;
}

/* ---- set ------------------------------------------------------------------------------------- */

/* What is written where the comparison holds. */
static uint32_t value_of(unsigned type)
{
    switch (type) {
    case TYPE_F32:
        return 0x3f800000;
    case TYPE_F16:
    case TYPE_F16X2:
        return 0x3c003c00;
    case TYPE_BF16:
    case TYPE_BF16X2:
        return 0x3f803f80;
    default:
        return UINT32_MAX;
    }
}

/* Adds the bits of `value` to the lanes of eax. */
static void emit_value(struct body *b, const struct result *result, unsigned bytes, uint32_t value)
{
    emit_spread_masks(b, bytes);
    x86_load_imm(b->a, RCX, value);
    emit2(b, X86_SPREAD_32, SCRATCH, x86_reg(RCX));
    for (unsigned c = 0; c < bytes / 2; c++) {
        emit3(b, X86_OR_32, SCRATCH + 1, result->regs[c], x86_reg(SCRATCH));
        x86_vector(b->a, bytes == 2 ? X86_MOVE_16 : X86_MOVE, result->regs[c], 0,
                   x86_reg(SCRATCH + 1), 1 + c, -1);
    }
}

bool template_set(struct body *b, const struct uop *u)
{
    unsigned bytes = u->result_width[0];
    bool is_of_pairs = is_pair(u->insn->type2);
    uint32_t value = value_of(u->insn->type);
    if ((bytes != 2 && bytes != 4) || u->dst[0] == REF_NONE) return false;
    if (!emit_compared(b, u, u->insn->type2)) return false;
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++)
        emit3(b, X86_XOR_32, result.regs[c], result.regs[c], x86_reg(result.regs[c]));
    emit_value(b, &result, bytes, is_of_pairs ? value & 0xffff : value);
    if (is_of_pairs) {
        x86_scalar(b->a, false, X86_LOAD, RAX, x86_reg(RDX));
        emit_value(b, &result, bytes, value & 0xffff0000);
    }
    value_finish(b, 0, &result, bytes, false);
    return true;
}
