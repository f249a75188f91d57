// SPDX-License-Identifier: Apache-2.0
/* Spilled registers: where they are put, what is counted, and what they take in the model teg. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"
#include "../support/teg_kernel.h"

enum { VALUES = 4, SCALE = 10 };

/* Four values are loaded, then read in the same order. */
static struct profile *four_values(struct fixture *fixture, unsigned stores, unsigned loads)
{
    fixture_begin(fixture, 1, 32);
    for (int i = 0; i < VALUES; i++)
        fixture_access(fixture, CLASS_MEM_GLOBAL_LOAD, SPACE_GLOBAL, 4, i, -1);
    for (int i = 0; i < VALUES; i++)
        fixture_plain(fixture, CLASS_FP32_ADD, -1, i, -1);
    fixture_block(fixture, 0);
    fixture_warp(fixture, 0);
    for (uint32_t i = 0; i < VALUES; i++)
        fixture_step_at(fixture, i, SPACE_GLOBAL, 4, 4096 + 128 * (uint64_t)i, 4);
    for (uint32_t i = VALUES; i < 2 * VALUES; i++)
        fixture_step(fixture, i);
    fixture_finish(fixture);
    struct profile *profile = profile_create();
    profile->trace = trace_share(fixture->trace);
    profile->local_bytes_per_thread = 6;
    profile->register_count = 1;
    profile->registers[0] = (struct register_count){.target = 80,
                                                    .value = 16,
                                                    .from = "ptxas",
                                                    .spill_store_bytes = 4 * stores,
                                                    .spill_load_bytes = 4 * loads};
    profile_set(profile, COUNTER_INST_WARP, SCALE * 2 * VALUES, ORIGIN_EMULATED);
    profile_set(profile, COUNTER_MEM_LOCAL_LOAD_REQUESTS, 0, ORIGIN_EMULATED);
    profile_set(profile, COUNTER_MEM_LOCAL_LOAD_SECTORS32, 0, ORIGIN_EMULATED);
    profile_set(profile, COUNTER_MEM_LOCAL_STORE_BYTES_REQUESTED, 0, ORIGIN_EMULATED);
    return profile;
}

/* Three registers are one too few: as the fourth value comes, the third is needed last of those that are there. */
static void test_places(void **state)
{
    (void)state;
    struct fixture fixture;
    struct profile *profile = four_values(&fixture, 1, 1);
    struct profile *spilled = profile_with_spills(profile, 80);
    assert_non_null(spilled);
    const struct trace *trace = spilled->trace;
    static const uint8_t operations[] = {
        TRACE_LOAD,      TRACE_LOAD,      TRACE_LOAD, TRACE_STORE,     TRACE_LOAD,
        TRACE_NO_ACCESS, TRACE_NO_ACCESS, TRACE_LOAD, TRACE_NO_ACCESS, TRACE_NO_ACCESS};
    assert_int_equal(trace->insn_count, 10);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(trace->insns[i].operation, operations[i]);
        assert_int_equal(trace->insns[i].is_spill, i == 3 || i == 7);
    }
    assert_int_equal(trace_reads(trace, &trace->insns[3])[0], 2);
    assert_int_equal(trace_writes(trace, &trace->insns[7])[0], 2);
    struct trace_cursor cursor;
    struct trace_step step;
    trace_cursor_init(&cursor, trace, &trace->blocks[0], 0);
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(trace_cursor_next(&cursor, &step));
        assert_int_equal(step.insn, i);
        if (i < 3) assert_int_equal(step.accesses[0].base, 4096 + 128 * i);
        if (trace->insns[i].is_spill) assert_int_equal(step.accesses[0].base, 8); /* behind 6 */
    }
    assert_false(trace_cursor_next(&cursor, &step));
    trace_cursor_clear(&cursor);
    profile_drop_spills(spilled);
    profile_destroy(profile);
    fixture_clear(&fixture);
}

