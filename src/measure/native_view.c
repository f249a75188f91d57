// SPDX-License-Identifier: Apache-2.0
#include "measure/native_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "measure/register_use.h"

/* Instructions that ptxas 13 unrolls a loop of one block to: of the 14 loops of accuracy/kernels, those of 22 to 48
 * in PTX become four iterations, those of 50 and more stay as they are. */
enum { UNROLLED_MAX = 192 };
#define NOWHERE UINT32_MAX

struct usage {
    uint32_t writes, definition;         /* the last instruction that writes it */
    uint32_t first_reader, reader_count; /* in planner.readers */
};

struct planner {
    const struct launch_view *launch;
    struct insn_view *views;
    uint32_t *block_of; /* by instruction: code block */
    struct usage *usages;
    uint32_t *readers;
    bool *is_merged; /* by instruction: one that it reads became part of it */
};

/* ---- uses of registers ----------------------------------------------------------------------- */

static const struct insn *insn_at(const struct planner *p, uint32_t pc)
{
    return p->launch->insns[pc];
}

static uint32_t base_of(const struct planner *p, uint32_t pc)
{
    return p->launch->code_blocks[p->block_of[pc]].vreg_base;
}

static void count_uses(struct planner *p, bool writes_down)
{
    for (uint32_t i = 0; i < p->launch->code_block_count; i++) {
        const struct code_block *code = &p->launch->code_blocks[i];
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
            uint32_t reads[READS_MAX], writes[OPERANDS_MAX];
            unsigned read_count = insn_reads(insn_at(p, pc), reads);
            unsigned write_count = insn_writes(insn_at(p, pc), writes);
            p->block_of[pc] = i;
            for (unsigned k = 0; k < read_count; k++) {
                struct usage *usage = &p->usages[code->vreg_base + reads[k]];
                if (writes_down) p->readers[usage->first_reader + usage->reader_count] = pc;
                usage->reader_count++;
            }
            for (unsigned k = 0; k < write_count && !writes_down; k++) {
                struct usage *usage = &p->usages[code->vreg_base + writes[k]];
                usage->writes++;
                usage->definition = pc;
            }
        }
    }
}

static void find_uses(struct planner *p, uint32_t registers)
{
    count_uses(p, false);
    uint32_t all = 0;
    for (uint32_t i = 0; i < registers; i++) {
        p->usages[i].first_reader = all;
        all += p->usages[i].reader_count;
        p->usages[i].reader_count = 0;
    }
    p->readers = mem_alloc((all + 1) * sizeof *p->readers);
    count_uses(p, true);
}

/* What an instruction writes, if that is one register. */
static const struct usage *result_of(const struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    if (insn->ndst != 1 || insn->operands[0].kind != OPERAND_REGISTER) return NULL;
    return &p->usages[base_of(p, pc) + (uint32_t)insn->operands[0].reg];
}

/* Does nothing else write what it writes? */
static bool is_alone(const struct planner *p, uint32_t pc)
{
    uint32_t writes[OPERANDS_MAX];
    unsigned count = insn_writes(insn_at(p, pc), writes);
    for (unsigned i = 0; i < count; i++)
        if (p->usages[base_of(p, pc) + writes[i]].writes != 1) return false;
    return true;
}

/* A value that nothing else writes and no guard keeps away. */
static bool is_value(const struct planner *p, uint32_t pc)
{
    const struct usage *result = result_of(p, pc);
    return insn_at(p, pc)->guard < 0 && result && result->writes == 1 && result->reader_count;
}

static int32_t result_register(const struct planner *p, uint32_t pc)
{
    return insn_at(p, pc)->operands[0].reg;
}

/* The only instruction that writes the operand, or NOWHERE. */
static uint32_t definition_of(const struct planner *p, uint32_t pc, const struct operand *operand)
{
    if (operand->kind != OPERAND_REGISTER || operand->reg < 0) return NOWHERE;
    const struct usage *usage = &p->usages[base_of(p, pc) + (uint32_t)operand->reg];
    return usage->writes == 1 ? usage->definition : NOWHERE;
}

