// SPDX-License-Identifier: Apache-2.0
#include "measure/isa_view.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "measure/native_view.h"
#include "measure/register_use.h"

/* ---- the table ------------------------------------------------------------------------------- */

const char *const isa_view_names[ISA_VIEW_COUNT] = {
    [ISA_VIEW_NONE] = "",
#define ISA_VIEW(name, id, text) [ISA_VIEW_##name] = id,
#include "measure/isa_view.def"
};

static const bool takes_shared[ISA_VIEW_COUNT][CLASS_COUNT] = {
#define SHARED_OPERAND(view, class) [ISA_VIEW_##view][CLASS_##class] = true,
#include "measure/isa_view.def"
};

static const bool negates[ISA_VIEW_COUNT][CLASS_COUNT] = {
#define NEGATED_OPERAND(view, class) [ISA_VIEW_##view][CLASS_##class] = true,
#include "measure/isa_view.def"
};

static const struct view_part sequences[ISA_VIEW_COUNT][CLASS_COUNT][VIEW_PARTS] = {
#define SEQUENCE(view, class, n1, class1, n2, class2, n3, class3)                                  \
    [ISA_VIEW_##                                                                                   \
        view][CLASS_##class] = {{n1, CLASS_##class1}, {n2, CLASS_##class2}, {n3, CLASS_##class3}},
#include "measure/isa_view.def"
};

static const struct view_part shifts[ISA_VIEW_COUNT][CLASS_COUNT][VIEW_PARTS] = {
#define BY_POWER_OF_TWO(view, class, n1, class1, n2, class2)                                       \
    [ISA_VIEW_##view][CLASS_##class] = {{n1, CLASS_##class1}, {n2, CLASS_##class2}},
#include "measure/isa_view.def"
};

static const bool has_no_generic[ISA_VIEW_COUNT] = {
#define NO_GENERIC(view) [ISA_VIEW_##view] = true,
#include "measure/isa_view.def"
};

static const bool has_texture[ISA_VIEW_COUNT] = {
#define TEXTURE(view) [ISA_VIEW_##view] = true,
#include "measure/isa_view.def"
};

bool isa_view_is_texture(enum isa_view view, const struct insn *insn)
{
    return has_texture[view] && insn->op == OP_LD && insn->flags & INSN_NC;
}

int isa_view_find(const char *name)
{
    for (int i = ISA_VIEW_NONE + 1; i < ISA_VIEW_COUNT; i++)
        if (!strcmp(isa_view_names[i], name)) return i;
    return -1;
}

enum counter isa_view_shared_counter(unsigned class_id)
{
    switch (class_id) {
    case CLASS_FP32_ADD:
        return COUNTER_INST_WARP_SMEM_FP32_ADD;
    case CLASS_FP32_MUL:
        return COUNTER_INST_WARP_SMEM_FP32_MUL;
    case CLASS_FP32_FMA:
        return COUNTER_INST_WARP_SMEM_FP32_FMA;
    case CLASS_INT_ADD:
        return COUNTER_INST_WARP_SMEM_INT_ADD;
    case CLASS_INT_MUL:
    case CLASS_INT_MUL24:
    case CLASS_INT_MAD:
        return COUNTER_INST_WARP_SMEM_INT_MUL;
    default:
        return COUNTER_COUNT;
    }
}

bool isa_view_has(enum counter counter)
{
    return counter >= COUNTER_INST_PTX_WARP && counter <= COUNTER_INST_WARP_SMEM_INT_MUL;
}

unsigned isa_view_issued(const struct insn_view *view)
{
    if (!view) return 1;
    if (view->fold != VIEW_PLAIN) return 0;
    if (!view->is_sequence) return 1;
    unsigned count = 0;
    for (unsigned i = 0; i < VIEW_PARTS; i++)
        count += view->parts[i].count;
    return count;
}

/* ---- uses of registers ----------------------------------------------------------------------- */

/* By register of the launch: instructions that write it, that read it, that read it as the base of an
 * address and as nothing else, and that could negate it. */
struct uses {
    uint32_t writes, reads, bases, signs;
};

struct planner {
    enum isa_view view;
    const struct launch_view *launch;
    struct uses *uses;
    struct insn_view *views;
};

static bool reads_as_value(const struct insn *insn, uint32_t reg)
{
    if (insn->guard >= 0 && (uint32_t)insn->guard == reg) return true;
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *source = insn_source(insn, i);
        if (source->kind == OPERAND_REGISTER && source->reg >= 0 && (uint32_t)source->reg == reg)
            return true;
    }
    return false;
}

static void count_uses(struct planner *p)
{
    for (uint32_t i = 0; i < p->launch->code_block_count; i++) {
        const struct code_block *code = &p->launch->code_blocks[i];
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
            const struct insn *insn = p->launch->insns[pc];
            uint32_t reads[READS_MAX], writes[OPERANDS_MAX];
            unsigned read_count = insn_reads(insn, reads), write_count = insn_writes(insn, writes);
            for (unsigned k = 0; k < read_count; k++) {
                struct uses *uses = &p->uses[code->vreg_base + reads[k]];
                uses->reads++;
                uses->bases += !reads_as_value(insn, reads[k]);
                uses->signs += negates[p->view][insn->class_id] && insn->op != OP_NEG;
            }
            for (unsigned k = 0; k < write_count; k++)
                p->uses[code->vreg_base + writes[k]].writes++;
        }
    }
}

