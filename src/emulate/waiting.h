// SPDX-License-Identifier: Apache-2.0
/* Who waits, and where: what is told of a deadlock. */
#ifndef EMULATE_WAITING_H
#define EMULATE_WAITING_H

#include "base/strbuf.h"
#include "emulate/exec.h"

/* One line for each group of lanes or warps of the block that wait at one place. */
void waiting_describe(struct exec *x, struct block *block, struct strbuf *text);
/* The same for a list of blocks, those that wait as one before them do counted only. */
void waiting_describe_blocks(struct exec *x, struct block *blocks, struct strbuf *text);

#endif
