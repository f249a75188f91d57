// SPDX-License-Identifier: Apache-2.0
/* Warps of a block that stand abreast: at one code block, from which a compiled path leads them to the next barrier or
 * to the end of the kernel. They go along it one after the other, and what is the same for all of them is done once. */
#ifndef EMULATE_ABREAST_H
#define EMULATE_ABREAST_H

#include "emulate/splits.h"

/* What a round of all warps came to. */
struct round {
    uint64_t instructions, changes, releases; /* before it */
    bool polls;                               /* some warp yielded */
    bool waits;                               /* some warp waits for an mbarrier object */
};
static inline struct round round_begin(const struct exec *x, const struct block *block)
{
    return (struct round){block->instructions, x->changes, x->releases, false, false};
}

/* Do all warps that have not ended stand at one code block, and may they go on by paths? */
bool abreast_stand(const struct exec *x, const struct block *block);
/* Warps go on from where they stand, beginning with warp `at`, for as long as they stay abreast. Returns the warp whose
 * turn it is then: it may have come to the end of a code block (exec.ended). Or else how many there are: all have
 * ended. Rounds that begin meanwhile are put in the place of *round. */
uint32_t abreast_run(struct worker *worker, struct block *block, uint32_t at, struct round *round);

#endif
