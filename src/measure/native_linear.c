// SPDX-License-Identifier: Apache-2.0
#include "measure/native_linear.h"

#include <string.h>

#include "base/memory.h"
#include "measure/register_use.h"

/* An expression is followed so deep; sums of many registers are not worth more. */
enum { DEEPEST = 12 };

void linear_scope_init(struct linear_scope *scope, const struct planner *p)
{
    *scope = (struct linear_scope){.p = p, .layout = low_bits_layout(p->launch)};
    scope->bits = low_bits_find(p->launch, p->register_count, scope->layout);
    scope->written = mem_alloc((p->register_count + (size_t)1) * sizeof *scope->written);
    for (uint32_t i = 0; i <= p->register_count; i++)
        scope->written[i] = NOWHERE;
}

void linear_scope_clear(struct linear_scope *scope)
{
    mem_free(scope->layout);
    mem_free(scope->bits);
    mem_free(scope->written);
}

void linear_scope_enter(struct linear_scope *scope, const struct code_block *code)
{
    scope->first = code->first;
}

void linear_scope_pass(struct linear_scope *scope, uint32_t pc)
{
    uint32_t writes[OPERANDS_MAX], base = base_of(scope->p, pc);
    unsigned count = insn_writes(insn_at(scope->p, pc), writes);
    for (unsigned i = 0; i < count; i++)
        scope->written[base + writes[i]] = pc;
}

static uint32_t last_write(const struct linear_scope *scope, uint32_t reg)
{
    uint32_t pc = scope->written[reg];
    return pc == NOWHERE || pc < scope->first ? NOWHERE : pc;
}

/* False if there are too many. */
static bool add_term(struct linear *to, uint32_t reg, uint32_t written, uint64_t scale)
{
    uint32_t at = 0;
    while (at < to->count && to->terms[at].reg < reg)
        at++;
    if (at < to->count && to->terms[at].reg == reg) {
        if (to->terms[at].written != written) return false;
        to->terms[at].scale += scale;
        if (to->terms[at].scale) return true;
        to->count--;
        memmove(&to->terms[at], &to->terms[at + 1], (to->count - at) * sizeof *to->terms);
        return true;
    }
    if (to->count == LINEAR_TERMS) return false;
    memmove(&to->terms[at + 1], &to->terms[at], (to->count - at) * sizeof *to->terms);
    to->terms[at] = (struct linear_term){scale, reg, written};
    to->count++;
    return true;
}

static bool add_variable(const struct linear_scope *scope, struct linear *to, int32_t variable,
                         uint64_t scale)
{
    struct low_bits bits =
        low_bits_of_variable(scope->p->launch, scope->layout, (uint32_t)variable);
    if (bits.count < 64)
        return add_term(to, scope->p->register_count + (uint32_t)variable, NOWHERE, scale);
    to->constant += scale * bits.value;
    return true;
}

static bool add_register(const struct linear_scope *scope, struct linear *to, uint32_t reg,
                         uint64_t scale, unsigned depth);

static bool add_operand(const struct linear_scope *scope, struct linear *to, uint32_t pc,
                        unsigned source, uint64_t scale, unsigned depth)
{
    const struct operand *operand = insn_source(insn_at(scope->p, pc), source);
    if (operand->kind == OPERAND_IMMEDIATE || operand->kind == OPERAND_SYMBOL)
        to->constant += scale * (uint64_t)operand->imm;
    if (operand->kind == OPERAND_IMMEDIATE) return true;
    if (operand->kind == OPERAND_SYMBOL)
        return operand->symbol >= 0 && add_variable(scope, to, operand->symbol, scale);
    if (operand->kind != OPERAND_REGISTER || operand->reg < 0) return false;
    uint32_t reg = base_of(scope->p, pc) + (uint32_t)operand->reg, written = last_write(scope, reg);
    /* It still holds what `pc` read. */
    bool is_single = scope->p->usages[reg].writes == 1;
    bool is_kept = pc >= scope->first && (written == NOWHERE || written < pc);
    return (is_single || is_kept) && add_register(scope, to, reg, scale, depth);
}

static bool source_bits(const struct linear_scope *scope, uint32_t pc, unsigned source,
                        struct low_bits *out)
{
    const struct operand *operand = insn_source(insn_at(scope->p, pc), source);
    if (operand->kind != OPERAND_REGISTER || operand->reg < 0) return false;
    *out = scope->bits[base_of(scope->p, pc) + (uint32_t)operand->reg];
    return true;
}

