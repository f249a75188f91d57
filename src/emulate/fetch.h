// SPDX-License-Identifier: Apache-2.0
/* Texture fetches, after the appendix "Texture Fetching" of the CUDA C++ Programming Guide; the names are its own: N texels,
 * x the coordinate, T[i] a texel, alpha the fraction. Lanes that have one handle fetch together: sem_texture.h computes
 * where and what, and fetch.c looks up, checks and tells. */
#ifndef EMULATE_FETCH_H
#define EMULATE_FETCH_H

#include "emulate/exec.h"

enum { TAPS_MAX = 8, FRACTION_STEPS = 256 }; /* alpha has 8 bits of fraction (guide) */

/* Of a handle. */
struct known_texture {
    uint64_t handle;
    const ws_texture *texture; /* NULL: there is none */
    const char *why;           /* the instruction cannot read it; NULL: it can */
    bool is_written;           /* all of it is there, and every texel may be read */
};

/* One texel that lanes read. Behind fetch_check the address is one that a lane reads also where this lane is not inside, or
 * does not fetch, if any lane reads. */
struct tap {
    uint64_t address[WARP_LANES] __attribute__((aligned(64)));
    float weight[WARP_LANES] __attribute__((aligned(64))); /* of up to 24 bits: exact */
    uint32_t inside;                                       /* other lanes get the border */
};
struct fetch {
    const ws_texture *texture;
    uint32_t lanes;
    unsigned tap_count;
    struct tap taps[TAPS_MAX];
};

/* The texture of a lane's handle, for this instruction. */
void fetch_look_up(const struct exec *x, const struct uop *u, unsigned lane,
                   struct known_texture *out);
/* Leaves out the lanes that cannot fetch. False: a fault was recorded, and the launch ends. */
bool fetch_check(struct exec *x, const struct uop *u, const struct known_texture *known,
                 struct fetch *f);
/* One of the two neighbours of a point between texels is what tld4 fetches, too. */
static inline bool fetch_takes_two(const struct uop *u, const ws_texture *t)
{
    return t->linear_filter || u->insn->op == OP_TLD4;
}

#endif
