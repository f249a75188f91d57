// SPDX-License-Identifier: Apache-2.0
/* Memory. Operands of an instruction: rows_memory.def. */
#include <string.h>

#include "decode/native/lower.h"
#include "isa/matrix.h"

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

static void from_vreg_or_zero(struct lowering *l, bool is_there, int32_t vreg, int32_t zero)
{
    if (is_there && vreg != zero)
        from_vreg(l, vreg, WIDTH_ONE);
    else
        from_number(l, 0);
}

/* ---- loads and stores ------------------------------------------------------------------------ */

/* Operation, space, size and order; the places of address and value. False: one of them is not there. */
static bool begin_access(struct lowering *l, enum ptx_op op, unsigned *address, unsigned *value)
{
    lower_to(l, op, TYPE_B32);
    l->out->space = (uint8_t)space_of(l);
    set_size(l);
    set_order(l);
    *address = find_kind(l, NATIVE_ADDRESS, 0);
    *value = find_kind(l, NATIVE_REGISTER, 0);
    return *address < l->in->operand_count && *value < l->in->operand_count;
}

bool lower_load(struct lowering *l)
{
    unsigned address, value;
    if (!begin_access(l, OP_LD, &address, &value) || !predicates_are_true(l)) return false;
    to_registers(l, value, l->out->vector);
    from_address(l, address);
    return true;
}

bool lower_store(struct lowering *l)
{
    unsigned address, value;
    if (!begin_access(l, OP_ST, &address, &value)) return false;
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

/* ---- copies, matrices, windows --------------------------------------------------------------- */

/* LDGSTS [to], [from], p: zeros where p does not hold, and behind what .ZFILL lets be read */
bool lower_ldgsts(struct lowering *l)
{
    const struct native_operand *to = lower_operand(l, 0), *from = lower_operand(l, 1);
    unsigned predicate = lower_find(l, true, 0);
    if (!to || !from || to->kind != NATIVE_ADDRESS || from->kind != NATIVE_ADDRESS) return false;
    if (to->suffix[0]) return false;
    lower_to(l, OP_N_LDGSTS, TYPE_B32);
    l->out->space = SPACE_GLOBAL;
    set_size(l);
    l->out->modifiers = has(l, "ZFILL") ? NM_FILL : 0;
    from_address(l, 1);
    from_vreg_or_zero(l, to->has_register, VREG_R + to->number, VREG_RZ);
    from_number(l, (uint64_t)to->value & UINT32_MAX);
    from_vreg_or_zero(l, to->has_uniform, VREG_UR + to->uniform, VREG_URZ);
    if (predicate < l->in->operand_count)
        from_predicate(l, predicate);
    else
        from_true(l, true);
    return true;
}

/* LDSM.16.M88.4 d, [a]: M88 as it lies, MT88 transposed */
bool lower_ldsm(struct lowering *l)
{
    struct matrix_form *form = ARENA_ARRAY(l->arena, struct matrix_form, 1);
    if (!has(l, "M88") && !has(l, "MT88")) return false;
    *form = (struct matrix_form){.m = 8, .n = 8, .columns = has(l, "MT88")};
    lower_to(l, OP_LDMATRIX, TYPE_B32);
    l->out->vector = has(l, "4") ? 4 : has(l, "2") ? 2 : 1;
    l->out->matrix = form;
    l->out->space = SPACE_SHARED;
    to_registers(l, 0, l->out->vector);
    from_address(l, 1);
    return true;
}

/* STSM.16.M88.4 [a], b */
bool lower_stsm(struct lowering *l)
{
    struct matrix_form *form = ARENA_ARRAY(l->arena, struct matrix_form, 1);
    if (!has(l, "M88") && !has(l, "MT88")) return false;
    *form = (struct matrix_form){.m = 8, .n = 8, .columns = has(l, "MT88")};
    lower_to(l, OP_STMATRIX, TYPE_B32);
    l->out->vector = has(l, "4") ? 4 : has(l, "2") ? 2 : 1;
    l->out->matrix = form;
    l->out->space = SPACE_SHARED;
    from_address(l, 0);
    from_registers(l, 1, l->out->vector);
    return true;
}

/* QSPC.E.S p, d, [a]; .D, the shared memory of the cluster, is that of the block: clusters whose blocks have some are refused */
bool lower_qspc(struct lowering *l)
{
    unsigned to = lower_find(l, false, 0), address = lower_find(l, false, 1);
    if (address == l->in->operand_count || lower_operand(l, to)->number != NATIVE_RZ) return false;
    lower_to(l, OP_N_QSPC, TYPE_B32);
    l->out->space = SPACE_GENERIC; /* of the address */
    to_predicate(l, lower_find(l, true, 0));
    from_address(l, address);
    l->out->space = has(l, "S") || has(l, "D") ? SPACE_SHARED
                    : has(l, "L")              ? SPACE_LOCAL
                                               : SPACE_GLOBAL;
    return true;
}

/* d, c[bank][offset] or c[bank][uniform + offset] */
bool lower_uldc(struct lowering *l)
{
    const struct native_operand *constant = lower_operand(l, 1);
    bool is_narrow = has(l, "U8") || has(l, "S8") || has(l, "U16") || has(l, "S16");
    if (!constant || constant->kind != NATIVE_CONSTANT || constant->number != NATIVE_RZ)
        return false;
    if (is_narrow || constant->has_uniform) {
        lower_to(l, OP_LD, TYPE_B32);
        set_size(l);
        to_registers(l, 0, l->out->vector);
        return from_constant_address(l, 1);
    }
    lower_to(l, OP_MOV, TYPE_B32);
    l->out->vector = has(l, "64") ? 2 : 1;
    to_registers(l, 0, l->out->vector);
    from_registers(l, 1, l->out->vector);
    return true;
}
