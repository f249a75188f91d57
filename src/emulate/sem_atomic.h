// SPDX-License-Identifier: Apache-2.0
/* atom and red. Lanes act in ascending order, the elements of a vector one after the other. Where
 * blocks run on several threads, words of global memory change by compare and swap, 16 bytes under
 * a lock. */
#ifndef EMULATE_SEM_ATOMIC_H
#define EMULATE_SEM_ATOMIC_H

#include "base/half.h"
#include "emulate/mbarrier.h"
#include "emulate/sem_double.h"
#include "emulate/sem_float.h"
#include "emulate/sem_memory.h"
#include "emulate/sem_select.h"

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* f32 in global memory flushes subnormal operands and results, in shared memory it keeps them (PTX
 * ISA, atom). */
static inline uint64_t atomic_add_f32(uint64_t old, uint64_t b, bool flushes)
{
    uint32_t bits = (uint32_t)old, more = (uint32_t)b;
    float v, w;
    memcpy(&v, &bits, sizeof v);
    memcpy(&w, &more, sizeof w);
    v = flushes ? flush(canon(flush(v) + flush(w))) : canon(v + w);
    memcpy(&bits, &v, sizeof v);
    return bits;
}

static inline uint64_t atomic_add_f64(uint64_t old, uint64_t b)
{
    double v = double_of_bits(old), w = double_of_bits(b);
    return bits_of_double(ruled2(v + w, v, w));
}

static inline uint16_t atomic_half(unsigned op, uint16_t a, uint16_t b, bool is_bf16)
{
    switch (op) {
    case ATOM_ADD:
        return is_bf16 ? bf16_add(a, b) : half_add(a, b);
    case ATOM_MIN:
        return is_bf16 ? bf16_min(a, b) : half_min(a, b);
    default:
        return is_bf16 ? bf16_max(a, b) : half_max(a, b);
    }
}

static inline uint64_t atomic_float(const struct insn *insn, uint64_t old, uint64_t b, bool global)
{
    bool is_bf16 = insn->type == TYPE_BF16 || insn->type == TYPE_BF16X2;
    switch (insn->type) {
    case TYPE_F32:
        return atomic_add_f32(old, b, global);
    case TYPE_F64:
        return atomic_add_f64(old, b);
    default:
        break;
    }
    uint64_t low = atomic_half(insn->atom_op, (uint16_t)old, (uint16_t)b, is_bf16);
    if (type_infos[insn->type].bits == 16) return low;
    uint16_t high = atomic_half(insn->atom_op, (uint16_t)(old >> 16), (uint16_t)(b >> 16), is_bf16);
    return low | (uint64_t)high << 16;
}

/* New value of the word; old and operands are zero-extended. Calls would cost more than it does. */
static inline __attribute__((always_inline)) uint64_t
atomic_result(const struct insn *insn, uint64_t old, uint64_t b, uint64_t c, bool global)
{
    const struct type_info *type = &type_infos[insn->type];
    if (insn->atom_op == ATOM_EXCH) return b;
    if (insn->atom_op == ATOM_ARRIVE) return mbarrier_arrive_80(old);
    if (insn->atom_op >= ATOM_CAS) return old == b ? c : old;
    if (type->kind == KIND_FLOAT) return atomic_float(insn, old, b, global);
    bool is_signed = type->kind == KIND_SIGNED;
    int64_t so = (int64_t)sign_extend(old, type->bits), sb = (int64_t)sign_extend(b, type->bits);
    switch (insn->atom_op) {
    case ATOM_ADD:
        return old + b;
    case ATOM_MIN:
        return (is_signed ? so < sb : old < b) ? old : b;
    case ATOM_MAX:
        return (is_signed ? so > sb : old > b) ? old : b;
    case ATOM_INC:
        return old >= b ? 0 : old + 1;
    case ATOM_DEC:
        return old == 0 || old > b ? b : old - 1;
    case ATOM_AND:
        return old & b;
    case ATOM_OR:
        return old | b;
    default:
        return old ^ b;
    }
}

enum { ELEMENTS_MAX = 8 };

/* ---- words of memory ------------------------------------------------------------------------- */

/* One that changes nothing, such as a failed attempt on a lock, is no change (but exec.independent). */
#define ATOMIC_WORD(name, U)                                                                       \
    static inline uint64_t name(struct exec *x, const struct insn *insn, void *at, uint64_t b,     \
                                uint64_t c, unsigned lane, bool global)                            \
    {                                                                                              \
        U *word = at;                                                                              \
        U old, next;                                                                               \
        if (!x->concurrent || !global) {                                                           \
            old = *word;                                                                           \
            *word = next = (U)atomic_result(insn, old, b, c, global);                              \
        } else {                                                                                   \
            old = __atomic_load_n(word, __ATOMIC_RELAXED);                                         \
            do                                                                                     \
                next = (U)atomic_result(insn, old, b, c, global);                                  \
            while (!__atomic_compare_exchange_n(word, &old, next, true, __ATOMIC_SEQ_CST,          \
                                                __ATOMIC_SEQ_CST));                                \
        }                                                                                          \
        x->changed |= (uint32_t)(next != old) << lane;                                             \
        return old;                                                                                \
    }
ATOMIC_WORD(atomic_16, uint16_t)
ATOMIC_WORD(atomic_32, uint32_t)
ATOMIC_WORD(atomic_64, uint64_t)

