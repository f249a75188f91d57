// SPDX-License-Identifier: Apache-2.0
/* The timing engine on traces by hand, whose cycles follow from the figures of the machine: the
 * micro-benchmarks of Lai and Seznec, section 3.2, and chains that one resource bounds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"

static double ticks_to_cycles(teg_time t)
{
    return (double)t / (double)TEG_CYCLE;
}

#define assert_near(got, want, relative)                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (relative)*fabs(want_)))                                       \
            fail_msg("%s is %g, not %g", #got, got_, want_);                                       \
    } while (0)

/* ---- issue and dependences ------------------------------------------------------------------- */

struct issues {
    size_t count;
    double at[4096];
};

static void keep_issue(void *self, const struct teg_event *event)
{
    struct issues *issues = self;
    if (issues->count < sizeof issues->at / sizeof issues->at[0])
        issues->at[issues->count++] = ticks_to_cycles(event->issue);
}

static void run_observed(const struct fixture *fixture, const struct machine *machine,
                         struct issues *out)
{
    struct diag diag = {0};
    struct profile *profile = profile_create();
    struct estimate *estimate = mem_zalloc(1, sizeof *estimate);
    struct teg_machine teg;
    struct teg_result result;
    profile->grid[0] = profile->grid[1] = profile->grid[2] = 1;
    struct model_input input = {.profile = profile, .machine = machine};
    struct teg_observer observer = {.issue = keep_issue, .self = out};
    out->count = 0;
    assert_int_equal(teg_machine_read(&diag, &input, estimate, &teg), WS_OK);
    struct teg_setup setup = {.trace = fixture->trace,
                              .machine = &teg,
                              .sms = 1,
                              .blocks_per_sm = 1,
                              .block_count = 1,
                              .dram_share = TEG_DRAM_ALL,
                              .written_share = TEG_DRAM_ALL,
                              .observer = &observer};
    assert_int_equal(teg_run(&diag, &setup, &result), WS_OK);
    teg_result_clear(&result);
    profile_destroy(profile);
    mem_free(estimate);
}

/* Listing 3: S2R, SHL, 21 FADD32 that depend on each other, S2R, SHL. The clock is read when S2R
 * issues. "An extra 28 cycles": 24 from S2R to SHL, and SHL's issue latency of 4, which the paper
 * takes here in place of the 8 of its Table 1. (516 - 28 - 8) / 20 = 24. */
static void test_dependent_additions(void **state)
{
    (void)state;
    struct machine *machine =
        fixture_machine("gtx280", (const char *const[]){"machine.issue_latency.shift=4", NULL});
    struct fixture f;
    struct issues issues;
    fixture_begin(&f, 1, 32);
    uint32_t clock_1 = fixture_plain(&f, CLASS_MOVE, 3, -1, -1);
    uint32_t shift_1 = fixture_plain(&f, CLASS_SHIFT, 3, 3, -1);
    uint32_t add = fixture_plain(&f, CLASS_FP32_ADD, 4, 4, 2);
    uint32_t clock_2 = fixture_plain(&f, CLASS_MOVE, 5, -1, -1);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    fixture_step(&f, clock_1);
    fixture_step(&f, shift_1);
    for (unsigned i = 0; i < 21; i++)
        fixture_step(&f, add);
    fixture_step(&f, clock_2);
    fixture_finish(&f);
    run_observed(&f, machine, &issues);
    assert_int_equal(issues.count, 24);
    assert_true(issues.at[23] - issues.at[0] == 516);
    fixture_clear(&f);
    machine_destroy(machine);
}

