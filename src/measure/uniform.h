// SPDX-License-Identifier: Apache-2.0
/* What a compiler knows to be equal in all threads of a block: values computed from parameters, constants and
 * the block's indices alone. */
#ifndef MEASURE_UNIFORM_H
#define MEASURE_UNIFORM_H

#include "emulate/observer.h"

/* By register of the launch (code_block.vreg_base added); mem_free. A register that several instructions
 * write is never uniform: which of them did may differ between threads. */
bool *uniform_registers(const struct launch_view *launch, uint32_t register_count);

/* Does the compiler add up what the lanes add, so that a warp makes one atomic? It does for integers, where
 * the address is uniform and so is what is added (ptxas 13.0 for compute capabilities 7.5 to 12.0: VOTEU,
 * POPC and one RED or ATOM). */
bool uniform_atomic(const bool *uniform, const struct code_block *code, const struct insn *insn);

/* Is it an addition of one to a word of shared memory? From compute capability 8.0 on the lanes of a word are
 * counted in one pass (ptxas 13.0: ATOMS.POPC.INC; before, ATOMS.ADD). */
bool counts_lanes(const struct insn *insn);

#endif
