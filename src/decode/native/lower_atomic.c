// SPDX-License-Identifier: Apache-2.0
/* Atomic operations. Operands of an instruction: rows_memory.def. */
#include "decode/native/lower.h"

/* ---- operation and type ---------------------------------------------------------------------- */

static enum atom_op operation(const struct lowering *l)
{
    static const struct {
        const char *word;
        uint8_t op;
    } words[] = {{"ADD", ATOM_ADD},   {"MIN", ATOM_MIN},   {"MAX", ATOM_MAX},
                 {"INC", ATOM_INC},   {"DEC", ATOM_DEC},   {"AND", ATOM_AND},
                 {"OR", ATOM_OR},     {"XOR", ATOM_XOR},   {"CAS", ATOM_CAS},
                 {"CAST", ATOM_CAST}, {"EXCH", ATOM_EXCH}, {"ARRIVE", ATOM_ARRIVE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has(l, words[i].word)) return (enum atom_op)words[i].op;
    return ATOM_NONE;
}

/* Type and elements; halves come in pairs. f32 flushes subnormals in global memory (sem_atomic.h): without .FTZ
 * it is another operation. 128 bits lie in four registers, named by the first one. */
static bool set_type(struct lowering *l)
{
    static const struct {
        const char *word;
        uint8_t type, count;
    } types[] = {{"S32", TYPE_S32, 1},      {"64", TYPE_U64, 1},        {"S64", TYPE_S64, 1},
                 {"F32", TYPE_F32, 1},      {"F32x2", TYPE_F32, 2},     {"F32x4", TYPE_F32, 4},
                 {"F64", TYPE_F64, 1},      {"F16x2", TYPE_F16X2, 1},   {"F16x4", TYPE_F16X2, 2},
                 {"F16x8", TYPE_F16X2, 4},  {"BF16x2", TYPE_BF16X2, 1}, {"BF16x4", TYPE_BF16X2, 2},
                 {"BF16x8", TYPE_BF16X2, 4}};
    l->out->type = TYPE_U32;
    l->out->vector = 1;
    if (has(l, "128")) {
        l->out->type = TYPE_B128;
        return l->out->atom_op != ATOM_CAST;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!has(l, types[i].word)) continue;
        l->out->type = types[i].type;
        l->out->vector = types[i].count;
        return types[i].type != TYPE_F32 || has(l, "FTZ");
    }
    return true;
}

static bool begin(struct lowering *l, enum ptx_op op, enum mem_space space)
{
    enum atom_op atom = operation(l);
    lower_to(l, op, TYPE_U32);
    l->out->atom_op = (uint8_t)atom;
    if (!atom || !set_type(l)) return false;
    l->out->space = (uint8_t)space;
    l->out->semantics = MEM_RELAXED;
    return true;
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool is_wide(const struct lowering *l)
{
    return type_infos[l->out->type].bits == 64;
}

static bool from_data(struct lowering *l, unsigned i)
{
    bool is_quad = l->out->type == TYPE_B128;
    if (is_quad && lower_operand(l, i)->number == NATIVE_RZ) return false;
    if (is_wide(l))
        from_pair(l, i);
    else
        from_registers(l, i, l->out->vector);
    return true;
}

/* d or RZ, which makes it a reduction; [address]; of ARRIVE no value, of CAS two, else one */
static bool add_operands(struct lowering *l, unsigned to, unsigned predicate)
{
    unsigned address = lower_find(l, false, 1), value = address + 1;
    const struct native_operand *p = lower_operand(l, predicate);
    bool tells = p && p->number != NATIVE_PT;
    unsigned values = l->out->atom_op == ATOM_ARRIVE ? 0 : l->out->atom_op >= ATOM_CAS ? 2 : 1;
    if (address + values >= l->in->operand_count) return false;
    if (lower_operand(l, address)->kind != NATIVE_ADDRESS) return false;
    if (!tells && lower_operand(l, to)->number == NATIVE_RZ)
        l->out->op = OP_RED;
    else if (is_wide(l))
        to_pair(l, to);
    else
        to_registers(l, to, l->out->vector);
    if (tells) to_predicate(l, predicate);
    from_address(l, address);
    if (!values) from_number(l, 1);
    return (values < 1 || from_data(l, value)) && (values < 2 || from_data(l, value + 1));
}

/* .POPC.INC [a] adds 1 for each lane, which is what the population of lanes with one address adds */
static bool lower_count(struct lowering *l, enum mem_space space)
{
    unsigned to = lower_find(l, false, 0);
    if (lower_operand(l, to)->number != NATIVE_RZ || names_predicate(l, lower_find(l, true, 0)))
        return false;
    lower_to(l, OP_RED, TYPE_U32);
    l->out->atom_op = ATOM_ADD;
    l->out->space = (uint8_t)space;
    from_address(l, to + 1);
    from_number(l, 1);
    return true;
}

/* ATOM p, d, [a], b; p, if it is not PT, tells whether it was done (sem_atomic.h) */
bool lower_atom(struct lowering *l)
{
    enum mem_space space = l->in->opcode[4] == 'G' ? SPACE_GLOBAL : SPACE_GENERIC;
    if (has(l, "POPC")) return lower_count(l, space);
    if (!begin(l, OP_ATOM, space)) return false;
    unsigned predicate = lower_find(l, true, 0);
    return add_operands(l, lower_find(l, false, 0), predicate);
}

/* ATOMS d, [a], b */
bool lower_atoms(struct lowering *l)
{
    if (has(l, "POPC")) return lower_count(l, SPACE_SHARED);
    if (!begin(l, OP_ATOM, SPACE_SHARED)) return false;
    return add_operands(l, 0, l->in->operand_count);
}

/* RED [a], b */
bool lower_red(struct lowering *l)
{
    if (!begin(l, OP_RED, SPACE_GLOBAL) || lower_operand(l, 0)->kind != NATIVE_ADDRESS)
        return false;
    from_address(l, 0);
    return from_data(l, 1);
}
