// SPDX-License-Identifier: Apache-2.0
/* The hash table: what was put in is found again, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash_table.h"

enum { KEYS = 5000, ROUNDS = 3 };

struct count {
    uint64_t key;
    uint32_t times;
};

/* Keys that differ in their low bits, in their high bits, and at random. */
static uint64_t key_of(unsigned kind, uint64_t i)
{
    return kind == 0 ? i + 1 : kind == 1 ? (i + 1) << 44 : (i + 1) * UINT64_C(0xbf58476d1ce4e5b9);
}

static void test_entries_are_found_and_counted(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct hash_table table = {0};
        uint64_t sum = 0, seen = 0;
        assert_null(hash_table_find(&table, key_of(kind, 0), sizeof(struct count)));
        for (unsigned round = 0; round < ROUNDS; round++)
            for (uint64_t i = 0; i < KEYS; i += round + 1) {
                struct count *count = hash_table_add(&table, key_of(kind, i), sizeof(struct count));
                assert_true(count->key == key_of(kind, i));
                count->times++;
            }
        assert_int_equal(table.used, KEYS);
        assert_true(table.size >= 2 * table.used);
        for (uint64_t i = 0; i < KEYS; i++) {
            const struct count *count =
                hash_table_find(&table, key_of(kind, i), sizeof(struct count));
            assert_non_null(count);
            assert_int_equal(count->times, 1 + !(i % 2) + !(i % 3));
            sum += count->times;
        }
        assert_null(hash_table_find(&table, key_of(kind, KEYS), sizeof(struct count)));
        for (const struct count *count = NULL;
             (count = hash_table_next(&table, count, sizeof *count));)
            seen += count->times;
        assert_int_equal(seen, sum);
        hash_table_clear(&table);
        assert_null(hash_table_next(&table, NULL, sizeof(struct count)));
    }
}

/* A few entries stay in the memory that there is; of a large table that few used, it is freed. */
static void test_reset_forgets_all(void **state)
{
    (void)state;
    struct hash_table table = {0};
    for (uint64_t i = 1; i <= 20; i++)
        hash_table_add(&table, i, sizeof(struct count));
    size_t size = table.size;
    hash_table_reset(&table, sizeof(struct count));
    assert_int_equal(table.used, 0);
    assert_int_equal(table.size, size);
    assert_null(hash_table_find(&table, 1, sizeof(struct count)));
    for (uint64_t i = 1; i <= KEYS; i++)
        hash_table_add(&table, i, sizeof(struct count));
    hash_table_reset(&table, sizeof(struct count));
    struct count *count = hash_table_add(&table, 7, sizeof *count);
    assert_int_equal(count->times, 0);
    hash_table_reset(&table, sizeof(struct count));
    assert_int_equal(table.size, 0);
    hash_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_are_found_and_counted),
        cmocka_unit_test(test_reset_forgets_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
