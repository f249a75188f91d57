// SPDX-License-Identifier: Apache-2.0
/* Conversions. Operands of an instruction: rows_float.def. */
#include "decode/native/lower_float.h"

#include <string.h>

/* ---- types ----------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    uint8_t type;
    bool is_float;
} type_words[] = {{"F16", TYPE_F16, true},   {"F32", TYPE_F32, true},  {"F64", TYPE_F64, true},
                  {"BF16", TYPE_BF16, true}, {"U8", TYPE_U8, false},   {"S8", TYPE_S8, false},
                  {"U16", TYPE_U16, false},  {"S16", TYPE_S16, false}, {"U32", TYPE_U32, false},
                  {"S32", TYPE_S32, false},  {"U64", TYPE_U64, false}, {"S64", TYPE_S64, false}};

/* The k-th word of the opcode that is a type of this kind; `otherwise`: beyond the last. */
static enum ptx_type type_of(const struct lowering *l, bool is_float, unsigned k,
                             enum ptx_type otherwise)
{
    for (const char *at = strchr(l->in->opcode, '.'); at; at = strchr(at, '.')) {
        size_t length = strcspn(++at, ".");
        for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++) {
            bool is_it = strlen(type_words[i].word) == length &&
                         !strncmp(type_words[i].word, at, length) &&
                         type_words[i].is_float == is_float;
            if (is_it && k-- == 0) return (enum ptx_type)type_words[i].type;
        }
    }
    return otherwise;
}

static enum rounding integral_rounding(const struct lowering *l)
{
    return has(l, "FLOOR")   ? ROUND_RMI
           : has(l, "CEIL")  ? ROUND_RPI
           : has(l, "TRUNC") ? ROUND_RZI
                             : ROUND_RNI;
}

static bool is_wide(enum ptx_type type)
{
    return type_infos[type].bits == 64;
}

static void begin_conversion(struct lowering *l, enum ptx_type to, enum ptx_type from)
{
    lower_to(l, OP_CVT, to);
    l->out->type2 = (uint8_t)from;
    set_float_modifiers(l);
    if (is_wide(to))
        to_pair(l, 0);
    else
        to_register(l, 0);
}

/* Operand i, of which one half is read if it is of 16 bits. */
static void from_float(struct lowering *l, unsigned i, enum ptx_type type)
{
    if (is_wide(type)) {
        from_pair(l, i);
        return;
    }
    from_value(l, i);
    if (type_infos[type].bits > 16) return;
    bool is_upper = operand_has(lower_operand(l, i), "H1");
    change_value(l, VALUE_SIGNED_HALVES | (is_upper ? 16u << VALUE_SHIFT_AT : 0));
}

/* ---- of one number --------------------------------------------------------------------------- */

/* d, b. Halves of floats are made as pairs, whose loop is the faster one. */
bool lower_f2f(struct lowering *l)
{
    enum ptx_type to = type_of(l, true, 0, TYPE_NONE), from = type_of(l, true, 1, TYPE_NONE);
    if (!to || !from) return false;
    bool is_pair = (to == TYPE_F16 || to == TYPE_BF16) && from == TYPE_F32;
    begin_conversion(l, !is_pair ? to : to == TYPE_F16 ? TYPE_F16X2 : TYPE_BF16X2, from);
    if (is_pair) from_number(l, 0);
    from_float(l, 1, from);
    return true;
}

bool lower_f2i(struct lowering *l)
{
    enum ptx_type to = type_of(l, false, 0, TYPE_S32), from = type_of(l, true, 0, TYPE_F32);
    bool nan_is_zero = from != TYPE_F64 && !is_wide(to); /* as PTX has it */
    if (has(l, "NTZ") != nan_is_zero) return false;
    begin_conversion(l, to, from);
    l->out->rounding = (uint8_t)integral_rounding(l);
    from_float(l, 1, from);
    return true;
}

