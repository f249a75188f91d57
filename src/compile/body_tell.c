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

/* Of a kernel, at a fixed place. */
static bool is_parameter(const struct body_access *one)
{
    return is_grouped(one) && one->shape == SHAPES_MAX && one->space == SPACE_PARAM;
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
        if (is_parameter(&b->accesses[i])) continue;
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

static void emit_tell(struct body *b, const void *function, const struct body_segment *segment)
{
    x86_scalar(b->a, true, X86_LOAD, RDI, x86_reg(RBX));
    x86_load_imm(b->a, RSI, (uintptr_t)segment);
    x86_scalar(b->a, true, X86_LOAD, RDX, x86_reg(RSP));
    x86_call(b->a, function);
}

static void emit_tell_slowly(struct body *b, const struct body_segment *segment)
{
    x86_clear_upper(b->a);
    emit_tell(b, (const void *)(uintptr_t)body_tell_segment, segment);
}

void accesses_tell(struct body *b)
{
    if (b->told == b->access_count) return;
    if (b->is_path)
        emit_tell_slowly(b, make_segment(b, b->told, b->access_count));
    else
        accesses_tell_until(b, b->access_count);
    b->told = b->access_count;
}

/* ---- while values stay in registers ---------------------------------------------------------- */

void path_tell(struct body *b)
{
    if (b->told == b->access_count) return;
    const struct body_segment *segment = make_segment(b, b->told, b->access_count);
    b->told = b->access_count;
    if (!segment->group_count && !segment->other_count) return;
    values_drop_dead(b);
    if (segment->other_count || segment->group_count > GROUPS_AT_ONCE) {
        values_store(b);
        emit_tell_slowly(b, segment);
        values_drop(b);
        return;
    }
    emit_tell(b, (const void *)(uintptr_t)body_tell_quickly, segment);
    x86_scalar(b->a, false, X86_TEST, RAX, x86_reg(RAX));
    uint32_t jump = x86_jump(b->a, X86_EQUAL);
    GROW(b->slow_tells, b->slow_tell_count, b->slow_tell_room);
    b->slow_tells[b->slow_tell_count++] =
        (struct slow_tell){segment, jump, b->a->used, b->is_part, b->values};
}

void path_write_slow_tells(struct body *b)
{
    bool is_part = b->is_part;
    for (uint32_t i = 0; i < b->slow_tell_count; i++) {
        const struct slow_tell *tell = &b->slow_tells[i];
        x86_land(b->a, tell->jump);
        b->is_part = tell->is_part;
        values_store_all(b, &tell->values);
        emit_tell_slowly(b, tell->segment);
        values_reload(b, &tell->values);
        x86_land_at(b->a, x86_jump(b->a, X86_ALWAYS), tell->back);
    }
    b->is_part = is_part;
}
