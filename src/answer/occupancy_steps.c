// SPDX-License-Identifier: Apache-2.0
#include "answer/occupancy_steps.h"

const char *const occupancy_curve_words[] = {"threads_per_block", "registers_per_thread",
                                             "shared_bytes", NULL};
const enum occupancy_vary occupancy_curve_varied[] = {VARY_BLOCK, VARY_REGISTERS, VARY_SHARED};

static uint64_t varied_value(const struct occupancy_query *query, enum occupancy_vary vary)
{
    return vary == VARY_BLOCK       ? query->threads_per_block
           : vary == VARY_REGISTERS ? query->registers_per_thread
                                    : query->shared_bytes;
}

ws_status occupancy_curve_find(struct diag *diag, struct arena *arena,
                               const struct machine *machine, const struct occupancy_query *query,
                               enum occupancy_vary vary, struct occupancy_curve *out)
{
    size_t count;
    TRY(machine_occupancy_curve(diag, machine, query, vary, NULL, 0, &count));
    ws_occupancy_point *points = ARENA_ARRAY(arena, ws_occupancy_point, count + 1);
    TRY(machine_occupancy_curve(diag, machine, query, vary, points, count, &count));
    out->over = occupancy_curve_words[vary == VARY_BLOCK ? 0 : vary == VARY_REGISTERS ? 1 : 2];
    out->max_warps = (unsigned)machine_get(machine, MACHINE_SM_MAX_WARPS, 0);
    out->count = count;
    out->steps = ARENA_ARRAY(arena, struct occupancy_step, count + 1);
    uint64_t here = varied_value(query, vary);
    out->here = here;
    out->has_here = query->threads_per_block && (here || vary == VARY_SHARED);
    for (size_t i = 0; i < count; i++) {
        bool has_next = i + 1 < count;
        out->steps[i] = (struct occupancy_step){
            .point = points[i],
            .lost = has_next ? (double)points[i].warps_per_sm - points[i + 1].warps_per_sm : 0,
            .is_here = points[i].first <= here && here <= points[i].last,
        };
    }
    return WS_OK;
}
