// SPDX-License-Identifier: Apache-2.0
/* Waiting loops. Native code has no mark for volatile accesses to shared memory. But a load that a loop repeats from the same
 * address, although the loop changes no memory, would stand in front of the loop if it were not volatile. */
#include "decode/native/native_filling.h"

/* A guess: nothing that waits is longer. */
enum { LOOP_INSNS_MAX = 256 };

static bool may_change_memory(const struct insn *insn)
{
    switch (op_infos[insn->op].form) {
    case FORM_ST:
    case FORM_ATOM:
    case FORM_RED:
    case FORM_BULK:
    case FORM_MBARRIER:
    case FORM_BAR:
        return true;
    default:
        return insn->op == OP_CP || insn->op == OP_N_JUMP;
    }
}

static bool writes_register(const struct insn *insn, int32_t reg)
{
    for (unsigned k = 0; k < insn->ndst; k++) {
        const struct operand *to = &insn->operands[k];
        int32_t count = to->width == WIDTH_PAIR ? 2 : 1;
        if (to->kind == OPERAND_REGISTER && reg >= to->reg && reg < to->reg + count) return true;
    }
    return false;
}

struct loop {
    const struct insn *first, *end;
};

static bool changes_memory(struct loop loop)
{
    for (const struct insn *insn = loop.first; insn < loop.end; insn++)
        if (may_change_memory(insn)) return true;
    return false;
}

static bool changes_register(struct loop loop, int32_t reg)
{
    for (const struct insn *insn = loop.first; insn < loop.end; insn++)
        if (writes_register(insn, reg)) return true;
    return false;
}

static bool loads_shared(const struct insn *insn)
{
    return insn->op == OP_LD && insn->space == SPACE_SHARED && insn->semantics == MEM_WEAK;
}

static bool stays(struct loop loop, const struct operand *address)
{
    if (address->reg >= 0 && changes_register(loop, address->reg)) return false;
    return !(address->select & ADDRESS_UNIFORM) || !changes_register(loop, address->uniform);
}

void kernel_find_polls(struct kernel *k)
{
    for (uint32_t i = 0; i < k->insn_count; i++) {
        int32_t target = native_is_jump(&k->insns[i]) ? k->insns[i].target : -1;
        if (target < 0 || (uint32_t)target > i || i - (uint32_t)target >= LOOP_INSNS_MAX) continue;
        struct loop loop = {k->insns + target, k->insns + i + 1};
        if (changes_memory(loop)) continue;
        for (struct insn *insn = k->insns + target; insn < loop.end; insn++)
            if (loads_shared(insn) && stays(loop, insn_source(insn, 0)))
                insn->semantics = MEM_VOLATILE;
    }
}
