// SPDX-License-Identifier: Apache-2.0
#include "measure/cost_tally.h"

#include <string.h>

#include "base/memory.h"

void tally_grow(struct tally *tally, uint32_t number)
{
    uint32_t size = tally->size ? tally->size : 8;
    while (size <= number)
        size *= 2;
    tally->counts = mem_realloc(tally->counts, size * sizeof *tally->counts);
    memset(tally->counts + tally->size, 0, (size - tally->size) * sizeof *tally->counts);
    tally->size = size;
}

void tally_clear(struct tally *tally)
{
    mem_free(tally->counts);
    *tally = (struct tally){0};
}
