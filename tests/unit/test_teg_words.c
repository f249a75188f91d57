// SPDX-License-Identifier: Apache-2.0
/* Native code that says itself when to issue, on traces by hand: stall counts, counters, register banks and the cache
 * of operands. Cycles are counted by hand from what Huerta et al. (MICRO 2025) write of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"
#include "measure/trace_file.h"

/* One scheduler, whose pipes take a warp a cycle. */
static const char *const wide[] = {"machine.issue.schedulers=1",
                                   "machine.sm.subpartitions=1",
                                   "machine.throughput.fp32.add=32",
                                   "machine.throughput.fp32.fma=32",
                                   "machine.throughput.int.add=32",
                                   "machine.shared.latency=24",
                                   NULL};

enum { NO = CONTROL_NO_COUNTER, NONE = CONTROL_NO_REGISTER };
#define STALL(n) .is_set = true, .stays = true, .stall = (n)
#define NO_COUNTERS .writes = NO, .reads = NO
#define NO_SLOTS .slots = {NONE, NONE, NONE}

static uint32_t plain(struct fixture *f, enum insn_class id, struct insn_control control)
{
    const uint32_t reads[] = {1, 2}, writes[] = {1};
    struct trace_insn insn = {.class_id = (uint8_t)id,
                              .pc = TRACE_NO_PC,
                              .access_pc = TRACE_NO_PC,
                              .op = class_ids[id],
                              .control = control};
    return trace_builder_add_insn(f->builder, &insn, reads, 2, writes, 1);
}

/* dst = [1], or [1] = 2. */
static uint32_t access_of(struct fixture *f, enum insn_class id, enum mem_space space,
                          unsigned bytes, struct insn_control control)
{
    const uint32_t registers[] = {1, 2};
    bool is_store = (id - CLASS_MEM_GLOBAL_LOAD) % 3 == 1;
    struct trace_insn insn = {.class_id = (uint8_t)id,
                              .operation = is_store ? TRACE_STORE : TRACE_LOAD,
                              .space = (uint8_t)space,
                              .bytes = (uint8_t)bytes,
                              .pc = TRACE_NO_PC,
                              .access_pc = TRACE_NO_PC,
                              .op = class_ids[id],
                              .control = control};
    return trace_builder_add_insn(f->builder, &insn, registers, is_store ? 2 : 1, registers + 1,
                                  is_store ? 0 : 1);
}

static struct insn_control stall(unsigned cycles)
{
    return (struct insn_control){STALL((uint8_t)cycles), NO_COUNTERS, NO_SLOTS};
}

static struct insn_control awaiting(unsigned counters)
{
    return (struct insn_control){STALL(1), .awaited = (uint8_t)counters, NO_COUNTERS, NO_SLOTS};
}

static void begin(struct fixture *f)
{
    fixture_begin(f, 1, 32);
}

static void begin_steps(struct fixture *f)
{
    fixture_block(f, 0);
    fixture_warp(f, 0);
}

struct issues {
    size_t count;
    double cycles[16];
};

static void keep_issue(void *self, const struct teg_event *event)
{
    struct issues *issues = self;
    assert_true(issues->count < sizeof issues->cycles / sizeof issues->cycles[0]);
    issues->cycles[issues->count++] = (double)event->issue / (double)TEG_CYCLE;
}

/* Runs it and compares the cycle in which each step issues with `want`. */
static void assert_issues(struct fixture *f, uint32_t effects_off, const double *want, size_t count)
{
    struct issues issues = {0};
    struct machine *machine = fixture_machine("v100", wide);
    struct teg_observer observer = {.issue = keep_issue, .self = &issues};
    struct teg_result result;
    fixture_finish(f);
    fixture_run(f, machine,
                &(struct fixture_run){.policy = TEG_GREEDY_YOUNGEST,
                                      .observer = &observer,
                                      .effects_off = effects_off},
                &result);
    assert_int_equal(issues.count, count);
    for (size_t i = 0; i < count; i++)
        if (issues.cycles[i] != want[i])
            fail_msg("step %zu issues at %g, not at %g", i, issues.cycles[i], want[i]);
    teg_result_clear(&result);
    machine_destroy(machine);
    fixture_clear(f);
}
#define ASSERT_ISSUES(f, off, ...)                                                                 \
    do {                                                                                           \
        const double want_[] = {__VA_ARGS__};                                                      \
        assert_issues(f, off, want_, sizeof want_ / sizeof *want_);                                \
    } while (0)

/* ---- stall counts ---------------------------------------------------------------------------- */

static void chain(struct fixture *f)
{
    begin(f);
    const uint32_t insns[] = {plain(f, CLASS_INT_ADD, stall(4)), plain(f, CLASS_INT_ADD, stall(2)),
                              plain(f, CLASS_INT_ADD, stall(13)), plain(f, CLASS_INT_ADD, stall(1)),
                              plain(f, CLASS_INT_ADD, stall(5))};
    begin_steps(f);
    for (unsigned i = 0; i < 5; i++)
        fixture_step(f, insns[i]);
}

