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

#include "support/analyze_one.h"

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

static ws_answer *predict(struct fixture *f)
{
    ws_answer *answer;
    if (analyze_one(f->context, f->profile, f->machine, NULL, NULL, NULL, &answer) != WS_OK)
        fail_msg("%s", ws_context_error(f->context));
    assert_string_equal(ws_answer_word(answer, "kernels/0/machines/0/best"), "quantitative");
    return answer;
}

static double cell(ws_node table, const char *column, size_t row)
{
    double value = NAN;
    ws_table_numbers(table, ws_table_find(table, column), row, &value, 1);
    return value;
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
    ws_answer *answer = predict(f);
    ws_node estimate =
        ws_node_find(ws_answer_root(answer), "kernels/0/machines/gtx285/estimates/quantitative");
    ws_node stages = ws_node_find(estimate, "stages");
    size_t bottleneck = ws_table_find(stages, "bottleneck");
    assert_int_equal(ws_node_count(stages), 2);
    assert_true(cell(stages, "index", 1) == 1);
    assert_close(cell(stages, "warps", 0), 16);
    assert_close(cell(stages, "warps", 1), 2);
    assert_close(cell(stages, "t_inst", 0), 384000 / 9.05e9);
    assert_close(cell(stages, "t_smem", 1), 4e6 * 64 / (870e9 / 3));
    assert_true(cell(stages, "t_smem", 0) == 0 && cell(stages, "t_gmem", 1) == 0);
    assert_string_equal(ws_table_word(stages, bottleneck, 0), "instruction pipeline");
    assert_string_equal(ws_table_word(stages, ws_table_find(stages, "next"), 0), "");
    assert_string_equal(ws_table_word(stages, bottleneck, 1), "shared memory access");
    assert_null(ws_table_word(stages, bottleneck, 2));
    ws_value value = {.size = sizeof value};
    assert_true(ws_node_value(ws_node_find(estimate, "stages_overlap"), &value));
    assert_true(value.is_known && value.count == 0);
    assert_true(ws_node_value(ws_node_find(estimate, "next"), &value));
    assert_string_equal(value.text, "instruction pipeline");
    /* The roofline bound has none. */
    assert_int_equal(
        ws_node_count(ws_node_find(ws_answer_root(answer),
                                   "kernels/0/machines/0/estimates/speed-of-light/stages")),
        0);
    ws_answer_destroy(answer);
}

static void an_unknown_model_is_refused(void **state)
{
    struct fixture *f = *state;
    ws_answer *answer;
    assert_int_equal(analyze_one(f->context, f->profile, f->machine, NULL, NULL, "teg2", &answer),
                     WS_ERR_ARGUMENT);
    assert_null(answer);
    assert_non_null(strstr(ws_context_error(f->context), "teg2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_come_with_their_times),
        cmocka_unit_test(an_unknown_model_is_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
