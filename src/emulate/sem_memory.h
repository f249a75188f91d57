// SPDX-License-Identifier: Apache-2.0
/* Memory. Every access goes the same way: lane addresses, shape, bounds and alignment, event, data.
 * Uniform and unit-stride accesses, whole or by half-warps, move whole vectors. */
#ifndef EMULATE_SEM_MEMORY_H
#define EMULATE_SEM_MEMORY_H

#include "emulate/cluster.h"
#include "emulate/defined.h"
#include "emulate/sem_pairs.h"
#include "emulate/sem_select.h"

struct place {
    struct access access;
    unsigned char *host; /* + address = host byte; per lane for local and parameter frames */
    uint32_t lane_stride;
    struct allocation *allocation; /* global and const */
    bool is_remote; /* some lanes access the shared memory of other blocks of the cluster */
    uint64_t a[WARP_LANES + 8] __attribute__((aligned(64)));
};

/* The sum of a register (a pair, or 32 bits without sign), a uniform register and imm: 64 bits wide in global
 * and generic memory, 32 in the others. */
static inline void native_addresses(const struct exec *x, const struct uop *u, uint64_t *a)
{
    uint64_t imm = (uint64_t)u->imm;
    bool is_wide = u->space == SPACE_GLOBAL || u->space == SPACE_GENERIC ||
                   u->space == SPACE_CONST || u->uniform_pair;
    if (u->uniform != REF_NONE) {
        const uint32_t *words = (const uint32_t *)PLACE(u->uniform);
        imm += words[0] | (u->uniform_pair ? (uint64_t)words[WARP_LANES] << 32 : 0);
    }
    const uint64_t keep = is_wide ? UINT64_MAX : UINT32_MAX;
    if (!u->has_address) {
        LANES a[i] = imm & keep;
    } else if (u->address64) {
        join_sums(SRC(uint32_t, 0), imm, a);
    } else {
        const uint32_t *low = SRC(uint32_t, 0);
        const unsigned shift = u->address_shift;
        VECTOR LANES a[i] = (((uint64_t)low[i] << shift) + imm) & keep;
    }
}

static inline void lane_addresses(const struct exec *x, const struct uop *u, uint64_t *a)
{
    uint64_t imm = (uint64_t)u->imm;
    if (u->has_parts) {
        native_addresses(x, u, a);
    } else if (!u->has_address) {
        LANES a[i] = imm;
    } else if (u->address64) {
        const uint64_t *r = SRC(uint64_t, 0);
        VECTOR LANES a[i] = r[i] + imm;
    } else {
        const uint32_t *r = SRC(uint32_t, 0);
        VECTOR LANES a[i] = (uint32_t)(r[i] + (uint32_t)imm);
    }
}

/* Inactive lanes get the address that the first two active ones extrapolate to. */
static inline void fill_inactive(uint64_t *a, uint32_t mask)
{
    unsigned first = (unsigned)__builtin_ctz(mask);
    uint32_t rest = mask & (mask - 1);
    unsigned second = rest ? (unsigned)__builtin_ctz(rest) : first;
    int64_t step = rest ? ((int64_t)(a[second] - a[first])) / (int64_t)(second - first) : 0;
    uint64_t base = a[first] - (uint64_t)step * first;
    LANES
    {
        uint64_t guess = base + (uint64_t)step * i;
        a[i] = (mask >> i) & 1 ? a[i] : guess;
    }
}

/* Does any lane leave base + i * step, each half of the warp with a base of its own? Powers of two,
 * and 0, need no multiplication. */
static inline bool halves_uneven(const uint64_t *a, uint64_t step)
{
    uint64_t low = a[0], high = a[16], uneven = 0;
    if ((step & (step - 1)) == 0) {
        uint64_t keep = step ? ~UINT64_C(0) : 0;
        unsigned shift = step ? (unsigned)__builtin_ctzll(step) : 0;
        for (unsigned i = 0; i < 16; i++) {
            uint64_t expected = ((uint64_t)i << shift) & keep;
            uneven |= ((a[i] - low) ^ expected) | ((a[i + 16] - high) ^ expected);
        }
    } else {
        for (unsigned i = 0; i < 16; i++)
            uneven |= ((a[i] - low) ^ (i * step)) | ((a[i + 16] - high) ^ (i * step));
    }
    return uneven != 0;
}