/* Each reads the result of the one before, 4 cycles on the pipe, but the words alone count. */
static void test_stalls(void **state)
{
    (void)state;
    struct fixture f;
    chain(&f);
    ASSERT_ISSUES(&f, 0, 0, 4, 6, 19, 20);
    chain(&f);
    ASSERT_ISSUES(&f, 1u << EFFECT_INST_LATENCY, 0, 1, 2, 3, 4);
}

/* Without words the registers count. */
static void test_no_words(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    uint32_t add = plain(&f, CLASS_INT_ADD, stall(1));
    uint32_t last = plain(&f, CLASS_INT_ADD, (struct insn_control){0});
    begin_steps(&f);
    fixture_step(&f, add);
    fixture_step(&f, last);
    ASSERT_ISSUES(&f, 0, 0, 4);
}

/* A stall of 0 that yields: 46 cycles; that stays: none. A stall of 1 that yields loses the next cycle. */
static void test_special_stalls(void **state)
{
    (void)state;
    struct fixture f;
    struct insn_control asleep = stall(0), yields = stall(1), longer = stall(3);
    asleep.stays = yields.stays = longer.stays = false;
    begin(&f);
    const uint32_t insns[] = {plain(&f, CLASS_INT_ADD, asleep), plain(&f, CLASS_INT_ADD, stall(0)),
                              plain(&f, CLASS_INT_ADD, yields), plain(&f, CLASS_INT_ADD, longer),
                              plain(&f, CLASS_INT_ADD, stall(1))};
    begin_steps(&f);
    for (unsigned i = 0; i < 5; i++)
        fixture_step(&f, insns[i]);
    ASSERT_ISSUES(&f, 0, 0, 46, 47, 49, 52);
}

/* ---- counters -------------------------------------------------------------------------------- */

/* Two loads of shared memory (24 cycles) on counters 0 and 1. The address unit takes the second in cycle 4. What
 * awaits nothing issues behind it, then each addition with its load; the last awaits both. */
static void test_loads(void **state)
{
    (void)state;
    struct fixture f;
    struct insn_control first = {STALL(1), .writes = 0, .reads = NO, NO_SLOTS}, second = first;
    second.writes = 1;
    begin(&f);
    const uint32_t loads[] = {access_of(&f, CLASS_MEM_SHARED_LOAD, SPACE_SHARED, 4, first),
                              access_of(&f, CLASS_MEM_SHARED_LOAD, SPACE_SHARED, 4, second)};
    const uint32_t adds[] = {plain(&f, CLASS_INT_ADD, stall(1)),
                             plain(&f, CLASS_INT_ADD, awaiting(1)),
                             plain(&f, CLASS_INT_ADD, awaiting(3))};
    begin_steps(&f);
    for (unsigned i = 0; i < 2; i++)
        fixture_step_at(&f, loads[i], SPACE_SHARED, 4, 0, 4);
    for (unsigned i = 0; i < 3; i++)
        fixture_step(&f, adds[i]);
    ASSERT_ISSUES(&f, 0, 0, 4, 5, 24, 28);
}

/* Two loads on one counter: it is free when both are there. */
static void test_shared_counter(void **state)
{
    (void)state;
    struct fixture f;
    struct insn_control both = {STALL(1), .writes = 5, .reads = NO, NO_SLOTS};
    begin(&f);
    uint32_t load = access_of(&f, CLASS_MEM_SHARED_LOAD, SPACE_SHARED, 4, both);
    uint32_t add = plain(&f, CLASS_INT_ADD, awaiting(1u << 5));
    begin_steps(&f);
    fixture_step_at(&f, load, SPACE_SHARED, 4, 0, 4);
    fixture_step_at(&f, load, SPACE_SHARED, 4, 128, 4);
    fixture_step(&f, add);
    ASSERT_ISSUES(&f, 0, 0, 4, 28);
}

/* Who overwrites a source waits until it is read: as table 2 of Huerta et al. (MICRO 2025) has it for an RTX A6000. */
static void test_sources(void **state)
{
    (void)state;
    static const struct {
        enum insn_class id;
        enum mem_space space;
        unsigned bytes;
        double cycles;
    } rows[] = {{CLASS_MEM_GLOBAL_LOAD, SPACE_GLOBAL, 4, 11},
                {CLASS_MEM_GLOBAL_LOAD, SPACE_GLOBAL, 16, 11},
                {CLASS_MEM_SHARED_LOAD, SPACE_SHARED, 4, 9},
                {CLASS_MEM_SHARED_LOAD, SPACE_SHARED, 16, 9},
                {CLASS_MEM_SHARED_STORE, SPACE_SHARED, 16, 18},
                {CLASS_MEM_GLOBAL_STORE, SPACE_GLOBAL, 4, 14},
                {CLASS_MEM_GLOBAL_STORE, SPACE_GLOBAL, 8, 16},
                {CLASS_MEM_GLOBAL_STORE, SPACE_GLOBAL, 16, 20},
                {CLASS_MEM_SHARED_STORE, SPACE_SHARED, 4, 12},
                {CLASS_MEM_SHARED_STORE, SPACE_SHARED, 8, 14}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct insn_control reads = {STALL(1), .writes = NO, .reads = 2, NO_SLOTS};
        begin(&f);
        uint32_t access = access_of(&f, rows[i].id, rows[i].space, rows[i].bytes, reads);
        uint32_t add = plain(&f, CLASS_INT_ADD, awaiting(4));
        begin_steps(&f);
        fixture_step_at(&f, access, rows[i].space, rows[i].bytes, 0, rows[i].bytes);
        fixture_step(&f, add);
        ASSERT_ISSUES(&f, 0, 0, rows[i].cycles);
    }
}

