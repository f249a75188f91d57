// SPDX-License-Identifier: Apache-2.0
/* --isa-view gt200 on a kernel whose comments say what becomes of each instruction: the counts are
 * those of its text, for 2 warps. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

enum { WARPS = 2, PTX_INSTRUCTIONS = 52 };

static void start(struct run *run, const char *view)
{
    run_begin(run, "tests/kernels/isa_view.ptx", "folds", 1);
    run_shape(run, 1, 32 * WARPS);
    run_output(run, 4096);
    run->launch.isa_view = view;
    run_launch(run);
}

static void assert_warps(struct run *run, const char *id, uint64_t of_a_warp)
{
    uint64_t got = run_counter(run, id);
    if (got != of_a_warp * WARPS)
        fail_msg("%s: %llu, expected %llu", id, (unsigned long long)got,
                 (unsigned long long)of_a_warp * WARPS);
}

static void the_view_counts_native_instructions(void **state)
{
    (void)state;
    struct run run;
    start(&run, "gt200");
    assert_warps(&run, "inst.ptx.warp", PTX_INSTRUCTIONS);
    assert_warps(&run, "view.folded.shared", 2);
    assert_warps(&run, "view.folded.address", 2);
    assert_warps(&run, "view.folded.negation", 1);
    assert_warps(&run, "view.expanded", 5);
    /* - 5 folded, + 3 (mul.lo) + 4 (mad.lo) + 1 (mad.lo by 8) + 3 (mul.hi) */
    assert_warps(&run, "inst.warp", PTX_INSTRUCTIONS - 5 + 11);
    assert_warps(&run, "inst.warp.fp32.fma.smem", 1);
    assert_warps(&run, "inst.warp.fp32.add.smem", 1);
    assert_warps(&run, "inst.warp.fp32.mul.smem", 0);
    assert_warps(&run, "inst.warp.fp32.fma", 2);
    assert_warps(&run, "inst.warp.mem.shared.load", 7 - 2);
    assert_warps(&run, "inst.warp.int.mul24", 9);
    assert_warps(&run, "inst.warp.int.mul", 1); /* the guarded one */
    assert_warps(&run, "inst.warp.int.mad", 0);
    assert_warps(&run, "inst.warp.shift", 1 + 5);
    assert_warps(&run, "inst.warp.int.add", 4 - 1 + 2);
    assert_warps(&run, "mem.shared.load.requests", 7); /* they are served all the same */
    assert_warps(&run, "inst.unit.shared", 7 + 3);
    char *text = run_profile_text(&run);
    assert_non_null(strstr(text, "\"ptx 3.0 sm_20 as gt200\""));
    free(text);
    run_end(&run);
}

static void without_it_ptx_is_counted(void **state)
{
    (void)state;
    struct run run;
    double value;
    start(&run, NULL);
    assert_warps(&run, "inst.warp", PTX_INSTRUCTIONS);
    assert_warps(&run, "inst.warp.mem.shared.load", 7);
    assert_int_equal(ws_profile_get(run.profile, "inst.ptx.warp", &value), WS_ERR_COMPARE);
    assert_non_null(strstr(ws_context_error(run.context), "no --isa-view requested"));
    run_end(&run);
}

/* Counting is all that a view changes. */
static void results_do_not_depend_on_the_view(void **state)
{
    (void)state;
    struct run plain, seen;
    start(&plain, NULL);
    start(&seen, "gt200");
    float *a = run_read(&plain, 0), *b = run_read(&seen, 0);
    assert_memory_equal(a + 128, b + 128, 64 * sizeof *a);
    free(a);
    free(b);
    run_end(&plain);
    run_end(&seen);
}

static void an_unknown_view_is_refused(void **state)
{
    (void)state;
    struct run run;
    run_begin(&run, "tests/kernels/isa_view.ptx", "folds", 1);
    run_shape(&run, 1, 32);
    run_output(&run, 4096);
    run.launch.isa_view = "gt20";
    assert_int_equal(run_try(&run), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_context_error(run.context), "gt200"));
    run_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_view_counts_native_instructions),
        cmocka_unit_test(without_it_ptx_is_counted),
        cmocka_unit_test(results_do_not_depend_on_the_view),
        cmocka_unit_test(an_unknown_view_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
