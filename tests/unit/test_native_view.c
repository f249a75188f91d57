// SPDX-License-Identifier: Apache-2.0
/* --isa-view native on kernels whose comments say what becomes of each instruction: the counts are those of
 * their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

#define KERNELS "tests/kernels/native_view.ptx"
#define KERNELS_SM80 "tests/kernels/native_view_sm80.ptx"

enum { WARPS = 2, WORDS = 40 };

static void start_in(const char *file, struct run *run, const char *kernel, const char *view)
{
    run_begin(run, file, kernel, 1);
    run_shape(run, 1, 32 * WARPS);
    static const uint32_t words[1024];
    run_input(run, words, sizeof words);
    run_int(run, WORDS);
    run->launch.isa_view = view;
    run_launch(run);
}

static void start(struct run *run, const char *kernel, const char *view)
{
    start_in(KERNELS, run, kernel, view);
}

static void assert_warps(struct run *run, const char *id, uint64_t of_a_warp)
{
    uint64_t got = run_counter(run, id);
    if (got != of_a_warp * WARPS)
        fail_msg("%s: %llu, expected %llu", id, (unsigned long long)got,
                 (unsigned long long)of_a_warp * WARPS);
}

/* Numbers behind the instructions of a kernel, up to a line that begins with `until`. */
static unsigned sum_of_comments_in(const char *name, const char *kernel, const char *until)
{
    char line[200];
    unsigned sum = 0;
    bool is_inside = false;
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        const char *comment = strstr(line, "; "), *number = comment ? strstr(comment, "// ") : NULL;
        if (strstr(line, ".entry")) is_inside = strstr(line, kernel) != NULL;
        if (is_inside && !strncmp(line, until, strlen(until))) break;
        if (is_inside && number) sum += (unsigned)strtoul(number + 3, NULL, 10);
    }
    fclose(file);
    return sum;
}

static unsigned sum_of_comments(const char *kernel, const char *until)
{
    return sum_of_comments_in(SOURCE_DIR "/" KERNELS, kernel, until);
}

static void test_counts_are_those_of_native_code(void **state)
{
    (void)state;
    struct run run;
    start(&run, "fuses", "native");
    assert_warps(&run, "inst.warp", sum_of_comments("fuses", "}"));
    assert_warps(&run, "inst.ptx.warp", 50);
    assert_warps(&run, "inst.warp.mem.param.load", 0);
    /* The multiply-add, the division's 5, its neighbour with a sign. */
    assert_warps(&run, "inst.warp.fp32.fma", 1 + 5 + 1);
    assert_warps(&run, "inst.warp.sfu.rcp", 1 + 1);
    assert_warps(&run, "inst.warp.convert", 2);
    assert_warps(&run, "inst.warp.convert.int", 1);
    assert_warps(&run, "inst.warp.fp32.div", 0);
    assert_warps(&run, "inst.warp.int.div", 0);
    char *text = run_profile_text(&run);
    assert_non_null(strstr(text, "\"ptx 7.0 sm_70 as native\""));
    free(text);
    run_end(&run);
}

/* Ten of four iterations each, and forty. */
static void test_loops_are_unrolled(void **state)
{
    (void)state;
    enum { AROUND = 4 + 2 + 2, BODY = 2, END = 5 };
    struct run run;
    start(&run, "loops", "native");
    assert_warps(&run, "inst.warp", AROUND + WORDS * BODY + WORDS / 4 * END + WORDS * (BODY + END));
    assert_warps(&run, "inst.warp.control", WORDS / 4 + WORDS + 1);
    run_end(&run);
}

/* On cc 7.x a barrier is cleared before lanes part; where all lanes have the same operands they do not part. */
static void test_lanes_meet(void **state)
{
    (void)state;
    struct run run;
    start(&run, "meets", "native");
    unsigned of_cc7 = sum_of_comments("meets", "}");
    assert_warps(&run, "inst.warp", of_cc7);
    run_end(&run);
    start_in(KERNELS_SM80, &run, "meets", "native");
    unsigned later = sum_of_comments_in(SOURCE_DIR "/" KERNELS_SM80, "meets", "}");
    assert_warps(&run, "inst.warp", later);
    assert_int_equal(of_cc7, later + 3);
    run_end(&run);
}

/* Operands that are constants, one of an instruction. */
static void test_constants_are_operands(void **state)
{
    (void)state;
    struct run run;
    start(&run, "constants", "native");
    assert_warps(&run, "inst.warp", sum_of_comments("constants", "}"));
    assert_warps(&run, "inst.warp.fp32.fma", 2);
    assert_warps(&run, "inst.warp.mem.const.load", 1);
    run_end(&run);
}

/* Execution does not change, and what is not asked for is not counted. */
static void test_ptx_is_as_before(void **state)
{
    (void)state;
    static const char *const views[] = {NULL, "ptx", "native"};
    uint32_t *results[3];
    for (size_t i = 0; i < 3; i++) {
        struct run run;
        start(&run, "fuses", views[i]);
        if (i < 2) assert_warps(&run, "inst.warp", 50);
        results[i] = run_read(&run, 0);
        run_end(&run);
    }
    for (size_t i = 1; i < 3; i++)
        assert_memory_equal(results[0], results[i], 4096);
    for (size_t i = 0; i < 3; i++)
        free(results[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_are_those_of_native_code),
        cmocka_unit_test(test_loops_are_unrolled),
        cmocka_unit_test(test_lanes_meet),
        cmocka_unit_test(test_constants_are_operands),
        cmocka_unit_test(test_ptx_is_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
