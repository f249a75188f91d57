// SPDX-License-Identifier: Apache-2.0
/* Runs one instruction on arrays of operands, one element a thread, on one instruction-set level of
 * the host. Fails the cmocka test with the library's message. */
#ifndef SUPPORT_INSTRUCTION_RUN_H
#define SUPPORT_INSTRUCTION_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { INSTRUCTION_SOURCES = 3 };

/* `text` may hold several instructions. It reads %a, %b, %c and writes %d, registers of type .bN
 * with the bits given here (0: not there); %p and %q are predicates, %p true in every third thread. */
struct instruction {
    const char *text;
    unsigned bits_d, bits[INSTRUCTION_SOURCES];
};

/* Elements of sources and result are as wide as their registers. With `guarded` the instruction runs
 * under a guard that is false in every fourth element; these must keep UNTOUCHED. */
enum { UNTOUCHED = 0x5a };
enum { INSTRUCTION_COMPILED = 99 }; /* as level: the best, by the compiled engine */
void instruction_run(const struct instruction *instruction, int level, bool guarded,
                     const void *const sources[INSTRUCTION_SOURCES], size_t count, void *result);

#endif
