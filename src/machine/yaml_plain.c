// SPDX-License-Identifier: Apache-2.0
#include "machine/yaml_plain.h"

#include <string.h>

/* Depth of the nodes; length of a key, of which libyaml takes 1024 bytes. */
enum { PLAIN_DEPTH_MAX = 16, KEY_BYTES_MAX = 128 };

/* Functions that return false found something else: the text is left to libyaml. A function that reads a node
 * returns its number, 0 for false. */
struct plain {
    struct yaml_tree *tree;
    char *copy; /* of the text: scalars lie in it, each with a zero behind it */
    size_t at, line, line_start;
    size_t node_capacity;
    int *open; /* the children of the collections that are not complete yet */
    size_t open_count, open_capacity;
    unsigned depth;
};

static int read_block(struct plain *p);
static int read_flow(struct plain *p);

/* ---- characters ------------------------------------------------------------------------------ */

/* Zero is the end: it is in no text that is read here. */
static char char_at(const struct plain *p, size_t at)
{
    return at < p->tree->size ? p->tree->text[at] : '\0';
}

static char current(const struct plain *p)
{
    return char_at(p, p->at);
}

static size_t column(const struct plain *p)
{
    return p->at - p->line_start;
}

static bool is_space_or_end(char c)
{
    return c == ' ' || c == '\n' || c == '\0';
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

static bool is_printable_ascii(const struct yaml_tree *tree)
{
    bool is_other = false;
    for (size_t i = 0; i < tree->size; i++) {
        unsigned char c = (unsigned char)tree->text[i];
        is_other |= (c < 32 && c != '\n') | (c > 126);
    }
    return !is_other;
}

static yaml_mark_t mark_here(const struct plain *p)
{
    return (yaml_mark_t){.index = p->at, .line = p->line, .column = column(p)};
}

static void skip_spaces(struct plain *p)
{
    while (current(p) == ' ')
        p->at++;
}

/* Spaces and a comment up to the end of the line; false: something else stands there. */
static bool skip_rest(struct plain *p)
{
    skip_spaces(p);
    if (current(p) == '#' && (p->at == p->line_start || p->tree->text[p->at - 1] == ' '))
        while (current(p) != '\n' && current(p) != '\0')
            p->at++;
    return current(p) == '\n' || current(p) == '\0';
}

static void begin_line(struct plain *p)
{
    p->line++;
    p->line_start = p->at;
}

/* To what comes next in this line or a later one: true if there is something. The end is a line of its own. */
static bool skip_lines(struct plain *p)
{
    while (skip_rest(p)) {
        if (current(p) == '\0') {
            if (column(p)) begin_line(p);
            return false;
        }
        p->at++;
        begin_line(p);
    }
    return true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static int add_node(struct plain *p, yaml_node_type_t type)
{
    struct yaml_tree *tree = p->tree;
    GROW(tree->nodes, tree->node_count, p->node_capacity);
    yaml_node_t *node = &tree->nodes[tree->node_count++];
    *node = (yaml_node_t){.type = type, .start_mark = mark_here(p)};
    return (int)tree->node_count;
}

static yaml_node_t *node_of(const struct plain *p, int id)
{
    return &p->tree->nodes[id - 1];
}

/* A scalar of the bytes from `start` on, whose text ends here. */
static int add_scalar(struct plain *p, size_t start, size_t length, yaml_scalar_style_t style)
{
    int id = add_node(p, YAML_SCALAR_NODE);
    yaml_node_t *node = node_of(p, id);
    p->copy[start + length] = '\0';
    node->data.scalar.value = (yaml_char_t *)p->copy + start;
    node->data.scalar.length = length;
    node->data.scalar.style = style;
    return id;
}

/* Marks a scalar that was added at its end with its start. */
static int begin_at(const struct plain *p, int id, yaml_mark_t start)
{
    yaml_node_t *node = node_of(p, id);
    node->end_mark = node->start_mark;
    node->start_mark = start;
    return id;
}

static bool add_child(struct plain *p, int id)
{
    if (!id) return false;
    GROW(p->open, p->open_count, p->open_capacity);
    p->open[p->open_count++] = id;
    return true;
}

/* The children from `first` on become those of a collection, which ends here. */
static int close_node(struct plain *p, int id, size_t first)
{
    yaml_node_t *node = node_of(p, id);
    struct arena *arena = &p->tree->arena;
    const int *children = p->open + first;
    size_t count = p->open_count - first;
    if (node->type == YAML_SEQUENCE_NODE) {
        yaml_node_item_t *items = ARENA_ARRAY(arena, yaml_node_item_t, count + 1);
        if (count) memcpy(items, children, count * sizeof *items);
        node->data.sequence.items.start = items;
        node->data.sequence.items.top = node->data.sequence.items.end = items + count;
    } else {
        yaml_node_pair_t *pairs = ARENA_ARRAY(arena, yaml_node_pair_t, count / 2 + 1);
        for (size_t i = 0; i < count / 2; i++)
            pairs[i] = (yaml_node_pair_t){children[2 * i], children[2 * i + 1]};
        node->data.mapping.pairs.start = pairs;
        node->data.mapping.pairs.top = node->data.mapping.pairs.end = pairs + count / 2;
    }
    node->end_mark = mark_here(p);
    p->open_count = first;
    p->depth--;
    return id;
}

/* ---- scalars --------------------------------------------------------------------------------- */

static int read_quoted(struct plain *p)
{
    yaml_mark_t start = mark_here(p);
    size_t begin = ++p->at;
    while (current(p) != '"') {
        if (current(p) == '\n' || current(p) == '\0' || current(p) == '\\') return 0;
        p->at++;
    }
    size_t length = p->at++ - begin;
    return begin_at(p, add_scalar(p, begin, length, YAML_DOUBLE_QUOTED_SCALAR_STYLE), start);
}

static bool begins_plain(const struct plain *p)
{
    char c = current(p), next = char_at(p, p->at + 1);
    if (c == '-') return is_letter_or_digit(next) || next == '.';
    return !is_space_or_end(c) && !strchr("?:,[]{}#&*!|>'\"%@`", c);
}

/* Up to the end of the line, a comment, or, between brackets, a comma or bracket. */
static int read_plain(struct plain *p, bool in_flow)
{
    yaml_mark_t start = mark_here(p);
    size_t end = p->at;
    if (!begins_plain(p)) return 0;
    for (char c; (c = current(p)) != '\n' && c != '\0'; p->at++) {
        if (c == '#' && p->tree->text[p->at - 1] == ' ') break;
        if (in_flow && strchr(",[]{}", c)) break;
        if (c == ':' && (in_flow || is_space_or_end(char_at(p, p->at + 1)))) return 0;
        if (in_flow && c == '?') return 0;
        if (c != ' ') end = p->at + 1;
    }
    p->at = end;
    int id = add_scalar(p, start.index, end - start.index, YAML_PLAIN_SCALAR_STYLE);
    return begin_at(p, id, start);
}

/* The bytes of the name and colon that begin a line or an entry, 0: none. */
static size_t key_length(const struct plain *p)
{
    size_t at = p->at;
    while (is_letter_or_digit(char_at(p, at)) ||
           (at > p->at && char_at(p, at) != '\0' && strchr("-_.+/", char_at(p, at))))
        at++;
    size_t length = at - p->at;
    bool is_key = char_at(p, at) == ':' && is_space_or_end(char_at(p, at + 1));
    return is_key && length <= KEY_BYTES_MAX ? length : 0;
}

/* A name, and behind its colon. */
static bool read_key(struct plain *p)
{
    yaml_mark_t start = mark_here(p);
    size_t length = key_length(p);
    if (!length) return false;
    p->at += length;
    add_child(p, begin_at(p, add_scalar(p, start.index, length, YAML_PLAIN_SCALAR_STYLE), start));
    p->at++;
    return true;
}

/* One line of a folded text, behind what was read of it. */
static bool fold_line(struct plain *p, size_t begin, size_t *length)
{
    size_t start = p->at;
    while (current(p) != '\n' && current(p) != '\0')
        p->at++;
    if (p->tree->text[start] == ' ' || p->tree->text[p->at - 1] == ' ') return false;
    if (*length) p->copy[begin + (*length)++] = ' ';
    memcpy(p->copy + begin + *length, p->tree->text + start, p->at - start);
    *length += p->at - start;
    return true;
}

/* >- and lines with one indentation, greater than `outer`, up to one with less. */
static int read_folded(struct plain *p, size_t outer)
{
    yaml_mark_t start = mark_here(p);
    size_t begin = p->at + 3, length = 0, indent = 0, last = p->line + 1;
    if (char_at(p, p->at + 1) != '-' || char_at(p, p->at + 2) != '\n') return 0;
    for (p->at += 2; current(p) == '\n';) {
        p->at++;
        begin_line(p);
        skip_spaces(p);
        if (current(p) == '\n' && column(p)) return 0;
        if (current(p) == '\n') continue;
        if (current(p) == '\0' || column(p) <= outer || column(p) < indent) break;
        if (!indent) indent = column(p);
        if (p->line != last++) return 0; /* behind an empty line */
        p->at = p->line_start + indent;
        if (!fold_line(p, begin, &length)) return 0;
    }
    if (!length) return 0;
    int id = add_scalar(p, begin, length, YAML_FOLDED_SCALAR_STYLE);
    return begin_at(p, id, start);
}

/* ---- between brackets ------------------------------------------------------------------------ */

/* Not at the start of a line, where documents begin and end. */
static bool skip_in_flow(struct plain *p)
{
    return skip_lines(p) && column(p);
}

static bool read_flow_entry(struct plain *p, bool is_mapping)
{
    if (is_mapping && (!read_key(p) || !skip_in_flow(p))) return false;
    return add_child(p, read_flow(p));
}

static int read_brackets(struct plain *p)
{
    bool is_mapping = current(p) == '{';
    char close = is_mapping ? '}' : ']';
    size_t first = p->open_count;
    if (++p->depth > PLAIN_DEPTH_MAX) return 0;
    int id = add_node(p, is_mapping ? YAML_MAPPING_NODE : YAML_SEQUENCE_NODE);
    p->at++;
    if (!skip_in_flow(p)) return 0;
    while (current(p) != close || p->open_count > first) {
        if (!read_flow_entry(p, is_mapping) || !skip_in_flow(p)) return 0;
        if (current(p) == close) break;
        if (current(p) != ',') return 0;
        p->at++;
        if (!skip_in_flow(p)) return 0;
    }
    p->at++;
    return close_node(p, id, first);
}

static int read_flow(struct plain *p)
{
    char c = current(p);
    return c == '[' || c == '{' ? read_brackets(p)
           : c == '"'           ? read_quoted(p)
                                : read_plain(p, true);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool is_entry(const struct plain *p)
{
    return current(p) == '-' && is_space_or_end(char_at(p, p->at + 1));
}

/* What stands in one line with its key or dash, whose block is in column `outer`; then goes to the next line. */
static int read_inline(struct plain *p, size_t outer)
{
    char c = current(p);
    if (c == '>') return read_folded(p, outer);
    int id = c == '[' || c == '{' ? read_brackets(p)
             : c == '"'           ? read_quoted(p)
                                  : read_plain(p, false);
    return id && skip_rest(p) ? id : 0;
}

/* The value behind a colon of a mapping in column `outer`. */
static int read_value(struct plain *p, size_t outer)
{
    skip_spaces(p);
    if (!skip_rest(p)) return read_inline(p, outer);
    if (!skip_lines(p)) return 0;
    if (column(p) == outer && is_entry(p)) return read_block(p);
    if (column(p) <= outer) return 0;
    return current(p) == '[' || current(p) == '{' ? read_inline(p, outer) : read_block(p);
}

/* What stands behind the dash of a list in column `outer`. */
static int read_item(struct plain *p, size_t outer)
{
    p->at++;
    skip_spaces(p);
    if (skip_rest(p)) return skip_lines(p) && column(p) > outer ? read_block(p) : 0;
    return key_length(p) || is_entry(p) ? read_block(p) : read_inline(p, outer);
}

/* A mapping or list whose first entry is here; ends at an entry of another block or at the end of the text. */
static int read_block(struct plain *p)
{
    size_t own = column(p), first = p->open_count;
    bool is_list = is_entry(p), goes_on = true;
    if (++p->depth > PLAIN_DEPTH_MAX) return 0;
    int id = add_node(p, is_list ? YAML_SEQUENCE_NODE : YAML_MAPPING_NODE);
    while (goes_on) {
        if (!is_list && !read_key(p)) return 0;
        if (!add_child(p, is_list ? read_item(p, own) : read_value(p, own))) return 0;
        goes_on = skip_lines(p) && column(p) >= own;
        if (goes_on && column(p) > own) return 0;
        /* The list of a mapping's last key may stand in the column of that key. */
        if (goes_on && is_list && !is_entry(p)) goes_on = false;
    }
    return close_node(p, id, first);
}

bool yaml_plain_parse(struct yaml_tree *tree)
{
    struct plain p = {.tree = tree};
    if (!is_printable_ascii(tree)) return false;
    p.copy = arena_copy_n(&tree->arena, tree->text, tree->size);
    bool is_plain = skip_lines(&p) && !is_entry(&p) && read_block(&p) && p.at == tree->size;
    mem_free(p.open);
    if (is_plain) return true;
    mem_free(tree->nodes);
    arena_clear(&tree->arena);
    tree->nodes = NULL;
    tree->node_count = 0;
    return false;
}
