// SPDX-License-Identifier: Apache-2.0
#include "measure/trace_patterns.h"

#include <stdlib.h>
#include <string.h>

#include "measure/bits.h"

enum { LANES = 32, SLOTS_LEAST = 64 };

/* 2^64 / golden ratio: Fibonacci hashing. */
#define GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* A pattern before it has a place: offsets of all lanes, if they are needed. */
struct candidate {
    struct trace_pattern pattern;
    int64_t offsets[LANES];
};

/* ---- canonical form -------------------------------------------------------------------------- */

static void be_uniform(struct trace_pattern *p)
{
    p->shape = ACCESS_UNIFORM;
    p->stride = p->second = 0;
}

static void be_strided(struct trace_pattern *p, int64_t stride)
{
    be_uniform(p);
    if (!stride || bits_count(p->mask) == 1) return;
    p->shape = ACCESS_STRIDED;
    p->stride = stride;
}

/* Two halves: base is lane 0's, base2 lane 16's. Returns the address of the lowest lane. */
static uint64_t find_halves(struct trace_pattern *p, const struct access *access)
{
    unsigned lowest = bits_lowest(p->mask);
    uint64_t stride = (uint64_t)access->stride;
    uint64_t base =
        lowest < 16 ? access->base + lowest * stride : access->base2 + (lowest - 16) * stride;
    bool one_half = lowest >= 16 || !(p->mask >> 16);
    if (one_half || access->base2 - access->base == 16 * stride) {
        be_strided(p, access->stride);
        return base;
    }
    p->shape = ACCESS_HALVES;
    p->stride = access->stride;
    p->second = (int64_t)(access->base2 - base);
    return base;
}

/* The stride that all lanes fit, if there is one. */
static bool find_stride(const struct candidate *c, int64_t *out)
{
    uint32_t mask = c->pattern.mask;
    unsigned lowest = bits_lowest(mask);
    if (!(mask & (mask - 1))) return *out = 0, true;
    unsigned next = bits_lowest(mask & (mask - 1));
    int64_t stride = c->offsets[next] / (int64_t)(next - lowest);
    for (uint32_t left = mask; left; left &= left - 1) {
        unsigned lane = bits_lowest(left);
        if ((uint64_t)c->offsets[lane] != (uint64_t)stride * (lane - lowest)) return false;
    }
    *out = stride;
    return true;
}

static uint64_t find_general(struct candidate *c, const struct access *access)
{
    struct trace_pattern *p = &c->pattern;
    uint64_t base = access->addresses[bits_lowest(p->mask)];
    memset(c->offsets, 0, sizeof c->offsets);
    for (uint32_t left = p->mask; left; left &= left - 1) {
        unsigned lane = bits_lowest(left);
        c->offsets[lane] = (int64_t)(access->addresses[lane] - base);
        p->wide |= c->offsets[lane] != (int32_t)c->offsets[lane];
    }
    int64_t stride;
    p->shape = ACCESS_GENERAL;
    if (find_stride(c, &stride)) {
        p->wide = false;
        be_strided(p, stride);
    }
    return base;
}

static uint64_t find_pattern(struct candidate *c, const struct access *access)
{
    c->pattern = (struct trace_pattern){
        .mask = access->mask, .space = access->space, .bytes = access->bytes};
    switch (access->shape) {
    case ACCESS_UNIFORM:
        be_uniform(&c->pattern);
        return access->base;
    case ACCESS_STRIDED:
        be_strided(&c->pattern, access->stride);
        return access->base + bits_lowest(access->mask) * (uint64_t)access->stride;
    case ACCESS_HALVES:
        return find_halves(&c->pattern, access);
    default:
        return find_general(c, access);
    }
}

/* ---- the set --------------------------------------------------------------------------------- */

/* Four sums side by side: a product waits for the one before it. */
static uint64_t hash_offsets(const int64_t *offsets, uint64_t hash)
{
    uint64_t sums[4] = {hash, 1, 2, 3};
    for (unsigned i = 0; i < LANES; i += 4)
        for (unsigned k = 0; k < 4; k++)
            sums[k] = (sums[k] ^ (uint64_t)offsets[i + k]) * GOLDEN;
    return ((sums[0] ^ sums[1]) * GOLDEN ^ sums[2]) * GOLDEN ^ sums[3];
}

