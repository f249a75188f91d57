// SPDX-License-Identifier: Apache-2.0
/* What the parts of the view "native" share (native_view.h): the code of a launch, who writes and reads its
 * registers, and what has been decided so far. */
#ifndef MEASURE_NATIVE_PLAN_H
#define MEASURE_NATIVE_PLAN_H

#include "measure/isa_view.h"

#define NOWHERE UINT32_MAX
enum { CC8 = 80 }; /* target */

struct usage {
    uint32_t writes, definition;         /* the last instruction that writes it */
    uint32_t first_reader, reader_count; /* in planner.readers */
};

struct planner {
    const struct launch_view *launch;
    struct insn_view *views;
    uint32_t *block_of;      /* by instruction: code block */
    uint32_t register_count; /* of the launch */
    struct usage *usages;    /* by register */
    uint32_t *readers;
    bool *is_merged; /* by instruction: one that it reads became part of it */
    bool *varying;   /* by register: it may differ between the lanes of a warp */
};

void native_plan_init(struct planner *p, const struct launch_view *launch, struct insn_view *views);
void native_plan_clear(struct planner *p);

typedef bool reader_test(const struct planner *p, uint32_t reader, int32_t reg);
/* Of what `pc` writes, one register. */
bool every_reader(const struct planner *p, uint32_t pc, reader_test *test);
unsigned uses_as_value(const struct insn *insn, int32_t reg);
/* A reader_test: does it read it as the base of an access only, or in additions that make such bases? A constant in
 * it can then be one of the access. */
bool is_address(const struct planner *p, uint32_t reader, int32_t reg);

/* The steps, in this order. */
void native_plan_loop(struct planner *p, const struct code_block *code); /* unrolls it */
void native_plan_constants(struct planner *p);                           /* moves some */
void native_plan_accesses(struct planner *p);                            /* merges neighbours */
void native_plan_guards(struct planner *p);   /* instead of short branches */
void native_plan_branches(struct planner *p); /* where lanes part and meet */

static inline const struct insn *insn_at(const struct planner *p, uint32_t pc)
{
    return p->launch->insns[pc];
}

static inline uint32_t base_of(const struct planner *p, uint32_t pc)
{
    return p->launch->code_blocks[p->block_of[pc]].vreg_base;
}

static inline void become(struct planner *p, uint32_t pc, const struct view_part *parts)
{
    p->views[pc].is_sequence = true;
    p->views[pc].parts = parts;
}

/* What an instruction writes, if that is one register. */
static inline const struct usage *result_of(const struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    if (insn->ndst != 1 || insn->operands[0].kind != OPERAND_REGISTER) return NULL;
    return &p->usages[base_of(p, pc) + (uint32_t)insn->operands[0].reg];
}

static inline int32_t result_register(const struct planner *p, uint32_t pc)
{
    return insn_at(p, pc)->operands[0].reg;
}

/* A value that nothing else writes and no guard keeps away. */
static inline bool is_value(const struct planner *p, uint32_t pc)
{
    const struct usage *result = result_of(p, pc);
    return insn_at(p, pc)->guard < 0 && result && result->writes == 1 && result->reader_count;
}

/* The only instruction that writes the operand, or NOWHERE. */
static inline uint32_t definition_of(const struct planner *p, uint32_t pc,
                                     const struct operand *operand)
{
    if (operand->kind != OPERAND_REGISTER || operand->reg < 0) return NOWHERE;
    const struct usage *usage = &p->usages[base_of(p, pc) + (uint32_t)operand->reg];
    return usage->writes == 1 ? usage->definition : NOWHERE;
}

static inline unsigned bits_of(const struct insn *insn)
{
    return type_infos[insn->type].bits;
}

static inline bool is_float(const struct insn *insn)
{
    return type_infos[insn->type].kind == KIND_FLOAT;
}

static inline bool is_integer(const struct insn *insn, unsigned bits)
{
    return !is_float(insn) && bits_of(insn) == bits;
}

static inline bool is_sum(const struct insn *insn, unsigned bits)
{
    return (insn->op == OP_ADD || insn->op == OP_SUB) && is_integer(insn, bits) &&
           !(insn->flags & (INSN_CC | INSN_SAT));
}

static inline bool is_immediate(const struct insn *insn, unsigned source)
{
    unsigned kind = insn->nsrc > source ? insn_source(insn, source)->kind : OPERAND_NONE;
    return kind == OPERAND_IMMEDIATE || kind == OPERAND_SYMBOL;
}

/* A constant when the code is generated: an immediate, or what a folded move of one writes. */
static inline bool is_constant(const struct planner *p, uint32_t pc, unsigned source)
{
    const struct insn *insn = insn_at(p, pc);
    if (is_immediate(insn, source)) return true;
    uint32_t from = insn->nsrc > source ? definition_of(p, pc, insn_source(insn, source)) : NOWHERE;
    return from != NOWHERE && insn_at(p, from)->op == OP_MOV && is_immediate(insn_at(p, from), 0);
}

#endif
