// SPDX-License-Identifier: Apache-2.0
/* Phases of mbarrier objects in the timing engine: waits for copies in bulk and for other warps, and wgmma, which goes on
 * while its warp does. Expectations are sums of the latencies that test_teg_copy.c has measured alone. */
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

enum { OBJECT = 64, OTHER = 72, DRAM = 434, PASS = 1, FMA = 4 };

/* The insn of each kind; the wait's result is what the additions begin with. */
struct insns {
    uint32_t bulk, arrive, wait, first, fma;
};

static uint32_t add(struct fixture *f, struct trace_insn insn, bool writes)
{
    uint32_t reg = 1, result = 2;
    insn.pc = insn.access_pc = TRACE_NO_PC;
    insn.op = class_ids[insn.class_id];
    return trace_builder_add_insn(f->builder, &insn, &reg, 1, &result, writes);
}

static struct insns add_all(struct fixture *f)
{
    const struct trace_insn bulk = {.class_id = CLASS_MEM_GLOBAL_LOAD,
                                    .operation = TRACE_LOAD,
                                    .space = SPACE_GLOBAL,
                                    .bytes = 16,
                                    .async = TRACE_BULK},
                            arrive = {.class_id = CLASS_MEM_SHARED_ATOMIC,
                                      .operation = TRACE_STORE,
                                      .space = SPACE_SHARED,
                                      .bytes = 8,
                                      .async = TRACE_PHASE},
                            wait = {.class_id = CLASS_MEM_SHARED_ATOMIC,
                                    .operation = TRACE_LOAD,
                                    .space = SPACE_SHARED,
                                    .bytes = 8,
                                    .async = TRACE_PHASE_WAIT};
    return (struct insns){add(f, bulk, false), add(f, arrive, false), add(f, wait, true),
                          fixture_plain(f, CLASS_FP32_FMA, 3, 2, 3),
                          fixture_plain(f, CLASS_FP32_FMA, 3, 3, 4)};
}

static uint64_t phase_base(uint32_t object, uint32_t number, uint32_t parts)
{
    return trace_phase_base((struct trace_phase){object, number, parts});
}

/* A line, whose bytes the object counts. */
static void step_bulk(struct fixture *f, const struct insns *insns, uint64_t line, uint64_t base)
{
    const struct access accesses[2] = {
        {.space = SPACE_GLOBAL,
         .shape = ACCESS_UNIFORM,
         .bytes = TRACE_PIECE_BYTES,
         .mask = 1,
         .base = 0x10000000 + line * 128},
        {.space = SPACE_SHARED, .shape = ACCESS_UNIFORM, .bytes = 8, .mask = 1, .base = base}};
    trace_builder_step(f->builder, insns->bulk, UINT32_MAX, UINT32_MAX, accesses, 2);
}

static void step_chain(struct fixture *f, const struct insns *insns, unsigned count)
{
    fixture_step(f, insns->first);
    for (unsigned k = 1; k < count; k++)
        fixture_step(f, insns->fma);
}

/* Warp 0 copies a line in each round when warp 1 has released the last one; warp 1 waits for it, and adds. */
static double hand_over(const struct machine *machine, unsigned rounds, unsigned count, bool waits)
{
    struct fixture f;
    fixture_begin(&f, 1, 64);
    struct insns insns = add_all(&f);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    for (unsigned i = 0; i < rounds; i++) {
        if (i) fixture_step_at(&f, insns.wait, SPACE_SHARED, 8, phase_base(OTHER, i, waits), 0);
        step_bulk(&f, &insns, i, phase_base(OBJECT, i + 1, 0));
    }
    fixture_warp(&f, 1);
    for (unsigned i = 0; i < rounds; i++) {
        fixture_step_at(&f, insns.wait, SPACE_SHARED, 8, phase_base(OBJECT, i + 1, waits), 0);
        step_chain(&f, &insns, count);
        fixture_step_at(&f, insns.arrive, SPACE_SHARED, 8, phase_base(OTHER, i + 1, 0), 0);
    }
    fixture_finish(&f);
    double cycles = fixture_cycles(&f, machine, &(struct fixture_run){0});
    fixture_clear(&f);
    return cycles;
}

/* With phases a round is a copy, the additions and the arrival; without, additions follow each other. */
static void test_hand_over(void **state)
{
    (void)state;
    enum { ROUNDS = 100 };
    struct machine *machine = fixture_machine("v100", NULL);
    double shared = 19; /* an arrival: the latency of shared memory, Jia 2018 */
    for (unsigned count = 25; count <= 100; count += 25) {
        double waiting = (hand_over(machine, 2 * ROUNDS, count, true) -
                          hand_over(machine, ROUNDS, count, true)) /
                         ROUNDS;
        double passing = (hand_over(machine, 2 * ROUNDS, count, false) -
                          hand_over(machine, ROUNDS, count, false)) /
                         ROUNDS;
        /* the additions are in flight when the arrival, which does not read them, issues */
        assert_true(waiting >= DRAM + PASS + (count - 1) * FMA);
        assert_near(waiting, DRAM + PASS + count * FMA + shared, 0.06);
        assert_true(passing < DRAM / 2 + count * FMA);
    }
    machine_destroy(machine);
}

/* Products that take their operands from shared memory, at 128 bytes a cycle, and little else. They follow each other while
 * their warp goes on; who waits for their group issues when it is done, and the next one a cycle later. */
enum { BYTES = 2048 };

static double products(const struct machine *machine, unsigned count, bool waits_each)
{
    struct fixture f;
    fixture_begin(&f, 1, 32);
    const struct trace_insn product = {.class_id = CLASS_TENSOR,
                                       .async = TRACE_PRODUCT,
                                       .product_bytes = BYTES},
                            commit = {.class_id = CLASS_CONTROL, .flags = TRACE_COPY_COMMIT},
                            wait = {.class_id = CLASS_CONTROL, .flags = TRACE_COPY_WAIT};
    uint32_t one = add(&f, product, false), ends = add(&f, commit, false),
             waits = add(&f, wait, false);
    fixture_block(&f, 0);
    fixture_warp(&f, 0);
    for (unsigned i = 0; i < count; i++) {
        fixture_step(&f, one);
        fixture_step(&f, ends);
        if (waits_each) fixture_step(&f, waits);
    }
    fixture_finish(&f);
    double cycles = fixture_cycles(&f, machine, &(struct fixture_run){0});
    fixture_clear(&f);
    return cycles;
}

static void test_products(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    struct machine *machine = fixture_machine("v100", NULL);
    double flowing =
        (products(machine, 2 * COUNT, false) - products(machine, COUNT, false)) / COUNT;
    double waiting = (products(machine, 2 * COUNT, true) - products(machine, COUNT, true)) / COUNT;
    assert_near(flowing, BYTES / 128, 0.01);
    assert_near(waiting, BYTES / 128 + 1, 0.01);
    machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hand_over),
        cmocka_unit_test(test_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
