// SPDX-License-Identifier: Apache-2.0
/* Kernels that do what a kernel must not (tests/kernels/bad.cu): the status, and a message that
 * names kernel, block, warp, lane and source line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

#define BAD "tests/kernels/bad.ptx"

static void expect_message(struct run *run, const char *fragment)
{
    const char *message = ws_context_error(run->context);
    if (strstr(message, fragment) == NULL) fail_msg("no '%s' in: %s", fragment, message);
}

/* "bad.cu:LINE" of the only line that holds `text`. */
static void expect_source_line(struct run *run, const char *text)
{
    char line[256], place[64] = "";
    unsigned number = 0;
    FILE *file = fopen(SOURCE_DIR "/tests/kernels/bad.cu", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        number++;
        if (strstr(line, text) == NULL) continue;
        assert_string_equal(place, "");
        snprintf(place, sizeof place, "bad.cu:%u", number);
    }
    fclose(file);
    assert_string_not_equal(place, "");
    expect_message(run, place);
}

static void expect_failure(struct run *run, ws_status expected)
{
    ws_status status = run_try(run);
    if (status != expected)
        fail_msg("%s, not %s: %s", ws_status_text(status), ws_status_text(expected),
                 ws_context_error(run->context));
    assert_null(run->profile);
    assert_int_equal(ws_status_exit_code(status), 4);
}

/* Every case with 1 and 2 host threads. */
typedef void bad_case(struct run *run);
static void both(const char *kernel, bad_case *body)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct run run;
        run_begin(&run, BAD, kernel, threads);
        body(&run);
        run_end(&run);
    }
}

static void out_of_bounds(struct run *run)
{
    run_shape(run, 4, 64);
    run_int(run, 200);
    run_output(run, 200 * sizeof(int32_t));
    expect_failure(run, WS_ERR_FAULT);
    expect_message(run, "out_of_bounds");
    expect_message(run, "out of bounds");
    expect_message(run, "block (3,0,0)");
    expect_message(run, "warp 0 lane 8"); /* 200 = 3 * 64 + 8 */
    expect_message(run, "800 bytes");
    expect_message(run, "st.global.u32");
    expect_source_line(run, "out[i] = i;");
}

static void test_out_of_bounds(void **state)
{
    (void)state;
    both("out_of_bounds", out_of_bounds);
}

static void misaligned(struct run *run)
{
    char zeros[64] = {0};
    run_shape(run, 1, 32);
    run_input(run, zeros, sizeof zeros);
    run_output(run, 32 * sizeof(int32_t));
    expect_failure(run, WS_ERR_FAULT);
    expect_message(run, "misaligned");
    expect_message(run, "lane 5");
    expect_source_line(run, "= *p;");
}

static void test_misaligned(void **state)
{
    (void)state;
    both("misaligned", misaligned);
}

/* 30 of 40 elements are written: lane 30 of warp 0 is the first that reads what nobody wrote. */
static void uninitialised(struct run *run)
{
    int32_t values[30] = {0};
    run_shape(run, 1, 40);
    uint64_t in = run_output(run, 40 * sizeof(int32_t));
    run_output(run, 40 * sizeof(int32_t));
    assert_int_equal(ws_device_copy_in(run->device, in, values, sizeof values), WS_OK);
    expect_failure(run, WS_ERR_FAULT);
    expect_message(run, "uninitialised");
    expect_message(run, "warp 0 lane 30");
    expect_source_line(run, "in[threadIdx.x] + 1");
}

static void test_uninitialised(void **state)
{
    (void)state;
    both("uninitialised", uninitialised);
}

static void freed(struct run *run)
{
    int32_t values[32] = {0};
    run_shape(run, 1, 32);
    uint64_t in = run_input(run, values, sizeof values);
    run_output(run, sizeof values);
    assert_int_equal(ws_device_free(run->device, in), WS_OK);
    expect_failure(run, WS_ERR_FAULT);
    expect_message(run, "freed");
}

