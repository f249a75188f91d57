// SPDX-License-Identifier: Apache-2.0
/* The core of Volta and later, on traces by hand: the order of issues that Huerta et al. (MICRO 2025) saw on
 * hardware. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"

/* ---- whose turn it is ------------------------------------------------------------------------ */

/* One scheduler that issues an addition a cycle. */
static const char *const one_scheduler[] = {"machine.issue.schedulers=1",
                                            "machine.sm.subpartitions=1",
                                            "machine.throughput.fp32.add=32", NULL};

struct issues {
    size_t count;
    struct teg_event events[1024];
};

static void keep_issue(void *self, const struct teg_event *event)
{
    struct issues *issues = self;
    if (issues->count < sizeof issues->events / sizeof issues->events[0])
        issues->events[issues->count++] = *event;
}

static void observe(const struct fixture *fixture, const char *const *changes,
                    struct issues *issues)
{
    struct machine *machine = fixture_machine("v100", changes);
    struct teg_observer observer = {.issue = keep_issue, .self = issues};
    struct teg_result result;
    issues->count = 0;
    fixture_run(fixture, machine,
                &(struct fixture_run){.policy = TEG_GREEDY_YOUNGEST, .observer = &observer},
                &result);
    teg_result_clear(&result);
    machine_destroy(machine);
}

/* `count` issues of one warp after the other, from `cycle` on. */
static void assert_issues(const struct issues *issues, size_t *at, uint32_t warp, unsigned count,
                          unsigned cycle)
{
    for (unsigned i = 0; i < count; i++, (*at)++) {
        assert_true(*at < issues->count);
        assert_int_equal(issues->events[*at].warp, warp);
        assert_int_equal(issues->events[*at].issue, (cycle + i) * TEG_CYCLE);
    }
}

enum { WARPS = 4, COUNT = 32 };

/* Four warps of 32 additions; the third needs the second's result if `depends`. */
static void four_warps(struct fixture *f, bool depends)
{
    uint32_t insns[COUNT];
    fixture_begin(f, 1, 32 * WARPS);
    for (int i = 0; i < COUNT; i++)
        insns[i] = fixture_plain(f, CLASS_FP32_ADD, i, depends && i == 2 ? 1 : 40, 41);
    fixture_block(f, 0);
    for (unsigned w = 0; w < WARPS; w++) {
        fixture_warp(f, w);
        for (unsigned i = 0; i < COUNT; i++)
            fixture_step(f, insns[i]);
    }
    fixture_finish(f);
}

/* Their figure 4a without the cache miss: the youngest warp to its end, then the next. */
static void test_greedy(void **state)
{
    (void)state;
    struct fixture f;
    struct issues issues;
    size_t at = 0;
    four_warps(&f, false);
    observe(&f, one_scheduler, &issues);
    for (uint32_t warp = WARPS; warp-- > 0;)
        assert_issues(&issues, &at, warp, COUNT, (WARPS - 1 - warp) * COUNT);
    assert_int_equal(at, issues.count);
    fixture_clear(&f);
}

/* Figure 4b: a wait of four cycles behind the second instruction. The three youngest take turns of two, then
 * the youngest is ready and goes to its end; nobody hides the wait of the oldest. */
static void test_then_youngest(void **state)
{
    (void)state;
    struct fixture f;
    struct issues issues;
    size_t at = 0;
    four_warps(&f, true);
    observe(&f, one_scheduler, &issues);
    for (uint32_t warp = 3; warp > 0; warp--)
        assert_issues(&issues, &at, warp, 2, (3 - warp) * 2);
    for (uint32_t warp = 3; warp > 0; warp--)
        assert_issues(&issues, &at, warp, COUNT - 2, 6 + (3 - warp) * (COUNT - 2));
    assert_issues(&issues, &at, 0, 2, 96);
    assert_issues(&issues, &at, 0, COUNT - 2, 96 + 1 + 4);
    assert_int_equal(at, issues.count);
    fixture_clear(&f);
}

/* Three blocks are resident; the fourth begins in the place of the first, and is younger than the second. The third
 * waits until cycle 4, issues ten additions and leaves the others the choice at cycle 15. */
