// SPDX-License-Identifier: Apache-2.0
/* Integers, logic and shifts of 32 and 64 bits (emulate/sem_int.h, sem_bits.h say what they mean). */
#include "compile/body.h"

/* Does any flag ask for more than the plain operation? */
static bool is_plain(const struct insn *insn)
{
    return !(insn->flags & (INSN_SAT | INSN_CC | INSN_RELU)) && !insn->combine &&
           insn->type != TYPE_U16X2 && insn->type != TYPE_S16X2;
}

/* ---- two operands ---------------------------------------------------------------------------- */

struct binary {
    uint16_t op;
    uint8_t unsigned_32, signed_32, unsigned_64, signed_64, unsigned_16, signed_16;
};
static const struct binary binaries[] = {
    {OP_ADD, X86_ADD_32, X86_ADD_32, X86_ADD_64, X86_ADD_64, X86_ADD_16, X86_ADD_16},
    {OP_SUB, X86_SUB_32, X86_SUB_32, X86_SUB_64, X86_SUB_64, X86_SUB_16, X86_SUB_16},
    {OP_MUL, X86_MUL_32, X86_MUL_32, X86_MUL_64, X86_MUL_64, X86_MUL_16, X86_MUL_16},
    {OP_MIN, X86_MIN_U32, X86_MIN_S32, X86_MIN_U64, X86_MIN_S64, X86_MIN_U16, X86_MIN_S16},
    {OP_MAX, X86_MAX_U32, X86_MAX_S32, X86_MAX_U64, X86_MAX_S64, X86_MAX_U16, X86_MAX_S16},
    {OP_AND, X86_AND_32, X86_AND_32, X86_AND_32, X86_AND_32, X86_AND_32, X86_AND_32},
    {OP_OR, X86_OR_32, X86_OR_32, X86_OR_32, X86_OR_32, X86_OR_32, X86_OR_32},
    {OP_XOR, X86_XOR_32, X86_XOR_32, X86_XOR_32, X86_XOR_32, X86_XOR_32, X86_XOR_32},
};

