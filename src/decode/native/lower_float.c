// SPDX-License-Identifier: Apache-2.0
/* Floating point of 32 and 64 bits. Operands of an instruction: rows_float.def. */
#include "decode/native/lower_float.h"

void set_float_modifiers(struct lowering *l)
{
    static const struct {
        const char *word;
        uint32_t flag;
    } flags[] = {{"FTZ", INSN_FTZ}, {"SAT", INSN_SAT}, {"RELU", INSN_RELU},
                 {"NAN", INSN_NAN}, {"OOB", INSN_OOB}, {"SATFINITE", INSN_SATFINITE}};
    l->out->rounding = has(l, "RM")   ? ROUND_RM
                       : has(l, "RP") ? ROUND_RP
                       : has(l, "RZ") ? ROUND_RZ
                                      : ROUND_RN;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (has(l, flags[i].word)) l->out->flags |= flags[i].flag;
}

enum compare float_compare(const struct lowering *l)
{
    static const struct {
        const char *word;
        uint8_t compare;
    } words[] = {{"LT", CMP_LT},   {"EQ", CMP_EQ},   {"LE", CMP_LE},   {"GT", CMP_GT},
                 {"NE", CMP_NE},   {"GE", CMP_GE},   {"NUM", CMP_NUM}, {"NAN", CMP_NAN},
                 {"LTU", CMP_LTU}, {"EQU", CMP_EQU}, {"LEU", CMP_LEU}, {"GTU", CMP_GTU},
                 {"NEU", CMP_NEU}, {"GEU", CMP_GEU}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has(l, words[i].word)) return (enum compare)words[i].compare;
    return CMP_NONE;
}

enum combine float_combine(const struct lowering *l)
{
    return has(l, "OR") ? COMBINE_OR : has(l, "XOR") ? COMBINE_XOR : COMBINE_AND;
}

static struct operand *last_operand(struct lowering *l)
{
    return &l->out->operands[l->out->ndst + l->out->nsrc - 1];
}

void change_value(struct lowering *l, unsigned flags)
{
    struct operand *operand = last_operand(l);
    if (operand->kind != OPERAND_SYMBOL) operand->select |= (uint16_t)flags;
}

void apply_signs(struct lowering *l)
{
    change_value(l, VALUE_APPLY_SIGNS);
}

