// SPDX-License-Identifier: Apache-2.0
/* An mbarrier object: 64 bits of shared memory that programs see through mbarrier operations only. They are laid out as
 * in the code that ptxas writes for sm_90, where arrivals count up to zero; where bytes stand between the two counts
 * and in which sign is a guess.
 *
 *     63      62       43  42  41        21  20        1  0
 *     phase   - pending    0   bytes         - expected   0
 *
 * The state that an arrival returns is the object as it was before. Native code writes and reads the same bits, on
 * sm_90; code of sm_80 to 89 lays them out otherwise, where arrivals count up to the phase:
 *
 *     63      62       32   31   30   29        0
 *     phase   - pending     0    0    - expected */
#ifndef EMULATE_MBARRIER_H
#define EMULATE_MBARRIER_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/insn.h"

/* Limits of all counts (PTX ISA, contents of the mbarrier object); of bytes in both directions. */
enum { MBARRIER_COUNT_MAX = (1 << 20) - 1 };

struct mbarrier {
    uint32_t pending;  /* arrivals until the current phase ends */
    uint32_t expected; /* of the next phase */
    int32_t bytes;     /* of asynchronous copies, expected and not yet written: the tx-count */
    bool phase;        /* parity of the current one */
};

/* 21 bits with a sign. */
static inline int32_t mbarrier_bytes(uint32_t bits)
{
    uint32_t low = bits & 0x1fffff;
    return (int32_t)low - (low > MBARRIER_COUNT_MAX ? 1 << 21 : 0);
}

static inline struct mbarrier mbarrier_of(uint64_t bits)
{
    return (struct mbarrier){
        .pending = -(uint32_t)(bits >> 43) & MBARRIER_COUNT_MAX,
        .expected = -(uint32_t)(bits >> 1) & MBARRIER_COUNT_MAX,
        .bytes = mbarrier_bytes((uint32_t)(bits >> 21)),
        .phase = bits >> 63,
    };
}

static inline uint64_t mbarrier_bits(const struct mbarrier *object)
{
    return (uint64_t)object->phase << 63 | (uint64_t)(-object->pending & MBARRIER_COUNT_MAX) << 43 |
           (uint64_t)((uint32_t)object->bytes & 0x1fffff) << 21 |
           (uint64_t)(-object->expected & MBARRIER_COUNT_MAX) << 1;
}

/* One arrival at an object of sm_80. */
static inline uint64_t mbarrier_arrive_80(uint64_t bits)
{
    uint32_t expected = (uint32_t)bits, now = (uint32_t)(bits >> 32), next = now + 1;
    bool ends = (now ^ next) >> 31;
    if (ends) next = (next & UINT32_C(1) << 31) | (expected | UINT32_C(1) << 30);
    return (uint64_t)next << 32 | expected;
}

/* What follows its address: a count of arrivals or bytes; 1 where it is left out. */
struct mbarrier_change {
    uint32_t arrivals, bytes;
    bool drops;
};
static inline struct mbarrier_change mbarrier_change_of(const struct insn *insn, uint32_t operand)
{
    switch (insn->op) {
    case OP_MBARRIER_EXPECT_TX:
        return (struct mbarrier_change){.bytes = operand};
    case OP_MBARRIER_COMPLETE_TX:
        return (struct mbarrier_change){.bytes = -operand};
    case OP_MBARRIER_COPIES: /* copies are done at once; without .noinc the arrival counts itself */
        return (struct mbarrier_change){.arrivals = insn->flags & INSN_NOINC ? 1 : 0};
    default:
        break;
    }
    bool expects = insn->flags & INSN_EXPECT_TX;
    return (struct mbarrier_change){.arrivals = expects ? 1 : operand,
                                    .bytes = expects ? operand : 0,
                                    .drops = insn->op == OP_MBARRIER_ARRIVE_DROP};
}

/* True if that ends the current phase. */
static inline bool mbarrier_apply(struct mbarrier *object, const struct mbarrier_change *change)
{
    bool was_pending = object->pending || object->bytes;
    object->pending = (object->pending - change->arrivals) & MBARRIER_COUNT_MAX;
    object->bytes = mbarrier_bytes((uint32_t)object->bytes + change->bytes);
    if (change->drops)
        object->expected = (object->expected - change->arrivals) & MBARRIER_COUNT_MAX;
    if (!was_pending || object->pending || object->bytes) return false;
    object->phase = !object->phase;
    object->pending = object->expected;
    return true;
}

/* Has the phase ended that the operand of a wait names? */
static inline bool mbarrier_has_ended(const struct mbarrier *object, const struct insn *insn,
                                      uint64_t operand)
{
    bool phase = insn->flags & INSN_PARITY ? operand & 1 : operand >> 63;
    return object->phase != phase;
}

#endif