/* An `or` with bits that are all 0 before is a sum. */
static bool is_disjoint(const struct linear_scope *scope, uint32_t pc)
{
    const struct insn *insn = insn_at(scope->p, pc);
    struct low_bits bits;
    if (insn_source(insn, 1)->kind != OPERAND_IMMEDIATE || !source_bits(scope, pc, 0, &bits))
        return false;
    uint64_t mask = (uint64_t)insn_source(insn, 1)->imm;
    return bits.count < 64 && mask >> bits.count == 0 && !(bits.value & mask);
}

/* The constant factor of a product or shift, as far as there is one. */
static bool find_factor(const struct insn *insn, uint64_t *out, unsigned *out_other)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct operand *operand = insn_source(insn, i);
        if (operand->kind != OPERAND_IMMEDIATE || (insn->op == OP_SHL && i == 0)) continue;
        if (insn->op == OP_SHL && (operand->imm < 0 || operand->imm > 63)) return false;
        *out = insn->op == OP_SHL ? UINT64_C(1) << operand->imm : (uint64_t)operand->imm;
        *out_other = 1 - i;
        return true;
    }
    return false;
}

static bool add_value(const struct linear_scope *scope, struct linear *to, uint32_t pc,
                      uint64_t scale, unsigned depth)
{
    const struct insn *insn = insn_at(scope->p, pc);
    uint64_t factor;
    unsigned other;
    bool is_plain = insn->guard < 0 && insn->ndst == 1 && insn->vector <= 1 && !is_float(insn) &&
                    !(insn->flags & (INSN_SAT | INSN_CC));
    if (!is_plain || bits_of(insn) < 32) return false;
    switch ((enum ptx_op)insn->op) {
    case OP_MOV:
    case OP_CVTA:
        return add_operand(scope, to, pc, 0, scale, depth);
    case OP_ADD:
    case OP_SUB:
        return add_operand(scope, to, pc, 0, scale, depth) &&
               add_operand(scope, to, pc, 1, insn->op == OP_ADD ? scale : 0 - scale, depth);
    case OP_OR:
        return is_disjoint(scope, pc) && add_operand(scope, to, pc, 0, scale, depth) &&
               add_operand(scope, to, pc, 1, scale, depth);
    case OP_SHL:
    case OP_MUL:
    case OP_MAD:
        if (insn->op != OP_SHL && insn->mul_part != MUL_LO) return false;
        if (!find_factor(insn, &factor, &other)) return false;
        if (insn->op == OP_MAD && !add_operand(scope, to, pc, 2, scale, depth)) return false;
        return add_operand(scope, to, pc, other, scale * factor, depth);
    default:
        return false;
    }
}

/* What is known of the register's value, or the register itself. */
static bool add_register(const struct linear_scope *scope, struct linear *to, uint32_t reg,
                         uint64_t scale, unsigned depth)
{
    const struct usage *usage = &scope->p->usages[reg];
    struct linear tried = *to;
    if (depth < DEEPEST && usage->writes == 1 &&
        add_value(scope, &tried, usage->definition, scale, depth + 1)) {
        *to = tried;
        return true;
    }
    return add_term(to, reg, last_write(scope, reg), scale);
}

struct linear linear_address(const struct linear_scope *scope, uint32_t pc)
{
    const struct insn *insn = insn_at(scope->p, pc);
    const struct operand *address = insn_source(insn, 0);
    struct linear found = {.constant = (uint64_t)address->imm};
    if (address->symbol >= 0) (void)add_variable(scope, &found, address->symbol, 1);
    if (address->reg >= 0)
        (void)add_register(scope, &found, base_of(scope->p, pc) + (uint32_t)address->reg, 1, 0);
    return found;
}

struct low_bits linear_bits(const struct linear_scope *scope, const struct linear *linear)
{
    struct low_bits sum = low_bits_constant(0);
    for (uint32_t i = 0; i < linear->count; i++) {
        const struct linear_term *term = &linear->terms[i];
        uint32_t registers = scope->p->register_count;
        struct low_bits bits =
            term->reg < registers
                ? scope->bits[term->reg]
                : low_bits_of_variable(scope->p->launch, scope->layout, term->reg - registers);
        sum = low_bits_sum(sum, low_bits_product(bits, low_bits_constant(term->scale)));
    }
    return sum;
}