/* 16 bytes of a lane; of native code in four registers, one after the other. */
static struct pair64 read_128(const struct exec *x, const struct uop *u, unsigned source,
                              unsigned lane)
{
    if (!u->has_parts) return SRC(struct pair64, source)[lane];
    const uint32_t *words = SRC(uint32_t, source) + lane;
    return (struct pair64){words[0] | (uint64_t)words[WARP_LANES] << 32,
                           words[2 * WARP_LANES] | (uint64_t)words[3 * WARP_LANES] << 32};
}

static void write_128(struct exec *x, const struct uop *u, struct pair64 value, unsigned lane)
{
    if (!u->has_parts) {
        DST(struct pair64, 0)[lane] = value;
        return;
    }
    const uint64_t halves[] = {value.low, value.high};
    for (unsigned k = 0; k < 4; k++)
        DST(uint32_t, 0)[k * WARP_LANES + lane] = (uint32_t)(halves[k / 2] >> (k % 2 * 32));
}

/* 16 bytes: exch and cas only. */
static void atomic_128(struct exec *x, const struct uop *u, struct pair64 *at, unsigned lane)
{
    struct pair64 b = read_128(x, u, 1, lane), next = b;
    uint32_t *lock = launch_lock(x->launch, at);
    if (x->concurrent)
        while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE)) {
        }
    struct pair64 old = *at;
    if (u->insn->atom_op == ATOM_CAS) {
        bool equal = old.low == b.low && old.high == b.high;
        next = equal ? read_128(x, u, 2, lane) : old;
    }
    x->changed |= (uint32_t)(next.low != old.low || next.high != old.high) << lane;
    *at = next;
    if (x->concurrent) __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
    if (u->dst[0] != REF_NONE) write_128(x, u, old, lane);
}

/* The word at one element of a lane becomes its new value; gives the old one. */
static inline uint64_t atomic_element(struct exec *x, const struct uop *u, unsigned char *at,
                                      unsigned k, unsigned lane, bool global)
{
    unsigned bits = 8u * u->element;
    uint64_t b = read_bits(x, element_value(u, k), bits, lane);
    uint64_t c = u->insn->atom_op >= ATOM_CAS ? read_bits(x, u->src[2], bits, lane) : 0, old;
    switch (u->element) {
    case 4:
        old = atomic_32(x, u->insn, at, b, c, lane, global);
        break;
    case 8:
        old = atomic_64(x, u->insn, at, b, c, lane, global);
        break;
    default:
        old = atomic_16(x, u->insn, at, b, c, lane, global);
        break;
    }
    return u->insn->atom_op == ATOM_CAST ? old == b : old;
}

/* All values are read before the first result is written: they may share registers. */
static inline void atomic_lane(struct exec *x, const struct uop *u, unsigned char *at,
                               unsigned lane, bool global)
{
    uint64_t old[ELEMENTS_MAX];
    for (unsigned k = 0; k < u->vector; k++)
        old[k] = atomic_element(x, u, at + k * u->element, k, lane, global);
    for (unsigned k = 0; k < u->vector; k++)
        if (element_destination(u, k) != REF_NONE)
            write_bits(x, element_destination(u, k), 8u * u->element, old[k], 0, lane);
}

static void atomic_data(struct exec *x, const struct uop *u, const struct place *p, unsigned space)
{
    for (uint32_t left = p->access.mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (u->element == 16)
            atomic_128(x, u, (struct pair64 *)(void *)lane_host(p, i), i);
        else
            atomic_lane(x, u, lane_host(p, i), i, space == SPACE_GLOBAL);
    }
}

static inline void atomic_space(struct exec *x, const struct uop *u, unsigned space)
{
    struct place p;
    if (x->fault.kind || !x->mask) return;
    lane_addresses(x, u, p.a);
    if (locate(x, u, &p, space, x->mask, READS | WRITES)) atomic_data(x, u, &p, space);
}
static void generic_atomic(struct exec *x, const struct uop *u, struct place *p, unsigned space,
                           uint32_t mask)
{
    if (locate(x, u, p, space, mask, READS | WRITES)) atomic_data(x, u, p, space);
}
MEMORY_FORMS(atom, atomic)

/* What ATOMS does, a generic atomic does in shared memory, too. */
static bool shared_memory_can(const struct insn *insn)
{
    const struct type_info *type = &type_infos[insn->type];
    if (type->bits == 64) return insn->atom_op >= ATOM_EXCH;
    return type->bits == 32 && type->kind != KIND_FLOAT;
}

/* Native, generic, with a predicate, the last destination: whether it was done. Code goes on to do it in steps where
 * it was not: in local memory, and what shared memory cannot do there. */
static void atom_that_tells(struct exec *x, const struct uop *u)
{
    uint64_t a[WARP_LANES + 8] __attribute__((aligned(64)));
    uint32_t active = x->mask, mask = 0;
    bool in_shared = shared_memory_can(u->insn);
    if (x->fault.kind || !x->mask) return;
    lane_addresses(x, u, a);
    LANES
    {
        enum mem_space space = window_of(a[i]);
        bool is_done = space == SPACE_GLOBAL || (in_shared && space == SPACE_SHARED);
        mask |= (uint32_t)is_done << i;
    }
    x->mask = active & mask;
    generic_any(x, u, generic_atomic);
    x->mask = active;
    write_predicate(x, u->dst[u->insn->ndst - 1], mask);
}

static bool tells_where(const struct insn *insn)
{
    return insn->ndst > 1 && insn->operands[insn->ndst - 1].width == WIDTH_PREDICATE;
}
SELECT_ONE(atom, tells_where(insn) ? SAME(atom_that_tells) : atom_pair(insn))

#endif
