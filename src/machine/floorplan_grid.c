// SPDX-License-Identifier: Apache-2.0
/* A floorplan for a chip whose own is not known. Every share is a guess, after die photographs of
 * NVIDIA's chips in general:
 *
 *     +---+-----------------------+---+
 *     | m | TPC  TPC  TPC ...     | m |     upper half of the TPCs, in rows
 *     | e |-----------------------| e |
 *     | m | L2, crossbar, rest    | m |     a band across the middle
 *     | o |-----------------------| o |
 *     | r | TPC  TPC  TPC ...     | r |     lower half
 *     +---+-----------------------+---+
 *
 * A TPC has its SMs side by side and what they share beneath. */
#include <math.h>

#include "machine/machine.h"

static const double EDGE_SHARE = 0.08;   /* guess: each of the two memory edges, of the width */
static const double BAND_SHARE = 0.24;   /* guess: the middle, of the height */
static const double SHARED_SHARE = 0.16; /* guess: the shared part of a TPC, of its height */

struct grid {
    struct arena *arena;
    struct floorplan_block *blocks;
    size_t count;
    unsigned sm_count, sms_per_tpc, tpc_count;
    double side;
};

static void add(struct grid *grid, struct floorplan_block block)
{
    grid->blocks[grid->count++] = block;
}

static void add_tpc(struct grid *grid, unsigned tpc, double x, double y, double width,
                    double height)
{
    unsigned first = tpc * grid->sms_per_tpc;
    unsigned sms =
        grid->sm_count - first < grid->sms_per_tpc ? grid->sm_count - first : grid->sms_per_tpc;
    bool is_shared = grid->sms_per_tpc > 1;
    double sm_height = is_shared ? height * (1 - SHARED_SHARE) : height, sm_width = width / sms;
    for (unsigned i = 0; i < sms; i++)
        add(grid,
            (struct floorplan_block){arena_format(grid->arena, "sm%u", first + i), FLOORPLAN_SM,
                                     first + i, tpc, x + i * sm_width, y, sm_width, sm_height});
    if (!is_shared) return;
    add(grid, (struct floorplan_block){arena_format(grid->arena, "tpc%u", tpc), FLOORPLAN_TPC, 0,
                                       tpc, x, y + sm_height, width, height - sm_height});
}

/* `count` TPCs from `first` in near-square rows; what is left over of the last row is dark. */
static void add_half(struct grid *grid, unsigned first, unsigned count, double y, double height)
{
    double x = EDGE_SHARE * grid->side, width = (1 - 2 * EDGE_SHARE) * grid->side;
    if (!count) {
        add(grid, (struct floorplan_block){"dark", FLOORPLAN_OTHER, 0, 0, x, y, width, height});
        return;
    }
    unsigned rows = (unsigned)fmax(1, floor(sqrt(count * height / width)));
    unsigned columns = (count + rows - 1) / rows;
    double site_width = width / columns, site_height = height / rows;
    for (unsigned i = 0; i < rows * columns; i++) {
        double at_x = x + i % columns * site_width, at_y = y + i / columns * site_height;
        if (i < count)
            add_tpc(grid, first + i, at_x, at_y, site_width, site_height);
        else
            add(grid, (struct floorplan_block){arena_format(grid->arena, "dark%u", first + i),
                                               FLOORPLAN_OTHER, 0, 0, at_x, at_y, site_width,
                                               site_height});
    }
}

static void add_edges(struct grid *grid, unsigned channels)
{
    unsigned left = (channels + 1) / 2;
    for (unsigned i = 0; i < channels; i++) {
        bool is_left = i < left;
        unsigned row = is_left ? i : i - left, rows = is_left ? left : channels - left;
        double height = grid->side / rows, width = EDGE_SHARE * grid->side;
        add(grid, (struct floorplan_block){
                      arena_format(grid->arena, "mc%u", i), FLOORPLAN_MEMORY_CONTROLLER, 0, 0,
                      is_left ? 0 : grid->side - width, row * height, width, height});
    }
}

ws_status machine_floorplan_grid(struct diag *diag, struct arena *arena,
                                 const struct machine *machine, const struct floorplan **out)
{
    double area = machine_get(machine, MACHINE_DIE_AREA, 0);
    double sms = machine_get(machine, MACHINE_SM_COUNT, 0);
    double together = fmin(machine_get(machine, MACHINE_SM_PER_CLUSTER, 1), sms);
    double channels = fmax(2, machine_get(machine, MACHINE_DRAM_CHANNELS, 2));
    *out = NULL;
    if (!(area > 0) || !(sms > 0))
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "%s: a grid floorplan requires %s, which the machine file lacks: add it, "
                          "or use --set machine.%s=...",
                          machine->id, area > 0 ? "sm.count" : "die.area",
                          area > 0 ? "sm.count=N" : "die.area=800mm2");
    if (sms > 1024 || channels > 256)
        return diag_error(diag, WS_ERR_NO_MODEL,
                          "%s: a grid floorplan supports at most 1024 SMs and 256 memory "
                          "channels",
                          machine->id);
    struct grid grid = {.arena = arena,
                        .sm_count = (unsigned)sms,
                        .sms_per_tpc = (unsigned)together,
                        .side = sqrt(area)};
    grid.tpc_count = (grid.sm_count + grid.sms_per_tpc - 1) / grid.sms_per_tpc;
    grid.blocks = ARENA_ARRAY(arena, struct floorplan_block, 4 * grid.sm_count + 300);
    unsigned upper = (grid.tpc_count + 1) / 2;
    double half = grid.side * (1 - BAND_SHARE) / 2;
    add_half(&grid, 0, upper, 0, half);
    add(&grid,
        (struct floorplan_block){"middle", FLOORPLAN_OTHER, 0, 0, EDGE_SHARE * grid.side, half,
                                 (1 - 2 * EDGE_SHARE) * grid.side, grid.side - 2 * half});
    add_half(&grid, upper, grid.tpc_count - upper, grid.side - half, half);
    add_edges(&grid, (unsigned)channels);
    struct floorplan *plan = ARENA_ARRAY(arena, struct floorplan, 1);
    *plan = (struct floorplan){.width_metres = grid.side,
                               .height_metres = grid.side,
                               .block_count = grid.count,
                               .blocks = grid.blocks,
                               .sm_count = grid.sm_count,
                               .tpc_count = grid.tpc_count,
                               .source = "assumed",
                               .assumed = true};
    *out = plan;
    return WS_OK;
}
