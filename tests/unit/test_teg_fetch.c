// SPDX-License-Identifier: Apache-2.0
/* Instructions and constants that no cache has yet, on traces by hand. V100: 434 cycles from DRAM, 207 from L2,
 * both with the 28 of an L1 that a fetch does not pass; 79 from the cache of the SM to that of a part, there and
 * back. A line has 8 instructions; an independent addition of one warp takes 2 cycles (16 lanes). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"

enum { LINE = 8, ISSUE = 2, RESULT = 4, CACHES = 79, DRAM = 434 - 28, L2 = 207 - 28 };
/* Lines that come together: the one that misses and those that the stream buffer asks for. */
enum { BURST = 1 + 16 };
/* The first line, then the constants that its first instruction reads. */
enum { START = 2 * (CACHES + DRAM) };

#define assert_cycles(got, want)                                                                   \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) < 1e-6)) fail_msg("%s is %.9g, not %.9g", #got, got_, want_);     \
    } while (0)

/* `lines` of additions that each warp of a block executes `rounds` times; cycles of `blocks` on one SM, one after
 * the other. */
struct code {
    unsigned lines, rounds, warps, blocks;
    const char *gpu;
    const char *changes[4];
    uint32_t effects_off;
    bool has_l2_code;
};

static double cycles_of(const struct code *code)
{
    struct machine *machine = fixture_machine(code->gpu ? code->gpu : "v100", code->changes);
    unsigned count = code->lines * LINE, warps = code->warps ? code->warps : 1;
    struct fixture f;
    fixture_begin(&f, 1, 32 * warps);
    uint32_t *insns = calloc(count, sizeof *insns);
    for (unsigned i = 0; i < count; i++)
        insns[i] = fixture_plain(&f, CLASS_FP32_ADD, (int)(i % 32), 40, 41);
    fixture_block(&f, 0);
    for (unsigned w = 0; w < warps; w++) {
        fixture_warp(&f, w);
        for (unsigned i = 0; i < count * (code->rounds ? code->rounds : 1); i++)
            fixture_step(&f, insns[i % count]);
    }
    free(insns);
    fixture_finish(&f);
    double cycles = fixture_cycles(&f, machine,
                                   &(struct fixture_run){.blocks = code->blocks,
                                                         .effects_off = code->effects_off,
                                                         .is_cold = true,
                                                         .has_l2_code = code->has_l2_code});
    fixture_clear(&f);
    machine_destroy(machine);
    return cycles;
}

/* n lines that are there: the last issue and its result. */
static double warm(unsigned lines)
{
    return ((double)lines * LINE - 1) * ISSUE + RESULT;
}

/* The first burst and the first constants. */
static void test_start(void **state)
{
    (void)state;
    assert_cycles(cycles_of(&(struct code){.lines = 1}), START + warm(1));
    assert_cycles(cycles_of(&(struct code){.lines = BURST}), START + warm(BURST));
    assert_cycles(cycles_of(&(struct code){.lines = BURST, .effects_off = 1u << EFFECT_FETCH}),
                  warm(BURST));
    assert_cycles(cycles_of(&(struct code){.lines = 1, .changes = {"machine.dram.latency=1034"}}),
                  START + 2 * 600 + warm(1));
    /* Before cc 7.0 nothing is known. */
    struct code pascal = {.lines = 9, .gpu = "p100-pcie"};
    double cold = cycles_of(&pascal);
    pascal.effects_off = 1u << EFFECT_FETCH;
    assert_cycles(cold, cycles_of(&pascal));
}

/* A launch like it came before: the L2 has the line and the constants. */
static void test_warm_start(void **state)
{
    (void)state;
    assert_cycles(cycles_of(&(struct code){.lines = 1, .has_l2_code = true}),
                  2 * (CACHES + L2) + warm(1));
}

/* An empty kernel: 2,300 to 2,600 cycles on a Quadro GV100, with what is outside the SMs. */
static void test_empty_kernel(void **state)
{
    (void)state;
    double outside = 1400, cycles = outside + cycles_of(&(struct code){.lines = 1});
    assert_true(cycles > 2300 && cycles < 2600);
}