static unsigned uses_as_value(const struct insn *insn, int32_t reg)
{
    unsigned count = insn->guard == reg;
    for (unsigned i = 0; i < insn->nsrc; i++)
        count += insn_source(insn, i)->kind == OPERAND_REGISTER && insn_source(insn, i)->reg == reg;
    return count;
}

typedef bool reader_test(const struct planner *p, uint32_t reader, int32_t reg);

static bool every_reader(const struct planner *p, uint32_t pc, reader_test *test)
{
    const struct usage *result = result_of(p, pc);
    for (uint32_t i = 0; i < result->reader_count; i++)
        if (!test(p, p->readers[result->first_reader + i], result_register(p, pc))) return false;
    return true;
}

/* The only reader, in the same code block and behind; or NOWHERE. */
static uint32_t reader_of(const struct planner *p, uint32_t pc)
{
    const struct usage *result = result_of(p, pc);
    uint32_t reader = result->reader_count == 1 ? p->readers[result->first_reader] : NOWHERE;
    if (reader == NOWHERE || reader <= pc || p->block_of[reader] != p->block_of[pc]) return NOWHERE;
    bool fuses = insn_at(p, reader)->guard < 0 && p->views[reader].fold == VIEW_PLAIN;
    return fuses && uses_as_value(insn_at(p, reader), result_register(p, pc)) == 1 ? reader
                                                                                   : NOWHERE;
}

/* ---- kinds of instructions ------------------------------------------------------------------- */

static unsigned bits_of(const struct insn *insn)
{
    return type_infos[insn->type].bits;
}

static bool is_float(const struct insn *insn)
{
    return type_infos[insn->type].kind == KIND_FLOAT;
}

static bool is_integer(const struct insn *insn, unsigned bits)
{
    return !is_float(insn) && bits_of(insn) == bits;
}

static bool is_sum(const struct insn *insn, unsigned bits)
{
    return (insn->op == OP_ADD || insn->op == OP_SUB) && is_integer(insn, bits) &&
           !(insn->flags & (INSN_CC | INSN_SAT));
}

static bool is_logic(const struct insn *insn)
{
    bool is_simple =
        insn->op == OP_AND || insn->op == OP_OR || insn->op == OP_XOR || insn->op == OP_NOT;
    return is_simple && bits_of(insn) == 32;
}

static bool is_immediate(const struct insn *insn, unsigned source)
{
    unsigned kind = insn->nsrc > source ? insn_source(insn, source)->kind : OPERAND_NONE;
    return kind == OPERAND_IMMEDIATE || kind == OPERAND_SYMBOL;
}

/* A constant when the code is generated: an immediate, or what a folded move of one writes. */
static bool is_constant(const struct planner *p, uint32_t pc, unsigned source)
{
    const struct insn *insn = insn_at(p, pc);
    if (is_immediate(insn, source)) return true;
    uint32_t from = insn->nsrc > source ? definition_of(p, pc, insn_source(insn, source)) : NOWHERE;
    return from != NOWHERE && insn_at(p, from)->op == OP_MOV && is_immediate(insn_at(p, from), 0);
}

/* ---- what costs nothing ---------------------------------------------------------------------- */

static void fold(struct planner *p, uint32_t pc)
{
    p->views[pc].fold = VIEW_ADDRESS;
}

/* Constants and parameters are operands; registers are renamed; the number of threads and blocks is a
 * constant of the launch. */
static bool is_free_move(const struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    const struct operand *source = insn_source(insn, 0);
    if (insn->guard >= 0) return false;
    if (insn->vector > 1) return true; /* halves of a pair of registers */
    if (source->kind == OPERAND_SPECIAL)
        return source->reg >= SREG_NTID_X && source->reg <= SREG_NCTAID_Z &&
               (source->reg <= SREG_NTID_Z || source->reg >= SREG_NCTAID_X);
    if (source->kind == OPERAND_REGISTER)
        return is_value(p, pc) && definition_of(p, pc, source) != NOWHERE;
    return is_value(p, pc);
}

