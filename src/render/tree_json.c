// SPDX-License-Identifier: Apache-2.0
/* Any answer as JSON: SI base units, missing = null with a reason, never NaN; or a table
 * of it as JSON Lines. */
#include <math.h>

#include "render/json_out.h"
#include "render/render.h"

static void write_node(struct json_out *json, const char *key, const struct node *node);

static void write_children(struct json_out *json, const struct node *node)
{
    for (size_t i = 0; i < node->child_count; i++)
        write_node(json, node->children[i].id, &node->children[i]);
}

/* An answer as a whole, also one within another, says what it is. */
static void write_head(struct json_out *json, const struct question *question)
{
    json_out_string(json, "schema", question->schema);
    json_out_open(json, "tool", '{');
    json_out_string(json, "name", "warpsage");
    json_out_string(json, "version", ws_version());
    json_out_close(json, '}');
}

static void write_section(struct json_out *json, const char *key, const struct node *node)
{
    const struct question *question = node->record ? question_of(node->record) : NULL;
    json_out_open(json, key, '{');
    if (question) write_head(json, question);
    write_children(json, node);
    json_out_close(json, '}');
}

static void write_list(struct json_out *json, const char *key, const struct node *node)
{
    json_out_open(json, key, '[');
    for (size_t i = 0; i < node->child_count; i++)
        write_section(json, NULL, &node->children[i]);
    json_out_close(json, ']');
}

static void write_table(struct json_out *json, const char *key, const struct node *node)
{
    struct arena arena = {0};
    json_out_open(json, key, '[');
    for (size_t i = 0; i < node->value.item_count; i++) {
        struct node row = node_row(node, i, &arena);
        write_section(json, NULL, &row);
        arena_clear(&arena);
    }
    json_out_close(json, ']');
}

/* Rows of the numbers of the last column. */
static void write_matrix(struct json_out *json, const char *key, const struct node *node)
{
    const struct record *record = node->figure->of;
    size_t count = node->value.item_count, width = (size_t)node->value.count;
    double *numbers = mem_zalloc(count + 1, sizeof *numbers);
    node_column(node, record->figures[record->figure_count - 1].id, numbers);
    json_out_open(json, key, '[');
    for (size_t i = 0; i < count; i++) {
        if (i % width == 0) json_out_open(json, NULL, '[');
        json->in_line = true;
        json_out_number(json, NULL, numbers[i]);
        if (i % width + 1 < width) continue;
        json_out_close(json, ']');
        json->in_line = false;
    }
    json_out_close(json, ']');
    mem_free(numbers);
}

static void write_words(struct json_out *json, const char *key, const struct node *node)
{
    const char *const *words = node->value.items;
    bool in_line = json->in_line;
    json_out_open(json, key, '[');
    json->in_line = true;
    for (size_t i = 0; i < node->value.item_count; i++)
        json_out_string(json, NULL, words[i]);
    json_out_close(json, ']');
    json->in_line = in_line;
}

static void write_counts(struct json_out *json, const char *key, const struct node *node)
{
    const uint64_t *counts = node->value.items;
    bool in_line = json->in_line;
    json_out_open(json, key, '[');
    json->in_line = true;
    for (size_t i = 0; i < node->value.item_count; i++)
        json_out_count(json, NULL, counts[i]);
    json_out_close(json, ']');
    json->in_line = in_line;
}

static void write_numbers(struct json_out *json, const char *key, const struct node *node)
{
    const double *numbers = node->value.items;
    bool in_line = json->in_line;
    json_out_open(json, key, '[');
    json->in_line = true;
    for (size_t i = 0; i < node->value.item_count; i++)
        json_out_number(json, NULL, numbers[i]);
    json_out_close(json, ']');
    json->in_line = in_line;
}

static void write_value(struct json_out *json, const char *key, const struct measured *measured)
{
    if (measured->is_count)
        json_out_count(json, key, measured->count);
    else
        json_out_number(json, key, measured->value);
}

static void write_measured(struct json_out *json, const char *key, const struct node *node)
{
    const struct measured *measured = node->measured;
    enum measured_parts parts = node->figure->parts;
    bool is_known = node_is_known(node);
    if (!parts) {
        write_value(json, key, measured);
        return;
    }
    json_out_open(json, key, '{');
    write_value(json, "value", measured);
    if (parts & WITH_UNIT) json_out_string(json, "unit", measured->unit);
    if (parts & WITH_TEXT) json_out_string(json, "text", measured->text);
    if (parts & WITH_ORIGIN)
        json_out_string(json, "from", is_known ? origin_infos[measured->origin].id : NULL);
    if (is_known && parts & WITH_SOURCE) json_out_string(json, "source", measured->source);
    if (!is_known)
        json_out_string(json, "reason", measured->reason ? measured->reason : "not finite");
    else if (parts & WITH_ORIGIN &&
             (measured->low != measured->value || measured->high != measured->value)) {
        json_out_number(json, "lo", measured->low);
        json_out_number(json, "hi", measured->high);
    }
    json_out_close(json, '}');
}

static void write_node(struct json_out *json, const char *key, const struct node *node)
{
    if (node->value.is_absent || (node->kind == FIGURE_IS_SECTION && !node->value.items)) {
        json_out_null(json, key);
        return;
    }
    switch (node->kind) {
    case FIGURE_IS_NUMBER:
        json_out_number(json, key, node->value.number);
        break;
    case FIGURE_IS_COUNT:
        json_out_count(json, key, node->value.count);
        break;
    case FIGURE_IS_FLAG:
        json_out_bool(json, key, node->value.count != 0);
        break;
    case FIGURE_IS_WORD:
        json_out_string(json, key, node->value.text);
        break;
    case FIGURE_IS_SECTION:
    case FIGURE_IS_MAP:
    case FIGURE_IS_MEASUREDS:
        write_section(json, key, node);
        break;
    case FIGURE_IS_LIST:
        write_list(json, key, node);
        break;
    case FIGURE_IS_TABLE:
        if (node->figure->is_matrix)
            write_matrix(json, key, node);
        else
            write_table(json, key, node);
        break;
    case FIGURE_IS_WORDS:
        write_words(json, key, node);
        break;
    case FIGURE_IS_COUNTS:
        write_counts(json, key, node);
        break;
    case FIGURE_IS_NUMBERS:
        write_numbers(json, key, node);
        break;
    case FIGURE_IS_MEASURED:
        write_measured(json, key, node);
        break;
    }
}

/* JSON Lines: a row of the table a line. */
static void write_lines(struct strbuf *out, const struct node *table)
{
    struct arena arena = {0};
    for (size_t i = 0; i < table->value.item_count; i++) {
        struct json_out json = {.out = out, .in_line = true};
        struct node row = node_row(table, i, &arena);
        write_section(&json, NULL, &row);
        strbuf_putc(out, '\n');
        arena_clear(&arena);
    }
}

void render_json(const struct answer *answer, const struct render_options *options,
                 struct strbuf *out)
{
    struct json_out json = {.out = out};
    if (options->table) {
        write_lines(out, node_find(&answer->root, options->table));
        return;
    }
    write_section(&json, NULL, &answer->root);
    strbuf_putc(out, '\n');
}
