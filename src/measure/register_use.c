// SPDX-License-Identifier: Apache-2.0
#include "measure/register_use.h"

static unsigned add_once(uint32_t *list, unsigned count, int32_t reg)
{
    if (reg < 0) return count;
    for (unsigned i = 0; i < count; i++) {
        if (list[i] == (uint32_t)reg) return count;
    }
    list[count] = (uint32_t)reg;
    return count + 1;
}

unsigned insn_reads(const struct insn *insn, uint32_t reads[READS_MAX])
{
    unsigned count = add_once(reads, 0, insn->guard);
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        if (source->kind == OPERAND_REGISTER || source->kind == OPERAND_ADDRESS)
            count = add_once(reads, count, source->reg);
    }
    return count;
}

unsigned insn_writes(const struct insn *insn, uint32_t writes[OPERANDS_MAX])
{
    unsigned count = 0;
    for (unsigned i = 0; i < insn->ndst; i++) {
        if (insn_operand(insn, i)->kind == OPERAND_REGISTER)
            count = add_once(writes, count, insn_operand(insn, i)->reg);
    }
    return count;
}

uint32_t launch_register_count(const struct launch_view *launch)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < launch->code_block_count; i++) {
        const struct code_block *block = &launch->code_blocks[i];
        uint32_t end = block->vreg_base + block->function->vreg_count;
        if (end > count) count = end;
    }
    return count;
}
