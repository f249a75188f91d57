// SPDX-License-Identifier: Apache-2.0
/* Operands of native instructions. A value of 64 bits is a pair of registers, 32 lanes of low halves and 32
 * of high ones behind them. Operations of native_ops.def read pairs as they lie, and so do frequent ones of PTX
 * (keeps_pairs); for others helper operations make lanes of 64 bits of them and back. */
#include "emulate/program.h"

static bool is_native_op(const struct insn *insn)
{
    return op_infos[insn->op].form == FORM_NATIVE;
}

static struct uop *helper(struct making *m, uop_fn *function, operand_ref to, operand_ref from)
{
    struct uop *u = new_uop(m->b);
    u->full = u->part = u->inner_full = u->inner_part = function;
    if (m->insn->is_uniform) u->full = u->part = u->inner_part = m->b->semantics->uniform;
    u->insn = m->insn;
    u->dst[0] = to;
    u->src[0] = from;
    return u;
}

static operand_ref immediate(struct making *m, const struct operand *operand)
{
    uint64_t bits = (uint64_t)operand->imm;
    switch (operand->width) {
    case WIDTH_PREDICATE:
        return pool_constant(m->b, operand->imm ? UINT32_MAX : 0, 4);
    case WIDTH_PAIR:
        return pool_constant(m->b, bits, keeps_pairs(m->insn) && !m->insn->matrix ? POOL_PAIR : 8);
    default:
        return pool_constant(m->b, bits & UINT32_MAX, 4);
    }
}

/* Lanes of 64 bits, out of a pair. */
static operand_ref join(struct making *m, operand_ref pair)
{
    operand_ref to = temporary(m);
    helper(m, m->b->semantics->join_pair, to, pair);
    return to;
}

/* -a, |a| and -|a| of floating-point operands, and a half or a part of the value. Operations of native_ops.def
 * have the signs in their modifiers. */
static operand_ref with_changes(struct making *m, const struct operand *operand, operand_ref from)
{
    unsigned flags = operand->kind == OPERAND_SYMBOL ? 0 : operand->select;
    bool has_signs = (operand->negate || operand->absolute) &&
                     (!is_native_op(m->insn) || flags & VALUE_APPLY_SIGNS);
    if (operand->width == WIDTH_PREDICATE ||
        (!has_signs && !(flags & ~(unsigned)(VALUE_APPLY_SIGNS | VALUE_SIGNED_HALVES))))
        return from;
    bool is_joined = operand->width == WIDTH_PAIR && operand->kind != OPERAND_IMMEDIATE;
    operand_ref to = is_joined ? from : temporary(m);
    struct uop *u = helper(m, m->b->semantics->set_signs, to, from);
    u->element = operand->width == WIDTH_PAIR ? 8 : 4;
    u->vector = flags & VALUE_SIGNED_HALVES ? 2 : 1;
    u->imm = (has_signs && operand->absolute ? 1 : 0) | (has_signs && operand->negate ? 2 : 0) |
             (int64_t)flags << 8;
    return to;
}

/* The half of a variable's address that the relocation names. */
static operand_ref symbol_word(struct making *m, const struct operand *operand)
{
    uint64_t address = m->b->addresses[operand->symbol] + (uint64_t)operand->imm;
    return pool_constant(m->b, address >> operand->select & UINT32_MAX, 4);
}

operand_ref native_source(struct making *m, unsigned k)
{
    const struct operand *operand = insn_source(m->insn, k);
    bool is_pair = operand->width == WIDTH_PAIR;
    operand_ref at;
    switch (operand->kind) {
    case OPERAND_IMMEDIATE:
        at = immediate(m, operand);
        break;
    case OPERAND_SPECIAL:
        return place_special(m, operand->reg, 4);
    case OPERAND_SYMBOL:
        return symbol_word(m, operand);
    case OPERAND_BANK:
        at = pool_constant(m->b, (uint64_t)operand->reg << 32 | (uint32_t)operand->imm,
                           is_pair ? POOL_BANK_PAIR : POOL_BANK);
        break;
    case OPERAND_REGISTER:
        at = REF(BASE_FRAME, m->build->slots[operand->reg]);
        break;
    default:
        return REF_NONE;
    }
    if (keeps_pairs(m->insn) && is_pair) return at;
    bool is_joined = is_pair && operand->kind != OPERAND_IMMEDIATE; /* those are lanes of 64 bits */
    return with_changes(m, operand, is_joined ? join(m, at) : at);
}

/* [register + uniform register + imm]; a symbol is a bank of constants in device memory. */
void native_address(struct making *m, struct uop *u)
{
    const struct operand *operand = insn_source(m->insn, 0);
    u->has_parts = true;
    if (operand->symbol >= 0) u->imm += (int64_t)m->b->addresses[operand->symbol];
    u->address64 = operand->width == WIDTH_PAIR;
    if (operand->reg >= 0) {
        u->src[0] = REF(BASE_FRAME, m->build->slots[operand->reg]);
        u->has_address = true;
    }
    u->address_shift = (uint8_t)(operand->select >> ADDRESS_SCALE_AT);
    if (!(operand->select & ADDRESS_UNIFORM)) return;
    u->uniform = REF(BASE_FRAME, m->build->slots[operand->uniform]);
    u->uniform_pair = operand->select & ADDRESS_UNIFORM_PAIR;
}

