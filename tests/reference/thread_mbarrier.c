// SPDX-License-Identifier: Apache-2.0
/* mbarrier objects: PTX ISA 9.7.13.15. Their layout is the interpreter's own: what a program makes of its bits must not
 * reach its results. */
#include <string.h>

#include "reference/thread.h"

struct object {
    uint32_t pending, expected; /* 20 bits */
    int64_t bytes;
    bool phase;
};

/* 20 bits each, the bytes with an offset; the phase on top. */
static struct object unpacked(uint64_t bits)
{
    return (struct object){.pending = bits & 0xfffff,
                           .phase = bits >> 63 & 1,
                           .expected = bits >> 20 & 0xfffff,
                           .bytes = (int64_t)(bits >> 40 & 0x1fffff) - (1 << 20)};
}

static uint64_t packed(const struct object *object)
{
    return (uint64_t)object->phase << 63 | (uint64_t)(object->bytes + (1 << 20)) << 40 |
           (uint64_t)object->expected << 20 | object->pending;
}

/* Phase completion: no arrivals and no bytes are outstanding. */
static void settle(struct object *object)
{
    if (object->pending || object->bytes) return;
    object->phase = !object->phase;
    object->pending = object->expected;
}

static void arrive_on(struct object *object, uint64_t count)
{
    object->pending = (object->pending - (uint32_t)count) & 0xfffff;
    settle(object);
}

static void arrive(struct thread *thread, const struct insn *insn, struct object *object)
{
    uint64_t state = packed(object), count = 1;
    if (insn->nsrc > 1) count = thread_read(thread, insn_source(insn, 1), TYPE_U32);
    if (insn->flags & INSN_EXPECT_TX) {
        object->bytes += (int64_t)count;
        count = 1;
    }
    if (insn->op == OP_MBARRIER_ARRIVE_DROP)
        object->expected = (object->expected - (uint32_t)count) & 0xfffff;
    arrive_on(object, count);
    thread_write(thread, &insn->operands[0], state);
}

/* A thread that must wait lets the others go on. */
static void wait(struct thread *thread, const struct insn *insn, const struct object *object)
{
    bool has_parity = insn->flags & INSN_PARITY;
    uint64_t operand = thread_read(thread, insn_source(insn, 1), has_parity ? TYPE_U32 : TYPE_U64);
    uint64_t phase = has_parity ? operand : unpacked(operand).phase;
    bool has_ended = phase != object->phase;
    thread_write(thread, &insn->operands[0], has_ended);
    thread->yields = !has_ended;
}

static void complete(struct object *object, uint64_t bytes)
{
    object->bytes -= (int64_t)bytes;
    settle(object);
}

static struct object object_at(const unsigned char *place)
{
    uint64_t bits;
    memcpy(&bits, place, sizeof bits);
    return unpacked(bits);
}

static void keep(unsigned char *place, const struct object *object)
{
    uint64_t bits = packed(object);
    memcpy(place, &bits, sizeof bits);
}

void object_arrive(unsigned char *place)
{
    struct object object = object_at(place);
    arrive_on(&object, 1);
    keep(place, &object);
}

void object_complete(unsigned char *place, uint64_t bytes)
{
    struct object object = object_at(place);
    complete(&object, bytes);
    keep(place, &object);
}

/* The arrival comes when the thread's copies are done; without .noinc it is counted from now on. */
static void track_copies(struct thread *thread, const struct insn *insn, unsigned char *place,
                         struct object *object)
{
    if (!(insn->flags & INSN_NOINC)) object->pending = (object->pending + 1) & 0xfffff;
    keep(place, object);
    if (thread->block->state->launch->schedule)
        thread_copies_arrive(thread, insn, place);
    else
        object_arrive(place);
}

void thread_mbarrier(struct thread *thread, const struct insn *insn)
{
    unsigned char *place = thread_accessed(thread, insn, 8);
    if (!place) return;
    struct object object = object_at(place);
    uint64_t count =
        insn->nsrc > 1 && !insn->ndst ? thread_read(thread, insn_source(insn, 1), TYPE_U32) : 0;
    switch (insn->op) {
    case OP_MBARRIER_INIT:
        object = (struct object){.pending = (uint32_t)count & 0xfffff,
                                 .expected = (uint32_t)count & 0xfffff};
        break;
    case OP_MBARRIER_EXPECT_TX:
        object.bytes += (int64_t)count;
        break;
    case OP_MBARRIER_COMPLETE_TX:
        complete(&object, count);
        break;
    case OP_MBARRIER_COPIES:
        track_copies(thread, insn, place, &object);
        return;
    case OP_MBARRIER_TEST_WAIT:
    case OP_MBARRIER_TRY_WAIT:
        wait(thread, insn, &object);
        break;
    case OP_MBARRIER_INVAL:
        break;
    default:
        arrive(thread, insn, &object);
        break;
    }
    keep(place, &object);
}

uint64_t thread_pending_count(uint64_t state)
{
    return unpacked(state).pending;
}
