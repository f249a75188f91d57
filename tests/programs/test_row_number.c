// SPDX-License-Identifier: Apache-2.0
/* Numbers that are written in place are those that the C library reads. */
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/row_number.h"

static void check_count(uint64_t count)
{
    char field[] = ROW_COUNT "\t";
    row_set_count(field, count);
    assert_int_equal(strlen(field), strlen(ROW_COUNT "\t"));
    char *end;
    assert_true(strtoull(field, &end, 0) == count);
    assert_string_equal(end, "\t");
}

static void check_seconds(double seconds)
{
    char field[] = ROW_SECONDS "\t", *end;
    row_set_seconds(field, seconds);
    assert_int_equal(strlen(field), strlen(ROW_SECONDS "\t"));
    double got = strtod(field, &end);
    if (memcmp(&got, &seconds, sizeof got) != 0) fail_msg("%s is not %a", field, seconds);
    assert_string_equal(end, "\t");
}

static void test_corners(void **state)
{
    (void)state;
    static const double seconds[] = {0,       1,       0.5,         1e-6,         3.14,
                                     DBL_MIN, DBL_MAX, DBL_EPSILON, DBL_TRUE_MIN, DBL_MIN / 2};
    static const uint64_t counts[] = {0, 1, 9, 10, 15, 16, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        check_seconds(seconds[i]);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        check_count(counts[i]);
    row_set_count(NULL, 1); /* the row had no room */
    row_set_seconds(NULL, 1);
}

static void test_any(void **state)
{
    (void)state;
    const uint64_t infinite = UINT64_C(0x7ff) << 52;
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        double seconds;
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t positive = bits >> 1;
        check_count(bits >> bits % 64);
        memcpy(&seconds, &positive, sizeof seconds);
        if ((positive & infinite) != infinite) check_seconds(seconds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_corners),
        cmocka_unit_test(test_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