/* `count` independent instructions of `warps` warps. */
static double independent(const struct machine *machine, enum insn_class id, unsigned warps,
                          unsigned count)
{
    struct fixture f;
    fixture_begin(&f, 1, 32 * warps);
    uint32_t insns[32];
    for (int i = 0; i < 32; i++)
        insns[i] = fixture_plain(&f, id, i, 40, 41);
    fixture_block(&f, 0);
    for (unsigned w = 0; w < warps; w++) {
        fixture_warp(&f, w);
        for (unsigned i = 0; i < count; i++)
            fixture_step(&f, insns[i % 32]);
    }
    fixture_finish(&f);
    double cycles = fixture_cycles(&f, machine, &(struct fixture_run){0});
    fixture_clear(&f);
    return cycles;
}

/* Table 1: issue latencies in one warp and with many. Float multiplications take 2 cycles there, as the
 * special function unit multiplies, too: 16 lanes. */
static void test_table_1(void **state)
{
    (void)state;
    static const struct {
        enum insn_class id;
        double many, same;
    } rows[] = {
        {CLASS_INT_ADD, 4, 8},    {CLASS_INT_MUL24, 4, 8},  {CLASS_FP32_ADD, 4, 8},
        {CLASS_FP32_MUL, 2, 8},   {CLASS_FP32_FMA, 4, 8},   {CLASS_FP64_ADD, 32, 32},
        {CLASS_FP64_MUL, 32, 32}, {CLASS_FP64_FMA, 32, 32},
    };
    struct machine *machine =
        fixture_machine("gtx280", (const char *const[]){"machine.throughput.fp32.mul=16", NULL});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double one = independent(machine, rows[i].id, 1, 100);
        double longer = independent(machine, rows[i].id, 1, 200);
        assert_true((longer - one) / 100 == rows[i].same);
        double many = independent(machine, rows[i].id, 16, 100);
        longer = independent(machine, rows[i].id, 16, 200);
        assert_near((longer - many) / (16 * 100), rows[i].many, 1e-12);
    }
    machine_destroy(machine);
}

/* Four schedulers with 16 lanes each: 2 cycles an instruction; a chain of one warp: 4, and the last
 * result is waited for. */
static void test_volta_throughput(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    double shorter = independent(machine, CLASS_FP32_FMA, 16, 400);
    double longer = independent(machine, CLASS_FP32_FMA, 16, 800);
    assert_near(longer - shorter, 400 * 16 * 32 / 64.0, 1e-12);
    struct fixture f;
    fixture_begin(&f, 1, 32);
    uint32_t fma = fixture_plain(&f, CLASS_FP32_FMA, 1, 1, 2);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    for (unsigned i = 0; i < 1001; i++)
        fixture_step(&f, fma);
    fixture_finish(&f);
    assert_near(fixture_cycles(&f, machine, &(struct fixture_run){0}), 4004, 1e-12);
    assert_near(fixture_cycles(&f, machine,
                               &(struct fixture_run){.effects_off = 1u << EFFECT_INST_LATENCY}),
                2000 + 1, 1e-12);
    fixture_clear(&f);
    machine_destroy(machine);
}

/* 192 lanes and four schedulers that issue pairs: with pairs six warps' instructions a cycle, without four. */
static void test_kepler_pairs(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("gtx680", NULL);
    double shorter = independent(machine, CLASS_FP32_FMA, 32, 192);
    double longer = independent(machine, CLASS_FP32_FMA, 32, 384);
    assert_near(longer - shorter, 192 * 32 / 6.0, 0.002);
    machine_destroy(machine);
    machine = fixture_machine("gtx680", (const char *const[]){"machine.issue.width=1", NULL});
    shorter = independent(machine, CLASS_FP32_FMA, 32, 192);
    longer = independent(machine, CLASS_FP32_FMA, 32, 384);
    assert_near(longer - shorter, 192 * 32 / 4.0, 1e-12);
    machine_destroy(machine);
}

/* ---- shared memory --------------------------------------------------------------------------- */

