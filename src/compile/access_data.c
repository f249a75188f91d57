// SPDX-License-Identifier: Apache-2.0
/* How the data of loads and stores moves: whole vectors where all lanes take part and their elements lie side by
 * side, one value for all lanes, else each lane by itself. */
#include "compile/access_data.h"

#define OF_FRAME(field) x86_at(RSP, (int32_t)offsetof(struct body_frame, field))
#define INDEX(field, n)                                                                            \
    x86_at(RBP, (int32_t)(offsetof(struct body_constants, field) +                                 \
                          (n) * sizeof body_constants.field[0]))
#define SMALL(field, n)                                                                            \
    x86_element(RBP, (int32_t)(offsetof(struct body_constants, field) +                            \
                               (n) * sizeof body_constants.field[0]))

/* A gather of 64-bit addresses moves eight lanes. */
enum { PART_LANES = 8, PARTS = WARP_LANES / PART_LANES };
enum { LANES_OF_PART = 1, LANES_LEFT = 2 }; /* masks */

static unsigned width_of(const struct uop *u)
{
    return u->dst_bits / 8u;
}

static unsigned chunks_of(const struct uop *u)
{
    return width_of(u) * WARP_LANES / VECTOR_BYTES;
}

static bool is_signed(const struct uop *u)
{
    return type_infos[u->insn->type].kind == KIND_SIGNED;
}

bool data_can_move(const struct uop *u)
{
    unsigned width = width_of(u), element = u->element;
    bool is_known = element == 1 || element == 2 || element == 4 || element == 8;
    return is_known && (width == 2 || width == 4 || width == 8) && width >= element;
}

/* ---- side by side ---------------------------------------------------------------------------- */

/* From elements in memory to wider lanes, and back. 0: as wide. */
static enum x86_form widening(const struct uop *u, bool sign)
{
    switch (16 * width_of(u) + u->element) {
    case 0x21:
        return sign ? X86_WIDEN_S8_16 : X86_WIDEN_U8_16;
    case 0x41:
        return sign ? X86_WIDEN_S8_32 : X86_WIDEN_U8_32;
    case 0x81:
        return sign ? X86_WIDEN_S8_64 : X86_WIDEN_U8_64;
    case 0x42:
        return sign ? X86_WIDEN_S16_32 : X86_WIDEN_U16_32;
    case 0x82:
        return sign ? X86_WIDEN_S16_64 : X86_WIDEN_U16_64;
    case 0x84:
        return sign ? X86_WIDEN_S32 : X86_WIDEN_U32;
    default:
        return X86_MOVE;
    }
}

static enum x86_form narrowing(const struct uop *u)
{
    switch (16 * width_of(u) + u->element) {
    case 0x21:
        return X86_NARROW_16_8;
    case 0x41:
        return X86_NARROW_32_8;
    case 0x81:
        return X86_NARROW_64_8;
    case 0x42:
        return X86_NARROW_32_16;
    case 0x82:
        return X86_NARROW_64_16;
    case 0x84:
        return X86_NARROW_64;
    default:
        return X86_MOVE_OUT;
    }
}

/* Vectors of these elements can be taken apart and joined. */
static bool is_dense_vector(const struct uop *u)
{
    unsigned width = width_of(u);
    if (width != u->element) return false;
    return (u->vector == 2 && (width == 4 || width == 8)) || (u->vector == 4 && width == 4);
}

bool data_is_dense(const struct uop *u)
{
    return u->vector == 1 || is_dense_vector(u);
}

/* Do both halves of the warp have chunks of their own? */
bool data_takes_halves(const struct uop *u)
{
    return u->vector == 1 && chunks_of(u) > 1;
}

/* Chunk c of single elements: half of a warp has half of them. */
static struct x86_place host_chunk(const struct uop *u, unsigned c)
{
    unsigned chunks = chunks_of(u), bytes = WARP_LANES * u->element / chunks;
    if (chunks == 1) return x86_at(R9, (int32_t)u->imm);
    unsigned in_half = chunks / 2;
    return x86_at(c < in_half ? R9 : R10, (int32_t)(u->imm + bytes * (c % in_half)));
}

static struct x86_place host_vector(const struct uop *u, unsigned n)
{
    return x86_at(R9, (int32_t)(u->imm + VECTOR_BYTES * n));
}