static void test_freed(void **state)
{
    (void)state;
    both("uninitialised", freed);
}

static void null_pointer(struct run *run)
{
    uint64_t null = 0;
    run_shape(run, 1, 32);
    run_output(run, 32 * sizeof(int32_t));
    run_value(run, &null, sizeof null);
    expect_failure(run, WS_ERR_FAULT);
    expect_message(run, "out of bounds");
    expect_message(run, "address 0xc"); /* thread 3 */
    expect_message(run, "lane 3");
}

static void test_null_pointer(void **state)
{
    (void)state;
    both("null_pointer", null_pointer);
}

static void shared_out_of_bounds(struct run *run)
{
    run_shape(run, 1, 32);
    run_int(run, 10);
    run_output(run, 32 * sizeof(int32_t));
    expect_failure(run, WS_ERR_FAULT);
    expect_message(run, "shared");
    expect_message(run, "out of bounds");
    expect_message(run, "lane 22"); /* 22 + 10 = 32 */
    expect_source_line(run, "line[threadIdx.x + index]");
}

static void test_shared_out_of_bounds(void **state)
{
    (void)state;
    both("shared_out_of_bounds", shared_out_of_bounds);
}

static void traps(struct run *run)
{
    run_shape(run, 1, 32);
    run_output(run, 32 * sizeof(int32_t));
    expect_failure(run, WS_ERR_FAULT);
    expect_message(run, "trap");
    expect_message(run, "lane 7");
    expect_source_line(run, "__trap()");
}

static void test_trap(void **state)
{
    (void)state;
    both("traps", traps);
}

static void deadlock(struct run *run)
{
    run_shape(run, 2, 64);
    run_output(run, 64 * sizeof(int32_t));
    expect_failure(run, WS_ERR_DEADLOCK);
    expect_message(run, "deadlock");
    expect_message(run, "barrier 1 has 32 of 64");
    expect_message(run, "barrier 2 has 32 of 64");
    expect_source_line(run, "bar.sync 1, 64;");
}

static void test_deadlock(void **state)
{
    (void)state;
    both("deadlock", deadlock);
}

static void endless(struct run *run)
{
    int32_t zero = 0;
    run_shape(run, 2, 64);
    run_input(run, &zero, sizeof zero);
    run->launch.max_instructions = 100000;
    expect_failure(run, WS_ERR_LIMIT);
    expect_message(run, "instruction limit");
    expect_message(run, "100000");
    expect_message(run, "endless");
}

static void test_endless(void **state)
{
    (void)state;
    both("endless", endless);
}

/* A limit that suffices does not strike: the same kernel with the flag set. */
static void not_endless(struct run *run)
{
    int32_t one = 1;
    run_shape(run, 2, 64);
    run_input(run, &one, sizeof one);
    run->launch.max_instructions = 100000;
    run_launch(run);
    assert_int_equal(run_counter(run, "branch.warp"), 4);
}

static void test_not_endless(void **state)
{
    (void)state;
    both("endless", not_endless);
}

static bool stop_at_once(void *user)
{
    (void)user;
    return true;
}

static void cancelled(struct run *run)
{
    int32_t zero = 0;
    run_shape(run, 2, 64);
    run_input(run, &zero, sizeof zero);
    ws_context_set_cancel(run->context, stop_at_once, NULL);
    assert_int_equal(run_try(run), WS_ERR_CANCELLED);
    assert_int_equal(ws_status_exit_code(WS_ERR_CANCELLED), 130);
}

static void test_cancelled(void **state)
{
    (void)state;
    both("endless", cancelled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_bounds), cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_uninitialised), cmocka_unit_test(test_freed),
        cmocka_unit_test(test_null_pointer),  cmocka_unit_test(test_shared_out_of_bounds),
        cmocka_unit_test(test_trap),          cmocka_unit_test(test_deadlock),
        cmocka_unit_test(test_endless),       cmocka_unit_test(test_not_endless),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
