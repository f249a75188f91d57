// SPDX-License-Identifier: Apache-2.0
/* What-ifs that need no new execution: a changed copy of the profile, predicted again by the same
 * model. Each answers with time / time after, or NaN if the model has no answer or no gain. A model that
 * follows warp traces sees no changed counters: NaN but for registers and shared memory. */
#ifndef RECOMMEND_WHAT_IF_H
#define RECOMMEND_WHAT_IF_H

#include "model/core/estimate.h"

/* The uncoalesced requests of an instruction, and of its like in the same source line, packed as well
 * as they can be. */
double what_if_coalesced(const struct prediction *prediction,
                         const struct instruction_profile *instruction);
/* A share of the requests of the operations in `ops` no longer made; if `drop_instructions`, not
 * even issued, else issued as something that stays in the SM. */
double what_if_fewer_accesses(const struct prediction *prediction, unsigned ops, double share,
                              bool drop_instructions);
/* A share of the loads from shared memory neither issued nor served: their values stay in registers.
 */
double what_if_fewer_shared_loads(const struct prediction *prediction, double share);
/* Global and local memory move no byte that no lane asked for. */
double what_if_nothing_unused(const struct prediction *prediction);
/* Only the floating-point instructions are left to issue; memory is accessed as now. */
double what_if_only_floating_point(const struct prediction *prediction);
/* Every warp has twice as many independent loads in flight. */
double what_if_paired_loads(const struct prediction *prediction);
/* The most registers a thread (bytes of shared memory a block) may use for one more resident block;
 * 0 if that is out of reach. *out_blocks: blocks per SM then. */
unsigned what_if_find_registers(const struct prediction *prediction, unsigned *out_blocks);
uint64_t what_if_find_shared(const struct prediction *prediction, unsigned *out_blocks);
double what_if_registers(const struct prediction *prediction, unsigned registers);
double what_if_shared(const struct prediction *prediction, uint64_t bytes);

#endif
