// SPDX-License-Identifier: Apache-2.0
#include "measure/low_bits.h"

#include <stdlib.h>

#include "base/memory.h"
#include "measure/register_use.h"

enum { ALL = 64, UNSEEN = 255 };

struct finder {
    const struct launch_view *launch;
    const uint64_t *layout;
    struct low_bits *registers; /* count UNSEEN: nothing that writes it has been looked at */
};

static struct low_bits cut(uint64_t value, unsigned count)
{
    if (count >= ALL) return (struct low_bits){value, ALL};
    return (struct low_bits){value & ((UINT64_C(1) << count) - 1), (uint8_t)count};
}

static unsigned less(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Bits that are known to be 0 from the lowest one on. */
static unsigned zeros(struct low_bits bits)
{
    return bits.value ? (unsigned)__builtin_ctzll(bits.value) : bits.count;
}

struct low_bits low_bits_constant(uint64_t value)
{
    return cut(value, ALL);
}

struct low_bits low_bits_sum(struct low_bits a, struct low_bits b)
{
    return cut(a.value + b.value, less(a.count, b.count));
}

/* (a + 2^m x) (b + 2^n y): what is unknown is a multiple of 2^m times the zeros of the other, and vice versa. */
struct low_bits low_bits_product(struct low_bits a, struct low_bits b)
{
    return cut(a.value * b.value, less(a.count + zeros(b), b.count + zeros(a)));
}

static struct low_bits difference(struct low_bits a, struct low_bits b)
{
    return cut(a.value - b.value, less(a.count, b.count));
}

/* What both have. */
static struct low_bits meet(struct low_bits a, struct low_bits b)
{
    if (a.count == UNSEEN) return b;
    if (b.count == UNSEEN) return a;
    uint64_t differ = a.value ^ b.value;
    unsigned same = differ ? (unsigned)__builtin_ctzll(differ) : ALL;
    return cut(a.value, less(same, less(a.count, b.count)));
}

/* A bit of the result is known where both are, or where one decides alone: 0 of an `and`, 1 of an `or`. */
static struct low_bits logic(enum ptx_op op, struct low_bits a, struct low_bits b)
{
    uint64_t value = op == OP_AND  ? a.value & b.value
                     : op == OP_OR ? a.value | b.value
                                   : a.value ^ b.value;
    unsigned count = less(a.count, b.count);
    if (op != OP_AND && op != OP_OR) return cut(value, count);
    const struct low_bits longer = a.count > b.count ? a : b;
    uint64_t deciding = op == OP_AND ? ~longer.value : longer.value;
    while (count < longer.count && (deciding >> count & 1))
        count++;
    return cut(op == OP_AND ? longer.value & value : longer.value | value, count);
}

static struct low_bits shift(const struct insn *insn, struct low_bits a, struct low_bits by)
{
    if (by.count < 32 || by.value >= ALL) return cut(0, 0);
    unsigned count = (unsigned)by.value;
    if (insn->op == OP_SHL) return cut(a.value << count, less(ALL, a.count + count));
    return a.count > count ? cut(a.value >> count, a.count - count) : cut(0, 0);
}

struct low_bits low_bits_of_variable(const struct launch_view *launch, const uint64_t *layout,
                                     uint32_t variable)
{
    const struct variable *of = &launch->module->variables[variable];
    if (of->space == SPACE_SHARED && layout[variable] != UINT64_MAX)
        return low_bits_constant(layout[variable]);
    bool is_placed = of->space == SPACE_LOCAL || of->space == SPACE_CONST;
    return cut(0, is_placed && of->alignment ? (unsigned)__builtin_ctz(of->alignment) : 0);
}

static struct low_bits source(const struct finder *f, const struct code_block *code,
                              const struct insn *insn, unsigned index)
{
    const struct operand *operand = insn_source(insn, index);
    if (operand->kind == OPERAND_IMMEDIATE) return low_bits_constant((uint64_t)operand->imm);
    if (operand->kind == OPERAND_SYMBOL && operand->symbol >= 0)
        return low_bits_sum(low_bits_of_variable(f->launch, f->layout, (uint32_t)operand->symbol),
                            low_bits_constant((uint64_t)operand->imm));
    if (operand->kind != OPERAND_REGISTER || operand->reg < 0) return cut(0, 0);
    return f->registers[code->vreg_base + (uint32_t)operand->reg];
}

static struct low_bits apply(const struct insn *insn, const struct low_bits s[3])
{
    bool is_high = insn->mul_part == MUL_HI;
    switch ((enum ptx_op)insn->op) {
    case OP_MOV:
    case OP_CVTA:
    case OP_CVT:
        return s[0];
    case OP_ADD:
        return low_bits_sum(s[0], s[1]);
    case OP_SUB:
        return difference(s[0], s[1]);
    case OP_MUL:
        return is_high ? cut(0, 0) : low_bits_product(s[0], s[1]);
    case OP_MAD:
        return is_high ? cut(0, 0) : low_bits_sum(low_bits_product(s[0], s[1]), s[2]);
    case OP_AND:
    case OP_OR:
    case OP_XOR:
        return logic((enum ptx_op)insn->op, s[0], s[1]);
    case OP_SHL:
    case OP_SHR:
        return shift(insn, s[0], s[1]);
    case OP_MIN:
    case OP_MAX:
    case OP_SELP:
        return meet(s[0], s[1]);
    default:
        return cut(0, 0);
    }
}

static bool computes_integers(const struct insn *insn)
{
    const struct type_info *to = &type_infos[insn->type], *from = &type_infos[insn->type2];
    if (insn->ndst != 1 || insn->vector > 1 || insn->flags & (INSN_SAT | INSN_CC)) return false;
    if (insn->op == OP_CVT && from->kind == KIND_FLOAT) return false;
    return to->kind != KIND_FLOAT && to->kind != KIND_PRED && insn->nsrc >= 1;
}

/* What the instruction writes; count UNSEEN: it reads something that has not been looked at. */
static struct low_bits result(const struct finder *f, const struct code_block *code,
                              const struct insn *insn)
{
    struct low_bits sources[3] = {{0, 0}, {0, 0}, {0, 0}};
    if (!computes_integers(insn)) return cut(0, 0);
    unsigned used = insn->op == OP_SELP ? 2 : insn->nsrc < 3 ? insn->nsrc : 3;
    for (unsigned i = 0; i < used; i++) {
        sources[i] = source(f, code, insn, i);
        if (sources[i].count == UNSEEN) return sources[i];
    }
    struct low_bits found = apply(insn, sources);
    unsigned width = type_infos[insn->type].bits;
    if (insn->op == OP_CVT) width = less(width, type_infos[insn->type2].bits);
    if (insn->mul_part == MUL_WIDE) width *= 2;
    return cut(found.value, less(found.count, width));
}

uint64_t *low_bits_layout(const struct launch_view *launch)
{
    uint64_t *layout = mem_alloc((launch->module->variable_count + 1) * sizeof *layout);
    module_shared_layout(launch->module, launch->entry, layout);
    return layout;
}

/* From below: a register starts with all that can be known, and loses what an instruction that writes it does not
 * have, until nothing changes. */
struct low_bits *low_bits_find(const struct launch_view *launch, uint32_t register_count,
                               const uint64_t *layout)
{
    struct finder f = {launch, layout,
                       mem_alloc((register_count + (size_t)1) * sizeof *f.registers)};
    for (uint32_t i = 0; i <= register_count; i++)
        f.registers[i] = (struct low_bits){0, UNSEEN};
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t i = 0; i < launch->code_block_count; i++) {
            const struct code_block *code = &launch->code_blocks[i];
            for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
                uint32_t writes[OPERANDS_MAX];
                unsigned count = insn_writes(launch->insns[pc], writes);
                if (!count) continue;
                struct low_bits found = result(&f, code, launch->insns[pc]);
                for (unsigned k = 0; k < count; k++) {
                    struct low_bits *to = &f.registers[code->vreg_base + writes[k]];
                    struct low_bits now = meet(*to, found);
                    changes |= now.count != to->count;
                    *to = now;
                }
            }
        }
    }
    for (uint32_t i = 0; i <= register_count; i++)
        if (f.registers[i].count == UNSEEN) f.registers[i].count = 0;
    return f.registers;
}