static inline void find_shape(struct access *s, uint64_t *a, uint32_t mask)
{
    if (mask != UINT32_MAX) fill_inactive(a, mask);
    uint64_t step = a[1] - a[0];
    s->mask = mask;
    s->base = a[0];
    s->base2 = a[16];
    s->stride = (int64_t)step;
    s->addresses = a;
    if (halves_uneven(a, step) || step + STEP_MAX > 2 * STEP_MAX)
        s->shape = ACCESS_GENERAL;
    else if (a[16] - a[15] != step)
        s->shape = ACCESS_HALVES;
    else
        s->shape = step ? ACCESS_STRIDED : ACCESS_UNIFORM;
}

/* Least and greatest address of the active lanes; of whole shapes those of the halves' ends (STEP_MAX). */
static inline void address_range(const struct access *s, uint64_t *low, uint64_t *high)
{
    const uint64_t *a = s->addresses;
    uint64_t l = UINT64_MAX, h = 0;
    if (s->shape == ACCESS_UNIFORM) {
        *low = *high = s->base;
        return;
    }
    if (s->mask == UINT32_MAX && s->shape != ACCESS_GENERAL) {
        const uint64_t ends[4] = {a[0], a[15], a[16], a[31]};
        for (unsigned i = 0; i < 4; i++) {
            l = ends[i] < l ? ends[i] : l;
            h = ends[i] > h ? ends[i] : h;
        }
    } else {
        LANES
        {
            bool on = (s->mask >> i) & 1;
            l = on && a[i] < l ? a[i] : l;
            h = on && a[i] > h ? a[i] : h;
        }
    }
    *low = l;
    *high = h;
}

static inline bool aligned(const struct access *s, uint32_t bytes)
{
    uint64_t bits = s->base | s->base2 | (uint64_t)s->stride;
    if (s->shape != ACCESS_GENERAL && !(bits & (bytes - 1))) return true;
    bits = 0;
    LANES bits |= (s->mask >> i) & 1 ? s->addresses[i] : 0;
    return !(bits & (bytes - 1));
}

/* May native code reach so far? ptxas makes loads and swaps of the word in which a half lies of atomics on that half,
 * also of the last half of a buffer: what follows in that word are zeros, as an allocation is a multiple of words. */
static bool reaches_last_half(const struct exec *x, const struct uop *u,
                              const struct allocation *found, uint64_t a, uint32_t bytes)
{
    const struct insn *insn = u->insn;
    bool swaps = insn->atom_op == ATOM_CAS || insn->atom_op == ATOM_CAST;
    return x->launch->program->native_code && bytes == 4 && (insn->op == OP_LD || swaps) &&
           !found->adopted && a % 4 == 0 && found->address + found->bytes - a == 2;
}

/* Slow path of a failed check: which lane, and of which kind. */
static __attribute__((noinline, cold)) bool global_fault(struct exec *x, const struct uop *u,
                                                         const struct access *s, bool store)
{
    LANES
    {
        if (!((s->mask >> i) & 1)) continue;
        uint64_t a = s->addresses[i];
        const struct allocation *found = devmem_find(x->launch->memory, a);
        const struct allocation *near = devmem_nearest(x->launch->memory, a);
        bool inside = found && (a + s->bytes <= found->address + found->bytes ||
                                reaches_last_half(x, u, found, a, s->bytes));
        if (inside && found->heap && !(a & (s->bytes - 1u))) {
            uint64_t begin, end;
            if (!check_heap_range(found->heap, a, &begin, &end) || a + s->bytes > end)
                check_tell_heap(x, u, found->heap, i, a);
            continue;
        }
        if (!inside) {
            if (fault_tolerated(x, u, i, a)) continue;
            bool freed = near && near->freed && a - near->address < near->bytes;
            fault_memory(x, u, freed ? FAULT_FREED : FAULT_OUT_OF_BOUNDS, i, a);
            return false;
        }
        if (a & (s->bytes - 1u)) {
            fault_memory(x, u, FAULT_MISALIGNED, i, a);
            return false;
        }
        if (store && found->read_only) {
            fault_memory(x, u, FAULT_READ_ONLY, i, a);
            return false;
        }
    }
    return true; /* lanes in several allocations */
}