/* Elements k of two vectors that lie one behind the other, in a register. */
static void emit_pick(struct body *b, const struct uop *u, unsigned k, unsigned to, unsigned n)
{
    bool is_wide = u->element == 8;
    struct x86_place numbers = u->vector == 4 ? INDEX(fours, 0)
                               : is_wide      ? INDEX(pairs_64, 0)
                                              : INDEX(pairs, 0);
    emit2(b, X86_MOVE, to, numbers);
    if (k)
        emit3(b, is_wide ? X86_ADD_64 : X86_ADD_32, to, to,
              is_wide ? SMALL(lanes, k) : SMALL(numbers, k));
    emit2(b, X86_MOVE, SCRATCH, host_vector(u, n));
    emit3(b, is_wide ? X86_PICK_64 : X86_PICK_32, to, SCRATCH, host_vector(u, n + 1));
}

static void emit_load_vectors(struct body *b, const struct uop *u, const struct result *results)
{
    for (unsigned k = 0; k < u->vector; k++)
        for (unsigned c = 0; c < chunks_of(u); c++) {
            unsigned to = results[k].regs[c];
            emit_pick(b, u, k, to, u->vector * c);
            if (u->vector == 2) continue;
            emit_pick(b, u, k, SCRATCH + 1, u->vector * c + 2);
            x86_vector(b->a, X86_JOIN_HALVES, to, to, x86_reg(SCRATCH + 1), 0, 1);
        }
}

/* Vector n in memory, whose first element is `first` of chunk c. */
static void emit_store_vector(struct body *b, const struct uop *u, const struct source *values,
                              unsigned n)
{
    enum { FIRST_PAIR = 3, SECOND_PAIR = 4 };
    bool is_wide = u->element == 8;
    unsigned c = n / u->vector, first = n % u->vector;
    unsigned lanes = VECTOR_BYTES / u->bytes; /* in a vector */
    enum x86_form pick = is_wide ? X86_PICK_64 : X86_PICK_32;
    unsigned x = value_in_register(b, values[0].chunks[c], SCRATCH);
    emit2(b, X86_MOVE, SCRATCH + 1,
          u->vector == 4 ? INDEX(join_fours, 0)
          : is_wide      ? INDEX(join_pairs_64, 0)
                         : INDEX(join_pairs, 0));
    if (first)
        emit3(b, is_wide ? X86_ADD_64 : X86_ADD_32, SCRATCH + 1, SCRATCH + 1,
              is_wide ? SMALL(lanes, lanes * first) : SMALL(numbers, lanes * first));
    if (u->vector == 2) {
        emit3(b, pick, SCRATCH + 1, x, values[1].chunks[c]);
    } else {
        x86_load_imm(b->a, RAX, 0x3333);
        x86_mask_of_gpr(b->a, FIRST_PAIR, RAX);
        x86_mask_not(b->a, SECOND_PAIR, FIRST_PAIR);
        x86_vector(b->a, pick, SCRATCH + 1, x, values[1].chunks[c], FIRST_PAIR, -1);
        unsigned y = value_in_register(b, values[2].chunks[c], SCRATCH);
        x86_vector(b->a, pick, SCRATCH + 1, y, values[3].chunks[c], SECOND_PAIR, -1);
    }
    emit2(b, X86_MOVE_OUT, SCRATCH + 1, host_vector(u, n));
}

void data_load_dense(struct body *b, const struct uop *u, const struct result *results)
{
    if (u->vector > 1) {
        emit_load_vectors(b, u, results);
        return;
    }
    for (unsigned c = 0; c < chunks_of(u); c++)
        emit2(b, widening(u, is_signed(u)), results[0].regs[c], host_chunk(u, c));
}

void data_store_dense(struct body *b, const struct uop *u, const struct source *values)
{
    for (unsigned n = 0; u->vector > 1 && n < u->vector * chunks_of(u); n++)
        emit_store_vector(b, u, values, n);
    for (unsigned c = 0; u->vector == 1 && c < chunks_of(u); c++)
        emit2(b, narrowing(u), value_in_register(b, values[0].chunks[c], SCRATCH),
              host_chunk(u, c));
}

