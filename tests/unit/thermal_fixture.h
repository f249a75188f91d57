// SPDX-License-Identifier: Apache-2.0
/* A thermal network of a machine file, for tests of the model itself. */
#ifndef TESTS_THERMAL_FIXTURE_H
#define TESTS_THERMAL_FIXTURE_H

#include <string.h>

#include "api/handles.h"
#include "model/thermal/thermal.h"

struct fixture {
    ws_context *context;
    ws_machine *machine;
    struct arena arena; /* of a floorplan that was made up */
    const struct floorplan *plan;
    struct thermal *thermal;
};

static inline struct diag *fixture_diag(const struct fixture *f)
{
    return &f->context->diag;
}

/* The network of the machine, which may have been changed, under its floorplan or one in an array. */
static inline ws_status fixture_build(struct fixture *f, unsigned cells, bool grid)
{
    const struct machine *machine = f->machine->machine;
    f->plan = machine->floorplan;
    if (grid) TRY(machine_floorplan_grid(fixture_diag(f), &f->arena, machine, &f->plan));
    return thermal_create(fixture_diag(f), machine, f->plan, cells, grid, &f->thermal);
}

static inline void close_fixture(struct fixture *f)
{
    thermal_destroy(f->thermal);
    arena_clear(&f->arena);
    ws_machine_destroy(f->machine);
    ws_context_destroy(f->context);
}

#endif