static const struct binary *find_binary(unsigned op)
{
    for (unsigned i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (binaries[i].op == op) return &binaries[i];
    return NULL;
}

enum x86_form integer_form(unsigned op, unsigned type)
{
    const struct binary *row = find_binary(op);
    bool is_signed = type_infos[type].kind == KIND_SIGNED;
    if (type_infos[type].bits == 64) return is_signed ? row->signed_64 : row->unsigned_64;
    if (type_infos[type].bits == 16) return is_signed ? row->signed_16 : row->unsigned_16;
    return is_signed ? row->signed_32 : row->unsigned_32;
}

/* Lower words of products with a constant: two wide multiplications and two shuffles, of which a chain waits seven
 * cycles; vpmulld takes ten. Uses SCRATCH + 1. */
static void emit_low_32(struct body *b, unsigned to, unsigned x, struct x86_place y)
{
    enum { ODD = SCRATCH + 1, ODD_LANES = 1, ODD_DOWN = 0xf5, EVEN_UP = 0xa0 };
    x86_mask_load(b->a, ODD_LANES,
                  x86_at(RBP, (int32_t)offsetof(struct body_constants, odd_lanes)));
    x86_vector(b->a, X86_SHUFFLE_WORDS, ODD, 0, x86_reg(x), 0, ODD_DOWN);
    emit3(b, X86_MUL_WIDE_U32, to, x, y);
    emit3(b, X86_MUL_WIDE_U32, ODD, ODD, y);
    x86_vector(b->a, X86_SHUFFLE_WORDS, to, 0, x86_reg(ODD), ODD_LANES, EVEN_UP);
}

/* One register's worth of lower halves of products. */
static void emit_low_product(struct body *b, unsigned bytes, operand_ref second, unsigned to,
                             unsigned x, struct x86_place y)
{
    static const uint8_t forms[] = {[2] = X86_MUL_16, [4] = X86_MUL_32, [8] = X86_MUL_64};
    uint64_t constant;
    if (bytes == 4 && value_constant(b, second, &constant))
        emit_low_32(b, to, x, y);
    else
        emit3(b, forms[bytes], to, x, y);
}

static bool template_binary(struct body *b, const struct uop *u, unsigned bytes)
{
    if (!find_binary(u->insn->op) || u->insn->nsrc != 2 || !has_widths(u, bytes, bytes, bytes, 0))
        return false;
    if (u->insn->op == OP_MUL && u->insn->mul_part != MUL_LO) return false;
    struct source first = value_source(b, u->src[0], bytes);
    struct source second = value_source(b, u->src[1], bytes);
    struct result result = value_begin(b, bytes);
    bool swaps = first.chunks[0].is_memory && u->insn->op != OP_SUB;
    for (unsigned c = 0; c < bytes / 2; c++) {
        unsigned x = value_in_register(b, swaps ? second.chunks[c] : first.chunks[c], SCRATCH);
        struct x86_place y = swaps ? first.chunks[c] : second.chunks[c];
        if (u->insn->op == OP_MUL)
            emit_low_product(b, bytes, u->src[!swaps], result.regs[c], x, y);
        else
            emit3(b, integer_form(u->insn->op, u->insn->type), result.regs[c], x, y);
    }
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* ---- products -------------------------------------------------------------------------------- */

static bool takes_quarter(enum x86_form form)
{
    return form == X86_WIDEN_S16_64 || form == X86_WIDEN_U16_64;
}

void emit_widened(struct body *b, enum x86_form form, unsigned to, const struct source *from,
                  unsigned c)
{
    unsigned parts = takes_quarter(form) ? 4 : 2, part = c % parts;
    struct x86_place place = from->chunks[c / parts];
    if (place.is_memory) {
        place.offset += (int32_t)(part * VECTOR_BYTES / parts);
    } else if (part) {
        x86_vector(b->a, parts == 4 ? X86_QUARTER : X86_UPPER_HALF, place.reg, 0, x86_reg(to), 0,
                   (int)part);
        place = x86_reg(to);
    }
    emit2(b, form, to, place);
}

void emit_narrowed(struct body *b, const struct result *result, unsigned reg, unsigned from,
                   unsigned to, unsigned c)
{
    unsigned parts = from / to, part = c % parts, whole = result->regs[c / parts];
    enum x86_form form = parts == 4  ? X86_NARROW_64_16
                         : from == 8 ? X86_NARROW_64
                                     : X86_NARROW_32_16;
    emit2(b, form, reg, x86_reg(part ? SCRATCH + 1 : whole));
    if (part)
        x86_vector(b->a, parts == 4 ? X86_JOIN_QUARTERS : X86_JOIN_HALVES, whole, whole,
                   x86_reg(SCRATCH + 1), 0, (int)part);
}

static bool template_wide(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    bool adds = insn->op == OP_MAD;
    if (insn->mul_part != MUL_WIDE || !has_widths(u, 8, 4, 4, adds ? 8 : 0)) return false;
    bool is_signed = type_infos[insn->type].kind == KIND_SIGNED;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct source third = {0};
    if (adds) third = value_source(b, u->src[2], 8);
    struct result result = value_begin(b, 8);
    for (unsigned c = 0; c < 4; c++) {
        emit_widened(b, X86_WIDEN_U32, SCRATCH, &first, c);
        emit_widened(b, X86_WIDEN_U32, SCRATCH + 1, &second, c);
        emit3(b, is_signed ? X86_MUL_WIDE_S32 : X86_MUL_WIDE_U32, result.regs[c], SCRATCH,
              x86_reg(SCRATCH + 1));
        if (adds) emit3(b, X86_ADD_64, result.regs[c], result.regs[c], third.chunks[c]);
    }
    value_finish(b, 0, &result, 8, false);
    return true;
}

void emit_high_32(struct body *b, bool is_signed, unsigned to, unsigned x, struct x86_place y)
{
    enum { EVEN = SCRATCH, ODD, OTHER };
    enum x86_form form = is_signed ? X86_MUL_WIDE_S32 : X86_MUL_WIDE_U32;
    emit3(b, form, EVEN, x, y);
    x86_vector(b->a, X86_SHR_U64_BY, 0, EVEN, x86_reg(EVEN), 0, 32);
    unsigned second = value_in_register(b, y, OTHER);
    x86_vector(b->a, X86_SHR_U64_BY, 0, ODD, x86_reg(x), 0, 32);
    x86_vector(b->a, X86_SHR_U64_BY, 0, OTHER, x86_reg(second), 0, 32);
    emit3(b, form, ODD, ODD, x86_reg(OTHER));
    emit2(b, X86_BROADCAST_64, to, CONSTANT(high_words));
    x86_vector(b->a, X86_TERNARY_32, to, ODD, x86_reg(EVEN), 0, 0xca);
}

static bool template_high(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    bool adds = insn->op == OP_MAD, is_signed = type_infos[insn->type].kind == KIND_SIGNED;
    if (insn->mul_part != MUL_HI || !has_widths(u, 4, 4, 4, adds ? 4 : 0)) return false;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct source third = {0};
    if (adds) third = value_source(b, u->src[2], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned x = value_in_register(b, first.chunks[c], SCRATCH + 3);
        emit_high_32(b, is_signed, result.regs[c], x, second.chunks[c]);
        if (adds) emit3(b, X86_ADD_32, result.regs[c], result.regs[c], third.chunks[c]);
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

static bool template_mad(struct body *b, const struct uop *u, unsigned bytes)
{
    if (u->insn->mul_part != MUL_LO || !has_widths(u, bytes, bytes, bytes, bytes)) return false;
    struct source first = value_source(b, u->src[0], bytes);
    struct source second = value_source(b, u->src[1], bytes);
    struct source third = value_source(b, u->src[2], bytes);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++) {
        unsigned x = value_in_register(b, first.chunks[c], SCRATCH), to = result.regs[c];
        emit_low_product(b, bytes, u->src[1], to, x, second.chunks[c]);
        emit3(b,
              bytes == 8   ? X86_ADD_64
              : bytes == 4 ? X86_ADD_32
                           : X86_ADD_16,
              to, to, third.chunks[c]);
    }
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* ---- one operand ----------------------------------------------------------------------------- */

/* 1 for 0, else 0: what 1 has more than the least of 1 and the value. */
static void emit_cnot(struct body *b, unsigned bytes, unsigned to, struct x86_place from)
{
    unsigned type = bytes == 8 ? TYPE_U64 : bytes == 4 ? TYPE_U32 : TYPE_U16;
    x86_load_imm(b->a, RAX, bytes == 2 ? 0x10001 : 1);
    emit2(b, bytes == 8 ? X86_SPREAD_64 : X86_SPREAD_32, SCRATCH, x86_reg(RAX));
    emit3(b, integer_form(OP_MIN, type), to, SCRATCH, from);
    emit3(b, integer_form(OP_SUB, type), to, SCRATCH, x86_reg(to));
}

static void emit_unary(struct body *b, unsigned op, unsigned bytes, unsigned to,
                       struct x86_place from)
{
    if (op == OP_NOT) {
        x86_vector(b->a, X86_TERNARY_32, to, to, from, 0, 0x55); /* the complement of the third */
    } else if (op == OP_CNOT) {
        emit_cnot(b, bytes, to, from);
    } else if (op == OP_NEG) {
        emit3(b, X86_XOR_32, SCRATCH, SCRATCH, x86_reg(SCRATCH));
        emit3(b, bytes == 8 ? X86_SUB_64 : bytes == 4 ? X86_SUB_32 : X86_SUB_16, to, SCRATCH, from);
    } else {
        emit2(b,
              op == OP_CLZ ? X86_CLZ_32
              : bytes == 8 ? X86_ABS_64
              : bytes == 4 ? X86_ABS_32
                           : X86_ABS_16,
              to, from);
    }
}

static bool template_unary(struct body *b, const struct uop *u, unsigned bytes)
{
    if (!has_widths(u, bytes, bytes, 0, 0)) return false;
    struct source source = value_source(b, u->src[0], bytes);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++)
        emit_unary(b, u->insn->op, bytes, result.regs[c], source.chunks[c]);
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* ---- logic of three -------------------------------------------------------------------------- */

static bool template_lop3(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 4, 4, 4, 4)) return false;
    struct source first = value_source(b, u->src[0], 4), second = value_source(b, u->src[1], 4);
    struct source third = value_source(b, u->src[2], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        unsigned y = value_in_register(b, second.chunks[c], SCRATCH);
        emit2(b, X86_MOVE, result.regs[c], first.chunks[c]);
        x86_vector(b->a, X86_TERNARY_32, result.regs[c], y, third.chunks[c], 0, (int)u->imm & 0xff);
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* ---- shifts ---------------------------------------------------------------------------------- */

struct shift {
    uint8_t by_lane, by_constant;
};
static struct shift shift_of(const struct insn *insn, unsigned bytes)
{
    bool is_64 = bytes == 8, is_signed = type_infos[insn->type].kind == KIND_SIGNED;
    if (insn->op == OP_SHL)
        return is_64 ? (struct shift){X86_SHL_64, X86_SHL_64_BY}
                     : (struct shift){X86_SHL_32, X86_SHL_32_BY};
    if (is_signed)
        return is_64 ? (struct shift){X86_SHR_S64, X86_SHR_S64_BY}
                     : (struct shift){X86_SHR_S32, X86_SHR_S32_BY};
    return is_64 ? (struct shift){X86_SHR_U64, X86_SHR_U64_BY}
                 : (struct shift){X86_SHR_U32, X86_SHR_U32_BY};
}

/* The processor clamps counts as PTX does: zeros, or the sign. */
static bool template_shift(struct body *b, const struct uop *u, unsigned bytes)
{
    struct shift shift = shift_of(u->insn, bytes);
    uint64_t count;
    if (!has_widths(u, bytes, bytes, 4, 0)) return false;
    bool is_constant = value_constant(b, u->src[1], &count);
    struct source first = value_source(b, u->src[0], bytes), second = {0};
    if (!is_constant) second = value_source(b, u->src[1], 4);
    struct result result = value_begin(b, bytes);
    for (unsigned c = 0; c < bytes / 2; c++) {
        unsigned to = result.regs[c];
        if (is_constant) {
            int by = (uint32_t)count > 255 ? 255 : (int)(uint32_t)count;
            x86_vector(b->a, shift.by_constant, 0, to, first.chunks[c], 0, by);
            continue;
        }
        struct x86_place by = second.chunks[c];
        if (bytes == 8) {
            emit_widened(b, X86_WIDEN_U32, SCRATCH + 1, &second, c);
            by = x86_reg(SCRATCH + 1);
        }
        emit3(b, shift.by_lane, to, value_in_register(b, first.chunks[c], SCRATCH), by);
    }
    value_finish(b, 0, &result, bytes, false);
    return true;
}

/* Of two words: those that one gives and those that the other takes, at most 32 bits each. */
static void emit_funnel(struct body *b, const struct uop *u, unsigned to, struct x86_place low,
                        struct x86_place high, struct x86_place count)
{
    unsigned by = SCRATCH, rest = SCRATCH + 1, other = SCRATCH + 2, word = SCRATCH + 3;
    bool is_left = u->imm & 1, wraps = u->imm & 2;
    emit2(b, X86_BROADCAST_32, rest, CONSTANT(words_32));
    unsigned given = value_in_register(b, count, by);
    emit3(b, wraps ? X86_AND_32 : X86_MIN_U32, by, given,
          wraps ? CONSTANT(shift_max) : CONSTANT(words_32));
    emit3(b, X86_SUB_32, rest, rest, x86_reg(by));
    emit3(b, is_left ? X86_SHR_U32 : X86_SHL_32, other,
          value_in_register(b, is_left ? low : high, word), x86_reg(rest));
    emit3(b, is_left ? X86_SHL_32 : X86_SHR_U32, to,
          value_in_register(b, is_left ? high : low, word), x86_reg(by));
    emit3(b, X86_OR_32, to, to, x86_reg(other));
}

static bool template_funnel(struct body *b, const struct uop *u)
{
    if (!has_widths(u, 4, 4, 4, 4)) return false;
    bool rotates = u->src[0] == u->src[1] && u->imm & 2;
    struct source low = value_source(b, u->src[0], 4), high = value_source(b, u->src[1], 4);
    struct source count = value_source(b, u->src[2], 4);
    struct result result = value_begin(b, 4);
    for (unsigned c = 0; c < 2; c++) {
        if (rotates)
            emit3(b, u->imm & 1 ? X86_ROTATE_LEFT_32 : X86_ROTATE_RIGHT_32, result.regs[c],
                  value_in_register(b, low.chunks[c], SCRATCH), count.chunks[c]);
        else
            emit_funnel(b, u, result.regs[c], low.chunks[c], high.chunks[c], count.chunks[c]);
    }
    value_finish(b, 0, &result, 4, false);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

bool template_integer(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    const struct type_info *type = &type_infos[insn->type];
    unsigned bytes = type->bits / 8;
    if (type->kind == KIND_FLOAT || type->kind == KIND_PRED ||
        (bytes != 2 && bytes != 4 && bytes != 8) || !is_plain(insn))
        return false;
    switch (insn->op) {
    case OP_MUL:
        return template_binary(b, u, bytes) || template_wide(b, u) || template_high(b, u);
    case OP_MAD:
        return template_mad(b, u, bytes) || template_wide(b, u) || template_high(b, u);
    case OP_CLZ:
        return bytes == 4 && template_unary(b, u, bytes);
    case OP_NOT:
    case OP_CNOT:
    case OP_NEG:
    case OP_ABS:
        return template_unary(b, u, bytes);
    case OP_LOP3:
        return template_lop3(b, u);
    case OP_SHL:
    case OP_SHR:
        return bytes > 2 && template_shift(b, u, bytes);
    case OP_SHF:
        return template_funnel(b, u);
    default:
        return template_binary(b, u, bytes);
    }
}