/* Words of the same width, a half of a pair, a pair with zeros. */
static bool is_free_conversion(const struct insn *insn)
{
    const struct type_info *to = &type_infos[insn->type], *from = &type_infos[insn->type2];
    if (insn->guard >= 0 || to->kind == KIND_FLOAT || from->kind == KIND_FLOAT) return false;
    if (insn->flags & INSN_SAT) return false;
    return (to->bits == 32 && from->bits >= 32) ||
           (to->bits == 64 &&
            (from->bits == 64 || (from->bits == 32 && from->kind != KIND_SIGNED)));
}

static bool computes_floats(const struct planner *p, uint32_t reader, int32_t reg)
{
    const struct insn *insn = insn_at(p, reader);
    unsigned family = op_infos[insn->op].family;
    return is_float(insn) && insn->guard != reg &&
           (family <= FAMILY_MAD || family == FAMILY_MINMAX || family == FAMILY_CMP);
}

static bool adds_words(const struct planner *p, uint32_t reader, int32_t reg)
{
    return is_sum(insn_at(p, reader), 32) && insn_at(p, reader)->guard != reg;
}

static bool is_free_sign(const struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    if ((insn->op != OP_NEG && insn->op != OP_ABS) || !is_value(p, pc)) return false;
    if (is_float(insn)) return every_reader(p, pc, computes_floats);
    return insn->op == OP_NEG && bits_of(insn) == 32 && every_reader(p, pc, adds_words);
}

/* Predicates combine in the comparison that makes one of them; a negated one is an operand. */
static bool is_free_predicate(struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    if (insn->type != TYPE_PRED || insn->guard >= 0) return false;
    if (insn->op == OP_NOT || insn->op == OP_MOV) return true;
    if (insn->op != OP_AND && insn->op != OP_OR && insn->op != OP_XOR) return false;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        uint32_t from = definition_of(p, pc, insn_source(insn, i));
        if (from == NOWHERE || insn_at(p, from)->op != OP_SETP || p->is_merged[from]) continue;
        return p->is_merged[from] = true;
    }
    return is_constant(p, pc, 0) || is_constant(p, pc, 1);
}

static void fold_free(struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    if (insn->guard >= 0 || !is_alone(p, pc)) return;
    bool is_parameter = insn->class_id == CLASS_MEM_PARAM_LOAD && insn_source(insn, 0)->reg < 0;
    if (is_parameter || insn->op == OP_CVTA || (insn->op == OP_MOV && is_free_move(p, pc)) ||
        (insn->op == OP_CVT && is_free_conversion(insn)) || is_free_sign(p, pc) ||
        is_free_predicate(p, pc))
        fold(p, pc);
}

/* ---- addresses ------------------------------------------------------------------------------- */

enum { DEEPEST = 4 };

static bool is_address_within(const struct planner *p, uint32_t pc, unsigned depth);

static bool leads_to_address(const struct planner *p, uint32_t reader, int32_t reg, unsigned depth)
{
    const struct insn *insn = insn_at(p, reader);
    if (uses_as_value(insn, reg) == 0) return true;
    bool is_added = insn->op == OP_ADD && (is_sum(insn, 32) || is_sum(insn, 64));
    return is_added && depth < DEEPEST && is_value(p, reader) &&
           is_address_within(p, reader, depth + 1);
}

/* Is it read as the base of accesses only, or in additions that make such bases? A constant in it can then be one
 * of the accesses. */
static bool is_address_within(const struct planner *p, uint32_t pc, unsigned depth)
{
    const struct usage *result = result_of(p, pc);
    for (uint32_t i = 0; i < result->reader_count; i++)
        if (!leads_to_address(p, p->readers[result->first_reader + i], result_register(p, pc),
                              depth))
            return false;
    return true;
}

static bool is_address(const struct planner *p, uint32_t reader, int32_t reg)
{
    return leads_to_address(p, reader, reg, 0);
}

static bool adds_pairs(const struct planner *p, uint32_t reader, int32_t reg)
{
    return is_sum(insn_at(p, reader), 64) && insn_at(p, reader)->guard < 0 &&
           insn_at(p, reader)->guard != reg;
}

