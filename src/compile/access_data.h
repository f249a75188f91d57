// SPDX-License-Identifier: Apache-2.0
/* How the data of an access moves, once its addresses are found to be good. Private to compile/. */
#ifndef COMPILE_ACCESS_DATA_H
#define COMPILE_ACCESS_DATA_H

#include "compile/body.h"

/* Are there templates for elements of this width in registers of this width? */
bool data_can_move(const struct uop *u);

/* All lanes, side by side: r9 is the host's address of lane 0, r10 that of lane 16 (of single elements). */
bool data_is_dense(const struct uop *u);
/* May the halves of the warp lie apart? */
bool data_takes_halves(const struct uop *u);
void data_load_dense(struct body *b, const struct uop *u, const struct result *results);
void data_store_dense(struct body *b, const struct uop *u, const struct source *values);

/* All lanes of a half of the warp from one address. */
bool data_has_broadcast(const struct uop *u);
void data_load_broadcast(struct body *b, const struct uop *u, const struct result *results);

/* The lanes of frame.mask. r11: the host's address of address 0; by_lane: of lane 0, those of the others lie r10 bytes
 * apart. addresses: 32 in the frame. */
void data_load_lanes(struct body *b, const struct uop *u, const struct result *results,
                     const struct x86_place *addresses, bool by_lane);
void data_store_lanes(struct body *b, const struct uop *u, const struct source *values,
                      const struct x86_place *addresses, bool by_lane);

/* Is it an atomic that has a template? Lanes of frame.mask, one after the other; r11 as above. */
bool data_is_atomic(const struct uop *u);
void data_atomic_lanes(struct body *b, const struct uop *u, const struct result *results,
                       const struct source *values, const struct x86_place *addresses,
                       bool is_shared);

#endif