static inline bool check_global(struct exec *x, const struct uop *u, struct place *p, bool store)
{
    struct access *s = &p->access;
    struct memo *memo = &x->memos[u->index];
    uint64_t low, high;
    address_range(s, &low, &high);
    high += s->bytes;
    p->host = x->launch->memory->zero;
    bool ok = aligned(s, s->bytes) && high > low; /* not past the end of all addresses */
    if (ok && low >= memo->low && high <= memo->high) {
        p->allocation = memo->allocation;
    } else {
        struct allocation *found = devmem_find(x->launch->memory, low);
        if (ok && found && high <= found->address + found->bytes && high > low &&
            !(store && found->read_only)) {
            uint64_t begin = found->address, end = begin + found->bytes;
            if (found->heap && (!check_heap_range(found->heap, low, &begin, &end) || high > end)) {
                p->allocation = NULL;
                return global_fault(x, u, s, store);
            }
            *memo = (struct memo){begin, end, found};
            p->allocation = found;
        } else {
            p->allocation = NULL;
            return global_fault(x, u, s, store);
        }
    }
    return true;
}

/* Before the data moves: contents by a rule are made by the page. */
static __attribute__((noinline)) void touch_pages(const struct exec *x, const struct place *p)
{
    const struct access *s = &p->access;
    const struct devmem *memory = x->launch->memory;
    bool whole = s->mask == UINT32_MAX && s->shape == ACCESS_STRIDED && s->stride == s->bytes;
    if (p->allocation && (whole || s->shape == ACCESS_UNIFORM)) {
        uint64_t count = whole ? (uint64_t)s->bytes * WARP_LANES : s->bytes;
        devmem_touch(memory, p->allocation, s->base - p->allocation->address, count);
        return;
    }
    for (uint32_t left = s->mask; left; left &= left - 1) {
        uint64_t address = s->addresses[__builtin_ctz(left)];
        const struct allocation *found =
            p->allocation ? p->allocation : devmem_find(memory, address);
        if (found && found->rule) devmem_touch(memory, found, address - found->address, s->bytes);
    }
}

/* Initialised bytes: read (and written by atomics) must be, stores make them so. */
static inline bool check_initialised(struct exec *x, const struct uop *u, struct place *p,
                                     bool reads, bool writes)
{
    struct access *s = &p->access;
    struct allocation *one = p->allocation;
    if (one && !one->shadow && !one->rule) return true;
    if (!one || one->rule) touch_pages(x, p);
    if (one && !one->shadow) return true;
    bool contiguous =
        one && s->shape == ACCESS_STRIDED && s->stride == s->bytes && s->mask == UINT32_MAX;
    if (contiguous) {
        uint64_t at = s->base - one->address, count = (uint64_t)s->bytes * WARP_LANES;
        if (reads && !shadow_all(one->shadow, at, count)) contiguous = false;
        if (contiguous && writes) shadow_set(one->shadow, at, count);
        if (contiguous) return true;
    }
    LANES
    {
        if (!((s->mask >> i) & 1)) continue;
        struct allocation *found = one ? one : devmem_find(x->launch->memory, s->addresses[i]);
        if (!found || !found->shadow) continue;
        uint64_t at = s->addresses[i] - found->address, left = found->bytes - at;
        uint64_t bytes = s->bytes < left ? s->bytes : left; /* the last half alone */
        if (reads && !shadow_all(found->shadow, at, bytes)) {
            fault_memory(x, u, FAULT_UNINITIALISED, i, s->addresses[i]);
            return false;
        }
        if (writes) shadow_set(found->shadow, at, bytes);
    }
    return true;
}

static bool check_window(struct exec *x, const struct uop *u, const struct access *s,
                         uint64_t bytes)
{
    uint64_t low, high;
    address_range(s, &low, &high);
    if (high + s->bytes <= bytes && high + s->bytes > high && aligned(s, s->bytes)) return true;
    LANES
    {
        if (!((s->mask >> i) & 1)) continue;
        uint64_t a = s->addresses[i];
        if (a + s->bytes > bytes || a + s->bytes < a) {
            fault_memory(x, u, FAULT_OUT_OF_BOUNDS, i, a);
            return false;
        }
        if (a & (s->bytes - 1u)) {
            fault_memory(x, u, FAULT_MISALIGNED, i, a);
            return false;
        }
    }
    return true;
}

/* The same with red zones. */
static bool check_shared(struct exec *x, const struct uop *u, const struct access *s)
{
    const struct memo *memo = &x->memos[u->index];
    uint64_t low, high;
    address_range(s, &low, &high);
    low += SHARED_WINDOW;
    high += SHARED_WINDOW + s->bytes;
    bool is_known = low >= memo->low && high <= memo->high && high > low;
    return (is_known && aligned(s, s->bytes)) || check_shared_arrays(x, u, s);
}

