// SPDX-License-Identifier: Apache-2.0
/* The reader of plain YAML against libyaml: what it reads has the same nodes with the same marks, and all data
 * files are read by it. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "machine/yaml_plain.h"

#define DATA SOURCE_DIR "/data"

static void check_mark(const char *text, const yaml_mark_t *mark, const yaml_mark_t *wanted)
{
    if (mark->index != wanted->index || mark->line != wanted->line ||
        mark->column != wanted->column)
        fail_msg("mark %zu (%zu:%zu), libyaml has %zu (%zu:%zu):\n%s", mark->index, mark->line,
                 mark->column, wanted->index, wanted->line, wanted->column, text);
}

static bool is_in_block(const yaml_node_t *node)
{
    return (node->type == YAML_MAPPING_NODE &&
            node->data.mapping.style == YAML_BLOCK_MAPPING_STYLE) ||
           (node->type == YAML_SEQUENCE_NODE &&
            node->data.sequence.style == YAML_BLOCK_SEQUENCE_STYLE) ||
           (node->type == YAML_SCALAR_NODE && node->data.scalar.style == YAML_FOLDED_SCALAR_STYLE);
}

static void check_node(const char *text, const yaml_node_t *node, const yaml_node_t *wanted)
{
    assert_int_equal(node->type, wanted->type);
    check_mark(text, &node->start_mark, &wanted->start_mark);
    if (!is_in_block(wanted)) check_mark(text, &node->end_mark, &wanted->end_mark);
    /* Where blocks end, messages need to know only that it is a later line. */
    assert_int_equal(node->end_mark.line > node->start_mark.line,
                     wanted->end_mark.line > wanted->start_mark.line);
    if (node->type == YAML_SCALAR_NODE) {
        assert_int_equal(node->data.scalar.style, wanted->data.scalar.style);
        assert_int_equal(node->data.scalar.length, wanted->data.scalar.length);
        assert_string_equal(node->data.scalar.value, wanted->data.scalar.value);
    } else if (node->type == YAML_SEQUENCE_NODE) {
        const yaml_node_item_t *items = node->data.sequence.items.start;
        size_t count = (size_t)(node->data.sequence.items.top - items);
        const yaml_node_item_t *others = wanted->data.sequence.items.start;
        assert_int_equal(count, wanted->data.sequence.items.top - others);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(items[i], others[i]);
    } else {
        const yaml_node_pair_t *pairs = node->data.mapping.pairs.start;
        size_t count = (size_t)(node->data.mapping.pairs.top - pairs);
        const yaml_node_pair_t *others = wanted->data.mapping.pairs.start;
        assert_int_equal(count, wanted->data.mapping.pairs.top - others);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(pairs[i].key, others[i].key);
            assert_int_equal(pairs[i].value, others[i].value);
        }
    }
}

/* libyaml's document has these nodes, and is the only one. */
static void check_tree(const struct yaml_tree *tree)
{
    yaml_parser_t parser;
    yaml_document_t document, second;
    assert_int_equal(yaml_parser_initialize(&parser), 1);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)tree->text, tree->size);
    if (!yaml_parser_load(&parser, &document))
        fail_msg("libyaml refuses (%s):\n%s", parser.problem, tree->text);
    assert_int_equal(document.nodes.top - document.nodes.start, tree->node_count);
    for (size_t i = 0; i < tree->node_count; i++)
        check_node(tree->text, &tree->nodes[i], &document.nodes.start[i]);
    assert_int_equal(yaml_parser_load(&parser, &second), 1);
    assert_null(yaml_document_get_root_node(&second));
    yaml_document_delete(&second);
    yaml_document_delete(&document);
    yaml_parser_delete(&parser);
}

/* Whether it is plain; then it has been compared. */
static bool compare(const char *text, size_t size)
{
    struct yaml_tree tree = {.path = "text", .text = text, .size = size};
    bool is_plain = yaml_plain_parse(&tree);
    if (is_plain) check_tree(&tree);
    if (!is_plain) assert_null(tree.nodes);
    yaml_tree_clear(&tree);
    return is_plain;
}

static bool compare_file(const char *path)
{
    struct diag diag = {0};
    struct arena arena = {0};
    char *text;
    size_t size;
    if (text_read_file(&diag, &arena, path, &text, &size) != WS_OK) fail_msg("%s", diag.text);
    bool is_plain = compare(text, size);
    arena_clear(&arena);
    return is_plain;
}