static void test_age_over_blocks(void **state)
{
    (void)state;
    static const unsigned links[] = {0, 4, 2, 4}, additions[] = {1, 0, 10, 0};
    struct fixture f;
    struct issues issues = {0};
    uint32_t adds[10];
    fixture_begin(&f, 4, 32);
    uint32_t chain = fixture_plain(&f, CLASS_FP32_ADD, 1, 1, 40);
    for (int i = 0; i < 10; i++)
        adds[i] = fixture_plain(&f, CLASS_FP32_ADD, 2 + i, 40, 41);
    for (unsigned block = 0; block < 4; block++) {
        fixture_block(&f, block);
        fixture_warp(&f, 0);
        for (unsigned i = 0; i < links[block]; i++)
            fixture_step(&f, chain);
        for (unsigned i = 0; i < additions[block]; i++)
            fixture_step(&f, adds[i]);
    }
    fixture_finish(&f);
    struct machine *machine = fixture_machine("v100", one_scheduler);
    struct teg_observer observer = {.issue = keep_issue, .self = &issues};
    struct teg_result result;
    const struct fixture_run run = {.policy = TEG_GREEDY_YOUNGEST,
                                    .effects_off = 1u << EFFECT_LAUNCH,
                                    .observer = &observer,
                                    .blocks_per_sm = 3,
                                    .blocks = 4};
    fixture_run(&f, machine, &run, &result);
    static const struct {
        unsigned block, cycle;
    } first[] = {{2, 0}, {1, 1}, {0, 2}, {2, 4}};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(issues.events[i].block, first[i].block);
        assert_int_equal(issues.events[i].issue, first[i].cycle * TEG_CYCLE);
    }
    assert_int_equal(issues.events[4 + 10].block, 3);
    assert_int_equal(issues.events[4 + 10].issue, 15 * TEG_CYCLE);
    assert_int_equal(issues.events[4 + 11].block, 1);
    teg_result_clear(&result);
    machine_destroy(machine);
    fixture_clear(&f);
}

/* An SM is dealt a block a cycle (Accel-Sim): four blocks of one warp, each on a scheduler of its own. The next begin
 * when those are over, after one addition's 4 cycles. */
static void test_deal(void **state)
{
    (void)state;
    struct fixture f;
    struct issues issues = {0};
    fixture_begin(&f, 1, 32);
    uint32_t add = fixture_plain(&f, CLASS_FP32_ADD, 1, 40, 41);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    fixture_step(&f, add);
    fixture_finish(&f);
    struct machine *machine = fixture_machine("v100", NULL);
    struct teg_observer observer = {.issue = keep_issue, .self = &issues};
    struct teg_result result;
    struct fixture_run run = {.observer = &observer, .blocks_per_sm = 4, .blocks = 8};
    fixture_run(&f, machine, &run, &result);
    assert_int_equal(issues.count, 8);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(issues.events[i].issue, i * TEG_CYCLE);
    teg_result_clear(&result);
    run.effects_off = 1u << EFFECT_LAUNCH;
    issues.count = 0;
    fixture_run(&f, machine, &run, &result);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(issues.events[i].issue, i / 4 * 4 * TEG_CYCLE);
    teg_result_clear(&result);
    machine_destroy(machine);
    fixture_clear(&f);
}

/* ---- the way of memory instructions ---------------------------------------------------------- */

/* Their table 1, an A6000: cycles between the loads of a warp in each of 1 to 4 sub-cores. (The first five issue
 * without a wait there, into a queue that is not modelled.) */