static bool check_local(struct exec *x, const struct uop *u, const struct access *s)
{
    const struct program_function *function = &x->launch->program->functions[x->frame->function];
    uint64_t low, high;
    address_range(s, &low, &high);
    low -= x->frame->locals;
    high -= x->frame->locals;
    for (uint32_t k = 0; k < function->array_count; k++) {
        const struct guarded *array = &function->arrays[k];
        bool is_inside = low >= array->begin && high < array->end && s->bytes <= array->end - high;
        if (is_inside && low <= high && aligned(s, s->bytes)) return true;
    }
    return check_local_arrays(x, u, s);
}

enum direction { READS = 1, WRITES = 2 };

/* Does any lane access another block's memory? */
static inline bool leaves_block(const struct access *s)
{
    uint64_t low, high;
    address_range(s, &low, &high);
    return high >= SHARED_WINDOW_BYTES;
}

static __attribute__((noinline)) bool check_cluster(struct exec *x, const struct uop *u,
                                                    const struct access *s)
{
    for (uint32_t left = s->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        uint64_t a = s->addresses[lane];
        if (!cluster_memory(x, u, lane, a, s->bytes)) return false;
        if (a & (s->bytes - 1u)) {
            fault_memory(x, u, FAULT_MISALIGNED, lane, a);
            return false;
        }
    }
    return true;
}

/* Addresses become distances from the block's own memory. */
static __attribute__((noinline)) void place_in_cluster(struct exec *x, const struct uop *u,
                                                       struct place *p)
{
    struct access *s = &p->access;
    for (uint32_t left = s->mask; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        const unsigned char *at = cluster_memory(x, u, lane, p->a[lane], s->bytes);
        p->a[lane] = (uintptr_t)at - (uintptr_t)p->host;
    }
    find_shape(s, p->a, s->mask);
}

static __attribute__((noinline)) void keep_for_undo(const struct exec *x, const struct access *s)
{
    for (uint32_t left = s->mask; left; left &= left - 1)
        undo_note(x->launch->options->undo, x->launch->memory, s->addresses[__builtin_ctz(left)],
                  s->bytes);
}

/* For the lanes of the mask. False: a fault was recorded. */
static inline bool locate_lanes(struct exec *x, const struct uop *u, struct place *p,
                                unsigned space, uint32_t mask, unsigned what)
{
    struct access *s = &p->access;
    s->space = (uint8_t)(space == SPACE_FRAME ? SPACE_PARAM : space);
    s->bytes = u->bytes;
    find_shape(s, p->a, mask);
    leave_upper_halves();
    p->lane_stride = 0;
    p->allocation = NULL;
    p->is_remote = false;
    switch (space) {
    case SPACE_SHARED:
        p->host = x->shared;
        if (what == WRITES) x->changed |= mask;
        p->is_remote = x->clustered && leaves_block(s);
        if (p->is_remote) {
            if (!check_cluster(x, u, s)) return false;
            break;
        }
        if (x->guards_shared ? !check_shared(x, u, s)
                             : !check_window(x, u, s, x->launch->shared_end))
            return false;
        break;
    case SPACE_LOCAL:
        p->host = x->locals;
        p->lane_stride = x->local_stride;
        if (x->guards_local ? !check_local(x, u, s) : !check_window(x, u, s, x->local_stride))
            return false;
        break;
    case SPACE_FRAME:
        p->host = x->parameters;
        p->lane_stride = x->parameter_stride;
        if (!check_window(x, u, s, x->parameter_bytes)) return false;
        break;
    case SPACE_PARAM:
        p->host = (unsigned char *)(uintptr_t)x->launch->parameters;
        if (what & WRITES) {
            fault_memory(x, u, FAULT_READ_ONLY, (uint32_t)__builtin_ctz(mask), s->base);
            return false;
        }
        if (!check_window(x, u, s, x->launch->parameter_bytes)) return false;
        break;
    default:
        if (what == WRITES || (what & WRITES && x->independent)) x->changed |= mask;
        if (!check_global(x, u, p, what & WRITES)) return false;
        if (!x->tracks) {
            if (!check_initialised(x, u, p, what & READS && !x->checks, what & WRITES))
                return false;
        } else if (!p->allocation || p->allocation->rule) {
            touch_pages(x, p);
        }
        if (what & WRITES && x->launch->options->undo) keep_for_undo(x, s);
        break;
    }
    if (x->tracks) defined_access(x, u, s, p->allocation, space, what);
    if (u->poll) x->polled = 1;
    if (x->observe) x->observe->memory(x->observer_worker, &x->warp->ref, u->index, s);
    if (p->is_remote) place_in_cluster(x, u, p);
    return true;
}