/* ---- register banks -------------------------------------------------------------------------- */

struct registers {
    uint8_t reuse, slots[CONTROL_SLOTS];
};

static void fma_chain(struct fixture *f, const struct registers *registers, unsigned count)
{
    begin(f);
    uint32_t insns[8];
    for (unsigned i = 0; i < count; i++) {
        struct insn_control control = {STALL(1), NO_COUNTERS, .reuse = registers[i].reuse};
        memcpy(control.slots, registers[i].slots, sizeof control.slots);
        insns[i] = plain(f, CLASS_FP32_FMA, control);
    }
    insns[count] = plain(f, CLASS_INT_ADD, stall(1));
    begin_steps(f);
    for (unsigned i = 0; i <= count; i++)
        fixture_step(f, insns[i]);
}

/* The paper's pair of FFMA: the first reads three even registers, the second one and two that may be odd. A bank
 * gives a register a cycle, within three of an instruction: 0, 1 or 2 cycles are lost. */
static void test_banks(void **state)
{
    (void)state;
    struct fixture f;
    fma_chain(&f, (const struct registers[]){{0, {10, 12, 14}}, {0, {16, 21, 23}}}, 2);
    ASSERT_ISSUES(&f, 0, 0, 1, 2);
    fma_chain(&f, (const struct registers[]){{0, {10, 12, 14}}, {0, {16, 18, 23}}}, 2);
    ASSERT_ISSUES(&f, 0, 0, 1, 3);
    fma_chain(&f, (const struct registers[]){{0, {10, 12, 14}}, {0, {16, 18, 20}}}, 2);
    ASSERT_ISSUES(&f, 0, 0, 1, 4);
}

/* R2 stays for slot a, and only for that; who reads it without the bit reads it from there for the last time. */
static void test_reuse(void **state)
{
    (void)state;
    struct fixture f;
    fma_chain(&f, (const struct registers[]){{1, {2, 4, 6}}, {0, {2, 8, 10}}}, 2);
    ASSERT_ISSUES(&f, 0, 0, 1, 3);
    fma_chain(&f, (const struct registers[]){{1, {2, 4, 6}}, {0, {8, 2, 10}}}, 2);
    ASSERT_ISSUES(&f, 0, 0, 1, 4);
    fma_chain(&f, (const struct registers[]){{2, {2, 4, 6}}, {0, {2, 8, 10}}}, 2);
    ASSERT_ISSUES(&f, 0, 0, 1, 4);
    /* 3 reads until cycle 3, 2 more until 5, then 3 instead of 2: from 5 + 3 - 3 on. */
    fma_chain(&f, (const struct registers[]){{1, {2, 4, 6}}, {0, {2, 8, 10}}, {0, {2, 12, 14}}}, 3);
    ASSERT_ISSUES(&f, 0, 0, 1, 3, 6);
    fma_chain(&f, (const struct registers[]){{1, {2, 4, 6}}, {1, {2, 8, 10}}, {0, {2, 12, 14}}}, 3);
    ASSERT_ISSUES(&f, 0, 0, 1, 3, 5);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void test_file(void **state)
{
    (void)state;
    struct diag diag = {0};
    struct fixture f;
    struct strbuf bytes = {0};
    struct trace *read;
    struct insn_control control = {STALL(11),     .writes = 3, .reads = 4,
                                   .awaited = 33, .reuse = 5,  .slots = {17, NONE, 200}};
    begin(&f);
    uint32_t insn = plain(&f, CLASS_FP32_FMA, control);
    begin_steps(&f);
    fixture_step(&f, insn);
    fixture_finish(&f);
    trace_encode(f.trace, &bytes);
    assert_int_equal(trace_decode(&diag, "native", bytes.data, bytes.length, &read), WS_OK);
    assert_memory_equal(&read->insns[insn].control, &control, sizeof control);
    trace_destroy(read);
    /* The last instruction's words are cut off. */
    assert_int_equal(trace_decode(&diag, "native", bytes.data, bytes.length - 1, &read),
                     WS_ERR_INPUT);
    assert_non_null(strstr(diag.text, "truncated number"));
    diag_clear(&diag);
    strbuf_clear(&bytes);
    fixture_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stalls),  cmocka_unit_test(test_no_words),
        cmocka_unit_test(test_loads),   cmocka_unit_test(test_special_stalls),
        cmocka_unit_test(test_sources), cmocka_unit_test(test_shared_counter),
        cmocka_unit_test(test_banks),   cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
