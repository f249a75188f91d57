// SPDX-License-Identifier: Apache-2.0
/* Which conversions exist (ISA: cvt, cvt.pack; ptxas 13.0 agrees). */
#include "decode/parser.h"

static const uint64_t halves = TS(F16) | TS(BF16), plain_floats = TS(F16) | TS(BF16) | TS_FLOAT;

static bool in(uint64_t set, unsigned type)
{
    return set >> type & 1;
}

static bool is_directed(const struct insn *insn)
{
    return insn->rounding >= ROUND_RN && insn->rounding <= ROUND_RP;
}

static bool is_integral(const struct insn *insn)
{
    return insn->rounding >= ROUND_RNI && insn->rounding <= ROUND_RPI;
}

const char *conversion_lacks(const struct insn *insn, bool is_old)
{
    unsigned to = insn->type, from = insn->type2;
    bool to_float = in(plain_floats, to), from_float = in(plain_floats, from);
    if (insn->sub_op == SUB_PACK)
        return !(insn->flags & INSN_SAT) ? "'.sat'"
               : in(TS_NIBBLES | TS(U8) | TS(S8), to) && insn->type3 != TYPE_B32
                   ? "'.b32', the type of its third source"
                   : NULL;
    if (in(TS_FORMATS8 | TS_FORMATS6, to) && to != TYPE_UE8M0X2 && !(insn->flags & INSN_SATFINITE))
        return "'.satfinite'";
    bool is_narrow = in(TS_FORMATS8 | TS_FORMATS6, from) || in(TS_FORMATS8 | TS_FORMATS6, to) ||
                     to == TYPE_TF32 || type_elements(to) > 1;
    if (is_narrow && !insn->rounding) return "a rounding such as .rn";
    if (to_float && !from_float && !is_narrow && !insn->rounding)
        return "a rounding such as .rn: an integer may not fit a float";
    if (!to_float && from_float && !is_narrow && !is_integral(insn) && !is_old)
        return "a rounding such as .rzi: a float may not be whole";
    bool narrows = to_float && from_float && type_infos[to].bits < type_infos[from].bits;
    if (narrows && (!insn->rounding || is_integral(insn)))
        return "a rounding such as .rn: the wider float may not fit";
    return NULL;
}

/* Where the formats beside the plain numbers come from, and how they may be rounded. */
static bool exists_packed(const struct insn *insn)
{
    unsigned to = insn->type, from = insn->type2, rounding = insn->rounding;
    bool nearest = rounding == ROUND_RN, stochastic = rounding == ROUND_RS;
    const uint64_t half_pairs = TS(F16X2) | TS(BF16X2);
    if (type_elements(to) == 4) return from == TYPE_F32 && stochastic;
    switch (to) {
    case TYPE_TF32:
        return from == TYPE_F32 && (nearest || rounding == ROUND_RZ || rounding == ROUND_RNA);
    case TYPE_F16X2:
    case TYPE_BF16X2:
        if (from == TYPE_F32) return nearest || stochastic || rounding == ROUND_RZ;
        if (to == TYPE_BF16X2 && (from == TYPE_UE8M0X2 || from == TYPE_S2F6X2)) return nearest;
        return nearest && to == TYPE_F16X2 && in(TS_FORMATS8 | TS_FORMATS6, from) &&
               type_elements(from) == 2 && from != TYPE_UE8M0X2 && from != TYPE_S2F6X2;
    case TYPE_UE8M0X2:
        return (from == TYPE_F32 || from == TYPE_BF16X2) &&
               (rounding == ROUND_RZ || rounding == ROUND_RP);
    case TYPE_S2F6X2:
        return nearest && (from == TYPE_F32 || from == TYPE_BF16X2);
    default:
        return nearest && (from == TYPE_F32 || in(half_pairs, from));
    }
}

static const char *pack_fault(const struct insn *insn)
{
    bool narrow = in(TS_NIBBLES | TS(U8) | TS(S8), insn->type);
    if (!narrow && !in(TS(U16) | TS(S16), insn->type))
        return "the packed elements must be integers of 2 to 16 bits";
    if (insn->type2 != TYPE_S32) return "the sources must be .s32";
    if (insn->type3 && !narrow) return "elements of 16 bits allow no third source";
    return NULL;
}

const char *conversion_fault(const struct insn *insn)
{
    unsigned to = insn->type, from = insn->type2;
    const uint64_t numbers = TS_INT8 | plain_floats;
    if (insn->sub_op == SUB_PACK) return pack_fault(insn);
    bool plain = in(numbers, to) && in(numbers, from);
    if (insn->type3 || (!plain && !exists_packed(insn))) return "unsupported conversion";
    bool to_float = in(plain_floats, to), from_float = in(plain_floats, from);
    if (plain && !to_float && !from_float && insn->rounding)
        return "rounding does not apply to integers";
    bool odd = insn->rounding == ROUND_RNA || insn->rounding == ROUND_RS;
    bool wrong = plain && (odd || (is_integral(insn) && to_float && to != from) ||
                           (is_directed(insn) && (!to_float || to == from)));
    if (wrong) return "rounding mode incompatible with the types";
    bool has_f32 = to == TYPE_F32 || from == TYPE_F32;
    if (insn->flags & INSN_FTZ && (!plain || !has_f32)) return "'.ftz' requires .f32";
    bool finite = in(halves | TS(TF32), to) && from == TYPE_F32;
    uint32_t limits = INSN_RELU | INSN_SATFINITE;
    if (plain && insn->flags & limits && !finite)
        return "'.relu' and '.satfinite' are incompatible with the types";
    if (insn->flags & INSN_SAT && !plain) return "'.sat' is incompatible with the types";
    return NULL;
}
