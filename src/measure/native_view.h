// SPDX-License-Identifier: Apache-2.0
/* The view "native": what ptxas makes of PTX for compute capability 7.0 and later, as far as it can be told
 * instruction by instruction. Parameters, constants and addresses become operands, pairs fuse (multiply and
 * add, shift and add, logic of three inputs), 64-bit integers are two instructions, divisions and roots
 * are sequences, and a loop that is one basic block is unrolled. Lengths of sequences are those of ptxas 13
 * for sm_75 (doc/models/native.md). */
#ifndef MEASURE_NATIVE_VIEW_H
#define MEASURE_NATIVE_VIEW_H

#include "measure/isa_view.h"

/* Fills views[launch->insn_count], all zeros before. */
void native_view_plan(const struct launch_view *launch, struct insn_view *views);
/* What is issued instead of the instruction where nothing folds; NULL: itself. Guarded ones are
 * themselves. */
const struct view_part *native_sequence(const struct insn *insn);

#endif