static inline void clear_loaded(struct exec *x, const struct uop *u, unsigned lane);

/* With checks: lanes at fault are told and left out, the others go on. */
static __attribute__((noinline, cold)) bool locate_others(struct exec *x, const struct uop *u,
                                                          struct place *p, unsigned space,
                                                          uint32_t mask, unsigned what)
{
    do {
        unsigned lane = x->fault.lane;
        x->fault.space = (uint8_t)space;
        bool goes_on = check_goes_on(x);
        mask = goes_on ? mask & ~(1u << lane) : 0;
        if (goes_on && what & READS) clear_loaded(x, u, lane);
        x->told_below = lane + 1; /* lanes are looked at in ascending order */
    } while (mask && !locate_lanes(x, u, p, space, mask, what));
    x->told_below = 0;
    return mask != 0;
}

/* Everything before the data moves, for the lanes of p->access.mask. False: it moves for none; a fault may have been
 * recorded. */
static inline bool locate(struct exec *x, const struct uop *u, struct place *p, unsigned space,
                          uint32_t mask, unsigned what)
{
    bool moves = locate_lanes(x, u, p, space, mask, what) ||
                 (x->checks && locate_others(x, u, p, space, mask, what));
    if (moves && x->checks & CHECK_RACE)
        order_access(x, u, &p->access, p->is_remote, what, p->host);
    return moves;
}

/* By integers: where device addresses are the host's, p->host is null. */
static inline unsigned char *host_at(const unsigned char *host, uint64_t offset)
{
    return (unsigned char *)((uintptr_t)host + (uintptr_t)offset);
}

static inline unsigned char *lane_host(const struct place *p, unsigned lane)
{
    return host_at(p->host, (uint64_t)p->lane_stride * lane + p->a[lane]);
}

/* ---- loads ----------------------------------------------------------------------------------- */

#define LOAD_VECTOR(name, U)                                                                       \
    static inline void name(struct exec *x, const struct uop *u, const struct place *p)            \
    {                                                                                              \
        const struct access *s = &p->access;                                                       \
        const unsigned char *h = p->host;                                                          \
        U *d = DST(U, 0);                                                                          \
        if (s->mask == UINT32_MAX && !p->lane_stride) {                                            \
            if (s->shape == ACCESS_UNIFORM) {                                                      \
                U v;                                                                               \
                memcpy(&v, host_at(h, s->base), sizeof v);                                         \
                LANES d[i] = v;                                                                    \
                return;                                                                            \
            }                                                                                      \
            if (s->shape == ACCESS_STRIDED && s->stride == sizeof(U)) {                            \
                memcpy(d, host_at(h, s->base), WARP_LANES * sizeof(U));                            \
                return;                                                                            \
            }                                                                                      \
            if (s->shape == ACCESS_HALVES && s->stride == sizeof(U)) {                             \
                memcpy(d, host_at(h, s->base), 16 * sizeof(U));                                    \
                memcpy(d + 16, host_at(h, s->base2), 16 * sizeof(U));                              \
                return;                                                                            \
            }                                                                                      \
            if (s->shape == ACCESS_HALVES && s->stride == 0) {                                     \
                U v, w;                                                                            \
                memcpy(&v, host_at(h, s->base), sizeof v);                                         \
                memcpy(&w, host_at(h, s->base2), sizeof w);                                        \
                for (unsigned i = 0; i < 16; i++)                                                  \
                    d[i] = v, d[i + 16] = w;                                                       \
                return;                                                                            \
            }                                                                                      \
            LANES memcpy(&d[i], host_at(h, p->a[i]), sizeof(U));                                   \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t left = s->mask; left; left &= left - 1) {                                    \
            unsigned i = (unsigned)__builtin_ctz(left);                                            \
            memcpy(&d[i], lane_host(p, i), sizeof(U));                                             \
        }                                                                                          \
    }
LOAD_VECTOR(load_32, uint32_t)
LOAD_VECTOR(load_64, uint64_t)