void native_append(struct making *m, struct uop *u)
{
    const struct insn *insn = m->insn;
    operand_ref lanes[UOP_DESTINATIONS];
    bool is_split = false;
    for (unsigned k = 0; k < insn->ndst && k < UOP_DESTINATIONS && !keeps_pairs(insn); k++) {
        lanes[k] = REF_NONE;
        if (insn->operands[k].width != WIDTH_PAIR || insn->operands[k].kind != OPERAND_REGISTER)
            continue;
        lanes[k] = temporary(m);
        u->dst[k] = lanes[k];
        is_split = true;
    }
    *new_uop(m->b) = *u;
    for (unsigned k = 0; is_split && k < insn->ndst && k < UOP_DESTINATIONS; k++) {
        if (lanes[k] == REF_NONE) continue;
        operand_ref pair = REF(BASE_FRAME, m->build->slots[insn->operands[k].reg]);
        struct uop *split = helper(m, m->b->semantics->split_pair, pair, lanes[k]);
        if (u->guard == REF_NONE) continue;
        split->guard = u->guard;
        split->guard_negated = u->guard_negated;
        split->full = split->part = m->b->semantics->guarded_quietly;
    }
}

/* ---- what begins as zero --------------------------------------------------------------------- */

enum use { UNNAMED, NAMED, WRITTEN_FIRST };

static void note_use(uint8_t *uses, int32_t reg, unsigned count, enum use use)
{
    for (unsigned k = 0; k < count && reg >= 0 && reg + (int32_t)k < NATIVE_VREGS; k++)
        if (uses[reg + (int32_t)k] == UNNAMED) uses[reg + (int32_t)k] = (uint8_t)use;
}

/* `writes`: every lane that is alive comes here, and has not been elsewhere. Only registers: operations may change
 * some bits of what is behind them. */
static void note_insn(uint8_t *uses, const struct insn *insn, bool writes)
{
    for (unsigned k = 0; k < insn->nsrc; k++) {
        const struct operand *operand = insn_source(insn, k);
        bool is_register = operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_ADDRESS;
        if (is_register) note_use(uses, operand->reg, operand->width == WIDTH_PAIR ? 2 : 1, NAMED);
        if (operand->kind == OPERAND_ADDRESS && operand->select & ADDRESS_UNIFORM)
            note_use(uses, operand->uniform, 2, NAMED);
    }
    if (insn->guard >= 0) note_use(uses, insn->guard, 1, NAMED);
    for (unsigned k = 0; k < insn->ndst; k++) {
        const struct operand *operand = &insn->operands[k];
        if (operand->kind != OPERAND_REGISTER) continue;
        bool is_whole = writes && insn->guard < 0 && operand->reg < VREG_P;
        note_use(uses, operand->reg, operand->width == WIDTH_PAIR ? 2 : 1,
                 is_whole ? WRITTEN_FIRST : NAMED);
    }
}

/* From the entry as far as all lanes go on to the next instruction, or leave the kernel. */
static uint32_t common_insns(const struct function *function)
{
    uint32_t b = 0;
    for (; b < function->block_count; b++) {
        const struct basic_block *block = &function->blocks[b];
        if (block->successor_count != 1 || block->successors[0] != b + 1) break;
    }
    return b < function->block_count ? function->blocks[b].first + function->blocks[b].count
                                     : function->insn_count;
}

/* Everything that the code names, unless it is written before; in runs. What it does not name nothing reads, but
 * functions of the device runtime do. */
void native_zeros(struct builder *b, uint32_t f, struct program_function *out)
{
    const struct function *function = out->function;
    const uint32_t *slots = b->functions[f].slots;
    uint8_t uses[NATIVE_VREGS] = {0};
    uint32_t common = common_insns(function);
    uint32_t *offsets = ARENA_ARRAY(&b->program->arena, uint32_t, NATIVE_VREGS);
    uint32_t *bytes = ARENA_ARRAY(&b->program->arena, uint32_t, NATIVE_VREGS);
    bool is_open = function->native_code->builtins != 0;
    for (uint32_t i = 0; i < function->insn_count; i++)
        note_insn(uses, &function->insns[i], i < common);
    for (uint32_t v = 0; v < NATIVE_VREGS; v++) {
        if ((uses[v] != NAMED && !is_open) || slots[v] == UINT32_MAX) continue;
        uint32_t last = out->zero_count - 1, size = register_bytes(function->vregs[v].type);
        if (out->zero_count && offsets[last] + bytes[last] + 64 >= slots[v]) {
            bytes[last] = slots[v] + size - offsets[last];
            continue;
        }
        offsets[out->zero_count] = slots[v];
        bytes[out->zero_count++] = size;
    }
    out->zero_offsets = offsets;
    out->zero_bytes = bytes;
}
