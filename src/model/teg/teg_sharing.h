// SPDX-License-Identifier: Apache-2.0
#ifndef MODEL_TEG_SHARING_H
#define MODEL_TEG_SHARING_H

#include "model/teg/teg_access.h"
#include "model/teg/teg_deal.h"

/* How many SMs read the same sector of global memory, on average; at least 1: from some of the blocks that are
 * dealt to one, and from what the launch as a whole reads, `launch_sectors` distinct ones. */
double teg_sharing(const struct teg_deal *deal, const struct teg_machine *machine,
                   double launch_sectors);

#endif
