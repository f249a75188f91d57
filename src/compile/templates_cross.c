// SPDX-License-Identifier: Apache-2.0
/* Operations of whole warps between lanes: shuffles whose lanes are known, and votes. */
#include <string.h>

#include "base/arena.h"
#include "compile/body.h"

/* ---- operands that are the same in all lanes ------------------------------------------------- */

/* What the only mov of a constant to the register writes; REF_NONE: there is none. Others may write it, too. */
static operand_ref find_moved(const struct body *b, int32_t vreg)
{
    const struct program *program = b->program;
    const struct function *function =
        program->view.code_blocks[b->path->steps[b->step].code_block].function;
    for (uint32_t i = 0; i < program->code_count; i++) {
        const struct code *code = &program->code[i];
        if (program->view.code_blocks[i].function != function) continue;
        for (uint32_t k = 0; k < code->uop_count; k++) {
            const struct uop *u = &code->uops[k];
            bool is_moved = u->is_whole_insn && u->insn->op == OP_MOV && u->guard == REF_NONE &&
                            u->dst_bits == 32 && u->src[0] >> 30 == BASE_POOL;
            if (is_moved && insn_operand(u->insn, 0)->reg == vreg) return u->src[0];
        }
    }
    return REF_NONE;
}

/* Where the pool has 32 lanes of what source k probably is. */
static operand_ref find_assumed(const struct body *b, const struct uop *u, unsigned k)
{
    if (u->src[k] >> 30 == BASE_POOL) return u->src[k];
    return find_moved(b, insn_source(u->insn, k)->reg);
}

static bool assume(const struct body *b, const struct uop *u, unsigned k, uint32_t *out)
{
    uint64_t lanes;
    if (!value_constant(b, find_assumed(b, u, k), &lanes)) return false;
    *out = (uint32_t)lanes;
    return true;
}

/* Adds to k1 the lanes whose source k is another. */
static void emit_difference(struct body *b, const struct uop *u, unsigned k, operand_ref assumed)
{
    enum { NOT_EQUAL = 4, BAD = 1, OTHER = 2 };
    struct source source = value_source(b, u->src[k], 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned reg = value_in_register(b, source.chunks[c], SCRATCH);
        struct x86_place with = assumed == REF_NONE ? CONSTANT(all_ones) : value_slot(assumed, c);
        x86_vector(b->a, X86_COMPARE_U32, OTHER, reg, with, 0, NOT_EQUAL);
        x86_mask_or(b->a, BAD, BAD, OTHER);
    }
}

void cross_test(struct body *b, const struct uop *u)
{
    unsigned members = u->insn->nsrc - 1u;
    emit3(b, X86_XOR_32, SCRATCH, SCRATCH, x86_reg(SCRATCH));
    emit2(b, X86_SIGNS_32, 1, x86_reg(SCRATCH));
    if (u->src[members] >> 30 != BASE_POOL) emit_difference(b, u, members, REF_NONE);
    for (unsigned k = 1; u->insn->op == OP_SHFL && k < 3; k++) {
        operand_ref assumed = find_assumed(b, u, k);
        bool is_open = u->src[k] >> 30 != BASE_POOL && assumed != REF_NONE;
        if (is_open) emit_difference(b, u, k, assumed);
    }
}

/* ---- shuffles -------------------------------------------------------------------------------- */

/* Where each lane's value comes from, its own where that is out of range, and for which lanes it is not. */
struct shuffled {
    uint32_t *from, valid;
};

/* As shfl_any in emulate/sem_cross.h has it, of a lane and a clamp that are the same everywhere. */
static struct shuffled find_lanes(struct body *b, unsigned how, uint32_t by, uint32_t clamp)
{
    struct shuffled all = {ARENA_ARRAY(b->arena, uint32_t, WARP_LANES), 0};
    uint32_t last = clamp & 31, segment = clamp >> 8 & 31, lane = by & 31;
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        uint32_t low = i & segment, high = low | (last & ~segment);
        uint32_t from = how == SUB_UP     ? i - lane
                        : how == SUB_DOWN ? i + lane
                        : how == SUB_BFLY ? i ^ lane
                                          : low | (lane & ~segment);
        bool ok = how == SUB_UP ? (int32_t)from >= (int32_t)high : from <= high;
        all.from[i] = ok ? from & 31 : i;
        all.valid |= (uint32_t)ok << i;
    }
    return all;
}

