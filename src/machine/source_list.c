// SPDX-License-Identifier: Apache-2.0
/* SOURCES.yaml: the documents that machine files may name. */
#include <string.h>

#include "machine/machine_read.h"

static ws_status read_source(struct diag *diag, struct yaml_tree *tree, const yaml_node_t *key,
                             const yaml_node_t *value)
{
    static const char *const wanted[] = {"title", "where"};
    struct source_place place;
    if (value->type != YAML_MAPPING_NODE) {
        place = yaml_tree_place(tree, key);
        return diag_error_at(diag, WS_ERR_MACHINE, &place,
                             "source %s must be {title: ..., where: ...}, not %s", yaml_text(key),
                             yaml_kind(value));
    }
    for (size_t i = 0; i < 2; i++) {
        const yaml_node_t *text = yaml_tree_find(tree, value, wanted[i]);
        if (text && yaml_text(text) && !yaml_is_null(text)) continue;
        place = yaml_tree_place(tree, key);
        return diag_error_at(diag, WS_ERR_MACHINE, &place, "source %s has no %s", yaml_text(key),
                             wanted[i]);
    }
    return WS_OK;
}

ws_status source_list_read(struct diag *diag, struct arena *arena, const char *path,
                           const char *text, size_t size, struct source_list *out)
{
    struct yaml_tree tree;
    *out = (struct source_list){0};
    TRY(yaml_tree_parse(diag, &tree, path, text, size));
    const yaml_node_pair_t *start = yaml_tree_root(&tree)->data.mapping.pairs.start;
    size_t count = (size_t)(yaml_tree_root(&tree)->data.mapping.pairs.top - start);
    ws_status status = WS_OK;
    out->tags = ARENA_ARRAY(arena, const char *, count + 1);
    for (size_t i = 0; i < count && status == WS_OK; i++) {
        const yaml_node_t *key = yaml_tree_node(&tree, start[i].key);
        status = read_source(diag, &tree, key, yaml_tree_node(&tree, start[i].value));
        out->tags[out->count++] = arena_copy(arena, yaml_text(key));
    }
    yaml_tree_clear(&tree);
    return status;
}
