// SPDX-License-Identifier: Apache-2.0
/* Branches, barriers, warps, special registers. Operands of an instruction: rows_control.def. */
#include <string.h>

#include "decode/native/lower.h"

enum { SM_WARPS_90 = 64 /* %nwarpid; for earlier targets ptxas writes the number itself */ };

static bool is_plain(const struct native_operand *predicate)
{
    return !predicate || (predicate->number == NATIVE_PT && !predicate->invert);
}

/* ---- branches -------------------------------------------------------------------------------- */

/* Where it goes is found by native_module.c, which knows where instructions lie. */
static bool branch_if(struct lowering *l, enum ptx_op plain, enum ptx_op conditional)
{
    unsigned condition = l->in->operand_count;
    for (unsigned k = 0; lower_find(l, true, k) < l->in->operand_count; k++) {
        unsigned i = lower_find(l, true, k);
        if (is_plain(lower_operand(l, i))) continue;
        if (condition < l->in->operand_count) return false; /* two besides the guard */
        condition = i;
    }
    bool is_always = condition == l->in->operand_count;
    lower_to(l, is_always ? plain : conditional, TYPE_NONE);
    if (!is_always) from_predicate(l, condition);
    if (is_always && plain == conditional) from_true(l, true);
    return true;
}

/* BRA.DIV ~ur, target: the lanes that should be active; without them all of the warp */
static bool branch_by_lanes(struct lowering *l, enum ptx_op op)
{
    const struct native_operand *lanes = lower_operand(l, lower_find(l, false, 0));
    if (!is_plain(lower_operand(l, lower_find(l, true, 0)))) return false;
    lower_to(l, op, TYPE_B32);
    if (lanes && lanes->kind == NATIVE_UNIFORM) {
        l->out->modifiers = lanes->invert ? UINT32_MAX : 0;
        from_value(l, lower_find(l, false, 0));
        l->out->operands[0].negate = false;
    } else {
        from_number(l, UINT32_MAX);
    }
    return true;
}

bool lower_bra(struct lowering *l)
{
    if (has(l, "ANY")) return branch_if(l, OP_N_BRANCH_ANY, OP_N_BRANCH_ANY);
    if (has(l, "DIV")) return branch_by_lanes(l, OP_N_BRANCH_DIV);
    if (has(l, "CONV")) return branch_by_lanes(l, OP_N_BRANCH_CONV);
    return branch_if(l, OP_BRA, OP_N_BRANCH);
}

bool lower_exit(struct lowering *l)
{
    return branch_if(l, OP_EXIT, OP_N_EXIT);
}

/* To an address in a pair of registers, plus the target that stands there; without registers a branch, or, to a
 * function that the engine has itself, a jump to where that lies. The return address is put into registers by instructions of their own. */
static bool lower_to_address(struct lowering *l, bool is_relative)
{
    for (unsigned i = 0; i < l->in->operand_count; i++) {
        const struct native_operand *operand = lower_operand(l, i);
        if (operand->kind == NATIVE_PREDICATE && !is_plain(operand)) return false;
        if (operand->kind == NATIVE_TARGET) l->out->modifiers = operand->value;
        if (operand->role == 'D')
            l->out->modifiers =
                operand->value + (is_relative ? (int64_t)l->pc + NATIVE_WORD_BYTES : 0);
        if (operand->kind != NATIVE_REGISTER && operand->kind != NATIVE_UNIFORM) continue;
        lower_to(l, OP_N_JUMP, TYPE_B64);
        from_pair(l, i);
    }
    bool is_direct = !l->out->nsrc, is_builtin = (uint64_t)l->out->modifiers >= NATIVE_BUILTINS;
    if (is_direct) lower_to(l, is_builtin ? OP_N_JUMP : OP_BRA, is_builtin ? TYPE_B64 : TYPE_NONE);
    if (is_direct && is_builtin) from_wide_number(l, 0);
    return true;
}

bool lower_jump(struct lowering *l)
{
    return lower_to_address(l, true);
}

