// SPDX-License-Identifier: Apache-2.0
/* Integers longer than a register: chains of add, sub and mad with a carry, one bit a lane in the warp
 * (emulate/sem_int.h), and the upper halves of products of 64 bits. */
#include "compile/body.h"

/* uop.imm */
enum { READS_CARRY = 1, WRITES_CARRY = 2 };
/* Masks; those of the chunks' carries come first. */
enum { CARRY_IN = 5, ALL_IN = 6, SECOND_CARRY = 7 };
enum { LESS = 1, EQUAL = 0 };

static struct x86_place warp_carry(void)
{
    return x86_at(RDI, (int32_t)offsetof(struct warp, carry));
}

/* ---- upper halves of products ---------------------------------------------------------------- */

/* From the products of the halves; of negative factors the other is subtracted. Uses all scratch registers. */
static void emit_high_64(struct body *b, bool is_signed, unsigned to, unsigned x, unsigned y)
{
    enum { X_HIGH = SCRATCH, Y_HIGH, LOW, MIDDLE };
    x86_vector(b->a, X86_SHR_U64_BY, 0, X_HIGH, x86_reg(x), 0, 32);
    x86_vector(b->a, X86_SHR_U64_BY, 0, Y_HIGH, x86_reg(y), 0, 32);
    emit3(b, X86_MUL_WIDE_U32, LOW, x, x86_reg(y));
    x86_vector(b->a, X86_SHR_U64_BY, 0, LOW, x86_reg(LOW), 0, 32);
    emit3(b, X86_MUL_WIDE_U32, MIDDLE, x, x86_reg(Y_HIGH));
    emit3(b, X86_ADD_64, MIDDLE, MIDDLE, x86_reg(LOW));
    emit3(b, X86_MUL_WIDE_U32, LOW, X_HIGH, x86_reg(y));
    emit3(b, X86_AND_64, to, MIDDLE, CONSTANT(low_words));
    emit3(b, X86_ADD_64, LOW, LOW, x86_reg(to));
    x86_vector(b->a, X86_SHR_U64_BY, 0, LOW, x86_reg(LOW), 0, 32);
    x86_vector(b->a, X86_SHR_U64_BY, 0, MIDDLE, x86_reg(MIDDLE), 0, 32);
    emit3(b, X86_MUL_WIDE_U32, to, X_HIGH, x86_reg(Y_HIGH));
    emit3(b, X86_ADD_64, to, to, x86_reg(LOW));
    emit3(b, X86_ADD_64, to, to, x86_reg(MIDDLE));
    for (unsigned k = 0; is_signed && k < 2; k++) {
        x86_vector(b->a, X86_SHR_S64_BY, 0, LOW, x86_reg(k ? y : x), 0, 63);
        emit3(b, X86_AND_64, LOW, LOW, x86_reg(k ? x : y));
        emit3(b, X86_SUB_64, to, to, x86_reg(LOW));
    }
}

/* Chunk c of a product, the low or the high words of it. */
static void emit_product(struct body *b, const struct uop *u, unsigned bytes, unsigned to,
                         struct x86_place first, struct x86_place second,
                         const struct result *temporary)
{
    bool is_signed = type_infos[u->insn->type].kind == KIND_SIGNED;
    if (u->insn->mul_part != MUL_HI) {
        emit3(b, bytes == 8 ? X86_MUL_64 : X86_MUL_32, to, value_in_register(b, first, SCRATCH),
              second);
    } else if (bytes == 4) {
        emit_high_32(b, is_signed, to, value_in_register(b, first, SCRATCH + 3), second);
    } else {
        unsigned x = value_in_register(b, first, temporary->regs[0]);
        unsigned y = value_in_register(b, second, temporary->regs[1]);
        emit_high_64(b, is_signed, to, x, y);
    }
}

static bool template_high_64(struct body *b, const struct uop *u)
{
    bool adds = u->insn->op == OP_MAD;
    if (u->insn->mul_part != MUL_HI || !has_widths(u, 8, 8, 8, adds ? 8 : 0)) return false;
    struct source first = value_source(b, u->src[0], 8), second = value_source(b, u->src[1], 8);
    struct source third = {0};
    if (adds) third = value_source(b, u->src[2], 8);
    struct result result = value_begin(b, 8), temporary = value_begin(b, 4);
    for (unsigned c = 0; c < 4; c++) {
        unsigned to = result.regs[c];
        emit_product(b, u, 8, to, first.chunks[c], second.chunks[c], &temporary);
        if (adds) emit3(b, X86_ADD_64, to, to, third.chunks[c]);
    }
    value_release(b, &temporary, 4);
    value_finish(b, 0, &result, 8, false);
    return true;
}

/* ---- chains ---------------------------------------------------------------------------------- */

