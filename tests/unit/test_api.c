// SPDX-License-Identifier: Apache-2.0
/* The public API as a caller sees it: ownership, errors, one launch from text to prediction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// cmocka.h needs the four above
#include <cmocka.h>
#include <warpsage/warpsage.h>

#include "support/analyze_one.h"

#define SAXPY TESTS_DIR "/cli/data/saxpy.ptx"
#define TWO TESTS_DIR "/cli/data/two.ptx"

struct fixture {
    ws_context *context;
    ws_module *module;
    ws_device *device;
    uint64_t x, y;
};
enum { N = 1000, BYTES = N * sizeof(float) };

static struct parameters {
    uint32_t n;
    float a;
    uint64_t x, y;
} parameters;

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    ws_device_options options = {.size = sizeof options, .threads = 2};
    float x[N], y[N];
    *state = f;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    if (ws_context_create(&f->context) || ws_module_load_file(f->context, SAXPY, &f->module) ||
        ws_device_create(f->context, &options, &f->device) ||
        ws_device_alloc(f->device, BYTES, &f->x) || ws_device_alloc(f->device, BYTES, &f->y) ||
        ws_device_copy_in(f->device, f->x, x, BYTES) ||
        ws_device_copy_in(f->device, f->y, y, BYTES))
        return -1;
    parameters = (struct parameters){N, 2, f->x, f->y};
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    ws_device_destroy(f->device);
    ws_module_destroy(f->module);
    ws_context_destroy(f->context);
    free(f);
    return 0;
}

static ws_launch saxpy_launch(void)
{
    return (ws_launch){.size = sizeof(ws_launch),
                       .grid = {4, 1, 1},
                       .block = {256, 1, 1},
                       .parameters = &parameters,
                       .parameter_bytes = sizeof parameters,
                       .counters = true};
}

static void test_module_tells_its_parameters(void **state)
{
    struct fixture *f = *state;
    static const ws_parameter expected[] = {{.offset = 0, .size = 4, .type = "u32"},
                                            {.offset = 4, .size = 4, .type = "f32"},
                                            {.offset = 8, .size = 8, .type = "u64"},
                                            {.offset = 16, .size = 8, .type = "u64"}};
    ws_parameter got;
    assert_int_equal(ws_module_kernel_count(f->module), 1);
    assert_string_equal(ws_module_kernel_name(f->module, 0), "saxpy");
    assert_null(ws_module_kernel_name(f->module, 1));
    assert_int_equal(ws_module_parameter_count(f->module, 0), 4);
    assert_int_equal(ws_module_parameter_bytes(f->module, 0), 24);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(ws_module_parameter(f->module, 0, i, &got), WS_OK);
        assert_int_equal(got.offset, expected[i].offset);
        assert_int_equal(got.size, expected[i].size);
        assert_string_equal(got.type, expected[i].type);
        assert_int_equal(got.is_pointer, i >= 2);
        assert_int_equal(got.is_float, i == 1);
    }
    assert_int_equal(ws_module_parameter(f->module, 0, 4, &got), WS_ERR_ARGUMENT);
}

static void test_kernels_are_found_by_name(void **state)
{
    struct fixture *f = *state;
    ws_module *module;
    size_t index;
    assert_int_equal(ws_module_load_file(f->context, TWO, &module), WS_OK);
    assert_int_equal(ws_module_kernel_count(module), 6);
    assert_int_equal(ws_module_find_kernel(module, "scatter", &index), WS_OK);
    assert_string_equal(ws_module_kernel_display_name(module, index), "scatter");
    assert_int_equal(ws_module_find_kernel(module, "scater", &index), WS_ERR_ARGUMENT);
    assert_non_null(strstr(ws_context_error(f->context), "'scatter'"));
    ws_module_destroy(module);
    assert_int_equal(ws_module_load_memory(f->context, "text", "no PTX", 6, &module), WS_ERR_INPUT);
    assert_null(module);
    assert_non_null(strstr(ws_context_error(f->context), "text:1:"));
}

static void test_launch_predict_report(void **state)
{
    struct fixture *f = *state;
    ws_launch launch = saxpy_launch();
    ws_profile *profile;
    ws_machine *machine;
    ws_answer *answer;
    double value;
    float y[N];
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_OK);
    assert_int_equal(ws_device_copy_out(f->device, y, f->y, BYTES), WS_OK);
    for (int i = 0; i < N; i++)
        assert_true(y[i] == 2 * (float)i + 1);
    /* 1000 lanes are 32 warps, the last with 8 lanes: two loads each. */
    assert_int_equal(ws_profile_get(profile, "mem.global.load.requests", &value), WS_OK);
    assert_true(value == 64);
    assert_int_equal(ws_profile_get(profile, "mem.global.load.bytes_requested", &value), WS_OK);
    assert_true(value == 8 * N);
    assert_int_equal(ws_profile_get(profile, "mem.global.laod.requests", &value), WS_ERR_ARGUMENT);
    assert_int_equal(ws_profile_get(profile, "mem.global.load.transactions_cc12", &value),
                     WS_ERR_COMPARE);
    assert_non_null(strstr(ws_context_error(f->context), "rule not requested"));
    /* Without a barrier all is in the first stage. */
    assert_int_equal(ws_profile_get_stage(profile, 0, "mem.global.load.requests", &value), WS_OK);
    assert_true(value == 64);
    assert_int_equal(ws_profile_get_stage(profile, 1, "inst.warp", &value), WS_ERR_COMPARE);
    assert_non_null(
        strstr(ws_context_error(f->context), "stage 1 is out of range: the profile has 1"));
    assert_int_equal(ws_profile_get_stage(profile, 0, "dep.ilp", &value), WS_ERR_COMPARE);
    assert_non_null(strstr(ws_context_error(f->context), "not recorded per stage"));
    assert_int_equal(ws_profile_get_stage(profile, 0, "inst.wrap", &value), WS_ERR_ARGUMENT);

    assert_int_equal(ws_machine_load(f->context, "v100", &machine), WS_OK);
    assert_int_equal(ws_machine_target(machine), 70);
    assert_int_equal(ws_machine_rules(machine), 0);
    assert_int_equal(ws_machine_get(machine, "machine.sm.count", &value), WS_OK);
    assert_true(value == 80);
    assert_int_equal(ws_machine_get(machine, "sm.cuont", &value), WS_ERR_ARGUMENT);
    assert_int_equal(analyze_one(f->context, profile, machine, NULL, NULL, NULL, &answer), WS_OK);
    ws_node estimates =
        ws_node_find(ws_answer_root(answer), "kernels/saxpy/machines/v100/estimates");
    assert_true(ws_node_count(estimates) >= 2);
    /* What any model says is at least the speed of light. */
    double bound = ws_answer_bound(answer, 0, 0);
    assert_true(bound > 0 && ws_answer_time(answer, 0, 0) >= bound);
    for (size_t i = 0; i < ws_node_count(estimates); i++) {
        ws_value time = {.size = sizeof time};
        assert_true(ws_node_value(ws_node_find(ws_node_child(estimates, i), "time_s"), &time));
        assert_true(time.number >= bound);
        assert_string_equal(time.unit, "s");
    }
    assert_true(ws_answer_occupancy(answer, 0, 0) > 0 && ws_answer_occupancy(answer, 0, 0) <= 1);
    assert_true(ws_answer_counter(answer, 0, "mem.global.load.requests") == 64);
    assert_true(isnan(ws_answer_counter(answer, 0, "mem.global.laod.requests")));
    assert_true(isnan(ws_answer_time(answer, 0, 1)) && isnan(ws_answer_time(answer, 1, 0)));
    assert_non_null(ws_answer_limit(answer, 0, 0));
    ws_answer_destroy(answer);
    ws_machine_destroy(machine);
    ws_profile_destroy(profile);
}

