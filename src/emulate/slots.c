// SPDX-License-Identifier: Apache-2.0
/* Register slots by linear scan over live ranges, so that a warp's registers stay in the cache.
 * Slots of different widths never share bytes: an operation may then read and write the same slot
 * lane by lane, and no other overlap exists. */
#include <stdlib.h>
#include <string.h>

#include "emulate/exec.h"

enum { WIDTHS = 5 };
static const uint32_t slot_bytes[WIDTHS] = {4, 64, 128, 256, 512};

static unsigned width_of(enum ptx_type type)
{
    unsigned bits = type_infos[type].bits;
    return bits == 1 ? 0 : bits <= 16 ? 1 : bits <= 32 ? 2 : bits <= 64 ? 3 : 4;
}

uint32_t register_bytes(enum ptx_type type)
{
    return slot_bytes[width_of(type)];
}

struct range {
    uint32_t vreg, first, last; /* positions: 2 i for reads, 2 i + 1 for writes of instruction i */
};

static void extend(struct range *range, uint32_t at)
{
    if (at < range->first) range->first = at;
    if (at > range->last) range->last = at;
}

static void extend_operand(struct range *ranges, const struct operand *operand, uint32_t at)
{
    if ((operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_ADDRESS) &&
        operand->reg >= 0)
        extend(&ranges[operand->reg], at);
}

static void collect_instructions(const struct function *function, struct range *ranges)
{
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const struct insn *insn = &function->insns[i];
        for (unsigned k = 0; k < insn->ndst; k++) {
            extend_operand(ranges, insn_operand(insn, k), 2 * i + 1);
            /* A guarded write keeps the old value in the other lanes. */
            if (insn->guard >= 0) extend_operand(ranges, insn_operand(insn, k), 2 * i);
        }
        for (unsigned k = 0; k < insn->nsrc; k++)
            extend_operand(ranges, insn_source(insn, k), 2 * i);
        if (insn->guard >= 0) extend(&ranges[insn->guard], 2 * i);
    }
}

static void extend_set(const struct function *function, struct range *ranges, const uint64_t *set,
                       uint32_t at)
{
    for (uint32_t w = 0; w * 64 < function->crossing_count; w++)
        for (uint64_t left = set[w]; left; left &= left - 1)
            extend(&ranges[function->crossing[w * 64 + (uint32_t)__builtin_ctzll(left)]], at);
}

static void collect_blocks(const struct function *function, struct range *ranges)
{
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct basic_block *block = &function->blocks[b];
        extend_set(function, ranges, block->live_in, 2 * block->first);
        extend_set(function, ranges, block->live_out, 2 * (block->first + block->count));
    }
}

static int by_first(const void *a, const void *b)
{
    const struct range *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return x->vreg < y->vreg ? -1 : x->vreg > y->vreg;
}

/* The free slots of one width and the ranges that hold the others, as a heap by their end. */
struct pool {
    uint32_t used; /* slots ever taken */
    uint32_t *free, free_count;
    struct holder {
        uint32_t last, slot;
    } * heap;
    uint32_t heap_count;
};

static void heap_push(struct pool *pool, uint32_t last, uint32_t slot)
{
    uint32_t at = pool->heap_count++;
    while (at && pool->heap[(at - 1) / 2].last > last) {
        pool->heap[at] = pool->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    pool->heap[at] = (struct holder){last, slot};
}

static uint32_t heap_pop(struct pool *pool)
{
    uint32_t slot = pool->heap[0].slot, at = 0;
    struct holder moved = pool->heap[--pool->heap_count];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= pool->heap_count) break;
        if (child + 1 < pool->heap_count && pool->heap[child + 1].last < pool->heap[child].last)
            child++;
        if (pool->heap[child].last >= moved.last) break;
        pool->heap[at] = pool->heap[child];
        at = child;
    }
    pool->heap[at] = moved;
    return slot;
}

static uint32_t take_slot(struct pool *pool, uint32_t first, uint32_t last)
{
    while (pool->heap_count && pool->heap[0].last < first)
        pool->free[pool->free_count++] = heap_pop(pool);
    uint32_t slot = pool->free_count ? pool->free[--pool->free_count] : pool->used++;
    heap_push(pool, last, slot);
    return slot;
}

/* Native registers lie in the order of their numbers, so that pairs are neighbours. */
static uint64_t assign_native(const struct function *function, uint32_t *offsets)
{
    uint32_t registers = function->native_code->registers, bytes = 0;
    for (uint32_t v = 0; v < function->vreg_count; v++) {
        bool is_absent = v < VREG_RZ && v >= registers;
        uint32_t width = is_absent ? 0 : slot_bytes[width_of(function->vregs[v].type)];
        offsets[v] = is_absent ? UINT32_MAX : bytes;
        bytes += width == 4 ? 64 : width; /* a predicate: the next begins aligned */
    }
    return bytes;
}

uint64_t slots_assign(const struct function *function, uint32_t *offsets)
{
    if (function->native_code) return assign_native(function, offsets);
    uint32_t count = function->vreg_count;
    struct range *ranges = mem_zalloc(count, sizeof *ranges);
    for (uint32_t v = 0; v < count; v++)
        ranges[v] = (struct range){v, UINT32_MAX, 0};
    collect_instructions(function, ranges);
    collect_blocks(function, ranges);
    qsort(ranges, count, sizeof *ranges, by_first);

    struct pool pools[WIDTHS] = {{0}};
    for (unsigned w = 0; w < WIDTHS; w++) {
        pools[w].free = mem_zalloc(count, sizeof(uint32_t));
        pools[w].heap = mem_zalloc(count, sizeof(struct holder));
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct range *range = &ranges[i];
        unsigned w = width_of(function->vregs[range->vreg].type);
        offsets[range->vreg] = range->first == UINT32_MAX
                                   ? UINT32_MAX
                                   : take_slot(&pools[w], range->first, range->last);
    }
    /* Wide slots first, predicates last: every offset is aligned to 64 except theirs. */
    uint64_t base[WIDTHS], bytes = 0;
    for (unsigned w = WIDTHS; w-- > 0;) {
        base[w] = bytes;
        bytes += (uint64_t)pools[w].used * slot_bytes[w];
    }
    for (uint32_t v = 0; v < count; v++) {
        unsigned w = width_of(function->vregs[v].type);
        if (offsets[v] != UINT32_MAX) offsets[v] = (uint32_t)base[w] + offsets[v] * slot_bytes[w];
    }
    for (unsigned w = 0; w < WIDTHS; w++) {
        mem_free(pools[w].free);
        mem_free(pools[w].heap);
    }
    mem_free(ranges);
    return (bytes + 63) & ~UINT64_C(63);
}