bool data_has_broadcast(const struct uop *u)
{
    return u->vector == 1 && u->element == width_of(u) && u->element >= 4;
}

void data_load_broadcast(struct body *b, const struct uop *u, const struct result *results)
{
    unsigned chunks = chunks_of(u);
    for (unsigned c = 0; c < chunks; c++)
        emit2(b, u->element == 8 ? X86_BROADCAST_64 : X86_BROADCAST_32, results[0].regs[c],
              x86_at(c < chunks / 2 ? R9 : R10, (int32_t)u->imm));
}

/* ---- lane by lane ---------------------------------------------------------------------------- */

/* The addresses of eight lanes, and which of them take part. Lanes with memory of their own have it r10 bytes apart. */
static void emit_part(struct body *b, unsigned part, const struct x86_place *addresses,
                      bool by_lane)
{
    struct x86_place from = *addresses;
    from.offset += (int32_t)(VECTOR_BYTES * part);
    emit2(b, X86_MOVE, SCRATCH, from);
    if (by_lane) {
        emit2(b, X86_SPREAD_64, SCRATCH + 1, x86_reg(R10));
        emit3(b, X86_MUL_64, SCRATCH + 1, SCRATCH + 1, INDEX(lanes, PART_LANES * part));
        emit3(b, X86_ADD_64, SCRATCH, SCRATCH, x86_reg(SCRATCH + 1));
    }
    if (part == 0) x86_mask_load(b->a, LANES_LEFT, OF_FRAME(mask));
    x86_mask_shift(b->a, LANES_OF_PART, LANES_LEFT, PART_LANES * part);
}

static void emit_moved(struct body *b, enum x86_form form, unsigned reg, unsigned base,
                       int32_t offset)
{
    x86_vector(b->a, form, reg, 0, x86_indexed(base, offset, SCRATCH, 0), LANES_OF_PART, -1);
}

/* Elements of less than 32 bits: the aligned word in which each lies, shifted. SCRATCH: the addresses. */
static void emit_gather_narrow(struct body *b, const struct uop *u, int32_t offset)
{
    enum { SHIFT = SCRATCH + 1, WORDS = SCRATCH + 2, COUNT = SCRATCH + 3 };
    int unused_bits = 32 - 8 * u->element;
    x86_scalar(b->a, true, X86_LEA, RAX, x86_at(R11, offset));
    emit2(b, X86_SPREAD_64, SHIFT, x86_reg(RAX));
    emit3(b, X86_ADD_64, SCRATCH, SCRATCH, x86_reg(SHIFT));
    emit3(b, X86_AND_64, SHIFT, SCRATCH, SMALL(lanes, 3));
    emit3(b, X86_SUB_64, SCRATCH, SCRATCH, x86_reg(SHIFT));
    x86_vector(b->a, X86_SHL_64_BY, 0, SHIFT, x86_reg(SHIFT), 0, 3);
    x86_load_imm(b->a, RAX, 0);
    emit_moved(b, X86_GATHER_32, WORDS, RAX, 0);
    emit2(b, X86_NARROW_64, SHIFT, x86_reg(COUNT));
    emit3(b, X86_SHR_U32, WORDS, WORDS, x86_reg(COUNT));
    x86_vector(b->a, X86_SHL_32_BY, 0, WORDS, x86_reg(WORDS), 0, unused_bits);
    x86_vector(b->a, is_signed(u) ? X86_SHR_S32_BY : X86_SHR_U32_BY, 0, WORDS, x86_reg(WORDS), 0,
               unused_bits);
}

/* Eight words of 32 bits in their place of the result. */
static void emit_placed(struct body *b, const struct uop *u, const struct result *result,
                        unsigned part, unsigned words)
{
    if (width_of(u) == 8) {
        emit2(b, is_signed(u) ? X86_WIDEN_S32 : X86_WIDEN_U32, result->regs[part], x86_reg(words));
    } else if (width_of(u) == 4) {
        unsigned to = result->regs[part / 2];
        if (part % 2)
            x86_vector(b->a, X86_JOIN_HALVES, to, to, x86_reg(words), 0, 1);
        else
            emit2(b, X86_MOVE, to, x86_reg(words));
    } else {
        unsigned to = result->regs[0];
        emit2(b, X86_NARROW_32_16, words, x86_reg(words));
        x86_vector(b->a, X86_JOIN_QUARTERS, to, to, x86_reg(words), 0, (int)part);
    }
}

