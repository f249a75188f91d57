// SPDX-License-Identifier: Apache-2.0
/* What a kernel or a function that it may call does somewhere. */
#include "base/memory.h"
#include "decode/parser.h"

bool operand_is_clock(const struct operand *operand)
{
    return operand->kind == OPERAND_SPECIAL && operand->reg >= SREG_CLOCK &&
           operand->reg <= SREG_GLOBALTIMER_HI;
}

unsigned insn_clock_reads(const struct insn *insn)
{
    unsigned count = 0;
    for (unsigned i = 0; i < insn->nsrc; i++)
        count += operand_is_clock(insn_source(insn, i));
    return count;
}

typedef bool insn_test(const struct module *module, const struct insn *insn);

static bool any(const struct module *module, uint32_t entry, insn_test *test)
{
    bool *reached = mem_zalloc(module->function_count, sizeof *reached), found = false;
    module_reachable(module, entry, reached);
    for (uint32_t f = 0; f < module->function_count && !found; f++) {
        const struct function *function = &module->functions[f];
        for (uint32_t i = 0; reached[f] && i < function->insn_count && !found; i++)
            found = test(module, &function->insns[i]);
    }
    mem_free(reached);
    return found;
}

static bool reads_clock(const struct module *module, const struct insn *insn)
{
    (void)module;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        if (operand_is_clock(source)) return true;
        if (source->kind == OPERAND_SPECIAL && source->reg == SREG_SMID) return true;
    }
    return false;
}

bool module_reads_clock(const struct module *module, uint32_t entry)
{
    return any(module, entry, reads_clock);
}

static bool copies_in_bulk(const struct module *module, const struct insn *insn)
{
    (void)module;
    return insn->bulk;
}

bool module_copies_in_bulk(const struct module *module, uint32_t entry)
{
    return any(module, entry, copies_in_bulk);
}

bool module_calls(const struct module *module, uint32_t entry, uint64_t builtins)
{
    bool *reached = mem_zalloc(module->function_count, sizeof *reached);
    bool found = native_calls(module->functions[entry].native_code, builtins);
    module_reachable(module, entry, reached);
    for (uint32_t f = 0; f < module->function_count; f++)
        found = found || (reached[f] && builtin_is_of(module->functions[f].builtin, builtins));
    mem_free(reached);
    return found;
}

/* Atomics, calls of the device runtime, clocks, and accesses that others may answer. */
static bool is_unrepeatable(const struct module *module, const struct insn *insn)
{
    unsigned family = op_infos[insn->op].family;
    bool calls_out = insn->op == OP_CALL &&
                     (insn->call->function < 0 || module->functions[insn->call->function].builtin ||
                      !module->functions[insn->call->function].is_defined);
    bool is_strong =
        (family == FAMILY_LOAD || family == FAMILY_STORE) && insn->semantics != MEM_WEAK;
    return family == FAMILY_ATOMIC || calls_out || is_strong || reads_clock(module, insn);
}

bool module_is_repeatable(const struct module *module, uint32_t entry)
{
    return !module->functions[entry].ordered && !any(module, entry, is_unrepeatable);
}
