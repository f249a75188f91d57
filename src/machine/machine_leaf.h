// SPDX-License-Identifier: Apache-2.0
/* The leaves of a machine file: texts, numbers, units, sources. Private to the files that read one. */
#ifndef MACHINE_MACHINE_LEAF_H
#define MACHINE_MACHINE_LEAF_H

#include "machine/machine_read.h"

struct reading {
    struct diag *diag;
    const struct machine_reader *reader;
    struct yaml_tree *tree;
    struct machine *machine;
};

/* Returns from the caller with an error at this node. */
#define LEAF_FAIL(reading, node, ...)                                                              \
    do {                                                                                           \
        struct source_place place_ = yaml_tree_place((reading)->tree, (node));                     \
        return diag_error_at((reading)->diag, WS_ERR_MACHINE, &place_, __VA_ARGS__);               \
    } while (0)

/* The parts of {value, unit, source}, {value, unit, from: assumed} or {value, unit, from: measured, date,
 * benchmark, interval}. */
struct leaf {
    const char *path;
    const yaml_node_t *node, *value, *unit;
    const char *source; /* "assumed", or "measured DATE, benchmark NAME" */
    bool assumed, measured;
};

/* One line of text, a list of them. `key` is for messages. */
ws_status leaf_text(struct reading *reading, const char *key, const yaml_node_t *node,
                    const char **out);
ws_status leaf_text_list(struct reading *reading, const char *key, const yaml_node_t *node,
                         const char *const **out, size_t *out_count);

/* Opens {value, ...}: no keys but the known ones and `axes` (up to CURVE_AXES, NULL: none). */
ws_status leaf_open(struct reading *reading, const char *path, const yaml_node_t *node,
                    const char *const *axes, struct leaf *leaf);
ws_status leaf_origin(struct reading *reading, struct leaf *leaf);
/* Both, for a leaf with a single value. */
ws_status leaf_read(struct reading *reading, const char *path, const yaml_node_t *node,
                    struct leaf *leaf);
ws_status leaf_number(struct reading *reading, const char *path, const yaml_node_t *node,
                      double *out);
/* What to multiply the value by for SI units. */
ws_status leaf_unit(struct reading *reading, const struct leaf *leaf, enum dimension wanted,
                    double *factor);

/* A curve (machine_read_curve.c). */
ws_status machine_read_curve(struct reading *reading, enum machine_curve_id id,
                             const yaml_node_t *key_node, const yaml_node_t *node);
/* The plan, whole and checked (floorplan_read.c); in the machine's arena. */
ws_status machine_read_floorplan(struct reading *reading, const yaml_node_t *node,
                                 const struct floorplan **out);

#endif
