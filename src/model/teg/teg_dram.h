// SPDX-License-Identifier: Apache-2.0
/* Rows of the DRAM. A bank opens a row at most once in a row cycle (tRC), and serves whatever lies in
 * it meanwhile. Accesses to a row that come while others to it are under way are served with them, in
 * whatever order: a row counts as closed when nothing has asked for it for teg_machine.in_flight.
 *
 *     address -> channel  address / interleave, modulo channels
 *             -> row      address / (channels * bytes of a row); its bank: modulo banks
 *
 * cc 1.x: each bank of each channel has its queue. Later GPUs spread addresses over channels and
 * banks by a hash: all banks are one queue, which opens rows at the rate of all of them. */
#ifndef MODEL_TEG_DRAM_H
#define MODEL_TEG_DRAM_H

#include "model/teg/teg_machine.h"

struct teg_open_row {
    uint64_t row; /* number + 1; 0: none */
    teg_time last;
};

struct teg_dram {
    const struct teg_machine *machine;
    teg_time cycle; /* ticks of a queue for each row; 0: rows are not modelled */
    teg_time *free; /* by queue */
    struct teg_open_row *rows;
    uint64_t opened;
};

void teg_dram_init(struct teg_dram *dram, const struct teg_machine *machine);
void teg_dram_clear(struct teg_dram *dram);
/* From now on the simulated SMs have `own` parts in `all` of the banks. */
void teg_dram_share(struct teg_dram *dram, uint64_t own, uint64_t all);
/* When the row of an access is open that comes at `start`. */
teg_time teg_dram_open(struct teg_dram *dram, uint64_t address, teg_time start);

#endif
