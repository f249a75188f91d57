// SPDX-License-Identifier: Apache-2.0
/* Accesses by lanes whose addresses an operation computes: matrices, surfaces. */
#ifndef EMULATE_SEM_SCATTERED_H
#define EMULATE_SEM_SCATTERED_H

#include "emulate/sem_memory.h"

/* One access of `bytes` by the lanes of the mask at these addresses, lane i's bytes at data + step * i. */
static bool scattered_access(struct exec *x, const struct uop *u, const uint64_t *addresses,
                             uint32_t lanes, unsigned bytes, unsigned what, unsigned char *data,
                             size_t step)
{
    struct uop one = *u;
    one.bytes = (uint8_t)bytes;
    for (uint32_t left = lanes; left;) {
        struct place p;
        unsigned space =
            u->space == SPACE_GENERIC ? window_of(addresses[__builtin_ctz(left)]) : u->space;
        uint32_t mask = 0;
        LANES
        {
            bool same = u->space != SPACE_GENERIC || window_of(addresses[i]) == space;
            mask |= (uint32_t)((left >> i) & 1 && same) << i;
            p.a[i] = u->space == SPACE_GENERIC ? window_offset(addresses[i], space) : addresses[i];
        }
        left &= ~mask;
        if (!locate(x, &one, &p, space, mask, what)) {
            if (x->fault.kind) return false;
            continue;
        }
        for (uint32_t on = p.access.mask; on; on &= on - 1) {
            unsigned i = (unsigned)__builtin_ctz(on);
            unsigned char *host = lane_host(&p, i);
            if (what == READS)
                memcpy(data + step * i, host, bytes);
            else
                memcpy(host, data + step * i, bytes);
        }
    }
    return true;
}

#endif
