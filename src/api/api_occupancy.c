// SPDX-License-Identifier: Apache-2.0
#include "api/handles.h"
#include "base/float_state.h"

_Static_assert((int)WS_LIMIT_SM == OCCUPANCY_SM && (int)WS_LIMIT_REGISTERS == OCCUPANCY_REGISTERS &&
                   (int)WS_LIMIT_SHARED == OCCUPANCY_SHARED &&
                   (int)WS_LIMIT_WARPS == OCCUPANCY_WARPS &&
                   (int)WS_LIMIT_BARRIERS == OCCUPANCY_BARRIERS,
               "the bits are handed through");
_Static_assert((int)WS_VARY_BLOCK == VARY_BLOCK && (int)WS_VARY_REGISTERS == VARY_REGISTERS &&
                   (int)WS_VARY_SHARED == VARY_SHARED,
               "the bits are handed through");

static struct occupancy_query read_query(const ws_occupancy_query *query)
{
    return (struct occupancy_query){
        .threads_per_block = query->threads_per_block,
        .registers_per_thread = query->registers_per_thread,
        .shared_bytes = query->shared_bytes,
        .barriers = query->barriers,
        .partitioned_caching = query->partitioned_caching,
        .no_granularity = query->no_granularity,
    };
}

static ws_occupancy write_result(const struct occupancy *from, size_t size)
{
    return (ws_occupancy){
        .size = size,
        .blocks_per_sm = from->blocks_per_sm,
        .warps_per_sm = from->warps_per_sm,
        .warps_per_block = from->warps_per_block,
        .max_warps_per_sm = from->max_warps,
        .fraction = from->fraction,
        .limit_sm = from->limit_sm,
        .limit_registers = from->limit_registers,
        .limit_shared = from->limit_shared,
        .limit_warps = from->limit_warps,
        .limit_barriers = from->limit_barriers,
        .limiters = from->limiters,
    };
}

static ws_status check_query(const ws_machine *machine, const ws_occupancy_query *query)
{
    return handle_check_size(&machine->context->diag, "ws_occupancy_query", query->size,
                             sizeof *query);
}

static ws_status check_result(const ws_machine *machine, const ws_occupancy *out)
{
    return handle_check_size(&machine->context->diag, "ws_occupancy", out->size, sizeof *out);
}

ws_status ws_machine_occupancy(const ws_machine *machine, const ws_occupancy_query *query,
                               ws_occupancy *out)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    struct occupancy found;
    TRY(check_query(machine, query));
    TRY(check_result(machine, out));
    struct occupancy_query asked = read_query(query);
    ws_status status = machine_occupancy(&machine->context->diag, machine->machine, &asked, &found);
    if (status != WS_OK) found = (struct occupancy){0};
    *out = write_result(&found, out->size);
    return status;
}

ws_status ws_machine_occupancy_curve(const ws_machine *machine, const ws_occupancy_query *query,
                                     ws_vary vary, ws_occupancy_point *out, size_t capacity,
                                     size_t *out_count)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    struct diag *diag = &machine->context->diag;
    struct occupancy_query asked;
    *out_count = 0;
    TRY(check_query(machine, query));
    if (vary != WS_VARY_BLOCK && vary != WS_VARY_REGISTERS && vary != WS_VARY_SHARED)
        return diag_error(diag, WS_ERR_ARGUMENT, "invalid ws_vary value %u", (unsigned)vary);
    asked = read_query(query);
    return machine_occupancy_curve(diag, machine->machine, &asked, (enum occupancy_vary)vary, out,
                                   capacity, out_count);
}

ws_status ws_machine_occupancy_next(const ws_machine *machine, const ws_occupancy_query *query,
                                    unsigned vary, ws_occupancy_query *out_query, ws_occupancy *out)
{
    STANDARD_FLOATS;
    API_CALL(machine->context)
    struct diag *diag = &machine->context->diag;
    struct occupancy_query next;
    struct occupancy found;
    TRY(check_query(machine, query));
    TRY(check_query(machine, out_query));
    TRY(check_result(machine, out));
    struct occupancy_query asked = read_query(query);
    size_t size = out_query->size;
    bool helps = machine_occupancy_next(machine->machine, &asked, vary, &next, &found);
    *out = write_result(&found, out->size);
    *out_query = *query;
    out_query->size = size;
    out_query->threads_per_block = next.threads_per_block;
    out_query->registers_per_thread = next.registers_per_thread;
    out_query->shared_bytes = next.shared_bytes;
    if (helps) return WS_OK;
    return diag_error(diag, WS_ERR_COMPARE,
                      "%s: no such change increases the resident warps per SM",
                      machine->machine->id);
}
