// SPDX-License-Identifier: Apache-2.0
#ifndef MODEL_TEG_SHARING_H
#define MODEL_TEG_SHARING_H

#include "model/teg/teg_access.h"

/* How many groups of `blocks` blocks read the same sector of global memory, on average; at least 1. Of
 * the trace's first `blocks`, and what the launch as a whole reads: distinct 32-byte sectors. */
double teg_sharing(const struct trace *trace, const struct teg_machine *machine, uint32_t blocks,
                   double launch_blocks, double launch_sectors);

#endif
