// SPDX-License-Identifier: Apache-2.0
/* Curves of a machine file: values that were measured by warps or by the shape of the launch. */
#include <math.h>
#include <string.h>

#include "machine/machine_leaf.h"
#include "machine/machine_units.h"

static ws_status read_points(struct reading *reading, const char *path, const yaml_node_t *node,
                             double factor, const double **out, size_t *out_count)
{
    if (node->type != YAML_SEQUENCE_NODE)
        LEAF_FAIL(reading, node, "%s must be a list of numbers, [1, 2, 3], not %s", path,
                  yaml_kind(node));
    const yaml_node_item_t *start = node->data.sequence.items.start;
    *out_count = (size_t)(node->data.sequence.items.top - start);
    double *points = ARENA_ARRAY(&reading->machine->arena, double, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++) {
        const yaml_node_t *item = yaml_tree_node(reading->tree, start[i]);
        TRY(leaf_number(reading, path, item, &points[i]));
        points[i] *= factor;
        if (!isfinite(points[i]) || !(points[i] > 0))
            LEAF_FAIL(reading, item, "%s: '%s' must be greater than 0", path, yaml_text(item));
    }
    *out = points;
    return WS_OK;
}

/* Units that a curve may be written in, in words. */
static const char *legal_units(struct arena *arena, const struct machine_curve_info *info)
{
    const char *of_gpu = unit_names(arena, info->gpu_dimension);
    if (!(info->scale > 0)) return arena_format(arena, "%s of the GPU", of_gpu);
    return arena_format(arena, "%s of an SM, or %s of the GPU", unit_names(arena, info->dimension),
                        of_gpu);
}

/* A curve may be written as measured on the whole GPU, or for one SM and cycle. */
static ws_status read_curve_unit(struct reading *reading, const struct machine_curve_info *info,
                                 const struct leaf *leaf, struct machine_curve *curve,
                                 double *factor)
{
    struct arena *arena = &reading->machine->arena;
    enum dimension given;
    if (!leaf->unit)
        LEAF_FAIL(reading, leaf->node, "%s lacks a unit: expected %s", leaf->path,
                  legal_units(arena, info));
    const char *unit;
    TRY(leaf_text(reading, "unit", leaf->unit, &unit));
    bool known = unit_find(unit, &given, factor);
    curve->of_gpu = known && given == info->gpu_dimension;
    if (!curve->of_gpu && !(known && given == info->dimension))
        LEAF_FAIL(reading, leaf->unit, "unknown unit '%s' of %s: expected %s", unit, leaf->path,
                  legal_units(arena, info));
    return WS_OK;
}

static ws_status read_axis(struct reading *reading, const char *path, const char *name,
                           const struct leaf *leaf, const double **out, size_t *out_count)
{
    const yaml_node_t *node = yaml_tree_find(reading->tree, leaf->node, name);
    if (!node)
        LEAF_FAIL(reading, leaf->node, "%s has no %s: add the ones it was measured at", path, name);
    TRY(read_points(reading, path, node, 1, out, out_count));
    if (!*out_count) LEAF_FAIL(reading, node, "%s: %s is empty", path, name);
    for (size_t i = 1; i < *out_count; i++)
        if (!((*out)[i] > (*out)[i - 1]))
            LEAF_FAIL(reading, node, "%s: the values of %s must be ascending", path, name);
    return WS_OK;
}

/* A list by one axis. By three: a row for each number of blocks and threads, the blocks slowest; a
 * row has a value for each number of transactions. */
static ws_status read_values(struct reading *reading, const struct machine_curve_info *info,
                             const yaml_node_t *node, double factor, struct machine_curve *curve)
{
    size_t count, rows = curve->axis_counts[0] * curve->axis_counts[1];
    size_t columns = curve->axis_counts[2];
    if (!info->axes[1]) {
        TRY(read_points(reading, info->path, node, factor, &curve->values, &count));
        if (count != rows)
            LEAF_FAIL(reading, node, "%s: size mismatch: %zu values for %zu values of %s",
                      info->path, count, rows, info->axes[0]);
        return WS_OK;
    }
    count = node->type == YAML_SEQUENCE_NODE
                ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
                : 0;
    if (count != rows)
        LEAF_FAIL(reading, node,
                  "%s requires %zu rows, [[...], [...]]: one for each of %zu values of %s and %zu "
                  "of %s (got %zu)",
                  info->path, rows, curve->axis_counts[0], info->axes[0], curve->axis_counts[1],
                  info->axes[1], count);
    double *values = ARENA_ARRAY(&reading->machine->arena, double, rows *columns);
    for (size_t i = 0; i < rows; i++) {
        const yaml_node_t *row = yaml_tree_node(reading->tree, node->data.sequence.items.start[i]);
        const double *points;
        TRY(read_points(reading, info->path, row, factor, &points, &count));
        if (count != columns)
            LEAF_FAIL(reading, row, "%s: size mismatch: %zu values in a row for %zu values of %s",
                      info->path, count, columns, info->axes[2]);
        memcpy(values + i * columns, points, columns * sizeof *values);
    }
    curve->values = values;
    return WS_OK;
}

ws_status machine_read_curve(struct reading *reading, enum machine_curve_id id,
                             const yaml_node_t *key_node, const yaml_node_t *node)
{
    struct machine_curve *curve = &reading->machine->curves[id];
    const struct machine_curve_info *info = &machine_curve_infos[id];
    struct leaf leaf;
    double factor;
    if (curve->count)
        LEAF_FAIL(reading, key_node, "duplicate key '%s': first given in line %u", info->path,
                  curve->line);
    TRY(leaf_open(reading, info->path, node, info->axes, &leaf));
    TRY(leaf_origin(reading, &leaf));
    TRY(read_curve_unit(reading, info, &leaf, curve, &factor));
    for (unsigned axis = 0; axis < CURVE_AXES; axis++) {
        curve->axis_counts[axis] = 1;
        if (!info->axes[axis]) continue;
        TRY(read_axis(reading, info->path, info->axes[axis], &leaf, &curve->axes[axis],
                      &curve->axis_counts[axis]));
    }
    TRY(read_values(reading, info, leaf.value, factor, curve));
    curve->count = curve->axis_counts[0] * curve->axis_counts[1] * curve->axis_counts[2];
    curve->source = leaf.source;
    curve->assumed = leaf.assumed;
    curve->line = (uint32_t)key_node->start_mark.line + 1;
    return WS_OK;
}
