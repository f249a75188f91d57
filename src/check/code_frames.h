// SPDX-License-Identifier: Apache-2.0
/* Where an instruction is in the source: the line to look at, and the functions that were inlined there. */
#ifndef CHECK_CODE_FRAMES_H
#define CHECK_CODE_FRAMES_H

#include "check/findings.h"

/* Sets the file and line of the side: the innermost function of a source file, else of a header. */
void code_frames_place(const struct module *module, const struct insn *insn,
                       struct check_side *side);
/* The same number for the same lines of all functions that were inlined there. */
uint64_t code_frames_hash(const struct module *module, const struct insn *insn, uint64_t hash);
/* With words in the arena. */
void code_frames_list(struct arena *arena, const struct module *module, const struct insn *insn,
                      struct finding_frames *out);
/* "write of 4 bytes"; NULL: neither an access nor a barrier. */
const char *code_action(struct arena *arena, const struct insn *insn);

#endif
