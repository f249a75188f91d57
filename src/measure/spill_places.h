// SPDX-License-Identifier: Apache-2.0
/* Where a compiler spills registers: the static instructions of a trace that reload a value, and those behind
 * which one is stored. Only how many there are is known. */
#ifndef MEASURE_SPILL_PLACES_H
#define MEASURE_SPILL_PLACES_H

#include "measure/trace.h"

/* A word of each thread that is stored behind an instruction, or loaded before it. */
struct spill {
    uint32_t insn; /* of the trace */
    uint32_t reg;  /* of the trace: the value; trace.register_count: one that no instruction has */
    uint32_t slot; /* in the frame of spilled words */
};

struct spill_places {
    struct spill *stores, *loads; /* by ascending instruction */
    uint32_t store_count, load_count;
    uint32_t slot_count;
};

/* By the furthest next use (Belady 1966) in the order of the code: as few registers as give at least so many
 * stores and loads, of which as many are taken, evenly. spill_places_clear the result. */
void spill_places_find(const struct trace *trace, uint32_t stores, uint32_t loads,
                       struct spill_places *out);
void spill_places_clear(struct spill_places *places);

#endif
