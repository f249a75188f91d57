// SPDX-License-Identifier: Apache-2.0
#include "replay/addresses.h"

#include <string.h>

#define WINDOW_BYTES (UINT64_C(1) << 24)

/* ---- reading --------------------------------------------------------------------------------- */

static unsigned lowest(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

static ws_status read_all(struct diag *diag, const struct traceg *t, const char **at, uint32_t mask,
                          uint64_t *lanes)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        if (!traceg_hex(at, &lanes[lowest(rest)]))
            return traceg_fail(diag, t, *at, "expected the address of lane %u", lowest(rest));
    return WS_OK;
}

/* A mask of 0 has a base and a stride all the same. */
static ws_status read_stride(struct diag *diag, const struct traceg *t, const char **at,
                             uint32_t mask, struct lane_addresses *out)
{
    uint64_t base;
    int64_t stride;
    if (!traceg_hex(at, &base)) return traceg_fail(diag, t, *at, "expected a base address");
    const char *start = *at;
    if (!traceg_signed(at, &stride)) return traceg_fail(diag, t, start, "expected a stride");
    for (uint32_t rest = mask; rest; rest &= rest - 1, base += (uint64_t)stride)
        out->lanes[lowest(rest)] = base;
    uint32_t run = mask ? mask >> lowest(mask) : 0;
    out->is_run = (run & (run + 1)) == 0;
    out->stride = stride;
    return WS_OK;
}

static ws_status read_deltas(struct diag *diag, const struct traceg *t, const char **at,
                             uint32_t mask, uint64_t *lanes)
{
    uint64_t address;
    if (!traceg_hex(at, &address)) return traceg_fail(diag, t, *at, "expected a base address");
    if (!mask) return WS_OK;
    lanes[lowest(mask)] = address;
    for (uint32_t rest = mask & (mask - 1); rest; rest &= rest - 1) {
        int64_t delta;
        if (!traceg_signed(at, &delta))
            return traceg_fail(diag, t, *at, "expected the address difference of lane %u",
                               lowest(rest));
        address += (uint64_t)delta;
        lanes[lowest(rest)] = address;
    }
    return WS_OK;
}

ws_status addresses_read(struct diag *diag, const struct traceg *t, const char *tail, uint32_t mask,
                         struct lane_addresses *out)
{
    const char *at = tail;
    uint64_t mode;
    out->is_run = false;
    int64_t immediate;
    if (!traceg_decimal(&at, &mode) || mode > 2)
        return traceg_fail(diag, t, tail, "expected the address mode: 0, 1 or 2");
    if (mode == 0)
        TRY(read_all(diag, t, &at, mask, out->lanes));
    else if (mode == 1)
        TRY(read_stride(diag, t, &at, mask, out));
    else
        TRY(read_deltas(diag, t, &at, mask, out->lanes));
    const char *behind = at;
    if (*at && traceg_signed(&at, &immediate) && !*at) return WS_OK;
    if (!*behind) return WS_OK; /* version 3 has no immediate */
    uint64_t bits;              /* an immediate of 64 bits */
    at = behind;
    if (traceg_decimal(&at, &bits) && !*at) return WS_OK;
    return traceg_fail(
        diag, t, behind,
        "unexpected text after the addresses of %d lanes: only an immediate may follow",
        __builtin_popcount(mask));
}

/* ---- spaces ---------------------------------------------------------------------------------- */

static bool in_window(uint64_t base, uint64_t address)
{
    return base && address - base < WINDOW_BYTES;
}

bool address_is_shared(const struct replay_header *header, uint64_t address)
{
    return in_window(header->shared_base, address);
}

bool address_is_local(const struct replay_header *header, uint64_t address)
{
    return in_window(header->local_base, address);
}

bool address_is_shared_side(const struct replay_header *header, uint64_t address)
{
    return address < WINDOW_BYTES || address_is_shared(header, address);
}

/* Uniform and strided accesses are cheap to count. */
static void find_shape(struct access *access, const struct lane_addresses *from)
{
    const uint64_t *at = from->lanes;
    unsigned first = lowest(access->mask);
    uint32_t others = access->mask & (access->mask - 1);
    access->shape = ACCESS_UNIFORM;
    access->base = at[first];
    if (!others) return;
    if (from->is_run) {
        access->shape = from->stride ? ACCESS_STRIDED : ACCESS_UNIFORM;
        access->base -= (uint64_t)from->stride * first;
        access->stride = from->stride;
        return;
    }
    unsigned second = lowest(others);
    int64_t gap = (int64_t)(at[second] - at[first]), lanes = (int64_t)(second - first);
    int64_t stride = gap / lanes;
    access->shape = ACCESS_GENERAL;
    if (stride * lanes != gap) return;
    uint64_t base = at[first] - (uint64_t)stride * first;
    for (uint32_t rest = others; rest; rest &= rest - 1) {
        unsigned lane = lowest(rest);
        if (at[lane] != base + (uint64_t)stride * lane) return;
    }
    access->shape = stride ? ACCESS_STRIDED : ACCESS_UNIFORM;
    access->base = base;
    access->stride = stride;
}

static struct access make_access(enum mem_space space, const struct code_insn *insn, uint32_t mask,
                                 struct lane_addresses *addresses, uint64_t window)
{
    uint32_t inside = 0;
    for (uint32_t rest = window ? mask : 0; rest; rest &= rest - 1) {
        uint64_t *address = &addresses->lanes[lowest(rest)];
        if (!in_window(window, *address)) continue;
        *address -= window;
        inside |= rest & -rest;
    }
    if (inside && inside != mask) addresses->is_run = false;
    struct access access = {
        .space = (uint8_t)space, .bytes = insn->bytes, .mask = mask, .addresses = addresses->lanes};
    find_shape(&access, addresses);
    return access;
}

static unsigned split_generic(const struct replay_header *header, const struct code_insn *insn,
                              uint32_t mask, struct lane_addresses *addresses, struct access out[3])
{
    uint32_t shared = 0, local = 0;
    unsigned count = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = lowest(rest);
        if (address_is_shared(header, addresses->lanes[lane]))
            shared |= UINT32_C(1) << lane;
        else if (address_is_local(header, addresses->lanes[lane]))
            local |= UINT32_C(1) << lane;
    }
    if (mask & ~(shared | local))
        out[count++] = make_access(SPACE_GLOBAL, insn, mask & ~(shared | local), addresses, 0);
    if (shared)
        out[count++] = make_access(SPACE_SHARED, insn, shared, addresses, header->shared_base);
    if (local) out[count++] = make_access(SPACE_LOCAL, insn, local, addresses, header->local_base);
    return count;
}

unsigned addresses_to_accesses(const struct replay_header *header, const struct code_insn *insn,
                               uint32_t mask, struct lane_addresses *addresses,
                               struct access out[3])
{
    mask &= insn->lanes;
    if (!mask || insn->route == ROUTE_NONE) return 0;
    if (insn->route == ROUTE_GENERIC) return split_generic(header, insn, mask, addresses, out);
    if (insn->route == ROUTE_COPY) {
        if (address_is_shared_side(header, addresses->lanes[lowest(mask)])) return 0;
        out[0] = make_access(SPACE_GLOBAL, insn, mask, addresses, 0);
        return 1;
    }
    enum mem_space space = (enum mem_space)insn->insn.space;
    uint64_t window = space == SPACE_SHARED  ? header->shared_base
                      : space == SPACE_LOCAL ? header->local_base
                                             : 0;
    out[0] = make_access(space, insn, mask, addresses, window);
    return 1;
}
