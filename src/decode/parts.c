// SPDX-License-Identifier: Apache-2.0
#include "decode/parts.h"

struct operand parts_number(int64_t value)
{
    return (struct operand){.kind = OPERAND_IMMEDIATE, .reg = -1, .symbol = -1, .imm = value};
}

struct operand parts_register(struct parser *parser, enum ptx_type type)
{
    int32_t reg = body_add_register(parser, "", type);
    return (struct operand){.kind = OPERAND_REGISTER, .reg = reg, .symbol = -1};
}

struct insn *parts_add(struct parts *parts, enum ptx_op op, enum ptx_type type,
                       enum mem_space space, unsigned vector)
{
    struct insn *insn = &parts->insns[parts->count++];
    *insn = parts->like;
    insn->op = (uint16_t)op;
    insn->type = (uint8_t)type;
    insn->space = (uint8_t)space;
    insn->vector = (uint8_t)vector;
    insn->class_id = (uint8_t)insn_classify(insn);
    insn->units = insn_units(insn);
    return insn;
}

struct insn *parts_operation(struct parts *parts, enum ptx_op op, enum ptx_type type,
                             const struct operand *to, struct operand a, struct operand b)
{
    struct insn *insn = parts_add(parts, op, type, SPACE_NONE, 1);
    insn->operands[insn->ndst++] = *to;
    insn->operands[insn->ndst + insn->nsrc++] = a;
    insn->operands[insn->ndst + insn->nsrc++] = b;
    return insn;
}

void parts_put(struct parser *parser, const struct parts *parts, struct insn *insn)
{
    const struct token token = *current(parser);
    *insn = parts->insns[0];
    for (unsigned k = 1; k < parts->count; k++)
        *body_add_insn(parser, &token) = parts->insns[k];
}
