// SPDX-License-Identifier: Apache-2.0
/* The floorplan of a machine file:
 *
 *     floorplan:
 *       unit: mm
 *       from: assumed               # or source: TAG
 *       size: [18, 18]              # of the die: width, height
 *       blocks:
 *         - {name: sm0, kind: sm, sm: 0, tpc: 0, at: [0, 0], size: [2, 4]}
 *
 * Blocks cover the die, without gap and without overlap. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "machine/machine_leaf.h"
#include "machine/machine_units.h"

/* Edges nearer than this are the same edge; no plan is drawn finer. */
static const double SAME_METRES = 1e-9;

enum { MOST_BLOCKS = 4096 };

struct plan_reading {
    struct reading *reading;
    double factor; /* from the written unit to metres */
    struct floorplan *plan;
    struct floorplan_block *blocks;
    const yaml_node_t **nodes; /* of each block */
};

const char *const floorplan_kind_words[FLOORPLAN_KIND_COUNT] = {
#define KIND(name, word) [FLOORPLAN_##name] = word,
    FLOORPLAN_KINDS(KIND)
#undef KIND
};

static ws_status check_keys(struct reading *reading, const yaml_node_t *node, const char *what,
                            const char *const *known, size_t count)
{
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_tree_node(reading->tree, pair->key);
        size_t i = 0;
        while (i < count && strcmp(known[i], yaml_text(key)) != 0)
            i++;
        if (i < count) continue;
        const char *near = text_hint(&reading->machine->arena, yaml_text(key), known, count);
        LEAF_FAIL(reading, key, "unknown key '%s' in %s%s", yaml_text(key), what, near);
    }
    return WS_OK;
}

static ws_status need(struct reading *reading, const yaml_node_t *mapping, const char *what,
                      const char *key, const yaml_node_t **out)
{
    *out = yaml_tree_find(reading->tree, mapping, key);
    if (!*out) LEAF_FAIL(reading, mapping, "%s has no '%s'", what, key);
    return WS_OK;
}

/* [a, b] in the unit of the plan. */
static ws_status read_pair(const struct plan_reading *from, const yaml_node_t *mapping,
                           const char *what, const char *key, double out[2])
{
    struct reading *reading = from->reading;
    const yaml_node_t *node;
    TRY(need(reading, mapping, what, key, &node));
    bool is_pair = node->type == YAML_SEQUENCE_NODE &&
                   node->data.sequence.items.top - node->data.sequence.items.start == 2;
    if (!is_pair) LEAF_FAIL(reading, node, "'%s' of %s must be two numbers, [x, y]", key, what);
    for (size_t i = 0; i < 2; i++) {
        const yaml_node_t *item = yaml_tree_node(reading->tree, node->data.sequence.items.start[i]);
        TRY(leaf_number(reading, what, item, &out[i]));
        out[i] *= from->factor;
        if (!isfinite(out[i]) || out[i] < 0 || out[i] > 1)
            LEAF_FAIL(reading, item, "'%s' of %s: %s is out of range", key, what, yaml_text(item));
        if (!strcmp(key, "size") && out[i] <= SAME_METRES)
            LEAF_FAIL(reading, item, "'size' of %s: %s must be greater than 0", what,
                      yaml_text(item));
    }
    return WS_OK;
}

/* sm and tpc: whole numbers from 0. */
static ws_status read_index(struct reading *reading, const yaml_node_t *mapping, const char *what,
                            const char *key, bool wanted, unsigned *out)
{
    const yaml_node_t *node = yaml_tree_find(reading->tree, mapping, key);
    double number;
    *out = 0;
    if (!node && wanted) LEAF_FAIL(reading, mapping, "%s has no '%s': add it", what, key);
    if (!node) return WS_OK;
    if (!wanted) LEAF_FAIL(reading, node, "'%s' does not apply to %s", key, what);
    TRY(leaf_number(reading, what, node, &number));
    if (number < 0 || number >= MOST_BLOCKS || number != floor(number))
        LEAF_FAIL(reading, node, "'%s' of %s: invalid value '%s': expected a whole number from 0",
                  key, what, yaml_text(node));
    *out = (unsigned)number;
    return WS_OK;
}

