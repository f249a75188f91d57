// SPDX-License-Identifier: Apache-2.0
/* Bit fields, counts and permutations of bits, quotients (emulate/sem_bits.h, sem_int.h). A vector shift by the width or
 * more gives 0, or the sign: what the ISA asks of fields that reach beyond. */
#include <string.h>

#include "base/arena.h"
#include "compile/body.h"

static bool is_signed(const struct uop *u)
{
    return type_infos[u->insn->type].kind == KIND_SIGNED;
}

/* Shifts and logic of lanes this wide. */
struct width {
    uint8_t left, right, right_signed, subtract;
};
static struct width width_of(unsigned bytes)
{
    return bytes == 8 ? (struct width){X86_SHL_64, X86_SHR_U64, X86_SHR_S64, X86_SUB_64}
                      : (struct width){X86_SHL_32, X86_SHR_U32, X86_SHR_S32, X86_SUB_32};
}

/* Chunk c of a count of 32 bits in lanes of `bytes`: its last eight bits, or at most the width. */
enum count { COUNT_BYTE, COUNT_CLAMPED, COUNT_WRAPPED };
static void emit_count(struct body *b, const struct source *count, unsigned bytes, unsigned c,
                       enum count kind, unsigned to)
{
    if (bytes == 8)
        emit_widened(b, X86_WIDEN_U32, to, count, c);
    else
        emit2(b, X86_MOVE, to, count->chunks[c]);
    if (kind == COUNT_BYTE) emit3(b, X86_AND_32, to, to, CONSTANT(byte_max));
    if (kind == COUNT_CLAMPED) emit3(b, X86_MIN_U32, to, to, CONSTANT(words_32));
    if (kind == COUNT_WRAPPED) emit3(b, X86_AND_32, to, to, CONSTANT(shift_max));
}

static void emit_ones(struct body *b, unsigned to)
{
    x86_vector(b->a, X86_TERNARY_32, to, to, x86_reg(to), 0, 0xff);
}

/* Keeps the lower bits of each lane, as many as `count` says, which may be the width, and extends them by the last. */
static void emit_lower_bits(struct body *b, unsigned bytes, unsigned to, unsigned count,
                            bool extends)
{
    const struct width width = width_of(bytes);
    unsigned other = SCRATCH + 3;
    if (!extends) {
        emit_ones(b, other);
        emit3(b, width.left, other, other, x86_reg(count));
        x86_vector(b->a, X86_TERNARY_32, to, to, x86_reg(other), 0, 0x50); /* to and not other */
        return;
    }
    struct x86_place bits = CONSTANT(words_32);
    if (bytes == 8) bits = x86_element(RBP, (int32_t)(offsetof(struct body_constants, bits_64)));
    emit2(b, bytes == 8 ? X86_BROADCAST_64 : X86_BROADCAST_32, other, bits);
    emit3(b, bytes == 8 ? X86_MIN_U64 : X86_MIN_U32, count, count, bits);
    emit3(b, width.subtract, other, other, x86_reg(count));
    emit3(b, width.left, to, to, x86_reg(other));
    emit3(b, width.right_signed, to, to, x86_reg(other));
}

static bool template_bfe(struct body *b, const struct uop *u, unsigned bytes)
{
    enum { POSITION = SCRATCH, LENGTH };
    if (!has_widths(u, bytes, bytes, 4, 4)) return false;
    const struct width width = width_of(bytes);
    struct source from = value_source(b, u->src[0], bytes);
    struct source position = value_source(b, u->src[1], 4), length = value_source(b, u->src[2], 4);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++) {
        unsigned to = result.regs[c];
        emit_count(b, &position, bytes, c, COUNT_BYTE, POSITION);
        emit_count(b, &length, bytes, c, COUNT_BYTE, LENGTH);
        emit3(b, is_signed(u) ? width.right_signed : width.right, to,
              value_in_register(b, from.chunks[c], SCRATCH + 2), x86_reg(POSITION));
        emit_lower_bits(b, bytes, to, LENGTH, is_signed(u));
    }
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* In `to` `length` ones from `position` on. */
static void emit_field(struct body *b, unsigned bytes, unsigned to, unsigned position,
                       unsigned length)
{
    const struct width width = width_of(bytes);
    emit_ones(b, to);
    emit3(b, width.left, to, to, x86_reg(length));
    x86_vector(b->a, X86_TERNARY_32, to, to, x86_reg(to), 0, 0x55);
    emit3(b, width.left, to, to, x86_reg(position));
}

