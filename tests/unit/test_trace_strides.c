// SPDX-License-Identifier: Apache-2.0
/* How far addresses move from block to block, of traces written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "measure/trace.h"

enum { ROWS, SHARED_TABLE, DATA, RIM, LINES, SITES };

static struct trace_builder *begin(uint32_t x, uint32_t y, uint32_t z)
{
    struct trace_head head = {
        .kernel = "by_hand", .isa = "hand-written", .grid = {x, y, z}, .block = {32, 1, 1}};
    struct trace_builder *builder = trace_builder_create(&head);
    const struct trace_insn load = {.class_id = CLASS_MEM_GLOBAL_LOAD,
                                    .operation = TRACE_LOAD,
                                    .space = SPACE_GLOBAL,
                                    .bytes = 4,
                                    .pc = TRACE_NO_PC,
                                    .access_pc = TRACE_NO_PC,
                                    .op = "load"};
    for (unsigned i = 0; i < SITES; i++)
        trace_builder_add_insn(builder, &load, NULL, 0, NULL, 0);
    return builder;
}

static void step(struct trace_builder *builder, uint32_t insn, uint32_t mask, uint64_t base)
{
    const struct access access = {.space = SPACE_GLOBAL,
                                  .shape = ACCESS_STRIDED,
                                  .bytes = 4,
                                  .mask = mask,
                                  .base = base,
                                  .stride = 4};
    trace_builder_step(builder, insn, UINT32_MAX, UINT32_MAX, &access, 1);
}

/* Strides 64, -4096 and 1 << 20; one table for all; addresses from data; lanes missing at the rim in x; and loops
 * of different length from a first address that moves by 8 in x. */
static void write_block(struct trace_builder *builder, const uint32_t grid[3], uint64_t block)
{
    uint64_t x = block % grid[0], y = block / grid[0] % grid[1], z = block / grid[0] / grid[1];
    uint64_t place = (1 << 30) + 64 * x - 4096 * y + (z << 20);
    trace_builder_begin_block(builder, block);
    trace_builder_begin_warp(builder, 0, UINT32_MAX);
    for (uint64_t i = 0; i < 5; i++) {
        step(builder, ROWS, UINT32_MAX, place + 128 * i);
        step(builder, SHARED_TABLE, UINT32_MAX, 4096 * i);
    }
    step(builder, DATA, UINT32_MAX, block * block * 32);
    step(builder, RIM, x ? UINT32_MAX : 0xfffffffe, place - 4);
    for (uint64_t i = 0; i <= block % 3; i++)
        step(builder, LINES, UINT32_MAX, 8 * x + i * i);
}

static const int64_t *stride(const struct trace *trace, uint32_t site)
{
    return trace->strides[trace->site_strides[site]];
}

static void expect(const struct trace *trace, uint32_t site, int64_t x, int64_t y, int64_t z)
{
    assert_int_not_equal(trace->site_strides[site], 0);
    assert_int_equal(stride(trace, site)[0], x);
    assert_int_equal(stride(trace, site)[1], y);
    assert_int_equal(stride(trace, site)[2], z);
}

/* Clusters of four neighbours in six places of a grid of 10 x 8 x 4. */
static void test_linear(void **state)
{
    (void)state;
    const uint32_t grid[3] = {10, 8, 4};
    static const uint64_t firsts[] = {0, 47, 99, 163, 201, 310};
    struct trace_builder *builder = begin(grid[0], grid[1], grid[2]);
    for (unsigned i = 0; i < 6; i++)
        for (uint64_t k = 0; k < 4; k++)
            write_block(builder, grid, firsts[i] + k);
    struct trace *trace = trace_builder_finish(builder);
    trace_find_strides(trace);
    expect(trace, ROWS, 64, -4096, 1 << 20);
    expect(trace, SHARED_TABLE, 0, 0, 0);
    assert_int_equal(trace->site_strides[DATA], 0);
    expect(trace, RIM, 64, -4096, 1 << 20);
    expect(trace, LINES, 8, 0, 0);
    assert_false(trace->is_linear);
    assert_int_equal(trace->stride_count, 4);
    trace_destroy(trace);
}

/* Three rows of a grid, each with one block: x never differs alone, and cannot be told from y. One row: it can. */
static void test_too_few(void **state)
{
    (void)state;
    for (uint32_t rows = 1; rows <= 3; rows += 2) {
        struct trace_builder *builder = begin(100, rows, 1);
        for (uint64_t i = 0; i < 3; i++) {
            uint64_t block = rows == 1 ? 30 * i : 130 * i;
            trace_builder_begin_block(builder, block);
            trace_builder_begin_warp(builder, 0, UINT32_MAX);
            step(builder, ROWS, UINT32_MAX, block % 100 * 64);
        }
        struct trace *trace = trace_builder_finish(builder);
        trace_find_strides(trace);
        assert_int_equal(trace->is_linear, rows == 1);
        if (rows == 1) expect(trace, ROWS, 64, 0, 0);
        trace_destroy(trace);
    }
}

/* Two blocks: any stride fits them, so neither is believed. */
static void test_one_pair_proves_nothing(void **state)
{
    (void)state;
    struct trace_builder *builder = begin(100, 1, 1);
    for (uint64_t i = 0; i < 2; i++) {
        trace_builder_begin_block(builder, i);
        trace_builder_begin_warp(builder, 0, UINT32_MAX);
        step(builder, ROWS, UINT32_MAX, 1000 * i);
    }
    struct trace *trace = trace_builder_finish(builder);
    trace_find_strides(trace);
    assert_int_equal(trace->site_strides[ROWS], 0);
    assert_false(trace->is_linear);
    trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_one_pair_proves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
