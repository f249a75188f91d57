// SPDX-License-Identifier: Apache-2.0
/* Lengths and kinds are those of ptxas 13 for sm_75: each instruction compiled alone between a load and a store,
 * the path that ordinary operands take (tests/unit/test_native_view.c has the table). */
#include "measure/native_view.h"

#define PARTS(name, ...) static const struct view_part name[VIEW_PARTS] = {__VA_ARGS__}

PARTS(one_move, {1, CLASS_MOVE});
PARTS(one_logic, {1, CLASS_LOGIC});
PARTS(one_half, {1, CLASS_FP16});
PARTS(two_adds, {2, CLASS_INT_ADD});
PARTS(two_logic, {2, CLASS_LOGIC});
PARTS(two_shifts, {2, CLASS_SHIFT});
PARTS(two_compares, {2, CLASS_CMP});
PARTS(two_selects, {2, CLASS_SELECT});
PARTS(two_others, {2, CLASS_OTHER});
PARTS(compare_select, {1, CLASS_CMP}, {1, CLASS_SELECT});
PARTS(logic_compare, {1, CLASS_LOGIC}, {1, CLASS_CMP});
PARTS(shift_logic, {1, CLASS_SHIFT}, {1, CLASS_LOGIC});
PARTS(bit_field, {1, CLASS_MOVE}, {3, CLASS_LOGIC}, {2, CLASS_SHIFT});
PARTS(saturated_add, {1, CLASS_INT_ADD}, {2, CLASS_LOGIC}, {2, CLASS_SELECT});
PARTS(find_one, {1, CLASS_OTHER}, {1, CLASS_INT_ADD});
PARTS(wide_min, {2, CLASS_CMP}, {2, CLASS_SELECT});
PARTS(wide_abs, {2, CLASS_INT_ADD}, {1, CLASS_CMP}, {2, CLASS_SELECT});
PARTS(wide_mul, {3, CLASS_INT_MAD}, {1, CLASS_INT_ADD});
PARTS(wide_mul_hi, {4, CLASS_INT_MAD}, {3, CLASS_INT_ADD});
PARTS(wide_count, {2, CLASS_OTHER}, {1, CLASS_INT_ADD});
PARTS(wide_find, {1, CLASS_CMP}, {1, CLASS_SELECT}, {1, CLASS_OTHER}, {2, CLASS_INT_ADD});
PARTS(mul_24, {2, CLASS_LOGIC}, {1, CLASS_INT_MAD});
PARTS(double_min, {1, CLASS_FP64_MINMAX}, {2, CLASS_MOVE}, {2, CLASS_SELECT}, {1, CLASS_LOGIC});

#define QUOTIENT(adds, mads, compares, rest)                                                       \
    {1, CLASS_CONVERT}, {1, CLASS_SFU_RCP}, {1, CLASS_INT_ADD}, {1, CLASS_CONVERT},                \
        {mads, CLASS_INT_MAD}, {compares, CLASS_CMP}, {adds, CLASS_INT_ADD},                       \
    {                                                                                              \
        rest, CLASS_LOGIC                                                                          \
    }
PARTS(div_u32, QUOTIENT(4, 6, 3, 1));
PARTS(rem_u32, QUOTIENT(3, 6, 3, 1));
PARTS(div_s32, QUOTIENT(7, 7, 4, 3));
PARTS(rem_s32, QUOTIENT(5, 6, 4, 3));
PARTS(div_u32_constant, QUOTIENT(3, 5, 2, 0));
PARTS(rem_u32_constant, QUOTIENT(2, 5, 2, 0));
PARTS(div_s32_constant, QUOTIENT(3, 6, 3, 2));
PARTS(rem_s32_constant, QUOTIENT(2, 6, 3, 1));
PARTS(div_64, {2, CLASS_CONVERT}, {1, CLASS_SFU_RCP}, {36, CLASS_INT_MAD}, {22, CLASS_INT_ADD},
      {6, CLASS_CMP}, {4, CLASS_CONTROL});

/* With a slow path. */
#define MEETING(name, ...)                                                                         \
    static const struct view_part name[NATIVE_MEETINGS][VIEW_PARTS] = {                            \
        {__VA_ARGS__, {4, CLASS_CONTROL}},                                                         \
        {__VA_ARGS__, {3, CLASS_CONTROL}},                                                         \
        {__VA_ARGS__, {1, CLASS_CONTROL}}}
