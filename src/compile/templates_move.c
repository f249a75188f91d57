// SPDX-License-Identifier: Apache-2.0
/* Moves, conversions, comparisons, selection and predicates. Predicates are words in memory. */
#include "compile/body.h"

bool has_widths(const struct uop *u, unsigned result, unsigned a, unsigned b, unsigned c)
{
    const unsigned sources[3] = {a, b, c};
    if (u->result_width[0] != result || u->dst[0] == REF_NONE) return false;
    for (unsigned k = 0; k < 3; k++)
        if (sources[k] && (u->source_width[k] != sources[k] || u->src[k] == REF_NONE)) return false;
    return true;
}

/* ---- predicates ------------------------------------------------------------------------------ */

void emit_predicate(struct body *b, const struct uop *u, unsigned k, unsigned gpr)
{
    x86_scalar(b->a, false, X86_LOAD, gpr, value_word(u->src[k]));
    if (u->negate >> k & 1) x86_not(b->a, gpr);
}

void emit_masks(struct body *b, const struct uop *u, unsigned k, unsigned bytes)
{
    unsigned chunks = bytes / 2, lanes = WARP_LANES / chunks;
    x86_mask_load(b->a, 1, value_word(u->src[k]));
    if (u->negate >> k & 1) x86_mask_not(b->a, 1, 1);
    for (unsigned c = 1; c < chunks; c++)
        x86_mask_shift(b->a, 1 + c, 1, lanes * c);
}

/* Bits of lanes that do not take part stay, but for lanes that are gone. */
void emit_store_predicate(struct body *b, operand_ref ref, unsigned gpr)
{
    if (ref == REF_NONE) return;
    if (b->is_part || b->is_guarded) {
        x86_scalar(b->a, false, X86_LOAD, RCX, value_word(ref));
        x86_scalar(b->a, false, X86_XOR, gpr, x86_reg(RCX));
        x86_scalar(b->a, false, X86_AND, gpr, emit_lanes(b));
        x86_scalar(b->a, false, X86_XOR, gpr, x86_reg(RCX));
    }
    x86_scalar(b->a, false, X86_STORE, gpr, value_word(ref));
}

void emit_joined_masks(struct body *b, unsigned bytes)
{
    if (bytes == 8) {
        x86_mask_join(b->a, 1, 2, 1, false);
        x86_mask_join(b->a, 2, 4, 3, false);
    }
    if (bytes > 2) x86_mask_join(b->a, 1, 2, 1, true);
    x86_mask_to_gpr(b->a, RAX, 1);
}

