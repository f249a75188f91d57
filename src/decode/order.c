// SPDX-License-Identifier: Apache-2.0
/* Independent or ordered (doc/engine.md#order-of-the-blocks), and what a kernel reaches. */
#include <stdlib.h>
#include <string.h>

#include "decode/parser.h"

/* ---- call graph ------------------------------------------------------------------------------ */

/* Functions whose address is taken, anywhere: an indirect call may reach each of them. */
static void mark_address_taken(const struct module *module, bool *taken)
{
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct function *function = &module->functions[f];
        for (uint32_t i = 0; i < function->insn_count; i++) {
            const struct insn *insn = &function->insns[i];
            if (insn->op != OP_MOV || insn->nsrc == 0) continue;
            const struct operand *source = insn_source(insn, 0);
            if (source->kind == OPERAND_FUNCTION) taken[source->symbol] = true;
        }
    }
    for (uint32_t v = 0; v < module->variable_count; v++) {
        const struct variable *variable = &module->variables[v];
        for (uint32_t r = 0; r < variable->relocation_count; r++)
            if (variable->relocations[r].is_function) taken[variable->relocations[r].symbol] = true;
    }
}

static void push(uint32_t function, bool *reached, uint32_t *stack, uint32_t *depth)
{
    if (reached[function]) return;
    reached[function] = true;
    stack[(*depth)++] = function;
}

