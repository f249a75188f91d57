// SPDX-License-Identifier: Apache-2.0
/* Boxes of tensors (tensor_map.h), after the PTX ISA's chapter on tensors and the driver API's on tensor maps. */
#include "emulate/tensor_map.h"

#include <string.h>
#include <warpsage/warpsage.h>

/* ---- the 128 bytes (tensor_map.h) --------------------------------------------------------------- */

enum { WORD_MODES = 2, WORD_STRIDES = 3, WORD_HIGH = 7, WORD_SIZES = 8, WORD_STEPS = 13 };
enum { RANK_SHIFT = 4, TYPE_SHIFT = 7, SWIZZLE_SHIFT = 13, NAN_SHIFT = 15, BOX_BYTE = 55 };
enum { INTERLEAVED = 3 << 11, TF32 = 1 << 16, OTHER_SWIZZLE = 1 << 22, PIXELS_BYTE = 64 };

struct pixel_part {
    uint16_t is_im2col, channels, pixels;
    int16_t lower[3], upper[3];
};

/* Numbers of types (PTX ISA, tensormap.replace.elemtype); 8 flushes subnormal numbers. */
static const uint8_t type_numbers[WS_TENSOR_TYPES] = {
    [WS_TENSOR_U8] = 0,  [WS_TENSOR_U16] = 1,  [WS_TENSOR_U32] = 2, [WS_TENSOR_S32] = 3,
    [WS_TENSOR_U64] = 4, [WS_TENSOR_S64] = 5,  [WS_TENSOR_F16] = 6, [WS_TENSOR_F32] = 7,
    [WS_TENSOR_F64] = 9, [WS_TENSOR_BF16] = 10};

static uint32_t low_bits(uint64_t value, unsigned bits)
{
    return (uint32_t)value & ((1u << bits) - 1);
}

void tensor_map_pack(const struct tensor_map *map, unsigned char out[TENSOR_MAP_BYTES])
{
    uint32_t words[TENSOR_MAP_BYTES / 4] = {0};
    struct pixel_part part = {.is_im2col = map->is_im2col, .channels = map->channels};
    words[WORD_MODES] =
        (map->rank - 1u) << RANK_SHIFT | (uint32_t)type_numbers[map->type] << TYPE_SHIFT |
        (uint32_t)map->swizzle << SWIZZLE_SHIFT | (uint32_t)map->fills_nan << NAN_SHIFT;
    for (unsigned k = 0; k + 1u < map->rank; k++) {
        words[WORD_STRIDES + k] = (uint32_t)(map->strides[k] >> 4);
        words[WORD_HIGH] |= low_bits(map->strides[k] >> 36, 4) << (4 * k);
    }
    for (unsigned k = 0; k < map->rank; k++) {
        words[WORD_SIZES + k] = (uint32_t)(map->sizes[k] - 1);
        words[WORD_STEPS] |= low_bits(map->steps[k] - 1u, 3) << (3 * k);
    }
    memcpy(out, words, sizeof words);
    memcpy(out, &map->address, sizeof map->address);
    for (unsigned k = 0; k < map->rank && !map->is_im2col; k++)
        out[BOX_BYTE + k] = (unsigned char)(map->box[k] - 1);
    if (!map->is_im2col) return;
    part.pixels = map->box[0];
    memcpy(part.lower, map->lower, sizeof part.lower);
    memcpy(part.upper, map->upper, sizeof part.upper);
    memcpy(out + PIXELS_BYTE, &part, sizeof part);
}

static bool unpack_modes(uint32_t modes, struct tensor_map *out)
{
    const unsigned number = modes >> TYPE_SHIFT & 15;
    out->rank = (uint8_t)((modes >> RANK_SHIFT & 7) + 1);
    out->swizzle = modes >> SWIZZLE_SHIFT & 3;
    out->fills_nan = modes >> NAN_SHIFT & 1;
    out->type = 0;
    while (out->type < WS_TENSOR_TYPES && type_numbers[out->type] != number)
        out->type++;
    bool is_tf32 = modes & TF32;
    return out->type < WS_TENSOR_TYPES && out->rank <= TENSOR_RANK_MAX &&
           !(modes & (INTERLEAVED | OTHER_SWIZZLE)) && (!is_tf32 || out->type == WS_TENSOR_F32);
}

static bool unpack_pixels(const unsigned char *bytes, struct tensor_map *out)
{
    struct pixel_part part;
    memcpy(&part, bytes, sizeof part);
    out->is_im2col = part.is_im2col == 1;
    if (!out->is_im2col) return true;
    out->channels = part.channels;
    out->box[0] = part.pixels;
    memcpy(out->lower, part.lower, sizeof out->lower);
    memcpy(out->upper, part.upper, sizeof out->upper);
    return out->rank >= 3;
}

bool tensor_map_unpack(const unsigned char bytes[TENSOR_MAP_BYTES], struct tensor_map *out)
{
    uint32_t words[TENSOR_MAP_BYTES / 4];
    memcpy(words, bytes, sizeof words);
    *out = (struct tensor_map){0};
    memcpy(&out->address, bytes, sizeof out->address);
    if (!unpack_modes(words[WORD_MODES], out)) return false;
    for (unsigned k = 0; k + 1u < TENSOR_RANK_MAX; k++)
        out->strides[k] = (uint64_t)words[WORD_STRIDES + k] << 4 |
                          (uint64_t)(words[WORD_HIGH] >> (4 * k) & 15) << 36;
    for (unsigned k = 0; k < TENSOR_RANK_MAX; k++) {
        out->sizes[k] = (uint64_t)words[WORD_SIZES + k] + 1;
        out->steps[k] = (uint8_t)((words[WORD_STEPS] >> (3 * k) & 7) + 1);
        out->box[k] = (uint16_t)(bytes[BOX_BYTE + k] + 1);
    }
    bool has_address = out->address && out->address % 16 == 0;
    return has_address && unpack_pixels(bytes + PIXELS_BYTE, out);
}

/* ---- boxes -------------------------------------------------------------------------------------- */

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
