// SPDX-License-Identifier: Apache-2.0
/* suld.b, sust.b and sured.b: bytes of a surface as they are; surface.c finds them. */
#ifndef EMULATE_SEM_SURFACE_H
#define EMULATE_SEM_SURFACE_H

#include "emulate/sem_atomic.h"
#include "emulate/sem_scattered.h"
#include "emulate/sem_select.h"

enum { SURFACE_BYTES_MAX = 16 };

static void surface_any(struct exec *x, const struct uop *u)
{
    uint64_t addresses[WARP_LANES] = {0};
    unsigned char data[WARP_LANES][SURFACE_BYTES_MAX] = {{0}};
    bool loads = u->insn->op == OP_SULD;
    uint32_t lanes;
    if (x->fault.kind || !x->mask || !surface_locate(x, u, addresses, &lanes)) return;
    for (unsigned k = 0; k < u->vector && !loads; k++)
        LANES
        {
            uint64_t value = read_bits(x, u->elements[u->vector + k], u->dst_bits, i);
            memcpy(data[i] + k * u->element, &value, u->element);
        }
    if (lanes && !scattered_access(x, u, addresses, lanes, u->bytes, loads ? READS : WRITES,
                                   data[0], sizeof data[0]))
        return;
    for (unsigned k = 0; k < u->vector && loads; k++) {
        if (u->elements[k] == REF_NONE) continue;
        for (uint32_t left = x->mask; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            uint64_t value = 0;
            memcpy(&value, data[i] + k * u->element, u->element);
            write_bits(x, u->elements[k], u->dst_bits, value, 0, i);
        }
    }
}

/* One word a lane, as red does. */
static void surface_red_any(struct exec *x, const struct uop *u)
{
    uint64_t addresses[WARP_LANES] = {0};
    struct place p;
    uint32_t lanes;
    if (x->fault.kind || !x->mask || !surface_locate(x, u, addresses, &lanes) || !lanes) return;
    memcpy(p.a, addresses, sizeof addresses);
    if (locate(x, u, &p, SPACE_GLOBAL, lanes, READS | WRITES)) atomic_data(x, u, &p, SPACE_GLOBAL);
}

SELECT_ONE(surface, SAME(surface_any))
SELECT_ONE(surface_red, SAME(surface_red_any))

#endif