void module_reachable(const struct module *module, uint32_t entry, bool *reached)
{
    uint32_t count = module->function_count, depth = 0;
    bool *taken = mem_zalloc(count, sizeof *taken);
    uint32_t *stack = mem_zalloc(count, sizeof *stack);
    bool know_taken = false;
    push(entry, reached, stack, &depth);
    while (depth > 0) {
        const struct function *function = &module->functions[stack[--depth]];
        if (function->builtin) continue; /* whatever the file has in its place */
        for (uint32_t i = 0; i < function->insn_count; i++) {
            const struct insn *insn = &function->insns[i];
            if (insn->op != OP_CALL) continue;
            if (insn->call->function >= 0) {
                push((uint32_t)insn->call->function, reached, stack, &depth);
                continue;
            }
            if (know_taken) continue;
            mark_address_taken(module, taken);
            know_taken = true;
            for (uint32_t f = 0; f < count; f++)
                if (taken[f] && !module->functions[f].is_entry) push(f, reached, stack, &depth);
        }
    }
    mem_free(stack);
    mem_free(taken);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void mark_reads(const struct function *function, bool *read)
{
    int32_t registers[OPERAND_REGISTERS_MAX];
    for (uint32_t i = 0; i < function->insn_count; i++) {
        unsigned count = insn_register_reads(&function->insns[i], registers);
        for (unsigned r = 0; r < count; r++)
            read[registers[r]] = true;
    }
}

static bool crosses_blocks(const struct insn *insn)
{
    unsigned space = insn_memory_space(insn);
    return space == SPACE_GLOBAL || space == SPACE_GENERIC;
}

/* The addresses that malloc returns depend on who called before. */
static bool calls_in_order(const struct module *module, const struct insn *insn)
{
    if (!insn->call || insn->call->function < 0) return false;
    return builtin_is_of(module->functions[insn->call->function].builtin, BUILTINS_IN_ORDER);
}

/* What makes blocks depend on each other's order, NULL if nothing does. Integer sums and the like
 * give the same result in any order, as long as the old value is not read. */
static const char *why_ordered(const struct module *module, const struct insn *insn,
                               const bool *read)
{
    unsigned family = op_infos[insn->op].family;
    if (insn->op == OP_CALL) return calls_in_order(module, insn) ? "" : NULL;
    if (!crosses_blocks(insn)) return NULL;
    if (family == FAMILY_LOAD || family == FAMILY_STORE)
        return insn->semantics == MEM_WEAK ? NULL : "";
    if (family != FAMILY_ATOMIC) return NULL;
    bool uses_result =
        insn->ndst > 0 && insn->operands[0].kind == OPERAND_REGISTER && read[insn->operands[0].reg];
    if (insn->atom_op == ATOM_EXCH || insn->atom_op == ATOM_CAS)
        return uses_result ? " with used result" : "";
    if (uses_result) return " with used result";
    return type_infos[insn->type].kind == KIND_FLOAT ? " on floats" : NULL;
}

static void classify_function(struct module *module, struct function *function)
{
    bool *read = ARENA_ARRAY(&module->arena, bool, function->vreg_count + 1);
    mark_reads(function, read);
    function->is_read = read;
    function->ordered = native_calls(function->native_code, BUILTINS_IN_ORDER);
    if (function->ordered)
        function->ordered_reason = native_calls(function->native_code, BUILTINS_OF_DEVICE)
                                       ? "a call of the device runtime"
                                       : "a call of malloc or free";
    for (uint32_t i = 0; i < function->insn_count && !function->ordered; i++) {
        const struct insn *insn = &function->insns[i];
        const char *why = why_ordered(module, insn, read);
        if (!why) continue;
        function->ordered = true;
        function->ordered_reason =
            arena_format(&module->arena, "%s%s at line %u", insn->text, why, insn->line);
    }
}

/* Callers by callee, and who calls through pointers: the call graph against its edges. */
struct callers {
    uint32_t *first, *list; /* of function f: list[first[f] .. first[f + 1]) */
    bool *calls_pointers, *taken, *reached;
    uint32_t *stack;
    bool pointers_done; /* all that call through pointers were reached */
};

static void collect_callers(const struct module *module, struct callers *callers)
{
    uint32_t calls = 0;
    for (unsigned pass = 0; pass < 2; pass++) { /* count, then fill */
        for (uint32_t f = 0; f < module->function_count; f++) {
            const struct function *function = &module->functions[f];
            for (uint32_t i = 0; i < function->insn_count; i++) {
                const struct insn *insn = &function->insns[i];
                if (insn->op != OP_CALL) continue;
                int32_t callee = insn->call->function;
                if (callee < 0) callers->calls_pointers[f] = true;
                if (callee >= 0 && pass == 0) callers->first[callee + 2]++, calls++;
                if (callee >= 0 && pass == 1) callers->list[callers->first[callee + 1]++] = f;
            }
        }
        if (pass == 1) break;
        for (uint32_t f = 0; f < module->function_count; f++)
            callers->first[f + 2] += callers->first[f + 1];
        callers->list = mem_zalloc(calls, sizeof *callers->list);
    }
}

/* Kernels that may call `source`, which is ordered, are, too. */
static void spread_order(struct module *module, struct callers *callers, uint32_t source)
{
    struct function *functions = (struct function *)(uintptr_t)module->functions;
    uint32_t depth = 0;
    push(source, callers->reached, callers->stack, &depth);
    while (depth > 0) {
        uint32_t f = callers->stack[--depth];
        if (functions[f].is_entry && !functions[f].ordered) {
            functions[f].ordered = true;
            functions[f].ordered_reason = functions[source].ordered_reason;
        }
        for (uint32_t c = callers->first[f]; c < callers->first[f + 1]; c++)
            push(callers->list[c], callers->reached, callers->stack, &depth);
        bool by_pointer = callers->taken[f] && !functions[f].is_entry;
        if (!by_pointer || callers->pointers_done) continue;
        callers->pointers_done = true;
        for (uint32_t c = 0; c < module->function_count; c++)
            if (callers->calls_pointers[c]) push(c, callers->reached, callers->stack, &depth);
    }
}

void order_classify(struct module *module)
{
    struct function *functions = (struct function *)(uintptr_t)module->functions;
    uint32_t count = module->function_count;
    struct callers callers = {.first = mem_zalloc((size_t)count + 2, sizeof *callers.first),
                              .calls_pointers = mem_zalloc((size_t)count * 3, sizeof(bool)),
                              .stack = mem_zalloc(count, sizeof *callers.stack)};
    callers.taken = callers.calls_pointers + count;
    callers.reached = callers.taken + count;
    for (uint32_t f = 0; f < count; f++)
        classify_function(module, &functions[f]);
    collect_callers(module, &callers);
    mark_address_taken(module, callers.taken);
    /* The first that is ordered gives the reason; who was reached has it already. */
    for (uint32_t f = 0; f < count; f++)
        if (functions[f].ordered && !callers.reached[f]) spread_order(module, &callers, f);
    mem_free(callers.first);
    mem_free(callers.list);
    mem_free(callers.calls_pointers);
    mem_free(callers.stack);
}