/* A product of words as a pair: mul.wide, or a shifted word that was extended. */
static bool is_wide_product(const struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    if (op_infos[insn->op].family == FAMILY_MUL && insn->mul_part == MUL_WIDE)
        return bits_of(insn) == 32;
    if (insn->op != OP_SHL || bits_of(insn) != 64 || !is_immediate(insn, 1)) return false;
    uint32_t from = definition_of(p, pc, insn_source(insn, 0));
    return from != NOWHERE && insn_at(p, from)->op == OP_CVT &&
           type_infos[insn_at(p, from)->type2].bits == 32;
}

static bool is_wide_shift(const struct planner *p, uint32_t reader, int32_t reg)
{
    (void)reg;
    return insn_at(p, reader)->op == OP_SHL && is_wide_product(p, reader);
}

/* Users come first: what they fold into decides. */
static void fold_address(struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    if (p->views[pc].fold != VIEW_PLAIN || !is_value(p, pc)) return;
    bool adds_constant = insn->op == OP_ADD && (is_sum(insn, 32) || is_sum(insn, 64)) &&
                         (is_constant(p, pc, 0) || is_constant(p, pc, 1));
    if (adds_constant && every_reader(p, pc, is_address)) fold(p, pc);
    if (is_wide_product(p, pc) && every_reader(p, pc, adds_pairs)) fold(p, pc);
    if (insn->op == OP_CVT && every_reader(p, pc, is_wide_shift)) fold(p, pc);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static const struct view_part multiply_add[VIEW_PARTS] = {{1, CLASS_INT_MAD}};
static const struct view_part float_multiply_add[VIEW_PARTS] = {{1, CLASS_FP32_FMA}};
static const struct view_part double_multiply_add[VIEW_PARTS] = {{1, CLASS_FP64_FMA}};
static const struct view_part one_add[VIEW_PARTS] = {{1, CLASS_INT_ADD}};

static void become(struct planner *p, uint32_t pc, const struct view_part *parts)
{
    p->views[pc].is_sequence = true;
    p->views[pc].parts = parts;
}

static void merge(struct planner *p, uint32_t pc, uint32_t into, const struct view_part *parts)
{
    fold(p, pc);
    p->is_merged[into] = true;
    if (parts) become(p, into, parts);
}

/* LOP3 takes three. */
static bool has_three_inputs(const struct planner *p, uint32_t pc, uint32_t reader)
{
    uint32_t inputs[READS_MAX], others[READS_MAX];
    unsigned count = insn_reads(insn_at(p, pc), inputs);
    unsigned other_count = insn_reads(insn_at(p, reader), others);
    int32_t result = result_register(p, pc);
    for (unsigned i = 0; i < other_count; i++) {
        bool is_new = others[i] != (uint32_t)result;
        for (unsigned k = 0; k < count; k++)
            is_new &= inputs[k] != others[i];
        if (is_new && count < READS_MAX) inputs[count++] = others[i];
    }
    return count <= 3;
}

static bool is_contracted(const struct insn *mul, const struct insn *add)
{
    return mul->op == OP_MUL && (add->op == OP_ADD || add->op == OP_SUB) && is_float(mul) &&
           mul->type == add->type && mul->rounding == ROUND_DEFAULT &&
           add->rounding == ROUND_DEFAULT && !(mul->flags & INSN_SAT);
}

static void fuse(struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    if (p->views[pc].fold != VIEW_PLAIN || !is_value(p, pc)) return;
    uint32_t into = reader_of(p, pc);
    if (into == NOWHERE || p->is_merged[into]) return;
    const struct insn *reader = insn_at(p, into);
    bool is_low_product = insn->op == OP_MUL && is_integer(insn, 32) && insn->mul_part == MUL_LO;
    bool shifts = insn->op == OP_SHL && is_immediate(insn, 1);
    if (is_contracted(insn, reader))
        merge(p, pc, into,
              insn->type == TYPE_F32   ? float_multiply_add
              : insn->type == TYPE_F64 ? double_multiply_add
                                       : NULL);
    else if (is_low_product && is_sum(reader, 32))
        merge(p, pc, into, multiply_add);
    else if (shifts && bits_of(insn) == 32 && is_sum(reader, 32))
        merge(p, pc, into, NULL); /* LEA */
    else if (shifts && bits_of(insn) == 64 && is_sum(reader, 64))
        merge(p, pc, into, NULL); /* LEA, LEA.HI.X */
    else if (is_sum(insn, 32) && is_sum(reader, 32) && !p->is_merged[pc])
        merge(p, pc, into, one_add); /* IADD3 */
    else if (is_logic(insn) && is_logic(reader) && !p->is_merged[pc] &&
             has_three_inputs(p, pc, into))
        merge(p, pc, into, NULL); /* LOP3 */
    else if (is_logic(insn) && reader->op == OP_SETP && bits_of(reader) == 32 &&
             is_constant(p, into, 1))
        fold(p, pc); /* LOP3 writes a predicate */
}

/* ---- several --------------------------------------------------------------------------------- */

static bool takes_wide_product(const struct planner *p, uint32_t pc)
{
    for (unsigned i = 0; i < insn_at(p, pc)->nsrc; i++) {
        uint32_t from = definition_of(p, pc, insn_source(insn_at(p, pc), i));
        if (from != NOWHERE && p->views[from].fold == VIEW_ADDRESS && is_wide_product(p, from))
            return true;
    }
    return false;
}

static void expand(struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    struct insn_view *view = &p->views[pc];
    if (view->fold != VIEW_PLAIN || view->is_sequence || insn->guard >= 0) return;
    const struct view_part *parts = NULL;
    if (is_sum(insn, 64) && takes_wide_product(p, pc))
        parts = multiply_add;
    else if (is_wide_product(p, pc))
        parts = multiply_add;
    else
        parts = native_sequence(insn);
    if (parts) become(p, pc, parts);
}

/* ---- loops ----------------------------------------------------------------------------------- */

struct loop {
    struct planner *p;
    uint32_t first, end, vreg_base;
};

static bool is_written(const struct loop *l, const struct operand *operand)
{
    if (operand->kind != OPERAND_REGISTER && operand->kind != OPERAND_ADDRESS) return false;
    for (uint32_t pc = l->first; pc < l->end && operand->reg >= 0; pc++) {
        const struct insn *insn = insn_at(l->p, pc);
        for (unsigned i = 0; i < insn->ndst; i++)
            if (insn->operands[i].kind == OPERAND_REGISTER && insn->operands[i].reg == operand->reg)
                return true;
    }
    return false;
}

static bool is_counter(const struct loop *l, uint32_t pc)
{
    const struct insn *insn = insn_at(l->p, pc);
    if ((!is_sum(insn, 32) && !is_sum(insn, 64)) || insn->guard >= 0) return false;
    const struct operand *source = insn_source(insn, 0);
    if (source->kind != OPERAND_REGISTER || source->reg != insn->operands[0].reg) return false;
    return is_constant(l->p, pc, 1);
}

static bool is_loop_test(const struct planner *p, uint32_t reader, int32_t reg)
{
    return insn_at(p, reader)->op == OP_BRA && insn_at(p, reader)->guard == reg;
}

static bool is_once(const struct planner *p, uint32_t reader, int32_t reg)
{
    return p->views[reader].every > 1 || is_address(p, reader, reg);
}

/* An address that moves by a constant an iteration: the iterations have it as constants of their accesses. */
static bool is_moving_address(const struct loop *l, uint32_t pc)
{
    const struct insn *insn = insn_at(l->p, pc);
    unsigned family = op_infos[insn->op].family, moving = 0;
    bool is_linear =
        family == FAMILY_ADD || family == FAMILY_MUL || family == FAMILY_MAD || insn->op == OP_SHL;
    if (!is_linear || is_float(insn) || !is_value(l->p, pc)) return false;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        if (!is_written(l, source)) continue;
        bool is_moved = false;
        for (uint32_t at = l->first; at < l->end; at++)
            is_moved |= is_counter(l, at) && result_register(l->p, at) == source->reg;
        uint32_t from = definition_of(l->p, pc, source);
        bool is_linear_too = from != NOWHERE && from < pc && is_moving_address(l, from);
        if (!is_moved && !is_linear_too) return false;
        moving++;
    }
    return moving > 0 && every_reader(l->p, pc, is_once);
}