/* Of ten such warps; what was not counted stays so. */
static void test_counters(void **state)
{
    (void)state;
    struct fixture fixture;
    struct profile *profile = four_values(&fixture, 1, 2);
    struct profile *spilled = profile_with_spills(profile, 80);
    assert_non_null(spilled);
    assert_true(profile_get(spilled, COUNTER_INST_WARP) == SCALE * (2 * VALUES + 3));
    assert_true(profile_get(spilled, COUNTER_MEM_LOCAL_LOAD_REQUESTS) == SCALE * 2);
    assert_true(profile_get(spilled, COUNTER_MEM_LOCAL_LOAD_SECTORS32) == SCALE * 2 * 4);
    assert_true(profile_get(spilled, COUNTER_MEM_LOCAL_STORE_BYTES_REQUESTED) == SCALE * 128);
    assert_false(profile_has(spilled, COUNTER_MEM_LOCAL_STORE_REQUESTS));
    assert_true(profile_get(profile, COUNTER_INST_WARP) == SCALE * 2 * VALUES);
    profile_drop_spills(spilled);
    profile_destroy(profile);
    fixture_clear(&fixture);
}

static void test_nothing(void **state)
{
    (void)state;
    struct fixture fixture;
    struct profile *profile = four_values(&fixture, 0, 0);
    assert_null(profile_with_spills(profile, 80));
    profile->registers[0].spill_load_bytes = 4;
    trace_destroy(profile->trace);
    profile->trace = NULL;
    assert_null(profile_with_spills(profile, 80));
    profile_destroy(profile);
    fixture_clear(&fixture);
}

/* ---- time -------------------------------------------------------------------------------------- */

/* 62 values are made, then read again and again. */
static void sweeps(FILE *out, unsigned count)
{
    for (unsigned i = 2; i < 64; i++)
        fprintf(out, "add.f32 %%f%u, %%f0, %%f1;\n", i);
    for (unsigned k = 0; k < count; k++)
        for (unsigned i = 2; i < 64; i++)
            fprintf(out, "add.f32 %%f0, %%f%u, %%f1;\n", i);
}

enum { WARPS = 16, SWEEPS = 10 };

static double spilled_cycles(struct kernel_run run, unsigned stores, unsigned loads)
{
    run.spilled_stores = stores;
    run.spilled_loads = loads;
    return kernel_cycles(&run, sweeps, SWEEPS);
}

static struct kernel_run one_block(void)
{
    return (struct kernel_run){
        .gpu = "v100", .changes = {"machine.l1.bandwidth=8"}, .block = 32 * WARPS};
}

static void check_near(double got, double want, double relative)
{
    if (!(fabs(got - want) <= relative * want)) fail_msg("%.9g is not %.9g", got, want);
}

/* Each reload of a warp takes a line through an L1 of 8 bytes a cycle: 16 cycles. What all warps spill, 64 bytes a
 * thread, is in it. */
static void test_loads(void **state)
{
    (void)state;
    struct kernel_run run = one_block();
    double more = spilled_cycles(run, 16, 1600) - spilled_cycles(run, 16, 800);
    check_near(more, 800 * WARPS * 16, 0.005);
    run.spills = "none";
    double none = spilled_cycles(run, 16, 400);
    assert_true(none == spilled_cycles(run, 0, 0));
    run.spills = NULL;
    assert_true(none == spilled_cycles(run, 0, 0));
}

/* Each store of a warp is a packet of a header and four sectors on the way to the L2, 32 bytes a cycle. */
static void test_stores(void **state)
{
    (void)state;
    struct kernel_run run = one_block();
    run.changes[0] = "machine.l1.bandwidth=128";
    double more = spilled_cycles(run, 400, 1) - spilled_cycles(run, 200, 1);
    check_near(more, 200 * WARPS * 5, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),  cmocka_unit_test(test_counters),
        cmocka_unit_test(test_nothing), cmocka_unit_test(test_loads),
        cmocka_unit_test(test_stores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
