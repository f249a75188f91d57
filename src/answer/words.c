// SPDX-License-Identifier: Apache-2.0
#include "answer/words.h"

const char *capability_word(const struct machine *machine, struct arena *arena)
{
    if (machine->kind == MACHINE_IS_CPU) return NULL;
    return arena_format(arena, "%u.%u", machine->cc_major, machine->cc_minor);
}

struct measured measured_of_term(const struct term *term)
{
    return (struct measured){.id = term->id,
                             .value = term->value,
                             .low = term->value,
                             .high = term->value,
                             .unit = term->unit,
                             .text = term->text,
                             .origin = ORIGIN_MODELLED};
}

const struct measured *terms_of(const struct estimate *estimate, struct arena *arena)
{
    struct measured *out = ARENA_ARRAY(arena, struct measured, estimate->term_count + 1);
    for (size_t i = 0; i < estimate->term_count; i++)
        out[i] = measured_of_term(&estimate->terms[i]);
    return out;
}
