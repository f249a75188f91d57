// SPDX-License-Identifier: Apache-2.0
/* One cache: which lines stay, and what a store leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/cache.h"

static void test_a_set_forgets_the_oldest(void **state)
{
    (void)state;
    struct cache cache;
    cache_init(&cache, 4 * 128, 128, 2); /* 2 sets of 2 lines: 0, 3 and 5 in one, 1 in the other */
    assert_int_equal(cache_access(&cache, 0, 1, CACHE_ALLOCATE), 0);
    assert_int_equal(cache_access(&cache, 3, 15, CACHE_ALLOCATE), 0);
    assert_int_equal(cache_access(&cache, 0, 3, CACHE_ALLOCATE), 1); /* a sector is missing */
    assert_int_equal(cache_access(&cache, 0, 3, CACHE_ALLOCATE), 3);
    assert_int_equal(cache_access(&cache, 1, 1, CACHE_ALLOCATE), 0); /* the other set */
    assert_int_equal(cache_access(&cache, 5, 1, CACHE_LOOK), 0);
    assert_int_equal(cache_access(&cache, 3, 15, CACHE_LOOK), 15);
    assert_int_equal(cache_access(&cache, 5, 1, CACHE_ALLOCATE), 0); /* drives out line 0 */
    assert_int_equal(cache_access(&cache, 0, 3, CACHE_LOOK), 0);
    assert_int_equal(cache_access(&cache, 0, 1, CACHE_ALLOCATE), 0); /* and this line 3 */
    assert_int_equal(cache_access(&cache, 3, 15, CACHE_LOOK), 0);
    assert_int_equal(cache_access(&cache, 1, 1, CACHE_LOOK), 1);
    cache_clear(&cache);
    cache_init(&cache, 100, 128, 4);
    assert_int_equal(cache_access(&cache, 0, 1, CACHE_ALLOCATE), 0);
    assert_int_equal(cache_access(&cache, 0, 1, CACHE_ALLOCATE), 0); /* there is no cache */
    cache_clear(&cache);
}

/* Strides of powers of two: 32 sets of 4 lines keep 128 lines that are 32 or 1024 apart. */
static void test_strides_spread(void **state)
{
    (void)state;
    for (uint64_t stride = 1; stride <= 1024; stride *= 32) {
        struct cache cache;
        cache_init(&cache, 128 * 128, 128, 4);
        for (uint64_t i = 0; i < 128; i++)
            cache_access(&cache, i * stride, 1, CACHE_ALLOCATE);
        for (uint64_t i = 0; i < 128; i++)
            assert_int_equal(cache_access(&cache, i * stride, 1, CACHE_LOOK), 1);
        cache_clear(&cache);
    }
}

/* A sector of 8 words is there when all of them have been written, or when it has been fetched. */
static void test_stores_complete_sectors(void **state)
{
    (void)state;
    struct cache cache;
    unsigned clean;
    cache_init(&cache, 128, 128, 1);
    assert_int_equal(cache_store(&cache, 7, 1, 0x0f, &clean), 0);
    assert_int_equal(clean, 1);
    assert_int_equal(cache_access(&cache, 7, 1, CACHE_LOOK), 0);
    assert_int_equal(cache_store(&cache, 7, 1, 0xf0, &clean), 0);
    assert_int_equal(clean, 0);
    assert_int_equal(cache_access(&cache, 7, 1, CACHE_LOOK), 1);
    assert_int_equal(cache_store(&cache, 7, 3, 0x1ff, &clean), 1);
    assert_int_equal(clean, 2);
    assert_int_equal(cache_access(&cache, 7, 2, CACHE_ALLOCATE),
                     0); /* fetched for the rest of it */
    assert_int_equal(cache_access(&cache, 7, 3, CACHE_LOOK), 3);
    assert_int_equal(cache_store(&cache, 8, 8, 0, &clean), 0); /* drives out line 7 */
    assert_int_equal(cache_store(&cache, 7, 3, 0, &clean), 0);
    assert_int_equal(clean, 3);
    cache_clear(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_set_forgets_the_oldest),
        cmocka_unit_test(test_strides_spread),
        cmocka_unit_test(test_stores_complete_sectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