static uint64_t hash_pattern(const struct candidate *c)
{
    const struct trace_pattern *p = &c->pattern;
    uint64_t hash =
        p->mask | (uint64_t)p->space << 32 | (uint64_t)p->bytes << 40 | (uint64_t)p->shape << 48;
    hash = ((hash * GOLDEN) ^ (uint64_t)p->stride) * GOLDEN ^ (uint64_t)p->second;
    if (p->shape == ACCESS_GENERAL) hash = hash_offsets(c->offsets, hash);
    return (hash ^ hash >> 31) * GOLDEN;
}

static bool same_offsets(const struct pattern_set *set, const struct trace_pattern *p,
                         const int64_t *offsets)
{
    if (p->wide) return !memcmp(set->wide_offsets + p->first, offsets, LANES * sizeof *offsets);
    const int32_t *mine = set->offsets + p->first;
    int64_t differs = 0;
    for (unsigned i = 0; i < LANES; i++)
        differs |= mine[i] ^ offsets[i];
    return !differs;
}

static bool same_pattern(const struct pattern_set *set, const struct trace_pattern *a,
                         const struct candidate *c)
{
    const struct trace_pattern *b = &c->pattern;
    return a->mask == b->mask && a->space == b->space && a->bytes == b->bytes &&
           a->shape == b->shape && a->wide == b->wide && a->stride == b->stride &&
           a->second == b->second &&
           (a->shape != ACCESS_GENERAL || same_offsets(set, a, c->offsets));
}

static void load_candidate(const struct pattern_set *set, uint32_t index, struct candidate *out)
{
    out->pattern = set->items[index];
    if (out->pattern.shape != ACCESS_GENERAL) return;
    for (unsigned i = 0; i < LANES; i++)
        out->offsets[i] = out->pattern.wide ? set->wide_offsets[out->pattern.first + i]
                                            : set->offsets[out->pattern.first + i];
}

static void grow_slots(struct pattern_set *set)
{
    struct candidate c;
    mem_free(set->slots);
    set->slot_count = set->slot_count ? 2 * set->slot_count : SLOTS_LEAST;
    set->slots = mem_zalloc(set->slot_count, sizeof *set->slots);
    for (uint32_t i = 0; i < set->count; i++) {
        load_candidate(set, i, &c);
        uint32_t slot = (uint32_t)(hash_pattern(&c) >> 32) & (set->slot_count - 1);
        while (set->slots[slot])
            slot = (slot + 1) & (set->slot_count - 1);
        set->slots[slot] = i + 1;
    }
}

static void keep_offsets(struct pattern_set *set, struct candidate *c)
{
    for (unsigned i = 0; i < LANES; i++) {
        if (c->pattern.wide) {
            GROW(set->wide_offsets, set->wide_count, set->wide_capacity);
            set->wide_offsets[set->wide_count++] = c->offsets[i];
        } else {
            GROW(set->offsets, set->offset_count, set->offset_capacity);
            set->offsets[set->offset_count++] = (int32_t)c->offsets[i];
        }
    }
}

static uint32_t add_candidate(struct pattern_set *set, struct candidate *c)
{
    if (2 * set->count >= set->slot_count) grow_slots(set);
    uint32_t slot = (uint32_t)(hash_pattern(c) >> 32) & (set->slot_count - 1);
    for (; set->slots[slot]; slot = (slot + 1) & (set->slot_count - 1)) {
        uint32_t found = set->slots[slot] - 1;
        if (same_pattern(set, &set->items[found], c)) return found;
    }
    c->pattern.first = c->pattern.wide ? set->wide_count : set->offset_count;
    if (c->pattern.shape == ACCESS_GENERAL)
        keep_offsets(set, c);
    else
        c->pattern.first = 0;
    GROW(set->items, set->count, set->capacity);
    set->items[set->count] = c->pattern;
    set->slots[slot] = ++set->count;
    return set->count - 1;
}

uint32_t pattern_set_add(struct pattern_set *set, const struct access *access, uint64_t *out_base)
{
    struct candidate c;
    *out_base = find_pattern(&c, access);
    return add_candidate(set, &c);
}

uint32_t pattern_set_copy(struct pattern_set *set, const struct pattern_set *from, uint32_t index)
{
    struct candidate c;
    load_candidate(from, index, &c);
    return add_candidate(set, &c);
}

uint64_t pattern_set_bytes(const struct pattern_set *set)
{
    return set->count * (sizeof *set->items + 2 * sizeof *set->slots) +
           set->offset_count * sizeof *set->offsets + set->wide_count * sizeof *set->wide_offsets;
}

void pattern_set_clear(struct pattern_set *set)
{
    mem_free(set->items);
    mem_free(set->offsets);
    mem_free(set->wide_offsets);
    mem_free(set->slots);
    *set = (struct pattern_set){0};
}
