// SPDX-License-Identifier: Apache-2.0
/* From the operations of code blocks to a function that executes them for all 32 lanes. */
#include "compile/body.h"

#include <string.h>

#include "base/arena.h"

const struct body_constants body_constants __attribute__((aligned(64))) = {
    .lanes = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
    .numbers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    .pairs = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30},
    .fours = {0, 4, 8, 12, 16, 20, 24, 28},
    .join_pairs = {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23},
    .join_fours = {0, 16, 0, 16, 1, 17, 1, 17, 2, 18, 2, 18, 3, 19, 3, 19},
    .pairs_64 = {0, 2, 4, 6, 8, 10, 12, 14},
    .join_pairs_64 = {0, 8, 1, 9, 2, 10, 3, 11},
    .nan = 0x7fffffff,
    .sign = 0x80000000,
    .no_sign = 0x7fffffff,
    .float_one = 0x3f800000,
    .shift_max = 31,
    .words_32 = 32,
    .byte_max = 255,
    .two_126 = 0x7e800000,
    .largest = 0x7f7fffff,
    .rsqrt_classes = 0x03830600,
    .lg2_classes = 0x03530433,
    .one = 1,
    .half_nan = 0x7fff,
    .low_halves = 0xffff,
    .least_f16 = 0x38800000,
    .signs_16 = 0x80008000,
    .no_signs_16 = 0x7fff7fff,
    .least_normals_f16 = 0x04000400,
    .odd_bits = 0x55555555,
    .odd_pairs = 0x33333333,
    .low_nibbles = 0x0f0f0f0f,
    .ones = 0x01010101,
    .odd_lanes = 0xaaaaaaaa,
    .two_31 = 0x4f000000,
    .two_31_64 = {0, 0x41e00000},
    .reversed_bytes = {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
                       3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
                       3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
                       3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
    .words_of_bytes = {0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404, 0x08080808, 0x0c0c0c0c,
                       0, 0x04040404, 0x08080808, 0x0c0c0c0c, 0, 0x04040404, 0x08080808,
                       0x0c0c0c0c},
    .even_bytes = 0x00ff00ff,
    .low_pairs = 0x03030303,
    .all_ones = UINT32_MAX,
    .sign_64 = UINT64_C(1) << 63,
    .no_sign_64 = INT64_MAX,
    .high_words = UINT64_C(0xffffffff00000000),
    .low_words = UINT32_MAX,
    .bits_64 = 64,
    .quiet_64 = UINT64_C(1) << 51,
    .half_64 = UINT64_C(0x3fe) << 52,
    .float_one_64 = UINT64_C(0x3ff) << 52,
    .exp2 = {EXP2_COEFFICIENTS},
    .log2 = {LOG2_COEFFICIENTS},
    .exp2_least = -EXP2_LIMIT,
    .exp2_most = EXP2_LIMIT,
    .rounding_shift = ROUNDING_SHIFT,
    .log2_e_high = LOG2_E_HIGH,
    .log2_e_low = LOG2_E_LOW,
    .log2_least = LOG2_LEAST_BITS,
};

static const uint8_t saved[] = {RBX, RBP, R12, R13, R14, R15};
enum { SAVED = sizeof saved };

#define OF_FRAME(field) x86_at(RSP, (int32_t)offsetof(struct body_frame, field))

/* ---- around it ------------------------------------------------------------------------------- */