void data_load_lanes(struct body *b, const struct uop *u, const struct result *results,
                     const struct x86_place *addresses, bool by_lane)
{
    for (unsigned k = 0; k < u->vector; k++)
        for (unsigned part = 0; part < PARTS; part++) {
            int32_t offset = (int32_t)(u->imm + u->element * k);
            emit_part(b, part, addresses, by_lane);
            if (u->element == 8) {
                emit_moved(b, X86_GATHER_64, results[k].regs[part], R11, offset);
                continue;
            }
            if (u->element == 4)
                emit_moved(b, X86_GATHER_32, SCRATCH + 2, R11, offset);
            else
                emit_gather_narrow(b, u, offset);
            emit_placed(b, u, &results[k], part, SCRATCH + 2);
        }
}

/* Eight lanes of a value as elements in a register. */
static unsigned emit_elements(struct body *b, const struct uop *u, const struct source *value,
                              unsigned part)
{
    unsigned given = SCRATCH + 2, out = SCRATCH + 3;
    if (width_of(u) == 8) {
        unsigned reg = value_in_register(b, value->chunks[part], given);
        if (u->element == 8) return reg;
        emit2(b, X86_NARROW_64, reg, x86_reg(out));
        return out;
    }
    unsigned reg = value_in_register(b, value->chunks[part / 2], given);
    if (part % 2 == 0) return reg;
    x86_vector(b->a, X86_UPPER_HALF, reg, 0, x86_reg(out), 0, 1);
    return out;
}

/* Bytes and halves, one after the other. */
static void emit_store_narrow(struct body *b, const struct uop *u, const struct source *value,
                              const struct x86_place *addresses, bool by_lane, int32_t offset)
{
    static const uint8_t scales[] = {[2] = 1, [4] = 2, [8] = 3};
    struct x86_place buffer = OF_FRAME(values), address = *addresses;
    for (unsigned c = 0; c < chunks_of(u); c++) {
        struct x86_place to = buffer;
        to.offset += (int32_t)(VECTOR_BYTES * c);
        emit2(b, X86_MOVE_OUT, value_in_register(b, value->chunks[c], SCRATCH), to);
    }
    x86_scalar(b->a, false, X86_LOAD, RDX, OF_FRAME(mask));
    uint32_t loop = b->a->used;
    x86_first_bit(b->a, RCX, RDX);
    x86_scalar(b->a, true, X86_LOAD, RAX, x86_indexed(RSP, address.offset, RCX, 3));
    x86_scalar(b->a, false, X86_LOAD, R8,
               x86_indexed(RSP, buffer.offset, RCX, scales[width_of(u)]));
    if (by_lane) {
        x86_scalar(b->a, true, X86_MUL, RCX, x86_reg(R10));
        x86_scalar(b->a, true, X86_ADD, RAX, x86_reg(RCX));
    }
    struct x86_place to = x86_indexed(R11, offset, RAX, 0);
    if (u->element == 1)
        x86_scalar(b->a, false, X86_STORE_BYTE, R8, to);
    else
        x86_store_word(b->a, R8, to);
    x86_scalar(b->a, false, X86_LEA, RCX, x86_at(RDX, -1));
    x86_scalar(b->a, false, X86_AND, RDX, x86_reg(RCX));
    x86_land_at(b->a, x86_jump(b->a, X86_NOT_EQUAL), loop);
}

void data_store_lanes(struct body *b, const struct uop *u, const struct source *values,
                      const struct x86_place *addresses, bool by_lane)
{
    for (unsigned k = 0; k < u->vector; k++) {
        int32_t offset = (int32_t)(u->imm + u->element * k);
        if (u->element < 4) {
            emit_store_narrow(b, u, &values[k], addresses, by_lane, offset);
            continue;
        }
        for (unsigned part = 0; part < PARTS; part++) {
            unsigned from = emit_elements(b, u, &values[k], part);
            emit_part(b, part, addresses, by_lane);
            emit_moved(b, u->element == 8 ? X86_SCATTER_64 : X86_SCATTER_32, from, R11, offset);
        }
    }
}
