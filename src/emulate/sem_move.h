// SPDX-License-Identifier: Apache-2.0
/* Moves, packing, address spaces. */
#ifndef EMULATE_SEM_MOVE_H
#define EMULATE_SEM_MOVE_H

#include "emulate/sem_select.h"

OP1(mov_16, uint16_t, uint16_t, A)
OP1(mov_32, uint32_t, uint32_t, A)
OP1(mov_64, uint64_t, uint64_t, A)
OP1(mov_128, u128, u128, A)
static void mov_pred(struct exec *x, const struct uop *u)
{
    write_predicate(x, u->dst[0], source_predicate(x, u, 0));
}
/* Special registers are 32-bit lanes; an operation before the reader widens or narrows them. */
static void special_16(struct exec *x, const struct uop *u)
{
    LANES DST(uint16_t, 0)[i] = (uint16_t)SRC(uint32_t, 0)[i];
}
static void special_64(struct exec *x, const struct uop *u)
{
    LANES DST(uint64_t, 0)[i] = SRC(uint32_t, 0)[i];
}

/* Bytes live in registers of 16 bits. */
OP2(pack_16, uint16_t, uint16_t, uint16_t, (A & 0xffu) | (uint32_t)B << 8)
OP2(pack_32, uint32_t, uint16_t, uint16_t, (uint32_t)A | (uint32_t)B << 16)
OP2(pack_64, uint64_t, uint32_t, uint32_t, (uint64_t)A | (uint64_t)B << 32)
OP2(pack_128, u128, uint64_t, uint64_t, (u128)A | (u128)B << 64)
OP4(pack4_32, uint32_t, uint16_t, uint16_t, uint16_t, uint16_t,
    (A & 0xffu) | (B & 0xffu) << 8 | (C & 0xffu) << 16 | (uint32_t)E << 24)
OP4(pack4_64, uint64_t, uint16_t, uint16_t, uint16_t, uint16_t,
    (uint64_t)A | (uint64_t)B << 16 | (uint64_t)C << 32 | (uint64_t)E << 48)
OP4(pack4_128, u128, uint32_t, uint32_t, uint32_t, uint32_t,
    (u128)A | (u128)B << 32 | (u128)C << 64 | (u128)E << 96)
#define UNPACK(name, TA, TD, TE, count)                                                            \
    static void name(struct exec *x, const struct uop *u)                                          \
    {                                                                                              \
        const TA *a = SRC(TA, 0);                                                                  \
        for (unsigned k = 0; k < count; k++) {                                                     \
            if (u->dst[k] == REF_NONE) continue;                                                   \
            TD *d = DST(TD, k);                                                                    \
            const int32_t *m = x->lane_mask;                                                       \
            VECTOR LANES d[i] = m[i] ? (TE)(a[i] >> (8 * sizeof(TE) * k)) : d[i];                  \
        }                                                                                          \
    }
UNPACK(unpack_32, uint32_t, uint16_t, uint16_t, 2)
UNPACK(unpack_64, uint64_t, uint32_t, uint32_t, 2)
UNPACK(unpack_128, u128, uint64_t, uint64_t, 2)
UNPACK(unpack4_32, uint32_t, uint16_t, uint8_t, 4)
UNPACK(unpack4_64, uint64_t, uint16_t, uint16_t, 4)
UNPACK(unpack4_128, u128, uint32_t, uint32_t, 4)

/* Source and destinations are equally wide: one may be the other. */
static void unpack_16(struct exec *x, const struct uop *u)
{
    uint16_t a[WARP_LANES];
    memcpy(a, SRC(uint16_t, 0), sizeof a);
    for (unsigned k = 0; k < 2; k++) {
        if (u->dst[k] == REF_NONE) continue;
        LANES if ((x->mask >> i) & 1) DST(uint16_t, k)[i] = (a[i] >> (8 * k)) & 0xff;
    }
}

/* mov.v4 {a,b,c,d}, {b,a,d,c}: everything is read before anything is written. */
static void mov_vector(struct exec *x, const struct uop *u)
{
    unsigned bits = type_infos[u->insn->type].bits, bytes = bits / 8, count = u->insn->vector;
    unsigned char values[UOP_DESTINATIONS][8 * WARP_LANES];
    for (unsigned k = 0; k < count; k++)
        memcpy(values[k], PLACE(u->src[k]), (size_t)bytes * WARP_LANES);
    for (unsigned k = 0; k < count; k++) {
        if (u->dst[k] == REF_NONE) continue;
        unsigned char *d = PLACE(u->dst[k]);
        LANES if ((x->mask >> i) & 1) memcpy(d + bytes * i, values[k] + bytes * i, bytes);
    }
}

/* The same of registers of 32 bits. */
static void mov_words(struct exec *x, const struct uop *u)
{
    uint32_t values[UOP_DESTINATIONS][WARP_LANES] __attribute__((aligned(64)));
    const int32_t *m = x->lane_mask;
    unsigned count = u->insn->vector;
    for (unsigned k = 0; k < count; k++)
        memcpy(values[k], SRC(uint32_t, k), sizeof values[k]);
    for (unsigned k = 0; k < count; k++) {
        if (u->dst[k] == REF_NONE) continue;
        uint32_t *d = DST(uint32_t, k);
        VECTOR LANES d[i] = m[i] ? values[k][i] : d[i];
    }
}

