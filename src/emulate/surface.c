// SPDX-License-Identifier: Apache-2.0
/* Surfaces: where suld.b and sust.b access a texture's texels. x counts bytes, y and z rows and slices, a layer comes
 * before them (PTX ISA 9.7.11). */
#include <string.h>

#include "emulate/exec.h"

struct spot {
    int64_t layer, x, y, z;
};

static uint32_t word_at(const struct exec *x, operand_ref ref, unsigned lane)
{
    uint32_t word;
    memcpy(&word, x->base[ref >> 30] + (ref & 0x3fffffff) + 4 * lane, sizeof word);
    return word;
}

/* Why the instruction cannot access this surface; NULL: it can. Faces of cubes are layers. */
static const char *mismatch(const struct insn *insn, const ws_texture *t)
{
    static const uint8_t geometries[] = {[WS_TEXTURE_LINEAR_MEMORY] = SUB_NONE,
                                         [WS_TEXTURE_1D] = SUB_1D,
                                         [WS_TEXTURE_2D] = SUB_2D,
                                         [WS_TEXTURE_3D] = SUB_3D,
                                         [WS_TEXTURE_1D_LAYERED] = SUB_1D_LAYERED,
                                         [WS_TEXTURE_2D_LAYERED] = SUB_2D_LAYERED,
                                         [WS_TEXTURE_CUBE] = SUB_2D_LAYERED,
                                         [WS_TEXTURE_CUBE_LAYERED] = SUB_2D_LAYERED};
    return geometries[t->kind] == insn->sub_op
               ? NULL
               : "geometry mismatch between surface and instruction";
}

static struct spot spot_of(const struct exec *x, const struct uop *u, unsigned lane)
{
    const operand_ref *places = u->elements + 2 * u->vector + 1;
    unsigned geometry = u->insn->sub_op;
    bool layered = geometry == SUB_1D_LAYERED || geometry == SUB_2D_LAYERED;
    struct spot spot = {0, 0, 0, 0};
    if (layered) spot.layer = word_at(x, *places++, lane);
    spot.x = (int32_t)word_at(x, places[0], lane);
    if (geometry == SUB_2D || geometry == SUB_3D || geometry == SUB_2D_LAYERED)
        spot.y = (int32_t)word_at(x, places[1], lane);
    if (geometry == SUB_3D) spot.z = (int32_t)word_at(x, places[2], lane);
    return spot;
}

static bool holds(int64_t *at, int64_t size, int64_t step, bool clamps)
{
    if (*at >= 0 && *at + step <= size) return true;
    if (clamps) *at = *at < 0 ? 0 : size - step;
    return clamps;
}

/* False: the lane accesses nothing; *why: it is a fault. */
static bool find(const struct uop *u, const ws_texture *t, struct spot spot, uint64_t *address,
                 const char **why)
{
    int64_t slices = (int64_t)t->depth, line = (int64_t)(t->width * texture_texel_bytes(t));
    bool is_volume = t->kind == WS_TEXTURE_3D, clamps = u->insn->choice == CHOICE_CLAMP;
    bool is_inside = holds(&spot.x, line, u->bytes, clamps) &&
                     holds(&spot.y, (int64_t)t->height, 1, clamps) &&
                     holds(is_volume ? &spot.z : &spot.layer, slices, 1, clamps);
    if (!is_inside && u->insn->choice == CHOICE_TRAP)
        *why = "the coordinates lie outside of the surface";
    if (!is_inside) return false;
    if (spot.x % u->bytes) *why = "x, which counts bytes, must be a multiple of what is accessed";
    *address = t->address + (uint64_t)(is_volume ? spot.z : spot.layer) * t->slice_bytes +
               (uint64_t)spot.y * t->pitch_bytes + (uint64_t)spot.x;
    return !*why;
}

bool surface_locate(struct exec *x, const struct uop *u, uint64_t addresses[WARP_LANES],
                    uint32_t *lanes)
{
    operand_ref ref = u->elements[2 * u->vector];
    *lanes = 0;
    for (uint32_t left = x->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const char *why;
        uint64_t handle = texture_handle(x, u, ref, lane);
        const ws_texture *surface = texture_find(x->launch->device, handle, &why);
        if (surface) why = mismatch(u->insn, surface);
        bool accesses = !why && find(u, surface, spot_of(x, u, lane), &addresses[lane], &why);
        *lanes |= (uint32_t)accesses << lane;
        if (!why) continue;
        texture_fault(x, u, lane, handle, why);
        if (!check_goes_on(x)) return false;
    }
    return true;
}