bool is_constant_predicate(const struct native_operand *operand)
{
    return operand && operand->number == NATIVE_PT;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

int64_t sign_bits(const struct lowering *l, unsigned first, unsigned count)
{
    int64_t bits = 0;
    for (unsigned k = 0; k < count; k++) {
        const struct native_operand *operand = lower_operand(l, first + k);
        if (operand->negate) bits |= INT64_C(1) << (NM_NEGATED_AT + k);
        if (operand->absolute) bits |= INT64_C(1) << (NM_ABSOLUTE_AT + k);
    }
    return bits;
}

/* PTX's operation has no signs, the native one applies them. */
static bool lower_f32(struct lowering *l, enum ptx_op plain, enum ptx_op with_signs,
                      unsigned sources)
{
    int64_t signs = sign_bits(l, 1, sources);
    if (has(l, "FMZ")) return false;
    lower_to(l, signs ? with_signs : plain, TYPE_F32);
    set_float_modifiers(l);
    l->out->modifiers = signs;
    to_register(l, 0);
    for (unsigned i = 0; i < sources; i++)
        from_value(l, 1 + i);
    return true;
}

bool lower_fadd(struct lowering *l)
{
    return lower_f32(l, OP_ADD, OP_N_FADD, 2);
}

/* .D8 to .M8: ptxas contracts a product's multiplication by a power of two. */
bool lower_fmul(struct lowering *l)
{
    static const char *const scales[] = {"D8", "D4", "D2", "", "M2", "M4", "M8"};
    unsigned scale = FMUL_SCALE_MOST;
    for (unsigned i = 0; i < sizeof scales / sizeof *scales; i++)
        if (*scales[i] && has(l, scales[i])) scale = i;
    if (scale == FMUL_SCALE_MOST) return lower_f32(l, OP_MUL, OP_N_FMUL, 2);
    if (!lower_f32(l, OP_N_FMUL_SCALED, OP_N_FMUL_SCALED, 2)) return false;
    l->out->modifiers |= value_bits(scale);
    return true;
}

bool lower_ffma(struct lowering *l)
{
    return lower_f32(l, OP_FMA, OP_N_FFMA, 3);
}

/* All of 64 bits are native: PTX's would need lanes of 64 bits. */
static bool lower_f64(struct lowering *l, enum ptx_op op, unsigned sources)
{
    lower_to(l, op, TYPE_F64);
    set_float_modifiers(l);
    l->out->modifiers = sign_bits(l, 1, sources);
    to_pair(l, 0);
    for (unsigned i = 0; i < sources; i++)
        from_pair(l, 1 + i);
    return true;
}

bool lower_dadd(struct lowering *l)
{
    return lower_f64(l, OP_N_DADD, 2);
}

bool lower_dmul(struct lowering *l)
{
    return lower_f64(l, OP_N_DMUL, 2);
}

bool lower_dfma(struct lowering *l)
{
    return lower_f64(l, OP_N_DFMA, 3);
}

/* ---- least and greatest, comparisons --------------------------------------------------------- */

/* |a|, or a constant that is as its absolute value */
static bool is_absolute(const struct native_operand *operand)
{
    if (operand->kind == NATIVE_F32) return !(operand->value >> 31 & 1) && !operand->negate;
    return operand->absolute && !operand->negate;
}

/* d, |a|, |b|, p: PTX's min.xorsign.abs takes the signs off by itself. */
static bool lower_xorsign(struct lowering *l)
{
    const struct native_operand *p = lower_operand(l, 3);
    if (!is_constant_predicate(p)) return false;
    lower_to(l, p->invert ? OP_MAX : OP_MIN, TYPE_F32);
    set_float_modifiers(l);
    l->out->flags |= INSN_XORSIGN | INSN_ABS;
    to_register(l, 0);
    for (unsigned i = 1; i < 3; i++) {
        if (!is_absolute(lower_operand(l, i))) return false;
        from_value(l, i);
        last_operand(l)->absolute = false;
    }
    return true;
}

/* d, a, b, p: the least where p holds */
bool lower_fmnmx(struct lowering *l)
{
    const struct native_operand *p = lower_operand(l, 3);
    if (has(l, "XORSIGN")) return lower_xorsign(l);
    int64_t signs = sign_bits(l, 1, 2);
    bool is_plain = is_constant_predicate(p) && !signs;
    lower_to(l, !is_plain ? OP_N_FMNMX : p->invert ? OP_MAX : OP_MIN, TYPE_F32);
    set_float_modifiers(l);
    l->out->modifiers = signs;
    to_register(l, 0);
    from_value(l, 1);
    from_value(l, 2);
    if (!is_plain) from_predicate(l, 3);
    return true;
}

/* p, q, a, b, c */
static bool lower_compare(struct lowering *l, enum ptx_type type)
{
    enum compare compare = float_compare(l);
    if (!compare) return false;
    lower_to(l, OP_SETP, type);
    set_float_modifiers(l);
    l->out->compare = (uint8_t)compare;
    l->out->combine = (uint8_t)float_combine(l);
    to_predicate(l, 0);
    to_predicate(l, 1);
    for (unsigned i = 2; i < 4; i++) {
        if (type == TYPE_F64)
            from_pair(l, i);
        else
            from_value(l, i);
    }
    from_predicate(l, 4);
    return true;
}

bool lower_fsetp(struct lowering *l)
{
    return lower_compare(l, TYPE_F32);
}

/* .MIN, .MAX: which one it is, and whether that is a NaN */
bool lower_dsetp(struct lowering *l)
{
    bool is_max = has(l, "MAX"), is_minmax = is_max || has(l, "MIN");
    const struct native_operand *c = lower_operand(l, 4);
    if (!is_minmax) return lower_compare(l, TYPE_F64);
    if (!is_constant_predicate(c) || c->invert || !has(l, "AND")) return false;
    lower_to(l, OP_N_DSETP_MINMAX, TYPE_F64);
    l->out->modifiers = sign_bits(l, 2, 2) | (is_max ? NM_HIGH : 0);
    to_predicate(l, 0);
    to_predicate(l, 1);
    from_pair(l, 2);
    from_pair(l, 3);
    return true;
}

/* d, a, b, c: 1.0 or 0.0 (.BF) */
bool lower_fset(struct lowering *l)
{
    enum compare compare = float_compare(l);
    if (!compare) return false;
    lower_to(l, OP_SET, has(l, "BF") ? TYPE_F32 : TYPE_U32);
    l->out->type2 = TYPE_F32;
    set_float_modifiers(l);
    l->out->compare = (uint8_t)compare;
    l->out->combine = (uint8_t)float_combine(l);
    to_register(l, 0);
    from_value(l, 1);
    from_value(l, 2);
    from_predicate(l, 3);
    return true;
}

/* d, a, b, p: bits, but for the signs */
bool lower_fsel(struct lowering *l)
{
    if (has(l, "FTZ")) return false;
    lower_to(l, OP_SELP, TYPE_B32);
    to_register(l, 0);
    from_value(l, 1);
    from_value(l, 2);
    from_predicate(l, 3);
    return true;
}

/* p, a, b */
bool lower_fchk(struct lowering *l)
{
    lower_to(l, OP_N_FCHK, TYPE_F32);
    to_predicate(l, 0);
    from_value(l, 1);
    from_value(l, 2);
    return true;
}

/* ---- special functions ----------------------------------------------------------------------- */

/* Subnormal numbers are flushed on both sides: where PTX keeps them, ptxas scales. */
bool lower_mufu(struct lowering *l)
{
    static const struct {
        const char *word;
        uint16_t op;
        bool flushes, has_halves;
    } functions[] = {{"RCP", OP_RCP, true, false},          {"RSQ", OP_RSQRT, true, false},
                     {"SQRT", OP_SQRT, true, false},        {"EX2", OP_EX2, true, true},
                     {"LG2", OP_LG2, true, false},          {"TANH", OP_TANH, false, true},
                     {"SIN", OP_N_SIN_TURNS, false, false}, {"COS", OP_N_COS_TURNS, false, false},
                     {"RCP64H", OP_N_RCP64H, false, false}, {"RSQ64H", OP_N_RSQ64H, false, false}};
    size_t i = 0, count = sizeof functions / sizeof *functions;
    while (i < count && !has(l, functions[i].word))
        i++;
    bool is_f16 = has(l, "F16"), is_bf16 = has(l, "BF16"), is_half = is_f16 || is_bf16;
    if (i == count || (is_half && !functions[i].has_halves)) return false;
    lower_to(l, (enum ptx_op)functions[i].op,
             is_f16    ? TYPE_F16X2
             : is_bf16 ? TYPE_BF16X2
                       : TYPE_F32);
    if (functions[i].flushes && !is_f16) l->out->flags |= INSN_FTZ;
    l->out->flags |= INSN_APPROX;
    to_register(l, 0);
    from_value(l, 1);
    apply_signs(l);
    if (is_half)
        change_value(
            l, VALUE_SIGNED_HALVES |
                   (operand_has(lower_operand(l, 1), "H1") ? VALUE_HIGH_TWICE : VALUE_LOW_TWICE));
    return true;
}
