// SPDX-License-Identifier: Apache-2.0
/* Logic, shifts, bit fields. Shift counts beyond the width clamp, as PTX defines. */
#ifndef EMULATE_SEM_BITS_H
#define EMULATE_SEM_BITS_H

#include "emulate/sem_select.h"

#define BIT_OPS(N, U, S)                                                                           \
    OP2(and_##N, U, U, U, A &B)                                                                    \
    OP2(or_##N, U, U, U, A | B)                                                                    \
    OP2(xor_##N, U, U, U, A ^ B)                                                                   \
    OP1(not_##N, U, U, ~A)                                                                         \
    OP1(cnot_##N, U, U, A == 0)                                                                    \
    OP2(shl_##N, U, U, uint32_t, B < N ? (uint64_t)A << (B & (N - 1)) : 0)                         \
    OP2(shr_u##N, U, U, uint32_t, B < N ? A >> (B & (N - 1)) : 0)                                  \
    OP2(shr_s##N, U, S, uint32_t, A >> (B < N ? B : N - 1))
INT_TYPES(BIT_OPS)

#define PREDICATE_OP(name, expr)                                                                   \
    static void name(struct exec *x, const struct uop *u)                                          \
    {                                                                                              \
        uint32_t A = source_predicate(x, u, 0), B = source_predicate(x, u, 1);                     \
        write_predicate(x, u->dst[0], expr);                                                       \
    }
PREDICATE_OP(and_pred, A &B)
PREDICATE_OP(or_pred, A | B)
PREDICATE_OP(xor_pred, A ^ B)
static void not_pred(struct exec *x, const struct uop *u)
{
    write_predicate(x, u->dst[0], ~source_predicate(x, u, 0));
}

/* Each bit of the table says what becomes of one combination of the three sources' bits. It is applied as a
 * sum modulo 2 of products (Reed-Muller form): c0 ^ c1 c ^ c2 b ^ c3 b c ^ c4 a .. ^ c7 a b c, whose coefficients are the
 * table's transform; here each is 0 or ~0. */
struct lut3 {
    uint32_t c[8];
};
static inline struct lut3 lut3_of(int64_t imm)
{
    uint32_t t = (uint32_t)imm & 0xff;
    struct lut3 form;
    t ^= (t & 0x55) << 1;
    t ^= (t & 0x33) << 2;
    t ^= (t & 0x0f) << 4;
    for (unsigned k = 0; k < 8; k++)
        form.c[k] = 0u - (t >> k & 1);
    return form;
}
static inline uint32_t lut3_apply(const struct lut3 *f, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t without_a = f->c[0] ^ (f->c[1] & c) ^ (b & (f->c[2] ^ (f->c[3] & c)));
    uint32_t with_a = f->c[4] ^ (f->c[5] & c) ^ (b & (f->c[6] ^ (f->c[7] & c)));
    return without_a ^ (a & with_a);
}
OP_FORMS(lop3_any, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t *b = SRC(uint32_t, 1); const uint32_t *c = SRC(uint32_t, 2);
         const struct lut3 form = lut3_of(u->imm), const uint32_t A = a[i]; const uint32_t B = b[i];
         const uint32_t C = c[i], lut3_apply(&form, A, B, C))

/* Tables that occur often. */
#define LOP3_COMMON(X)                                                                             \
    X(0x96, A ^ B ^ C)                                                                             \
    X(0x80, A &B &C)                                                                               \
    X(0xfe, A | B | C)                                                                             \
    X(0xc0, A &B)                                                                                  \
    X(0xfc, A | B)                                                                                 \
    X(0x3c, A ^ B)                                                                                 \
    X(0x30, A & ~B)                                                                                \
    X(0x0c, ~A &B)                                                                                 \
    X(0x33, ~B)                                                                                    \
    X(0x0f, ~A)                                                                                    \
    X(0xf8, A | (B & C))                                                                           \
    X(0xf2, A | (~B & C))                                                                          \
    X(0xea, (A & B) | C)                                                                           \
    X(0xe2, (B & A) | (~B & C))                                                                    \
    X(0xca, (A & B) | (~A & C))                                                                    \
    X(0xb8, (B & C) | (~B & A))                                                                    \
    X(0xe8, (A & B) | (A & C) | (B & C))                                                           \
    X(0x78, A ^ (B & C))                                                                           \
    X(0x6a, (A & B) ^ C)
#define LOP3_OP(table, expr)                                                                       \
    OP_FORMS(lop3_##table, uint32_t, const uint32_t *a = SRC(uint32_t, 0);                         \
             const uint32_t *b = SRC(uint32_t, 1);                                                 \
             const uint32_t *c = SRC(uint32_t, 2), const uint32_t A = a[i];                        \
             const uint32_t B = b[i]; const uint32_t C = c[i]; (void)A; (void)B; (void)C, expr)
LOP3_COMMON(LOP3_OP)

/* lop3.or.b32 d|p, a, b, c, table, q: p = (d != 0) or q */
static void lop3_pred(struct exec *x, const struct uop *u)
{
    const uint32_t *a = SRC(uint32_t, 0), *b = SRC(uint32_t, 1), *c = SRC(uint32_t, 2);
    const struct lut3 form = lut3_of(u->imm);
    uint32_t r[WARP_LANES] __attribute__((aligned(64))), q = source_predicate(x, u, 4);
    int32_t is_set[WARP_LANES] __attribute__((aligned(64)));
    VECTOR LANES
    {
        r[i] = lut3_apply(&form, a[i], b[i], c[i]);
        is_set[i] = -(r[i] != 0);
    }
    uint32_t bits = lanes_to_mask(is_set);
    if (u->dst[0] != REF_NONE) {
        KEEP_OTHER_LANES(uint32_t)
    }
    write_predicate(x, u->dst[1], u->imm >> 8 == COMBINE_AND ? bits & q : bits | q);
}

static inline uint32_t funnel(uint32_t low, uint32_t high, uint32_t count, int64_t imm)
{
    uint64_t both = (uint64_t)high << 32 | low;
    uint32_t n = imm & 2 ? count & 31 : count < 32 ? count : 32; /* bit 1: wrap, else clamp */
    return (uint32_t)(imm & 1 ? (both << n) >> 32 : both >> n);  /* bit 0: left */
}
OP3(shf_any, uint32_t, uint32_t, uint32_t, uint32_t, funnel(A, B, C, u->imm))

static inline uint64_t extract_field(uint64_t a, uint32_t pos, uint32_t len, unsigned width,
                                     bool is_signed)
{
    pos &= 0xff, len &= 0xff;
    uint64_t sign = 0;
    if (is_signed && len) {
        uint32_t at = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
        sign = (a >> at) & 1;
    }
    uint64_t field = pos < width ? a >> pos : 0;
    uint32_t have = pos < width ? width - pos : 0;
    uint32_t n = len < have ? len : have;
    uint64_t mask = n >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;
    return (field & mask) | (sign ? ~mask : 0);
}
OP3(bfe_u32, uint32_t, uint32_t, uint32_t, uint32_t, extract_field(A, B, C, 32, false))
OP3(bfe_s32, uint32_t, uint32_t, uint32_t, uint32_t, extract_field(A, B, C, 32, true))
OP3(bfe_u64, uint64_t, uint64_t, uint32_t, uint32_t, extract_field(A, B, C, 64, false))
OP3(bfe_s64, uint64_t, uint64_t, uint32_t, uint32_t, extract_field(A, B, C, 64, true))

static inline uint64_t insert_field(uint64_t a, uint64_t b, uint32_t pos, uint32_t len,
                                    unsigned width)
{
    pos &= 0xff, len &= 0xff;
    if (pos >= width || len == 0) return b;
    uint64_t mask = len >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << len) - 1;
    return (b & ~(mask << pos)) | ((a & mask) << pos);
}
OP4(bfi_32, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, insert_field(A, B, C, E, 32))
OP4(bfi_64, uint64_t, uint64_t, uint64_t, uint32_t, uint32_t, insert_field(A, B, C, E, 64))

/* The lower n bits, extended; n = 0 gives 0, n >= 32 all of them unless it wraps. */
static inline uint32_t extend_from(uint32_t a, uint32_t n, bool wrap, bool is_signed)
{
    if (n >= 32 && !wrap) return a;
    uint32_t keep = (1u << (n & 31)) - 1, top = is_signed ? keep ^ keep >> 1 : 0;
    return ((a & keep) ^ top) - top;
}
OP2(szext_u32, uint32_t, uint32_t, uint32_t, extend_from(A, B, u->imm, false))
OP2(szext_s32, uint32_t, uint32_t, uint32_t, extend_from(A, B, u->imm, true))

static inline uint32_t bit_mask(uint32_t pos, uint32_t len, bool wrap)
{
    if (wrap) pos &= 31, len &= 31;
    if (pos >= 32 || len == 0) return 0;
    uint32_t mask = len >= 32 ? ~0u : (1u << len) - 1;
    return mask << pos;
}
OP2(bmsk_any, uint32_t, uint32_t, uint32_t, bit_mask(A, B, u->imm))

/* Byte permute: the mode turns the control into four selectors first (ISA, table of prmt). */
static inline uint32_t permute(uint32_t a, uint32_t b, uint32_t c, int64_t mode)
{
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t r = 0, n = c & 3;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t pick;
        switch (mode) {
        case SUB_F4E:
            pick = n + k;
            break;
        case SUB_B4E:
            pick = (n + 8 - k) & 7;
            break;
        case SUB_RC8:
            pick = n;
            break;
        case SUB_ECL:
            pick = k > n ? k : n;
            break;
        case SUB_ECR:
            pick = k < n ? k : n;
            break;
        case SUB_RC16:
            pick = (n & 1) * 2 + (k & 1);
            break;
        default:
            pick = (c >> (4 * k)) & 15;
            break;
        }
        uint32_t byte = (uint32_t)(both >> (8 * (pick & 7))) & 0xff;
        if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * k);
    }
    return r;
}
OP3(prmt_any, uint32_t, uint32_t, uint32_t, uint32_t, permute(A, B, C, u->imm))
/* Without a mode; and by a constant that repeats no sign. */
static inline uint32_t pick_byte(uint32_t a, uint32_t b, uint32_t pick)
{
    uint32_t word = pick & 4 ? b : a, byte = word >> (8 * (pick & 3)) & 0xff;
    uint32_t sign = (byte >> 7) * 0xff;
    return pick & 8 ? sign : byte;
}
OP3(prmt_plain, uint32_t, uint32_t, uint32_t, uint32_t,
    pick_byte(A, B, C) | pick_byte(A, B, C >> 4) << 8 | pick_byte(A, B, C >> 8) << 16 |
        pick_byte(A, B, C >> 12) << 24)
struct pick {
    const uint32_t *from;
    unsigned shift;
};
static inline struct pick pick_of(const uint32_t *a, const uint32_t *b, uint32_t pick)
{
    return (struct pick){pick & 4 ? b : a, 8 * (pick & 3)};
}
OP_FORMS(prmt_by, uint32_t, const uint32_t *a = SRC(uint32_t, 0);
         const uint32_t *b = SRC(uint32_t, 1); const uint32_t C = *SRC(uint32_t, 2);
         const struct pick p0 = pick_of(a, b, C); const struct pick p1 = pick_of(a, b, C >> 4);
         const struct pick p2 = pick_of(a, b, C >> 8);
         const struct pick p3 = pick_of(a, b, C >> 12),
         const uint32_t low = (p0.from[i] >> p0.shift & 0xff) | (p1.from[i] >> p1.shift & 0xff)
                                                                    << 8;
         const uint32_t high = (p2.from[i] >> p2.shift & 0xff) | (p3.from[i] >> p3.shift & 0xff)
                                                                     << 8,
         low | high << 16)

static inline uint64_t reverse_bits(uint64_t v)
{
    v = ((v >> 1) & 0x5555555555555555) | ((v & 0x5555555555555555) << 1);
    v = ((v >> 2) & 0x3333333333333333) | ((v & 0x3333333333333333) << 2);
    v = ((v >> 4) & 0x0f0f0f0f0f0f0f0f) | ((v & 0x0f0f0f0f0f0f0f0f) << 4);
    return __builtin_bswap64(v);
}
static inline uint32_t find_bit(uint64_t v, unsigned width, bool is_signed, bool shift_amount)
{
    if (is_signed && (v >> (width - 1)) & 1) v = ~v;
    if (width == 32) v &= 0xffffffff;
    if (v == 0) return 0xffffffff;
    uint32_t at = 63 - (uint32_t)__builtin_clzll(v);
    return shift_amount ? width - 1 - at : at;
}
OP1(popc_32, uint32_t, uint32_t, __builtin_popcount(A))
OP1(popc_64, uint32_t, uint64_t, __builtin_popcountll(A))
OP1(clz_32, uint32_t, uint32_t, A ? __builtin_clz(A) : 32)
OP1(clz_64, uint32_t, uint64_t, A ? __builtin_clzll(A) : 64)
OP1(brev_32, uint32_t, uint32_t, reverse_bits(A) >> 32)
OP1(brev_64, uint64_t, uint64_t, reverse_bits(A))
OP1(bfind_u32, uint32_t, uint32_t, find_bit(A, 32, false, u->imm))
OP1(bfind_s32, uint32_t, uint32_t, find_bit(A, 32, true, u->imm))
OP1(bfind_u64, uint32_t, uint64_t, find_bit(A, 64, false, u->imm))
OP1(bfind_s64, uint32_t, uint64_t, find_bit(A, 64, true, u->imm))

/* The n-th set bit from a base, upwards or downwards (ISA: fns). */
static inline uint32_t nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    if (base > 31) return 0xffffffff;
    if (offset == 0) return (mask >> base) & 1 ? base : 0xffffffff;
    int32_t step = offset > 0 ? 1 : -1;
    uint32_t left = offset > 0 ? (uint32_t)offset : 0u - (uint32_t)offset;
    for (int32_t at = (int32_t)base; at >= 0 && at < 32; at += step)
        if ((mask >> at) & 1 && --left == 0) return (uint32_t)at;
    return 0xffffffff;
}
OP3(fns_any, uint32_t, uint32_t, uint32_t, int32_t, nth_set(A, B, C))

/* ---- selection ------------------------------------------------------------------------------- */

#define SELECT_LOGIC(name)                                                                         \
    static struct uop_pair select_##name(const struct insn *insn, const struct function *function) \
    {                                                                                              \
        (void)function;                                                                            \
        return insn->type == TYPE_PRED ? SAME(name##_pred) : BY_WIDTH(insn, name##_);              \
    }
SELECT_LOGIC(and)
SELECT_LOGIC(or)
SELECT_LOGIC(xor)
SELECT_LOGIC(not )
SELECT_ONE(cnot, BY_WIDTH(insn, cnot_))
SELECT_ONE(shl, BY_WIDTH(insn, shl_))
SELECT_ONE(shr, BY_SIGN(insn, shr_))
static struct uop_pair select_lop3(const struct insn *insn, const struct function *function)
{
    (void)function;
    if (insn->combine) return SAME(lop3_pred);
    unsigned table = (unsigned)insn_source(insn, 3)->imm & 0xff;
    if (!insn_source(insn, 2)->imm && insn_source(insn, 2)->kind == OPERAND_IMMEDIATE)
        table = (table & 0x55) * 3; /* c is 0: as if it were not there */
    switch (table) {
#define LOP3_CASE(table, expr)                                                                     \
    case table:                                                                                    \
        return PAIR(lop3_##table);
        LOP3_COMMON(LOP3_CASE)
    default:
        return PAIR(lop3_any);
    }
}
SELECT_ONE(shf, PAIR(shf_any))
SELECT_ONE(bfe, insn->type == TYPE_U32   ? PAIR(bfe_u32)
                : insn->type == TYPE_S32 ? PAIR(bfe_s32)
                : insn->type == TYPE_U64 ? PAIR(bfe_u64)
                                         : PAIR(bfe_s64))
SELECT_ONE(bfi, is_64(insn) ? PAIR(bfi_64) : PAIR(bfi_32))
SELECT_ONE(szext, insn->type == TYPE_S32 ? PAIR(szext_s32) : PAIR(szext_u32))
SELECT_ONE(bmsk, PAIR(bmsk_any))
static struct uop_pair select_prmt(const struct insn *insn, const struct function *function)
{
    const struct operand *selector = insn_source(insn, 2);
    (void)function;
    bool has_mode = insn->sub_op >= SUB_F4E && insn->sub_op <= SUB_RC16;
    if (has_mode) return PAIR(prmt_any);
    bool is_constant = selector->kind == OPERAND_IMMEDIATE && !(selector->imm & 0x8888);
    return is_constant ? PAIR(prmt_by) : PAIR(prmt_plain);
}
SELECT_ONE(popc, is_64(insn) ? PAIR(popc_64) : PAIR(popc_32))
SELECT_ONE(clz, is_64(insn) ? PAIR(clz_64) : PAIR(clz_32))
SELECT_ONE(brev, is_64(insn) ? PAIR(brev_64) : PAIR(brev_32))
SELECT_ONE(bfind, insn->type == TYPE_U32   ? PAIR(bfind_u32)
                  : insn->type == TYPE_S32 ? PAIR(bfind_s32)
                  : insn->type == TYPE_U64 ? PAIR(bfind_u64)
                                           : PAIR(bfind_s64))
SELECT_ONE(fns, PAIR(fns_any))

#endif