/* Lanes whose source does not take part keep their own value. */
static void emit_shuffled(struct body *b, const struct uop *u, const uint32_t *from)
{
    enum { TAKES_PART = 1, LANES = SCRATCH, FIRST = SCRATCH + 1 };
    const struct x86_place masks = OF_EXEC(lane_mask);
    struct source source = value_source(b, u->src[0], 4);
    struct result result = value_begin(b, 4);
    x86_load_imm(b->a, RAX, (uintptr_t)from);
    for (unsigned c = 0; c < 2; c++) {
        struct x86_place second = masks, lanes = x86_at(RAX, (int32_t)(VECTOR_BYTES * c));
        second.offset += VECTOR_BYTES;
        emit2(b, X86_MOVE, LANES, lanes);
        emit2(b, X86_MOVE, FIRST, masks);
        emit3(b, X86_PICK_32, LANES, FIRST, second);
        emit2(b, X86_SIGNS_32, TAKES_PART, x86_reg(LANES));
        emit2(b, X86_MOVE, LANES, lanes);
        emit3(b, X86_PICK_32, LANES, value_in_register(b, source.chunks[0], FIRST),
              source.chunks[1]);
        emit2(b, X86_MOVE, result.regs[c], source.chunks[c]);
        x86_vector(b->a, X86_MOVE, result.regs[c], 0, x86_reg(LANES), TAKES_PART, -1);
    }
    value_finish(b, 0, &result, 4, false);
}

static bool shuffle(struct body *b, const struct uop *u)
{
    uint32_t by, clamp;
    if (!assume(b, u, 1, &by) || !assume(b, u, 2, &clamp)) return false;
    struct shuffled all = find_lanes(b, u->insn->sub_op, by, clamp);
    if (u->dst[0] != REF_NONE) emit_shuffled(b, u, all.from);
    x86_load_imm(b->a, RAX, all.valid);
    emit_store_predicate(b, u->dst[1], RAX);
    return true;
}

/* ---- votes ----------------------------------------------------------------------------------- */

static bool vote(struct body *b, const struct uop *u)
{
    unsigned how = u->insn->sub_op;
    if (how != SUB_ALL && how != SUB_ANY && how != SUB_BALLOT) return false;
    emit_predicate(b, u, 0, RAX);
    x86_scalar(b->a, false, X86_AND, RAX, OF_EXEC(mask));
    if (how == SUB_BALLOT) {
        struct result result = value_begin(b, 4);
        for (unsigned c = 0; c < 2; c++)
            emit2(b, X86_SPREAD_32, result.regs[c], x86_reg(RAX));
        value_finish(b, 0, &result, 4, false);
        return true;
    }
    x86_load_imm(b->a, RDX, UINT32_MAX);
    x86_load_imm(b->a, RCX, 0);
    if (how == SUB_ALL)
        x86_scalar(b->a, false, X86_CMP, RAX, OF_EXEC(mask));
    else
        x86_scalar(b->a, false, X86_TEST, RAX, x86_reg(RAX));
    x86_scalar(b->a, false, X86_CMOV | (how == SUB_ALL ? X86_EQUAL : X86_NOT_EQUAL), RCX,
               x86_reg(RDX));
    x86_scalar(b->a, false, X86_LOAD, RAX, x86_reg(RCX));
    emit_store_predicate(b, u->dst[0], RAX);
    return true;
}

bool template_cross(struct body *b, const struct uop *u)
{
    switch (u->insn->op) {
    case OP_SHFL:
        return shuffle(b, u);
    case OP_VOTE:
        return vote(b, u);
    default:
        return u->insn->op == OP_BAR && u->insn->sub_op == SUB_WARP_SYNC;
    }
}
