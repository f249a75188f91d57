// SPDX-License-Identifier: Apache-2.0
/* Traces made by hand come back step by step: what was put in, kept beside in plain arrays, is what
 * the cursor says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/trace_file.h"

enum { INSNS = 9, STEPS = 4000, WARPS = 3, BLOCKS = 3 };

struct expected {
    uint32_t insn, active, on;
    unsigned access_count;
    struct {
        uint8_t space;
        uint32_t mask;
        uint64_t addresses[32];
    } accesses[TRACE_ACCESSES_MAX];
};

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void) /* xorshift64, Marsaglia 2003 */
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static uint32_t some_mask(void)
{
    uint32_t mask = next_random() & 1 ? UINT32_MAX : (uint32_t)(next_random() >> 20);
    return mask ? mask : 1;
}

/* Addresses of lanes by the definition of the shapes (observer.h). */
static struct access some_access(uint32_t mask, uint64_t addresses[32])
{
    static const int64_t strides[] = {4, 0, 8, -4, 132};
    unsigned kind = (unsigned)(next_random() % 5);
    struct access access = {.space = next_random() & 1 ? SPACE_GLOBAL : SPACE_SHARED,
                            .shape = (uint8_t)(kind < 4 ? kind : ACCESS_GENERAL),
                            .bytes = 4,
                            .mask = mask,
                            .base = next_random() % 4096 * 4 + 65536,
                            .base2 = next_random() % 4096 * 4 + 65536,
                            .stride = strides[next_random() % 5],
                            .addresses = addresses};
    uint64_t range = kind == 4 ? UINT64_C(1) << 40 : 1024;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t step = i * (uint64_t)access.stride;
        addresses[i] = access.shape == ACCESS_UNIFORM   ? access.base
                       : access.shape == ACCESS_STRIDED ? access.base + step
                       : access.shape == ACCESS_GENERAL ? next_random() % range * 4
                       : i < 16                         ? access.base + step
                                : access.base2 + (i - 16) * (uint64_t)access.stride;
    }
    return access;
}

static void add_step(struct trace_builder *builder, struct expected *e)
{
    uint64_t addresses[TRACE_ACCESSES_MAX][32];
    struct access accesses[TRACE_ACCESSES_MAX];
    *e = (struct expected){.insn = (uint32_t)(next_random() % INSNS), .active = some_mask()};
    e->on = e->insn % 3 == 1 ? e->active & (uint32_t)next_random() : e->active;
    bool accessing = e->insn >= 5 && e->on;
    e->access_count = accessing ? 1 + (next_random() % 8 == 0) : 0;
    for (unsigned i = 0; i < e->access_count; i++) {
        accesses[i] = some_access(e->on, addresses[i]);
        e->accesses[i].space = accesses[i].space;
        e->accesses[i].mask = e->on;
        memcpy(e->accesses[i].addresses, addresses[i], sizeof addresses[i]);
    }
    trace_builder_step(builder, e->insn, e->active, e->on, accesses, e->access_count);
}

static struct trace_builder *start(void)
{
    const struct trace_head head = {.kernel = "k", .grid = {8, 1, 1}, .block = {WARPS * 32, 1, 1}};
    struct trace_builder *builder = trace_builder_create(&head);
    for (uint32_t i = 0; i < INSNS; i++) {
        struct trace_insn insn = {.pc = i, .class_id = CLASS_INT_ADD, .guarded = i % 3 == 1};
        if (i >= 5) {
            insn.operation = TRACE_LOAD;
            insn.bytes = 4;
        }
        const uint32_t reads[] = {i, i + 1}, writes[] = {i + 2};
        assert_int_equal(trace_builder_add_insn(builder, &insn, reads, 2, writes, 1), i);
    }
    return builder;
}

static void check_step(const struct trace *trace, const struct trace_step *step,
                       const struct expected *e)
{
    assert_int_equal(step->insn, e->insn);
    assert_int_equal(step->active, e->active);
    assert_int_equal(step->on, e->on);
    assert_int_equal(step->access_count, e->access_count);
    for (unsigned i = 0; i < e->access_count; i++) {
        const struct trace_pattern *pattern = &trace->patterns[step->accesses[i].pattern];
        uint64_t addresses[32] = {0};
        assert_int_equal(pattern->space, e->accesses[i].space);
        assert_int_equal(pattern->mask, e->accesses[i].mask);
        trace_lanes(trace, &step->accesses[i], addresses);
        for (unsigned lane = 0; lane < 32; lane++)
            if (pattern->mask >> lane & 1)
                assert_int_equal(addresses[lane], e->accesses[i].addresses[lane]);
    }
}

