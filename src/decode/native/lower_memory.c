// SPDX-License-Identifier: Apache-2.0
/* Memory. Operands of an instruction: rows_memory.def. */
#include <string.h>

#include "decode/native/lower.h"

/* ---- sizes, orders, addresses ---------------------------------------------------------------- */

/* LDG.E.U16, .S8, .64, .128: numbers of 32 bits in a row, or one that is narrower. */
static void set_size(struct lowering *l)
{
    static const struct {
        const char *word;
        uint8_t type, count;
    } sizes[] = {{"U8", TYPE_U8, 1},   {"S8", TYPE_S8, 1},  {"U16", TYPE_U16, 1},
                 {"S16", TYPE_S16, 1}, {"64", TYPE_B32, 2}, {"128", TYPE_B32, 4}};
    l->out->type = TYPE_B32;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!has(l, sizes[i].word)) continue;
        l->out->type = sizes[i].type;
        l->out->vector = sizes[i].count;
        return;
    }
}

static void set_order(struct lowering *l)
{
    if (has(l, "STRONG")) l->out->semantics = MEM_RELAXED;
    if (has(l, "MMIO")) l->out->semantics = MEM_VOLATILE;
    if (has(l, "CONSTANT")) l->out->flags |= INSN_NC;
}

static enum mem_space space_of(const struct lowering *l)
{
    const char *opcode = l->in->opcode;
    switch (strcspn(opcode, ".") > 2 ? opcode[2] : '\0') {
    case 'G':
        return SPACE_GLOBAL;
    case 'S':
        return SPACE_SHARED;
    case 'L':
        return SPACE_LOCAL;
    default:
        return SPACE_GENERIC;
    }
}

/* The first operand of a kind; operand_count: none. */
static unsigned find_kind(const struct lowering *l, enum native_kind kind, unsigned from)
{
    unsigned i = from;
    while (i < l->in->operand_count && l->in->operands[i].kind != kind)
        i++;
    return i;
}

/* Predicates that are results or make a load of nothing are not executed: they must be PT. */
static bool predicates_are_true(const struct lowering *l)
{
    for (unsigned i = 0; i < l->in->operand_count; i++) {
        const struct native_operand *operand = lower_operand(l, i);
        bool is_predicate =
            operand->kind == NATIVE_PREDICATE || operand->kind == NATIVE_UNIFORM_PREDICATE;
        if (is_predicate && operand->number != NATIVE_PT) return false;
    }
    return true;
}

/* ---- loads and stores ------------------------------------------------------------------------ */

bool lower_load(struct lowering *l)
{
    lower_to(l, OP_LD, TYPE_B32);
    l->out->space = (uint8_t)space_of(l);
    set_size(l);
    set_order(l);
    unsigned address = find_kind(l, NATIVE_ADDRESS, 0);
    if (!predicates_are_true(l) || address == l->in->operand_count) return false;
    to_registers(l, find_kind(l, NATIVE_REGISTER, 0), l->out->vector);
    from_address(l, address);
    return true;
}

bool lower_store(struct lowering *l)
{
    lower_to(l, OP_ST, TYPE_B32);
    l->out->space = (uint8_t)space_of(l);
    set_size(l);
    set_order(l);
    unsigned address = find_kind(l, NATIVE_ADDRESS, 0);
    unsigned value = find_kind(l, NATIVE_REGISTER, 0);
    if (value == l->in->operand_count || address == l->in->operand_count) return false;
    from_address(l, address);
    from_registers(l, value, l->out->vector);
    return true;
}

/* d, c[bank][register + offset] */
bool lower_ldc(struct lowering *l)
{
    lower_to(l, OP_LD, TYPE_B32);
    set_size(l);
    if (has(l, "IL") || has(l, "IS") || has(l, "ISL")) return false;
    to_registers(l, 0, l->out->vector);
    return from_constant_address(l, 1);
}
