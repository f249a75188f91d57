// SPDX-License-Identifier: Apache-2.0
/* Phases of mbarrier objects, as the trace numbers them: a phase has ended when all of the block's steps that did their
 * part of it have, arrivals and copies in bulk. Parts of other blocks of the cluster count as done. */
#include "model/teg/teg_state.h"

struct teg_phase {
    uint64_t key; /* object and number, plus 1 */
    uint32_t parts;
    teg_time done; /* the last of them */
};

static uint64_t key_of(struct trace_phase phase)
{
    return ((uint64_t)phase.number << 32 | phase.object) + 1;
}

void teg_release_phase(struct teg_engine *e, struct teg_warp *warp, teg_time now)
{
    teg_time ready = later(teg_end_time(warp->operands), now);
    warp->waiting_for = 0;
    warp->operands = teg_end_of(ready, TEG_STALL_LONG_SCOREBOARD);
    teg_wake(e, warp, later(warp->again, ready));
}

void teg_phase_part(struct teg_engine *e, struct teg_block *block, uint64_t base, teg_time done)
{
    uint64_t key = key_of(trace_phase_of(base));
    struct teg_phase *phase = hash_table_add(&block->phases, key, sizeof *phase);
    phase->parts++;
    phase->done = later(phase->done, done);
    for (uint32_t i = 0; i < e->warps_per_block; i++) {
        struct teg_warp *warp = block->warps[i];
        bool is_it = warp->alive && warp->waiting_for == TEG_PHASE && warp->phase == key;
        if (is_it && phase->parts >= warp->parts) teg_release_phase(e, warp, phase->done);
    }
}

teg_time teg_phase_wait(struct teg_warp *warp, uint64_t base, teg_time now)
{
    struct trace_phase wanted = trace_phase_of(base);
    uint64_t key = key_of((struct trace_phase){wanted.object, wanted.number, 0});
    if (!wanted.number || !wanted.parts) return now;
    const struct teg_phase *phase = hash_table_find(&warp->block->phases, key, sizeof *phase);
    if (phase && phase->parts >= wanted.parts) return later(now, phase->done);
    warp->waiting_for = TEG_PHASE;
    warp->phase = key;
    warp->parts = wanted.parts;
    return TEG_NEVER;
}
