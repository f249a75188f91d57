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

/* As footprint_add_at; false: something is left to be done. What is touched may be touched again. */
static inline bool touch_one(struct footprint *footprint, const struct group_last *seen,
                             const struct access_base *at, const struct group_touch *touch)
{
    enum { HALF = 16 };
    const uint64_t bytes = seen->run_lanes * touch->bytes;
    if (!bytes) return touch_lanes(footprint, at->addresses, seen->active, touch->offset);
    if (!touch_bytes(footprint, at->base + touch->offset, bytes)) return false;
    return seen->run_lanes != HALF || touch_bytes(footprint, at->base2 + touch->offset, bytes);
}

static inline bool touch(struct worker *w, const struct group_state *state,
                         const struct group_last *seen, const struct access_base *at)
{
    for (uint32_t i = 0; i < state->touch_count; i++) {
        const struct group_touch *one = &state->touches[i];
        if (one->reads && !touch_one(&w->read, seen, at, one)) return false;
        if (one->writes && !touch_one(&w->written, seen, at, one)) return false;
    }
    return true;
}

/* A group whose addresses were seen. */
struct found {
    const struct group_state *state;
    const struct group_last *seen; /* NULL: none of its accesses counts */
};

/* False: it cannot be counted quickly. */
static inline bool find(const struct worker *w, const struct tally *tally,
                        const struct access_group *group, const struct access_base *at,
                        uint32_t active, struct found *out)
{
    if (group->number >= w->groups.state_count) return false;
    const struct group_state *state = &w->groups.states[group->number];
    *out = (struct found){state, NULL};
    if (!state->is_known) return false;
    if (!state->count) return true;
    out->seen = group_seen(state, at, active);
    return out->seen && out->seen->pattern < tally->size;
}

bool measure_groups_quickly(void *worker, const struct warp_ref *ref,
                            const struct access_group *groups,
                            const struct access_base *const *bases, uint32_t count, uint32_t active)
{
    struct worker *w = worker;
    struct warp_state *warp = warp_of(ref);
    const struct tally *tally = &warp->stage->groups;
    struct found found[GROUPS_AT_ONCE];
    if (tells_apart(w, ref) || count > GROUPS_AT_ONCE) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!find(w, tally, &groups[i], bases[i], active, &found[i])) return false;
    for (uint32_t i = 0; i < count; i++)
        if (found[i].seen && !touch(w, found[i].state, found[i].seen, bases[i])) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!found[i].seen) continue;
        tally->counts[found[i].seen->pattern]++;
        warp->shared += found[i].state->shared_count;
    }
    return true;
}
