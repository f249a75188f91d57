// SPDX-License-Identifier: Apache-2.0
/* Segments of the rule of cc 1.2 as parameters of the machine, and loads that go past L1: a launch
 * whose counts follow from the protocol by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <warpsage/warpsage.h>

#include "measure/access_cost.h"
#include "measure/memory_rules.h"
#include "measure/pattern_table.h"
#include "support/analyze_one.h"

#define MACHINES TESTS_DIR "/machines/segments/"

/* One warp, three loads of 4 bytes: every second word (looks into L1), one word in each 128-byte
 * line, one word for all. */
static const char ptx[] = ".version 8.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry loads(.param .u64 p)\n{\n"
                          ".reg .b64 %a<6>;\n.reg .b32 %r<6>;\n"
                          "ld.param.u64 %a0, [p];\n"
                          "mov.u32 %r0, %tid.x;\n"
                          "mul.wide.u32 %a1, %r0, 8;\n"
                          "add.s64 %a2, %a0, %a1;\n"
                          "mul.wide.u32 %a3, %r0, 128;\n"
                          "add.s64 %a4, %a0, %a3;\n"
                          "ld.global.ca.u32 %r1, [%a2];\n"
                          "ld.global.cg.u32 %r2, [%a4];\n"
                          "ld.volatile.global.u32 %r3, [%a0];\n"
                          "ret;\n}\n";

struct fixture {
    ws_context *context;
    ws_module *module;
    ws_device *device;
    uint64_t buffer;
};