/* Returns where the size of the frame stands. */
static uint32_t emit_prologue(struct body *b)
{
    static const uint8_t bases[BASE_COUNT] = {R12, R13, R14, R15};
    struct assembler *a = b->a;
    b->range.begin = a->used;
    for (unsigned i = 0; i < SAVED; i++)
        x86_push(a, saved[i]);
    x86_scalar(a, true, X86_LOAD, RBX, x86_reg(RDI));
    for (unsigned i = 0; i < BASE_COUNT; i++)
        x86_scalar(a, true, X86_LOAD, bases[i], OF_EXEC(base[i]));
    x86_load_imm(a, RBP, (uintptr_t)&body_constants);
    x86_scalar(a, true, X86_LOAD, RAX, x86_reg(RSP));
    b->range.saved = a->used;
    x86_imm(a, X86_SUB_IMM, RSP, 0);
    uint32_t frame_at = a->used - 4;
    x86_imm(a, X86_AND_IMM, RSP, -VECTOR_BYTES);
    x86_scalar(a, true, X86_STORE, RAX, OF_FRAME(saved_rsp));
    b->range.framed = a->used;
    accesses_begin(b);
    x86_scalar(a, false, X86_LOAD, RCX, OF_EXEC(mask));
    x86_scalar(a, false, X86_STORE, RCX, OF_FRAME(mask));
    x86_scalar(a, true, X86_LOAD, RAX, OF_EXEC(launch));
    x86_scalar(a, true, X86_LOAD, RAX, x86_at(RAX, (int32_t)offsetof(struct launch, memory)));
    x86_scalar(a, true, X86_LOAD, RAX, x86_at(RAX, (int32_t)offsetof(struct devmem, zero)));
    x86_scalar(a, true, X86_STORE, RAX, OF_FRAME(host));
    return frame_at;
}

/* Of as many shapes as the body has used. */
static void set_frame_size(struct body *b, uint32_t at)
{
    unsigned shapes = 0;
    for (unsigned i = 0; i < SHAPES_MAX; i++)
        if (b->shapes[i].used_by) shapes = i + 1;
    int32_t size =
        (int32_t)(offsetof(struct body_frame, shapes) + shapes * sizeof(struct body_shape));
    memcpy(b->a->bytes + at, &size, sizeof size);
}

static void emit_epilogue(struct body *b)
{
    for (uint32_t i = 0; i < b->exit_count; i++)
        x86_land(b->a, b->exits[i]);
    x86_scalar(b->a, true, X86_LOAD, RSP, OF_FRAME(saved_rsp));
    b->range.unframed = b->a->used;
    for (unsigned i = SAVED; i-- > 0;)
        x86_pop(b->a, saved[i]);
    x86_clear_upper(b->a);
    x86_return(b->a);
    b->range.end = b->a->used;
}

/* ---- operations ------------------------------------------------------------------------------ */

void emit_operation(struct body *b, const struct uop *u)
{
    x86_clear_upper(b->a);
    x86_scalar(b->a, true, X86_LOAD, RDI, x86_reg(RBX));
    x86_load_imm(b->a, RSI, (uintptr_t)u);
    x86_call(b->a, (const void *)(uintptr_t)(b->is_part ? u->part : u->full));
}

static void leave_by(struct body *b, uint32_t jump)
{
    GROW(b->exits, b->exit_count, b->exit_room);
    b->exits[b->exit_count++] = jump;
}

void emit_exit(struct body *b, uint32_t step)
{
    x86_load_imm(b->a, RAX, step);
    leave_by(b, x86_jump(b->a, X86_ALWAYS));
}

void emit_fault_check(struct body *b)
{
    x86_cmp_imm(b->a, OF_EXEC(fault.kind), FAULT_NONE);
    leave_by(b, x86_jump(b->a, X86_NOT_EQUAL));
}

/* Does an operation of the interpreter change nothing but its results? */
static bool is_quiet(const struct uop *u)
{
    unsigned family = op_infos[u->insn->op].family;
    return u->guard == REF_NONE && family <= FAMILY_SFU_TANH;
}

static void emit_interpreted(struct body *b, const struct uop *u)
{
    values_store(b);
    if (!is_quiet(u)) accesses_tell(b);
    values_drop(b);
    emit_operation(b, u);
    if (!is_quiet(u)) emit_fault_check(b);
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
        if (u->dst[k] != REF_NONE) shape_forget(b, u->dst[k]);
    if (!u->elements) return;
    for (unsigned i = 0; i < SHAPES_MAX; i++)
        b->shapes[i].is_known = false;
}

static bool translate_plain(struct body *b, const struct uop *u)
{
    static template_fn *const templates[] = {
        template_compare, template_pack,     template_move,    template_convert,
        template_carry,   template_float,    template_inverse, template_half,
        template_cast,    template_select,   template_bits,    template_integer,
        template_parts,   template_classify, template_powers,  template_access};
    for (unsigned i = 0; i < sizeof templates / sizeof *templates; i++)
        if (templates[i](b, u)) return true;
    return false;
}

