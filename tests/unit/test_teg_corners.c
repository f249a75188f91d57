// SPDX-License-Identifier: Apache-2.0
/* The model teg: policies of the scoreboard, and launches with next to nothing to time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "model/core/needs.h"
#include "model/teg/teg_grid.h"

#include "../support/teg_fixture.h"
#include "../support/teg_kernel.h"

#define assert_near(got, want, relative)                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (relative)*fabs(want_)))                                       \
            fail_msg("%s is %.9g, not %.9g", #got, got_, want_);                                   \
    } while (0)

/* ---- scoreboard -------------------------------------------------------------------------------- */

/* A load that nobody reads, always to the same register, and ten additions in a chain. */
static void unread_loads(FILE *out, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fputs("ld.global.cg.u32 %r4, [%rd0];\n", out);
        for (unsigned k = 0; k < 10; k++)
            fputs("add.f32 %f2, %f2, %f1;\n", out);
    }
}

/* V100: 207 cycles for a load from the L2, 4 for an addition. A load waits for the one before it, as both write
 * one register; or nobody for it; or the first addition for it, and the next load comes a cycle after the tenth. */
static void test_scoreboard(void **state)
{
    (void)state;
    struct kernel_run run = {.gpu = "v100"};
    assert_near(kernel_slope(&run, unread_loads, 50), 207, 1e-3);
    run.changes[0] = "machine.issue.scoreboard=2";
    assert_near(kernel_slope(&run, unread_loads, 50), 10 * 4, 1e-3);
    run.changes[0] = "machine.issue.scoreboard=3";
    assert_near(kernel_slope(&run, unread_loads, 50), 207 + 9 * 4 + 1, 1e-3);
}

/* ---- next to nothing --------------------------------------------------------------------------- */

static void nothing(FILE *out, unsigned count)
{
    (void)out;
    (void)count;
}

/* All warps leave at once: as many blocks at a time as fit, and never a deadlock. */
static void test_exit_at_once(void **state)
{
    (void)state;
    static const unsigned blocks[] = {1, 33, 1024};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        struct kernel_run run = {.gpu = "v100", .grid = 10000, .block = blocks[i]};
        double cycles = kernel_cycles(&run, nothing, 0);
        assert_true(cycles > 0 && isfinite(cycles));
    }
}

/* Warps 0 and 2 have no instruction, nor has block 1: the chain of 100 additions of warp 1 of the other two is what
 * there is, one after the other. */
static void test_empty_warps(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    struct fixture f;
    fixture_begin(&f, 3, 96);
    uint32_t fma = fixture_plain(&f, CLASS_FP32_FMA, 1, 1, 2);
    for (uint64_t block = 0; block < 3; block++) {
        fixture_block(&f, block);
        for (unsigned i = 0; block != 1 && i < 100; i++) {
            if (!i) fixture_warp(&f, 1);
            fixture_step(&f, fma);
        }
    }
    fixture_finish(&f);
    struct fixture_run run = {.blocks = 3};
    assert_near(fixture_cycles(&f, machine, &run), 2 * 100 * 4, 1e-12);
    run.blocks_per_sm = 2;
    assert_near(fixture_cycles(&f, machine, &run), 100 * 4, 0.02);
    fixture_clear(&f);
    machine_destroy(machine);
}

/* ---- figures that a machine file does not give -------------------------------------------------- */

/* doc/models/teg.md: each of these is necessary; the message names it by its path. */
static void test_missing_figures(void **state)
{
    (void)state;
    static const char *const needed[] = {
        "sm.count",     "clock.core",  "issue.cycles", "dram.bandwidth",
        "dram.latency", "global.rule", "shared.banks", "throughput.fp32.fma",
    };
    struct profile *profile = profile_create();
    struct arena arena = {0};
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
        struct machine *machine = fixture_machine("v100", NULL);
        int key = machine_key_find(needed[i]);
        assert_true(key >= 0);
        machine->values[key].known = false;
        struct model_input input = {.profile = profile, .machine = machine, .arena = &arena};
        const char *lacks = needs_check(model_find("teg"), &input, NULL);
        if (!lacks || !strstr(lacks, needed[i]))
            fail_msg("without %s: %s", needed[i], lacks ? lacks : "it answers");
        machine_destroy(machine);
    }
    arena_clear(&arena);
    profile_destroy(profile);
}

/* An SM with two places issues an instruction a tick; each block has 60. In turn, the first two and a half: one ends at
 * 100, beside 40 instructions of the other, that at 140, beside 20 of the third, which ends alone. So 140 ticks pass
 * while both places are taken, and 140 instructions: 60 ticks a block, where two blocks in 140 ticks would be 70. Of
 * five blocks that overlap alike, what lies between the second end and the fourth counts. */
static void test_steady_rate(void **state)
{
    (void)state;
    teg_time ends[] = {100, 140, 180, 0, 0}, more[] = {105, 145, 195, 265, 325};
    uint64_t issued[] = {100, 140, 180, 0, 0}, behind[] = {100, 140, 190, 260, 300};
    struct teg_grid a = {.blocks = 100, .wave = 2};
    a.result = (struct teg_result){
        .block_count = 3, .issued = 180, .block_ends = ends, .block_issued = issued};
    assert_near(teg_steady_rate(&a), 60, 1e-12);
    a.result = (struct teg_result){
        .begun = 5, .block_count = 5, .issued = 300, .block_ends = more, .block_issued = behind};
    assert_near(teg_steady_rate(&a), 60.0 * (265 - 145) / (260 - 140), 1e-12);
    a.blocks = 2;
    assert_true(teg_steady_rate(&a) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scoreboard),  cmocka_unit_test(test_exit_at_once),
        cmocka_unit_test(test_empty_warps), cmocka_unit_test(test_missing_figures),
        cmocka_unit_test(test_steady_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