/* Straight on: the line behind a burst is asked for with the last addition of the burst's first line. */
static void test_straight_on(void **state)
{
    (void)state;
    double shorter = cycles_of(&(struct code){.lines = 3 * BURST});
    double longer = cycles_of(&(struct code){.lines = 7 * BURST});
    assert_cycles(longer - shorter, 4 * (CACHES + DRAM + (LINE - 1) * ISSUE));
    /* Four cycles from the L1 on: never waited for. */
    struct code near = {.lines = 33,
                        .changes = {"machine.dram.latency=32", "machine.l2.latency=32"}};
    assert_cycles(cycles_of(&near), 2 * (CACHES + 4) + warm(33));
}

/* Once for the SM: the next block finds all, and another part of the SM waits for the same lines. */
static void test_once(void **state)
{
    (void)state;
    double first = cycles_of(&(struct code){.lines = 33});
    assert_cycles(cycles_of(&(struct code){.lines = 33, .blocks = 2}), first + warm(33));
    assert_cycles(cycles_of(&(struct code){.lines = 33, .warps = 4}), first);
}

/* 12 KiB hold 96 lines. A loop of more misses all of them again, least recently used first: at the jump back
 * 79 cycles from the issue of the last addition, behind it the stream buffer is ahead. */
static void test_loop_beyond_the_cache(void **state)
{
    (void)state;
    double once = cycles_of(&(struct code){.lines = 96});
    assert_cycles(cycles_of(&(struct code){.lines = 96, .rounds = 2}), once + 96 * LINE * ISSUE);
    once = cycles_of(&(struct code){.lines = 97});
    double twice = cycles_of(&(struct code){.lines = 97, .rounds = 2});
    assert_cycles(twice, once + 97 * LINE * ISSUE + CACHES - ISSUE);
    /* From cc 8.0 on 32 KiB. */
    struct code later = {.lines = 256, .gpu = "a100-sxm4-40gb"};
    once = cycles_of(&later);
    later.rounds = 2;
    assert_cycles(cycles_of(&later), once + 256 * LINE * ISSUE);
}

/* 1,024 lines in the cache of the SM; those of a longer loop come from L2 again, burst by burst. Behind
 * the last one there is nothing to ask for: the first line is asked for with its last addition. */
static void test_loop_beyond_the_sm(void **state)
{
    (void)state;
    double once = cycles_of(&(struct code){.lines = 61 * BURST});
    double twice = cycles_of(&(struct code){.lines = 61 * BURST, .rounds = 2});
    assert_cycles(twice - once, 60 * (CACHES + L2 + (LINE - 1) * ISSUE) + CACHES + L2 +
                                    (BURST * LINE - 1) * ISSUE);
}

/* Parameters are another line of constants: the first instruction that reads one waits for it, once. */
static void test_parameters(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    struct fixture f;
    struct teg_result result;
    fixture_begin(&f, 1, 32);
    uint32_t load = fixture_plain(&f, CLASS_MEM_PARAM_LOAD, 1, -1, -1);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    fixture_step(&f, load);
    fixture_finish(&f);
    const struct fixture_run cold = {.blocks = 2, .is_cold = true}, at_hand = {.blocks = 2};
    double cycles = fixture_cycles(&f, machine, &cold);
    assert_cycles(cycles, START + CACHES + DRAM + fixture_cycles(&f, machine, &at_hand));
    fixture_run(&f, machine, &cold, &result);
    assert_cycles((double)result.stalls[TEG_STALL_IMC_MISS] / (double)TEG_CYCLE,
                  START + CACHES + DRAM);
    teg_result_clear(&result);
    fixture_clear(&f);
    machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_empty_kernel),
        cmocka_unit_test(test_straight_on),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_loop_beyond_the_cache),
        cmocka_unit_test(test_loop_beyond_the_sm),
        cmocka_unit_test(test_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
