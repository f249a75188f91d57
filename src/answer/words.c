// SPDX-License-Identifier: Apache-2.0
#include "answer/words.h"

const char *capability_word(const struct machine *machine, struct arena *arena)
{
    if (machine->kind == MACHINE_IS_CPU) return NULL;
    return arena_format(arena, "%u.%u", machine->cc_major, machine->cc_minor);
}
