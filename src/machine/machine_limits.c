// SPDX-License-Identifier: Apache-2.0
/* What a GPU can launch at all. */
#include "machine/machine.h"

static ws_status check_limit(struct diag *diag, const struct machine *machine, const char *what,
                             uint64_t given, enum machine_key key)
{
    if (!machine_has(machine, key) || (double)given <= machine->values[key].value) return WS_OK;
    return diag_error(
        diag, WS_ERR_LAUNCH,
        "%s: %s is %llu, but %s (compute capability %u.%u) allows %.0f: reduce it or omit this GPU",
        machine->id, what, (unsigned long long)given, machine->name, machine->cc_major,
        machine->cc_minor, machine->values[key].value);
}

ws_status machine_check_launch(struct diag *diag, const struct machine *machine,
                               const uint32_t grid[3], const uint32_t block[3],
                               uint64_t dynamic_shared_bytes)
{
    TRY(check_limit(diag, machine, "the number of threads in a block",
                    (uint64_t)block[0] * block[1] * block[2], MACHINE_BLOCK_MAX_THREADS));
    TRY(check_limit(diag, machine, "the block in x", block[0], MACHINE_BLOCK_MAX_X));
    TRY(check_limit(diag, machine, "the block in y", block[1], MACHINE_BLOCK_MAX_Y));
    TRY(check_limit(diag, machine, "the block in z", block[2], MACHINE_BLOCK_MAX_Z));
    TRY(check_limit(diag, machine, "the grid in x", grid[0], MACHINE_GRID_MAX_X));
    TRY(check_limit(diag, machine, "the grid in y", grid[1], MACHINE_GRID_MAX_Y));
    TRY(check_limit(diag, machine, "the grid in z", grid[2], MACHINE_GRID_MAX_Z));
    return check_limit(diag, machine, "the dynamic shared memory of a block", dynamic_shared_bytes,
                       MACHINE_SHARED_PER_BLOCK);
}