bool lower_jump_absolute(struct lowering *l)
{
    return lower_to_address(l, false);
}

bool lower_nop(struct lowering *l)
{
    lower_to(l, OP_N_NOP, TYPE_NONE);
    return true;
}

bool lower_trap(struct lowering *l)
{
    lower_to(l, OP_TRAP, TYPE_NONE);
    return true;
}

/* Its own address, or that of an instruction that is named. Code that ptxas makes for a call of vprintf adds the
 * distance from LEPC itself to where the call returns. */
bool lower_lepc(struct lowering *l)
{
    uint64_t address = l->pc;
    for (unsigned i = 0; i < l->in->operand_count; i++)
        if (lower_operand(l, i)->kind == NATIVE_TARGET)
            address = (uint64_t)lower_operand(l, i)->value;
    lower_to(l, OP_MOV, TYPE_B32);
    l->out->vector = 2;
    to_registers(l, 0, 2);
    from_number(l, address & UINT32_MAX);
    from_number(l, address >> 32);
    return true;
}

/* ---- convergence ----------------------------------------------------------------------------- */

static int32_t barrier_of(const struct lowering *l)
{
    for (unsigned i = 0; i < l->in->operand_count; i++)
        if (lower_operand(l, i)->kind == NATIVE_BARRIER)
            return VREG_B + lower_operand(l, i)->number;
    return VREG_B;
}

bool lower_bssy(struct lowering *l)
{
    lower_to(l, OP_N_BSSY, TYPE_B32);
    to_vreg(l, barrier_of(l));
    return true;
}

bool lower_bsync(struct lowering *l)
{
    lower_to(l, OP_N_BSYNC, TYPE_B32);
    from_vreg(l, barrier_of(l), WIDTH_ONE);
    return true;
}

bool lower_break(struct lowering *l)
{
    unsigned condition = lower_find(l, true, 0);
    lower_to(l, OP_N_BREAK, TYPE_B32);
    to_vreg(l, barrier_of(l));
    if (condition < l->in->operand_count)
        from_predicate(l, condition);
    else
        from_true(l, true);
    return true;
}

/* BMOV d, b and b, a; .CLEAR empties b. */
bool lower_bmov(struct lowering *l)
{
    const struct native_operand *to = lower_operand(l, 0), *from = lower_operand(l, 1);
    if (!to || !from || has(l, "64")) return false;
    if (to->kind == NATIVE_BARRIER) {
        lower_to(l, OP_MOV, TYPE_B32);
        to_vreg(l, VREG_B + to->number);
        from_value(l, 1);
        return true;
    }
    if (from->kind != NATIVE_BARRIER) return false;
    lower_to(l, OP_MOV, TYPE_B32);
    to_register(l, 0);
    if (has(l, "CLEAR")) {
        l->out->vector = 2;
        to_vreg(l, VREG_B + from->number);
    }
    from_vreg(l, VREG_B + from->number, WIDTH_ONE);
    if (has(l, "CLEAR")) from_number(l, 0);
    return true;
}

/* WARPSYNC.COLLECTIVE mask, target */
static bool lower_collective(struct lowering *l)
{
    lower_to(l, OP_N_COLLECTIVE, TYPE_B32);
    for (unsigned i = 0; i < l->in->operand_count; i++)
        if (lower_operand(l, i)->kind == NATIVE_TARGET)
            l->out->modifiers = lower_operand(l, i)->value;
    to_vreg(l, VREG_COLLECTIVE);
    if (has(l, "ALL"))
        from_number(l, UINT32_MAX);
    else
        from_value(l, lower_find(l, false, 0));
    return true;
}

bool lower_endcollective(struct lowering *l)
{
    lower_to(l, OP_N_JUMP, TYPE_B64);
    from_vreg(l, VREG_COLLECTIVE, WIDTH_PAIR);
    return true;
}

