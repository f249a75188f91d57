// SPDX-License-Identifier: Apache-2.0
/* What the mnemonics of textures and surfaces must have, and what does not go together in them (PTX ISA 9.7.10, 9.7.11;
 * ptxas). */
#include "decode/parser.h"

static bool is_surface(const struct insn *insn)
{
    return op_infos[insn->op].form == FORM_SURFACE;
}

static bool is_query(const struct insn *insn)
{
    return op_infos[insn->op].form == FORM_QUERY;
}

static bool is_cube(const struct insn *insn)
{
    return insn->sub_op == SUB_CUBE || insn->sub_op == SUB_CUBE_LAYERED;
}

const char *texture_lacks(const struct insn *insn, bool has_choice)
{
    if (is_query(insn)) return insn->sub_op ? NULL : "the attribute, such as .width";
    if (!insn->sub_op) return "its geometry, such as .2d";
    if (is_surface(insn) && !has_choice) return "one of '.trap', '.clamp', '.zero'";
    if (!is_surface(insn) && insn->vector != 4) return "'.v4'";
    return insn->op == OP_TLD4 && !has_choice ? "its channel: .r, .g, .b or .a" : NULL;
}

/* Sums of .u32, .s32, .u64; extremes of integers; .and and .or of .b32. */
static bool reduces(const struct insn *insn)
{
    bool is_sum = insn->atom_op == ATOM_ADD, is_bits = insn->type == TYPE_B32;
    if (insn->atom_op == ATOM_AND || insn->atom_op == ATOM_OR) return is_bits;
    bool is_extreme = insn->atom_op == ATOM_MIN || insn->atom_op == ATOM_MAX;
    return !is_bits && (is_extreme || (is_sum && insn->type != TYPE_S64));
}

/* All geometries but cubes, of sured also without layers; one, two or four elements. */
static const char *surface_fault(const struct insn *insn)
{
    if (is_cube(insn)) return "faces of cubes are layers: use .a2d";
    bool is_layered = insn->sub_op == SUB_1D_LAYERED || insn->sub_op == SUB_2D_LAYERED;
    if (insn->op == OP_SURED && is_layered) return "sured has no geometries with layers";
    if (insn->op == OP_SURED && !reduces(insn)) return "operation and type do not go together";
    return insn_access_bytes(insn) <= 16 ? NULL : "the vector is too long";
}

/* tld4 reads a square of texels by floats, of one channel. */
static const char *gather_fault(const struct insn *insn)
{
    if (insn->sub_op != SUB_2D && insn->sub_op != SUB_2D_LAYERED && !is_cube(insn))
        return "this geometry has no squares of texels";
    return insn->type2 == TYPE_F32 ? NULL : "coordinates must be .f32";
}

static const char *query_fault(const struct insn *insn)
{
    const bool is_size = insn->sub_op >= SUB_WIDTH && insn->sub_op <= SUB_DEPTH;
    const bool is_of_both = is_size || insn->sub_op == SUB_ARRAY_SIZE;
    if (insn->op == OP_SUQ && !is_of_both && insn->sub_op != SUB_MEMORY_LAYOUT)
        return "surfaces do not have this attribute";
    if (insn->op == OP_TXQ && insn->sub_op == SUB_MEMORY_LAYOUT)
        return "textures do not have this attribute";
    if (!(insn->flags & INSN_LEVEL)) return NULL;
    if (insn->op == OP_SUQ) return "surfaces have no levels";
    return is_size ? NULL : "'.level' requires .width, .height or .depth";
}

const char *texture_mnemonic_fault(const struct insn *insn)
{
    if (is_query(insn)) return query_fault(insn);
    if (is_surface(insn)) return surface_fault(insn);
    if (is_cube(insn) && insn->type2 != TYPE_F32) return "directions in a cube must be .f32";
    if (insn->op == OP_TLD4) return gather_fault(insn);
    if (insn->flags & INSN_LEVEL && insn->flags & INSN_GRADIENTS)
        return "'.level' and '.grad' are mutually exclusive";
    if (insn->flags & INSN_GRADIENTS && insn->type2 != TYPE_F32)
        return "'.grad' requires .f32 coordinates";
    return NULL;
}