static void unroll(struct planner *p, const struct code_block *code)
{
    struct loop l = {p, code->first, code->first + code->count, code->vreg_base};
    const struct insn *last = insn_at(p, l.end - 1);
    if (last->op != OP_BRA || last->guard < 0 || last->target != (int32_t)code->block->first)
        return;
    bool is_long = code->count * VIEW_UNROLL > UNROLLED_MAX;
    if (is_long || insn_at(p, l.first)->flags & INSN_NO_UNROLL) return;
    for (uint32_t pc = l.end; pc-- > l.first;) {
        const struct insn *insn = insn_at(p, pc);
        bool is_test = insn->op == OP_SETP && is_value(p, pc) && every_reader(p, pc, is_loop_test);
        if (pc == l.end - 1 || is_test || is_counter(&l, pc) || is_moving_address(&l, pc))
            p->views[pc].every = VIEW_UNROLL;
    }
}

/* ---- what the code has besides ---------------------------------------------------------------- */

static const struct view_part one_move[VIEW_PARTS] = {{1, CLASS_MOVE}};

/* Is the value a parameter, or an address made of one? It is then an operand in constant memory. */
static bool is_parameter(const struct planner *p, uint32_t pc, const struct operand *operand)
{
    uint32_t from = definition_of(p, pc, operand);
    if (from == NOWHERE || p->views[from].fold == VIEW_PLAIN) return false;
    if (insn_at(p, from)->class_id == CLASS_MEM_PARAM_LOAD) return true;
    return insn_at(p, from)->op == OP_CVTA &&
           is_parameter(p, from, insn_source(insn_at(p, from), 0));
}