/* Notes in the frame for which lanes the guard holds, as the operation may change it. */
static bool emit_guard(struct body *b, const struct uop *u)
{
    for (b->guard = 0; b->guard_used_by[b->guard] > b->told;)
        if (++b->guard == GUARDS_MAX) return false;
    x86_scalar(b->a, false, X86_LOAD, RAX, value_word(u->guard));
    if (u->guard_negated) x86_not(b->a, RAX);
    x86_scalar(b->a, false, X86_AND, RAX, OF_EXEC(mask));
    x86_scalar(b->a, false, X86_STORE, RAX, emit_lanes(b));
    return true;
}

static bool translate_guarded(struct body *b, const struct uop *u)
{
    uint32_t begin = b->a->used, told = b->access_count;
    b->is_guarded = true;
    bool is_done = emit_guard(b, u) && translate_plain(b, u);
    if (!is_done) b->a->used = begin;
    if (is_done && b->access_count == told) guard_add(b, u);
    if (is_done) b->guard_used_by[b->guard] = b->access_count;
    b->is_guarded = false;
    return is_done;
}

static bool translate(struct body *b, const struct uop *u)
{
    if (!u->is_whole_insn) return template_local_address(b, u);
    return u->guard == REF_NONE ? translate_plain(b, u) : translate_guarded(b, u);
}

struct x86_place emit_lanes(const struct body *b)
{
    struct x86_place place = OF_FRAME(guards);
    place.offset += (int32_t)(sizeof(uint32_t) * b->guard);
    return b->is_guarded ? place : OF_EXEC(mask);
}

void body_set_step(struct body *b, uint32_t step)
{
    uint32_t index = b->path->steps[step].code_block;
    b->step = step;
    b->code = &b->program->code[index];
    b->block = b->program->view.code_blocks[index].block;
    b->at = 0;
}

/* A .sync operation that all lanes of the warp pass together. */
static void write_meeting(struct body *b)
{
    const struct uop *u = &b->code->uops[b->at];
    path_tell(b);
    cross_test(b, u);
    x86_mask_test(b->a, 1, 1);
    struct path_exit *exit = path_add_exit(b);
    exit->jumps[exit->jump_count++] = x86_jump(b->a, X86_NOT_EQUAL);
    if (template_cross(b, u)) {
        b->templates++;
        return;
    }
    values_store(b);
    values_drop(b);
    emit_operation(b, u);
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
        if (u->dst[k] != REF_NONE) shape_forget(b, u->dst[k]);
}

void body_write_step(struct body *b, uint32_t step)
{
    uint32_t before = b->templates;
    for (body_set_step(b, step); b->at < b->code->uop_count; b->at++, b->ordinal++) {
        const struct uop *u = &b->code->uops[b->at];
        if (translate(b, u))
            b->templates += u->is_whole_insn;
        else
            emit_interpreted(b, u);
    }
    if (b->code->terminator == TERM_SYNC && step + 1 < b->path->count) write_meeting(b);
    b->step_templates[step] = b->templates - before;
}

static void count_compiled(struct body *b)
{
    x86_load_imm(b->a, RAX, b->templates);
    x86_scalar(b->a, true, X86_ADD, RAX, OF_EXEC(compiled));
    x86_scalar(b->a, true, X86_STORE, RAX, OF_EXEC(compiled));
}

bool body_write(struct body *b)
{
    uint32_t begin = b->a->used, frame_at = emit_prologue(b);
    if (b->is_path) path_begin(b);
    for (uint32_t step = 0; step < b->path->count; step = b->step + 1) {
        const struct path_fork *fork = path_fork_at(b->path, step);
        body_write_step(b, step);
        if (fork)
            fork_write(b, fork);
        else if (b->is_path)
            path_step_end(b);
    }
    if (!b->templates) {
        b->a->used = begin;
        return false;
    }
    if (!b->is_path) {
        values_store(b);
        accesses_tell(b);
        count_compiled(b);
        emit_exit(b, 0);
    }
    path_write_exits(b);
    accesses_write_slow(b);
    path_write_slow_tells(b);
    emit_epilogue(b);
    set_frame_size(b, frame_at);
    return true;
}

void body_clear(struct body *b)
{
    mem_free(b->slow);
    mem_free(b->slow_tells);
    mem_free(b->exits);
}
