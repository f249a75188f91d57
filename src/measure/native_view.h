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
/* How lanes that take the slow path of a division or root meet the others: with BMOV, BSSY and BSYNC on cc 7.x, without
 * BMOV later, and not at all where all lanes go the same way. */
enum native_meeting { MEET_OF_CC7, MEET_LATER, MEET_NEVER, NATIVE_MEETINGS };
/* What is issued instead of the instruction where nothing folds; NULL: itself. Guarded ones are
 * themselves. */
const struct view_part *native_sequence(const struct insn *insn, enum native_meeting meeting);

#endif
