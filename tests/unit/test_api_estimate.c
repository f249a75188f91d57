// SPDX-License-Identifier: Apache-2.0
/* What a program can ask of the last prediction: terms, the next bottleneck, stages. The profile is
 * written by hand, the times are worked out here from the paper's figures for the GTX 285. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <warpsage/warpsage.h>

struct fixture {
    ws_context *context;
    ws_profile *profile;
    ws_machine *machine;
};

static int setup(void **state)
{
    static struct fixture f;
    *state = &f;
    if (ws_context_create(&f.context) != WS_OK) return -1;
    if (ws_context_set_machine_dir(f.context, SOURCE_DIR "/data/machines") != WS_OK) return -1;
    if (ws_profile_load(f.context, TESTS_DIR "/profiles/two_stages.json", &f.profile) != WS_OK)
        return -1;
    return ws_machine_load(f.context, "gtx285", &f.machine) == WS_OK ? 0 : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    ws_machine_destroy(f->machine);
    ws_profile_destroy(f->profile);
    ws_context_destroy(f->context);
    return 0;
}

static void predict(struct fixture *f)
{
    ws_estimate estimates[8];
    size_t count;
    ws_status status = ws_predict(f->context, f->profile, f->machine, NULL, estimates, 8, &count);
    if (status != WS_OK) fail_msg("%s", ws_context_error(f->context));
    assert_string_equal(estimates[0].model, "quantitative");
}

static void assert_close(double got, double want)
{
    if (!(fabs(got - want) <= 1e-12 * fabs(want))) fail_msg("got %.15g, not %.15g", got, want);
}

/* 12,000 bytes of shared memory: one block of 16 warps fills an SM, so its stages are serial. 384,000
 * additions with 16 warps at 9.05 Ginst/s; 4e6 passes of 64 B with 2 warps, a third of 870 GB/s. */
static void stages_come_with_their_times(void **state)
{
    struct fixture *f = *state;
    ws_stage_estimate stages[4];
    const char *next;
    size_t count;
    bool overlap = true;
    predict(f);
    assert_int_equal(ws_estimate_stages(f->context, "quantitative", stages, 4, &count, &overlap),
                     WS_OK);
    assert_int_equal(count, 2);
    assert_false(overlap);
    assert_int_equal(stages[1].index, 1);
    assert_close(stages[0].warps, 16);
    assert_close(stages[1].warps, 2);
    assert_close(stages[0].inst_seconds, 384000 / 9.05e9);
    assert_close(stages[1].smem_seconds, 4e6 * 64 / (870e9 / 3));
    assert_true(stages[0].smem_seconds == 0 && stages[1].gmem_seconds == 0);
    assert_string_equal(stages[0].bottleneck, "instruction pipeline");
    assert_string_equal(stages[0].next, "");
    assert_string_equal(stages[1].bottleneck, "shared memory access");
    assert_int_equal(ws_estimate_next(f->context, "quantitative", &next), WS_OK);
    assert_string_equal(next, "instruction pipeline");
}

static void a_small_array_gets_the_first(void **state)
{
    struct fixture *f = *state;
    ws_stage_estimate stages[2] = {[1] = {.index = 77}};
    size_t count;
    predict(f);
    assert_int_equal(ws_estimate_stages(f->context, "quantitative", stages, 1, &count, NULL),
                     WS_OK);
    assert_int_equal(count, 2);
    assert_int_equal(stages[0].index, 0);
    assert_int_equal(stages[1].index, 77);
    /* The roofline bound has none. */
    assert_int_equal(ws_estimate_stages(f->context, "speed-of-light", NULL, 0, &count, NULL),
                     WS_OK);
    assert_int_equal(count, 0);
}

static void without_a_prediction_there_is_nothing(void **state)
{
    struct fixture *f = *state;
    ws_context *context;
    const char *next;
    double value;
    size_t count = 9;
    assert_int_equal(ws_context_create(&context), WS_OK);
    assert_int_equal(ws_estimate_term(context, "quantitative", "n", &value), WS_ERR_ARGUMENT);
    assert_int_equal(ws_estimate_next(context, "quantitative", &next), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_context_error(context), "call ws_predict first"));
    assert_string_equal(next, "");
    ws_context_destroy(context);
    predict(f);
    assert_int_equal(ws_estimate_stages(f->context, "teg2", NULL, 0, &count, NULL),
                     WS_ERR_NO_MODEL);
    assert_int_equal(count, 0);
    assert_non_null(strstr(ws_context_error(f->context), "teg2 did not answer"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_come_with_their_times),
        cmocka_unit_test(a_small_array_gets_the_first),
        cmocka_unit_test(without_a_prediction_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