/* FADD32 R2, g[..], R2 again and again; `stride` in bytes from lane to lane. */
static double shared_chain(const struct machine *machine, unsigned warps, int64_t stride,
                           unsigned count, uint32_t effects_off)
{
    struct fixture f;
    fixture_begin(&f, 1, 32 * warps);
    uint32_t add = fixture_operand(&f, CLASS_FP32_ADD, 2, 2);
    fixture_block(&f, 0);
    for (unsigned w = 0; w < warps; w++) {
        fixture_warp(&f, w);
        for (unsigned i = 0; i < count; i++)
            fixture_step_at(&f, add, SPACE_SHARED, 4, 0, stride);
    }
    fixture_finish(&f);
    double cycles = fixture_cycles(&f, machine, &(struct fixture_run){.effects_off = effects_off});
    fixture_clear(&f);
    return cycles;
}

/* Section 3.3.3: 74 cycles, and 266 if all lanes of a half-warp meet in one bank. */
static void test_shared_operand(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("gtx280", NULL);
    assert_near(shared_chain(machine, 1, 4, 101, 0) - shared_chain(machine, 1, 4, 1, 0), 7400,
                1e-9);
    assert_near(shared_chain(machine, 1, 64, 101, 0) - shared_chain(machine, 1, 64, 1, 0), 26600,
                1e-9);
    assert_near(shared_chain(machine, 1, 0, 101, 0) - shared_chain(machine, 1, 0, 1, 0), 7400,
                1e-9);
    /* Without conflicts as without them. */
    assert_true(shared_chain(machine, 1, 64, 101, 1u << EFFECT_BANK_CONFLICTS) ==
                shared_chain(machine, 1, 4, 101, 0));
    machine_destroy(machine);
}

/* 16 warps: the banks are the limit. A pass serves a half-warp with 8 lanes a cycle: 2 cycles; 2 of
 * them without conflict, 32 with. Two warps do not fill them: both chains run side by side. */
static void test_shared_throughput(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("gtx280", NULL);
    assert_near(shared_chain(machine, 16, 64, 200, 0) - shared_chain(machine, 16, 64, 100, 0),
                100.0 * 16 * 32 * 2, 1e-3);
    assert_near(shared_chain(machine, 32, 4, 200, 0) - shared_chain(machine, 32, 4, 100, 0),
                100.0 * 32 * 4, 1e-3);
    assert_near(shared_chain(machine, 2, 64, 201, 0) - shared_chain(machine, 2, 64, 101, 0),
                26600.0, 0.01);
    machine_destroy(machine);
}

/* ---- global memory --------------------------------------------------------------------------- */

/* `count` loads a warp; dependent ones read the register that they write. Each warp and load has its
 * own 32 * bytes, spread by `stride`. */
static double loads(const struct machine *machine, unsigned warps, unsigned count, unsigned bytes,
                    int64_t stride, bool dependent, uint32_t effects_off)
{
    struct fixture f;
    fixture_begin(&f, 1, 32 * warps);
    uint32_t insns[32];
    for (int i = 0; i < 32; i++)
        insns[i] = fixture_access(&f, CLASS_MEM_GLOBAL_LOAD, SPACE_GLOBAL, bytes,
                                  dependent ? 1 : 2 + i, 1);
    fixture_block(&f, 0);
    for (unsigned w = 0; w < warps; w++) {
        fixture_warp(&f, w);
        for (unsigned i = 0; i < count; i++)
            fixture_step_at(&f, insns[i % 32], SPACE_GLOBAL, bytes,
                            0x10000000 + (uint64_t)(i * warps + w) * 32 * (uint64_t)stride, stride);
    }
    fixture_finish(&f);
    double cycles = fixture_cycles(&f, machine, &(struct fixture_run){.effects_off = effects_off});
    fixture_clear(&f);
    return cycles;
}

/* A pointer chase takes the latency a step, and the transfer of the first half-warp's 64 bytes at
 * 10.9 bytes a cycle; independent loads of one warp one in 60 cycles. */
