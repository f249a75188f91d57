// SPDX-License-Identifier: Apache-2.0
/* An access on its way through the L1 of its SM, the way to the L2, the L2 and the DRAM; for teg_memory.c. */
#ifndef MODEL_TEG_CACHES_H
#define MODEL_TEG_CACHES_H

#include "model/teg/teg_memory.h"

/* One access on its way: when its next piece passes the load/store unit and the L1, and when the last
 * one was taken from there. Of a load that looks up several lines at a time, its turns in the L1, how long each is,
 * and the pieces that passed. */
struct teg_pipe {
    teg_time begin, below, turn;
    uint32_t turns, passed;
};

void teg_caches_clear(struct teg_memory *memory);
/* When the data of a piece are there, or (store) the L2 has them. */
teg_time teg_caches_access(struct teg_memory *memory, const struct teg_arrival *arrival,
                           const struct teg_piece *piece, struct teg_pipe *pipe);

/* What a miss of these sectors of a line fetches: what lies beside them, too. */
unsigned teg_fetched_with(const struct teg_machine *machine, unsigned sectors);

#endif
