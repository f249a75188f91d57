// SPDX-License-Identifier: Apache-2.0
/* Loops of one basic block, which are unrolled, and branches that lanes take differently. */
#include "measure/native_plan.h"

/* Instructions that ptxas 13 unrolls a loop of one block to: of the 14 loops of accuracy/kernels, those of 22 to 48
 * in PTX become four iterations, those of 50 and more stay as they are. */
enum { UNROLLED_MAX = 192 };

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
            if (insn_operand(insn, i)->kind == OPERAND_REGISTER &&
                insn_operand(insn, i)->reg == operand->reg)
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

void native_plan_loop(struct planner *p, const struct code_block *code)
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

/* ---- branches -------------------------------------------------------------------------------- */

/* BRA, BSSY, BSYNC; before cc 8.0 also BMOV, which clears the barrier. */
static const struct view_part branch_and_meet[VIEW_PARTS] = {{3, CLASS_CONTROL}},
                              clear_and_meet[VIEW_PARTS] = {{4, CLASS_CONTROL}};

/* Does it jump ahead, and not to the end of the kernel? */
static bool jumps_over(const struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    const struct code_block *code = &p->launch->code_blocks[p->block_of[pc]];
    uint32_t begin = code->first - code->block->first; /* of the function, in the launch */
    if (insn->op != OP_BRA || insn->guard < 0 || insn->target < 0) return false;
    uint32_t target = begin + (uint32_t)insn->target;
    if (target <= pc || (uint32_t)insn->target >= code->function->insn_count) return false;
    return insn_at(p, target)->op != OP_RET && insn_at(p, target)->op != OP_EXIT;
}

/* Lanes that part by a value of their own meet again: BSSY in front of the branch, BSYNC where they do. */
void native_plan_branches(struct planner *p)
{
    bool is_cc7 = p->launch->module->target < CC8;
    for (uint32_t pc = 0; pc < p->launch->insn_count; pc++)
        if (p->views[pc].fold == VIEW_PLAIN && jumps_over(p, pc) &&
            p->varying[base_of(p, pc) + (uint32_t)insn_at(p, pc)->guard])
            become(p, pc, is_cc7 ? clear_and_meet : branch_and_meet);
}