static void test_loads_of_one_warp(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("gtx280", NULL);
    double one = loads(machine, 1, 1, 4, 4, true, 0);
    assert_near(loads(machine, 1, 101, 4, 4, true, 0) - one,
                100 * (450.0 + 64 / (141.7e9 / 10 / 1.3e9)), 1e-6);
    assert_near(loads(machine, 1, 101, 4, 4, false, 0) - one, 100 * 60.0, 1e-9);
    one = loads(machine, 1, 1, 4, 4, true, 1u << EFFECT_MEM_LATENCY);
    assert_near(loads(machine, 1, 101, 4, 4, true, 1u << EFFECT_MEM_LATENCY) - one, 100 * 60.0,
                1e-9);
    machine_destroy(machine);
}

/* A cluster has a tenth of 141.7 GB/s at 1.3 GHz: 10.9 bytes a cycle. Doubles: 256 bytes a load. 32
 * lanes 32 bytes apart: 32 transactions of 32 bytes. */
static void test_bandwidth(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("gtx280", NULL);
    double share = 141.7e9 / 10 / 1.3e9;
    double shorter = loads(machine, 16, 50, 8, 8, false, 0);
    double longer = loads(machine, 16, 100, 8, 8, false, 0);
    assert_near(longer - shorter, 50 * 16 * 256 / share, 2e-3);
    shorter = loads(machine, 16, 50, 4, 32, false, 0);
    longer = loads(machine, 16, 100, 4, 32, false, 0);
    assert_near(longer - shorter, 50 * 16 * 32 * 32 / share, 2e-3);
    double packed = loads(machine, 16, 100, 4, 32, false, 1u << EFFECT_UNCOALESCED) -
                    loads(machine, 16, 50, 4, 32, false, 1u << EFFECT_UNCOALESCED);
    assert_near(packed, 50 * 16 * 128 / share, 2e-3);
    /* Infinite bandwidth: the load/store unit's 4 cycles are left. */
    double infinite = loads(machine, 16, 100, 8, 8, false, 1u << EFFECT_BANDWIDTH) -
                      loads(machine, 16, 50, 8, 8, false, 1u << EFFECT_BANDWIDTH);
    assert_near(infinite, 50 * 16 * 4, 2e-2);
    machine_destroy(machine);
}

/* Section 3.2.4: about 18 transactions of doubles, 37 of floats, may be unfinished in a cluster. */
static void test_cmem(void **state)
{
    (void)state;
    assert_true(floor(teg_cmem(140e9, 440, 10, 8, 1.296e9)) == 18);
    assert_true(floor(teg_cmem(140e9, 440, 10, 4, 1.296e9)) == 37);
    /* All loads hit channel 0 of 8: an eighth of the share. */
    struct machine *machine = fixture_machine("gtx280", NULL);
    double even = loads(machine, 16, 200, 8, 8, false, 0) - loads(machine, 16, 100, 8, 8, false, 0);
    struct fixture f;
    double cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        fixture_begin(&f, 1, 512);
        uint32_t load = fixture_access(&f, CLASS_MEM_GLOBAL_LOAD, SPACE_GLOBAL, 8, 2, 1);
        fixture_block(&f, 0);
        for (unsigned w = 0; w < 16; w++) {
            fixture_warp(&f, w);
            for (unsigned i = 0; i < 100 * (k + 1); i++)
                fixture_step_at(&f, load, SPACE_GLOBAL, 8, 0x10000000 + (i * 16 + w) * 2048, 8);
        }
        fixture_finish(&f);
        cycles[k] = fixture_cycles(&f, machine, &(struct fixture_run){0});
        fixture_clear(&f);
    }
    assert_near(cycles[1] - cycles[0], 8 * even, 0.02);
    machine_destroy(machine);
}

/* ---- caches ---------------------------------------------------------------------------------- */

