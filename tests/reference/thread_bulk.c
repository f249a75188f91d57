// SPDX-License-Identifier: Apache-2.0
/* cp.async.bulk and cp.reduce.async.bulk of bytes, st.async and red.async: PTX ISA, data movement. Each is done
 * at once, one of the moments up to the wait for it. */
#include "isa/bulk.h"

#include <string.h>

#include "reference/scalar.h"
#include "reference/thread.h"

enum { BULK_ALIGNMENT = 16, SENT_BYTES_MAX = 16 };

static uint64_t value(struct thread *thread, const struct insn *insn, unsigned k)
{
    return thread_read(thread, insn_source(insn, k), TYPE_U64);
}

static unsigned char *place(struct thread *thread, unsigned where, uint64_t address, uint64_t bytes)
{
    unsigned space = where == BULK_SHARED ? SPACE_SHARED : SPACE_GLOBAL;
    return thread_place(thread, space, address, bytes, BULK_ALIGNMENT);
}

static void combine(const struct insn *insn, unsigned char *to, const unsigned char *from,
                    uint64_t bytes)
{
    unsigned size = type_infos[insn->type].bits / 8;
    for (uint64_t at = 0; at < bytes; at += size) {
        uint64_t old = 0, operands[2] = {0};
        memcpy(&old, to + at, size);
        memcpy(operands, from + at, size);
        uint64_t result = scalar_atomic(insn, old, operands);
        memcpy(to + at, &result, size);
    }
}

static void deliver(const struct insn *insn, unsigned char *to, const unsigned char *from,
                    uint64_t bytes)
{
    if (insn->op == OP_BULK_REDUCE || insn->op == OP_RED_ASYNC)
        combine(insn, to, from, bytes);
    else
        memmove(to, from, bytes);
}

/* st.async, red.async. */
void thread_send(struct thread *thread, const struct insn *insn)
{
    const struct bulk_form *form = insn->bulk;
    unsigned space = insn->sub_op == SUB_TO ? SPACE_GENERIC : SPACE_SHARED;
    unsigned size = type_infos[insn->type].bits / 8, bytes = size * insn->vector;
    unsigned char values[SENT_BYTES_MAX];
    unsigned char *to =
        thread_place(thread, space, value(thread, insn, form->target), bytes, bytes);
    unsigned char *object = thread_place(thread, space, value(thread, insn, form->object), 8, 8);
    if (!to || !object) {
        thread_fault(thread, insn, "a store to what is not there");
        return;
    }
    for (unsigned k = 0; k < insn->vector; k++) {
        uint64_t one = thread_read(thread, insn_source(insn, form->source + k), insn->type);
        memcpy(values + k * size, &one, size);
    }
    deliver(insn, to, values, bytes);
    object_complete(object, bytes);
}

/* To that place, of which that object is told. */
static void copy_to(struct thread *thread, const struct insn *insn, uint64_t target,
                    uint64_t counter)
{
    const struct bulk_form *form = insn->bulk;
    uint64_t bytes = low_bits(value(thread, insn, form->size), 32);
    unsigned char *from = place(thread, form->from, value(thread, insn, form->source), bytes);
    unsigned char *to = place(thread, form->to, target, bytes), *object = NULL;
    if (form->signals) object = thread_place(thread, SPACE_SHARED, counter, 8, 8);
    if (!to || !from || bytes % BULK_ALIGNMENT || (form->signals && !object)) {
        thread_fault(thread, insn, "a copy in bulk of what is not there");
        return;
    }
    deliver(insn, to, from, bytes);
    if (object) object_complete(object, bytes);
}

/* With .multicast to the same places of every block whose bit is set. */
void thread_bulk(struct thread *thread, const struct insn *insn)
{
    const struct bulk_form *form = insn->bulk;
    uint64_t target = value(thread, insn, form->target), counter = 0;
    if (form->signals) counter = value(thread, insn, form->object);
    if (!form->is_multicast) {
        copy_to(thread, insn, target, counter);
        return;
    }
    uint64_t blocks = thread_read(thread, insn_source(insn, form->blocks), TYPE_B16);
    for (uint64_t rank = 0; blocks >> rank; rank++)
        if (blocks >> rank & 1)
            copy_to(thread, insn, address_in_rank(target, rank), address_in_rank(counter, rank));
}