static bool template_logic(struct body *b, const struct uop *u)
{
    bool is_not = u->insn->op == OP_NOT, moves = u->insn->op == OP_MOV;
    if (!has_widths(u, 1, 1, is_not || moves ? 0 : 1, 0)) return false;
    emit_predicate(b, u, 0, RAX);
    if (is_not) {
        x86_not(b->a, RAX);
    } else if (!moves) {
        unsigned op = u->insn->op == OP_AND ? X86_AND : u->insn->op == OP_OR ? X86_OR : X86_XOR;
        emit_predicate(b, u, 1, RCX);
        x86_scalar(b->a, false, op, RAX, x86_reg(RCX));
    }
    emit_store_predicate(b, u->dst[0], RAX);
    return true;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

/* The number of a comparison as vpcmp takes it; -1: none. */
static int integer_compare(unsigned compare)
{
    static const int8_t numbers[] = {
        [CMP_EQ] = 0, [CMP_NE] = 4, [CMP_LT] = 1, [CMP_LE] = 2, [CMP_GT] = 6,
        [CMP_GE] = 5, [CMP_LO] = 1, [CMP_LS] = 2, [CMP_HI] = 6, [CMP_HS] = 5};
    return compare >= CMP_EQ && compare <= CMP_HS ? numbers[compare] : -1;
}

int float_comparison(unsigned compare)
{
    static const int8_t numbers[] = {
        [CMP_EQ] = 0x00,  [CMP_NE] = 0x0c,  [CMP_LT] = 0x11,  [CMP_LE] = 0x12,  [CMP_GT] = 0x1e,
        [CMP_GE] = 0x1d,  [CMP_EQU] = 0x08, [CMP_NEU] = 0x04, [CMP_LTU] = 0x19, [CMP_LEU] = 0x1a,
        [CMP_GTU] = 0x16, [CMP_GEU] = 0x15, [CMP_NUM] = 0x07, [CMP_NAN] = 0x03};
    bool is_named = compare >= CMP_EQ && compare <= CMP_NAN;
    return is_named && (compare < CMP_LO || compare > CMP_HS) ? numbers[compare] : -1;
}

static bool compare_form(const struct insn *insn, unsigned of, enum x86_form *form, int *number)
{
    const struct type_info *type = &type_infos[of];
    bool is_64 = type->bits == 64, is_16 = type->bits == 16, is_float = type->kind == KIND_FLOAT;
    bool is_signed = type->kind == KIND_SIGNED;
    if (is_float && of != TYPE_F32 && of != TYPE_F64) return false;
    *number = is_float ? float_comparison(insn->compare) : integer_compare(insn->compare);
    *form = is_float    ? is_64 ? X86_COMPARE_F64 : X86_COMPARE_F32
            : is_16     ? is_signed ? X86_COMPARE_S16 : X86_COMPARE_U16
            : is_signed ? is_64 ? X86_COMPARE_S64 : X86_COMPARE_S32
            : is_64     ? X86_COMPARE_U64
                        : X86_COMPARE_U32;
    return *number >= 0;
}

void emit_combined(struct body *b, const struct uop *u, unsigned gpr)
{
    unsigned combine = u->imm & 3;
    if (!combine) return;
    x86_scalar(b->a, false,
               combine == COMBINE_AND  ? X86_AND
               : combine == COMBINE_OR ? X86_OR
                                       : X86_XOR,
               gpr, x86_reg(RCX));
}

bool emit_compared(struct body *b, const struct uop *u, unsigned type)
{
    unsigned bytes = type_infos[type].bits / 8;
    bool is_f32 = type == TYPE_F32, flushes = is_f32 && u->insn->flags & INSN_FTZ;
    enum x86_form form;
    int number;
    if (is_half(type)) return emit_halves_compared(b, u, type);
    if (!has_value_width(bytes) || !compare_form(u->insn, type, &form, &number)) return false;
    if (u->source_width[0] != bytes || u->source_width[1] != bytes) return false;
    struct source first = /* of f32 whatever NaN it is */
        is_f32 ? value_raw_source(b, u->src[0], 4) : value_source(b, u->src[0], bytes);
    struct source second =
        is_f32 ? value_raw_source(b, u->src[1], 4) : value_source(b, u->src[1], bytes);
    for (unsigned c = 0; c < bytes / 2; c++) {
        struct x86_place x = emit_flushed(b, first.chunks[c], flushes, SCRATCH);
        struct x86_place y = emit_flushed(b, second.chunks[c], flushes, SCRATCH + 1);
        x86_vector(b->a, form, 1 + c, value_in_register(b, x, SCRATCH), y, 0, number);
    }
    emit_joined_masks(b, bytes);
    if (u->imm & 3) emit_predicate(b, u, 2, RCX);
    x86_scalar(b->a, false, X86_LOAD, RDX, x86_reg(RAX));
    x86_not(b->a, RDX);
    emit_combined(b, u, RDX);
    emit_combined(b, u, RAX);
    return true;
}

static bool template_setp(struct body *b, const struct uop *u)
{
    if (!emit_compared(b, u, u->insn->type)) return false;
    emit_store_predicate(b, u->dst[0], RAX);
    emit_store_predicate(b, u->dst[1], RDX);
    return true;
}

bool template_compare(struct body *b, const struct uop *u)
{
    switch (u->insn->op) {
    case OP_SETP:
        return template_setp(b, u);
    case OP_SET:
        return template_set(b, u);
    case OP_AND:
    case OP_OR:
    case OP_XOR:
    case OP_NOT:
    case OP_MOV:
        return u->insn->type == TYPE_PRED && template_logic(b, u);
    default:
        return false;
    }
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* mov, and cvta of global and generic addresses, which are the same. */
bool template_copy(struct body *b, const struct uop *u)
{
    unsigned bytes = type_infos[u->insn->type].bits / 8;
    if (!has_value_width(bytes) || !has_widths(u, bytes, bytes, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], bytes);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++)
        emit2(b, X86_MOVE, result.regs[c], source.chunks[c]);
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* cvta of spaces with a window: that is added, or taken away. An address of shared memory may be another block's. */
static bool template_window(struct body *b, const struct uop *u)
{
    unsigned bytes = type_infos[u->insn->type].bits / 8;
    if (u->insn->space == SPACE_SHARED && u->insn->sub_op != SUB_TO) return false;
    if (u->imm == 0) return template_copy(b, u);
    if ((bytes != 4 && bytes != 8) || !has_widths(u, bytes, bytes, 0, 0)) return false;
    bool subtracts = u->insn->sub_op == SUB_TO;
    struct source source = value_source(b, u->src[0], bytes);
    struct result result = value_begin(b, bytes);
    x86_load_imm(b->a, RAX, (uint64_t)u->imm);
    emit2(b, bytes == 8 ? X86_SPREAD_64 : X86_SPREAD_32, SCRATCH + 1, x86_reg(RAX));
    for (unsigned c = 0; c < bytes / 2; c++)
        emit3(b,
              subtracts    ? bytes == 8 ? X86_SUB_64 : X86_SUB_32
              : bytes == 8 ? X86_ADD_64
                           : X86_ADD_32,
              result.regs[c], value_in_register(b, source.chunks[c], SCRATCH),
              x86_reg(SCRATCH + 1));
    value_finish(b, 0, &result, bytes, false);
    return true;
}

static bool template_activemask(struct body *b, const struct uop *u)
{
    if (u->result_width[0] != 4 || u->dst[0] == REF_NONE) return false;
    struct result result = value_begin(b, 4);
    x86_scalar(b->a, false, X86_LOAD, RAX, emit_lanes(b));
    for (unsigned c = 0; c < 2; c++)
        emit2(b, X86_SPREAD_32, result.regs[c], x86_reg(RAX));
    value_finish(b, 0, &result, 4, false);
    return true;
}

bool template_move(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    bool is_single = insn->ndst == 1 && insn->nsrc == 1;
    switch (insn->op) {
    case OP_MOV:
        return is_single && insn->type != TYPE_PRED && template_copy(b, u);
    case OP_CVTA:
        return template_window(b, u);
    case OP_ACTIVEMASK:
        return template_activemask(b, u);
    default:
        return false;
    }
}
