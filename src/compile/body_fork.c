// SPDX-License-Identifier: Apache-2.0
/* Branches of a path both of whose ways soon meet again. If all lanes go one way they pass that arm, or nothing, with
 * values in registers, which behind the arm are where they were before it. If lanes part, both arms are passed one after
 * the other, as for a warp some of whose lanes do not take part: that code lies behind the path. */
#include "compile/body.h"

#include <string.h>

#define OF_FRAME(field) x86_at(RSP, (int32_t)offsetof(struct body_frame, field))
#define OF_TURN(base, at, field)                                                                   \
    x86_at(base, (int32_t)((at) * (int)sizeof(struct path_turn) +                                  \
                           (int)offsetof(struct path_turn, field)))

static uint32_t fork_number(const struct body *b, const struct path_fork *fork)
{
    return (uint32_t)(fork - b->path->forks);
}

/* Notes the way that the lanes go; rdx: the turn. Uses rcx. */
static void emit_way(struct body *b, uint32_t way)
{
    struct x86_place ways = OF_TURN(RDX, 0, ways);
    x86_load_imm(b->a, RCX, way);
    x86_scalar(b->a, false, X86_OR, RCX, ways);
    x86_scalar(b->a, false, X86_STORE, RCX, ways);
}

/* In eax the lanes that take the branch. */
static void emit_taken(struct body *b)
{
    x86_scalar(b->a, false, X86_LOAD, RAX, value_word(b->code->guard));
    if (b->code->guard_negated) x86_not(b->a, RAX);
    x86_scalar(b->a, false, X86_AND, RAX, OF_EXEC(mask));
}

/* The observer knows of all accesses before this place that were made. Uses rax. */
static void emit_told(struct body *b, uint32_t told)
{
    x86_load_imm(b->a, RAX, told);
    x86_scalar(b->a, true, X86_STORE, RAX, OF_FRAME(told));
}

static void write_arm(struct body *b, uint32_t first, uint32_t steps)
{
    if (steps) emit_told(b, b->told);
    for (uint32_t step = first; step < first + steps; step++) {
        body_write_step(b, step);
        path_tell(b);
    }
}

/* ---- all lanes go one way -------------------------------------------------------------------- */

/* What later operations do not read need not be kept. The rest becomes what slots would have: an arm may put integers in the
 * place of f32 whose NaNs are still to be canonical. */
static void settle_values(struct body *b)
{
    values_drop_dead(b);
    for (unsigned i = 0; i < VALUES_MAX; i++)
        if (b->values.entries[i].chunks) value_make_canonical(b, &b->values.entries[i]);
}

/* Behind an arm: values are where they were before it, but perhaps newer. */
static void join_values(struct body *b, struct values *meeting)
{
    for (unsigned i = 0; i < VALUES_MAX; i++) {
        struct value *to = &meeting->entries[i];
        const struct value *from = to->chunks ? value_find(b, to->ref) : NULL;
        to->is_dirty = to->is_dirty || (from && from->is_dirty);
    }
    values_restore(b, meeting);
}

/* Shapes that are known whichever way was gone. */
static void join_shapes(const struct body *b, struct known_shape meeting[SHAPES_MAX])
{
    for (unsigned i = 0; i < SHAPES_MAX; i++) {
        const struct known_shape *shape = &b->shapes[i];
        meeting[i].is_known =
            meeting[i].is_known && shape->is_known && shape->ref == meeting[i].ref;
        meeting[i].used_by = shape->used_by;
    }
}

/* An arm, beginning with what was known at the branch. */
static void write_whole_arm(struct body *b, uint32_t first, uint32_t steps,
                            const struct parting *parting, struct values *meeting,
                            struct known_shape shapes[SHAPES_MAX])
{
    b->values = parting->values;
    if (!steps) return;
    for (unsigned i = 0; i < SHAPES_MAX; i++) {
        uint32_t used_by = b->shapes[i].used_by;
        b->shapes[i] = parting->shapes[i];
        b->shapes[i].used_by = used_by;
    }
    write_arm(b, first, steps);
    join_values(b, meeting);
    join_shapes(b, shapes);
}

void fork_write(struct body *b, const struct path_fork *fork)
{
    struct parting *parting = &b->partings[fork_number(b, fork)];
    uint32_t first = fork->step + 1, behind = first + fork->steps[0];
    path_tell(b);
    settle_values(b);
    uint32_t told = b->told;
    struct values meeting = parting->values = b->values;
    values_leave_unread(b, &meeting, behind + fork->steps[1]);
    struct known_shape shapes[SHAPES_MAX];
    memcpy(parting->shapes, b->shapes, sizeof shapes);
    memcpy(shapes, b->shapes, sizeof shapes);
    emit_taken(b);
    x86_scalar(b->a, false, X86_TEST, RAX, x86_reg(RAX));
    uint32_t some = x86_jump(b->a, X86_NOT_EQUAL);
    write_whole_arm(b, first, fork->steps[0], parting, &meeting, shapes);
    uint32_t done = x86_jump(b->a, X86_ALWAYS);
    x86_land(b->a, some);
    x86_scalar(b->a, true, X86_LOAD, RDX, OF_EXEC(turn));
    x86_scalar(b->a, false, X86_CMP, RAX, OF_EXEC(mask));
    parting->jump = x86_jump(b->a, X86_NOT_EQUAL);
    emit_way(b, UINT32_C(1) << fork_number(b, fork));
    write_whole_arm(b, behind, fork->steps[1], parting, &meeting, shapes);
    x86_land(b->a, done);
    if (b->told != told) emit_told(b, b->told);
    parting->told = b->told;
    parting->back = b->a->used;
    b->values = parting->meeting = meeting;
    memcpy(parting->shapes, shapes, sizeof shapes);
    memcpy(b->shapes, shapes, sizeof shapes);
    b->step = behind + fork->steps[1] - 1;
}