/* WARPSYNC mask; .EXCLUSIVE: lanes that name others go on apart from them */
bool lower_warpsync(struct lowering *l)
{
    unsigned mask = lower_find(l, false, 0);
    if (has(l, "COLLECTIVE")) return lower_collective(l);
    lower_to(l, OP_BAR, TYPE_B32);
    l->out->modifiers = has(l, "EXCLUSIVE") ? NM_EXCLUSIVE : 0;
    l->out->sub_op = SUB_WARP_SYNC;
    l->out->flags |= INSN_SYNC;
    if (has(l, "ALL"))
        from_number(l, UINT32_MAX);
    else if (mask < l->in->operand_count)
        from_value(l, mask);
    else
        return false;
    return true;
}

/* ---- the block's barriers -------------------------------------------------------------------- */

/* BAR.SYNC id [, threads]; BAR.ARV; BAR.RED.OR id [, threads], p: B2R.RESULT gets the result. Where both are
 * registers it is one that holds the number below and the count in its upper half. */
bool lower_bar(struct lowering *l)
{
    unsigned id = lower_find(l, false, 0), threads = lower_find(l, false, 1);
    bool reduces = has(l, "RED");
    lower_to(l, OP_BAR, TYPE_U32);
    l->out->sub_op = has(l, "ARV")    ? SUB_ARRIVE
                     : !reduces       ? SUB_SYNC
                     : has(l, "POPC") ? SUB_RED_POPC
                     : has(l, "AND")  ? SUB_RED_AND
                                      : SUB_RED_OR;
    if (has(l, "SCAN") || has(l, "SYNCALL")) return false;
    if (reduces) to_vreg(l, has(l, "POPC") ? VREG_BARRIER_COUNT : VREG_BARRIER_TRUE);
    if (id < l->in->operand_count)
        from_value(l, id);
    else
        from_number(l, 0);
    bool counts = threads < l->in->operand_count && !lower_operand(l, threads)->is_hidden;
    if (counts) from_value(l, threads);
    if (counts && lower_operand(l, id)->kind == NATIVE_REGISTER &&
        lower_operand(l, threads)->kind == NATIVE_REGISTER) {
        struct operand *both = &l->out->operands[l->out->ndst];
        both[0].select = VALUE_BYTE;
        both[1].select = VALUE_HALF | 16 << VALUE_SHIFT_AT;
    }
    if (reduces && !counts) from_nothing(l);
    if (reduces) from_predicate(l, lower_find(l, true, 0));
    return true;
}

/* B2R.RESULT d, p */
bool lower_b2r(struct lowering *l)
{
    unsigned to = lower_find(l, false, 0), predicate = lower_find(l, true, 0);
    if (!has(l, "RESULT")) return false;
    lower_to(l, OP_N_B2R, TYPE_B32);
    to_register(l, to);
    if (predicate < l->in->operand_count)
        to_predicate(l, predicate);
    else
        to_no_predicate(l);
    from_vreg(l, VREG_BARRIER_COUNT, WIDTH_ONE);
    from_vreg(l, VREG_BARRIER_TRUE, WIDTH_PREDICATE);
    return true;
}

/* ---- across lanes ---------------------------------------------------------------------------- */

/* SHFL.UP p, d, a, b, c */
bool lower_shfl(struct lowering *l)
{
    lower_to(l, OP_SHFL, TYPE_B32);
    l->out->sub_op = has(l, "UP")     ? SUB_UP
                     : has(l, "DOWN") ? SUB_DOWN
                     : has(l, "BFLY") ? SUB_BFLY
                                      : SUB_IDX;
    to_register(l, 1);
    to_predicate(l, 0);
    for (unsigned i = 2; i < 5; i++)
        from_value(l, i);
    return true;
}

/* VOTE.ANY d, p, p */
bool lower_vote(struct lowering *l)
{
    unsigned to = lower_find(l, false, 0);
    lower_to(l, OP_N_VOTE, TYPE_B32);
    l->out->modifiers = has(l, "ALL") ? SUB_ALL : has(l, "EQ") ? SUB_UNI : SUB_ANY;
    l->out->modifiers = (int64_t)((uint64_t)l->out->modifiers << NM_VALUE_AT);
    l->reads_lanes = true;
    if (to < l->in->operand_count)
        to_register(l, to);
    else
        to_nowhere(l);
    to_predicate(l, lower_find(l, true, 0));
    from_predicate(l, lower_find(l, true, 1));
    return true;
}