/* 4 static bytes, a gap of 12, then the extern array: whoever sums them sees the gap. */
static void test_shared_memory_of_a_block(void **state)
{
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".extern .shared .align 4 .b8 tail[];\n"
                               ".visible .entry k() {\n"
                               "  .shared .align 4 .b8 head[4];\n"
                               "  .reg .b32 %r<2>;\n"
                               "  mov.u32 %r1, tail;\n"
                               "  st.shared.u32 [head], %r1;\n"
                               "  st.shared.u32 [tail+4], %r1;\n"
                               "  ret;\n}\n";
    struct fixture *f = *state;
    ws_kernel_info info = {.size = sizeof info};
    ws_launch launch = {.size = sizeof launch, .grid = {1, 1, 1}, .block = {32, 1, 1}};
    ws_module *module;
    ws_profile *profile;
    assert_int_equal(ws_module_load_memory(f->context, "k.ptx", text, sizeof text - 1, &module),
                     WS_OK);
    assert_int_equal(ws_module_kernel_info(module, 0, &info), WS_OK);
    assert_int_equal(ws_kernel_shared_bytes(&info, 0), 4);
    assert_int_equal(ws_kernel_shared_bytes(&info, 8), 16 + 8);
    launch.dynamic_shared_bytes = 8;
    launch.counters = true;
    assert_int_equal(ws_device_launch(f->device, module, &launch, &profile), WS_OK);
    assert_int_equal(ws_profile_shared(profile), 16 + 8);
    ws_profile_destroy(profile);
    ws_module_destroy(module);
}