static bool template_bfi(struct body *b, const struct uop *u, unsigned bytes)
{
    enum { POSITION = SCRATCH, LENGTH, FIELD };
    if (!has_widths(u, bytes, bytes, bytes, 4) || u->source_width[3] != 4) return false;
    struct source from = value_source(b, u->src[0], bytes),
                  into = value_source(b, u->src[1], bytes);
    struct source position = value_source(b, u->src[2], 4), length = value_source(b, u->src[3], 4);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++) {
        unsigned to = result.regs[c];
        emit_count(b, &position, bytes, c, COUNT_BYTE, POSITION);
        emit_count(b, &length, bytes, c, COUNT_BYTE, LENGTH);
        emit_field(b, bytes, FIELD, POSITION, LENGTH);
        emit3(b, width_of(bytes).left, to, value_in_register(b, from.chunks[c], SCRATCH + 3),
              x86_reg(POSITION));
        x86_vector(b->a, X86_TERNARY_32, FIELD, to, into.chunks[c], 0,
                   0xca); /* field ? to : into */
        emit2(b, X86_MOVE, to, x86_reg(FIELD));
    }
    value_finish(b, 0, &result, bytes, false);
    return true;
}

static bool template_bmsk(struct body *b, const struct uop *u)
{
    enum { POSITION = SCRATCH, LENGTH };
    if (!has_widths(u, 4, 4, 4, 0)) return false;
    enum count kind = u->imm ? COUNT_WRAPPED : COUNT_CLAMPED;
    struct source position = value_source(b, u->src[0], 4), length = value_source(b, u->src[1], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        emit_count(b, &position, 4, c, kind, POSITION);
        emit_count(b, &length, 4, c, kind, LENGTH);
        emit_field(b, 4, result.regs[c], POSITION, LENGTH);
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

static bool template_szext(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 4, 4, 4, 0)) return false;
    struct source from = value_source(b, u->src[0], 4), count = value_source(b, u->src[1], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        emit2(b, X86_MOVE, result.regs[c], from.chunks[c]);
        emit_count(b, &count, 4, c, u->imm ? COUNT_WRAPPED : COUNT_CLAMPED, SCRATCH);
        emit_lower_bits(b, 4, result.regs[c], SCRATCH, is_signed(u));
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* ---- one operand ----------------------------------------------------------------------------- */

/* Adds neighbours: bits, pairs, nibbles, then bytes by a product. */
static void emit_popc(struct body *b, unsigned to, struct x86_place from)
{
    unsigned other = SCRATCH + 1, x = value_in_register(b, from, SCRATCH);
    x86_vector(b->a, X86_SHR_U32_BY, 0, other, x86_reg(x), 0, 1);
    emit3(b, X86_AND_32, other, other, CONSTANT(odd_bits));
    emit3(b, X86_SUB_32, to, x, x86_reg(other));
    x86_vector(b->a, X86_SHR_U32_BY, 0, other, x86_reg(to), 0, 2);
    emit3(b, X86_AND_32, other, other, CONSTANT(odd_pairs));
    emit3(b, X86_AND_32, to, to, CONSTANT(odd_pairs));
    emit3(b, X86_ADD_32, to, to, x86_reg(other));
    x86_vector(b->a, X86_SHR_U32_BY, 0, other, x86_reg(to), 0, 4);
    emit3(b, X86_ADD_32, to, to, x86_reg(other));
    emit3(b, X86_AND_32, to, to, CONSTANT(low_nibbles));
    emit3(b, X86_MUL_32, to, to, CONSTANT(ones));
    x86_vector(b->a, X86_SHR_U32_BY, 0, to, x86_reg(to), 0, 24);
}

/* Swaps bits, pairs, nibbles, then bytes. */
static void emit_brev(struct body *b, unsigned to, struct x86_place from)
{
    static const int32_t masks[] = {offsetof(struct body_constants, odd_bits),
                                    offsetof(struct body_constants, odd_pairs),
                                    offsetof(struct body_constants, low_nibbles)};
    unsigned other = SCRATCH + 1;
    emit2(b, X86_MOVE, to, from);
    for (unsigned k = 0; k < 3; k++) {
        x86_vector(b->a, X86_SHR_U32_BY, 0, other, x86_reg(to), 0, 1 << k);
        emit3(b, X86_AND_32, other, other, x86_element(RBP, masks[k]));
        emit3(b, X86_AND_32, to, to, x86_element(RBP, masks[k]));
        x86_vector(b->a, X86_SHL_32_BY, 0, to, x86_reg(to), 0, 1 << k);
        emit3(b, X86_OR_32, to, to, x86_reg(other));
    }
    emit3(b, X86_SHUFFLE_BYTES, to, to,
          x86_at(RBP, (int32_t)offsetof(struct body_constants, reversed_bytes)));
}

/* The place of the first bit that differs from the sign, or how far it is from the top; -1: there is none. */
static void emit_bfind(struct body *b, const struct uop *u, unsigned bytes, unsigned to,
                       struct x86_place from)
{
    enum { NONE = 6, EQUAL = 0 };
    bool is_64 = bytes == 8;
    unsigned x = value_in_register(b, from, SCRATCH);
    if (is_signed(u)) {
        x86_vector(b->a, is_64 ? X86_SHR_S64_BY : X86_SHR_S32_BY, 0, SCRATCH + 1, x86_reg(x), 0,
                   is_64 ? 63 : 31);
        emit3(b, X86_XOR_32, SCRATCH, x, x86_reg(SCRATCH + 1));
        x = SCRATCH;
    }
    emit2(b, is_64 ? X86_CLZ_64 : X86_CLZ_32, SCRATCH + 1, x86_reg(x));
    x86_load_imm(b->a, RAX, u->imm ? 8 * bytes : 8 * bytes - 1);
    emit2(b, is_64 ? X86_SPREAD_64 : X86_SPREAD_32, to, x86_reg(RAX));
    if (!u->imm) {
        emit3(b, is_64 ? X86_SUB_64 : X86_SUB_32, to, to, x86_reg(SCRATCH + 1));
        return;
    }
    x86_vector(b->a, is_64 ? X86_COMPARE_U64 : X86_COMPARE_U32, NONE, to, x86_reg(SCRATCH + 1), 0,
               EQUAL);
    emit_ones(b, SCRATCH);
    emit2(b, X86_MOVE, to, x86_reg(SCRATCH + 1));
    x86_vector(b->a, is_64 ? X86_MOVE_64 : X86_MOVE, to, 0, x86_reg(SCRATCH), NONE, -1);
}

static bool template_one(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 4, 4, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        if (u->insn->op == OP_POPC)
            emit_popc(b, result.regs[c], source.chunks[c]);
        else if (u->insn->op == OP_BREV)
            emit_brev(b, result.regs[c], source.chunks[c]);
        else
            emit_bfind(b, u, 4, result.regs[c], source.chunks[c]);
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* A number about each lane of 64 bits. */
static bool template_count_64(struct body *b, const struct uop *u)
{
    enum { COUNT = SCRATCH + 2 };
    if (!has_widths(u, 4, 8, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 8);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 4; c++) {
        if (u->insn->op == OP_CLZ) {
            emit2(b, X86_CLZ_64, COUNT, source.chunks[c]);
        } else if (u->insn->op == OP_BFIND) {
            emit_bfind(b, u, 8, COUNT, source.chunks[c]);
        } else { /* of both words */
            emit_popc(b, COUNT, source.chunks[c]);
            x86_vector(b->a, X86_SHR_U64_BY, 0, SCRATCH, x86_reg(COUNT), 0, 32);
            emit3(b, X86_ADD_32, COUNT, COUNT, x86_reg(SCRATCH));
        }
        emit_narrowed(b, &result, COUNT, 8, 4, c);
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

static bool template_brev_64(struct body *b, const struct uop *u)
{
    enum { WORDS_SWAPPED = 0xb1 };
    if (!has_widths(u, 8, 8, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], 8);
    struct result result = value_begin(b, 8);
    for (unsigned c = 0; c < 4; c++) {
        emit_brev(b, result.regs[c], source.chunks[c]);
        x86_vector(b->a, X86_SHUFFLE_WORDS, result.regs[c], 0, x86_reg(result.regs[c]), 0,
                   WORDS_SWAPPED);
    }
    value_finish(b, 0, &result, 8, false);
    return true;
}

/* ---- others ---------------------------------------------------------------------------------- */

static bool template_sad(struct body *b, const struct uop *u)
{
    unsigned type = u->insn->type, bytes = type_infos[type].bits / 8;
    if (!has_widths(u, bytes, bytes, bytes, bytes)) return false;
    struct source first = value_source(b, u->src[0], bytes),
                  second = value_source(b, u->src[1], bytes);
    struct source third = value_source(b, u->src[2], bytes);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++) {
        unsigned to = result.regs[c], x = value_in_register(b, first.chunks[c], SCRATCH);
        emit3(b, integer_form(OP_MAX, type), to, x, second.chunks[c]);
        emit3(b, integer_form(OP_MIN, type), SCRATCH + 1, x, second.chunks[c]);
        emit3(b, integer_form(OP_SUB, type), to, to, x86_reg(SCRATCH + 1));
        emit3(b, integer_form(OP_ADD, type), to, to, third.chunks[c]);
    }
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* Bytes that a constant chooses from one of both words; others become 0. */
static const uint8_t *chosen_bytes(struct body *b, uint32_t choice, bool from_second)
{
    uint8_t *bytes = ARENA_ARRAY(b->arena, uint8_t, VECTOR_BYTES);
    for (unsigned i = 0; i < VECTOR_BYTES; i++) {
        unsigned pick = choice >> (4 * (i % 4)) & 15;
        bytes[i] = (pick >> 2 & 1) == from_second ? (uint8_t)(i % 16 / 4 * 4 + (pick & 3)) : 0x80;
    }
    return bytes;
}

static bool template_prmt(struct body *b, const struct uop *u)
{
    uint64_t choice;
    bool is_plain = u->insn->sub_op == SUB_NONE && has_widths(u, 4, 4, 4, 4);
    if (!is_plain || !value_constant(b, u->src[2], &choice) || choice & 0x8888) return false;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct result result = value_begin(b, 4);
    x86_load_imm(b->a, RAX, (uintptr_t)chosen_bytes(b, (uint32_t)choice, false));
    x86_load_imm(b->a, RCX, (uintptr_t)chosen_bytes(b, (uint32_t)choice, true));
    for (unsigned c = 0; c < 2; c++) {
        unsigned x = value_in_register(b, first.chunks[c], SCRATCH);
        unsigned y = value_in_register(b, second.chunks[c], SCRATCH + 1);
        emit3(b, X86_SHUFFLE_BYTES, result.regs[c], x, x86_at(RAX, 0));
        emit3(b, X86_SHUFFLE_BYTES, SCRATCH, y, x86_at(RCX, 0));
        emit3(b, X86_OR_32, result.regs[c], result.regs[c], x86_reg(SCRATCH));
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* What a mode chooses as result byte `k` for the number `n`, 0 to 3 (ISA, table of prmt). */
static uint32_t pick_of_mode(unsigned mode, uint32_t n, uint32_t k)
{
    switch (mode) {
    case SUB_F4E:
        return n + k;
    case SUB_B4E:
        return (n + 8 - k) & 7;
    case SUB_RC8:
        return n;
    case SUB_ECL:
        return k > n ? k : n;
    case SUB_ECR:
        return k < n ? k : n;
    default:
        return (n & 1) * 2 + (k & 1);
    }
}

/* Four choices in the bytes of each lane: those that the mode has for a number ... */
static void emit_choices_of_mode(struct body *b, unsigned mode, unsigned to, struct x86_place from)
{
    uint32_t *table = ARENA_ARRAY(b->arena, uint32_t, 16); /* of the lower four bits */
    for (uint32_t n = 0; n < 16; n++)
        for (uint32_t k = 0; k < 4; k++)
            table[n] |= pick_of_mode(mode, n & 3, k) << (8 * k);
    x86_load_imm(b->a, RAX, (uintptr_t)table);
    emit2(b, X86_MOVE, SCRATCH + 1, x86_at(RAX, 0));
    emit2(b, X86_MOVE, to, from);
    emit3(b, X86_PICK_32, to, SCRATCH + 1, x86_reg(SCRATCH + 1));
}

/* ... and the lower four nibbles. */
static void emit_choices(struct body *b, unsigned to, struct x86_place from)
{
    emit2(b, X86_MOVE, to, from);
    emit3(b, X86_AND_32, to, to, CONSTANT(low_halves));
    x86_vector(b->a, X86_SHL_32_BY, 0, SCRATCH, x86_reg(to), 0, 8);
    emit3(b, X86_OR_32, to, to, x86_reg(SCRATCH));
    emit3(b, X86_AND_32, to, to, CONSTANT(even_bytes));
    x86_vector(b->a, X86_SHL_32_BY, 0, SCRATCH, x86_reg(to), 0, 4);
    emit3(b, X86_OR_32, to, to, x86_reg(SCRATCH));
    emit3(b, X86_AND_32, to, to, CONSTANT(low_nibbles));
}

/* All ones in the bytes of `to` where the choices have this bit. */
static void emit_bytes_with(struct body *b, unsigned to, unsigned choices, int bit)
{
    x86_vector(b->a, X86_SHR_U32_BY, 0, to, x86_reg(choices), 0, bit);
    emit3(b, X86_AND_32, to, to, CONSTANT(ones));
    emit3(b, X86_MUL_32, to, to, CONSTANT(byte_max));
}

/* A shuffle gives 0 for places whose top bit is set: the bytes of each word are chosen by themselves. */
static void emit_permuted(struct body *b, unsigned to, unsigned choices, struct x86_place first,
                          struct x86_place second)
{
    enum { PLACES = SCRATCH, FROM_SECOND, OTHER = SCRATCH + 3, NOT_AND = 0x0c };
    emit3(b, X86_AND_32, PLACES, choices, CONSTANT(low_pairs));
    emit3(b, X86_OR_32, PLACES, PLACES,
          x86_at(RBP, (int32_t)offsetof(struct body_constants, words_of_bytes)));
    emit_bytes_with(b, FROM_SECOND, choices, 2);
    emit3(b, X86_OR_32, OTHER, PLACES, x86_reg(FROM_SECOND));
    emit2(b, X86_MOVE, to, first);
    emit3(b, X86_SHUFFLE_BYTES, to, to, x86_reg(OTHER));
    x86_vector(b->a, X86_TERNARY_32, FROM_SECOND, FROM_SECOND, x86_reg(FROM_SECOND), 0, 0x55);
    emit3(b, X86_OR_32, PLACES, PLACES, x86_reg(FROM_SECOND));
    emit2(b, X86_MOVE, OTHER, second);
    emit3(b, X86_SHUFFLE_BYTES, OTHER, OTHER, x86_reg(PLACES));
    emit3(b, X86_OR_32, to, to, x86_reg(OTHER));
}

/* The sign of a byte instead of it, where the choice says so. */
static void emit_signs(struct body *b, unsigned to, unsigned choices)
{
    enum { WHERE = SCRATCH, SIGNS, CHOOSE = 0xca };
    emit_bytes_with(b, WHERE, choices, 3);
    emit_bytes_with(b, SIGNS, to, 7);
    x86_vector(b->a, X86_TERNARY_32, WHERE, SIGNS, x86_reg(to), 0, CHOOSE);
    emit2(b, X86_MOVE, to, x86_reg(WHERE));
}

static bool template_prmt_any(struct body *b, const struct uop *u)
{
    enum { CHOICES = SCRATCH + 2 };
    unsigned mode = u->insn->sub_op;
    if (!has_widths(u, 4, 4, 4, 4)) return false;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct source third = value_source(b, u->src[2], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        if (mode == SUB_NONE)
            emit_choices(b, CHOICES, third.chunks[c]);
        else
            emit_choices_of_mode(b, mode, CHOICES, third.chunks[c]);
        emit_permuted(b, result.regs[c], CHOICES, first.chunks[c], second.chunks[c]);
        if (mode == SUB_NONE) emit_signs(b, result.regs[c], CHOICES);
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* The quotient of 32 bits by f64, whose 53 bits cannot round it up to the next integer. What f64 cannot tell the processor
 * gives as we want it but for the signed quotient by 0: without sign by 0 all ones, of -2^31 by -1 -2^31. */
static void emit_quotient(struct body *b, bool has_sign, unsigned to, const struct source *first,
                          const struct source *second, unsigned c)
{
    enum x86_form widened = has_sign ? X86_F64_OF_S32 : X86_F64_OF_U32;
    enum x86_form narrowed = has_sign ? X86_S32_OF_F64 : X86_U32_OF_F64;
    for (unsigned half = 0; half < 2; half++) {
        unsigned quotient = half ? SCRATCH : to;
        emit_widened(b, widened, SCRATCH, first, 2 * c + half);
        emit_widened(b, widened, SCRATCH + 1, second, 2 * c + half);
        emit3(b, X86_DIV_F64, SCRATCH, SCRATCH, x86_reg(SCRATCH + 1));
        emit2(b, narrowed, quotient, x86_reg(SCRATCH));
        if (half) x86_vector(b->a, X86_JOIN_HALVES, to, to, x86_reg(quotient), 0, 1);
    }
    if (!has_sign) return;
    emit3(b, X86_XOR_32, SCRATCH, SCRATCH, x86_reg(SCRATCH));
    x86_vector(b->a, X86_COMPARE_U32, 1, SCRATCH, second->chunks[c], 0, 0);
    emit_ones(b, SCRATCH);
    x86_vector(b->a, X86_MOVE, to, 0, x86_reg(SCRATCH), 1, -1);
}

void emit_divided(struct body *b, const struct uop *u, unsigned to, const struct source *first,
                  const struct source *second, unsigned c)
{
    emit_quotient(b, is_signed(u), to, first, second, c);
    if (u->insn->op == OP_DIV) return;
    emit3(b, X86_MUL_32, SCRATCH + 1, to, second->chunks[c]);
    emit3(b, X86_SUB_32, to, value_in_register(b, first->chunks[c], SCRATCH), x86_reg(SCRATCH + 1));
}

static bool template_quotient(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 4, 4, 4, 0)) return false;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++)
        emit_divided(b, u, result.regs[c], &first, &second, c);
    value_finish(b, 0, &result, 4, false);
    return true;
}

bool template_bits(struct body *b, const struct uop *u)
{
    const struct type_info *type = &type_infos[u->insn->type];
    unsigned bytes = type->bits / 8;
    if (type->kind == KIND_FLOAT || (bytes != 2 && bytes != 4 && bytes != 8)) return false;
    if (u->insn->op == OP_SAD) return template_sad(b, u);
    if (bytes == 2) return false;
    switch (u->insn->op) {
    case OP_BFE:
        return template_bfe(b, u, bytes);
    case OP_BFI:
        return template_bfi(b, u, bytes);
    case OP_BMSK:
        return template_bmsk(b, u);
    case OP_SZEXT:
        return template_szext(b, u);
    case OP_BREV:
        return bytes == 4 ? template_one(b, u) : template_brev_64(b, u);
    case OP_POPC:
    case OP_BFIND:
        return bytes == 4 ? template_one(b, u) : template_count_64(b, u);
    case OP_CLZ:
        return bytes == 8 && template_count_64(b, u);
    case OP_PRMT:
        return template_prmt(b, u) || template_prmt_any(b, u);
    case OP_DIV:
    case OP_REM:
        return bytes == 4 && template_quotient(b, u);
    default:
        return false;
    }
}
