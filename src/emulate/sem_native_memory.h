// SPDX-License-Identifier: Apache-2.0
/* Operations of native code on memory that PTX lacks (isa/native_ops.def). */
#ifndef EMULATE_SEM_NATIVE_MEMORY_H
#define EMULATE_SEM_NATIVE_MEMORY_H

#include "emulate/sem_memory.h"
#include "isa/native_modifiers.h"

/* p <- [a]: is the generic address one of the space? */
static void n_qspc(struct exec *x, const struct uop *u)
{
    uint64_t a[WARP_LANES];
    uint32_t bits = 0;
    lane_addresses(x, u, a);
    LANES
    {
        enum mem_space window = window_of(a[i]);
        bool is_mine = window == u->space || (u->space == SPACE_GLOBAL && window == SPACE_PARAM);
        bits |= (uint32_t)is_mine << i;
    }
    write_predicate(x, u->dst[0], bits);
}

/* ---- copies from global to shared memory ------------------------------------------------------- */

enum { COPY_BYTES_MAX = 16 };
struct copy {
    uint64_t from[WARP_LANES]; /* aligned to the size of the copy */
    uint8_t bytes[WARP_LANES]; /* that are read; zeros follow */
    unsigned char data[WARP_LANES][COPY_BYTES_MAX];
};

/* The pieces of `bytes` bytes, a power of two, that a copy of so many has. */
static bool copy_pieces(struct exec *x, const struct uop *u, struct copy *copy, unsigned bytes)
{
    struct uop one = *u;
    struct place p;
    uint32_t mask = 0;
    LANES mask |= (uint32_t)((copy->bytes[i] & bytes) != 0) << i;
    mask &= x->mask;
    if (!mask) return true;
    LANES p.a[i] = copy->from[i] + (copy->bytes[i] & ~(2 * bytes - 1));
    one.bytes = (uint8_t)bytes;
    if (!locate(x, &one, &p, SPACE_GLOBAL, mask, READS)) return !x->fault.kind;
    for (uint32_t left = p.access.mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        memcpy(copy->data[i] + (copy->bytes[i] & ~(2 * bytes - 1)), lane_host(&p, i), bytes);
    }
    return true;
}

/* <- [global], shared register, shared offset, shared uniform register, p. Lanes whose p does not hold write
 * zeros. With .ZFILL an address that is k bytes behind a multiple of the size stands for a copy of the size - k
 * bytes at that multiple, and k zeros. */
static void n_ldgsts(struct exec *x, const struct uop *u)
{
    const uint32_t *to = SRC(uint32_t, 1), *offset = SRC(uint32_t, 2), *uniform = SRC(uint32_t, 3);
    uint32_t p = source_predicate(x, u, 4);
    unsigned size = u->bytes;
    bool fills = u->insn->modifiers & NM_FILL;
    struct copy copy = {0};
    struct place place;
    if (x->fault.kind || !x->mask) return;
    lane_addresses(x, u, copy.from);
    LANES
    {
        unsigned behind = fills ? (unsigned)copy.from[i] & (size - 1) : 0;
        copy.bytes[i] = p >> i & 1 ? (uint8_t)(size - behind) : 0;
        copy.from[i] -= behind;
        place.a[i] = to[i] + offset[i] + uniform[i];
    }
    for (unsigned bytes = COPY_BYTES_MAX; bytes; bytes /= 2)
        if (!copy_pieces(x, u, &copy, bytes)) return;
    struct uop write = *u;
    write.space = SPACE_SHARED;
    if (!locate(x, &write, &place, SPACE_SHARED, x->mask, WRITES)) {
        x->fault.store = true;
        return;
    }
    for (uint32_t left = place.access.mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        memcpy(lane_host(&place, i), copy.data[i], size);
    }
}

SELECT_ONE(n_qspc, SAME(n_qspc))
SELECT_ONE(n_ldgsts, SAME(n_ldgsts))

#endif
