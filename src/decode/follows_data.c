// SPDX-License-Identifier: Apache-2.0
/* Whether the data in memory decide what a kernel does: which instructions run, or which addresses they
 * access. If not, launches of one geometry with equal scalar arguments do the same work. */
#include <stdlib.h>

#include "decode/parser.h"

/* Rounds over the code until nothing new follows from data; code that needs more counts as following it. */
enum { ROUNDS_MAX = 16 };

/* Its results come out of memory, from another lane's view of it or from a clock. */
static bool gives_data(const struct insn *insn)
{
    if (op_infos[insn->op].family == FAMILY_TEXTURE) return true;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        if (operand_is_clock(source)) return true;
        if (source->kind == OPERAND_ADDRESS && insn->space != SPACE_PARAM) return true;
    }
    return false;
}

/* Registers that stand for addresses, or that choose a target. */
static bool is_led_by(const struct insn *insn, const bool *data)
{
    if (insn->guard >= 0 && data[insn->guard]) return true;
    bool chooses = op_infos[insn->op].family == FAMILY_TEXTURE || insn->op == OP_BRX;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        if (source->reg < 0 || source->kind == OPERAND_SPECIAL) continue;
        if ((chooses || source->kind == OPERAND_ADDRESS) && data[source->reg]) return true;
    }
    return false;
}

/* Marks results that data decide; false: nothing new. */
static bool mark(const struct insn *insn, bool *data)
{
    int32_t registers[OPERAND_REGISTERS_MAX];
    bool follows = gives_data(insn), is_new = false;
    unsigned count = insn_register_reads(insn, registers);
    for (unsigned r = 0; r < count && !follows; r++)
        follows = data[registers[r]];
    count = follows ? insn_register_writes(insn, registers) : 0;
    for (unsigned r = 0; r < count; r++) {
        is_new |= !data[registers[r]];
        data[registers[r]] = true;
    }
    return is_new;
}

bool *function_data_registers(const struct function *function)
{
    bool *data = mem_zalloc((size_t)function->vreg_count + 1, sizeof *data);
    bool is_new = true;
    for (unsigned round = 0; is_new && round < ROUNDS_MAX; round++) {
        is_new = false;
        for (uint32_t i = 0; i < function->insn_count; i++)
            is_new |= mark(&function->insns[i], data);
    }
    for (uint32_t r = 0; is_new && r < function->vreg_count; r++)
        data[r] = true;
    return data;
}

bool function_follows_data(const struct function *function)
{
    bool *data = function_data_registers(function);
    bool follows = false;
    for (uint32_t i = 0; i < function->insn_count && !follows; i++)
        follows = function->insns[i].call || is_led_by(&function->insns[i], data);
    mem_free(data);
    return follows;
}
