// SPDX-License-Identifier: Apache-2.0
/* --isa-view native: branches that become guards. Expected is what another program made of the same text: ptxas 13.0
 * (V13.0.88) -arch=sm_75, listed by nvdisasm; sm_80 and 89 guard the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "api/handles.h"
#include "support/native_run.h"
#include "support/trace_check.h"

#define KERNELS "tests/kernels/native_guards.ptx"

enum { SOME_LANES = 20 };

/* In the text: instructions, branches, meetings of lanes (BMOV, BSSY, BSYNC). */
static const struct {
    const char *kernel;
    unsigned instructions, branches, meetings;
} cases[] = {
    {"one", 10, 0, 0},
    {"eight", 17, 0, 0},
    {"nine", 22, 1, 1},
    {"uniform_six", 15, 0, 0},
    {"uniform_seven", 17, 1, 0},
    {"load", 11, 0, 0},
    {"load_eighteen", 29, 0, 0},
    {"load_nineteen", 34, 1, 1},
    {"store", 10, 0, 0},
    {"stores_eight", 17, 0, 0},
    {"stores_nine", 22, 1, 1},
    {"shared_load_eight", 17, 0, 0},
    {"shared_load_nine", 22, 1, 1},
    {"sides_seven_eight", 24, 0, 0},
    {"sides_eight_one", 23, 2, 1},
    {"sides_one_nine", 23, 1, 1},
    {"uniform_sides_five", 19, 0, 0},
    {"sides_load", 33, 1, 1},
    {"special", 10, 0, 0},
    {"inner", 16, 1, 1},
    {"inner_same_end", 16, 1, 1},
    {"two_conditions", 18, 0, 0},
    {"three_conditions", 13, 0, 0},
    {"conditions_of_integers", 14, 0, 0},
    {"condition_of_five", 16, 0, 0},
    {"condition_of_six", 21, 1, 1},
    {"condition_with_load", 16, 1, 1},
    {"load_alone", 15, 1, 1},
    {"load_and_load", 13, 0, 0},
    {"load_and_work", 14, 0, 0},
    {"load_of_condition", 15, 1, 1},
};

static unsigned wrong;

static void start(struct run *run, const char *kernel, const char *view, int lanes)
{
    const struct native_launch launch = {
        .ptx = KERNELS, .kernel = kernel, .view = view, .threads = 32, .value = lanes};
    native_run(run, &launch);
}

static void check(struct run *run, const char *kernel, const char *id, uint64_t expected)
{
    wrong += native_wrong(run, kernel, id, expected);
}

/* Lanes part, so that the warp executes all of the text. */
static void test_counts_are_those_of_native_code(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        const char *kernel = cases[i].kernel;
        start(&run, kernel, "native", SOME_LANES);
        check(&run, kernel, "inst.warp", cases[i].instructions);
        check(&run, kernel, "inst.warp.control", cases[i].branches + 3 * cases[i].meetings + 1);
        run_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* Guarded instructions are issued even if no lane executes them. */
static void test_guarded_ones_are_always_issued(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        const char *kernel = cases[i].kernel;
        if (cases[i].branches) continue;
        start(&run, kernel, "native", 0);
        check(&run, kernel, "inst.warp", cases[i].instructions);
        run_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* The warp's trace has them, too, by the lanes that get there. */
static void test_traces_agree(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
        struct run run;
        const char *kernel = cases[i / 2].kernel;
        start(&run, kernel, "native", i % 2 ? SOME_LANES : 0);
        const struct trace *trace = run.profile->profile->trace;
        assert_non_null(trace);
        assert_true(check_trace(run.profile->profile));
        check(&run, kernel, "inst.warp", trace->blocks[0].warps[0].step_count);
        struct trace_cursor cursor;
        uint64_t lanes = 0;
        trace_cursor_init(&cursor, trace, &trace->blocks[0], 0);
        for (struct trace_step step; trace_cursor_next(&cursor, &step);)
            lanes += (unsigned)__builtin_popcount(step.on);
        trace_cursor_clear(&cursor);
        if (!cases[i / 2].branches) check(&run, kernel, "inst.thread", lanes);
        run_end(&run);
    }
    assert_int_equal(wrong, 0);
}

/* What must not be guarded stays behind a branch, where lanes meet. */
static void test_others_stay_behind_a_branch(void **state)
{
    (void)state;
    static const char *const kernels[] = {"atomic", "warp_barrier", "shuffle", "fence"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        struct run run;
        start(&run, kernels[i], "native", 0);
        assert_int_equal(run_counter(&run, "inst.warp.control"), 5);
        run_end(&run);
    }
}

/* 20 lanes execute the multiply-add. Requests are those of warps of which a lane executes. */
static void test_lanes_are_those_that_execute(void **state)
{
    (void)state;
    wrong = 0;
    struct run run;
    start(&run, "one", "native", SOME_LANES);
    check(&run, "one", "inst.thread", (uint64_t)(cases[0].instructions - 1) * 32 + SOME_LANES);
    check(&run, "one", "inst.thread.active", (uint64_t)cases[0].instructions * 32);
    run_end(&run);
    start(&run, "load", "native", 0);
    check(&run, "load", "mem.global.load.requests", 2);
    run_end(&run);
    start(&run, "load", "native", SOME_LANES);
    check(&run, "load", "mem.global.load.requests", 3);
    run_end(&run);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_are_those_of_native_code),
        cmocka_unit_test(test_guarded_ones_are_always_issued),
        cmocka_unit_test(test_traces_agree),
        cmocka_unit_test(test_others_stay_behind_a_branch),
        cmocka_unit_test(test_lanes_are_those_that_execute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