static void check_steps(const struct trace *trace, const struct expected *expected)
{
    assert_int_equal(trace->block_count, BLOCKS);
    assert_int_equal(trace->step_count, BLOCKS * WARPS * STEPS);
    assert_int_equal(trace->site_count, INSNS - 5);
    assert_int_equal(trace->register_count, INSNS + 2);
    struct trace_cursor cursor;
    trace_cursor_init(&cursor, trace, &trace->blocks[0], 0);
    for (unsigned b = 0, at = 0; b < BLOCKS; b++) {
        assert_int_equal(trace->blocks[b].index, 2 * b);
        for (uint32_t w = 0; w < WARPS; w++) {
            struct trace_step step;
            trace_cursor_restart(&cursor, &trace->blocks[b], w);
            for (unsigned i = 0; i < STEPS; i++) {
                assert_true(trace_cursor_next(&cursor, &step));
                check_step(trace, &step, &expected[at++]);
            }
            assert_false(trace_cursor_next(&cursor, &step));
            assert_false(trace_cursor_next(&cursor, &step));
        }
    }
    trace_cursor_clear(&cursor);
}

/* What a file keeps of it. */
static struct trace *encode_and_decode(const struct trace *trace)
{
    struct diag diag = {0};
    struct strbuf bytes = {0};
    struct trace *again;
    trace_encode(trace, &bytes);
    assert_int_equal(trace_decode(&diag, "here", bytes.data, bytes.length, &again), WS_OK);
    strbuf_clear(&bytes);
    return again;
}

static void test_steps_come_back(void **state)
{
    (void)state;
    struct trace_builder *builder = start();
    struct expected *expected = calloc(BLOCKS * WARPS * STEPS, sizeof *expected);
    assert_non_null(expected);
    for (unsigned b = 0, at = 0; b < BLOCKS; b++) {
        trace_builder_begin_block(builder, 2 * b);
        for (uint32_t w = 0; w < WARPS; w++) {
            trace_builder_begin_warp(builder, w, UINT32_MAX);
            for (unsigned i = 0; i < STEPS; i++)
                add_step(builder, &expected[at++]);
        }
    }
    struct trace *trace = trace_builder_finish(builder);
    check_steps(trace, expected);
    struct trace *again = encode_and_decode(trace);
    check_steps(again, expected);
    trace_destroy(again);
    trace_destroy(trace);
    free(expected);
}

/* A loop of two runs, with a load whose base moves by 128 bytes: a turn takes two bytes a run (where
 * it begins, how long it is) and one for the access. */
static void test_loops_are_small(void **state)
{
    (void)state;
    struct trace_builder *builder = start();
    trace_builder_begin_block(builder, 0);
    trace_builder_begin_warp(builder, 0, UINT32_MAX);
    for (unsigned i = 0; i < 1000; i++) {
        struct access access = {.space = SPACE_GLOBAL,
                                .shape = ACCESS_STRIDED,
                                .bytes = 4,
                                .mask = UINT32_MAX,
                                .base = 4096 + 128 * i,
                                .stride = 4};
        trace_builder_step(builder, 5, UINT32_MAX, UINT32_MAX, &access, 1);
        trace_builder_step(builder, 2, UINT32_MAX, UINT32_MAX, NULL, 0);
        trace_builder_step(builder, 3, UINT32_MAX, UINT32_MAX, NULL, 0);
    }
    struct trace *trace = trace_builder_finish(builder);
    const struct trace_warp *warp = &trace->blocks[0].warps[0];
    assert_int_equal(trace->pattern_count, 1);
    assert_int_equal(warp->step_count, 3000);
    assert_in_range(warp->data_bytes, 1000, 1010);
    assert_in_range(warp->run_bytes, 4000, 4010); /* and the first lanes */
    assert_int_equal(trace->blocks[0].warps[1].step_count, 0);
    trace_destroy(trace);
}

static void test_nothing(void **state)
{
    (void)state;
    struct trace *trace = trace_builder_finish(start());
    assert_int_equal(trace->block_count, 0);
    trace_destroy(trace);
    struct trace_builder *builder = start();
    trace_builder_begin_block(builder, 0);
    trace_builder_cancel(builder);
    trace_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_come_back),
        cmocka_unit_test(test_loops_are_small),
        cmocka_unit_test(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
