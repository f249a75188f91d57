// SPDX-License-Identifier: Apache-2.0
/* A YAML text as libyaml's document, with the place of every node in the text. */
#ifndef MACHINE_YAML_TREE_H
#define MACHINE_YAML_TREE_H

#include <stdbool.h>
#include <yaml.h>

#include "base/arena.h"
#include "base/diag.h"

struct yaml_tree {
    const char *path; /* named in messages */
    const char *text; /* must outlive the tree */
    size_t size;
    yaml_document_t document;
    struct mem_guard guard; /* the tree stays where it was parsed to */
};

/* Parses one document whose root is a mapping. Refuses what YAML allows but no machine file needs:
 * several documents, duplicate keys, keys that are no text, control characters. On failure nothing
 * needs to be cleared. */
ws_status yaml_tree_parse(struct diag *diag, struct yaml_tree *tree, const char *path,
                          const char *text, size_t size);
void yaml_tree_clear(struct yaml_tree *tree);

yaml_node_t *yaml_tree_root(struct yaml_tree *tree);
yaml_node_t *yaml_tree_node(struct yaml_tree *tree, int id);
/* The value of `key` in a mapping, NULL if it is not there. */
yaml_node_t *yaml_tree_find(struct yaml_tree *tree, const yaml_node_t *mapping, const char *key);

/* The text of a scalar, NULL for other nodes. */
const char *yaml_text(const yaml_node_t *node);
/* An unquoted scalar that says "nothing": empty, ~, null, N/A. */
bool yaml_is_null(const yaml_node_t *node);
bool yaml_is_quoted(const yaml_node_t *node);
/* "a list", "a mapping", "a value" */
const char *yaml_kind(const yaml_node_t *node);

/* Where a node stands: for diag_error_at. */
struct source_place yaml_tree_place(const struct yaml_tree *tree, const yaml_node_t *node);

#endif
