// SPDX-License-Identifier: Apache-2.0
/* What a launch issues and moves through the caches, from the blocks that were simulated. */
#ifndef MODEL_TEG_TRAFFIC_H
#define MODEL_TEG_TRAFFIC_H

#include "model/teg/teg_grid.h"

/* In the estimate's arena; NULL: no caches. After the cluster has been executed. */
const struct cache_section *teg_traffic(const struct teg_grid *grid);

#endif