MEETING(float_div, {1, CLASS_SFU_RCP}, {1, CLASS_OTHER}, {5, CLASS_FP32_FMA});
PARTS(float_div_full, {2, CLASS_CMP}, {4, CLASS_FP32_MUL}, {1, CLASS_SFU_RCP}, {1, CLASS_FP32_MUL});
PARTS(float_div_approx, {1, CLASS_CMP}, {2, CLASS_FP32_MUL}, {1, CLASS_SFU_RCP},
      {1, CLASS_FP32_MUL});
PARTS(float_div_flush, {1, CLASS_SFU_RCP}, {1, CLASS_FP32_MUL});
MEETING(float_rcp, {1, CLASS_INT_ADD}, {1, CLASS_LOGIC}, {1, CLASS_CMP}, {1, CLASS_SFU_RCP},
        {3, CLASS_FP32_FMA});
PARTS(float_rcp_approx, {1, CLASS_MOVE}, {2, CLASS_CMP}, {2, CLASS_SELECT}, {1, CLASS_FP32_MUL},
      {1, CLASS_SFU_RCP}, {1, CLASS_FP32_MUL});
MEETING(float_sqrt, {1, CLASS_INT_ADD}, {1, CLASS_SFU_RSQRT}, {1, CLASS_CMP}, {2, CLASS_FP32_MUL},
        {2, CLASS_FP32_FMA});
#define SCALED(class)                                                                              \
    {1, CLASS_CMP}, {1, CLASS_FP32_MUL}, {1, class},                                               \
    {                                                                                              \
        1, CLASS_FP32_MUL                                                                          \
    }
PARTS(scaled_sqrt, SCALED(CLASS_SFU_SQRT));
PARTS(scaled_rsqrt, SCALED(CLASS_SFU_RSQRT));
PARTS(scaled_lg2, SCALED(CLASS_SFU_LG2));
PARTS(scaled_ex2, SCALED(CLASS_SFU_EX2));
PARTS(reduced_sin, {1, CLASS_FP32_MUL}, {1, CLASS_SFU_SIN});
PARTS(reduced_cos, {1, CLASS_FP32_MUL}, {1, CLASS_SFU_COS});
MEETING(double_div, {1, CLASS_MOVE}, {1, CLASS_CMP}, {1, CLASS_SFU_RCP}, {8, CLASS_FP64_FMA},
        {1, CLASS_FP32_FMA}, {1, CLASS_CMP});
MEETING(double_rcp, {1, CLASS_SFU_RCP}, {1, CLASS_INT_ADD}, {1, CLASS_CMP}, {5, CLASS_FP64_FMA});
MEETING(double_sqrt, {2, CLASS_MOVE}, {1, CLASS_SFU_RSQRT}, {2, CLASS_INT_ADD}, {1, CLASS_CMP},
        {8, CLASS_FP64_FMA});
MEETING(double_rsqrt, {3, CLASS_MOVE}, {1, CLASS_SFU_RSQRT}, {1, CLASS_INT_ADD}, {1, CLASS_CMP},
        {5, CLASS_FP64_FMA});

static bool is_constant(const struct insn *insn, unsigned source)
{
    return insn_source(insn, source)->kind == OPERAND_IMMEDIATE;
}

static bool is_float(const struct insn *insn)
{
    return type_infos[insn->type].kind == KIND_FLOAT;
}

static const struct view_part *integer_division(const struct insn *insn)
{
    /* Quotient, remainder; unsigned, signed; by a register, by a constant. */
    static const struct view_part *const forms[2][2][2] = {
        {{div_u32, div_u32_constant}, {div_s32, div_s32_constant}},
        {{rem_u32, rem_u32_constant}, {rem_s32, rem_s32_constant}}};
    if (type_infos[insn->type].bits == 64) return div_64;
    bool is_signed = type_infos[insn->type].kind == KIND_SIGNED;
    return forms[insn->op == OP_REM][is_signed][is_constant(insn, 1)];
}

static const struct view_part *division(const struct insn *insn, enum native_meeting meeting)
{
    bool flushes = insn->flags & INSN_FTZ;
    if (!is_float(insn)) return integer_division(insn);
    if (insn->type == TYPE_F64) return double_div[meeting];
    if (insn->flags & INSN_APPROX) return flushes ? float_div_flush : float_div_approx;
    return insn->flags & INSN_FULL ? float_div_full : float_div[meeting];
}