/* IMAD.WIDE has one operand that is an immediate or in constant memory: next to a parameter the size of an element
 * needs a register, which a code block makes once. */
static void move_sizes(struct planner *p, const struct code_block *code)
{
    for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
        const struct insn *insn = insn_at(p, pc);
        if (!takes_wide_product(p, pc) || insn->guard >= 0) continue;
        for (unsigned i = 0; i < insn->nsrc; i++) {
            uint32_t product = definition_of(p, pc, insn_source(insn, 1 - i));
            if (product == NOWHERE || p->block_of[product] != p->block_of[pc] ||
                !is_wide_product(p, product) || !is_immediate(insn_at(p, product), 1) ||
                !is_parameter(p, pc, insn_source(insn, i)))
                continue;
            p->views[product].fold = VIEW_PLAIN;
            become(p, product, one_move);
            return;
        }
    }
}

/* Instructions that are guarded rather than jumped over (guess, from ptxas 13's code for accuracy/kernels). */
enum { GUARDED_MAX = 7 };

static const struct view_part branch_and_meet[VIEW_PARTS] = {{3, CLASS_CONTROL}};

/* Does it jump over more than what would be guarded, and not to the end of the kernel? */
static bool jumps_over(const struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    const struct code_block *code = &p->launch->code_blocks[p->block_of[pc]];
    uint32_t begin = code->first - code->block->first; /* of the function, in the launch */
    if (insn->op != OP_BRA || insn->guard < 0 || insn->target < 0) return false;
    uint32_t target = begin + (uint32_t)insn->target;
    if (target <= pc || (uint32_t)insn->target >= code->function->insn_count) return false;
    if (insn_at(p, target)->op == OP_RET || insn_at(p, target)->op == OP_EXIT) return false;
    unsigned count = 0;
    for (uint32_t at = pc + 1; at < target; at++)
        count += insn_at(p, at)->op == OP_BRA ? GUARDED_MAX + 1u : p->views[at].fold == VIEW_PLAIN;
    return count > GUARDED_MAX;
}

