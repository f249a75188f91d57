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
    const struct body_shape *shape = &frame->shapes[one->shape];
    const uint64_t offset = (uint64_t)one->offset;
    access.shape = (uint8_t)shape->kind;
    access.base = shape->base + offset;
    access.base2 = shape->base2 + offset;
    access.stride = (int64_t)shape->stride;
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

static void tell_group(struct exec *x, const struct body_group *group,
                       const struct body_frame *frame)
{
    static const uint64_t zeros[WARP_LANES];
    const struct body_shape *shape = &frame->shapes[group->shape];
    struct access base = {.space = group->space, .mask = x->mask, .addresses = zeros};
    if (group->shape < SHAPES_MAX) {
        base.shape = (uint8_t)shape->kind;
        base.base = shape->base;
        base.base2 = shape->base2;
        base.stride = (int64_t)shape->stride;
        base.addresses = shape->addresses;
    }
    x->observe->group(x->observer_worker, &x->warp->ref, &group->group, &base);
}

void body_tell_segment(struct exec *x, const struct body_segment *segment, struct body_frame *frame)
{
    if (frame->told > segment->begin) {
        body_tell(x, segment->accesses, frame, segment->end);
        return;
    }
    for (uint32_t i = 0; x->observe && i < segment->group_count; i++)
        tell_group(x, &segment->groups[i], frame);
    for (uint32_t i = 0; x->observe && i < segment->other_count; i++)
        tell_one(x, &segment->accesses[segment->others[i]], frame);
    frame->told = segment->end;
}
