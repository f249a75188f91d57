// SPDX-License-Identifier: Apache-2.0
/* A JSON text as a tree in an arena. Objects keep the order of their members; a text with two members of one
 * name in an object is refused. */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum json_kind {
    JSON_KIND_NULL,
    JSON_KIND_FALSE,
    JSON_KIND_TRUE,
    JSON_KIND_WHOLE, /* a number without point and exponent */
    JSON_KIND_REAL,
    JSON_KIND_STRING,
    JSON_KIND_ARRAY,
    JSON_KIND_OBJECT,
};

struct json_tree {
    const char *key; /* in an object; else NULL */
    union {
        int64_t whole;
        double real;
        const char *string;
        const struct json_tree *items; /* [count], of arrays and objects */
    };
    size_t count;
    uint8_t kind; /* enum json_kind */
};

/* The root is an object or an array. `name` is the file's, for messages. */
ws_status json_tree_read(struct diag *diag, struct arena *arena, const char *name, const char *text,
                         size_t size, const struct json_tree **out);

/* Like Jansson's: NULL, false or 0 where the tree is NULL or of another kind. */
const struct json_tree *json_tree_get(const struct json_tree *object, const char *key);
bool json_tree_is(const struct json_tree *tree, enum json_kind kind);
bool json_tree_is_number(const struct json_tree *tree);
double json_tree_number(const struct json_tree *tree);
const char *json_tree_string(const struct json_tree *tree);

#endif