static double chase(const struct machine *machine, unsigned lines, unsigned rounds)
{
    struct fixture f;
    fixture_begin(&f, 80, 32);
    uint32_t load = fixture_access(&f, CLASS_MEM_GLOBAL_LOAD, SPACE_GLOBAL, 4, 1, 1);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    for (unsigned r = 0; r < rounds; r++)
        for (unsigned i = 0; i < lines; i++)
            fixture_step_at(&f, load, SPACE_GLOBAL, 4, 0x10000000 + (uint64_t)i * 128, 0);
    fixture_finish(&f);
    double cycles = fixture_cycles(&f, machine, &(struct fixture_run){0});
    fixture_clear(&f);
    return cycles;
}

/* V100: 434 cycles from DRAM, 207 from the L2, 28 from the L1; 128 KiB of L1, 6 MiB of L2. */
static void test_caches(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    assert_near(chase(machine, 100, 1), 100 * 434, 1e-9);
    assert_near(chase(machine, 100, 3) - chase(machine, 100, 2), 100 * 28, 1e-9);
    assert_near(chase(machine, 2048, 3) - chase(machine, 2048, 2), 2048 * 207, 1e-9);
    machine_destroy(machine);
}

/* A V100's SM has an eightieth of the 867 GB/s that are sustained, at 1.53 GHz. */
static void test_dram_share(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    struct fixture f;
    double cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        fixture_begin(&f, 80, 1024);
        uint32_t load = fixture_access(&f, CLASS_MEM_GLOBAL_LOAD, SPACE_GLOBAL, 4, 2, 1);
        fixture_block(&f, 0);
        for (unsigned w = 0; w < 32; w++) {
            fixture_warp(&f, w);
            for (unsigned i = 0; i < 100 * (k + 1); i++)
                fixture_step_at(&f, load, SPACE_GLOBAL, 4, 0x10000000 + (i * 32 + w) * 128, 4);
        }
        fixture_finish(&f);
        cycles[k] = fixture_cycles(&f, machine, &(struct fixture_run){0});
        fixture_clear(&f);
    }
    assert_near(cycles[1] - cycles[0], 100 * 32 * 128 / (867e9 / 80 / 1.53e9), 2e-3);
    machine_destroy(machine);
}

/* ---- barriers -------------------------------------------------------------------------------- */

/* Warp 0 works for long, warp 1 waits for it, then works as long. */
static void test_barrier(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    struct fixture f;
    struct teg_result result;
    fixture_begin(&f, 1, 64);
    uint32_t fma = fixture_plain(&f, CLASS_FP32_FMA, 1, 1, 2);
    uint32_t barrier = fixture_barrier(&f, TRACE_BARRIER_SYNC, 0, TRACE_BARRIER_ALL);
    fixture_block(&f, 0);
    for (unsigned w = 0; w < 2; w++) {
        fixture_warp(&f, w);
        for (unsigned i = 0; w == 0 && i < 1000; i++)
            fixture_step(&f, fma);
        fixture_step(&f, barrier);
        for (unsigned i = 0; w == 1 && i < 1000; i++)
            fixture_step(&f, fma);
    }
    fixture_finish(&f);
    fixture_run(&f, machine, &(struct fixture_run){0}, &result);
    assert_near(ticks_to_cycles(result.retired), 2 * 4000, 5e-3);
    assert_near(ticks_to_cycles(result.stalls[TEG_STALL_BARRIER]), 4000, 5e-3);
    teg_time sum = 0;
    for (unsigned i = 0; i < TEG_STALL_COUNT; i++)
        sum += result.stalls[i];
    assert_true(sum == result.warp_time);
    teg_result_clear(&result);
    fixture_run(&f, machine, &(struct fixture_run){.effects_off = 1u << EFFECT_SYNC}, &result);
    assert_near(ticks_to_cycles(result.retired), 4000, 5e-3);
    teg_result_clear(&result);
    fixture_clear(&f);
    machine_destroy(machine);
}