/* MATCH.ANY d, a; MATCH.ALL p, d, a */
bool lower_match(struct lowering *l)
{
    unsigned to = lower_find(l, false, 0), from = lower_find(l, false, 1);
    unsigned predicate = lower_find(l, true, 0);
    bool is_wide = has(l, "U64");
    if (from == l->in->operand_count) return false;
    lower_to(l, OP_MATCH, is_wide ? TYPE_B64 : TYPE_B32);
    l->out->sub_op = has(l, "ALL") ? SUB_ALL : SUB_ANY;
    to_register(l, to);
    if (predicate < l->in->operand_count)
        to_predicate(l, predicate);
    else
        to_no_predicate(l);
    if (is_wide)
        from_pair(l, from);
    else
        from_value(l, from);
    return true;
}

/* REDUX.SUM ud, a */
bool lower_redux(struct lowering *l)
{
    static const struct {
        const char *word;
        uint8_t sub_op;
    } kinds[] = {{"SUM", SUB_ADD}, {"MIN", SUB_MIN}, {"MAX", SUB_MAX},
                 {"AND", SUB_AND}, {"OR", SUB_OR},   {"XOR", SUB_XOR}};
    unsigned kind = SUB_AND; /* what is written without a word */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (has(l, kinds[i].word)) kind = kinds[i].sub_op;
    lower_to(l, OP_N_REDUX, has(l, "S32") ? TYPE_S32 : TYPE_U32);
    l->out->sub_op = (uint8_t)kind;
    l->reads_lanes = true;
    to_register(l, 0);
    from_value(l, 1);
    return true;
}

/* R2UR ud, a; R2UR p, ud, a and R2UR.OR p, ud, a, in loops that serve one value after the other: p tells the lanes
 * whose value is another one. Established from such loops (createpolicy of lanes, sm_90), which end when p holds
 * nowhere. */
bool lower_r2ur(struct lowering *l)
{
    unsigned to = lower_find(l, false, 0), from = lower_find(l, false, 1);
    unsigned p = lower_find(l, true, 0);
    bool tells = names_predicate(l, p);
    lower_to(l, tells ? OP_N_R2UR_P : OP_N_R2UR, TYPE_B32);
    l->reads_lanes = true;
    l->out->modifiers = has(l, "OR") ? NM_X : 0;
    to_register(l, to);
    if (tells) to_predicate(l, p);
    from_value(l, from);
    if (tells) from_predicate(l, p);
    return true;
}

/* ELECT p, ud, condition and ELECT p, ud, mask */
bool lower_elect(struct lowering *l)
{
    unsigned condition = lower_find(l, true, 1), mask = lower_find(l, false, 1);
    lower_to(l, OP_N_ELECT, TYPE_B32);
    l->reads_lanes = true;
    to_register(l, lower_find(l, false, 0));
    to_predicate(l, lower_find(l, true, 0));
    if (condition < l->in->operand_count)
        from_predicate(l, condition);
    else
        from_true(l, true);
    if (mask < l->in->operand_count)
        from_value(l, mask);
    else
        from_number(l, UINT32_MAX);
    return true;
}

/* ---- special registers ----------------------------------------------------------------------- */