static void must(struct fixture *f, ws_status status)
{
    if (status != WS_OK) fail_msg("%s", ws_context_error(f->context));
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    ws_device_options options = {.size = sizeof options, .threads = 1};
    if (ws_context_create(&f->context) != WS_OK) return -1;
    must(f, ws_context_set_machine_dir(f->context, SOURCE_DIR "/data/machines"));
    must(f, ws_module_load_memory(f->context, "loads.ptx", ptx, strlen(ptx), &f->module));
    must(f, ws_device_create(f->context, &options, &f->device));
    must(f, ws_device_alloc(f->device, 4096, &f->buffer));
    must(f, ws_device_fill(f->device, f->buffer, 0, 4096));
    *state = f;
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

static ws_launch make_launch(const struct fixture *f)
{
    return (ws_launch){.size = sizeof(ws_launch),
                       .grid = {1, 1, 1},
                       .block = {32, 1, 1},
                       .parameters = &f->buffer,
                       .parameter_bytes = sizeof f->buffer,
                       .counters = true};
}

static double counter(struct fixture *f, const ws_profile *profile, const char *id)
{
    double value;
    must(f, ws_profile_get(profile, id, &value));
    return value;
}

static ws_machine *load_machine(struct fixture *f, const char *name)
{
    ws_machine *machine;
    must(f, ws_machine_load(f->context, name, &machine));
    return machine;
}

/* First load, half-warp by half-warp over 128 bytes, every other word. Second load: a segment of
 * the least size a lane, but with 256 bytes, which two lanes share. Third load: the least size. */
static void test_counts_follow_the_segments(void **state)
{
    struct fixture *f = *state;
    static const struct {
        unsigned initial, least;
        double transactions, bytes;
    } cases[] = {
        {0, 0, 2 + 32 + 2, 2 * 128 + 32 * 32 + 2 * 32},
        {128, 32, 2 + 32 + 2, 2 * 128 + 32 * 32 + 2 * 32},
        {0, 4, 2 + 32 + 2, 2 * 128 + 32 * 4 + 2 * 4},
        {64, 16, 4 + 32 + 2, 4 * 64 + 32 * 16 + 2 * 16},
        {32, 32, 8 + 32 + 2, 8 * 32 + 32 * 32 + 2 * 32},
        {16, 16, 16 + 32 + 2, 16 * 16 + 32 * 16 + 2 * 16},
        {4, 4, 32 + 32 + 2, 32 * 4 + 32 * 4 + 2 * 4},
        {128, 128, 2 + 32 + 2, 2 * 128 + 32 * 128 + 2 * 128},
        /* Two lanes 128 bytes apart share a segment whose halves are both used. */
        {256, 32, 2 + 16 + 2, 2 * 128 + 16 * 256 + 2 * 32},
        {256, 256, 2 + 16 + 2, 2 * 256 + 16 * 256 + 2 * 256},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ws_launch launch = make_launch(f);
        ws_profile *profile;
        launch.rules = WS_RULE_CC12;
        launch.initial_segment_bytes = cases[i].initial;
        launch.min_segment_bytes = cases[i].least;
        must(f, ws_device_launch(f->device, f->module, &launch, &profile));
        double transactions = counter(f, profile, "mem.global.load.transactions_cc12");
        double bytes = counter(f, profile, "mem.global.load.bytes_cc12");
        if (transactions != cases[i].transactions || bytes != cases[i].bytes)
            fail_msg("%u to %u: %g transactions, %g bytes, not %g and %g", cases[i].initial,
                     cases[i].least, transactions, bytes, cases[i].transactions, cases[i].bytes);
        ws_profile_destroy(profile);
    }
}

static void test_segments_that_cannot_be(void **state)
{
    struct fixture *f = *state;
    static const unsigned cases[][2] = {{512, 32}, {16, 32},  {96, 32},
                                        {128, 24}, {64, 128}, {64, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ws_launch launch = make_launch(f);
        ws_profile *profile;
        launch.rules = WS_RULE_CC12;
        launch.initial_segment_bytes = cases[i][0];
        launch.min_segment_bytes = cases[i][1];
        assert_int_equal(ws_device_launch(f->device, f->module, &launch, &profile),
                         WS_ERR_ARGUMENT);
        assert_non_null(strstr(ws_context_error(f->context), "powers of two"));
        assert_null(profile);
    }
}

/* The launch counts for the machine that asked; another one is refused, not given these counts. */
static void test_machines_get_their_own_counts(void **state)
{
    struct fixture *f = *state;
    ws_machine *wide = load_machine(f, "gtx280"), *narrow = load_machine(f, MACHINES "narrow.yaml");
    ws_machine *v100 = load_machine(f, "v100"), *odd = load_machine(f, MACHINES "odd.yaml");
    ws_launch launch = make_launch(f);
    ws_profile *profile;
    ws_answer *answer;
    must(f, ws_machine_prepare_launch(narrow, &launch));
    must(f, ws_machine_prepare_launch(v100, &launch));
    assert_int_equal(launch.rules, WS_RULE_CC12 | WS_RULE_BANK16);
    assert_int_equal(launch.initial_segment_bytes, 64);
    assert_int_equal(launch.min_segment_bytes, 16);
    assert_int_equal(ws_machine_prepare_launch(wide, &launch), WS_ERR_COMPARE);
    assert_non_null(strstr(ws_context_error(f->context), "gtx280"));
    must(f, ws_device_launch(f->device, f->module, &launch, &profile));
    assert_true(counter(f, profile, "mem.global.load.bytes_cc12") == 800);
    must(f, analyze_one(f->context, profile, narrow, NULL, NULL, NULL, &answer));
    assert_true(ws_answer_time(answer, 0, 0) > 0);
    ws_answer_destroy(answer);
    must(f, analyze_one(f->context, profile, v100, NULL, NULL, NULL, &answer));
    ws_answer_destroy(answer);
    assert_int_equal(analyze_one(f->context, profile, wide, NULL, NULL, NULL, &answer),
                     WS_ERR_COMPARE);
    assert_null(answer);
    assert_non_null(strstr(ws_context_error(f->context), "128 to 32"));
    launch = make_launch(f);
    must(f, ws_machine_prepare_launch(odd, &launch));
    ws_profile *none;
    assert_int_equal(ws_device_launch(f->device, f->module, &launch, &none), WS_ERR_ARGUMENT);
    ws_profile_destroy(profile);
    ws_machine_destroy(odd);
    ws_machine_destroy(v100);
    ws_machine_destroy(narrow);
    ws_machine_destroy(wide);
}

/* 32 sectors and lines of the load with .cg, one of the volatile one. */
static void test_loads_past_l1(void **state)
{
    struct fixture *f = *state;
    ws_launch launch = make_launch(f);
    ws_profile *profile;
    must(f, ws_device_launch(f->device, f->module, &launch, &profile));
    assert_true(counter(f, profile, "mem.global.load.sectors32") == 8 + 32 + 1);
    assert_true(counter(f, profile, "mem.global.load.lines128") == 2 + 32 + 1);
    assert_true(counter(f, profile, "mem.global.load.past_l1_sectors32") == 32 + 1);
    assert_true(counter(f, profile, "mem.global.load.past_l1_lines128") == 32 + 1);
    ws_profile_destroy(profile);
}

/* Strides and bases that a table without the wider alignment would mix up. */
static void test_patterns_know_the_alignment(void **state)
{
    (void)state;
    const struct counting_rules rules = {RULE_CC12, 16, {256, 16}, false};
    struct pattern_table table;
    struct access_site site;
    pattern_table_init(&table, rules, lane_math_at(0));
    access_site_init(&site, MEMORY_LOAD, 4, &rules);
    for (uint64_t base = 4096; base < 4096 + 1024; base += 4) {
        for (int64_t stride = 0; stride <= 64; stride += 4) {
            struct access access = {.space = SPACE_GLOBAL,
                                    .shape = stride ? ACCESS_STRIDED : ACCESS_UNIFORM,
                                    .bytes = 4,
                                    .mask = UINT32_MAX,
                                    .base = base,
                                    .stride = stride};
            uint64_t addresses[32];
            for (unsigned i = 0; i < 32; i++)
                addresses[i] = base + i * (uint64_t)stride;
            access.addresses = addresses;
            struct transactions low = coalesce_cc12(addresses, 0xffff, 4, 256, 16);
            struct transactions high = coalesce_cc12(addresses + 16, 0xffff, 4, 256, 16);
            const struct cost *cost = &table.costs[pattern_cost(&table, &site, &access)];
            assert_int_equal(cost->fields[COST_TRANSACTIONS_CC12], low.count + high.count);
            assert_int_equal(cost->fields[COST_TRANSACTIONS_CC12 + 1], low.bytes + high.bytes);
        }
    }
    pattern_table_clear(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_counts_follow_the_segments, setup, teardown),
        cmocka_unit_test_setup_teardown(test_segments_that_cannot_be, setup, teardown),
        cmocka_unit_test_setup_teardown(test_machines_get_their_own_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_loads_past_l1, setup, teardown),
        cmocka_unit_test(test_patterns_know_the_alignment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
