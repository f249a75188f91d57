// SPDX-License-Identifier: Apache-2.0
/* The reader of JSON against Jansson: it accepts and refuses the same texts, and makes the same values of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "base/json_tree.h"

static void check_value(const struct json_tree *tree, json_t *wanted, const char *text);

static void check_items(const struct json_tree *tree, json_t *wanted, const char *text)
{
    const char *key;
    json_t *value;
    size_t i = 0;
    json_object_foreach(wanted, key, value)
    {
        assert_true(i < tree->count);
        assert_string_equal(tree->items[i].key, key);
        check_value(&tree->items[i++], value, text);
        assert_true(json_tree_get(tree, key) == &tree->items[i - 1]);
    }
    for (size_t k = 0; k < json_array_size(wanted); k++) {
        assert_true(k < tree->count);
        assert_null(tree->items[k].key);
        check_value(&tree->items[i++], json_array_get(wanted, k), text);
    }
    assert_int_equal(tree->count, i);
}

static void check_value(const struct json_tree *tree, json_t *wanted, const char *text)
{
    static const enum json_kind kinds[] = {
        [JSON_OBJECT] = JSON_KIND_OBJECT, [JSON_ARRAY] = JSON_KIND_ARRAY,
        [JSON_STRING] = JSON_KIND_STRING, [JSON_INTEGER] = JSON_KIND_WHOLE,
        [JSON_REAL] = JSON_KIND_REAL,     [JSON_TRUE] = JSON_KIND_TRUE,
        [JSON_FALSE] = JSON_KIND_FALSE,   [JSON_NULL] = JSON_KIND_NULL,
    };
    if (tree->kind != kinds[json_typeof(wanted)]) fail_msg("another kind of value in %s", text);
    if (json_is_string(wanted))
        assert_string_equal(json_tree_string(tree), json_string_value(wanted));
    if (json_is_integer(wanted)) assert_true(tree->whole == json_integer_value(wanted));
    if (json_is_number(wanted)) {
        double number = json_tree_number(tree), other = json_number_value(wanted);
        assert_memory_equal(&number, &other, sizeof number);
    }
    if (json_is_array(wanted) || json_is_object(wanted)) check_items(tree, wanted, text);
}

/* Whether it is JSON. */
static bool compare(const char *text, size_t size)
{
    struct diag diag = {0};
    struct arena arena = {0};
    json_error_t error;
    const struct json_tree *tree;
    json_t *wanted = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    bool is_read = json_tree_read(&diag, &arena, "text", text, size, &tree) == WS_OK;
    if (is_read != (wanted != NULL)) fail_msg("%s: %s", is_read ? "accepted" : "refused", text);
    if (wanted) check_value(tree, wanted, text);
    if (!wanted) assert_non_null(strstr(diag.text, error.text));
    json_decref(wanted);
    arena_clear(&arena);
    diag_clear(&diag);
    return is_read;
}

static const char *const texts[] = {
    "{\"a\": 1, \"b\": [2, -3.5, 1e3, 0.1, 12345678901234567890e-5], \"c\": {}, \"d\": []}",
    "[true, false, null, \"\", \"x y\", -0, -0.0, 0, 999999999999999999, 1E-400]",
    " {\"a\" :\t\"\\\"\\\\\\/\\b\\f\\n\\r\\t\" ,\r\n\"b\": \"\\u00b5\\ud83d\\ude00\"}\n",
    "{\"a\": {\"a\": {\"a\": [[[[]]], {\"a\": 1, \"b\": 1}]}}, \"b\": 1}",
    "{\"value\": 0.030303030303030304, \"unit\": \"B/s\", \"\xc2\xb5\": \"\xe2\x82\xac\"}",
    "[9223372036854775807, 0.30000000000000004, 4.9e-324, 1.7976931348623157e308]",
};
static const char *const refused[] = {
    "",
    "1",
    "\"a\"",
    "{",
    "[1",
    "[1,]",
    "[1 2]",
    "{a: 1}",
    "{\"a\"}",
    "{\"a\": 1,}",
    "[01]",
    "[1.]",
    "[.5]",
    "[+1]",
    "[-]",
    "[1e]",
    "[1e+]",
    "[truex]",
    "[nul]",
    "[\"a]",
    "[\"\n\"]",
    "[1]]",
    "[1] x",
    "[\"\\x\"]",
    "[1e400]",
    "[NaN]",
    "[\"\\u0000\"]",
    "{\"a\": 1, \"b\": 2, \"a\": 3}",
    "[9223372036854775808]",
    "[\"\xff\"]",
};

static void reads_as_jansson_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!compare(texts[i], strlen(texts[i]))) fail_msg("refused: %s", texts[i]);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (compare(refused[i], strlen(refused[i]))) fail_msg("accepted: %s", refused[i]);
    compare("[1\0]", 4);
    compare("[1]\0", 4);
}

static void nests_and_repeats(void **state)
{
    enum { MANY = 5000 };
    char *text = malloc(16 * MANY);
    size_t length = 0;
    (void)state;
    for (size_t depth = 60; depth <= 70; depth++) { /* beyond what one pass reads, too */
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_true(compare(text, 2 * depth));
    }
    for (size_t i = 0; i < MANY; i++)
        length += (size_t)sprintf(text + length, "%s\"k%zu\": %zu", i ? ", " : "{", i, i);
    text[length++] = '}';
    assert_true(compare(text, length));
    length = (size_t)(length - 1);
    length += (size_t)sprintf(text + length, ", \"k%d\": 0}", MANY / 2);
    assert_false(compare(text, length));
    free(text);
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((*state >> 33) % below);
}

static void reads_changed_texts_as_jansson_does(void **state)
{
    enum { CHANGES = 30000 };
    static const char letters[] = "ab01.-+eE \n\t,:[]{}\"\\/untrf\x7f\xc2";
    uint64_t random = 1;
    unsigned read = 0;
    char text[256];
    (void)state;
    for (unsigned i = 0; i < CHANGES; i++) {
        const char *from = texts[i % (sizeof texts / sizeof *texts)];
        size_t size = strlen(from);
        memcpy(text, from, size + 1);
        for (unsigned left = 1 + draw(&random, 2); left--;)
            text[draw(&random, (uint32_t)size)] = letters[draw(&random, sizeof letters - 1)];
        read += compare(text, size);
    }
    print_message("%u of %d changed texts were JSON\n", read, CHANGES);
    assert_true(read > CHANGES / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_jansson_does),
        cmocka_unit_test(nests_and_repeats),
        cmocka_unit_test(reads_changed_texts_as_jansson_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