/* Does it make values that differ between lanes, of whatever it reads? */
static bool parts_lanes(const struct insn *insn)
{
    unsigned family = op_infos[insn->op].family;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        bool is_of_block = source->reg >= SREG_NTID_X && source->reg <= SREG_NCTAID_W;
        if (source->kind == OPERAND_SPECIAL && !is_of_block) return true;
    }
    bool is_constant = insn->space == SPACE_PARAM || insn->space == SPACE_CONST;
    return (family == FAMILY_LOAD && !is_constant) || family == FAMILY_ATOMIC ||
           family == FAMILY_SHUFFLE || insn->op == OP_CALL;
}

/* By register: may it differ between the lanes of a warp? What loops carry may not for that alone. */
static bool *find_varying(const struct planner *p)
{
    bool *varying = mem_zalloc(launch_register_count(p->launch) + 1, sizeof *varying);
    for (bool changes = true; changes;) {
        changes = false;
        for (uint32_t pc = 0; pc < p->launch->insn_count; pc++) {
            uint32_t reads[READS_MAX], writes[OPERANDS_MAX], base = base_of(p, pc);
            unsigned read_count = insn_reads(insn_at(p, pc), reads);
            unsigned write_count = insn_writes(insn_at(p, pc), writes);
            bool varies = parts_lanes(insn_at(p, pc));
            for (unsigned i = 0; i < read_count; i++)
                varies |= varying[base + reads[i]];
            for (unsigned i = 0; i < write_count && varies; i++) {
                changes |= !varying[base + writes[i]];
                varying[base + writes[i]] = true;
            }
        }
    }
    return varying;
}

/* Lanes that part by a value of their own meet again: BSSY in front of the branch, BSYNC where they do. */
static void meet_again(struct planner *p)
{
    bool *varying = find_varying(p);
    for (uint32_t pc = 0; pc < p->launch->insn_count; pc++)
        if (jumps_over(p, pc) && varying[base_of(p, pc) + (uint32_t)insn_at(p, pc)->guard])
            become(p, pc, branch_and_meet);
    mem_free(varying);
}

/* The first instruction of a kernel reads the stack pointer. */
static void begin_kernel(struct planner *p)
{
    for (uint32_t i = 0; i < p->launch->code_block_count; i++) {
        const struct code_block *code = &p->launch->code_blocks[i];
        const struct function *entry = &p->launch->module->functions[p->launch->entry];
        if (code->function != entry || code->block != entry->blocks || !code->count) continue;
        if (p->views[code->first].fold == VIEW_PLAIN) return;
        p->views[code->first].fold = VIEW_PLAIN;
        become(p, code->first, one_move);
    }
}

void native_view_plan(const struct launch_view *launch, struct insn_view *views)
{
    uint32_t registers = launch_register_count(launch);
    struct planner p = {.launch = launch,
                        .views = views,
                        .block_of = mem_zalloc(launch->insn_count + 1, sizeof *p.block_of),
                        .usages = mem_zalloc(registers + 1, sizeof *p.usages),
                        .is_merged = mem_zalloc(launch->insn_count + 1, sizeof *p.is_merged)};
    find_uses(&p, registers);
    for (uint32_t pc = 0; pc < launch->insn_count; pc++)
        fold_free(&p, pc);
    for (uint32_t pc = launch->insn_count; pc-- > 0;)
        fold_address(&p, pc);
    for (uint32_t pc = 0; pc < launch->insn_count; pc++)
        fuse(&p, pc);
    for (uint32_t pc = 0; pc < launch->insn_count; pc++)
        expand(&p, pc);
    for (uint32_t i = 0; i < launch->code_block_count; i++)
        unroll(&p, &launch->code_blocks[i]);
    for (uint32_t i = 0; i < launch->code_block_count; i++)
        move_sizes(&p, &launch->code_blocks[i]);
    begin_kernel(&p);
    meet_again(&p);
    mem_free(p.block_of);
    mem_free(p.usages);
    mem_free(p.readers);
    mem_free(p.is_merged);
}