static inline operand_ref element_destination(const struct uop *u, unsigned k)
{
    return u->elements ? u->elements[k] : u->dst[k];
}
static inline operand_ref element_value(const struct uop *u, unsigned k)
{
    return u->elements ? u->elements[u->vector + k] : u->src[1 + k];
}

/* What a lane gets of a load that is at fault. Matrices gather elsewhere, and have zeros there. */
static inline void clear_loaded(struct exec *x, const struct uop *u, unsigned lane)
{
    bool is_atomic = u->insn->op == OP_ATOM;
    unsigned bits = is_atomic ? 8u * u->element : u->dst_bits;
    if (u->insn->op != OP_LD && !is_atomic) return;
    if (is_atomic && u->element == 16 && u->has_parts) {
        for (unsigned k = 0; u->dst[0] != REF_NONE && k < 4; k++)
            DST(uint32_t, 0)[k * WARP_LANES + lane] = 0;
        return;
    }
    for (unsigned k = 0; k < u->vector; k++)
        if (element_destination(u, k) != REF_NONE)
            write_bits(x, element_destination(u, k), bits, 0, 0, lane);
}

/* Are vectors of two or four words whole and one behind the other in memory? */
static inline bool is_dense(const struct uop *u, const struct place *p)
{
    const struct access *s = &p->access;
    return s->mask == UINT32_MAX && !p->lane_stride && s->shape == ACCESS_STRIDED &&
           s->stride == s->bytes && (u->vector == 2 || u->vector == 4) && !u->elements;
}
typedef uint32_t loose_word
    __attribute__((aligned(1))); /* guests align, but not to the host's vectors */

static inline bool load_dense(struct exec *x, const struct uop *u, const struct place *p)
{
    const loose_word *from = (const loose_word *)host_at(p->host, p->access.base);
    if (!is_dense(u, p)) return false;
    for (unsigned k = 0; k < u->vector; k++)
        if (u->dst[k] == REF_NONE) return false;
    uint32_t *d0 = DST(uint32_t, 0), *d1 = DST(uint32_t, 1);
    if (u->vector == 2) {
        VECTOR LANES d0[i] = from[2 * i], d1[i] = from[2 * i + 1];
        return true;
    }
    uint32_t *d2 = DST(uint32_t, 2), *d3 = DST(uint32_t, 3);
    VECTOR LANES
    {
        d0[i] = from[4 * i], d1[i] = from[4 * i + 1];
        d2[i] = from[4 * i + 2], d3[i] = from[4 * i + 3];
    }
    return true;
}

/* Elements as wide as their registers, one element after the other. */
#define LOAD_ELEMENTS(name, U)                                                                     \
    static inline void name(struct exec *x, const struct uop *u, const struct place *p)            \
    {                                                                                              \
        for (unsigned k = 0; k < u->vector; k++) {                                                 \
            operand_ref ref = element_destination(u, k);                                           \
            if (ref == REF_NONE) continue;                                                         \
            U *d = PLACE(ref);                                                                     \
            const unsigned char *h = host_at(p->host, k * sizeof(U));                              \
            if (p->access.mask == UINT32_MAX && !p->lane_stride) {                                 \
                LANES memcpy(&d[i], host_at(h, p->a[i]), sizeof(U));                               \
                continue;                                                                          \
            }                                                                                      \
            for (uint32_t left = p->access.mask; left; left &= left - 1) {                         \
                unsigned i = (unsigned)__builtin_ctz(left);                                        \
                memcpy(&d[i], host_at(h, (uint64_t)p->lane_stride *i + p->a[i]), sizeof(U));       \
            }                                                                                      \
        }                                                                                          \
    }
LOAD_ELEMENTS(load_elements_32, uint32_t)
static inline void load_words(struct exec *x, const struct uop *u, const struct place *p)
{
    if (!load_dense(x, u, p)) load_elements_32(x, u, p);
}
LOAD_ELEMENTS(load_elements_64, uint64_t)
LOAD_ELEMENTS(load_elements_128, struct pair64)

/* Any element width, sign or zero extended into wider registers. */
static void load_extended(struct exec *x, const struct uop *u, const struct place *p)
{
    bool is_signed = type_infos[u->insn->type].kind == KIND_SIGNED;
    for (uint32_t left = p->access.mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        const unsigned char *from = lane_host(p, i);
        for (unsigned k = 0; k < u->vector; k++) {
            operand_ref ref = element_destination(u, k);
            if (ref == REF_NONE) continue;
            uint64_t v = 0;
            memcpy(&v, from + k * u->element, u->element);
            if (is_signed) v = sign_extend(v, 8u * u->element);
            write_bits(x, ref, u->dst_bits, v, is_signed && v >> 63 ? UINT64_MAX : 0, i);
        }
    }
}