static void test_memory_path(void **state)
{
    (void)state;
    enum { LOADS = 16 };
    static const unsigned between[WARPS] = {4, 4, 6, 8};
    struct machine *machine = fixture_machine("a6000", NULL);
    for (unsigned warps = 1; warps <= WARPS; warps++) {
        struct fixture f;
        struct issues issues = {0};
        struct teg_observer observer = {.issue = keep_issue, .self = &issues};
        struct teg_result result;
        uint32_t insns[LOADS];
        fixture_begin(&f, 1, 32 * warps);
        for (int i = 0; i < LOADS; i++)
            insns[i] = fixture_access(&f, CLASS_MEM_SHARED_LOAD, SPACE_SHARED, 4, i, 40);
        fixture_block(&f, 0);
        for (unsigned w = 0; w < warps; w++) {
            fixture_warp(&f, w);
            for (unsigned i = 0; i < LOADS; i++)
                fixture_step_at(&f, insns[i], SPACE_SHARED, 4, 0, 4);
        }
        fixture_finish(&f);
        fixture_run(&f, machine, &(struct fixture_run){.observer = &observer}, &result);
        teg_time last[WARPS];
        unsigned number[WARPS] = {0};
        assert_int_equal(issues.count, warps * LOADS);
        for (size_t i = 0; i < issues.count; i++) {
            const struct teg_event *event = &issues.events[i];
            if (number[event->warp]++ > 1)
                assert_int_equal(event->issue - last[event->warp], between[warps - 1] * TEG_CYCLE);
            last[event->warp] = event->issue;
        }
        teg_result_clear(&result);
        fixture_clear(&f);
    }
    machine_destroy(machine);
}

/* With 32 load/store units a V100 takes one a cycle, from four sub-cores. */
static void test_memory_path_of_volta(void **state)
{
    (void)state;
    double cycles[2];
    struct machine *machine = fixture_machine("v100", NULL);
    for (unsigned k = 0; k < 2; k++) {
        struct fixture f;
        fixture_begin(&f, 1, 32 * 16);
        uint32_t insns[32];
        for (int i = 0; i < 32; i++)
            insns[i] = fixture_access(&f, CLASS_MEM_SHARED_LOAD, SPACE_SHARED, 4, i, 40);
        fixture_block(&f, 0);
        for (unsigned w = 0; w < 16; w++) {
            fixture_warp(&f, w);
            for (unsigned i = 0; i < 100 * (k + 1); i++)
                fixture_step_at(&f, insns[i % 32], SPACE_SHARED, 4, 0, 4);
        }
        fixture_finish(&f);
        cycles[k] = fixture_cycles(&f, machine, &(struct fixture_run){0});
        fixture_clear(&f);
    }
    assert_true(cycles[1] - cycles[0] == 16 * 100);
    machine_destroy(machine);
}

/* ---- distances of dependent instructions ----------------------------------------------------- */

/* Cycles of a pair of instructions, each of which needs the result of the other, in a chain of one warp. */
static double pair(const struct machine *machine, enum insn_class first, enum insn_class second)
{
    double cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        struct fixture f;
        fixture_begin(&f, 1, 32);
        bool loads = second == CLASS_MEM_SHARED_LOAD;
        uint32_t a = fixture_plain(&f, first, 1, 2, -1);
        uint32_t b = loads ? fixture_access(&f, second, SPACE_SHARED, 4, 2, 1)
                           : fixture_plain(&f, second, 2, 1, -1);
        fixture_block(&f, 0);
        fixture_warp(&f, 0);
        for (unsigned i = 0; i < 10 * (k + 1); i++) {
            fixture_step(&f, a);
            if (loads)
                fixture_step_at(&f, b, SPACE_SHARED, 4, 0, 4);
            else
                fixture_step(&f, b);
        }
        fixture_finish(&f);
        cycles[k] = fixture_cycles(&f, machine, &(struct fixture_run){0});
        fixture_clear(&f);
    }
    return (cycles[1] - cycles[0]) / 10;
}

/* What ptxas 13.0 leaves between them, for cc 7.5 and for 8.0 to 12.0: 4 cycles within the fp32 pipe and within
 * the integer pipe, 5 from one to the other; 8 or 5 to an address. A result from memory is there when it is. */