static bool writes_register(const struct insn *insn, int32_t reg)
{
    for (unsigned i = 0; i < insn->ndst; i++)
        if (insn_operand(insn, i)->kind == OPERAND_REGISTER && insn_operand(insn, i)->reg == reg)
            return true;
    return false;
}

/* ---- folding --------------------------------------------------------------------------------- */

static bool is_word_load(const struct insn *insn)
{
    return op_infos[insn->op].form == FORM_LD && insn->space == SPACE_SHARED && insn->guard < 0 &&
           insn->vector <= 1 && type_infos[insn->type].bits == 32 && insn->semantics == MEM_WEAK &&
           insn->ndst == 1 && insn->operands[0].kind == OPERAND_REGISTER;
}

static bool stores_to_shared(const struct insn *insn)
{
    unsigned family = op_infos[insn->op].family;
    bool may = insn->space == SPACE_SHARED || insn->space == SPACE_GENERIC;
    return may && (family == FAMILY_STORE || family == FAMILY_ATOMIC);
}

/* May `insn` read `reg` from shared memory? One operand of 32 bits is; a guard is none. */
static bool can_read_shared(const struct planner *p, const struct insn *insn, uint32_t pc,
                            int32_t reg)
{
    bool narrow = type_infos[insn->type].bits == 32 && insn->mul_part != MUL_WIDE;
    return takes_shared[p->view][insn->class_id] && narrow && insn->guard < 0 &&
           p->views[pc].fold == VIEW_PLAIN && !p->views[pc].reads_shared &&
           reads_as_value(insn, (uint32_t)reg);
}

/* A load from shared memory whose value one instruction of the same block uses. The access then
 * happens there: nothing in between may change the word or its address. */
static void fold_load(struct planner *p, const struct code_block *code, uint32_t pc)
{
    const struct insn *load = p->launch->insns[pc];
    int32_t reg = load->operands[0].reg, base = insn_source(load, 0)->reg;
    const struct uses *uses = &p->uses[code->vreg_base + (uint32_t)reg];
    if (!is_word_load(load) || uses->writes != 1 || uses->reads != 1) return;
    for (uint32_t at = pc + 1; at < code->first + code->count; at++) {
        const struct insn *insn = p->launch->insns[at];
        if (can_read_shared(p, insn, at, reg)) {
            p->views[pc].fold = VIEW_SHARED_LOAD;
            p->views[at].reads_shared = true;
            return;
        }
        if (stores_to_shared(insn) || (base >= 0 && writes_register(insn, base))) return;
        if (insn_clock_reads(insn)) return;
    }
}

