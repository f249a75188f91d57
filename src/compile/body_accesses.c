// SPDX-License-Identifier: Apache-2.0
/* Loads and stores. The shape of the addresses in a register is found once and serves all accesses through it; each
 * access then checks bounds, alignment and that its bytes are initialised, moves whole vectors, and is told the
 * observer at the end of the body. Whatever a check does not let pass is done by the interpreter. */
#include <string.h>

#include "base/arena.h"
#include "compile/access_data.h"

#define FRAME_SHAPE(slot, field)                                                                   \
    x86_at(RSP,                                                                                    \
           (int32_t)(offsetof(struct body_frame, shapes) + (slot) * sizeof(struct body_shape) +    \
                     offsetof(struct body_shape, field)))
#define OF_FRAME(field) x86_at(RSP, (int32_t)offsetof(struct body_frame, field))

static void load(struct body *b, unsigned gpr, struct x86_place from)
{
    x86_scalar(b->a, true, X86_LOAD, gpr, from);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

void shape_forget(struct body *b, operand_ref ref)
{
    for (unsigned i = 0; i < SHAPES_MAX; i++)
        if (b->shapes[i].ref == ref) b->shapes[i].is_known = false;
}

/* The shape of the addresses in a register; SHAPES_MAX: the frame has no room until the observer was told. */
static uint32_t find_shape_slot(const struct body *b, operand_ref ref)
{
    for (uint32_t i = 0; !b->is_guarded && i < SHAPES_MAX; i++)
        if (b->shapes[i].is_known && b->shapes[i].ref == ref) return i;
    for (uint32_t i = 0; i < SHAPES_MAX; i++)
        if (!b->shapes[i].is_known && b->shapes[i].used_by <= b->told) return i;
    return SHAPES_MAX;
}

static struct x86_place shape_addresses(uint32_t slot, unsigned chunk)
{
    struct x86_place place = FRAME_SHAPE(slot, at.addresses);
    place.offset += (int32_t)(VECTOR_BYTES * chunk);
    return place;
}

/* Lanes of a quarter of the warp whose addresses are not as recorded, less that of lane 0: in masks k1 to k4. */
static void emit_comparison(struct body *b, unsigned c, unsigned addresses)
{
    enum { NOT_EQUAL = 4, FIRST = SCRATCH + 1, RELATIVE = SCRATCH + 2 };
    size_t at = offsetof(struct shape_record, relative) + (size_t)VECTOR_BYTES * c;
    if (!c) {
        load(b, RSI, OF_EXEC(engine_memory));
        x86_imm(b->a, X86_ADD_IMM, RSI,
                (int32_t)(b->counts->shapes++ * sizeof(struct shape_record)));
        x86_low_word(b->a, RAX, addresses);
        emit2(b, X86_BROADCAST_64, FIRST, x86_reg(addresses));
    }
    emit3(b, X86_SUB_64, RELATIVE, addresses, x86_reg(FIRST));
    x86_vector(b->a, X86_COMPARE_U64, 1 + c, RELATIVE, x86_at(RSI, (int32_t)at), 0, NOT_EQUAL);
}

/* Without a register the addresses are 0, and the offset of the access is the address. */
static void emit_addresses(struct body *b, const struct uop *u, uint32_t slot,
                           const struct source *source)
{
    if (!u->has_address) emit3(b, X86_XOR_32, SCRATCH, SCRATCH, x86_reg(SCRATCH));
    for (unsigned c = 0; c < 4; c++) {
        unsigned from = SCRATCH;
        if (u->has_address && u->address64)
            from = value_in_register(b, source->chunks[c], SCRATCH);
        else if (u->has_address)
            emit_widened(b, X86_WIDEN_U32, SCRATCH, source, c);
        emit2(b, X86_MOVE_OUT, from, shape_addresses(slot, c));
        if (!b->is_part) emit_comparison(b, c, from);
    }
}

static void emit_shape(struct body *b, const struct uop *u, uint32_t slot,
                       const struct source *source)
{
    struct known_shape *shape = &b->shapes[slot];
    if (shape->is_known) return;
    emit_addresses(b, u, slot, source);
    x86_scalar(b->a, false, X86_LOAD, RDX, OF_FRAME(mask));
    x86_scalar(b->a, true, X86_LEA, RDI, FRAME_SHAPE(slot, low));
    x86_call_at(b->a, b->is_part ? b->shape_stub : b->known_stub);
    *shape = (struct known_shape){.ref = u->src[0], .is_known = !b->is_guarded};
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void slow_if(struct body *b, struct slow_path *slow, enum x86_condition condition)
{
    slow->jumps[slow->jump_count++] = x86_jump(b->a, condition);
}

/* In r8 the least address, in rdx what follows the greatest; neither goes round the address space. */
static void emit_range(struct body *b, const struct uop *u, uint32_t slot, struct slow_path *slow)
{
    load(b, RAX, FRAME_SHAPE(slot, low));
    load(b, RCX, FRAME_SHAPE(slot, high));
    x86_scalar(b->a, true, X86_LEA, R8, x86_at(RAX, (int32_t)u->imm));
    x86_scalar(b->a, true, X86_LEA, RDX, x86_at(RCX, (int32_t)u->imm));
    x86_scalar(b->a, true, X86_CMP, R8, x86_reg(RDX));
    slow_if(b, slow, X86_ABOVE);
    x86_imm(b->a, X86_ADD_IMM, RDX, u->bytes);
    slow_if(b, slow, X86_CARRY);
    if (u->bytes == 1) return;
    x86_test_byte(b->a, FRAME_SHAPE(slot, bits), (uint8_t)(u->bytes - 1));
    slow_if(b, slow, X86_NOT_EQUAL);
}

#define OF_ALLOCATION(field) x86_at(RSI, (int32_t)offsetof(struct allocation, field))

/* In `gpr`, for a half of the warp: which byte of the allocation it accesses first. */
static void emit_place(struct body *b, unsigned gpr, struct x86_place base, int64_t imm)
{
    load(b, gpr, base);
    x86_imm(b->a, X86_ADD_IMM, gpr, (int32_t)imm);
    x86_scalar(b->a, true, X86_SUB, gpr, OF_ALLOCATION(address));
}

/* Some bytes of the allocation at rsi were never written: whole words of its shadow, of lanes side by side in both
 * halves of the warp, are tested or set. */
static void emit_check_shadow(struct body *b, const struct uop *u, uint32_t slot,
                              struct slow_path *slow)
{
    enum { BITS = 64, HALF_LANES = WARP_LANES / 2 };
    static const uint8_t halves[] = {RCX, R9};
    int32_t words = HALF_LANES * u->bytes / BITS;
    load(b, RAX, FRAME_SHAPE(slot, unit));
    x86_imm(b->a, X86_CMP_IMM, RAX, u->bytes);
    slow_if(b, slow, X86_NOT_EQUAL);
    emit_place(b, RCX, FRAME_SHAPE(slot, at.base), u->imm);
    emit_place(b, R9, FRAME_SHAPE(slot, at.base2), u->imm);
    x86_scalar(b->a, true, X86_LOAD, RAX, x86_reg(RCX));
    x86_scalar(b->a, true, X86_OR, RAX, x86_reg(R9));
    x86_imm(b->a, X86_AND_IMM, RAX, BITS - 1);
    slow_if(b, slow, X86_NOT_EQUAL);
    if (u->insn->op == OP_LD) x86_load_imm(b->a, RAX, UINT64_MAX);
    for (unsigned half = 0; half < 2; half++) {
        x86_shift_right_64(b->a, halves[half], 3);
        x86_scalar(b->a, true, X86_ADD, halves[half], OF_ALLOCATION(shadow));
        for (int32_t i = 0; i < words; i++) {
            struct x86_place word = x86_at(halves[half], 8 * i);
            if (u->insn->op == OP_LD)
                x86_scalar(b->a, true, X86_AND, RAX, word);
            else
                x86_store_imm_64(b->a, word, -1);
        }
    }
    if (u->insn->op != OP_LD) return;
    x86_imm(b->a, X86_CMP_IMM, RAX, -1);
    slow_if(b, slow, X86_NOT_EQUAL);
}

/* The page of the allocation at rsi, with the rule at rax, in which byte `gpr` lies is made. */
static void emit_check_page(struct body *b, unsigned gpr, struct slow_path *slow)
{
    x86_scalar(b->a, true, X86_SUB, gpr, OF_ALLOCATION(address));
    x86_shift_right_64(b->a, gpr, DEVMEM_PAGE_SHIFT);
    x86_scalar(b->a, true, X86_ADD, gpr, x86_reg(RAX));
    x86_test_byte(b->a, x86_at(gpr, (int32_t)offsetof(struct page_rule, states)), PAGE_MADE);
    slow_if(b, slow, X86_EQUAL);
}

/* Contents of the allocation at rsi by a rule: all its pages are made, or the one or two that hold r8 to rdx. */
static void emit_check_rule(struct body *b, struct slow_path *slow)
{
    load(b, RAX, OF_ALLOCATION(rule));
    x86_scalar(b->a, true, X86_TEST, RAX, x86_reg(RAX));
    uint32_t has_none = x86_jump(b->a, X86_EQUAL);
    load(b, RCX, x86_at(RAX, (int32_t)offsetof(struct page_rule, unmade)));
    x86_scalar(b->a, true, X86_TEST, RCX, x86_reg(RCX));
    uint32_t is_whole = x86_jump(b->a, X86_EQUAL);
    x86_scalar(b->a, true, X86_LOAD, RCX, x86_reg(RDX));
    x86_scalar(b->a, true, X86_SUB, RCX, x86_reg(R8));
    x86_imm(b->a, X86_CMP_IMM, RCX, DEVMEM_PAGE);
    slow_if(b, slow, X86_ABOVE);
    x86_imm(b->a, X86_ADD_IMM, RDX, -1);
    emit_check_page(b, R8, slow);
    emit_check_page(b, RDX, slow);
    x86_land(b->a, has_none);
    x86_land(b->a, is_whole);
}

/* Global memory: within the allocation that the instruction touched last, all of it initialised. */
static void emit_check_global(struct body *b, const struct uop *u, uint32_t slot,
                              struct slow_path *slow)
{
    int32_t memo = (int32_t)(u->index * sizeof(struct memo));
    load(b, RSI, OF_EXEC(memos));
    x86_scalar(b->a, true, X86_CMP, R8, x86_at(RSI, memo + (int32_t)offsetof(struct memo, low)));
    slow_if(b, slow, X86_BELOW);
    x86_scalar(b->a, true, X86_CMP, RDX, x86_at(RSI, memo + (int32_t)offsetof(struct memo, high)));
    slow_if(b, slow, X86_ABOVE);
    load(b, RSI, x86_at(RSI, memo + (int32_t)offsetof(struct memo, allocation)));
    emit_check_rule(b, slow);
    load(b, RAX, OF_ALLOCATION(shadow));
    x86_scalar(b->a, true, X86_TEST, RAX, x86_reg(RAX));
    if (b->is_part || u->bytes < 4 || data_is_atomic(u)) {
        slow_if(b, slow, X86_NOT_EQUAL);
    } else {
        uint32_t is_whole = x86_jump(b->a, X86_EQUAL);
        emit_check_shadow(b, u, slot, slow);
        x86_land(b->a, is_whole);
    }
    load(b, R11, x86_at(RSP, (int32_t)offsetof(struct body_frame, host)));
}

static void emit_check_shared(struct body *b, struct slow_path *slow)
{
    load(b, RSI, OF_EXEC(launch));
    x86_scalar(b->a, true, X86_CMP, RDX, x86_at(RSI, (int32_t)offsetof(struct launch, shared_end)));
    slow_if(b, slow, X86_ABOVE);
    load(b, R11, OF_EXEC(shared));
}

/* Local memory and parameters of functions: each lane has its own. */
static void emit_check_by_lane(struct body *b, const struct uop *u, struct slow_path *slow)
{
    bool is_local = u->space == SPACE_LOCAL;
    struct x86_place stride = is_local ? OF_EXEC(local_stride) : OF_EXEC(parameter_stride);
    x86_scalar(b->a, false, X86_LOAD, RSI, is_local ? stride : OF_EXEC(parameter_bytes));
    x86_scalar(b->a, true, X86_CMP, RDX, x86_reg(RSI));
    slow_if(b, slow, X86_ABOVE);
    load(b, R11, is_local ? OF_EXEC(locals) : OF_EXEC(parameters));
    x86_scalar(b->a, false, X86_LOAD, R10, stride);
}

static bool is_by_lane(const struct uop *u)
{
    return u->space == SPACE_LOCAL || u->space == SPACE_FRAME;
}

/* A generic address that lies in an allocation is one of global memory. */
static bool is_global(const struct uop *u)
{
    return u->space == SPACE_GLOBAL || u->space == SPACE_CONST || u->space == SPACE_GENERIC ||
           u->space == SPACE_NONE;
}

/* In r11 the host's address of address 0; of lane 0 where lanes lie r10 bytes apart. */
static void emit_check(struct body *b, const struct uop *u, uint32_t slot, struct slow_path *slow)
{
    emit_range(b, u, slot, slow);
    if (is_by_lane(u))
        emit_check_by_lane(b, u, slow);
    else if (is_global(u))
        emit_check_global(b, u, slot, slow);
    else
        emit_check_shared(b, slow);
}

/* ---- several accesses, checked together ------------------------------------------------------ */

/* Those of a code block to shared memory through one value of a register. */
struct together {
    uint32_t count;
    int64_t low, high; /* offsets of the first byte and behind the last */
    uint8_t bytes;     /* of the widest */
};

static bool is_access(const struct uop *u);

static bool is_written_by(const struct uop *u, operand_ref ref)
{
    for (unsigned k = 0; k < UOP_DESTINATIONS; k++)
        if (u->dst[k] == ref || u->elements) return true;
    return false;
}

static struct together find_together(const struct body *b, operand_ref ref)
{
    struct together all = {.low = INT32_MAX, .high = INT32_MIN};
    for (uint32_t i = b->at; i < b->code->uop_count; i++) {
        const struct uop *u = &b->code->uops[i];
        bool is_one = is_access(u) && u->space == SPACE_SHARED && u->guard == REF_NONE &&
                      u->has_address && u->src[0] == ref;
        if (is_one) {
            all.count++;
            if (u->imm < all.low) all.low = u->imm;
            if (u->imm + u->bytes > all.high) all.high = u->imm + u->bytes;
            if (u->bytes > all.bytes) all.bytes = u->bytes;
        }
        if (is_written_by(u, ref)) break;
    }
    return all;
}

/* Whether all are within shared memory and aligned. Addresses of 2^31 and more are left to each by itself. */
static void emit_check_together(struct body *b, uint32_t slot, const struct together *all)
{
    uint32_t bad[4], count = 0;
    x86_load_imm(b->a, RSI, (uint64_t)UNCHECKED);
    x86_scalar(b->a, true, X86_STORE, RSI, FRAME_SHAPE(slot, checked_unit));
    load(b, RAX, FRAME_SHAPE(slot, low));
    load(b, RCX, FRAME_SHAPE(slot, high));
    x86_imm(b->a, X86_CMP_IMM, RCX, INT32_MAX);
    bad[count++] = x86_jump(b->a, X86_ABOVE);
    x86_scalar(b->a, true, X86_LEA, R8, x86_at(RAX, (int32_t)all->low));
    x86_scalar(b->a, true, X86_LEA, RDX, x86_at(RCX, (int32_t)all->high));
    x86_scalar(b->a, true, X86_CMP, R8, x86_reg(RDX));
    bad[count++] = x86_jump(b->a, X86_ABOVE);
    load(b, RSI, OF_EXEC(launch));
    x86_scalar(b->a, true, X86_CMP, RDX, x86_at(RSI, (int32_t)offsetof(struct launch, shared_end)));
    bad[count++] = x86_jump(b->a, X86_ABOVE);
    x86_test_byte(b->a, FRAME_SHAPE(slot, bits), (uint8_t)(all->bytes - 1));
    bad[count++] = x86_jump(b->a, X86_NOT_EQUAL);
    load(b, R11, OF_EXEC(shared));
    load(b, R9, FRAME_SHAPE(slot, at.base));
    load(b, R10, FRAME_SHAPE(slot, at.base2));
    x86_scalar(b->a, true, X86_ADD, R9, x86_reg(R11));
    x86_scalar(b->a, true, X86_ADD, R10, x86_reg(R11));
    x86_scalar(b->a, true, X86_STORE, R9, FRAME_SHAPE(slot, host));
    x86_scalar(b->a, true, X86_STORE, R10, FRAME_SHAPE(slot, host2));
    load(b, RCX, FRAME_SHAPE(slot, unit));
    x86_scalar(b->a, true, X86_STORE, RCX, FRAME_SHAPE(slot, checked_unit));
    for (uint32_t i = 0; i < count; i++)
        x86_land(b->a, bad[i]);
}

/* Checks this access and those that follow through the register, if it is the first of several. Returns whether it
 * was checked with others: if so it is done by itself where one of them is bad (leave_unchecked). */
static bool check_together(struct body *b, const struct uop *u, uint32_t slot)
{
    struct known_shape *shape = &b->shapes[slot];
    if (u->space != SPACE_SHARED || b->is_guarded || !u->has_address || b->is_part) return false;
    if (!shape->checked) {
        const struct together all = find_together(b, u->src[0]);
        if (all.count < 2) return false;
        emit_check_together(b, slot, &all);
        shape->checked = all.count;
    }
    shape->checked--;
    return true;
}

/* rcx: the unit of accesses that were checked together. */
static void leave_unchecked(struct body *b, struct slow_path *slow)
{
    x86_imm(b->a, X86_CMP_IMM, RCX, UNCHECKED);
    slow_if(b, slow, X86_EQUAL);
}

/* An access as it is translated; loads have results, stores values. */
struct moving {
    const struct uop *u;
    uint32_t slot;
    struct source address;
    struct slow_path *slow;
    struct result results[UOP_DESTINATIONS];
    struct source values[UOP_DESTINATIONS];
};

/* ---- data ------------------------------------------------------------------------------------ */

/* Jumps where not all lanes move as vectors. The host's addresses of both halves come to r9 and r10. */
struct dense_test {
    uint32_t jumps[2], count;
};

static struct dense_test emit_dense_test(struct body *b, const struct uop *u, uint32_t slot,
                                         bool is_checked)
{
    struct dense_test test = {.count = 1};
    load(b, RCX, is_checked ? FRAME_SHAPE(slot, checked_unit) : FRAME_SHAPE(slot, unit));
    if (is_checked) {
        load(b, R9, FRAME_SHAPE(slot, host));
        load(b, R10, FRAME_SHAPE(slot, host2));
    } else {
        load(b, R9, FRAME_SHAPE(slot, at.base));
        x86_scalar(b->a, true, X86_ADD, R9, x86_reg(R11));
        load(b, R10, FRAME_SHAPE(slot, at.base2));
        x86_scalar(b->a, true, X86_ADD, R10, x86_reg(R11));
    }
    x86_imm(b->a, X86_CMP_IMM, RCX, u->bytes);
    test.jumps[0] = x86_jump(b->a, X86_NOT_EQUAL);
    if (data_takes_halves(u)) return test;
    x86_cmp_imm(b->a, FRAME_SHAPE(slot, at.shape), ACCESS_STRIDED);
    test.jumps[test.count++] = x86_jump(b->a, X86_NOT_EQUAL);
    return test;
}

static bool may_be_dense(const struct body *b, const struct uop *u)
{
    return !b->is_part && !is_by_lane(u) && !data_is_atomic(u) && data_is_dense(u);
}

static void emit_load(struct body *b, const struct moving *m, bool is_checked)
{
    const struct uop *u = m->u;
    const struct result *results = m->results;
    struct x86_place addresses = shape_addresses(m->slot, 0);
    uint32_t done[2], count = 0;
    if (may_be_dense(b, u)) {
        struct dense_test test = emit_dense_test(b, u, m->slot, is_checked);
        data_load_dense(b, u, results);
        done[count++] = x86_jump(b->a, X86_ALWAYS);
        for (uint32_t i = 0; i < test.count; i++)
            x86_land(b->a, test.jumps[i]);
        if (is_checked) leave_unchecked(b, m->slow);
        if (data_has_broadcast(u)) {
            x86_scalar(b->a, true, X86_TEST, RCX, x86_reg(RCX));
            uint32_t other = x86_jump(b->a, X86_NOT_EQUAL);
            data_load_broadcast(b, u, results);
            done[count++] = x86_jump(b->a, X86_ALWAYS);
            x86_land(b->a, other);
        }
    }
    if (is_checked) load(b, R11, OF_EXEC(shared));
    data_load_lanes(b, u, results, &addresses, is_by_lane(u));
    for (uint32_t i = 0; i < count; i++)
        x86_land(b->a, done[i]);
    if (u->poll) x86_store_imm(b->a, OF_EXEC(polled), 1);
}

static void emit_store(struct body *b, const struct moving *m, bool is_checked)
{
    const struct uop *u = m->u;
    const struct source *values = m->values;
    struct x86_place addresses = shape_addresses(m->slot, 0);
    uint32_t done = 0;
    if (may_be_dense(b, u)) {
        struct dense_test test = emit_dense_test(b, u, m->slot, is_checked);
        data_store_dense(b, u, values);
        done = x86_jump(b->a, X86_ALWAYS);
        for (uint32_t i = 0; i < test.count; i++)
            x86_land(b->a, test.jumps[i]);
        if (is_checked) leave_unchecked(b, m->slow);
    }
    if (is_checked) load(b, R11, OF_EXEC(shared));
    data_store_lanes(b, u, values, &addresses, is_by_lane(u));
    if (may_be_dense(b, u)) x86_land(b->a, done);
    if (!is_by_lane(u)) x86_store_imm(b->a, OF_EXEC(changed), -1);
}

static void emit_atomic(struct body *b, const struct moving *m, bool is_checked)
{
    struct x86_place addresses = shape_addresses(m->slot, 0);
    if (is_checked) load(b, R11, OF_EXEC(shared));
    data_atomic_lanes(b, m->u, m->results, m->values, &addresses, m->u->space == SPACE_SHARED);
    if (m->u->poll) x86_store_imm(b->a, OF_EXEC(polled), 1);
}

/* ---- templates ------------------------------------------------------------------------------- */

static struct slow_path *add_slow(struct body *b)
{
    GROW(b->slow, b->slow_count, b->slow_room);
    struct slow_path *slow = &b->slow[b->slow_count++];
    *slow = (struct slow_path){.uop = &b->code->uops[b->at],
                               .access = b->access_count,
                               .values = b->values,
                               .is_part = b->is_part};
    return slow;
}

static void add_access(struct body *b, const struct uop *u, uint32_t slot)
{
    uint8_t space = u->space == SPACE_FRAME                   ? SPACE_PARAM
                    : is_global(u) && u->space != SPACE_CONST ? SPACE_GLOBAL
                                                              : u->space;
    b->accesses[b->access_count++] = (struct body_access){.uop = u,
                                                          .is_guarded = b->is_guarded,
                                                          .is_access = true,
                                                          .guard = b->guard,
                                                          .shape = slot,
                                                          .space = space,
                                                          .offset = u->imm};
    if (slot < SHAPES_MAX) b->shapes[slot].used_by = b->access_count;
}

void guard_add(struct body *b, const struct uop *u)
{
    b->accesses[b->access_count++] =
        (struct body_access){.uop = u, .is_guarded = true, .guard = b->guard};
}

/* A parameter of the kernel: one value for all lanes, whose place is known. */
static bool template_parameter(struct body *b, const struct uop *u)
{
    uint64_t end = b->program->functions[0].function->parameter_bytes;
    uint64_t address = (uint64_t)u->imm;
    bool is_plain = u->vector == 1 && (u->element == 4 || u->element == 8) &&
                    u->dst_bits == 8 * u->element && !u->has_address;
    if (!is_plain || address % u->bytes || address > end || end - address < u->bytes) return false;
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
    bool is_known = !u->elements && !u->has_parts && data_can_move(u) && u->bytes <= 16;
    return is_known && u->vector <= UOP_DESTINATIONS && u->imm % u->bytes == 0 &&
           u->imm > INT32_MIN / 2 && u->imm < INT32_MAX / 2;
}

static bool has_results(const struct uop *u)
{
    for (unsigned k = 0; k < u->vector; k++)
        if (u->dst[k] == REF_NONE) return false;
    return true;
}

static bool is_in_known_space(const struct uop *u)
{
    return is_by_lane(u) || is_global(u) || u->space == SPACE_SHARED;
}

/* Where the guard holds for no lane nothing is accessed. The jump. */
static uint32_t emit_guard_lanes(struct body *b)
{
    x86_scalar(b->a, false, X86_LOAD, RAX, emit_lanes(b));
    x86_scalar(b->a, false, X86_STORE, RAX, OF_FRAME(mask));
    x86_scalar(b->a, false, X86_TEST, RAX, x86_reg(RAX));
    return x86_jump(b->a, X86_EQUAL);
}

/* Values are in their places before: what follows may be left out. */
static void emit_access(struct body *b, const struct moving *m)
{
    uint32_t none = b->is_guarded ? emit_guard_lanes(b) : 0;
    emit_shape(b, m->u, m->slot, &m->address);
    bool is_checked = check_together(b, m->u, m->slot);
    if (!is_checked) {
        emit_check(b, m->u, m->slot, m->slow);
    } else if (!may_be_dense(b, m->u)) {
        load(b, RCX, FRAME_SHAPE(m->slot, checked_unit));
        leave_unchecked(b, m->slow);
    }
    if (m->u->insn->op == OP_LD)
        emit_load(b, m, is_checked);
    else if (m->u->insn->op == OP_ST)
        emit_store(b, m, is_checked);
    else
        emit_atomic(b, m, is_checked);
    m->slow->back = b->a->used;
    if (!b->is_guarded) return;
    x86_land(b->a, none);
    x86_scalar(b->a, false, X86_LOAD, RAX, OF_EXEC(mask));
    x86_scalar(b->a, false, X86_STORE, RAX, OF_FRAME(mask));
}

static void translate_moving(struct body *b, struct moving *m)
{
    const struct uop *u = m->u;
    bool is_load = u->insn->op == OP_LD;
    unsigned width = u->dst_bits / 8u, results = is_load ? u->vector : u->dst[0] != REF_NONE;
    unsigned values = is_load ? 0 : u->insn->atom_op == ATOM_CAS ? 2 : u->vector;
    for (unsigned k = 0; k < values; k++)
        m->values[k] = value_source(b, u->src[1 + k], width);
    for (unsigned k = 0; k < results; k++)
        m->results[k] = value_begin(b, width);
    m->slow = add_slow(b);
    memcpy(m->slow->results, m->results, sizeof m->results);
    m->slow->result_count = (uint8_t)results;
    m->slow->result_chunks = (uint8_t)(width * WARP_LANES / VECTOR_BYTES);
    emit_access(b, m);
    add_access(b, u, m->slot);
    for (unsigned k = 0; k < results; k++)
        value_finish(b, k, &m->results[k], width, false);
}

static bool is_access(const struct uop *u)
{
    bool is_load = u->insn->op == OP_LD;
    if (!is_load && u->insn->op != OP_ST && !data_is_atomic(u)) return false;
    return is_simple(u) && (!is_load || has_results(u));
}

bool template_access(struct body *b, const struct uop *u)
{
    bool is_load = u->insn->op == OP_LD;
    if (!is_access(u)) return false;
    if (is_load && u->space == SPACE_PARAM && template_parameter(b, u)) return true;
    struct moving moving = {.u = u, .slot = find_shape_slot(b, u->src[0])};
    if (!is_in_known_space(u) || moving.slot == SHAPES_MAX) return false;
    if (u->has_address && !b->shapes[moving.slot].is_known)
        moving.address = value_source(b, u->src[0], u->address64 ? 8 : 4);
    translate_moving(b, &moving);
    return true;
}

/* ---- the interpreter -------------------------------------------------------------------------- */

static void write_slow(struct body *b, const struct slow_path *slow)
{
    const struct uop *u = slow->uop;
    for (uint32_t i = 0; i < slow->jump_count; i++)
        x86_land(b->a, slow->jumps[i]);
    b->is_part = slow->is_part;
    values_store_all(b, &slow->values);
    if (slow->access) accesses_tell_until(b, slow->access);
    emit_operation(b, u);
    emit_fault_check(b);
    x86_load_imm(b->a, RAX, slow->access + 1);
    x86_scalar(b->a, true, X86_STORE, RAX, x86_at(RSP, (int32_t)offsetof(struct body_frame, told)));
    x86_add_at(b->a, OF_EXEC(compiled), -1);
    values_reload(b, &slow->values);
    for (unsigned k = 0; k < slow->result_count; k++)
        for (unsigned c = 0; c < slow->result_chunks; c++)
            emit2(b, X86_MOVE, slow->results[k].regs[c], value_slot(u->dst[k], c));
    x86_land_at(b->a, x86_jump(b->a, X86_ALWAYS), slow->back);
}

void accesses_write_slow(struct body *b)
{
    bool is_part = b->is_part;
    for (uint32_t i = 0; i < b->slow_count; i++)
        write_slow(b, &b->slow[i]);
    b->is_part = is_part;
}
