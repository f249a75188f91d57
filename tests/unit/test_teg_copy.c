// SPDX-License-Identifier: Apache-2.0
/* Asynchronous copies to shared memory in the timing engine: who waits for them, and their conflicts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"

#define assert_near(got, want, relative)                                                           \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (relative)*fabs(want_)))                                       \
            fail_msg("%s is %.9g, not %.9g", #got, got_, want_);                                   \
    } while (0)

static uint32_t add(struct fixture *f, struct trace_insn insn)
{
    uint32_t address = 1;
    insn.pc = insn.access_pc = TRACE_NO_PC;
    insn.op = class_ids[insn.class_id];
    return trace_builder_add_insn(f->builder, &insn, &address, 1, NULL, 0);
}

/* A line from global to shared memory, where lane i goes to i * stride. */
static void step_copy(struct fixture *f, uint32_t insn, uint64_t line, unsigned stride)
{
    struct access accesses[2] = {
        {.space = SPACE_GLOBAL,
         .shape = ACCESS_STRIDED,
         .bytes = 4,
         .mask = UINT32_MAX,
         .base = 0x10000000 + line * 128,
         .stride = 4},
        {.space = SPACE_SHARED,
         .shape = ACCESS_STRIDED,
         .bytes = 4,
         .mask = UINT32_MAX,
         .base = 0,
         .stride = stride},
    };
    trace_builder_step(f->builder, insn, UINT32_MAX, UINT32_MAX, accesses, 2);
}

/* `rounds` of: a copy is committed, all but `open` groups are waited for (-1: none), `count` additions in a chain. */
static double pipeline(const struct machine *machine, unsigned warps, unsigned rounds, int open,
                       unsigned count, unsigned stride)
{
    struct fixture f;
    fixture_begin(&f, 1, 32 * warps);
    const struct trace_insn load = {.class_id = CLASS_MEM_GLOBAL_LOAD,
                                    .operation = TRACE_LOAD,
                                    .space = SPACE_GLOBAL,
                                    .bytes = 4,
                                    .flags = TRACE_TO_SHARED};
    uint32_t copy = add(&f, load);
    uint32_t commit =
        add(&f, (struct trace_insn){.class_id = CLASS_CONTROL, .flags = TRACE_COPY_COMMIT});
    uint32_t wait = add(&f, (struct trace_insn){.class_id = CLASS_CONTROL,
                                                .flags = TRACE_COPY_WAIT,
                                                .barrier_id = open > 0 ? (uint8_t)open : 0});
    uint32_t fma = fixture_plain(&f, CLASS_FP32_FMA, 2, 2, 3);
    fixture_block(&f, 0);
    for (unsigned i = 0; i < warps * rounds; i++) {
        if (i % rounds == 0) fixture_warp(&f, i / rounds);
        step_copy(&f, copy, i, stride);
        fixture_step(&f, commit);
        if (open >= 0) fixture_step(&f, wait);
        for (unsigned k = 0; k < count; k++)
            fixture_step(&f, fma);
    }
    fixture_finish(&f);
    double cycles = fixture_cycles(&f, machine, &(struct fixture_run){0});
    fixture_clear(&f);
    return cycles;
}

static double round_cycles(const struct machine *machine, unsigned warps, int open, unsigned count,
                           unsigned stride)
{
    return (pipeline(machine, warps, 200, open, count, stride) -
            pipeline(machine, warps, 100, open, count, stride)) /
           100;
}

/* V100: 434 cycles from DRAM and a pass of the banks; an addition takes 4. Copy i + 1 follows the additions,
 * they follow the copy i - open: (435 + 4 count) / (open + 1) cycles a round, at least the additions. With none to
 * wait for, these alone. */
static void test_groups(void **state)
{
    (void)state;
    static const unsigned counts[] = {20, 50, 150};
    struct machine *machine = fixture_machine("v100", NULL);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        double chain = 4 * counts[i];
        for (int open = 0; open <= 4; open++)
            assert_near(round_cycles(machine, 1, open, counts[i], 4),
                        fmax(chain, (435 + chain) / (open + 1)), 0.03);
        assert_near(round_cycles(machine, 1, -1, counts[i], 4), chain, 0.05);
    }
    machine_destroy(machine);
}

/* 32 lanes in one bank: 32 passes for each copy, which end 31 cycles later than one; 32 warps are bound by the
 * banks. */
static void test_conflicts(void **state)
{
    (void)state;
    struct machine *machine = fixture_machine("v100", NULL);
    assert_near(round_cycles(machine, 1, 0, 50, 128) - round_cycles(machine, 1, 0, 50, 4), 31,
                1e-3);
    assert_near(round_cycles(machine, 32, 0, 1, 128), 32 * 32, 0.01);
    machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