static void test_rules_are_counted_on_demand(void **state)
{
    struct fixture *f = *state;
    ws_launch launch = saxpy_launch();
    ws_profile *profile;
    double value;
    launch.rules = WS_RULE_CC12;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_OK);
    /* 31 warps of two half-warps, one of 8 lanes: 63 transactions a load instruction. */
    assert_int_equal(ws_profile_get(profile, "mem.global.load.transactions_cc12", &value), WS_OK);
    assert_true(value == 126);
    assert_int_equal(ws_profile_get(profile, "mem.shared.load.wavefronts16", &value),
                     WS_ERR_COMPARE);
    ws_profile_destroy(profile);
}

static void test_wrong_launches(void **state)
{
    struct fixture *f = *state;
    ws_profile *profile = (ws_profile *)&parameters;
    ws_launch launch = saxpy_launch();
    launch.kernel = 3;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_ERR_ARGUMENT);
    assert_null(profile);
    launch = saxpy_launch();
    launch.parameter_bytes = 8;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_ERR_ARGUMENT);
    launch = saxpy_launch();
    launch.size = 8;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_ERR_ARGUMENT);
    launch = saxpy_launch();
    launch.block[0] = 2048;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_ERR_LAUNCH);
    launch = saxpy_launch();
    launch.cluster[0] = 2;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_ERR_LAUNCH);
    launch = saxpy_launch();
    launch.max_instructions = 10;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_ERR_LIMIT);
    launch = saxpy_launch();
    launch.counters = false;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, NULL), WS_OK);
}

/* A caller compiled against the first version gives a shorter struct: what it does not know is 0.
 */
static void test_short_struct(void **state)
{
    struct fixture *f = *state;
    ws_launch launch = saxpy_launch();
    ws_profile *profile;
    double value;
    launch.size = offsetof(ws_launch, rules);
    launch.rules = 0xffffffff;
    launch.register_target_count = SIZE_MAX;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_OK);
    assert_int_equal(ws_profile_get(profile, "mem.global.load.transactions_cc12", &value),
                     WS_ERR_COMPARE);
    ws_profile_destroy(profile);
}

/* Structs of callers that were compiled against an earlier version (shorter), or a later one (longer),
 * with what lies behind them: it must be neither read nor written. */
enum { BEHIND = 64, GUARD = 0xa5 };

static bool is_guarded(const void *at, size_t size)
{
    const unsigned char *bytes = at;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != GUARD) return false;
    return true;
}

static void test_sizes_of_results(void **state)
{
    struct fixture *f = *state;
    const size_t sizes[] = {offsetof(ws_kernel_info, follows_data), sizeof(ws_kernel_info),
                            sizeof(ws_kernel_info) + BEHIND};
    for (size_t i = 0; i < 3; i++) {
        union {
            ws_kernel_info info;
            unsigned char bytes[sizeof(ws_kernel_info) + 2 * BEHIND];
        } given;
        memset(&given, GUARD, sizeof given);
        given.info.size = sizes[i];
        assert_int_equal(ws_module_kernel_info(f->module, 0, &given.info), WS_OK);
        assert_int_equal(given.info.size, sizes[i]);
        assert_int_equal(given.info.static_shared_bytes, 0);
        size_t known = sizes[i] < sizeof given.info ? sizes[i] : sizeof given.info;
        assert_true(is_guarded(given.bytes + known, sizeof given - known));
    }
    ws_kernel_info info = {.size = 8};
    assert_int_equal(ws_module_kernel_info(f->module, 0, &info), WS_ERR_ARGUMENT);
}

static void test_sizes_of_launch_results(void **state)
{
    struct fixture *f = *state;
    const size_t sizes[] = {offsetof(ws_launch_result, undefined), sizeof(ws_launch_result)};
    for (size_t i = 0; i < 2; i++) {
        union {
            ws_launch_result result;
            unsigned char bytes[sizeof(ws_launch_result) + BEHIND];
        } given;
        ws_launch launch = saxpy_launch();
        memset(&given, GUARD, sizeof given);
        given.result.size = sizes[i];
        launch.counters = false;
        launch.result = &given.result;
        assert_int_equal(ws_device_launch(f->device, f->module, &launch, NULL), WS_OK);
        assert_true(given.result.warp_instructions > 0);
        assert_true(is_guarded(given.bytes + sizes[i], sizeof given - sizes[i]));
    }
}

