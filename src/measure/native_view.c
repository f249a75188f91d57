// SPDX-License-Identifier: Apache-2.0
#include "measure/native_view.h"

#include <stdlib.h>
#include <string.h>

#include "measure/native_plan.h"
#include "measure/register_use.h"

/* Does nothing else write what it writes? */
static bool is_alone(const struct planner *p, uint32_t pc)
{
    uint32_t writes[OPERANDS_MAX];
    unsigned count = insn_writes(insn_at(p, pc), writes);
    for (unsigned i = 0; i < count; i++)
        if (p->usages[base_of(p, pc) + writes[i]].writes != 1) return false;
    return true;
}

/* The only reader, in the same code block and behind; or NOWHERE. */
static uint32_t reader_of(const struct planner *p, uint32_t pc)
{
    const struct usage *result = result_of(p, pc);
    uint32_t reader = result->reader_count == 1 ? p->readers[result->first_reader] : NOWHERE;
    if (reader == NOWHERE || reader <= pc || p->block_of[reader] != p->block_of[pc]) return NOWHERE;
    for (uint32_t at = pc + 1; at < reader; at++)
        if (insn_clock_reads(insn_at(p, at))) return NOWHERE;
    bool fuses = insn_at(p, reader)->guard < 0 && p->views[reader].fold == VIEW_PLAIN;
    return fuses && uses_as_value(insn_at(p, reader), result_register(p, pc)) == 1 ? reader
                                                                                   : NOWHERE;
}

static bool is_logic(const struct insn *insn)
{
    bool is_simple =
        insn->op == OP_AND || insn->op == OP_OR || insn->op == OP_XOR || insn->op == OP_NOT;
    return is_simple && bits_of(insn) == 32;
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

static bool computes(const struct planner *p, uint32_t reader, int32_t reg)
{
    unsigned family = op_infos[insn_at(p, reader)->op].family;
    (void)reg;
    return family <= FAMILY_SFU_TANH;
}

/* A word of constant memory at an address that is constant: c[3][offset] is an operand of what computes with it. */
static bool is_constant_operand(const struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    const struct operand *address = insn_source(insn, 0);
    bool is_word = bits_of(insn) == 32 || insn->type == TYPE_F64;
    return insn->op == OP_LD && insn->space == SPACE_CONST && insn->vector <= 1 && is_word &&
           insn->semantics == MEM_WEAK && address->kind == OPERAND_ADDRESS && address->reg < 0 &&
           is_value(p, pc) && every_reader(p, pc, computes);
}

static void fold_free(struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    if (insn->guard >= 0 || !is_alone(p, pc) || insn_clock_reads(insn)) return;
    bool is_parameter = insn->class_id == CLASS_MEM_PARAM_LOAD && insn_source(insn, 0)->reg < 0;
    if (is_parameter || insn->op == OP_CVTA || (insn->op == OP_MOV && is_free_move(p, pc)) ||
        (insn->op == OP_CVT && is_free_conversion(insn)) || is_free_sign(p, pc) ||
        is_free_predicate(p, pc) || is_constant_operand(p, pc))
        fold(p, pc);
}

/* ---- addresses ------------------------------------------------------------------------------- */

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

static enum native_meeting meeting_of(const struct planner *p, uint32_t pc)
{
    uint32_t reads[READS_MAX];
    unsigned count = insn_reads(insn_at(p, pc), reads);
    for (unsigned i = 0; i < count; i++)
        if (p->varying[base_of(p, pc) + reads[i]])
            return p->launch->module->target < CC8 ? MEET_OF_CC7 : MEET_LATER;
    return MEET_NEVER;
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
        parts = native_sequence(insn, meeting_of(p, pc));
    if (parts) become(p, pc, parts);
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
    struct planner p;
    native_plan_init(&p, launch, views);
    for (uint32_t pc = 0; pc < launch->insn_count; pc++)
        fold_free(&p, pc);
    for (uint32_t pc = launch->insn_count; pc-- > 0;)
        fold_address(&p, pc);
    for (uint32_t pc = 0; pc < launch->insn_count; pc++)
        fuse(&p, pc);
    for (uint32_t pc = 0; pc < launch->insn_count; pc++)
        expand(&p, pc);
    for (uint32_t i = 0; i < launch->code_block_count; i++)
        native_plan_loop(&p, &launch->code_blocks[i]);
    for (uint32_t i = 0; i < launch->code_block_count; i++)
        move_sizes(&p, &launch->code_blocks[i]);
    native_plan_constants(&p);
    native_plan_accesses(&p);
    begin_kernel(&p);
    native_plan_guards(&p);
    native_plan_branches(&p);
    native_plan_clear(&p);
}
