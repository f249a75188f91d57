// SPDX-License-Identifier: Apache-2.0
#include "machine/yaml_tree.h"

#include <stdlib.h>
#include <string.h>

/* ---- places ---------------------------------------------------------------------------------- */

/* libyaml counts characters, diag bytes: a character may take up to four. */
static uint32_t byte_column(const struct yaml_tree *tree, size_t line, size_t characters)
{
    const char *at = tree->text, *end = tree->text + tree->size;
    for (; line > 0 && at < end; line--) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *start = at;
    for (; characters > 0 && at < end && *at != '\n'; characters--) {
        at++;
        while (at < end && ((unsigned char)*at & 0xc0) == 0x80) /* continuation byte */
            at++;
    }
    return (uint32_t)(at - start) + 1;
}

static struct source_place place_of_marks(const struct yaml_tree *tree, const yaml_mark_t *start,
                                          const yaml_mark_t *end)
{
    struct source_place place = {.file = tree->path, .text = tree->text, .size = tree->size};
    place.line = (uint32_t)start->line + 1;
    place.column = byte_column(tree, start->line, start->column);
    place.length = 1;
    if (end->line == start->line && end->column > start->column)
        place.length = byte_column(tree, end->line, end->column) - place.column;
    return place;
}

struct source_place yaml_tree_place(const struct yaml_tree *tree, const yaml_node_t *node)
{
    return place_of_marks(tree, &node->start_mark, &node->end_mark);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

yaml_node_t *yaml_tree_root(struct yaml_tree *tree)
{
    return yaml_document_get_root_node(&tree->document);
}

yaml_node_t *yaml_tree_node(struct yaml_tree *tree, int id)
{
    return yaml_document_get_node(&tree->document, id);
}

const char *yaml_text(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

bool yaml_is_quoted(const yaml_node_t *node)
{
    return node->type == YAML_SCALAR_NODE && node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
}

bool yaml_is_null(const yaml_node_t *node)
{
    static const char *const words[] = {"", "~", "null", "Null", "NULL", "N/A", "n/a"};
    if (node->type != YAML_SCALAR_NODE || yaml_is_quoted(node)) return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(yaml_text(node), words[i])) return true;
    return false;
}

const char *yaml_kind(const yaml_node_t *node)
{
    return node->type == YAML_MAPPING_NODE    ? "a mapping"
           : node->type == YAML_SEQUENCE_NODE ? "a list"
                                              : "a value";
}

yaml_node_t *yaml_tree_find(struct yaml_tree *tree, const yaml_node_t *mapping, const char *key)
{
    const yaml_node_pair_t *pair = mapping->data.mapping.pairs.start;
    for (; pair < mapping->data.mapping.pairs.top; pair++)
        if (!strcmp(yaml_text(yaml_tree_node(tree, pair->key)), key))
            return yaml_tree_node(tree, pair->value);
    return NULL;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static ws_status syntax_error(struct diag *diag, const struct yaml_tree *tree,
                              const yaml_parser_t *parser)
{
    /* Its composer gives up without saying why, which is always for want of memory. */
    if (parser->error == YAML_MEMORY_ERROR || parser->error == YAML_NO_ERROR) mem_raise(0);
    struct source_place place = place_of_marks(tree, &parser->problem_mark, &parser->problem_mark);
    const char *problem = parser->problem ? parser->problem : "cannot be read";
    if (parser->error == YAML_READER_ERROR) { /* bad encoding: a byte offset instead of a mark */
        size_t at = parser->problem_offset < tree->size ? parser->problem_offset : tree->size;
        const char *line = tree->text;
        place.line = 1;
        for (const char *c = tree->text; c < tree->text + at; c++)
            if (*c == '\n') {
                place.line++;
                line = c + 1;
            }
        place.column = (uint32_t)(tree->text + at - line) + 1;
    }
    return diag_error_at(diag, WS_ERR_MACHINE, &place, "invalid YAML: %s%s%s", problem,
                         parser->context ? ", " : "", parser->context ? parser->context : "");
}

static ws_status check_scalar(struct diag *diag, const struct yaml_tree *tree,
                              const yaml_node_t *node)
{
    for (size_t i = 0; i < node->data.scalar.length; i++) {
        unsigned char c = node->data.scalar.value[i];
        if (c >= 32 && c != 127) continue;
        if (c == '\n' || c == '\t') continue;
        struct source_place place = yaml_tree_place(tree, node);
        return diag_error_at(diag, WS_ERR_MACHINE, &place,
                             "control character %u in a string: remove it", c);
    }
    return WS_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const yaml_node_t *x = *(yaml_node_t *const *)a, *y = *(yaml_node_t *const *)b;
    int order = strcmp(yaml_text(x), yaml_text(y));
    if (order) return order;
    return (x->start_mark.index > y->start_mark.index) -
           (x->start_mark.index < y->start_mark.index);
}

/* Sorted, so that a file with very many keys is not compared pair by pair. */
static ws_status check_duplicates(struct diag *diag, const struct yaml_tree *tree,
                                  const yaml_node_t **keys, size_t count)
{
    if (count) qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 1; i < count; i++) {
        if (strcmp(yaml_text(keys[i - 1]), yaml_text(keys[i])) != 0) continue;
        struct source_place place = yaml_tree_place(tree, keys[i]);
        return diag_error_at(diag, WS_ERR_MACHINE, &place,
                             "duplicate key '%s': first given in line %zu", yaml_text(keys[i]),
                             keys[i - 1]->start_mark.line + 1);
    }
    return WS_OK;
}

static ws_status check_keys(struct diag *diag, struct yaml_tree *tree, const yaml_node_t *node)
{
    const yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
    size_t count = (size_t)(node->data.mapping.pairs.top - pairs);
    const yaml_node_t **keys = mem_alloc(count * sizeof *keys);
    ws_status status = WS_OK;
    for (size_t i = 0; i < count && status == WS_OK; i++) {
        keys[i] = yaml_tree_node(tree, pairs[i].key);
        if (yaml_text(keys[i])) continue;
        struct source_place place = yaml_tree_place(tree, keys[i]);
        status = diag_error_at(diag, WS_ERR_MACHINE, &place, "a key must be a name, not %s",
                               yaml_kind(keys[i]));
    }
    if (status == WS_OK) status = check_duplicates(diag, tree, keys, count);
    mem_free(keys);
    return status;
}

static ws_status check_nodes(struct diag *diag, struct yaml_tree *tree)
{
    for (int id = 1;; id++) {
        const yaml_node_t *node = yaml_tree_node(tree, id);
        if (!node) return WS_OK;
        if (node->type == YAML_SCALAR_NODE) TRY(check_scalar(diag, tree, node));
        if (node->type == YAML_MAPPING_NODE) TRY(check_keys(diag, tree, node));
    }
}

static ws_status check_root(struct diag *diag, struct yaml_tree *tree)
{
    struct source_place start = {tree->path, tree->text, tree->size, 1, 1, 1};
    const yaml_node_t *root = yaml_tree_root(tree);
    if (!root) return diag_error_at(diag, WS_ERR_MACHINE, &start, "the file is empty");
    if (root->type != YAML_MAPPING_NODE)
        return diag_error_at(diag, WS_ERR_MACHINE, &start,
                             "expected a mapping of keys to values, found %s", yaml_kind(root));
    return check_nodes(diag, tree);
}

static ws_status check_end(struct diag *diag, const struct yaml_tree *tree, yaml_parser_t *parser)
{
    yaml_document_t second;
    if (!yaml_parser_load(parser, &second)) return syntax_error(diag, tree, parser);
    yaml_node_t *root = yaml_document_get_root_node(&second);
    struct source_place place = {0};
    if (root) place = yaml_tree_place(tree, root);
    yaml_document_delete(&second);
    if (!place.line) return WS_OK;
    return diag_error_at(diag, WS_ERR_MACHINE, &place,
                         "a second YAML document begins here: a file describes one machine");
}

static void delete_parser(void *parser)
{
    yaml_parser_delete(parser);
}

static void delete_document(void *document)
{
    yaml_document_delete(document);
}

/* Far above what machines need (doc/limits.md). With fewer brackets their depth costs nothing. */
enum { DEPTH_MAX = 64, BRACKETS_MAX = 4096 };

static bool may_be_deep(const struct yaml_tree *tree)
{
    size_t brackets = 0;
    for (size_t i = 0; i < tree->size; i++)
        brackets += tree->text[i] == '[' || tree->text[i] == '{';
    return brackets > BRACKETS_MAX;
}

/* libyaml takes time with the square of the depth of brackets: event by event ends at the bound. Errors
 * of syntax are told on the way. */
static ws_status check_events(struct diag *diag, const struct yaml_tree *tree,
                              yaml_parser_t *parser)
{
    bool is_last = false;
    for (unsigned depth = 0; depth <= DEPTH_MAX && !is_last;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) return syntax_error(diag, tree, parser);
        bool begins =
            event.type == YAML_SEQUENCE_START_EVENT || event.type == YAML_MAPPING_START_EVENT;
        depth += begins;
        depth -= event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
        is_last = event.type == YAML_STREAM_END_EVENT;
        struct source_place place = {0};
        if (depth > DEPTH_MAX) place = place_of_marks(tree, &event.start_mark, &event.end_mark);
        yaml_event_delete(&event);
        if (place.line)
            return diag_error_at(diag, WS_ERR_MACHINE, &place,
                                 "nested too deeply: at most %d levels", DEPTH_MAX);
    }
    return WS_OK;
}