/* cvta, and add d, a, constant where d is only ever the base of an address. */
static void fold_address(struct planner *p, const struct code_block *code, uint32_t pc)
{
    const struct insn *insn = p->launch->insns[pc];
    if (insn->op == OP_CVTA && insn->guard < 0 && has_no_generic[p->view])
        p->views[pc].fold = VIEW_ADDRESS;
    if (insn->op != OP_ADD || insn->class_id != CLASS_INT_ADD || insn->guard >= 0) return;
    if (insn->nsrc != 2 || insn_source(insn, 1)->kind != OPERAND_IMMEDIATE) return;
    if (insn->operands[0].kind != OPERAND_REGISTER) return;
    const struct uses *uses = &p->uses[code->vreg_base + (uint32_t)insn->operands[0].reg];
    if (uses->writes == 1 && uses->reads > 0 && uses->reads == uses->bases)
        p->views[pc].fold = VIEW_ADDRESS;
}

/* neg d, a, where only instructions read d that can negate what they read; a must still be there
 * then: it is written once. */
static void fold_negation(struct planner *p, const struct code_block *code, uint32_t pc)
{
    const struct insn *insn = p->launch->insns[pc];
    if (insn->op != OP_NEG || !negates[p->view][insn->class_id] || insn->guard >= 0) return;
    const struct operand *source = insn_source(insn, 0);
    if (source->kind != OPERAND_REGISTER || insn->operands[0].kind != OPERAND_REGISTER) return;
    const struct uses *uses = &p->uses[code->vreg_base + (uint32_t)insn->operands[0].reg];
    bool keeps = p->uses[code->vreg_base + (uint32_t)source->reg].writes == 1;
    if (keeps && uses->writes == 1 && uses->reads > 0 && uses->reads == uses->signs)
        p->views[pc].fold = VIEW_NEGATION;
}

/* Is one of the two factors a constant power of two? Only the low half of a product is a shift. */
static bool has_power_of_two(const struct insn *insn)
{
    for (unsigned i = 0; i < 2 && insn->mul_part != MUL_HI; i++) {
        const struct operand *factor = insn_source(insn, i);
        uint32_t value = (uint32_t)factor->imm;
        if (factor->kind == OPERAND_IMMEDIATE && value && !(value & (value - 1))) return true;
    }
    return false;
}

/* A guarded instruction keeps its form, so that its lanes can be told. */
static void expand(struct planner *p, uint32_t pc)
{
    const struct insn *insn = p->launch->insns[pc];
    const struct view_part *parts = sequences[p->view][insn->class_id];
    const struct view_part *shift = shifts[p->view][insn->class_id];
    if (shift[0].count && has_power_of_two(insn)) parts = shift;
    if (!parts[0].count || insn->guard >= 0 || type_infos[insn->type].bits != 32) return;
    p->views[pc].is_sequence = true;
    p->views[pc].parts = parts;
}

struct insn_view *isa_view_plan(enum isa_view view, const struct launch_view *launch)
{
    if (view == ISA_VIEW_NONE) return NULL;
    if (view == ISA_VIEW_NATIVE) {
        struct insn_view *views = mem_zalloc(launch->insn_count + 1, sizeof *views);
        native_view_plan(launch, views);
        return views;
    }
    struct planner p = {.view = view,
                        .launch = launch,
                        .uses = mem_zalloc(launch_register_count(launch) + 1, sizeof *p.uses),
                        .views = mem_zalloc(launch->insn_count + 1, sizeof *p.views)};
    count_uses(&p);
    for (uint32_t i = 0; i < launch->code_block_count; i++) {
        const struct code_block *code = &launch->code_blocks[i];
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
            expand(&p, pc);
            p.views[pc].is_texture = isa_view_is_texture(view, launch->insns[pc]);
            fold_address(&p, code, pc);
            fold_negation(&p, code, pc);
        }
        for (uint32_t pc = code->first; pc < code->first + code->count; pc++) {
            if (is_word_load(launch->insns[pc])) fold_load(&p, code, pc);
        }
    }
    mem_free(p.uses);
    return p.views;
}
