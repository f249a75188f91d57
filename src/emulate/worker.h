// SPDX-License-Identifier: Apache-2.0
/* What the files that run the blocks of a launch share. */
#ifndef EMULATE_WORKER_H
#define EMULATE_WORKER_H

#include "emulate/exec.h"

/* launch.c */
/* The next of launch.units. */
uint64_t take_unit(struct launch *launch);
/* Keeps the fault of the least block. */
void keep_fault(struct worker *worker, struct block *block);
/* Of a block that has ended, or will not go on. */
void keep_printed(struct launch *launch, struct block *block, bool failed);
void show_progress(struct launch *launch);

/* turns.c: blocks that have begun take turns. A block that waits lets those of the next unit begin, if `overlaps`; else
 * they begin when all that have begun have ended. */
void run_in_turns(struct worker *worker, bool overlaps);

#endif
