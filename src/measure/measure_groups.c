// SPDX-License-Identifier: Apache-2.0
/* Groups of accesses that do as they did last time. Compiled to use general registers only, and calls nothing:
 * compiled kernels keep their values in vector registers meanwhile. */
#include "measure/warp_state.h"

static inline bool touch_bytes(struct footprint *footprint, uint64_t address, uint64_t bytes)
{
    return footprint_try(footprint, address >> FOOTPRINT_SECTOR_SHIFT,
                         (address + bytes - 1) >> FOOTPRINT_SECTOR_SHIFT);
}

static bool touch_lanes(struct footprint *footprint, const uint64_t *addresses, uint32_t lanes,
                        uint64_t offset)
{
    for (uint32_t left = lanes; left; left &= left - 1) {
        uint64_t sector = (addresses[__builtin_ctz(left)] + offset) >> FOOTPRINT_SECTOR_SHIFT;
        if (!footprint_try(footprint, sector, sector)) return false;
    }
    return true;
}

/* As footprint_add_at; false: something is left to be done. */
static inline bool touch_one(struct footprint *footprint, const struct access_base *at,
                             uint32_t active, const struct group_touch *touch)
{
    enum { LANES = 32 };
    const uint64_t base = at->base + touch->offset, bytes = touch->bytes;
    bool is_whole = active == UINT32_MAX && (uint64_t)at->stride == bytes;
    if (at->shape == ACCESS_UNIFORM) return touch_bytes(footprint, base, bytes);
    if (!is_whole) return touch_lanes(footprint, at->addresses, active, touch->offset);
    if (at->shape == ACCESS_STRIDED) return touch_bytes(footprint, base, LANES * bytes);
    return touch_bytes(footprint, base, LANES / 2 * bytes) &&
           touch_bytes(footprint, at->base2 + touch->offset, LANES / 2 * bytes);
}

static inline bool touch(struct worker *w, const struct group_state *state,
                         const struct access_base *at, uint32_t active)
{
    for (uint32_t i = 0; i < state->touch_count; i++) {
        const struct group_touch *one = &state->touches[i];
        if (one->reads && !touch_one(&w->read, at, active, one)) return false;
        if (one->writes && !touch_one(&w->written, at, active, one)) return false;
    }
    return true;
}

/* Notes what the group touches, which may be noted twice; false: not all of it, or it cannot be counted quickly. */
static inline bool prepare(struct worker *w, const struct tally *tally,
                           const struct access_group *group, const struct access_base *at,
                           uint32_t active)
{
    const struct group_state *state = &w->groups.states[group->number];
    if (group->number >= w->groups.state_count || !state->is_known) return false;
    if (!state->count) return true;
    return group_is_seen(state, at, active) && state->seen.pattern < tally->size &&
           touch(w, state, at, active);
}

bool measure_groups_quickly(void *worker, const struct warp_ref *ref,
                            const struct access_group *groups,
                            const struct access_base *const *bases, uint32_t count, uint32_t active)
{
    struct worker *w = worker;
    struct warp_state *warp = warp_of(ref);
    const struct tally *tally = &warp->stage->groups;
    if (tells_apart(w, ref)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!prepare(w, tally, &groups[i], bases[i], active)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct group_state *state = &w->groups.states[groups[i].number];
        if (!state->count) continue;
        tally->counts[state->seen.pattern]++;
        if (groups[i].space == SPACE_SHARED) warp->shared += state->count;
    }
    return true;
}