static inline void load_data(struct exec *x, const struct uop *u, const struct place *p)
{
    if (u->dst_bits != 8 * u->element)
        load_extended(x, u, p);
    else if (u->element == 4)
        u->vector == 1 ? load_32(x, u, p) : load_words(x, u, p);
    else if (u->element == 8)
        u->vector == 1 ? load_64(x, u, p) : load_elements_64(x, u, p);
    else if (u->element == 16)
        load_elements_128(x, u, p);
    else
        load_extended(x, u, p);
}

static inline void load_space(struct exec *x, const struct uop *u, unsigned space)
{
    struct place p;
    if (x->fault.kind || !x->mask) return;
    lane_addresses(x, u, p.a);
    if (locate(x, u, &p, space, x->mask, READS)) load_data(x, u, &p);
}

/* ---- stores ---------------------------------------------------------------------------------- */

#define STORE_VECTOR(name, U)                                                                      \
    static inline void name(struct exec *x, const struct uop *u, const struct place *p)            \
    {                                                                                              \
        const struct access *s = &p->access;                                                       \
        const U *v = SRC(U, 1);                                                                    \
        if (s->mask == UINT32_MAX && !p->lane_stride && s->stride == sizeof(U) &&                  \
            s->shape == ACCESS_STRIDED) {                                                          \
            memcpy(host_at(p->host, s->base), v, WARP_LANES * sizeof(U));                          \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t left = s->mask; left; left &= left - 1) {                                    \
            unsigned i = (unsigned)__builtin_ctz(left);                                            \
            memcpy(lane_host(p, i), &v[i], sizeof(U));                                             \
        }                                                                                          \
    }
STORE_VECTOR(store_32, uint32_t)
STORE_VECTOR(store_64, uint64_t)

static inline bool store_dense(struct exec *x, const struct uop *u, const struct place *p)
{
    loose_word *to = (loose_word *)host_at(p->host, p->access.base);
    if (!is_dense(u, p)) return false;
    const uint32_t *v0 = SRC(uint32_t, 1), *v1 = SRC(uint32_t, 2);
    if (u->vector == 2) {
        VECTOR LANES to[2 * i] = v0[i], to[2 * i + 1] = v1[i];
        return true;
    }
    const uint32_t *v2 = SRC(uint32_t, 3), *v3 = SRC(uint32_t, 4);
    VECTOR LANES
    {
        to[4 * i] = v0[i], to[4 * i + 1] = v1[i];
        to[4 * i + 2] = v2[i], to[4 * i + 3] = v3[i];
    }
    return true;
}

#define STORE_ELEMENTS(name, U)                                                                    \
    static inline void name(struct exec *x, const struct uop *u, const struct place *p)            \
    {                                                                                              \
        for (unsigned k = 0; k < u->vector; k++) {                                                 \
            const U *v = PLACE(element_value(u, k));                                               \
            unsigned char *h = host_at(p->host, k * sizeof(U));                                    \
            if (p->access.mask == UINT32_MAX && !p->lane_stride) {                                 \
                LANES memcpy(host_at(h, p->a[i]), &v[i], sizeof(U));                               \
                continue;                                                                          \
            }                                                                                      \
            for (uint32_t left = p->access.mask; left; left &= left - 1) {                         \
                unsigned i = (unsigned)__builtin_ctz(left);                                        \
                memcpy(host_at(h, (uint64_t)p->lane_stride *i + p->a[i]), &v[i], sizeof(U));       \
            }                                                                                      \
        }                                                                                          \
    }
STORE_ELEMENTS(store_elements_32, uint32_t)
static inline void store_words(struct exec *x, const struct uop *u, const struct place *p)
{
    if (!store_dense(x, u, p)) store_elements_32(x, u, p);
}
STORE_ELEMENTS(store_elements_64, uint64_t)
STORE_ELEMENTS(store_elements_128, struct pair64)

/* From registers that are wider. */
static void store_low_bytes(struct exec *x, const struct uop *u, const struct place *p)
{
    for (unsigned k = 0; k < u->vector; k++) {
        const unsigned char *values = PLACE(element_value(u, k));
        for (uint32_t left = p->access.mask; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            memcpy(lane_host(p, i) + k * u->element, values + i * (u->dst_bits / 8u), u->element);
        }
    }
}

