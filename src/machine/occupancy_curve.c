// SPDX-License-Identifier: Apache-2.0
/* Occupancy as one figure of a launch varies, and the least change that raises it. */
#include "machine/machine.h"

static uint64_t get_varied(const struct occupancy_query *query, enum occupancy_vary vary)
{
    if (vary == VARY_BLOCK) return query->threads_per_block;
    return vary == VARY_REGISTERS ? query->registers_per_thread : query->shared_bytes;
}

static void set_varied(struct occupancy_query *query, enum occupancy_vary vary, uint64_t value)
{
    if (vary == VARY_BLOCK)
        query->threads_per_block = (unsigned)value;
    else if (vary == VARY_REGISTERS)
        query->registers_per_thread = (unsigned)value;
    else
        query->shared_bytes = value;
}

static struct occupancy count_at(const struct machine *machine, struct occupancy_query query,
                                 enum occupancy_vary vary, uint64_t value)
{
    set_varied(&query, vary, value);
    return machine_count_blocks(machine, &query);
}

/* ---- the curve --------------------------------------------------------------------------------- */

static bool is_same(const struct occupancy *a, const struct occupancy *b)
{
    return a->blocks_per_sm == b->blocks_per_sm && a->warps_per_sm == b->warps_per_sm &&
           a->limiters == b->limiters;
}

/* The last value up to `most` that is like `first`. More shared memory never means more blocks, so
 * that values between two alike are alike, and halving finds the end among many thousands. */
static uint64_t find_end(const struct machine *machine, const struct occupancy_query *query,
                         enum occupancy_vary vary, uint64_t first, uint64_t most)
{
    struct occupancy now = count_at(machine, *query, vary, first), other;
    uint64_t low = first, high = most;
    while (vary != VARY_SHARED && low < most) {
        other = count_at(machine, *query, vary, low + 1);
        if (!is_same(&now, &other)) return low;
        low++;
    }
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        other = count_at(machine, *query, vary, middle);
        if (is_same(&now, &other))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static const char *const vary_names[] = {[VARY_BLOCK] = "threads per block",
                                         [VARY_REGISTERS] = "registers per thread",
                                         [VARY_SHARED] = "shared memory per block"};

/* Asks once in full, so that a figure that is missing has its message. */
static ws_status check_known(struct diag *diag, const struct machine *machine,
                             struct occupancy_query query, enum occupancy_vary vary, uint64_t most)
{
    struct occupancy unused;
    struct diag quiet = {0};
    if (!most)
        return diag_error(diag, WS_ERR_NO_MODEL, "%s: the maximum of %s is unknown: add it to %s",
                          machine->id, vary_names[vary], machine->path);
    set_varied(&query, vary, 1);
    ws_status status = machine_occupancy(&quiet, machine, &query, &unused);
    diag_clear(&quiet);
    if (status == WS_OK || status == WS_ERR_LAUNCH) return WS_OK;
    return machine_occupancy(diag, machine, &query, &unused);
}

ws_status machine_occupancy_curve(struct diag *diag, const struct machine *machine,
                                  const struct occupancy_query *query, enum occupancy_vary vary,
                                  ws_occupancy_point *out, size_t capacity, size_t *out_count)
{
    struct occupancy_query largest = machine_largest_launch(machine);
    uint64_t most = get_varied(&largest, vary), value = vary == VARY_SHARED ? 0 : 1;
    *out_count = 0;
    TRY(check_known(diag, machine, *query, vary, most));
    while (value <= most) {
        struct occupancy at = count_at(machine, *query, vary, value);
        uint64_t end = find_end(machine, query, vary, value, most);
        if (*out_count < capacity)
            out[*out_count] =
                (ws_occupancy_point){value, end, at.blocks_per_sm, at.warps_per_sm, at.limiters};
        ++*out_count;
        value = end + 1;
    }
    return WS_OK;
}

/* ---- the next higher occupancy ----------------------------------------------------------------- */

/* Nearest first; of two equally near ones that with more warps, then the smaller. */
static bool next_block(const struct machine *machine, const struct occupancy_query *query,
                       unsigned warps_now, struct occupancy_query *out)
{
    struct occupancy_query largest = machine_largest_launch(machine);
    double size = machine_get(machine, MACHINE_SM_WARP_SIZE, 32);
    if (size < 1 || size > largest.threads_per_block) return false;
    unsigned warp = (unsigned)size, most = largest.threads_per_block / warp;
    unsigned now = (query->threads_per_block - 1) / warp + 1; /* warps of the block */
    if (now > most) now = most + 1;
    for (unsigned step = 1; step <= most; step++) {
        unsigned best = warps_now;
        for (int side = 0; side < 2; side++) {
            uint64_t block = side ? (uint64_t)now + step : now > step ? now - step : 0;
            if (block < 1 || block > most) continue;
            struct occupancy at = count_at(machine, *query, VARY_BLOCK, block * warp);
            if (at.warps_per_sm <= best) continue;
            best = at.warps_per_sm;
            out->threads_per_block = (unsigned)block * warp;
        }
        if (best > warps_now) return true;
    }
    return false;
}

static unsigned own_limit(const struct machine *machine, const struct occupancy_query *query,
                          enum occupancy_vary vary, uint64_t value)
{
    struct occupancy at = count_at(machine, *query, vary, value);
    return vary == VARY_REGISTERS ? at.limit_registers : at.limit_shared;
}

/* Lowers one figure to the most at which its own limit allows `wanted` blocks. */
static bool lower(const struct machine *machine, enum occupancy_vary vary, unsigned wanted,
                  struct occupancy_query *query)
{
    uint64_t low = vary == VARY_REGISTERS ? 1 : 0, high = get_varied(query, vary);
    if (high < low || own_limit(machine, query, vary, low) < wanted) return false;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (own_limit(machine, query, vary, middle) >= wanted)
            low = middle;
        else
            high = middle - 1;
    }
    set_varied(query, vary, low);
    return true;
}

bool machine_occupancy_next(const struct machine *machine, const struct occupancy_query *query,
                            unsigned vary, struct occupancy_query *out_query, struct occupancy *out)
{
    struct occupancy now = machine_count_blocks(machine, query);
    *out_query = *query;
    *out = now;
    if (!query->threads_per_block || !now.max_warps) return false;
    bool found = true;
    if (vary & VARY_REGISTERS)
        found = found && lower(machine, VARY_REGISTERS, now.blocks_per_sm + 1, out_query);
    if (vary & VARY_SHARED)
        found = found && lower(machine, VARY_SHARED, now.blocks_per_sm + 1, out_query);
    if (vary & VARY_BLOCK) found = found && next_block(machine, query, now.warps_per_sm, out_query);
    if (found) *out = machine_count_blocks(machine, out_query);
    if (found && out->warps_per_sm > now.warps_per_sm) return true;
    *out_query = *query;
    *out = now;
    return false;
}
