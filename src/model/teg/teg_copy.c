// SPDX-License-Identifier: Apache-2.0
/* Asynchronous copies from global to shared memory (LDGSTS): no register waits for them. They are
 * committed in groups (LDGDEPBAR); a wait (DEPBAR) is for all groups but the last n. */
#include "model/teg/teg_state.h"

void teg_copy_add(struct teg_copies *copies, teg_time done)
{
    copies->last = later(copies->last, done);
}

void teg_copy_commit(struct teg_copies *copies)
{
    copies->groups[copies->count++ % TEG_COPY_GROUPS] = copies->last;
}

/* Copies that are never committed are waited for as if they were. */
teg_time teg_copy_ready(const struct teg_copies *copies, unsigned open)
{
    if (!open) return copies->last;
    if (open >= TEG_COPY_GROUPS || open >= copies->count) return 0;
    return copies->groups[(copies->count - 1 - open) % TEG_COPY_GROUPS];
}