static inline void store_data(struct exec *x, const struct uop *u, const struct place *p)
{
    if (u->dst_bits != 8 * u->element)
        store_low_bytes(x, u, p);
    else if (u->element == 4)
        u->vector == 1 ? store_32(x, u, p) : store_words(x, u, p);
    else if (u->element == 8)
        u->vector == 1 ? store_64(x, u, p) : store_elements_64(x, u, p);
    else if (u->element == 16)
        store_elements_128(x, u, p);
    else
        store_low_bytes(x, u, p);
}

static inline void store_space(struct exec *x, const struct uop *u, unsigned space)
{
    struct place p;
    if (x->fault.kind || !x->mask) return;
    lane_addresses(x, u, p.a);
    if (locate(x, u, &p, space, x->mask, WRITES)) store_data(x, u, &p);
}

/* ---- generic addresses: each window in turn -------------------------------------------------- */

/* Lanes whose address lies in a space that the operation cannot access. */
static __attribute__((noinline, cold)) void refuse_lanes(struct exec *x, const struct uop *u,
                                                         enum fault_kind kind, const uint64_t *a,
                                                         uint32_t mask)
{
    for (uint32_t left = mask; left && !x->fault.kind; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctz(left);
        fault_memory(x, u, kind, lane, a[lane]);
        if (x->checks && check_goes_on(x) && u->insn->op != OP_ST) clear_loaded(x, u, lane);
    }
}

static void generic_any(struct exec *x, const struct uop *u,
                        void (*access)(struct exec *, const struct uop *, struct place *, unsigned,
                                       uint32_t))
{
    struct place p;
    if (x->fault.kind || !x->mask) return;
    uint64_t a[WARP_LANES + 8] __attribute__((aligned(64)));
    lane_addresses(x, u, a);
    for (uint32_t left = x->mask; left && !x->fault.kind;) {
        unsigned space = window_of(a[__builtin_ctz(left)]);
        uint32_t mask = 0;
        LANES mask |= (uint32_t)((left >> i) & 1 && window_of(a[i]) == space) << i;
        LANES p.a[i] = window_offset(a[i], space);
        if (u->bytes > 16 && space != SPACE_GLOBAL)
            refuse_lanes(x, u, FAULT_TOO_WIDE, a, mask);
        else
            access(x, u, &p, space, mask);
        left &= ~mask;
    }
}
static void generic_load(struct exec *x, const struct uop *u, struct place *p, unsigned space,
                         uint32_t mask)
{
    if (locate(x, u, p, space, mask, READS)) load_data(x, u, p);
}
static void generic_store(struct exec *x, const struct uop *u, struct place *p, unsigned space,
                          uint32_t mask)
{
    if (locate(x, u, p, space, mask, WRITES)) store_data(x, u, p);
}
#define MEMORY_FORMS(name, access)                                                                 \
    static void name##_global(struct exec *x, const struct uop *u)                                 \
    {                                                                                              \
        access##_space(x, u, SPACE_GLOBAL);                                                        \
    }                                                                                              \
    static void name##_shared(struct exec *x, const struct uop *u)                                 \
    {                                                                                              \
        access##_space(x, u, SPACE_SHARED);                                                        \
    }                                                                                              \
    static void name##_other(struct exec *x, const struct uop *u)                                  \
    {                                                                                              \
        access##_space(x, u, u->space);                                                            \
    }                                                                                              \
    static void name##_generic(struct exec *x, const struct uop *u)                                \
    {                                                                                              \
        generic_any(x, u, generic_##access);                                                       \
    }                                                                                              \
    static struct uop_pair name##_pair(const struct insn *insn)                                    \
    {                                                                                              \
        switch (insn->space) {                                                                     \
        case SPACE_GLOBAL:                                                                         \
            return SAME(name##_global);                                                            \
        case SPACE_SHARED:                                                                         \
            return SAME(name##_shared);                                                            \
        case SPACE_NONE:                                                                           \
        case SPACE_GENERIC:                                                                        \
            return SAME(name##_generic);                                                           \
        default:                                                                                   \
            return SAME(name##_other);                                                             \
        }                                                                                          \
    }
MEMORY_FORMS(ld, load)
MEMORY_FORMS(st, store)

SELECT_ONE(ld, ld_pair(insn))
SELECT_ONE(st, st_pair(insn))

#endif
