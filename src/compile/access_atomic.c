// SPDX-License-Identifier: Apache-2.0
/* Atomics on words of 32 and 64 bits: lane by lane, in ascending order, as emulate/sem_atomic.h says. */
#include "compile/access_data.h"

#define OF_FRAME(field) x86_at(RSP, (int32_t)offsetof(struct body_frame, field))

/* General registers of the loop. */
enum {
    WANTED = RAX, /* by compare and swap, where others may change the word, too */
    LANE = RCX,
    LANES_LEFT = RDX,
    CHANGES = RSI,
    ADDRESS = RDI,
    NEXT = R8, /* the operand, and then what the word becomes */
    OLD = R9,
    SWAPPED = R10,
    HOST = R11,
};

bool data_is_atomic(const struct uop *u)
{
    unsigned op = u->insn->atom_op, width = u->dst_bits / 8u;
    bool is_integer = type_infos[u->insn->type].kind != KIND_FLOAT;
    bool is_known = (op >= ATOM_ADD && op <= ATOM_MAX) || (op >= ATOM_AND && op <= ATOM_EXCH) ||
                    (op == ATOM_CAS && width == 4);
    bool is_word = u->vector == 1 && u->element == width && (width == 4 || width == 8);
    bool has_place = u->space == SPACE_SHARED || u->space == SPACE_GLOBAL ||
                     u->space == SPACE_GENERIC || u->space == SPACE_NONE;
    return (u->insn->op == OP_ATOM || u->insn->op == OP_RED) && has_place && is_known && is_word &&
           (is_integer || op >= ATOM_EXCH);
}

static bool is_wide(const struct uop *u)
{
    return u->element == 8;
}

/* Where the frame has source k of the lane, or its result. */
static struct x86_place of_lane(const struct uop *u, unsigned k)
{
    struct x86_place buffer = OF_FRAME(values);
    return x86_indexed(RSP, buffer.offset + (int32_t)(k * WARP_LANES * u->element), LANE,
                       is_wide(u) ? 3 : 2);
}

static void emit_selected(struct body *b, const struct uop *u, enum x86_condition condition)
{
    x86_scalar(b->a, is_wide(u), X86_CMP, OLD, x86_reg(NEXT));
    x86_scalar(b->a, is_wide(u), X86_CMOV | condition, NEXT, x86_reg(OLD));
}

static void emit_next(struct body *b, const struct uop *u)
{
    bool is_signed = type_infos[u->insn->type].kind == KIND_SIGNED;
    switch (u->insn->atom_op) {
    case ATOM_ADD:
        x86_scalar(b->a, is_wide(u), X86_ADD, NEXT, x86_reg(OLD));
        break;
    case ATOM_AND:
        x86_scalar(b->a, is_wide(u), X86_AND, NEXT, x86_reg(OLD));
        break;
    case ATOM_OR:
        x86_scalar(b->a, is_wide(u), X86_OR, NEXT, x86_reg(OLD));
        break;
    case ATOM_XOR:
        x86_scalar(b->a, is_wide(u), X86_XOR, NEXT, x86_reg(OLD));
        break;
    case ATOM_MIN:
        emit_selected(b, u, is_signed ? X86_LESS : X86_BELOW);
        break;
    case ATOM_MAX:
        emit_selected(b, u, is_signed ? X86_GREATER : X86_ABOVE);
        break;
    case ATOM_CAS:
        x86_scalar(b->a, false, X86_LOAD, SWAPPED, of_lane(u, 1));
        x86_scalar(b->a, false, X86_CMP, OLD, x86_reg(NEXT));
        x86_scalar(b->a, false, X86_LOAD, NEXT, x86_reg(OLD));
        x86_scalar(b->a, false, X86_CMOV | X86_EQUAL, NEXT, x86_reg(SWAPPED));
        break;
    default: /* ATOM_EXCH */
        break;
    }
}

