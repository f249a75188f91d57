// SPDX-License-Identifier: Apache-2.0
#include "cli/validate/generator.h"

#include <string.h>

static const struct generator *const generators[] = {&generator_convolution};

const struct generator *generator_find(const char *id)
{
    for (size_t i = 0; i < sizeof generators / sizeof *generators; i++)
        if (!strcmp(generators[i]->id, id)) return generators[i];
    return NULL;
}
