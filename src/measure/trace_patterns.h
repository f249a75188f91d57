// SPDX-License-Identifier: Apache-2.0
/* Sets of access patterns, each kept once. */
#ifndef MEASURE_TRACE_PATTERNS_H
#define MEASURE_TRACE_PATTERNS_H

#include "measure/trace.h"

struct pattern_set {
    struct trace_pattern *items;
    int32_t *offsets;      /* of GENERAL ones, 32 each, 0 in lanes that are not there */
    int64_t *wide_offsets; /* of wide ones */
    uint32_t count, capacity;
    uint64_t offset_count, offset_capacity, wide_count, wide_capacity;
    uint32_t *slots; /* open hash: index + 1 */
    uint32_t slot_count;
};

/* The access's pattern, in its canonical form, and the address of its lowest lane. */
uint32_t pattern_set_add(struct pattern_set *set, const struct access *access, uint64_t *out_base);
/* One of another set. */
uint32_t pattern_set_copy(struct pattern_set *set, const struct pattern_set *from, uint32_t index);
uint64_t pattern_set_bytes(const struct pattern_set *set);
void pattern_set_clear(struct pattern_set *set);

#endif
