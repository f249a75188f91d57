// SPDX-License-Identifier: Apache-2.0
/* Quotients and remainders are those of the processor's division. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fixed_divisor.h"

static void check(uint64_t dividend, uint64_t divisor)
{
    const struct fixed_divisor by = fixed_divisor_of(divisor);
    if (fixed_quotient(&by, dividend) != dividend / divisor ||
        fixed_remainder(&by, dividend) != dividend % divisor)
        fail_msg("%#llx / %#llx", (unsigned long long)dividend, (unsigned long long)divisor);
}

/* A quotient is wrong first where the dividend is one below a multiple. */
static void check_around(uint64_t multiple, uint64_t divisor)
{
    uint64_t near = multiple / divisor * divisor;
    check(near, divisor);
    check(near + 1, divisor);
    check(near - 1, divisor); /* of 0: the largest there is */
    check(near + divisor - 1, divisor);
}

static void test_corners(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++)
        for (int64_t off = -1; off <= 1; off++) {
            uint64_t divisor = (UINT64_C(1) << bit) + (uint64_t)off;
            if (!divisor) continue;
            for (unsigned size = 0; size < 64; size++)
                check_around(UINT64_C(1) << size, divisor);
            check_around(UINT64_MAX, divisor);
        }
}

static void test_any(void **state)
{
    (void)state;
    uint64_t bits = 1;
    for (int i = 0; i < 200000; i++) {
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint64_t divisor = bits >> (bits & 63) | 1;
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        check_around(bits >> (bits & 63), divisor);
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
