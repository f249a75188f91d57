// SPDX-License-Identifier: Apache-2.0
/* mbarrier objects of sm_90 (emulate/mbarrier.h). Code of sm_80 works on them with ordinary loads, stores and
 * atomics, and ATOMS.ARRIVE (lower_atomic.c). Operands of an instruction: rows_memory.def. */
#include "decode/native/lower.h"

static void begin(struct lowering *l, enum ptx_op op)
{
    lower_to(l, op, TYPE_B64);
    l->out->space = SPACE_SHARED;
}

/* d, [a], b: how much arrives (A) and how many bytes are expected (T): 0, 1, or b (R); X: they have come. PTX's
 * operation for each; .OPTOUT also expects so many fewer later. */
static bool lower_arrive(struct lowering *l)
{
    static const struct {
        const char *word;
        uint16_t op;
        bool has_count;
    } counts[] = {{"A1T0", OP_MBARRIER_ARRIVE, false},
                  {"ART0", OP_MBARRIER_ARRIVE, true},
                  {"A0T1", OP_MBARRIER_EXPECT_TX, false},
                  {"A0TR", OP_MBARRIER_EXPECT_TX, true},
                  {"A0TX", OP_MBARRIER_COMPLETE_TX, true}};
    enum ptx_op op = OP_MBARRIER_ARRIVE;
    bool has_count = true, expects = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (!has(l, counts[i].word)) continue;
        op = (enum ptx_op)counts[i].op;
        has_count = counts[i].has_count;
        expects = false;
    }
    if (has(l, "OPTOUT") && op != OP_MBARRIER_ARRIVE) return false;
    begin(l, has(l, "OPTOUT") ? OP_MBARRIER_ARRIVE_DROP : op);
    if (expects) l->out->flags |= INSN_EXPECT_TX;
    if (has(l, "TMASK")) l->out->modifiers = NM_SERVED;
    if (lower_operand(l, 0)->number != NATIVE_RZ) to_pair(l, 0);
    from_address(l, 1);
    if (has_count)
        from_value(l, 2);
    else
        from_number(l, 1);
    return true;
}

/* p, [a], b: whether the phase of a state whose upper half is b has ended */
static bool lower_phase_check(struct lowering *l)
{
    begin(l, has(l, "TRYWAIT") ? OP_MBARRIER_TRY_WAIT : OP_MBARRIER_TEST_WAIT);
    to_predicate(l, 0);
    from_address(l, 1);
    from_value(l, 2);
    return true;
}

/* SYNCS.EXCH.64 URZ, [a], b: the object becomes b, for all lanes at once. Nothing else is made of it. */
static bool lower_init(struct lowering *l)
{
    const struct native_operand *to = lower_operand(l, 0);
    if (to->kind != NATIVE_UNIFORM || to->number != NATIVE_URZ) return false;
    begin(l, OP_MBARRIER_INIT);
    l->out->flags |= INSN_UNI;
    from_address(l, 1);
    from_pair(l, 2);
    return true;
}

/* SYNCS.CCTL.IV [a]; .IVALL is about caches */
static bool lower_inval(struct lowering *l)
{
    if (has(l, "IVALL")) return lower_nop(l);
    if (!has(l, "IV")) return false;
    begin(l, OP_MBARRIER_INVAL);
    from_address(l, 0);
    return true;
}

bool lower_syncs(struct lowering *l)
{
    return has(l, "ARRIVE")     ? lower_arrive(l)
           : has(l, "PHASECHK") ? lower_phase_check(l)
           : has(l, "EXCH")     ? lower_init(l)
                                : lower_inval(l);
}

/* ARRIVES.LDGSTSBAR.64 [a]: an arrival when the copies are done, which they are at once. sm_90: .ARVCNT, or .TRANSCNT, which
 * undoes an A0T1; before, at an object of sm_80. */
bool lower_arrives(struct lowering *l)
{
    if (l->target < 90) {
        lower_to(l, OP_RED, TYPE_U64);
        l->out->atom_op = ATOM_ARRIVE;
        l->out->space = SPACE_SHARED;
        l->out->semantics = MEM_RELAXED;
    } else if (has(l, "TRANSCNT")) {
        begin(l, OP_MBARRIER_COMPLETE_TX);
    } else if (has(l, "ARVCNT")) {
        begin(l, OP_MBARRIER_ARRIVE);
    } else {
        return false;
    }
    from_address(l, 0);
    from_number(l, 1);
    return true;
}

/* RPCMOV.32 Rpc.HI, b and d, Rpc.LO: a register of 64 bits that keeps values */
bool lower_rpcmov(struct lowering *l)
{
    const struct native_operand *to = lower_operand(l, 0);
    bool writes = to->kind == NATIVE_WORDS;
    lower_to(l, OP_MOV, TYPE_B32);
    if (writes) {
        to_vreg(l, VREG_RPC + operand_has(to, "HI"));
        from_value(l, 1);
    } else {
        to_register(l, 0);
        from_vreg(l, VREG_RPC + operand_has(lower_operand(l, 1), "HI"), WIDTH_ONE);
    }
    return true;
}
