// SPDX-License-Identifier: Apache-2.0
/* Code that finds the shape of 32 addresses, as find_shape, fill_inactive and address_range of emulate/sem_memory.h
 * do. rdi: struct body_shape, edx: the lanes that take part. */
#include "compile/body.h"

#define OF_SHAPE(field) x86_at(RDI, (int32_t)offsetof(struct body_shape, field))
#define OF_LANE(lane) x86_at(RDI, (int32_t)(offsetof(struct body_shape, at.addresses) + 8 * (lane)))
#define OF_INDEX(gpr) x86_indexed(RDI, (int32_t)offsetof(struct body_shape, at.addresses), gpr, 3)
#define OF_LANES(n) x86_at(RBP, (int32_t)(offsetof(struct body_constants, lanes) + 8 * (size_t)(n)))

enum { CHUNK_LANES = 8, CHUNKS = WARP_LANES / CHUNK_LANES };

static void copy(struct assembler *a, unsigned to, unsigned from)
{
    x86_scalar(a, true, X86_LOAD, to, x86_reg(from));
}

static void vector(struct assembler *a, enum x86_form form, unsigned to, unsigned first,
                   struct x86_place second)
{
    x86_vector(a, form, to, first, second, 0, -1);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Least and greatest address of the ends of both halves: rax, r9, rsi, r8. */
static void stub_range(struct assembler *a)
{
    static const uint8_t others[] = {R9, RSI, R8};
    copy(a, R10, RAX);
    copy(a, R11, RAX);
    for (unsigned i = 0; i < sizeof others; i++) {
        x86_scalar(a, true, X86_CMP, others[i], x86_reg(R10));
        x86_scalar(a, true, X86_CMOV | X86_BELOW, R10, x86_reg(others[i]));
        x86_scalar(a, true, X86_CMP, others[i], x86_reg(R11));
        x86_scalar(a, true, X86_CMOV | X86_ABOVE, R11, x86_reg(others[i]));
    }
    x86_scalar(a, true, X86_STORE, R10, OF_SHAPE(low));
    x86_scalar(a, true, X86_STORE, R11, OF_SHAPE(high));
}

/* One value of eight in all of them, then in memory. */
static void stub_reduce(struct assembler *a, enum x86_form form, unsigned reg, unsigned other,
                        struct x86_place to)
{
    x86_vector(a, X86_SHUFFLE_QUARTERS, other, reg, x86_reg(reg), 0, 0x4e);
    vector(a, form, reg, reg, x86_reg(other));
    x86_vector(a, X86_SHUFFLE_QUARTERS, other, reg, x86_reg(reg), 0, 0xb1);
    vector(a, form, reg, reg, x86_reg(other));
    x86_vector(a, X86_SHUFFLE_WORDS, other, 0, x86_reg(reg), 0, 0x4e);
    vector(a, form, reg, reg, x86_reg(other));
    x86_load_imm(a, RAX, 1);
    x86_mask_of_gpr(a, 1, RAX);
    x86_vector(a, X86_MOVE_OUT_64, reg, 0, to, 1, -1);
}

/* Least, greatest and all bits of the addresses of the lanes in edx. */
static void stub_reduce_all(struct assembler *a)
{
    enum { LOW = SCRATCH, HIGH, BITS, OTHER };
    x86_vector(a, X86_TERNARY_32, LOW, LOW, x86_reg(LOW), 0, 0xff);
    vector(a, X86_XOR_32, HIGH, HIGH, x86_reg(HIGH));
    vector(a, X86_XOR_32, BITS, BITS, x86_reg(BITS));
    x86_mask_of_gpr(a, 1, RDX);
    for (unsigned c = 0; c < CHUNKS; c++) {
        if (c) x86_mask_shift(a, 1, 1, CHUNK_LANES);
        x86_vector(a, X86_MIN_U64, LOW, LOW, OF_LANE(CHUNK_LANES * c), 1, -1);
        x86_vector(a, X86_MAX_U64, HIGH, HIGH, OF_LANE(CHUNK_LANES * c), 1, -1);
        x86_vector(a, X86_OR_64, BITS, BITS, OF_LANE(CHUNK_LANES * c), 1, -1);
    }
    stub_reduce(a, X86_MIN_U64, LOW, OTHER, OF_SHAPE(low));
    stub_reduce(a, X86_MAX_U64, HIGH, OTHER, OF_SHAPE(high));
    stub_reduce(a, X86_OR_64, BITS, OTHER, OF_SHAPE(bits));
}

/* ---- lanes that do not take part ------------------------------------------------------------- */

/* From the first two lanes that take part: in r11 the step from lane to lane, in rax the address of lane 0. */
static void stub_extrapolate(struct assembler *a)
{
    x86_first_bit(a, RCX, RDX);
    x86_scalar(a, true, X86_LOAD, RAX, OF_INDEX(RCX));
    x86_load_imm(a, R11, 0);
    copy(a, R8, RDX);
    x86_imm(a, X86_ADD_IMM, R8, -1);
    x86_scalar(a, false, X86_AND, R8, x86_reg(RDX));
    uint32_t single = x86_jump(a, X86_EQUAL);
    x86_first_bit(a, R8, R8);
    x86_scalar(a, true, X86_LOAD, R11, OF_INDEX(R8));
    x86_scalar(a, true, X86_SUB, R11, x86_reg(RAX));
    x86_scalar(a, true, X86_SUB, R8, x86_reg(RCX));
    x86_imm(a, X86_CMP_IMM, R8, 1);
    uint32_t neighbours = x86_jump(a, X86_EQUAL);
    copy(a, R9, RAX);
    copy(a, RSI, RDX);
    copy(a, RAX, R11);
    x86_divide(a, R8);
    copy(a, R11, RAX);
    copy(a, RDX, RSI);
    copy(a, RAX, R9);
    x86_land(a, neighbours);
    x86_land(a, single);
    x86_scalar(a, true, X86_MUL, RCX, x86_reg(R11));
    x86_scalar(a, true, X86_SUB, RAX, x86_reg(RCX));
}

static void stub_fill(struct assembler *a)
{
    enum { GUESS = SCRATCH, STEPS, FILLED };
    stub_extrapolate(a);
    vector(a, X86_SPREAD_64, GUESS, 0, x86_reg(RAX));
    vector(a, X86_SPREAD_64, STEPS, 0, x86_reg(R11));
    vector(a, X86_MUL_64, STEPS, STEPS, OF_LANES(0));
    vector(a, X86_ADD_64, GUESS, GUESS, x86_reg(STEPS));
    for (unsigned i = 0; i < 3; i++)
        x86_scalar(a, true, X86_ADD, R11, x86_reg(R11));
    vector(a, X86_SPREAD_64, STEPS, 0, x86_reg(R11));
    x86_mask_of_gpr(a, 1, RDX);
    for (unsigned c = 0; c < CHUNKS; c++) {
        if (c) x86_mask_shift(a, 1, 1, CHUNK_LANES);
        vector(a, X86_MOVE, FILLED, 0, x86_reg(GUESS));
        x86_vector(a, X86_MOVE_64, FILLED, 0, OF_LANE(CHUNK_LANES * c), 1, -1);
        vector(a, X86_MOVE_OUT, FILLED, 0, OF_LANE(CHUNK_LANES * c));
        vector(a, X86_ADD_64, GUESS, GUESS, x86_reg(STEPS));
    }
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Lanes that leave base + i * step, each half with a base of its own: k1 | k3 is not 0. */
static void stub_uneven(struct assembler *a)
{
    enum { NOT_EQUAL = 4, STEPS = SCRATCH + 1, EXPECTED = SCRATCH + 2, EIGHT = SCRATCH + 3 };
    vector(a, X86_SPREAD_64, STEPS, 0, x86_reg(RCX));
    vector(a, X86_MUL_64, STEPS, STEPS, OF_LANES(0));
    copy(a, R11, RCX);
    for (unsigned i = 0; i < 3; i++)
        x86_scalar(a, true, X86_ADD, R11, x86_reg(R11));
    vector(a, X86_SPREAD_64, EIGHT, 0, x86_reg(R11));
    for (unsigned half = 0; half < 2; half++) {
        vector(a, X86_SPREAD_64, SCRATCH, 0, x86_reg(half ? RSI : RAX));
        vector(a, X86_ADD_64, EXPECTED, SCRATCH, x86_reg(STEPS));
        x86_vector(a, X86_COMPARE_U64, 1 + 2 * half, EXPECTED, OF_LANE(16 * half), 0, NOT_EQUAL);
        vector(a, X86_ADD_64, EXPECTED, EXPECTED, x86_reg(EIGHT));
        x86_vector(a, X86_COMPARE_U64, 2 + 2 * half, EXPECTED, OF_LANE(16 * half + 8), 0,
                   NOT_EQUAL);
        x86_mask_or(a, 1 + 2 * half, 1 + 2 * half, 2 + 2 * half);
    }
}

static void stub_kind(struct assembler *a, enum access_shape kind)
{
    x86_store_imm(a, OF_SHAPE(at.shape), (int32_t)kind);
    x86_return(a);
}

/* rax, r9, rsi, r8: the ends of both halves, rcx: the step; they are stored. */
static void stub_ends(struct assembler *a)
{
    x86_scalar(a, true, X86_LOAD, RAX, OF_LANE(0));
    x86_scalar(a, true, X86_LOAD, RCX, OF_LANE(1));
    x86_scalar(a, true, X86_SUB, RCX, x86_reg(RAX));
    x86_scalar(a, true, X86_LOAD, R9, OF_LANE(15));
    x86_scalar(a, true, X86_LOAD, RSI, OF_LANE(16));
    x86_scalar(a, true, X86_LOAD, R8, OF_LANE(31));
    x86_scalar(a, true, X86_STORE, RAX, OF_SHAPE(at.base));
    x86_scalar(a, true, X86_STORE, RSI, OF_SHAPE(at.base2));
    x86_scalar(a, true, X86_STORE, RCX, OF_SHAPE(at.stride));
}

/* Of whole warps ranges and bits by the ends, and a stride by which vectors may move. */
static void stub_whole(struct assembler *a)
{
    stub_range(a);
    copy(a, R10, RAX);
    x86_scalar(a, true, X86_OR, R10, x86_reg(RSI));
    x86_scalar(a, true, X86_OR, R10, x86_reg(RCX));
    x86_scalar(a, true, X86_STORE, R10, OF_SHAPE(bits));
    x86_scalar(a, true, X86_STORE, RCX, OF_SHAPE(unit));
}

static void stub_general(struct assembler *a)
{
    x86_load_imm(a, R10, NO_UNIT);
    x86_scalar(a, true, X86_STORE, R10, OF_SHAPE(unit));
    x86_cmp_imm(a, x86_reg(RDX), -1);
    uint32_t is_reduced = x86_jump(a, X86_NOT_EQUAL);
    stub_reduce_all(a);
    x86_land(a, is_reduced);
    stub_kind(a, ACCESS_GENERAL);
}

/* Where the addresses have their shape by rax, rsi, rcx and r9. */
static void stub_shape(struct assembler *a)
{
    stub_uneven(a);
    x86_mask_test(a, 1, 3);
    uint32_t uneven = x86_jump(a, X86_NOT_EQUAL);
    x86_load_imm(a, R10, STEP_MAX);
    x86_scalar(a, true, X86_ADD, R10, x86_reg(RCX));
    x86_load_imm(a, R11, 2 * STEP_MAX);
    x86_scalar(a, true, X86_CMP, R10, x86_reg(R11));
    uint32_t too_far = x86_jump(a, X86_ABOVE);
    x86_scalar(a, true, X86_SUB, RSI, x86_reg(R9));
    x86_scalar(a, true, X86_CMP, RSI, x86_reg(RCX));
    uint32_t halves = x86_jump(a, X86_NOT_EQUAL);
    x86_scalar(a, true, X86_TEST, RCX, x86_reg(RCX));
    uint32_t uniform = x86_jump(a, X86_EQUAL);
    stub_kind(a, ACCESS_STRIDED);
    x86_land(a, halves);
    stub_kind(a, ACCESS_HALVES);
    x86_land(a, uniform);
    stub_kind(a, ACCESS_UNIFORM);
    x86_land(a, uneven);
    x86_land(a, too_far);
    stub_general(a);
}

void shape_stub_write(struct assembler *a)
{
    x86_cmp_imm(a, x86_reg(RDX), -1);
    uint32_t is_whole = x86_jump(a, X86_EQUAL);
    stub_fill(a);
    stub_reduce_all(a);
    x86_load_imm(a, R10, NO_UNIT);
    x86_scalar(a, true, X86_STORE, R10, OF_SHAPE(unit));
    stub_ends(a);
    uint32_t is_filled = x86_jump(a, X86_ALWAYS);
    x86_land(a, is_whole);
    stub_ends(a);
    stub_whole(a);
    x86_land(a, is_filled);
    stub_shape(a);
}

/* ---- shapes that are known ------------------------------------------------------------------- */

#define OF_RECORD(field) x86_at(RSI, (int32_t)offsetof(struct shape_record, field))

/* rax: the address of lane 0. */
static void stub_take(struct assembler *a)
{
    x86_scalar(a, true, X86_STORE, RAX, OF_SHAPE(at.base));
#define FROM_BASE(field, to, opcode)                                                               \
    x86_scalar(a, true, X86_LOAD, RCX, OF_RECORD(field));                                          \
    x86_scalar(a, true, opcode, RCX, x86_reg(RAX));                                                \
    x86_scalar(a, true, X86_STORE, RCX, OF_SHAPE(to));
    FROM_BASE(low, low, X86_ADD)
    FROM_BASE(high, high, X86_ADD)
    FROM_BASE(base2, at.base2, X86_ADD)
    FROM_BASE(bits, bits, X86_OR)
#undef FROM_BASE
#define AS_RECORDED(is_wide, field, to)                                                            \
    x86_scalar(a, is_wide, X86_LOAD, RCX, OF_RECORD(field));                                       \
    x86_scalar(a, is_wide, X86_STORE, RCX, OF_SHAPE(to));
    AS_RECORDED(true, stride, at.stride)
    AS_RECORDED(true, unit, unit)
    AS_RECORDED(false, kind, at.shape)
#undef AS_RECORDED
    x86_return(a);
}

/* rsi: the record to be made of the shape. */
static void stub_keep(struct assembler *a)
{
    enum { ADDRESSES = SCRATCH, FIRST };
    x86_scalar(a, true, X86_LOAD, RAX, OF_SHAPE(at.base));
    vector(a, X86_SPREAD_64, FIRST, 0, x86_reg(RAX));
    for (unsigned c = 0; c < CHUNKS; c++) {
        struct x86_place to = OF_RECORD(relative);
        to.offset += (int32_t)(VECTOR_BYTES * c);
        vector(a, X86_MOVE, ADDRESSES, 0, OF_LANE(CHUNK_LANES * c));
        vector(a, X86_SUB_64, ADDRESSES, ADDRESSES, x86_reg(FIRST));
        vector(a, X86_MOVE_OUT, ADDRESSES, 0, to);
    }
#define LESS_BASE(from, field)                                                                     \
    x86_scalar(a, true, X86_LOAD, RCX, OF_SHAPE(from));                                            \
    x86_scalar(a, true, X86_SUB, RCX, x86_reg(RAX));                                               \
    x86_scalar(a, true, X86_STORE, RCX, OF_RECORD(field));
    LESS_BASE(low, low)
    LESS_BASE(high, high)
    LESS_BASE(at.base2, base2)
#undef LESS_BASE
#define AS_FOUND(is_wide, from, field)                                                             \
    x86_scalar(a, is_wide, X86_LOAD, RCX, OF_SHAPE(from));                                         \
    x86_scalar(a, is_wide, X86_STORE, RCX, OF_RECORD(field));
    AS_FOUND(true, bits, bits)
    AS_FOUND(true, at.stride, stride)
    AS_FOUND(true, unit, unit)
    AS_FOUND(false, at.shape, kind)
#undef AS_FOUND
    x86_return(a);
}

void shape_stub_write_known(struct assembler *a, uint32_t shape_stub)
{
    x86_cmp_imm(a, x86_reg(RDX), -1);
    uint32_t part = x86_jump(a, X86_NOT_EQUAL);
    x86_mask_or(a, 1, 1, 2);
    x86_mask_or(a, 3, 3, 4);
    x86_mask_test(a, 1, 3);
    uint32_t other = x86_jump(a, X86_NOT_EQUAL);
    stub_take(a);
    x86_land(a, other);
    x86_push(a, RSI);
    x86_call_at(a, shape_stub);
    x86_pop(a, RSI);
    x86_cmp_imm(a, OF_SHAPE(at.shape), ACCESS_GENERAL); /* unlikely to come again */
    uint32_t general = x86_jump(a, X86_EQUAL);
    stub_keep(a);
    x86_land(a, general);
    x86_return(a);
    x86_land_at(a, part, shape_stub);
}