static int special_of(const struct lowering *l, unsigned i)
{
    static const struct {
        const char *name;
        int special;
    } names[] = {
        {"SR_TID.X", SREG_TID_X},
        {"SR_TID.Y", SREG_TID_Y},
        {"SR_TID.Z", SREG_TID_Z},
        {"SR_CTAID.X", SREG_CTAID_X},
        {"SR_CTAID.Y", SREG_CTAID_Y},
        {"SR_CTAID.Z", SREG_CTAID_Z},
        {"SR_NTID", SREG_NTID_X},
        {"SR_LANEID", SREG_LANEID},
        {"SR_VIRTUALSMID", SREG_SMID},
        {"SR_EQMASK", SREG_LANEMASK_EQ},
        {"SR_LTMASK", SREG_LANEMASK_LT},
        {"SR_LEMASK", SREG_LANEMASK_LE},
        {"SR_GTMASK", SREG_LANEMASK_GT},
        {"SR_GEMASK", SREG_LANEMASK_GE},
        {"SR_CLOCKLO", SREG_CLOCK},
        {"SR_CLOCKHI", SREG_CLOCK_HI},
        {"SR_GLOBALTIMERLO", SREG_GLOBALTIMER_LO},
        {"SR_GLOBALTIMERHI", SREG_GLOBALTIMER_HI},
        {"SR_CgaCtaId", SREG_CLUSTER_CTARANK},
        {"SR_SMEMSZ", SREG_TOTAL_SMEM_SIZE},
    };
    const struct native_operand *operand = lower_operand(l, i);
    const char *name = operand ? native_special_name(l->target, (unsigned)operand->value) : NULL;
    for (size_t k = 0; name && k < sizeof names / sizeof *names; k++)
        if (!strcmp(name, names[k].name)) return names[k].special;
    return -1;
}

static bool names_special(const struct lowering *l, unsigned i, const char *text)
{
    const struct native_operand *operand = lower_operand(l, i);
    const char *name = operand ? native_special_name(l->target, (unsigned)operand->value) : NULL;
    return name && !strcmp(name, text);
}

/* The warp's number stands from bit 8 on. */
static bool lower_virtual_id(struct lowering *l)
{
    lower_to(l, OP_SHL, TYPE_B32);
    to_register(l, 0);
    from_special(l, SREG_WARPID);
    from_number(l, 8);
    return true;
}

/* d, special */
bool lower_s2r(struct lowering *l)
{
    int special = special_of(l, 1);
    bool is_window = names_special(l, 1, "SR_SWINHI"), is_limit = names_special(l, 1, "SR_VIRTCFG");
    bool is_stack_end = names_special(l, 1, "SR_LMEMHIOFF"); /* -G: R1 may be no less */
    if (names_special(l, 1, "SR_VIRTID")) return lower_virtual_id(l);
    if (special < 0 && !is_window && !is_limit && !is_stack_end) return false;
    if (special == SREG_TOTAL_SMEM_SIZE && l->target >= 80) special = SREG_AGGR_SMEM_SIZE;
    lower_to(l, OP_MOV, TYPE_B32);
    to_register(l, 0);
    if (is_window)
        from_number(l, SHARED_WINDOW_HIGH >> 32);
    else if (is_limit)
        from_number(l, SM_WARPS_90 << 8);
    else if (is_stack_end)
        from_number(l, 0);
    else
        from_special(l, (enum special_register)special);
    return true;
}

/* d, special: of 64 bits, but .32; SRZ is zero, and so are the counters of performance */
bool lower_cs2r(struct lowering *l)
{
    const struct native_operand *from = lower_operand(l, 1);
    const char *name = from ? native_special_name(l->target, (unsigned)from->value) : NULL;
    bool is_zero = name && (!strcmp(name, "SRZ") || !strncmp(name, "SR_PM", 5));
    bool is_timer = name && !strncmp(name, "SR_GLOBALTIMER", 14);
    bool is_clock = name && !strncmp(name, "SR_CLOCK", 8);
    if (has(l, "32") && !is_zero) return lower_s2r(l);
    if (!is_zero && !is_timer && !is_clock) return false;
    lower_to(l, OP_MOV, TYPE_B32);
    unsigned count = has(l, "32") ? 1 : 2;
    l->out->vector = (uint8_t)count;
    to_registers(l, 0, count);
    if (is_zero)
        for (unsigned i = 0; i < count; i++)
            from_number(l, 0);
    else {
        from_special(l, is_timer ? SREG_GLOBALTIMER_LO : SREG_CLOCK);
        from_special(l, is_timer ? SREG_GLOBALTIMER_HI : SREG_CLOCK_HI);
    }
    return true;
}