static void begin_parser(yaml_parser_t *parser, struct mem_guard *guard, const char *text,
                         size_t size)
{
    if (!yaml_parser_initialize(parser)) mem_raise(0);
    mem_guard_begin(guard, delete_parser, parser);
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)text, size);
}

static ws_status check_depth(struct diag *diag, const struct yaml_tree *tree)
{
    yaml_parser_t parser;
    struct mem_guard guard;
    begin_parser(&parser, &guard, tree->text, tree->size);
    ws_status status = check_events(diag, tree, &parser);
    mem_guard_end(&guard);
    yaml_parser_delete(&parser);
    return status;
}

ws_status yaml_tree_parse(struct diag *diag, struct yaml_tree *tree, const char *path,
                          const char *text, size_t size)
{
    yaml_parser_t parser;
    struct mem_guard guard;
    *tree = (struct yaml_tree){.path = path, .text = text, .size = size};
    if (may_be_deep(tree)) TRY(check_depth(diag, tree));
    begin_parser(&parser, &guard, text, size);
    if (!yaml_parser_load(&parser, &tree->document)) {
        ws_status status = syntax_error(diag, tree, &parser);
        mem_guard_end(&guard);
        yaml_parser_delete(&parser);
        return status;
    }
    mem_guard_begin(&tree->guard, delete_document, &tree->document);
    ws_status status = check_root(diag, tree);
    if (status == WS_OK) status = check_end(diag, tree, &parser);
    mem_guard_end(&guard);
    yaml_parser_delete(&parser);
    if (status != WS_OK) yaml_tree_clear(tree);
    return status;
}

void yaml_tree_clear(struct yaml_tree *tree)
{
    mem_guard_end(&tree->guard);
    yaml_document_delete(&tree->document);
}
