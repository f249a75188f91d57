// SPDX-License-Identifier: Apache-2.0
/* The addresses of an instruction line, and the spaces that they belong to. */
#ifndef REPLAY_ADDRESSES_H
#define REPLAY_ADDRESSES_H

#include "replay/sass_code.h"

/* Of the lanes of `mask`; the others are not set. */
struct lane_addresses {
    uint64_t lanes[LANES];
    int64_t stride; /* from lane to lane, if is_run */
    bool is_run;    /* as mode 1 says of lanes that follow each other */
};

/* Reads mode, addresses and the immediate behind them, up to the end of the line. Modes: 0 all
 * addresses, 1 first address and stride, 2 first address and the difference to each lane's
 * predecessor. */
ws_status addresses_read(struct diag *diag, const struct traceg *traceg, const char *tail,
                         uint32_t mask, struct lane_addresses *out);

/* Shared or local windows of generic addresses: 16 MiB each. */
bool address_is_shared(const struct replay_header *header, uint64_t address);
bool address_is_local(const struct replay_header *header, uint64_t address);

/* Does LDGSTS mean shared memory by this? A window's address, or an offset that no allocation in
 * global memory has. */
bool address_is_shared_side(const struct replay_header *header, uint64_t address);

/* Accesses of one instruction: one, or up to three of a generic one. Shared and local addresses
 * become offsets in place. Returns how many. */
unsigned addresses_to_accesses(const struct replay_header *header, const struct code_insn *insn,
                               uint32_t mask, struct lane_addresses *addresses,
                               struct access out[3]);

#endif
