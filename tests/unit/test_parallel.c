// SPDX-License-Identifier: Apache-2.0
/* Pieces of work on several threads: each runs once, and the first failure by index is the answer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>

#include "base/parallel.h"

enum { PIECES = 1000 };

static ws_status count_piece(struct diag *diag, void *argument, size_t i)
{
    unsigned *runs = argument;
    runs[i]++;
    if (i == 7 || i == 700) return diag_error(diag, WS_ERR_ARGUMENT, "piece %zu", i);
    return WS_OK;
}

static void each_runs_once_and_the_first_error_stays(void **state)
{
    (void)state;
    struct diag diag = {0};
    unsigned runs[PIECES] = {0};
    assert_int_equal(parallel_each(&diag, PIECES, count_piece, runs), WS_ERR_ARGUMENT);
    assert_string_equal(diag_text(&diag), "piece 7");
    for (size_t i = 0; i < PIECES; i++)
        assert_int_equal(runs[i], 1);
    diag_clear(&diag);
}

static void few_and_none_succeed(void **state)
{
    (void)state;
    struct diag diag = {0};
    unsigned runs[2] = {0};
    assert_int_equal(parallel_each(&diag, 0, count_piece, runs), WS_OK);
    assert_int_equal(runs[0], 0);
    assert_int_equal(parallel_each(&diag, 2, count_piece, runs), WS_OK);
    assert_int_equal(runs[0] + runs[1], 2);
    assert_string_equal(diag_text(&diag), "");
    diag_clear(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_runs_once_and_the_first_error_stays),
        cmocka_unit_test(few_and_none_succeed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
