// SPDX-License-Identifier: Apache-2.0
/* Atomics on global memory in the L2: lanes on one address take turns, those of a warp as those of
 * all warps and SMs. Addresses are those of the trace; which of them several of its first blocks
 * use is counted once a trace, as the blocks of all SMs then wait for each other. */
#ifndef MODEL_TEG_ATOMICS_H
#define MODEL_TEG_ATOMICS_H

#include "base/hash_table.h"
#include "measure/trace.h"
#include "model/teg/teg_machine.h"

struct teg_atomic_users;

/* An address that lanes of the traced blocks meet at. */
struct teg_turns {
    uint64_t key;    /* address + 1 */
    uint32_t blocks; /* of the trace, that come here */
    bool is_known;   /* that number */
    teg_time free, busy;
};

struct teg_atomics {
    const struct teg_machine *machine;
    const struct trace *trace;
    bool is_used;            /* the trace has atomics, and they cost something */
    struct hash_table turns; /* struct teg_turns */
    const struct teg_atomic_users *users;
    double sms; /* that execute at the time: all / own of teg_atomics_share */
    double own; /* resident blocks of an SM */
};

/* One access of a warp. */
struct teg_turn_times {
    teg_time begin; /* the last of its lanes' turns begins ... */
    teg_time delay; /* and it ends so much later than if each lane were alone */
};

void teg_atomics_init(struct teg_atomics *atomics, const struct trace *trace,
                      const struct teg_machine *machine);
void teg_atomics_clear(struct teg_atomics *atomics);
/* From now on `own` blocks are resident on this SM, of `all` on as many SMs as have such. */
void teg_atomics_share(struct teg_atomics *atomics, uint64_t own, uint64_t all);
/* is_added_up: lanes on one address come as one. */
struct teg_turn_times teg_atomics_serve(struct teg_atomics *atomics,
                                        const struct trace_access *access, bool is_added_up,
                                        teg_time now);
/* When the last turn of all is over; the time that the address with the most of them is taken for. */
teg_time teg_atomics_end(const struct teg_atomics *atomics);
teg_time teg_atomics_busy(const struct teg_atomics *atomics);

#endif