static const struct view_part *special(const struct insn *insn, enum native_meeting meeting)
{
    bool flushes = insn->flags & INSN_FTZ, is_double = insn->type == TYPE_F64;
    bool is_approximate = insn->flags & INSN_APPROX;
    if (insn->op == OP_SIN) return reduced_sin;
    if (insn->op == OP_COS) return reduced_cos;
    if (insn->op == OP_RSQRT && is_double) return double_rsqrt[meeting];
    if (insn->op == OP_SQRT && !is_approximate)
        return is_double ? double_sqrt[meeting] : float_sqrt[meeting];
    if (insn->op == OP_RCP && !is_approximate)
        return is_double ? double_rcp[meeting] : float_rcp[meeting];
    if (flushes || insn->type != TYPE_F32) return NULL;
    switch ((enum ptx_op)insn->op) {
    case OP_RCP:
        return float_rcp_approx;
    case OP_SQRT:
        return scaled_sqrt;
    case OP_RSQRT:
        return scaled_rsqrt;
    case OP_LG2:
        return scaled_lg2;
    case OP_EX2:
        return scaled_ex2;
    default:
        return NULL;
    }
}

/* Conversions between integers are moves or masks; f16 comes by an addition of halves. */
static const struct view_part *conversion(const struct insn *insn)
{
    bool from_float = type_infos[insn->type2].kind == KIND_FLOAT;
    if (!is_float(insn) && !from_float)
        return type_infos[insn->type].bits < 32 || type_infos[insn->type2].bits < 32 ? one_logic
                                                                                     : one_move;
    return insn->type == TYPE_F32 && insn->type2 == TYPE_F16 ? one_half : NULL;
}

static const struct view_part *wide_integer(const struct insn *insn)
{
    switch (op_infos[insn->op].family) {
    case FAMILY_ADD:
        return insn->op == OP_ABS ? wide_abs : two_adds;
    case FAMILY_MUL:
    case FAMILY_MAD:
        return insn->mul_part == MUL_HI ? wide_mul_hi : wide_mul;
    case FAMILY_MINMAX:
        return wide_min;
    case FAMILY_LOGIC:
        return two_logic;
    case FAMILY_SHIFT:
        return insn->op == OP_BFE || insn->op == OP_BFI ? bit_field : two_shifts;
    case FAMILY_CMP:
        return two_compares;
    case FAMILY_SELECT:
        return two_selects;
    default:
        return insn->op == OP_POPC   ? wide_count
               : insn->op == OP_BREV ? two_others
               : insn->op == OP_CLZ  ? wide_find
                                     : NULL;
    }
}

static const struct view_part *word(const struct insn *insn)
{
    switch ((enum ptx_op)insn->op) {
    case OP_BFE:
        return is_constant(insn, 1) && is_constant(insn, 2) ? two_shifts : bit_field;
    case OP_BFI:
        return shift_logic;
    case OP_CLZ:
        return find_one;
    case OP_MUL24:
    case OP_MAD24:
        return mul_24;
    case OP_SET:
        return compare_select;
    case OP_TESTP:
        return logic_compare;
    case OP_ADD:
    case OP_SUB:
        return insn->flags & INSN_SAT && !is_float(insn) ? saturated_add : NULL;
    case OP_MIN:
    case OP_MAX:
        return insn->type == TYPE_F64 ? double_min : NULL;
    default:
        return NULL;
    }
}

const struct view_part *native_sequence(const struct insn *insn, enum native_meeting meeting)
{
    unsigned family = op_infos[insn->op].family;
    if (insn->guard >= 0) return NULL;
    if (family == FAMILY_DIV) return division(insn, meeting);
    if (family >= FAMILY_SFU_RCP && family <= FAMILY_SFU_TANH) return special(insn, meeting);
    if (insn->op == OP_CVT) return conversion(insn);
    if (insn->op == OP_SELP && insn->type == TYPE_F64) return two_selects;
    bool is_wide = type_infos[insn->type].bits == 64 && !is_float(insn);
    return is_wide && insn->mul_part != MUL_WIDE ? wide_integer(insn) : word(insn);
}
