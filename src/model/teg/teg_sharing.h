// SPDX-License-Identifier: Apache-2.0
#ifndef MODEL_TEG_SHARING_H
#define MODEL_TEG_SHARING_H

#include "model/teg/teg_access.h"
#include "model/teg/teg_deal.h"

/* How many SMs read the same sector of global memory, on average; at least 1: from `count` blocks that one of
 * them executes, and from what the launch of `grid_blocks` as a whole reads, `launch_sectors` distinct ones. */
double teg_sharing(const struct teg_deal *deal, const struct teg_machine *machine, uint64_t count,
                   double grid_blocks, double launch_sectors);

#endif
