// SPDX-License-Identifier: Apache-2.0
/* Warp traces against the counters of the same launch, which other code has counted. */
#ifndef SUPPORT_TRACE_CHECK_H
#define SUPPORT_TRACE_CHECK_H

#include "measure/trace.h"

/* Every step is sound; and if every block of the grid was executed and traced, the sums over the steps
 * are the counters, of the launch and of each instruction. True if they were compared. */
bool check_trace(const struct profile *profile);
/* Both have the same trace to the last byte, or none. */
void compare_traces(const struct profile *a, const struct profile *b);

#endif