static ws_status read_kind(struct reading *reading, const yaml_node_t *mapping, const char *what,
                           enum floorplan_kind *out)
{
    const yaml_node_t *node;
    const char *word;
    TRY(need(reading, mapping, what, "kind", &node));
    TRY(leaf_text(reading, "kind", node, &word));
    for (unsigned i = 0; i < FLOORPLAN_KIND_COUNT; i++) {
        *out = (enum floorplan_kind)i;
        if (!strcmp(floorplan_kind_words[i], word)) return WS_OK;
    }
    LEAF_FAIL(reading, node,
              "unknown block kind '%s': expected sm, tpc, memory_controller or other", word);
}

static ws_status read_block(const struct plan_reading *from, const yaml_node_t *node,
                            struct floorplan_block *out)
{
    static const char *const known[] = {"name", "kind", "sm", "tpc", "at", "size"};
    struct reading *reading = from->reading;
    const yaml_node_t *name;
    double at[2], size[2];
    if (node->type != YAML_MAPPING_NODE)
        LEAF_FAIL(reading, node,
                  "a block must be {name: ..., kind: ..., at: [x, y], size: [w, h]}");
    TRY(check_keys(reading, node, "a block", known, sizeof known / sizeof known[0]));
    TRY(need(reading, node, "a block", "name", &name));
    TRY(leaf_text(reading, "name", name, &out->name));
    const char *what = arena_format(&reading->machine->arena, "block '%s'", out->name);
    TRY(read_kind(reading, node, what, &out->kind));
    bool is_sm = out->kind == FLOORPLAN_SM;
    TRY(read_index(reading, node, what, "sm", is_sm, &out->sm));
    TRY(read_index(reading, node, what, "tpc", is_sm || out->kind == FLOORPLAN_TPC, &out->tpc));
    TRY(read_pair(from, node, what, "at", at));
    TRY(read_pair(from, node, what, "size", size));
    out->x_metres = at[0];
    out->y_metres = at[1];
    out->width_metres = size[0];
    out->height_metres = size[1];
    return WS_OK;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static ws_status check_inside(const struct plan_reading *from, size_t i)
{
    const struct floorplan *plan = from->plan;
    const struct floorplan_block *block = &from->blocks[i];
    double right = block->x_metres + block->width_metres - plan->width_metres;
    double below = block->y_metres + block->height_metres - plan->height_metres;
    if (right <= SAME_METRES && below <= SAME_METRES) return WS_OK;
    LEAF_FAIL(from->reading, from->nodes[i],
              "block '%s' exceeds the die by %.6g mm: the die is %.6g mm x %.6g mm", block->name,
              1e3 * fmax(right, below), 1e3 * plan->width_metres, 1e3 * plan->height_metres);
}

static double common(double a, double a_size, double b, double b_size)
{
    return fmin(a + a_size, b + b_size) - fmax(a, b);
}

static ws_status check_pair(const struct plan_reading *from, size_t i, size_t j)
{
    const struct floorplan_block *a = &from->blocks[i], *b = &from->blocks[j];
    double width = common(a->x_metres, a->width_metres, b->x_metres, b->width_metres);
    double height = common(a->y_metres, a->height_metres, b->y_metres, b->height_metres);
    if (!strcmp(a->name, b->name))
        LEAF_FAIL(from->reading, from->nodes[i], "duplicate block '%s'", a->name);
    if (width > SAME_METRES && height > SAME_METRES)
        LEAF_FAIL(from->reading, from->nodes[i],
                  "block '%s' overlaps block '%s' of line %zu by %.6g mm x %.6g mm", a->name,
                  b->name, from->nodes[j]->start_mark.line + 1, 1e3 * width, 1e3 * height);
    if (a->kind == FLOORPLAN_SM && b->kind == FLOORPLAN_SM && a->sm == b->sm)
        LEAF_FAIL(from->reading, from->nodes[i], "duplicate SM %u: already block '%s' in line %zu",
                  a->sm, b->name, from->nodes[j]->start_mark.line + 1);
    return WS_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Is the point in any block? */
static bool is_covered(const struct plan_reading *from, double x, double y)
{
    for (size_t i = 0; i < from->plan->block_count; i++) {
        const struct floorplan_block *b = &from->blocks[i];
        if (x > b->x_metres && x < b->x_metres + b->width_metres && y > b->y_metres &&
            y < b->y_metres + b->height_metres)
            return true;
    }
    return false;
}

/* Sorted edges of all blocks in one direction, the die's own included. */
static double *edges(const struct plan_reading *from, bool of_x)
{
    size_t count = from->plan->block_count;
    double *all = ARENA_ARRAY(&from->reading->machine->arena, double, 2 * count + 2);
    for (size_t i = 0; i < count; i++) {
        const struct floorplan_block *b = &from->blocks[i];
        all[2 * i] = of_x ? b->x_metres : b->y_metres;
        all[2 * i + 1] = all[2 * i] + (of_x ? b->width_metres : b->height_metres);
    }
    all[2 * count] = 0;
    all[2 * count + 1] = of_x ? from->plan->width_metres : from->plan->height_metres;
    qsort(all, 2 * count + 2, sizeof *all, compare_doubles);
    return all;
}

/* Blocks that neither overlap nor stick out leave a gap if and only if area is missing. */
static ws_status check_gaps(const struct plan_reading *from, const yaml_node_t *node)
{
    const struct floorplan *plan = from->plan;
    double die = plan->width_metres * plan->height_metres, covered = 0;
    for (size_t i = 0; i < plan->block_count; i++)
        covered += from->blocks[i].width_metres * from->blocks[i].height_metres;
    if (fabs(covered - die) <= SAME_METRES * (plan->width_metres + plan->height_metres))
        return WS_OK;
    const double *x = edges(from, true), *y = edges(from, false);
    double at_x = 0, at_y = 0;
    bool found = false;
    for (size_t i = 0; i + 1 < 2 * plan->block_count + 2 && !found; i++)
        for (size_t j = 0; j + 1 < 2 * plan->block_count + 2 && !found; j++) {
            if (x[i + 1] - x[i] <= SAME_METRES || y[j + 1] - y[j] <= SAME_METRES) continue;
            found = !is_covered(from, (x[i] + x[i + 1]) / 2, (y[j] + y[j + 1]) / 2);
            at_x = x[i];
            at_y = y[j];
        }
    LEAF_FAIL(from->reading, node,
              "%.6g mm2 of the die (%.3g %%) are not covered by any block, e.g. at [%.6g, %.6g] "
              "mm: add a block of kind other",
              1e6 * (die - covered), 100 * (1 - covered / die), 1e3 * at_x, 1e3 * at_y);
}

/* SMs and TPCs are numbered from 0. */
static ws_status check_numbers(const struct plan_reading *from, const yaml_node_t *node)
{
    struct floorplan *plan = from->plan;
    for (size_t i = 0; i < plan->block_count; i++)
        plan->sm_count += from->blocks[i].kind == FLOORPLAN_SM;
    if (!plan->sm_count)
        LEAF_FAIL(from->reading, node, "the floorplan requires at least one block of kind sm");
    bool *has_tpc = ARENA_ARRAY(&from->reading->machine->arena, bool, MOST_BLOCKS);
    for (size_t i = 0; i < plan->block_count; i++) {
        const struct floorplan_block *block = &from->blocks[i];
        if (block->kind != FLOORPLAN_SM) continue;
        if (block->sm >= plan->sm_count)
            LEAF_FAIL(from->reading, from->nodes[i],
                      "SM %u is out of range: the floorplan has %u SMs, 0 to %u", block->sm,
                      plan->sm_count, plan->sm_count - 1);
        has_tpc[block->tpc] = true;
        if (block->tpc >= plan->tpc_count) plan->tpc_count = block->tpc + 1;
    }
    for (unsigned tpc = 0; tpc < plan->tpc_count; tpc++)
        if (!has_tpc[tpc])
            LEAF_FAIL(from->reading, node,
                      "TPC %u has no SM, but TPC %u has: number TPCs consecutively from 0", tpc,
                      plan->tpc_count - 1);
    for (size_t i = 0; i < plan->block_count; i++)
        if (from->blocks[i].kind == FLOORPLAN_TPC && from->blocks[i].tpc >= plan->tpc_count)
            LEAF_FAIL(from->reading, from->nodes[i], "block '%s': TPC %u has no SM",
                      from->blocks[i].name, from->blocks[i].tpc);
    return WS_OK;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static ws_status read_head(struct plan_reading *from, const yaml_node_t *node)
{
    static const char *const known[] = {"unit", "source", "from", "size", "blocks"};
    struct reading *reading = from->reading;
    struct leaf leaf = {.path = "floorplan", .node = node};
    const yaml_node_t *unit;
    const char *word;
    enum dimension dimension;
    double size[2];
    if (node->type != YAML_MAPPING_NODE)
        LEAF_FAIL(reading, node, "floorplan must hold unit, source, size and blocks, not %s",
                  yaml_kind(node));
    TRY(check_keys(reading, node, "floorplan", known, sizeof known / sizeof known[0]));
    TRY(leaf_origin(reading, &leaf));
    from->plan->source = leaf.source;
    from->plan->assumed = leaf.assumed;
    TRY(need(reading, node, "floorplan", "unit", &unit));
    TRY(leaf_text(reading, "unit", unit, &word));
    if (!unit_find(word, &dimension, &from->factor) || dimension != DIM_METRE)
        LEAF_FAIL(reading, unit, "unknown unit of length '%s': expected one of %s", word,
                  unit_names(&reading->machine->arena, DIM_METRE));
    TRY(read_pair(from, node, "floorplan", "size", size));
    from->plan->width_metres = size[0];
    from->plan->height_metres = size[1];
    return WS_OK;
}

static ws_status read_blocks(struct plan_reading *from, const yaml_node_t *node)
{
    struct reading *reading = from->reading;
    const yaml_node_t *list;
    TRY(need(reading, node, "floorplan", "blocks", &list));
    if (list->type != YAML_SEQUENCE_NODE)
        LEAF_FAIL(reading, list, "blocks must be a list, not %s", yaml_kind(list));
    const yaml_node_item_t *start = list->data.sequence.items.start;
    size_t count = (size_t)(list->data.sequence.items.top - start);
    if (count > MOST_BLOCKS) LEAF_FAIL(reading, list, "too many blocks: at most %d", MOST_BLOCKS);
    from->blocks = ARENA_ARRAY(&reading->machine->arena, struct floorplan_block, count + 1);
    from->nodes = ARENA_ARRAY(&reading->machine->arena, const yaml_node_t *, count + 1);
    for (size_t i = 0; i < count; i++) {
        from->nodes[i] = yaml_tree_node(reading->tree, start[i]);
        TRY(read_block(from, from->nodes[i], &from->blocks[i]));
        from->plan->block_count = i + 1;
        TRY(check_inside(from, i));
        for (size_t j = 0; j < i; j++)
            TRY(check_pair(from, i, j));
    }
    TRY(check_gaps(from, list));
    return check_numbers(from, list);
}

ws_status machine_read_floorplan(struct reading *reading, const yaml_node_t *node,
                                 const struct floorplan **out)
{
    struct floorplan *plan = ARENA_ARRAY(&reading->machine->arena, struct floorplan, 1);
    struct plan_reading from = {.reading = reading, .plan = plan};
    TRY(read_head(&from, node));
    TRY(read_blocks(&from, node));
    plan->blocks = from.blocks;
    plan->line = (uint32_t)node->start_mark.line + 1;
    *out = plan;
    return WS_OK;
}
