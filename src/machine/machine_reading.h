// SPDX-License-Identifier: Apache-2.0
/* The machine file that is being read, and what its parts have in common. Private to machine. */
#ifndef MACHINE_MACHINE_READING_H
#define MACHINE_MACHINE_READING_H

#include "machine/machine_read.h"

struct reading {
    struct diag *diag;
    const struct machine_reader *reader;
    struct yaml_tree *tree;
    struct machine *machine;
};

#define FAIL(reading, node, ...)                                                                   \
    do {                                                                                           \
        struct source_place place_ = yaml_tree_place((reading)->tree, (node));                     \
        return diag_error_at((reading)->diag, WS_ERR_MACHINE, &place_, __VA_ARGS__);               \
    } while (0)

/* The parts of {value, unit, source} or {value, unit, from: assumed}. */
struct leaf {
    const char *path;
    const yaml_node_t *node, *value, *unit;
    const char *source; /* "assumed" when assumed */
    bool assumed;
};

/* One line of text, in the machine's arena. */
ws_status reading_text(struct reading *reading, const char *key, const yaml_node_t *node,
                       const char **out);
/* Decimal only. */
ws_status reading_number(struct reading *reading, const char *path, const yaml_node_t *node,
                         double *out);
/* `source` or `from` of leaf->node. */
ws_status reading_origin(struct reading *reading, struct leaf *leaf);

/* floorplan_read.c: the plan, whole and checked; in the machine's arena. */
ws_status reading_floorplan(struct reading *reading, const yaml_node_t *node,
                            const struct floorplan **out);

#endif