/* Warp 1 makes, warp 0 takes: arrive and wait at barrier 3 for 64 threads; a third warp stays out. */
static void test_named_barrier(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    struct fixture f;
    struct teg_result result;
    fixture_begin(&f, 1, 96);
    uint32_t fma = fixture_plain(&f, CLASS_FP32_FMA, 1, 1, 2);
    uint32_t arrive = fixture_barrier(&f, TRACE_BARRIER_ARRIVE, 3, 64);
    uint32_t wait = fixture_barrier(&f, TRACE_BARRIER_SYNC, 3, 64);
    fixture_block(&f, 0);
    for (unsigned w = 0; w < 3; w++) {
        fixture_warp(&f, w);
        for (unsigned i = 0; w == 1 && i < 500; i++)
            fixture_step(&f, fma);
        if (w < 2) fixture_step(&f, w ? arrive : wait);
        for (unsigned i = 0; w == 0 && i < 500; i++)
            fixture_step(&f, fma);
        fixture_step(&f, fma);
    }
    fixture_finish(&f);
    fixture_run(&f, machine, &(struct fixture_run){0}, &result);
    assert_near(ticks_to_cycles(result.retired), 4000, 1e-2);
    assert_int_equal(result.barrier_waits, 1);
    teg_result_clear(&result);
    fixture_clear(&f);
    machine_destroy(machine);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Seven blocks of one chain on an SM that holds two: four waves. */
static void test_waves(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    struct fixture f;
    fixture_begin(&f, 7, 32);
    uint32_t fma = fixture_plain(&f, CLASS_FP32_FMA, 1, 1, 2);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    for (unsigned i = 0; i < 250; i++)
        fixture_step(&f, fma);
    fixture_finish(&f);
    struct fixture_run run = {.blocks_per_sm = 2, .blocks = 7};
    assert_near(fixture_cycles(&f, machine, &run), 4 * 250 * 4, 1e-12);
    run.warps_per_sm = 1;
    run.blocks = 1;
    assert_near(fixture_cycles(&f, machine, &run), 250 * 4, 1e-12);
    fixture_clear(&f);
    machine_destroy(machine);
}

/* ---- bad input ------------------------------------------------------------------------------- */

static void test_deadlock(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    struct diag diag = {0};
    struct fixture f;
    struct teg_result result;
    struct teg_machine teg;
    struct estimate *estimate = mem_zalloc(1, sizeof *estimate);
    struct profile *profile = profile_create();
    fixture_begin(&f, 1, 32);
    uint32_t wait = fixture_barrier(&f, TRACE_BARRIER_SYNC, 5, 64);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    fixture_step(&f, wait);
    fixture_step(&f, wait);
    fixture_finish(&f);
    struct model_input input = {.profile = profile, .machine = machine};
    assert_int_equal(teg_machine_read(&diag, &input, estimate, &teg), WS_OK);
    struct teg_setup setup = {.trace = f.trace,
                              .machine = &teg,
                              .sms = 1,
                              .blocks_per_sm = 1,
                              .block_count = 1,
                              .dram_share = TEG_DRAM_ALL,
                              .written_share = TEG_DRAM_ALL};
    assert_int_equal(teg_run(&diag, &setup, &result), WS_ERR_NO_MODEL);
    assert_non_null(strstr(diag.text, "warp 0 of block 0 waits at barrier 5"));
    setup.block_count = 0;
    assert_int_equal(teg_run(&diag, &setup, &result), WS_ERR_NO_MODEL);
    diag_clear(&diag);
    mem_free(estimate);
    profile_destroy(profile);
    fixture_clear(&f);
    machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependent_additions),
        cmocka_unit_test(test_table_1),
        cmocka_unit_test(test_volta_throughput),
        cmocka_unit_test(test_kepler_pairs),
        cmocka_unit_test(test_shared_operand),
        cmocka_unit_test(test_shared_throughput),
        cmocka_unit_test(test_loads_of_one_warp),
        cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_cmem),
        cmocka_unit_test(test_caches),
        cmocka_unit_test(test_dram_share),
        cmocka_unit_test(test_barrier),
        cmocka_unit_test(test_named_barrier),
        cmocka_unit_test(test_waves),
        cmocka_unit_test(test_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
