// SPDX-License-Identifier: Apache-2.0
/* Compiled for x86-64-v4, as the code that calls it. */
#include "compile/run_accesses.h"

static struct access access_of(const struct body_access *one, const struct body_frame *frame,
                               uint32_t mask, uint64_t *addresses)
{
    struct access access = {.space = one->space, .bytes = one->uop->bytes, .mask = mask};
    if (one->shape == SHAPES_MAX) {
        access.shape = ACCESS_UNIFORM;
        access.base = access.base2 = (uint64_t)one->offset;
        access.addresses = one->addresses;
        return access;
    }
    const struct access_base *shape = &frame->shapes[one->shape].at;
    const uint64_t offset = (uint64_t)one->offset;
    access.shape = (uint8_t)shape->shape;
    access.base = shape->base + offset;
    access.base2 = shape->base2 + offset;
    access.stride = shape->stride;
    access.addresses = offset ? addresses : shape->addresses;
    for (unsigned i = 0; offset && i < WARP_LANES; i++)
        addresses[i] = shape->addresses[i] + offset;
    return access;
}

static void tell_one(struct exec *x, const struct body_access *one, const struct body_frame *frame)
{
    uint64_t addresses[WARP_LANES] __attribute__((aligned(64)));
    uint32_t mask = one->is_guarded ? frame->guards[one->guard] : x->mask;
    if (one->is_guarded)
        x->observe->guard(x->observer_worker, &x->warp->ref, one->uop->index, x->mask, mask);
    if (!one->is_access || !mask) return;
    const struct access access = access_of(one, frame, mask, addresses);
    x->observe->memory(x->observer_worker, &x->warp->ref, one->uop->index, &access);
}

void body_tell(struct exec *x, const struct body_access *accesses, struct body_frame *frame,
               uint64_t end)
{
    for (uint64_t i = frame->told; x->observe && i < end; i++)
        tell_one(x, &accesses[i], frame);
    frame->told = end;
}

static void tell_groups(struct exec *x, const struct body_segment *segment,
                        const struct body_frame *frame)
{
    const struct access_base *bases[GROUPS_AT_ONCE];
    for (uint32_t first = 0, count; first < segment->group_count; first += count) {
        count = segment->group_count - first;
        if (count > GROUPS_AT_ONCE) count = GROUPS_AT_ONCE;
        segment_bases(segment, first, count, frame, bases);
        x->observe->groups(x->observer_worker, &x->warp->ref, segment->groups + first, bases, count,
                           x->mask);
    }
}

void body_tell_segment(struct exec *x, const struct body_segment *segment, struct body_frame *frame)
{
    if (frame->told > segment->begin) {
        body_tell(x, segment->accesses, frame, segment->end);
        return;
    }
    if (x->observe) tell_groups(x, segment, frame);
    for (uint32_t i = 0; x->observe && i < segment->other_count; i++)
        tell_one(x, &segment->accesses[segment->others[i]], frame);
    frame->told = segment->end;
}

void body_narrow(struct exec *x, uint32_t lanes, struct body_frame *frame)
{
    x->mask = frame->mask = lanes;
    expand_mask(lanes, x->lane_mask);
}