static void test_sizes_of_options(void **state)
{
    struct fixture *f = *state;
    union {
        ws_device_options options;
        unsigned char bytes[sizeof(ws_device_options) + BEHIND];
    } given;
    const size_t sizes[] = {offsetof(ws_device_options, host_addresses),
                            offsetof(ws_device_options, as_hardware),
                            offsetof(ws_device_options, keep_programs),
                            offsetof(ws_device_options, host_isa),
                            sizeof(ws_device_options),
                            sizeof given};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ws_device *device;
        memset(&given, GUARD, sizeof given);
        memset(&given, 0, sizes[i] < sizeof given.options ? sizes[i] : sizeof given.options);
        given.options.size = sizes[i];
        assert_int_equal(ws_device_create(f->context, &given.options, &device), WS_OK);
        ws_device_destroy(device);
    }
    const size_t launches[] = {
        offsetof(ws_launch, rules),          offsetof(ws_launch, initial_segment_bytes),
        offsetof(ws_launch, isa_view),       offsetof(ws_launch, trace_blocks),
        offsetof(ws_launch, grid_workspace), offsetof(ws_launch, result)};
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++) {
        ws_launch launch = saxpy_launch();
        memset((unsigned char *)&launch + launches[i], GUARD, sizeof launch - launches[i]);
        launch.size = launches[i];
        launch.counters = false;
        assert_int_equal(ws_device_launch(f->device, f->module, &launch, NULL), WS_OK);
    }
}

static bool cancel_at_once(void *user)
{
    ++*(int *)user;
    return true;
}

static void test_cancel(void **state)
{
    struct fixture *f = *state;
    ws_launch launch = saxpy_launch();
    ws_profile *profile;
    int calls = 0;
    ws_context_set_cancel(f->context, cancel_at_once, &calls);
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_ERR_CANCELLED);
    assert_non_null(profile); /* what was counted until then */
    ws_profile_destroy(profile);
    assert_true(calls > 0);
}

static bool refuse_bytes(void *user, const char *bytes, size_t size)
{
    (void)bytes;
    *(size_t *)user += size;
    return false;
}

static void test_report_without_machines(void **state)
{
    struct fixture *f = *state;
    ws_launch launch = saxpy_launch();
    ws_profile *profile;
    ws_answer *answer;
    size_t size = 0;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile), WS_OK);
    const ws_profile *profiles[] = {profile};
    const ws_question question = {
        .size = sizeof question, .name = "analyze", .profiles = profiles, .profile_count = 1};
    assert_int_equal(ws_ask(f->context, &question, &answer), WS_OK);
    assert_int_equal(ws_answer_write(f->context, answer, NULL, refuse_bytes, &size), WS_ERR_IO);
    assert_true(size > 100);
    ws_answer_destroy(answer);
    ws_profile_destroy(profile);
}

static void test_words(void **state)
{
    struct fixture *f = *state;
    char *text;
    for (size_t i = 0; i < ws_counter_count(); i++) {
        ws_counter_info info = ws_counter_describe(i);
        assert_int_equal(ws_explain(f->context, info.id, &text), WS_OK);
        /* Longer sentences are wrapped. */
        char start[41];
        snprintf(start, sizeof start, "%s", info.text);
        assert_non_null(strstr(text, start));
        ws_free(text);
    }
    assert_null(ws_counter_describe(ws_counter_count()).id);
    assert_int_equal(ws_explain(f->context, "inst.wrap", &text), WS_ERR_ARGUMENT);
    assert_null(text);
    assert_non_null(strstr(ws_context_error(f->context), "'inst.warp'"));
}

static void test_destroy_null(void **state)
{
    (void)state;
    ws_answer_destroy(NULL);
    ws_profile_destroy(NULL);
    ws_machine_destroy(NULL);
    ws_module_destroy(NULL);
    ws_device_destroy(NULL);
    ws_context_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_module_tells_its_parameters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kernels_are_found_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_launch_predict_report, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shared_memory_of_a_block, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rules_are_counted_on_demand, setup, teardown),
        cmocka_unit_test_setup_teardown(test_wrong_launches, setup, teardown),
        cmocka_unit_test_setup_teardown(test_short_struct, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sizes_of_results, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sizes_of_launch_results, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sizes_of_options, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
        cmocka_unit_test_setup_teardown(test_report_without_machines, setup, teardown),
        cmocka_unit_test_setup_teardown(test_words, setup, teardown),
        cmocka_unit_test(test_destroy_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
