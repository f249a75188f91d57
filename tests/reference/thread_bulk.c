// SPDX-License-Identifier: Apache-2.0
/* cp.async.bulk and cp.reduce.async.bulk of bytes: PTX ISA, data movement. Each is done at once, one of the moments up to the
 * wait for it. */
#include "isa/bulk.h"

#include <string.h>

#include "reference/scalar.h"
#include "reference/thread.h"

enum { BULK_ALIGNMENT = 16 };

static uint64_t value(struct thread *thread, const struct insn *insn, unsigned k)
{
    return thread_read(thread, insn_source(insn, k), TYPE_U64);
}

static unsigned char *place(struct thread *thread, const struct insn *insn, unsigned where,
                            unsigned k, uint64_t bytes)
{
    unsigned space = where == BULK_SHARED ? SPACE_SHARED : SPACE_GLOBAL;
    return thread_place(thread, space, value(thread, insn, k), bytes, BULK_ALIGNMENT);
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

void thread_bulk(struct thread *thread, const struct insn *insn)
{
    const struct bulk_form *form = insn->bulk;
    uint64_t bytes = low_bits(value(thread, insn, form->size), 32);
    unsigned char *to = place(thread, insn, form->to, form->target, bytes);
    unsigned char *from = place(thread, insn, form->from, form->source, bytes), *object = NULL;
    if (form->signals)
        object = thread_place(thread, SPACE_SHARED, value(thread, insn, form->object), 8, 8);
    if (!to || !from || bytes % BULK_ALIGNMENT || (form->signals && !object)) {
        thread_fault(thread, insn, "a copy in bulk of what is not there");
        return;
    }
    if (insn->op == OP_BULK_REDUCE)
        combine(insn, to, from, bytes);
    else
        memmove(to, from, bytes);
    if (object) object_complete(object, bytes);
}
