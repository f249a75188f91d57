// SPDX-License-Identifier: Apache-2.0
/* Words that several questions have in common. */
#ifndef ANSWER_WORDS_H
#define ANSWER_WORDS_H

#include "base/arena.h"
#include "machine/machine.h"

/* "7.0"; NULL of a CPU. */
const char *capability_word(const struct machine *machine, struct arena *arena);

#endif
