// SPDX-License-Identifier: Apache-2.0
/* Loads and stores. The shape of the addresses in a register is found once and serves all accesses through it; each
 * access then checks bounds, alignment and that its bytes are initialised, moves whole vectors, and is told the
 * observer at the end of the body. Whatever a check does not let pass is done by the interpreter. */
#include <string.h>

#include "base/arena.h"
#include "compile/body.h"

#define FRAME_SHAPE(slot, field)                                                                   \
    x86_at(RSP,                                                                                    \
           (int32_t)(offsetof(struct body_frame, shapes) + (slot) * sizeof(struct body_shape) +    \
                     offsetof(struct body_shape, field)))
#define OF_SHAPE(field) x86_at(RDI, (int32_t)offsetof(struct body_shape, field))
#define OF_LANE(lane) x86_at(RDI, (int32_t)(offsetof(struct body_shape, addresses) + 8 * (lane)))
#define OF_EXEC(field) x86_at(RBX, (int32_t)offsetof(struct exec, field))

static void load(struct body *b, unsigned gpr, struct x86_place from)
{
    x86_scalar(b->a, true, X86_LOAD, gpr, from);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* Least and greatest address of the ends of both halves: rax, rdx, rsi, r8. */
static void stub_range(struct assembler *a)
{
    static const uint8_t others[] = {RDX, RSI, R8};
    x86_scalar(a, true, X86_LOAD, R9, x86_reg(RAX));
    x86_scalar(a, true, X86_LOAD, R10, x86_reg(RAX));
    for (unsigned i = 0; i < sizeof others; i++) {
        x86_scalar(a, true, X86_CMP, others[i], x86_reg(R9));
        x86_scalar(a, true, X86_CMOV | X86_BELOW, R9, x86_reg(others[i]));
        x86_scalar(a, true, X86_CMP, others[i], x86_reg(R10));
        x86_scalar(a, true, X86_CMOV | X86_ABOVE, R10, x86_reg(others[i]));
    }
    x86_scalar(a, true, X86_STORE, R9, OF_SHAPE(low));
    x86_scalar(a, true, X86_STORE, R10, OF_SHAPE(high));
}

/* Lanes that leave base + i * step, each half with a base of its own: k1 | k3 is not 0. */
static void stub_uneven(struct assembler *a)
{
    enum { NOT_EQUAL = 4, STEPS = SCRATCH + 1, EXPECTED = SCRATCH + 2, EIGHT = SCRATCH + 3 };
    x86_vector(a, X86_SPREAD_64, STEPS, 0, x86_reg(RCX), 0, -1);
    x86_vector(a, X86_MUL_64, STEPS, STEPS,
               x86_at(RBP, (int32_t)offsetof(struct body_constants, lanes)), 0, -1);
    x86_scalar(a, true, X86_LOAD, R11, x86_reg(RCX));
    for (unsigned i = 0; i < 3; i++)
        x86_scalar(a, true, X86_ADD, R11, x86_reg(R11));
    x86_vector(a, X86_SPREAD_64, EIGHT, 0, x86_reg(R11), 0, -1);
    for (unsigned half = 0; half < 2; half++) {
        x86_vector(a, X86_SPREAD_64, SCRATCH, 0, x86_reg(half ? RSI : RAX), 0, -1);
        x86_vector(a, X86_ADD_64, EXPECTED, SCRATCH, x86_reg(STEPS), 0, -1);
        x86_vector(a, X86_COMPARE_U64, 1 + 2 * half, EXPECTED, OF_LANE(16 * half), 0, NOT_EQUAL);
        x86_vector(a, X86_ADD_64, EXPECTED, EXPECTED, x86_reg(EIGHT), 0, -1);
        x86_vector(a, X86_COMPARE_U64, 2 + 2 * half, EXPECTED, OF_LANE(16 * half + 8), 0,
                   NOT_EQUAL);
        x86_mask_or(a, 1 + 2 * half, 1 + 2 * half, 2 + 2 * half);
    }
}

static void stub_kind(struct assembler *a, enum access_shape kind)
{
    x86_store_imm(a, OF_SHAPE(kind), (int32_t)kind);
    x86_return(a);
}

void shape_stub_write(struct assembler *a)
{
    x86_scalar(a, true, X86_LOAD, RAX, OF_LANE(0));
    x86_scalar(a, true, X86_LOAD, RCX, OF_LANE(1));
    x86_scalar(a, true, X86_SUB, RCX, x86_reg(RAX));
    x86_scalar(a, true, X86_LOAD, RDX, OF_LANE(15));
    x86_scalar(a, true, X86_LOAD, RSI, OF_LANE(16));
    x86_scalar(a, true, X86_LOAD, R8, OF_LANE(31));
    stub_range(a);
    x86_scalar(a, true, X86_STORE, RAX, OF_SHAPE(base));
    x86_scalar(a, true, X86_STORE, RSI, OF_SHAPE(base2));
    x86_scalar(a, true, X86_STORE, RCX, OF_SHAPE(stride));
    x86_scalar(a, true, X86_LOAD, R9, x86_reg(RAX));
    x86_scalar(a, true, X86_OR, R9, x86_reg(RSI));
    x86_scalar(a, true, X86_OR, R9, x86_reg(RCX));
    x86_scalar(a, true, X86_STORE, R9, OF_SHAPE(bits));
    stub_uneven(a);
    x86_mask_test(a, 1, 3);
    uint32_t uneven = x86_jump(a, X86_NOT_EQUAL);
    x86_load_imm(a, R9, STEP_MAX);
    x86_scalar(a, true, X86_ADD, R9, x86_reg(RCX));
    x86_load_imm(a, R10, 2 * STEP_MAX);
    x86_scalar(a, true, X86_CMP, R9, x86_reg(R10));
    uint32_t too_far = x86_jump(a, X86_ABOVE);
    x86_scalar(a, true, X86_SUB, RSI, x86_reg(RDX));
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
    x86_load_imm(a, R9, SHAPE_GENERAL);
    x86_scalar(a, true, X86_STORE, R9, OF_SHAPE(stride));
    stub_kind(a, ACCESS_GENERAL);
}

void shape_forget(struct body *b, operand_ref ref)
{
    for (unsigned i = 0; i < SHAPES_MAX; i++)
        if (b->shapes[i].ref == ref) b->shapes[i].is_known = false;
}

/* The shape of the addresses in a register; SHAPES_MAX: the frame has no room until the observer was told. */
static uint32_t find_shape_slot(const struct body *b, operand_ref ref)
{
    for (uint32_t i = 0; i < SHAPES_MAX; i++)
        if (b->shapes[i].is_known && b->shapes[i].ref == ref) return i;
    for (uint32_t i = 0; i < SHAPES_MAX; i++)
        if (!b->shapes[i].is_known && b->shapes[i].used_by <= b->told) return i;
    return SHAPES_MAX;
}

static void emit_shape(struct body *b, const struct uop *u, uint32_t slot)
{
    struct known_shape *shape = &b->shapes[slot];
    if (shape->is_known) return;
    struct source source = value_source(b, u->src[0], u->address64 ? 8 : 4);
    for (unsigned c = 0; c < 4; c++) {
        struct x86_place to = FRAME_SHAPE(slot, addresses);
        to.offset += (int32_t)(VECTOR_BYTES * c);
        unsigned from = SCRATCH;
        if (u->address64)
            from = value_in_register(b, source.chunks[c], SCRATCH);
        else
            emit_widened(b, X86_WIDEN_U32, SCRATCH, &source, c);
        emit2(b, X86_MOVE_OUT, from, to);
    }
    x86_scalar(b->a, true, X86_LEA, RDI, FRAME_SHAPE(slot, low));
    x86_call_at(b->a, b->shape_stub);
    *shape = (struct known_shape){.ref = u->src[0], .is_known = true};
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void slow_if(struct body *b, struct slow_path *slow, enum x86_condition condition)
{
    slow->jumps[slow->jump_count++] = x86_jump(b->a, condition);
}

/* In r8 the least address, in rdx what follows the greatest; neither goes round the address space. */
static void emit_range(struct body *b, const struct uop *u, uint32_t slot, struct slow_path *slow)
{
    x86_cmp_imm(b->a, OF_EXEC(mask), -1);
    slow_if(b, slow, X86_NOT_EQUAL);
    load(b, RAX, FRAME_SHAPE(slot, low));
    load(b, RCX, FRAME_SHAPE(slot, high));
    x86_scalar(b->a, true, X86_LEA, R8, x86_at(RAX, (int32_t)u->imm));
    x86_scalar(b->a, true, X86_LEA, RDX, x86_at(RCX, (int32_t)u->imm));
    x86_scalar(b->a, true, X86_CMP, R8, x86_reg(RDX));
    slow_if(b, slow, X86_ABOVE);
    x86_imm(b->a, X86_ADD_IMM, RDX, u->bytes);
    slow_if(b, slow, X86_CARRY);
    x86_test_byte(b->a, FRAME_SHAPE(slot, bits), (uint8_t)(u->bytes - 1));
    slow_if(b, slow, X86_NOT_EQUAL);
}

/* Global memory: within the allocation that the instruction touched last, all of it initialised. */
static void emit_check_global(struct body *b, const struct uop *u, struct slow_path *slow)
{
    int32_t memo = (int32_t)(u->index * sizeof(struct memo));
    load(b, RSI, OF_EXEC(memos));
    x86_scalar(b->a, true, X86_CMP, R8, x86_at(RSI, memo + (int32_t)offsetof(struct memo, low)));
    slow_if(b, slow, X86_BELOW);
    x86_scalar(b->a, true, X86_CMP, RDX, x86_at(RSI, memo + (int32_t)offsetof(struct memo, high)));
    slow_if(b, slow, X86_ABOVE);
    load(b, RSI, x86_at(RSI, memo + (int32_t)offsetof(struct memo, allocation)));
    load(b, RAX, x86_at(RSI, (int32_t)offsetof(struct allocation, shadow)));
    x86_scalar(b->a, true, X86_OR, RAX, x86_at(RSI, (int32_t)offsetof(struct allocation, rule)));
    slow_if(b, slow, X86_NOT_EQUAL);
    load(b, R11, x86_at(RSP, (int32_t)offsetof(struct body_frame, host)));
}

static void emit_check_shared(struct body *b, struct slow_path *slow)
{
    load(b, RSI, OF_EXEC(launch));
    x86_scalar(b->a, true, X86_CMP, RDX, x86_at(RSI, (int32_t)offsetof(struct launch, shared_end)));
    slow_if(b, slow, X86_ABOVE);
    load(b, R11, OF_EXEC(shared));
}

/* The host's addresses of both halves in r9 and r10, the stride in rcx. */
static void emit_check(struct body *b, const struct uop *u, uint32_t slot, struct slow_path *slow)
{
    emit_range(b, u, slot, slow);
    if (u->space == SPACE_GLOBAL)
        emit_check_global(b, u, slow);
    else
        emit_check_shared(b, slow);
    load(b, R9, FRAME_SHAPE(slot, base));
    load(b, R10, FRAME_SHAPE(slot, base2));
    load(b, RCX, FRAME_SHAPE(slot, stride));
    x86_scalar(b->a, true, X86_ADD, R9, x86_reg(R11));
    x86_scalar(b->a, true, X86_ADD, R10, x86_reg(R11));
    x86_imm(b->a, X86_CMP_IMM, RCX, u->bytes);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Chunk c of an access: half of a warp is one or two of them. */
static struct x86_place host_chunk(const struct uop *u, unsigned c)
{
    unsigned in_half = u->bytes / 4u;
    return x86_at(c < in_half ? R9 : R10, (int32_t)(u->imm + VECTOR_BYTES * (c % in_half)));
}

static void emit_load(struct body *b, const struct uop *u, const struct result *result,
                      struct slow_path *slow)
{
    unsigned chunks = u->bytes / 2u;
    uint32_t other = x86_jump(b->a, X86_NOT_EQUAL);
    for (unsigned c = 0; c < chunks; c++)
        emit2(b, X86_MOVE, result->regs[c], host_chunk(u, c));
    uint32_t done = x86_jump(b->a, X86_ALWAYS);
    x86_land(b->a, other);
    x86_scalar(b->a, true, X86_TEST, RCX, x86_reg(RCX));
    slow_if(b, slow, X86_NOT_EQUAL);
    for (unsigned c = 0; c < chunks; c++) {
        unsigned half = c < chunks / 2 ? R9 : R10;
        emit2(b, u->bytes == 8 ? X86_BROADCAST_64 : X86_BROADCAST_32, result->regs[c],
              x86_at(half, (int32_t)u->imm));
    }
    x86_land(b->a, done);
}

static void emit_store(struct body *b, const struct uop *u, const struct source *value,
                       struct slow_path *slow)
{
    slow_if(b, slow, X86_NOT_EQUAL);
    for (unsigned c = 0; c < u->bytes / 2u; c++)
        emit2(b, X86_MOVE_OUT, value_in_register(b, value->chunks[c], SCRATCH), host_chunk(u, c));
    x86_store_imm(b->a, OF_EXEC(changed), -1);
}

/* ---- templates ------------------------------------------------------------------------------- */

static struct slow_path *add_slow(struct body *b)
{
    GROW(b->slow, b->slow_count, b->slow_room);
    struct slow_path *slow = &b->slow[b->slow_count++];
    *slow = (struct slow_path){.uop = b->at, .access = b->access_count, .values = b->values};
    return slow;
}

static void add_access(struct body *b, const struct uop *u, uint32_t slot)
{
    b->accesses[b->access_count++] =
        (struct body_access){.uop = u, .shape = slot, .space = u->space, .offset = u->imm};
    if (slot < SHAPES_MAX) b->shapes[slot].used_by = b->access_count;
}

/* A parameter of the kernel: one value for all lanes, whose place is known. */
static bool template_parameter(struct body *b, const struct uop *u)
{
    uint64_t end = b->program->functions[0].function->parameter_bytes;
    uint64_t address = (uint64_t)u->imm;
    if (u->has_address || address % u->bytes || address > end || end - address < u->bytes)
        return false;
    uint64_t *addresses = ARENA_ARRAY(b->arena, uint64_t, WARP_LANES);
    for (unsigned i = 0; i < WARP_LANES; i++)
        addresses[i] = address;
    struct result result = value_begin(b, u->bytes);
    load(b, RAX, OF_EXEC(launch));
    load(b, RAX, x86_at(RAX, (int32_t)offsetof(struct launch, parameters)));
    for (unsigned c = 0; c < u->bytes / 2u; c++)
        emit2(b, u->bytes == 8 ? X86_BROADCAST_64 : X86_BROADCAST_32, result.regs[c],
              x86_at(RAX, (int32_t)address));
    add_access(b, u, SHAPES_MAX);
    b->accesses[b->access_count - 1].addresses = addresses;
    value_finish(b, 0, &result, u->bytes, false);
    return true;
}

static bool is_simple(const struct uop *u)
{
    bool is_whole = u->vector == 1 && !u->elements && u->dst_bits == 8 * u->element;
    return is_whole && (u->element == 4 || u->element == 8) && !u->poll && !u->has_parts &&
           u->imm % u->bytes == 0 && u->imm > INT32_MIN / 2 && u->imm < INT32_MAX / 2;
}

bool template_access(struct body *b, const struct uop *u)
{
    bool is_load = u->insn->op == OP_LD;
    if ((!is_load && u->insn->op != OP_ST) || !is_simple(u)) return false;
    if (is_load && u->dst[0] == REF_NONE) return false;
    if (is_load && u->space == SPACE_PARAM) return template_parameter(b, u);
    bool is_near = u->space == SPACE_SHARED || (u->space == SPACE_GLOBAL && u->address64);
    uint32_t slot = find_shape_slot(b, u->src[0]);
    if (!is_near || !u->has_address || slot == SHAPES_MAX || b->is_part) return false;
    emit_shape(b, u, slot);
    struct source value = {0};
    struct result result = {0};
    if (is_load)
        result = value_begin(b, u->bytes);
    else
        value = value_source(b, u->src[1], u->bytes);
    struct slow_path *slow = add_slow(b);
    memcpy(slow->result_regs, result.regs, sizeof slow->result_regs);
    slow->result_chunks = is_load ? u->bytes / 2u : 0;
    emit_check(b, u, slot, slow);
    if (is_load)
        emit_load(b, u, &result, slow);
    else
        emit_store(b, u, &value, slow);
    slow->back = b->a->used;
    add_access(b, u, slot);
    if (is_load) value_finish(b, 0, &result, u->bytes, false);
    return true;
}

/* ---- the observer, and the interpreter ------------------------------------------------------- */

static void emit_tell(struct body *b, uint32_t end)
{
    x86_clear_upper(b->a);
    load(b, RDI, x86_reg(RBX));
    x86_load_imm(b->a, RSI, (uintptr_t)b->accesses);
    load(b, RDX, x86_reg(RSP));
    x86_load_imm(b->a, RCX, end);
    x86_call(b->a, (const void *)(uintptr_t)body_tell);
}

void accesses_tell(struct body *b)
{
    if (b->told == b->access_count) return;
    emit_tell(b, b->access_count);
    b->told = b->access_count;
}

static void write_slow(struct body *b, const struct slow_path *slow)
{
    const struct uop *u = &b->code->uops[slow->uop];
    for (uint32_t i = 0; i < slow->jump_count; i++)
        x86_land(b->a, slow->jumps[i]);
    values_store_all(b, &slow->values);
    if (slow->access) emit_tell(b, slow->access);
    emit_operation(b, u);
    emit_fault_check(b);
    x86_load_imm(b->a, RAX, slow->access + 1);
    x86_scalar(b->a, true, X86_STORE, RAX, x86_at(RSP, (int32_t)offsetof(struct body_frame, told)));
    x86_add_at(b->a, OF_EXEC(compiled), -1);
    values_reload(b, &slow->values);
    for (unsigned c = 0; c < slow->result_chunks; c++)
        emit2(b, X86_MOVE, slow->result_regs[c], value_slot(u->dst[0], c));
    x86_land_at(b->a, x86_jump(b->a, X86_ALWAYS), slow->back);
}

void accesses_write_slow(struct body *b)
{
    for (uint32_t i = 0; i < b->slow_count; i++)
        write_slow(b, &b->slow[i]);
}