/* The carry that comes in, of all lanes; subtraction without one adds 1. */
static bool emit_carry_in(struct body *b, const struct uop *u)
{
    bool subtracts = u->insn->op == OP_SUB;
    if (u->imm & READS_CARRY)
        x86_mask_load(b->a, ALL_IN, warp_carry());
    else if (subtracts)
        x86_load_imm(b->a, RAX, UINT32_MAX), x86_mask_of_gpr(b->a, ALL_IN, RAX);
    return subtracts || u->imm & READS_CARRY;
}

/* Chunk c of x + y and what comes in; its carries in mask 1 + c. x is not the result. */
static void emit_sum(struct body *b, unsigned bytes, unsigned to, unsigned x, struct x86_place y,
                     unsigned c, bool has_carry)
{
    enum x86_form compare = bytes == 8 ? X86_COMPARE_U64 : X86_COMPARE_U32;
    enum x86_form add = bytes == 8 ? X86_ADD_64 : X86_ADD_32;
    emit3(b, add, to, x, y);
    x86_vector(b->a, compare, 1 + c, to, x86_reg(x), 0, LESS);
    if (!has_carry) return;
    x86_mask_shift(b->a, CARRY_IN, ALL_IN, c * (VECTOR_BYTES / bytes));
    x86_vector(b->a, add, to, to,
               x86_element(RBP, (int32_t)(offsetof(struct body_constants, lanes) + 8)), CARRY_IN,
               -1);
    emit3(b, X86_XOR_32, SCRATCH + 3, SCRATCH + 3, x86_reg(SCRATCH + 3));
    x86_vector(b->a, compare, SECOND_CARRY, to, x86_reg(SCRATCH + 3), CARRY_IN, EQUAL);
    x86_mask_or(b->a, 1 + c, 1 + c, SECOND_CARRY);
}

static void emit_carry_out(struct body *b, unsigned bytes)
{
    emit_joined_masks(b, bytes);
    x86_scalar(b->a, false, X86_LOAD, RCX, warp_carry());
    x86_scalar(b->a, false, X86_XOR, RAX, x86_reg(RCX));
    x86_scalar(b->a, false, X86_AND, RAX, emit_lanes(b));
    x86_scalar(b->a, false, X86_XOR, RAX, x86_reg(RCX));
    x86_scalar(b->a, false, X86_STORE, RAX, warp_carry());
}

static void emit_chain(struct body *b, const struct uop *u, unsigned bytes,
                       const struct source *sources, const struct result *result,
                       const struct result *temporary)
{
    unsigned op = u->insn->op;
    bool is_product = op == OP_MAD || op == OP_MADC, subtracts = op == OP_SUB || op == OP_SUBC;
    bool has_carry = emit_carry_in(b, u);
    for (unsigned c = 0; c < bytes / 2; c++) {
        unsigned x = temporary->regs[2];
        struct x86_place y = sources[is_product ? 2 : 1].chunks[c];
        if (is_product)
            emit_product(b, u, bytes, x, sources[0].chunks[c], sources[1].chunks[c], temporary);
        else
            x = value_in_register(b, sources[0].chunks[c], SCRATCH);
        if (subtracts) { /* its complement */
            x86_vector(b->a, X86_TERNARY_32, SCRATCH + 1, SCRATCH + 1, y, 0, 0x55);
            y = x86_reg(SCRATCH + 1);
        }
        emit_sum(b, bytes, result->regs[c], x, y, c, has_carry);
    }
    if (u->imm & WRITES_CARRY) emit_carry_out(b, bytes);
}

static bool template_chain(struct body *b, const struct uop *u)
{
    bool is_product = u->insn->op == OP_MAD || u->insn->op == OP_MADC;
    unsigned bytes = type_infos[u->insn->type].bits / 8, count = is_product ? 3 : 2;
    if (u->insn->mul_part == MUL_WIDE || (bytes != 4 && bytes != 8)) return false;
    if (!has_widths(u, bytes, bytes, bytes, is_product ? bytes : 0)) return false;
    struct source sources[3];
    for (unsigned k = 0; k < count; k++)
        sources[k] = value_source(b, u->src[k], bytes);
    struct result result = value_begin(b, bytes), temporary = value_begin(b, 8);
    x86_scalar(b->a, true, X86_LOAD, RDI, x86_at(RBX, (int32_t)offsetof(struct exec, warp)));
    emit_chain(b, u, bytes, sources, &result, &temporary);
    value_release(b, &temporary, 8);
    value_finish(b, 0, &result, bytes, false);
    return true;
}

bool template_carry(struct body *b, const struct uop *u)
{
    const struct insn *insn = u->insn;
    if (type_infos[insn->type].kind == KIND_FLOAT) return false;
    switch (insn->op) {
    case OP_ADDC:
    case OP_SUBC:
    case OP_MADC:
        return template_chain(b, u);
    case OP_ADD:
    case OP_SUB:
        return insn->flags & INSN_CC && template_chain(b, u);
    case OP_MUL:
        return type_infos[insn->type].bits == 64 && template_high_64(b, u);
    case OP_MAD:
        if (insn->flags & INSN_CC) return template_chain(b, u);
        return type_infos[insn->type].bits == 64 && template_high_64(b, u);
    default:
        return false;
    }
}
