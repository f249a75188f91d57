// SPDX-License-Identifier: Apache-2.0
/* What the observer is told of the accesses of a body: one by one, in order, or in groups, if all events of a path
 * come in any order. */
#include "compile/body.h"

#include "base/arena.h"

#define OF_FRAME(field) x86_at(RSP, (int32_t)offsetof(struct body_frame, field))

void accesses_begin(struct body *b)
{
    x86_load_imm(b->a, RAX, 0);
    x86_scalar(b->a, true, X86_STORE, RAX, OF_FRAME(told));
}

void accesses_tell_until(struct body *b, uint32_t end)
{
    x86_clear_upper(b->a);
    x86_scalar(b->a, true, X86_LOAD, RDI, x86_reg(RBX));
    x86_load_imm(b->a, RSI, (uintptr_t)b->accesses);
    x86_scalar(b->a, true, X86_LOAD, RDX, x86_reg(RSP));
    x86_load_imm(b->a, RCX, end);
    x86_call(b->a, (const void *)(uintptr_t)body_tell);
}

static bool is_grouped(const struct body_access *one)
{
    return one->is_access && !one->is_guarded;
}

static bool is_of_group(const struct body_access *one, const struct body_access *first)
{
    return is_grouped(one) && one->shape == first->shape && one->space == first->space;
}

static struct access_group make_group(struct body *b, uint32_t begin, uint32_t end)
{
    const struct body_access *first = &b->accesses[begin];
    struct grouped_access *list = ARENA_ARRAY(b->arena, struct grouped_access, end - begin);
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; i++) {
        const struct body_access *one = &b->accesses[i];
        if (is_of_group(one, first))
            list[count++] = (struct grouped_access){one->uop->index, one->uop->bytes, one->offset};
    }
    return (struct access_group){b->counts->groups++, count, first->space, list};
}

static const struct body_segment *make_segment(struct body *b, uint32_t begin, uint32_t end)
{
    struct body_segment *segment = ARENA_ARRAY(b->arena, struct body_segment, 1);
    struct access_group *groups = ARENA_ARRAY(b->arena, struct access_group, end - begin);
    uint32_t *shapes = ARENA_ARRAY(b->arena, uint32_t, end - begin);
    uint32_t *others = ARENA_ARRAY(b->arena, uint32_t, end - begin);
    *segment = (struct body_segment){b->accesses, begin, end, groups, shapes, others, 0, 0};
    for (uint32_t i = begin; i < end; i++) {
        if (!is_grouped(&b->accesses[i])) {
            others[segment->other_count++] = i;
            continue;
        }
        uint32_t first = begin;
        while (!is_of_group(&b->accesses[first], &b->accesses[i]))
            first++;
        if (first != i) continue;
        shapes[segment->group_count] = b->accesses[i].shape;
        groups[segment->group_count++] = make_group(b, i, end);
    }
    return segment;
}

void accesses_tell(struct body *b)
{
    if (b->told == b->access_count) return;
    if (b->is_path) {
        x86_clear_upper(b->a);
        x86_scalar(b->a, true, X86_LOAD, RDI, x86_reg(RBX));
        x86_load_imm(b->a, RSI, (uintptr_t)make_segment(b, b->told, b->access_count));
        x86_scalar(b->a, true, X86_LOAD, RDX, x86_reg(RSP));
        x86_call(b->a, (const void *)(uintptr_t)body_tell_segment);
    } else {
        accesses_tell_until(b, b->access_count);
    }
    b->told = b->access_count;
}