/* The word of one lane. */
static void emit_word(struct body *b, const struct uop *u, bool is_concurrent)
{
    struct x86_place word = x86_indexed(HOST, (int32_t)u->imm, ADDRESS, 0);
    x86_scalar(b->a, is_wide(u), X86_LOAD, is_concurrent ? WANTED : OLD, word);
    uint32_t again = b->a->used;
    if (is_concurrent) x86_scalar(b->a, is_wide(u), X86_LOAD, OLD, x86_reg(WANTED));
    x86_scalar(b->a, is_wide(u), X86_LOAD, NEXT, of_lane(u, 0));
    emit_next(b, u);
    if (is_concurrent) {
        x86_compare_swap(b->a, is_wide(u), NEXT, word);
        x86_land_at(b->a, x86_jump(b->a, X86_NOT_EQUAL), again);
    } else {
        x86_scalar(b->a, is_wide(u), X86_STORE, NEXT, word);
    }
}

static void emit_lanes_in_order(struct body *b, const struct uop *u,
                                const struct x86_place *addresses, bool is_concurrent)
{
    x86_scalar(b->a, false, X86_LOAD, LANES_LEFT, OF_FRAME(mask));
    uint32_t loop = b->a->used;
    x86_first_bit(b->a, LANE, LANES_LEFT);
    x86_scalar(b->a, true, X86_LOAD, ADDRESS, x86_indexed(RSP, addresses->offset, LANE, 3));
    emit_word(b, u, is_concurrent);
    if (u->dst[0] != REF_NONE) x86_scalar(b->a, is_wide(u), X86_STORE, OLD, of_lane(u, 0));
    x86_scalar(b->a, is_wide(u), X86_XOR, OLD, x86_reg(NEXT));
    x86_scalar(b->a, true, X86_OR, CHANGES, x86_reg(OLD));
    x86_scalar(b->a, false, X86_LEA, LANE, x86_at(LANES_LEFT, -1));
    x86_scalar(b->a, false, X86_AND, LANES_LEFT, x86_reg(LANE));
    x86_land_at(b->a, x86_jump(b->a, X86_NOT_EQUAL), loop);
}

/* Operands to the frame. */
static void emit_sources(struct body *b, const struct uop *u, const struct source *values)
{
    unsigned chunks = WARP_LANES * u->element / VECTOR_BYTES;
    for (unsigned k = 0; k < (u->insn->atom_op == ATOM_CAS ? 2u : 1u); k++)
        for (unsigned c = 0; c < chunks; c++) {
            struct x86_place to = OF_FRAME(values);
            to.offset += (int32_t)(VECTOR_BYTES * (chunks * k + c));
            emit2(b, X86_MOVE_OUT, value_in_register(b, values[k].chunks[c], SCRATCH), to);
        }
}

void data_atomic_lanes(struct body *b, const struct uop *u, const struct result *results,
                       const struct source *values, const struct x86_place *addresses,
                       bool is_shared)
{
    emit_sources(b, u, values);
    x86_load_imm(b->a, CHANGES, 0);
    uint32_t done = 0;
    if (!is_shared) { /* what the word was depends on other blocks, if they are independent */
        x86_test_byte(b->a, OF_EXEC(independent), 1);
        uint32_t ordered = x86_jump(b->a, X86_EQUAL);
        x86_load_imm(b->a, CHANGES, 1);
        x86_land(b->a, ordered);
        x86_test_byte(b->a, OF_EXEC(concurrent), 1);
        uint32_t alone = x86_jump(b->a, X86_EQUAL);
        emit_lanes_in_order(b, u, addresses, true);
        done = x86_jump(b->a, X86_ALWAYS);
        x86_land(b->a, alone);
    }
    emit_lanes_in_order(b, u, addresses, false);
    if (!is_shared) x86_land(b->a, done);
    x86_scalar(b->a, true, X86_TEST, CHANGES, x86_reg(CHANGES));
    uint32_t same = x86_jump(b->a, X86_EQUAL);
    x86_store_imm(b->a, OF_EXEC(changed), -1);
    x86_land(b->a, same);
    for (unsigned c = 0; u->dst[0] != REF_NONE && c < WARP_LANES * u->element / VECTOR_BYTES; c++) {
        struct x86_place from = OF_FRAME(values);
        from.offset += (int32_t)(VECTOR_BYTES * c);
        emit2(b, X86_MOVE, results[0].regs[c], from);
    }
}
