// SPDX-License-Identifier: Apache-2.0
/* Paths of several code blocks: values stay in registers from one to the next, and round the loop if the path is
 * one. Where lanes part or leave the path, what is live there is stored, and the caller goes on. */
#include "compile/body.h"

static bool is_written(const struct code *code, operand_ref ref, uint32_t end)
{
    for (uint32_t i = 0; i < end; i++)
        for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
            if (code->uops[i].elements || code->uops[i].dst[k] == ref) return true;
    return false;
}

static const struct code *code_of(const struct body *b, uint32_t step)
{
    return &b->program->code[b->path->steps[step].code_block];
}

/* ---- what is carried ------------------------------------------------------------------------- */

void path_note_read(struct body *b, operand_ref ref, unsigned chunks)
{
    if (b->carries || !b->is_path || !b->path->returns || b->carried_count == CARRIED_MAX ||
        b->carried_registers + chunks > CARRIED_REGISTERS)
        return;
    for (uint32_t i = 0; i < b->carried_count; i++)
        if (b->carried[i].ref == ref) return;
    for (uint32_t step = 0; step < b->step; step++)
        if (!path_is_arm(b->path, step) &&
            is_written(code_of(b, step), ref, code_of(b, step)->uop_count))
            return;
    if (is_written(b->code, ref, b->at)) return;
    struct carried *carried = &b->carried[b->carried_count++];
    *carried = (struct carried){.ref = ref, .chunks = (uint8_t)chunks};
    for (uint32_t step = 0; step < b->path->count; step++)
        carried->is_written =
            carried->is_written || is_written(code_of(b, step), ref, code_of(b, step)->uop_count);
    b->carried_registers += chunks;
}

void path_begin(struct body *b)
{
    body_set_step(b, 0);
    for (uint32_t i = 0; b->carries && i < b->carried_count; i++) {
        struct value *value = value_bring(b, b->carried[i].ref, b->carried[i].chunks);
        value->is_dirty = b->carried[i].is_written; /* in every turn but the first */
    }
    b->head = b->values;
    b->head_place = b->a->used;
}

/* ---- back to the first step ------------------------------------------------------------------ */

struct moves {
    struct {
        uint8_t from, to;
    } list[VALUE_REGISTERS];
    unsigned count;
};

static bool is_source(const struct moves *moves, unsigned reg)
{
    for (unsigned i = 0; i < moves->count; i++)
        if (moves->list[i].from == reg) return true;
    return false;
}

/* All at once: a register is overwritten when no move needs it any more. */
static void emit_moves(struct body *b, struct moves *moves)
{
    while (moves->count) {
        unsigned i = 0;
        while (i < moves->count && is_source(moves, moves->list[i].to))
            i++;
        if (i < moves->count) {
            emit2(b, X86_MOVE, moves->list[i].to, x86_reg(moves->list[i].from));
            moves->list[i] = moves->list[--moves->count];
            continue;
        }
        unsigned from = moves->list[0].from; /* only circles are left: open one */
        emit2(b, X86_MOVE, SCRATCH, x86_reg(from));
        for (i = 0; i < moves->count; i++)
            if (moves->list[i].from == from) moves->list[i].from = SCRATCH;
    }
}

static void add_moves(struct body *b, const struct value *to, struct moves *moves)
{
    struct value *from = value_find(b, to->ref);
    if (!from) return;
    value_make_canonical(b, from);
    for (unsigned c = 0; c < to->chunks; c++) {
        if (from->regs[c] == to->regs[c]) continue;
        moves->list[moves->count].from = from->regs[c];
        moves->list[moves->count++].to = to->regs[c];
    }
}

void values_restore(struct body *b, const struct values *to)
{
    struct moves moves = {.count = 0};
    values_store_others(b, to);
    for (unsigned i = 0; i < VALUES_MAX; i++)
        if (to->entries[i].chunks) add_moves(b, &to->entries[i], &moves);
    emit_moves(b, &moves);
    for (unsigned i = 0; i < VALUES_MAX; i++) {
        const struct value *value = &to->entries[i];
        for (unsigned c = 0; c < value->chunks && !value_find(b, value->ref); c++)
            emit2(b, X86_MOVE, value->regs[c], value_slot(value->ref, c));
    }
}

static void emit_return(struct body *b, struct path_exit *exit)
{
    x86_cmp_imm(b->a, OF_EXEC(returns_left), 0);
    exit->jumps[exit->jump_count++] = x86_jump(b->a, X86_EQUAL);
    if (b->path->fork_count) exit->jumps[exit->jump_count++] = fork_note_turn(b);
    x86_add_at(b->a, OF_EXEC(returns_left), -1);
    values_restore(b, &b->head);
    accesses_begin(b);
    x86_land_at(b->a, x86_jump(b->a, X86_ALWAYS), b->head_place);
}

/* ---- from step to step ----------------------------------------------------------------------- */

/* Leaves if any lane goes another way. */
static void emit_branch(struct body *b, struct path_exit *exit)
{
    const struct path_step *step = &b->path->steps[b->step];
    if (step->branch == NO_BRANCH || b->code->guard == REF_NONE) return;
    x86_scalar(b->a, false, X86_LOAD, RAX, value_word(b->code->guard));
    if (step->is_taken != b->code->guard_negated) x86_not(b->a, RAX);
    x86_scalar(b->a, false, X86_TEST, RAX, OF_EXEC(mask));
    exit->jumps[exit->jump_count++] = x86_jump(b->a, X86_NOT_EQUAL);
}

struct path_exit *path_add_exit(struct body *b)
{
    struct path_exit *exit = &b->path_exits[b->path_exit_count++];
    *exit = (struct path_exit){.step = b->step, .values = b->values};
    return exit;
}

void path_step_end(struct body *b)
{
    bool is_last = b->step + 1 == b->path->count;
    if (is_last && !b->path->returns) {
        values_store(b);
        values_drop(b); /* nothing is left to be kept while the observer is told */
        path_tell(b);
        emit_exit(b, b->step);
        return;
    }
    path_tell(b);
    struct path_exit *exit = path_add_exit(b);
    emit_branch(b, exit);
    if (is_last) emit_return(b, exit);
}

void path_write_exits(struct body *b)
{
    fork_write_parted(b);
    for (uint32_t i = 0; i < b->path_exit_count; i++) {
        const struct path_exit *exit = &b->path_exits[i];
        for (uint32_t k = 0; k < exit->jump_count; k++)
            x86_land(b->a, exit->jumps[k]);
        body_set_step(b, exit->step);
        b->at = b->code->uop_count;
        b->values = exit->values;
        values_store(b);
        emit_exit(b, exit->step);
    }
}
