// SPDX-License-Identifier: Apache-2.0
/* Operations of the lanes of a warp together: PTX ISA 9.7.9 (shfl) and 9.7.13 (vote, match, redux). */
#include "reference/scalar.h"
#include "reference/thread.h"

static bool is_warp_barrier(const struct insn *insn)
{
    return insn->op == OP_BAR && insn->sub_op == SUB_WARP_SYNC;
}

bool thread_is_collective(const struct insn *insn)
{
    return insn->op == OP_SHFL || insn->op == OP_VOTE || insn->op == OP_MATCH ||
           insn->op == OP_REDUX || insn->op == OP_ACTIVEMASK || is_warp_barrier(insn) ||
           thread_moves_matrices(insn);
}

uint32_t thread_members(struct thread *thread)
{
    const struct insn *insn = thread->waits;
    /* Used where the whole warp is together only. */
    if (insn->op == OP_ACTIVEMASK || insn->nsrc == 0 || thread_moves_matrices(insn))
        return UINT32_MAX;
    return (uint32_t)thread_read(thread, insn_source(insn, insn->nsrc - 1u), TYPE_B32);
}

static bool is_member(uint32_t members, uint32_t lane)
{
    return lane < REFERENCE_WARP && members >> lane & 1;
}

static uint64_t source(struct thread *thread, const struct insn *insn, unsigned k, unsigned type)
{
    return thread_read(thread, insn_source(insn, k), type);
}

/* The values of one source in all members, read before any destination is written. */
static void gather(struct thread *warp, uint32_t members, const struct insn *insn, unsigned type,
                   uint64_t *values)
{
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
        if (is_member(members, lane)) values[lane] = source(&warp[lane], insn, 0, type);
}

static void write_result(struct thread *thread, const struct insn *insn, uint64_t d, bool p)
{
    thread_write(thread, &insn->operands[0], d);
    if (insn->ndst > 1) thread_write(thread, &insn->operands[1], p);
}

/* The pseudo code of the ISA, by its names. */
static uint32_t shuffle_source(const struct insn *insn, uint32_t lane, uint64_t b, uint64_t c,
                               bool *in_range)
{
    uint32_t bval = b & 31, cval = c & 31, segmask = c >> 8 & 31;
    uint32_t max_lane = (lane & segmask) | (cval & ~segmask), min_lane = lane & segmask, j;
    switch (insn->sub_op) {
    case SUB_UP:
        j = lane - bval;
        *in_range = (int32_t)j >= (int32_t)max_lane;
        break;
    case SUB_DOWN:
        j = lane + bval;
        *in_range = j <= max_lane;
        break;
    case SUB_BFLY:
        j = lane ^ bval;
        *in_range = j <= max_lane;
        break;
    default:
        j = min_lane | (bval & ~segmask);
        *in_range = j <= max_lane;
        break;
    }
    return *in_range ? j : lane;
}

static void shuffle(struct thread *warp, uint32_t members, const struct insn *insn)
{
    uint64_t values[REFERENCE_WARP] = {0};
    gather(warp, members, insn, TYPE_B32, values);
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++) {
        bool in_range;
        if (!is_member(members, lane)) continue;
        uint64_t b = source(&warp[lane], insn, 1, TYPE_U32);
        uint64_t c = source(&warp[lane], insn, 2, TYPE_U32);
        uint32_t from = shuffle_source(insn, lane, b, c, &in_range);
        if (!is_member(members, from))
            thread_fault(&warp[lane], insn, "shuffles from a lane that does not take part");
        write_result(&warp[lane], insn, values[from & 31], in_range);
    }
}

static void vote(struct thread *warp, uint32_t members, const struct insn *insn)
{
    uint64_t values[REFERENCE_WARP] = {0};
    uint32_t ballot = 0;
    gather(warp, members, insn, TYPE_PRED, values);
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
        if (is_member(members, lane) && values[lane]) ballot |= 1u << lane;
    uint64_t d = insn->sub_op == SUB_ALL   ? ballot == members
                 : insn->sub_op == SUB_ANY ? ballot != 0
                 : insn->sub_op == SUB_UNI ? ballot == members || ballot == 0
                                           : ballot;
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
        if (is_member(members, lane)) thread_write(&warp[lane], &insn->operands[0], d);
}

static void match(struct thread *warp, uint32_t members, const struct insn *insn)
{
    uint64_t values[REFERENCE_WARP] = {0};
    gather(warp, members, insn, insn->type, values);
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++) {
        uint32_t same = 0;
        if (!is_member(members, lane)) continue;
        for (uint32_t other = 0; other < REFERENCE_WARP; other++)
            if (is_member(members, other) && values[other] == values[lane]) same |= 1u << other;
        bool all = same == members;
        write_result(&warp[lane], insn, insn->sub_op == SUB_ALL && !all ? 0 : same, all);
    }
}

static uint64_t reduced(const struct insn *insn, uint64_t a, uint64_t b)
{
    bool less = insn->type == TYPE_S32 ? signed_value(a, 32) < signed_value(b, 32) : a < b;
    switch (insn->sub_op) {
    case SUB_ADD:
        return a + b;
    case SUB_MIN:
        return less ? a : b;
    case SUB_MAX:
        return less ? b : a;
    case SUB_AND:
        return a & b;
    case SUB_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

/* min and max of f32 are those of the instructions of these names. */
static uint64_t reduced_float(const struct insn *insn, uint64_t a, uint64_t b)
{
    struct insn same = {.op = insn->sub_op == SUB_MIN ? OP_MIN : OP_MAX,
                        .type = TYPE_F32,
                        .flags = insn->flags & (INSN_ABS | INSN_NAN)};
    uint64_t both[3] = {a, b}, d;
    scalar_float(&same, both, &d);
    return d;
}

static void reduce(struct thread *warp, uint32_t members, const struct insn *insn)
{
    uint64_t values[REFERENCE_WARP] = {0}, d = 0;
    bool first = true;
    gather(warp, members, insn, insn->type, values);
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++) {
        if (!is_member(members, lane)) continue;
        if (insn->type == TYPE_F32) /* also of one lane: |a|, the canonical NaN */
            d = reduced_float(insn, first ? values[lane] : d, values[lane]);
        else
            d = first ? values[lane] : low_bits(reduced(insn, d, values[lane]), 32);
        first = false;
    }
    for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
        if (is_member(members, lane)) thread_write(&warp[lane], &insn->operands[0], d);
}

void threads_together(struct thread *warp, uint32_t members, const struct insn *insn)
{
    switch (insn->op) {
    case OP_SHFL:
        shuffle(warp, members, insn);
        break;
    case OP_VOTE:
        vote(warp, members, insn);
        break;
    case OP_MATCH:
        match(warp, members, insn);
        break;
    case OP_REDUX:
        reduce(warp, members, insn);
        break;
    case OP_ACTIVEMASK:
        for (uint32_t lane = 0; lane < REFERENCE_WARP; lane++)
            if (is_member(members, lane)) thread_write(&warp[lane], &insn->operands[0], members);
        break;
    case OP_LDMATRIX:
    case OP_STMATRIX:
    case OP_MOVMATRIX:
        threads_move_matrices(warp, insn);
        break;
    default: /* bar.warp.sync */
        break;
    }
}
