// SPDX-License-Identifier: Apache-2.0
/* cp.async: what the decoder makes a load and a store of is a copy that may be done at any time up to its wait. */
#include <string.h>

#include "reference/thread.h"

static struct copy *add_copy(struct thread *thread, const struct insn *insn)
{
    if (thread->copy_count == COPIES_MAX) {
        thread_fault(thread, insn, "too many copies that nobody waits for");
        return &thread->copies[0];
    }
    return &thread->copies[thread->copy_count++];
}

void thread_copy_later(struct thread *thread, const struct insn *insn, unsigned char *to,
                       const unsigned char *bytes, uint32_t size)
{
    struct copy *copy = add_copy(thread, insn);
    *copy = (struct copy){.to = to, .size = size, .group = thread->copy_groups};
    memcpy(copy->bytes, bytes, size);
}

void thread_copies_arrive(struct thread *thread, const struct insn *insn, unsigned char *object)
{
    *add_copy(thread, insn) =
        (struct copy){.to = object, .group = thread->copy_groups, .arrives = true};
}

void thread_copies_do(struct thread *thread, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct copy *copy = &thread->copies[i];
        if (copy->arrives)
            object_arrive(copy->to);
        else
            memcpy(copy->to, copy->bytes, copy->size);
    }
    thread->copy_count -= count;
    memmove(thread->copies, thread->copies + count, thread->copy_count * sizeof *thread->copies);
}

/* commit_group, wait_group N, wait_all. */
void thread_copy_group(struct thread *thread, const struct insn *insn)
{
    uint32_t count = thread->copy_count;
    if (insn->sub_op == SUB_SYNC) {
        thread->copy_groups++;
        return;
    }
    if (insn->sub_op != SUB_ALL)
        while (count && thread->copies[count - 1].group + insn->groups >= thread->copy_groups)
            count--;
    thread_copies_do(thread, count);
}
