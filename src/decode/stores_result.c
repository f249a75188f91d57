// SPDX-License-Identifier: Apache-2.0
/* Whether what an instruction reads is used at all, and stored again, or only decides: a branch, an address, a
 * comparison. */
#include <stdlib.h>

#include "decode/parser.h"

/* Rounds over the code until nothing new is marked; code that needs more counts as storing it. */
enum { ROUNDS_MAX = 16 };

/* As data, not as an address or a guard. */
static bool takes(const struct insn *insn, const bool *marked)
{
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        if (source->kind == OPERAND_REGISTER && marked[source->reg]) return true;
    }
    return false;
}

/* Minima, maxima and exchanges do not count: values that are old by then do no harm there. */
static bool stores(const struct insn *insn)
{
    bool is_memory = insn->space != SPACE_PARAM && insn->space != SPACE_LOCAL;
    bool is_sum = op_infos[insn->op].family == FAMILY_ATOMIC && insn->atom_op == ATOM_ADD;
    return is_memory && (insn->op == OP_ST || is_sum);
}

/* Marks what the instruction makes of it; false: nothing new. Comparisons end the trace. */
static bool mark(const struct function *function, const struct insn *insn, bool *marked)
{
    int32_t registers[OPERAND_REGISTERS_MAX];
    unsigned count = insn_register_writes(insn, registers);
    bool is_new = false;
    for (unsigned r = 0; r < count; r++) {
        bool holds = function->vregs[registers[r]].type != TYPE_PRED;
        is_new |= holds && !marked[registers[r]];
        marked[registers[r]] |= holds;
    }
    return is_new;
}

bool function_stores_result(const struct function *function, const struct insn *read)
{
    bool *marked = mem_zalloc((size_t)function->vreg_count + 1, sizeof *marked);
    bool is_stored = false, is_new = mark(function, read, marked);
    for (unsigned round = 0; is_new && !is_stored; round++) {
        is_new = false;
        is_stored = round == ROUNDS_MAX;
        for (uint32_t i = 0; i < function->insn_count && !is_stored; i++) {
            const struct insn *insn = &function->insns[i];
            if (!takes(insn, marked)) continue;
            is_stored = stores(insn);
            is_new |= op_infos[insn->op].family != FAMILY_ATOMIC && mark(function, insn, marked);
        }
    }
    mem_free(marked);
    return is_stored;
}

bool function_uses_result(const struct function *function, const struct insn *atomic)
{
    int32_t registers[OPERAND_REGISTERS_MAX];
    if (!atomic->ndst || atomic->operands[0].kind != OPERAND_REGISTER) return false;
    for (uint32_t i = 0; i < function->insn_count; i++)
        for (unsigned r = insn_register_reads(&function->insns[i], registers); r-- > 0;)
            if (registers[r] == atomic->operands[0].reg) return true;
    return false;
}