static void reads_all_data_files(void **state)
{
    (void)state;
    DIR *folder = opendir(DATA "/machines");
    const struct dirent *entry;
    unsigned files = 0;
    char path[4096];
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        if (!strstr(entry->d_name, ".yaml")) continue;
        snprintf(path, sizeof path, DATA "/machines/%s", entry->d_name);
        if (!compare_file(path)) fail_msg("%s is not plain", path);
        files++;
    }
    closedir(folder);
    assert_true(files > 30);
    assert_true(compare_file(DATA "/evidence.yaml"));
}

static const char *const plain[] = {
    "a: 1",
    "a: 1\n",
    "\n# first\n\na:   one two  # three\nb: x#y\n",
    "a:\n  b: {c: 1, d: [2, -3, \"4, 5\"]}\n  e: []\nf: {}\n",
    "a:\n- 1\n- b: 2\n  c: 3\n-\n  d: 4\ne: 5\n",
    "a:\n  - - 1\n    - 2\n  - [3]\n",
    "a: [1, # one\n    2,\n\n 3 ] # three\nb: {x: 1,\n  y:\n   2}\n",
    "a:\n  [1, 2] # x\nb:\n # y\n {c: 3}\n",
    "a: >-\n  one two\n  # three\n\n\nb: >-\n   four\n # five\n",
    "a: >-\n  one",
    "a: http://x\nb: -x\nc: \"\"\nd: .5\ne: S. Hong, \"Power\", {2012}\n",
    "  a: 1\n  b:\n   c: 2\n   ",
};
/* Valid or not, but libyaml's affair. */
static const char *const other[] = {
    "",
    "# nothing\n",
    "- 1\n",
    "text\n",
    "a: 1\n b: 2\n",
    " a: 1\nb: 2\n",
    "a: b: c\n",
    "a:\n",
    "a: \nb: 1\n",
    "a: one\n  two\n",
    "a: 'x'\n",
    "a: \"x\\n\"\n",
    "a: \"x\n  y\"\n",
    "a: &x 1\nb: *x\n",
    "a: !!str 1\n",
    "a: |\n  x\n",
    "a: >\n  x\n",
    "a: >-\n  x\n\n  y\n",
    "a: >-\n  x\n   y\n",
    "a: [1, ]\n",
    "a: [1, b: 2]\n",
    "a: {b, c}\n",
    "a: {b: }\n",
    "a: [1\nb: 2\n",
    "a: [1,\n2]\n",
    "a:\n[1]\n",
    "a:\n  [1]\n  b: 2\n",
    "a: [1] # x\n  # y\n b: 1\n",
    "a: [1]#x\n",
    "---\na: 1\n",
    "a: 1\n...\n",
    "a: 1\n---\nb: 1\n",
    "%YAML 1.1\n",
    "\"a\": 1\n",
    "a b: 1\n",
    "? a\n: 1\n",
    "a:\t1\n",
    "a: 1\r\n",
    "a: \xc2\xb5s\n",
    "a:\n  - x\n  b: 1\n",
    "a: [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]\n",
};

static void knows_what_is_plain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!compare(plain[i], strlen(plain[i]))) fail_msg("not plain:\n%s", plain[i]);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (compare(other[i], strlen(other[i]))) fail_msg("plain:\n%s", other[i]);
    assert_false(compare("a: \0\n", 5));
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % below);
}

/* One or more characters of a plain text replaced, removed or inserted. */
static size_t change(uint64_t *state, const char *from, char *text)
{
    static const char letters[] = "ab1 \n  -:#,[]{}\"'>.?&*|-\n: ";
    size_t size = strlen(from);
    memcpy(text, from, size);
    for (unsigned left = 1 + draw(state, 3); left-- && size;) {
        size_t at = draw(state, (uint32_t)size), way = draw(state, 3);
        if (way == 0) {
            memmove(text + at + 1, text + at, size - at);
            size++;
        } else if (way == 1) {
            memmove(text + at, text + at + 1, size - at - 1);
            size--;
            continue;
        }
        text[at] = letters[draw(state, sizeof letters - 1)];
    }
    text[size] = '\0';
    return size;
}

static void reads_changed_texts_as_libyaml_does(void **state)
{
    enum { CHANGES = 30000 };
    uint64_t random = 1;
    unsigned read = 0;
    char text[256];
    (void)state;
    for (unsigned i = 0; i < CHANGES; i++) {
        const char *from = plain[i % (sizeof plain / sizeof *plain)];
        read += compare(text, change(&random, from, text));
    }
    print_message("%u of %d changed texts were plain\n", read, CHANGES);
    assert_true(read > CHANGES / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_data_files),
        cmocka_unit_test(knows_what_is_plain),
        cmocka_unit_test(reads_changed_texts_as_libyaml_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
