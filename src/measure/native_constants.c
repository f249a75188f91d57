// SPDX-License-Identifier: Apache-2.0
/* Parameters, constants in memory and immediates are operands, but an instruction has one such operand only: what
 * needs a second one, addresses and what is stored come from registers, into which a move brings them once. */
#include "measure/native_plan.h"

/* Copies may go round in a circle: deeper than any chain it stops. */
enum { SLOTS_MAX = 8, DEEPEST = 3, COPIES_MAX = 16 };

static const struct view_part one_move[VIEW_PARTS] = {{1, CLASS_MOVE}};

/* Instructions that bring constants to the operands of one, NOWHERE: it has them itself. */
struct slots {
    uint32_t from[SLOTS_MAX];
    unsigned count;
};

static bool is_copy(const struct insn *insn)
{
    return (insn->op == OP_MOV && insn->vector <= 1) || insn->op == OP_CVTA || insn->op == OP_CVT;
}

static bool is_zero(const struct operand *operand)
{
    return operand->kind == OPERAND_IMMEDIATE && !operand->imm;
}

/* The folded instruction that the constant comes from, or NOWHERE if it is none, or zero. */
static uint32_t root_of(const struct planner *p, uint32_t pc, const struct operand *operand)
{
    for (unsigned depth = 0; depth < COPIES_MAX; depth++) {
        uint32_t from = definition_of(p, pc, operand);
        if (from == NOWHERE || p->views[from].fold != VIEW_ADDRESS) return NOWHERE;
        if (insn_at(p, from)->op == OP_LD) return from;
        if (!is_copy(insn_at(p, from))) return NOWHERE;
        operand = insn_source(insn_at(p, from), 0);
        if (operand->kind != OPERAND_REGISTER) return is_zero(operand) ? NOWHERE : from;
        pc = from;
    }
    return NOWHERE;
}

static void add_slot(struct slots *slots, uint32_t from)
{
    if (slots->count < SLOTS_MAX) slots->from[slots->count++] = from;
}

/* Also of what is part of it; a shift that is, has its distance elsewhere. */
static void gather(const struct planner *p, uint32_t pc, unsigned depth, struct slots *slots)
{
    const struct insn *insn = insn_at(p, pc);
    for (unsigned i = 0; i < insn->nsrc; i++) {
        const struct operand *operand = insn_source(insn, i);
        bool is_distance = depth > 0 && insn->op == OP_SHL && i == 1;
        if (operand->kind == OPERAND_IMMEDIATE && !is_zero(operand) && !is_distance)
            add_slot(slots, NOWHERE);
        uint32_t root = root_of(p, pc, operand), from = definition_of(p, pc, operand);
        bool is_part = from != NOWHERE && p->views[from].fold == VIEW_ADDRESS && depth < DEEPEST;
        if (root != NOWHERE)
            add_slot(slots, root);
        else if (is_part && !is_copy(insn_at(p, from)))
            gather(p, from, depth + 1, slots);
    }
}

static void move_to_register(struct planner *p, uint32_t root)
{
    if (root == NOWHERE || p->views[root].fold != VIEW_ADDRESS) return;
    p->views[root].fold = VIEW_PLAIN;
    become(p, root, one_move);
}

static bool takes_one_constant(const struct planner *p, uint32_t pc)
{
    const struct insn *insn = insn_at(p, pc);
    const struct insn_view *view = &p->views[pc];
    unsigned family = op_infos[insn->op].family;
    bool is_one = !view->is_sequence || (view->parts[0].count == 1 && !view->parts[1].count);
    return family <= FAMILY_SELECT && family != FAMILY_DIV && view->fold == VIEW_PLAIN && is_one &&
           bits_of(insn) <= 32 && insn->mul_part != MUL_WIDE;
}

/* Immediates stay where they are, as does the last one else. */
static void limit_constants(struct planner *p, uint32_t pc)
{
    struct slots slots = {.count = 0};
    gather(p, pc, 0, &slots);
    unsigned left = slots.count;
    for (unsigned i = 0; i < slots.count && left > 1; i++) {
        uint32_t root = slots.from[i];
        if (root == NOWHERE) continue;
        for (unsigned k = i; k < slots.count; k++) {
            if (slots.from[k] != root) continue;
            slots.from[k] = NOWHERE;
            left--;
        }
        move_to_register(p, root);
    }
}

void native_plan_constants(struct planner *p)
{
    for (uint32_t pc = 0; pc < p->launch->insn_count; pc++) {
        const struct insn *insn = insn_at(p, pc);
        bool is_access =
            insn->op == OP_LD || insn->op == OP_ST || insn->op == OP_ATOM || insn->op == OP_RED;
        if (takes_one_constant(p, pc)) limit_constants(p, pc);
        if (!is_access || p->views[pc].fold != VIEW_PLAIN || p->views[pc].is_sequence) continue;
        for (unsigned i = 0; i < insn->nsrc; i++) {
            struct operand operand = *insn_source(insn, i);
            if (operand.kind == OPERAND_ADDRESS && operand.reg >= 0)
                operand.kind = OPERAND_REGISTER;
            move_to_register(p, root_of(p, pc, &operand));
        }
    }
}