/* ---- lanes part ------------------------------------------------------------------------------ */

/* Lanes in esi take part from here on. */
static void emit_narrow(struct body *b)
{
    x86_clear_upper(b->a);
    x86_scalar(b->a, true, X86_LOAD, RDI, x86_reg(RBX));
    x86_scalar(b->a, true, X86_LOAD, RDX, x86_reg(RSP));
    x86_call(b->a, (const void *)(uintptr_t)body_narrow);
}

static void write_part_arm(struct body *b, uint32_t first, uint32_t steps)
{
    values_drop(b);
    write_arm(b, first, steps);
    values_store(b);
}

/* Shapes of the arms must not take the place of those that are known where they meet. */
static void keep_shapes(struct body *b, const struct parting *parting)
{
    for (unsigned i = 0; i < SHAPES_MAX; i++) {
        bool is_kept = parting->shapes[i].is_known;
        b->shapes[i].is_known = is_kept;
        b->shapes[i].checked = 0;
        if (is_kept) b->shapes[i].ref = SHAPE_KEPT;
    }
}

static void write_parted(struct body *b, const struct path_fork *fork)
{
    uint32_t number = fork_number(b, fork), first = fork->step + 1;
    struct parting *parting = &b->partings[number];
    bool is_part = b->is_part;
    x86_land(b->a, parting->jump);
    emit_way(b, PATH_PARTED << number);
    x86_scalar(b->a, false, X86_STORE, RAX, OF_TURN(RDX, 0, taken[number]));
    x86_scalar(b->a, false, X86_STORE, RAX, OF_FRAME(taken));
    x86_scalar(b->a, false, X86_LOAD, RCX, OF_EXEC(mask));
    x86_scalar(b->a, false, X86_STORE, RCX, OF_FRAME(outer));
    body_set_step(b, fork->step);
    b->at = b->code->uop_count;
    b->values = parting->values;
    values_store(b);
    keep_shapes(b, parting);
    b->is_part = true;
    if (fork->steps[0]) {
        x86_scalar(b->a, false, X86_LOAD, RSI, OF_FRAME(taken));
        x86_not(b->a, RSI);
        x86_scalar(b->a, false, X86_AND, RSI, OF_FRAME(outer));
        emit_narrow(b);
        write_part_arm(b, first, fork->steps[0]);
    }
    keep_shapes(b, parting);
    if (fork->steps[1]) {
        x86_scalar(b->a, false, X86_LOAD, RSI, OF_FRAME(taken));
        emit_narrow(b);
        write_part_arm(b, first + fork->steps[0], fork->steps[1]);
    }
    x86_scalar(b->a, false, X86_LOAD, RSI, OF_FRAME(outer));
    emit_narrow(b);
    b->is_part = is_part;
    emit_told(b, parting->told);
    values_reload(b, &parting->meeting);
    x86_land_at(b->a, x86_jump(b->a, X86_ALWAYS), parting->back);
}

void fork_write_parted(struct body *b)
{
    for (uint32_t i = 0; i < b->path->fork_count; i++)
        write_parted(b, &b->path->forks[i]);
}

/* ---- turns ----------------------------------------------------------------------------------- */

/* A turn that went as the one before it, and in which no lanes parted, is counted with that one. */
uint32_t fork_note_turn(struct body *b)
{
    uint32_t differs[2];
    x86_scalar(b->a, true, X86_LOAD, RDX, OF_EXEC(turn));
    x86_scalar(b->a, false, X86_LOAD, RAX, OF_TURN(RDX, 0, ways));
    x86_scalar(b->a, false, X86_CMP, RAX, OF_TURN(RDX, -1, ways));
    differs[0] = x86_jump(b->a, X86_NOT_EQUAL);
    x86_imm(b->a, X86_CMP_IMM, RAX, PATH_PARTED);
    differs[1] = x86_jump(b->a, X86_ABOVE_EQUAL);
    x86_add_at(b->a, OF_TURN(RDX, -1, times), 1);
    uint32_t done = x86_jump(b->a, X86_ALWAYS);
    x86_land(b->a, differs[0]);
    x86_land(b->a, differs[1]);
    x86_scalar(b->a, true, X86_LEA, RCX, OF_TURN(RDX, 1, times));
    x86_scalar(b->a, true, X86_CMP, RCX, OF_EXEC(turns_end));
    uint32_t full = x86_jump(b->a, X86_EQUAL);
    x86_store_imm_64(b->a, OF_TURN(RDX, 0, times), 1);
    x86_scalar(b->a, true, X86_STORE, RCX, OF_EXEC(turn));
    x86_scalar(b->a, true, X86_LOAD, RDX, x86_reg(RCX));
    x86_land(b->a, done);
    x86_store_imm(b->a, OF_TURN(RDX, 0, ways), 0);
    return full;
}