/* The same value for all lanes. */
static void write_value(struct exec *x, const struct uop *u, uint64_t value)
{
    const int32_t *m = x->lane_mask;
    if (u->dst_bits == 64) {
        uint64_t *d = DST(uint64_t, 0);
        VECTOR LANES d[i] = m[i] ? value : d[i];
    } else if (u->dst_bits == 32) {
        uint32_t *d = DST(uint32_t, 0);
        VECTOR LANES d[i] = m[i] ? (uint32_t)value : d[i];
    } else {
        LANES if ((x->mask >> i) & 1) write_bits(x, u->dst[0], u->dst_bits, value, 0, i);
    }
}

/* %clock and %globaltimer; imm: the bits to leave out. */
static void clock_any(struct exec *x, const struct uop *u)
{
    write_value(x, u, clock_read(x, u->is_timer) >> u->imm);
    x->timed = true;
}

/* Address of a .local variable: its offset in the function's frame plus where that frame lies. */
static void local_address(struct exec *x, const struct uop *u)
{
    write_value(x, u, (uint64_t)u->imm + x->frame->locals);
}

/* cvta: imm is the window of the space; `to` subtracts it. Null stays null. */
OP1(cvta_from_64, uint64_t, uint64_t, A + (uint64_t)u->imm)
OP1(cvta_shared_64, uint64_t, uint64_t, shared_to_generic(A))
OP1(cvta_to_64, uint64_t, uint64_t, A - (uint64_t)u->imm)
OP1(cvta_from_32, uint32_t, uint32_t, A + (uint32_t)u->imm)
OP1(cvta_to_32, uint32_t, uint32_t, A - (uint32_t)u->imm)

/* A generic address is global unless it lies in the window of .const, .local or .shared; the
 * window of a kernel's parameters is part of .global (PTX ISA, generic addressing). .shared is the block's own. */
static bool is_in_space(const struct exec *x, uint64_t address, unsigned space, bool is_cluster)
{
    enum mem_space window = window_of(address);
    bool is_own = window != SPACE_SHARED || is_cluster ||
                  window_offset(address, SPACE_SHARED) < SHARED_WINDOW_BYTES;
    if (!is_own) return false;
    if (window != SPACE_GLOBAL)
        return window == space || (window == SPACE_PARAM && space == SPACE_GLOBAL);
    const struct allocation *found = devmem_find(x->launch->memory, address);
    bool is_const = found && found->read_only;
    return space == (is_const ? SPACE_CONST : SPACE_GLOBAL);
}

static void isspacep_any(struct exec *x, const struct uop *u)
{
    uint32_t bits = 0;
    bool is_cluster = u->insn->flags & INSN_CLUSTER;
    LANES
    {
        uint64_t a = u->element == 8 ? SRC(uint64_t, 0)[i] : SRC(uint32_t, 0)[i];
        bits |= (uint32_t)is_in_space(x, a, u->space, is_cluster) << i;
    }
    write_predicate(x, u->dst[0], bits);
}

/* ---- selection ------------------------------------------------------------------------------- */

static struct uop_pair select_mov(const struct insn *insn, const struct function *function)
{
    (void)function;
    unsigned bits = type_infos[insn->type].bits;
    if (insn->type == TYPE_PRED) return SAME(mov_pred);
    if (insn->ndst > 1 && insn->nsrc > 1) return bits == 32 ? SAME(mov_words) : SAME(mov_vector);
#define OF_WIDTH(form, name)                                                                       \
    (bits == 32 ? form(name##_32) : bits == 64 ? form(name##_64) : form(name##_128))
    if (insn->nsrc == 2) return bits == 16 ? PAIR(pack_16) : OF_WIDTH(PAIR, pack);
    if (insn->nsrc == 4) return OF_WIDTH(PAIR, pack4);
    if (insn->ndst == 2) return bits == 16 ? SAME(unpack_16) : OF_WIDTH(SAME, unpack);
    if (insn->ndst == 4) return OF_WIDTH(SAME, unpack4);
#undef OF_WIDTH
    if (bits == 128) return PAIR(mov_128);
    return BY_WIDTH(insn, mov_);
}

static struct uop_pair select_cvta(const struct insn *insn, const struct function *function)
{
    (void)function;
    bool is_shared = insn->space == SPACE_SHARED && insn->sub_op != SUB_TO;
    if (is_64(insn) && is_shared) return PAIR(cvta_shared_64);
    if (is_64(insn)) return insn->sub_op == SUB_TO ? PAIR(cvta_to_64) : PAIR(cvta_from_64);
    return insn->sub_op == SUB_TO ? PAIR(cvta_to_32) : PAIR(cvta_from_32);
}
SELECT_ONE(isspacep, SAME(isspacep_any))

#endif
