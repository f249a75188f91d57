// SPDX-License-Identifier: Apache-2.0
/* Boxes of tensors (tensor_map.h), after the PTX ISA's chapter on tensors and the driver API's on tensor maps. */
#include "emulate/tensor_map.h"

#include <warpsage/warpsage.h>

bool tensor_map_is_valid(const struct tensor_map *map)
{
    enum { SWIZZLE_MAX = 3 };
    bool is_good = map->magic == TENSOR_MAP_MAGIC && map->type < WS_TENSOR_TYPES && map->rank &&
                   map->rank <= TENSOR_RANK_MAX && map->swizzle <= SWIZZLE_MAX &&
                   (!map->is_im2col || map->rank >= 3);
    for (unsigned k = 0; is_good && k < map->rank; k++)
        is_good = map->steps[k] != 0;
    return is_good;
}

unsigned tensor_element_bytes(const struct tensor_map *map)
{
    static const uint8_t bytes[] = {
        [WS_TENSOR_U8] = 1,  [WS_TENSOR_U16] = 2, [WS_TENSOR_U32] = 4, [WS_TENSOR_S32] = 4,
        [WS_TENSOR_U64] = 8, [WS_TENSOR_S64] = 8, [WS_TENSOR_F16] = 2, [WS_TENSOR_F32] = 4,
        [WS_TENSOR_F64] = 8, [WS_TENSOR_BF16] = 2};
    return bytes[map->type];
}

/* The innermost dimension has no steps. */
static unsigned count_of(const struct tensor_map *map, unsigned k)
{
    return k ? (map->box[k] + map->steps[k] - 1u) / map->steps[k] : map->box[0];
}

uint64_t tensor_box_bytes(const struct tensor_map *map)
{
    uint64_t elements = 1;
    if (map->is_im2col) return (uint64_t)map->channels * map->box[0] * tensor_element_bytes(map);
    for (unsigned k = 0; k < map->rank; k++)
        elements *= count_of(map, k);
    return elements * tensor_element_bytes(map);
}

/* One row of the innermost dimension, in up to three runs: what lies before the tensor, in it and behind. */
struct row {
    const struct tensor_map *map;
    int64_t at[TENSOR_RANK_MAX]; /* of its first element */
    uint64_t shared;
    unsigned count;
};

static bool visit_run(const struct row *row, int64_t first, int64_t end, bool is_outside,
                      tensor_run_fn *visit, void *self)
{
    const struct tensor_map *map = row->map;
    unsigned element = tensor_element_bytes(map);
    if (first >= end) return true;
    struct tensor_run run = {.global = map->address + (uint64_t)(row->at[0] + first) * element,
                             .shared = row->shared + (uint64_t)first * element,
                             .bytes = (uint32_t)(end - first) * element,
                             .is_outside = is_outside};
    for (unsigned k = 1; k < map->rank; k++)
        run.global += (uint64_t)row->at[k] * map->strides[k - 1];
    return visit(self, &run);
}

static bool visit_row(const struct row *row, tensor_run_fn *visit, void *self)
{
    const struct tensor_map *map = row->map;
    int64_t count = row->count, begin = -row->at[0], end = (int64_t)map->sizes[0] - row->at[0];
    for (unsigned k = 1; k < map->rank; k++)
        if (row->at[k] < 0 || row->at[k] >= (int64_t)map->sizes[k])
            return visit_run(row, 0, count, true, visit, self);
    begin = begin < 0 ? 0 : begin > count ? count : begin;
    end = end < begin ? begin : end > count ? count : end;
    return visit_run(row, 0, begin, true, visit, self) &&
           visit_run(row, begin, end, false, visit, self) &&
           visit_run(row, end, count, true, visit, self);
}

static void walk_tile(const struct tensor_map *map, const int32_t *coordinates,
                      tensor_run_fn *visit, void *self)
{
    struct row row = {.map = map, .count = count_of(map, 0)};
    unsigned index[TENSOR_RANK_MAX] = {0}, k = 0;
    for (unsigned d = 0; d < map->rank; d++)
        row.at[d] = coordinates[d];
    while (k < map->rank) {
        if (!visit_row(&row, visit, self)) return;
        row.shared += (uint64_t)row.count * tensor_element_bytes(map);
        for (k = 1; k < map->rank; k++) { /* the next row */
            row.at[k] += map->steps[k];
            if (++index[k] < count_of(map, k)) break;
            index[k] = 0;
            row.at[k] = coordinates[k];
        }
    }
}

/* Pixels of the bounding box in their order from the one at the coordinates on, each moved by the offsets. */
static void walk_pixels(const struct tensor_map *map, const int32_t *coordinates,
                        const uint16_t *offsets, tensor_run_fn *visit, void *self)
{
    struct row row = {.map = map, .count = map->channels};
    unsigned spatial = map->rank - 2u;
    int64_t at[TENSOR_RANK_MAX];
    for (unsigned k = 0; k < map->rank; k++)
        row.at[k] = at[k] = coordinates[k];
    for (unsigned pixel = 0; pixel < map->box[0]; pixel++) {
        for (unsigned k = 0; k < spatial; k++)
            row.at[1 + k] = at[1 + k] + (offsets ? offsets[k] : 0);
        row.at[map->rank - 1] = at[map->rank - 1];
        if (!visit_row(&row, visit, self)) return;
        row.shared += (uint64_t)row.count * tensor_element_bytes(map);
        unsigned k = 1;
        for (; k <= spatial; k++) {
            at[k] += map->steps[k];
            if (at[k] < (int64_t)map->sizes[k] + map->upper[k - 1]) break;
            at[k] = map->lower[k - 1];
        }
        if (k > spatial) at[k]++; /* the next image */
    }
}

void tensor_walk(const struct tensor_map *map, const int32_t *coordinates, const uint16_t *offsets,
                 tensor_run_fn *visit, void *self)
{
    if (map->is_im2col)
        walk_pixels(map, coordinates, offsets, visit, self);
    else
        walk_tile(map, coordinates, visit, self);
}
