// SPDX-License-Identifier: Apache-2.0
#include "measure/uniform.h"

#include "base/memory.h"
#include "measure/register_use.h"

/* Do these compute from their sources alone? */
static bool computes(const struct insn *insn)
{
    if (insn->class_id == CLASS_MEM_PARAM_LOAD || insn->class_id == CLASS_MEM_CONST_LOAD)
        return true;
    return insn->class_id < CLASS_CONTROL;
}

static bool is_uniform_special(int32_t special)
{
    return special >= SREG_NTID_X && special <= SREG_NCTAID_W;
}

static bool is_uniform_operand(const bool *uniform, const struct code_block *code,
                               const struct operand *operand)
{
    switch ((enum operand_kind)operand->kind) {
    case OPERAND_NONE:
    case OPERAND_IMMEDIATE:
    case OPERAND_SYMBOL:
    case OPERAND_BANK:
        return true;
    case OPERAND_SPECIAL:
        return is_uniform_special(operand->reg);
    case OPERAND_REGISTER:
    case OPERAND_ADDRESS:
        return operand->reg < 0 || uniform[code->vreg_base + (uint32_t)operand->reg];
    case OPERAND_FUNCTION:
        break;
    }
    return false;
}

/* Parameters of a function that is called differ from call to call. */
static bool is_uniform_result(const bool *uniform, const struct launch_view *launch,
                              const struct code_block *code, const struct insn *insn)
{
    bool is_entry = code->function == &launch->module->functions[launch->entry];
    if (!is_entry || insn->guard >= 0 || !computes(insn)) return false;
    for (unsigned i = 0; i < insn->nsrc; i++)
        if (!is_uniform_operand(uniform, code, insn_source(insn, i))) return false;
    uint32_t reads[READS_MAX];
    unsigned count = insn_reads(insn, reads);
    for (unsigned i = 0; i < count; i++)
        if (!uniform[code->vreg_base + reads[i]]) return false;
    return true;
}

static void count_writes(const struct launch_view *launch, uint8_t *writes)
{
    for (uint32_t b = 0; b < launch->code_block_count; b++) {
        const struct code_block *code = &launch->code_blocks[b];
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
            uint32_t written[OPERANDS_MAX];
            unsigned count = insn_writes(launch->insns[pc], written);
            for (unsigned i = 0; i < count; i++) {
                uint8_t *all = &writes[code->vreg_base + written[i]];
                if (*all < 2) ++*all;
            }
        }
    }
}

/* One pass over the launch; is there anything new? */
static bool spread(const struct launch_view *launch, const uint8_t *writes, bool *uniform)
{
    bool is_new = false;
    for (uint32_t b = 0; b < launch->code_block_count; b++) {
        const struct code_block *code = &launch->code_blocks[b];
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
            const struct insn *insn = launch->insns[pc];
            uint32_t written[OPERANDS_MAX];
            unsigned count = insn_writes(insn, written);
            if (!count || !is_uniform_result(uniform, launch, code, insn)) continue;
            for (unsigned i = 0; i < count; i++) {
                uint32_t reg = code->vreg_base + written[i];
                if (writes[reg] != 1 || uniform[reg]) continue;
                uniform[reg] = is_new = true;
            }
        }
    }
    return is_new;
}

bool *uniform_registers(const struct launch_view *launch, uint32_t register_count)
{
    bool *uniform = mem_zalloc(register_count + 1, sizeof *uniform);
    uint8_t *writes = mem_zalloc(register_count + 1, sizeof *writes);
    count_writes(launch, writes);
    while (spread(launch, writes, uniform))
        ;
    mem_free(writes);
    return uniform;
}

bool counts_lanes(const struct insn *insn)
{
    bool is_added = insn->class_id == CLASS_MEM_SHARED_ATOMIC && insn->atom_op == ATOM_ADD &&
                    (insn->type == TYPE_U32 || insn->type == TYPE_S32);
    const struct operand *value = insn->nsrc > 1 ? insn_source(insn, 1) : NULL;
    return is_added && value && value->kind == OPERAND_IMMEDIATE && value->imm == 1;
}

bool uniform_atomic(const bool *uniform, const struct code_block *code, const struct insn *insn)
{
    bool is_added = insn->class_id == CLASS_MEM_GLOBAL_ATOMIC && insn->atom_op == ATOM_ADD &&
                    (insn->type == TYPE_U32 || insn->type == TYPE_S32 || insn->type == TYPE_U64);
    if (!is_added) return false;
    for (unsigned i = 0; i < insn->nsrc; i++)
        if (!is_uniform_operand(uniform, code, insn_source(insn, i))) return false;
    return true;
}