/* d, b.B1: what is narrower than 32 bits is cut out and extended first */
bool lower_i2f(struct lowering *l)
{
    enum ptx_type to = type_of(l, true, 0, TYPE_F32), from = type_of(l, false, 0, TYPE_S32);
    const struct native_operand *b = lower_operand(l, 1);
    unsigned bits = type_infos[from].bits;
    bool is_signed = type_infos[from].kind == KIND_SIGNED;
    unsigned shift = operand_has(b, "B1")                           ? 8
                     : operand_has(b, "B2") || operand_has(b, "H1") ? 16
                     : operand_has(b, "B3")                         ? 24
                                                                    : 0;
    begin_conversion(l, to, bits < 32 ? TYPE_S32 : from);
    if (bits == 64) {
        from_pair(l, 1);
        return true;
    }
    from_value(l, 1);
    if (bits < 32)
        change_value(l, shift << VALUE_SHIFT_AT | (bits == 8 ? VALUE_BYTE : VALUE_HALF) |
                            (is_signed ? VALUE_SIGNED : 0));
    return true;
}

bool lower_frnd(struct lowering *l)
{
    enum ptx_type type = type_of(l, true, 0, TYPE_F32);
    begin_conversion(l, type, type);
    l->out->rounding = (uint8_t)integral_rounding(l);
    from_float(l, 1, type);
    return true;
}

/* ---- into one register ----------------------------------------------------------------------- */

static bool is_zero(const struct native_operand *operand)
{
    return operand->kind == NATIVE_REGISTER && operand->number == NATIVE_RZ;
}

/* Two bytes from a and b in f32, or from the halves of b; c's lower half goes to the upper one. */
static void to_bytes(struct lowering *l, enum ptx_type bytes)
{
    bool from_halves = has(l, "UNPACK_B_MERGE_C");
    begin_conversion(l, bytes, from_halves ? TYPE_F16X2 : TYPE_F32);
    l->out->op = OP_N_F2FP_BYTES;
    if (!from_halves) from_value(l, 1);
    from_value(l, 2);
    if (from_halves) from_number(l, 0);
    from_value(l, 3);
}

/* d, a, b, c: of two numbers the upper half from a */
bool lower_f2fp(struct lowering *l)
{
    bool is_e4 = has(l, "E4M3"), is_byte = is_e4 || has(l, "E5M2"), is_tf32 = has(l, "TF32");
    enum ptx_type bytes = is_e4 ? TYPE_E4M3X2 : TYPE_E5M2X2;
    enum ptx_type halves = has(l, "BF16") ? TYPE_BF16X2 : TYPE_F16X2;
    bool is_signed_source = false;
    for (unsigned i = 1; i < l->in->operand_count; i++)
        is_signed_source |= lower_operand(l, i)->negate || lower_operand(l, i)->absolute;
    if (is_signed_source) return false;
    if (is_byte && !has(l, "UNPACK_B")) {
        to_bytes(l, bytes);
        return true;
    }
    if (is_byte) {
        begin_conversion(l, TYPE_F16X2, bytes);
        from_value(l, 2);
        if (operand_has(lower_operand(l, 2), "H1")) change_value(l, 16u << VALUE_SHIFT_AT);
        return true;
    }
    bool merges = has(l, "MERGE_C"), keeps_half = merges && !is_zero(lower_operand(l, 3));
    enum ptx_type half = has(l, "BF16") ? TYPE_BF16 : TYPE_F16;
    begin_conversion(l, keeps_half ? half : is_tf32 ? TYPE_TF32 : halves, TYPE_F32);
    if (keeps_half) {
        l->out->op = OP_N_F2FP_MERGE;
        from_value(l, 2);
        from_value(l, 3);
        return true;
    }
    if (merges)
        from_number(l, 0);
    else if (!is_tf32)
        from_value(l, 1);
    from_value(l, 2);
    return true;
}

/* d, a, b, c: a byte of b; the other places are c's and a's. */
bool lower_f2ip(struct lowering *l)
{
    if (!is_zero(lower_operand(l, 1)) || !is_zero(lower_operand(l, 3))) return false;
    begin_conversion(l, has(l, "U8") ? TYPE_U8 : TYPE_S8, TYPE_F32);
    l->out->rounding = (uint8_t)integral_rounding(l);
    from_float(l, 2, TYPE_F32);
    return true;
}