static void test_distances(void **state)
{
    (void)state;
    static const char *const known[] = {"machine.shared.latency=20", NULL};
    static const struct {
        const char *gpu;
        double address;
    } rows[] = {{"v100", 8}, {"a100-sxm4-40gb", 5}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct machine *machine = fixture_machine(rows[i].gpu, known);
        assert_true(pair(machine, CLASS_FP32_FMA, CLASS_FP32_ADD) == 4 + 4);
        assert_true(pair(machine, CLASS_INT_ADD, CLASS_INT_ADD) == 4 + 4);
        assert_true(pair(machine, CLASS_FP32_FMA, CLASS_INT_ADD) == 5 + 5);
        assert_true(pair(machine, CLASS_INT_ADD, CLASS_MEM_SHARED_LOAD) == rows[i].address + 20);
        machine_destroy(machine);
    }
    struct machine *machine = fixture_machine("p100-pcie", known);
    double latency = pair(machine, CLASS_FP32_ADD, CLASS_FP32_ADD) / 2;
    assert_true(pair(machine, CLASS_FP32_ADD, CLASS_MEM_SHARED_LOAD) == latency + 20);
    machine_destroy(machine);
}

/* Cycles of a loop of one warp: an addition, a compare that needs it, and what needs the compare. */
static double loop(const struct machine *machine, enum insn_class last, bool is_guarded)
{
    double cycles[2];
    for (unsigned k = 0; k < 2; k++) {
        struct fixture f;
        fixture_begin(&f, 1, 32);
        uint32_t add = fixture_plain(&f, CLASS_INT_ADD, 1, 3, -1);
        uint32_t compare = fixture_plain(&f, CLASS_CMP, 2, 1, -1);
        uint32_t reader =
            is_guarded ? fixture_guarded(&f, last, 3, 2) : fixture_plain(&f, last, 3, 2, -1);
        fixture_block(&f, 0);
        fixture_warp(&f, 0);
        for (unsigned i = 0; i < 10 * (k + 1); i++) {
            fixture_step(&f, add);
            fixture_step(&f, compare);
            fixture_step(&f, reader);
        }
        fixture_finish(&f);
        cycles[k] = fixture_cycles(&f, machine, &(struct fixture_run){0});
        fixture_clear(&f);
    }
    return (cycles[1] - cycles[0]) / 10;
}

/* From a compare to a selection 4 cycles, to a guard 12 or 13; from a branch to the next instruction 5. ptxas 13.0
 * writes these, cc 7.5 and 8.0 to 12.0. */
static void test_guards(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        double guard;
    } rows[] = {{"v100", 12}, {"a100-sxm4-40gb", 13}, {"rtx4090", 13}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct machine *machine = fixture_machine(rows[i].gpu, NULL);
        assert_true(loop(machine, CLASS_SELECT, false) == 4 + 4 + 4);
        assert_true(loop(machine, CLASS_INT_ADD, true) == 4 + rows[i].guard + 4);
        assert_true(loop(machine, CLASS_CONTROL, false) == 4 + rows[i].guard + 5);
        machine_destroy(machine);
    }
}

/* A chain of texture fetches: each waits for the one before as long as the machine file says. */
static void test_textures(void **state)
{
    (void)state;
    enum { FETCHES = 8, LATENCY = 112 };
    static const char *const changes[] = {"machine.latency.mem.texture.load=112", NULL};
    struct fixture f;
    struct issues issues;
    fixture_begin(&f, 1, 32);
    uint32_t fetch = fixture_plain(&f, CLASS_MEM_TEXTURE_LOAD, 1, 1, -1);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    for (unsigned i = 0; i < FETCHES; i++)
        fixture_step(&f, fetch);
    fixture_finish(&f);
    observe(&f, changes, &issues);
    assert_int_equal(issues.count, FETCHES);
    for (unsigned i = 0; i < FETCHES; i++)
        assert_int_equal(issues.events[i].issue, i * LATENCY * TEG_CYCLE);
    fixture_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_greedy),          cmocka_unit_test(test_then_youngest),
        cmocka_unit_test(test_age_over_blocks), cmocka_unit_test(test_deal),
        cmocka_unit_test(test_memory_path),     cmocka_unit_test(test_distances),
        cmocka_unit_test(test_guards),          cmocka_unit_test(test_memory_path_of_volta),
        cmocka_unit_test(test_textures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
