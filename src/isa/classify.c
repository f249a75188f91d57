// SPDX-License-Identifier: Apache-2.0
/* Which class the models price an instruction as (doc/definitions.md#instruction-classes), and which
 * units of the power model it keeps busy (doc/definitions.md#units-of-the-power-model). */
#include "isa/insn.h"

unsigned insn_access_bytes(const struct insn *insn)
{
    unsigned element = type_infos[insn->type].bits / 8u;
    return element * (insn->vector ? insn->vector : 1u);
}

/* Families whose class depends on the type: columns f32, f64, integer. Halves have one class. */
static const uint8_t typed_classes[][3] = {
    [FAMILY_ADD] = {CLASS_FP32_ADD, CLASS_FP64_ADD, CLASS_INT_ADD},
    [FAMILY_MUL] = {CLASS_FP32_MUL, CLASS_FP64_MUL, CLASS_INT_MUL},
    [FAMILY_MAD] = {CLASS_FP32_FMA, CLASS_FP64_FMA, CLASS_INT_MAD},
    [FAMILY_MUL24] = {CLASS_INT_MUL24, CLASS_INT_MUL24, CLASS_INT_MUL24},
    [FAMILY_DIV] = {CLASS_FP32_DIV, CLASS_FP64_DIV, CLASS_INT_DIV},
    [FAMILY_MINMAX] = {CLASS_FP32_MINMAX, CLASS_FP64_MINMAX, CLASS_INT_MINMAX},
};

static const uint8_t plain_classes[] = {
    [FAMILY_LOGIC] = CLASS_LOGIC,
    [FAMILY_SHIFT] = CLASS_SHIFT,
    [FAMILY_CMP] = CLASS_CMP,
    [FAMILY_SELECT] = CLASS_SELECT,
    [FAMILY_MOVE] = CLASS_MOVE,
    [FAMILY_CONVERT] = CLASS_CONVERT,
    [FAMILY_SFU_RCP] = CLASS_SFU_RCP,
    [FAMILY_SFU_SQRT] = CLASS_SFU_SQRT,
    [FAMILY_SFU_RSQRT] = CLASS_SFU_RSQRT,
    [FAMILY_SFU_SIN] = CLASS_SFU_SIN,
    [FAMILY_SFU_COS] = CLASS_SFU_COS,
    [FAMILY_SFU_LG2] = CLASS_SFU_LG2,
    [FAMILY_SFU_EX2] = CLASS_SFU_EX2,
    [FAMILY_SFU_TANH] = CLASS_SFU_TANH,
    [FAMILY_TEXTURE] = CLASS_MEM_TEXTURE_LOAD,
    [FAMILY_SURFACE_LOAD] = CLASS_MEM_SURFACE_LOAD,
    [FAMILY_SURFACE_STORE] = CLASS_MEM_SURFACE_STORE,
    [FAMILY_SURFACE_ATOMIC] = CLASS_MEM_SURFACE_ATOMIC,
    [FAMILY_CONTROL] = CLASS_CONTROL,
    [FAMILY_BARRIER] = CLASS_BARRIER,
    [FAMILY_SHUFFLE] = CLASS_SHUFFLE,
    [FAMILY_VOTE] = CLASS_VOTE,
    [FAMILY_FENCE] = CLASS_FENCE,
    [FAMILY_TENSOR] = CLASS_TENSOR,
    [FAMILY_OTHER] = CLASS_OTHER,
};

static enum insn_class memory_class(unsigned space, unsigned operation)
{
    unsigned first;
    switch (space) {
    case SPACE_SHARED:
        first = CLASS_MEM_SHARED_LOAD;
        break;
    case SPACE_LOCAL:
        first = CLASS_MEM_LOCAL_LOAD;
        break;
    case SPACE_CONST:
        first = CLASS_MEM_CONST_LOAD;
        break;
    case SPACE_PARAM:
        first = CLASS_MEM_PARAM_LOAD;
        break;
    default:
        first = CLASS_MEM_GLOBAL_LOAD;
        break;
    }
    return (enum insn_class)(first + operation);
}

/* Later GPUs have an instruction of their own for it (I2FP). */
static bool makes_float_of_word(const struct insn *insn)
{
    return insn->type == TYPE_F32 && (insn->type2 == TYPE_S32 || insn->type2 == TYPE_U32) &&
           (insn->rounding <= ROUND_RZ);
}

enum insn_class insn_classify(const struct insn *insn)
{
    unsigned family = op_infos[insn->op].family;
    switch (family) {
    case FAMILY_LOAD:
        return memory_class(insn->space, 0);
    case FAMILY_STORE:
        return memory_class(insn->space, 1);
    case FAMILY_ATOMIC:
        return memory_class(insn_memory_space(insn), 2);
    default:
        break;
    }
    if (insn->op == OP_CVT && makes_float_of_word(insn)) return CLASS_CONVERT_INT;
    if (family > FAMILY_MINMAX) return (enum insn_class)plain_classes[family];
    switch (insn->type) {
    case TYPE_F16:
    case TYPE_F16X2:
        return CLASS_FP16;
    case TYPE_BF16:
    case TYPE_BF16X2:
        return CLASS_BF16;
    case TYPE_F32:
    case TYPE_F32X2:
        return (enum insn_class)typed_classes[family][0];
    case TYPE_F64:
        return (enum insn_class)typed_classes[family][1];
    default:
        return (enum insn_class)typed_classes[family][2];
    }
}

/* The unit that computes. Opcodes newer than the table follow their nearest kin: shuffles, votes
 * and bit operations the ALU, generic accesses and atomics their memory; barriers, fences and
 * branches keep no computing unit busy. */
static unsigned computing_unit(const struct insn *insn)
{
    switch (op_infos[insn->op].family) {
    case FAMILY_ADD:
    case FAMILY_MUL:
    case FAMILY_MAD:
    case FAMILY_DIV:
    case FAMILY_MINMAX:
        return type_infos[insn->type].kind == KIND_FLOAT ? UNIT_FP : UNIT_INT;
    case FAMILY_MUL24:
        return UNIT_INT;
    case FAMILY_SFU_LG2:
    case FAMILY_SFU_EX2:
        return UNIT_FP;
    case FAMILY_SFU_RCP:
    case FAMILY_SFU_SQRT:
    case FAMILY_SFU_RSQRT:
    case FAMILY_SFU_SIN:
    case FAMILY_SFU_COS:
    case FAMILY_SFU_TANH:
        return UNIT_SFU;
    case FAMILY_TEXTURE:
        return UNIT_TEXTURE;
    case FAMILY_CONTROL:
    case FAMILY_BARRIER:
    case FAMILY_FENCE:
        return UNIT_COUNT;
    case FAMILY_LOAD:
    case FAMILY_STORE:
    case FAMILY_ATOMIC:
        break;
    default:
        return UNIT_ALU;
    }
    switch (insn_memory_space(insn)) {
    case SPACE_SHARED:
        return UNIT_SHARED;
    case SPACE_LOCAL:
        return UNIT_LOCAL;
    case SPACE_CONST:
    case SPACE_PARAM:
        return UNIT_CONST;
    default:
        return UNIT_GLOBAL;
    }
}

uint16_t insn_units(const struct insn *insn)
{
    unsigned unit = computing_unit(insn), units = 1u << UNIT_FDS;
    unsigned family = op_infos[insn->op].family;
    if (unit != UNIT_COUNT) units |= 1u << unit;
    if (family != FAMILY_CONTROL && family != FAMILY_BARRIER && family != FAMILY_FENCE)
        units |= 1u << UNIT_REG;
    return (uint16_t)units;
}
