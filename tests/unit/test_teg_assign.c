// SPDX-License-Identifier: Apache-2.0
/* Which blocks go to which cluster of SMs: expectations are dealt by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "measure/measure_sample.h"
#include "model/teg/teg_assign.h"

/* A grid of `count` blocks that execute so many warp instructions; the first is traced. */
static struct trace *trace_of(const uint64_t *works, uint32_t count)
{
    struct trace_head head = {
        .kernel = "by_hand", .isa = "hand-written", .grid = {count, 1, 1}, .block = {32, 1, 1}};
    struct trace_builder *builder = trace_builder_create(&head);
    trace_builder_begin_block(builder, 0);
    struct trace *trace = trace_builder_finish(builder);
    struct grid_work work;
    grid_work_init(&work, count);
    for (uint32_t i = 0; i < count; i++)
        grid_work_add(&work, i, works[i]);
    trace_set_parts(trace, &work);
    grid_work_clear(&work);
    return trace;
}

static void expect(const struct teg_assignment *assignment, struct arena *arena, unsigned cluster,
                   const uint64_t *blocks, uint64_t count)
{
    assert_int_equal(teg_assigned_count(assignment, cluster), count);
    const uint64_t *got = teg_assigned_blocks(arena, assignment, cluster, count, 2);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(got[i], blocks[i]);
}

/* 10 equal blocks, 4 clusters: every fourth. The first two have three; the one that has the middle is meant. */
static void test_in_turn(void **state)
{
    (void)state;
    static const uint64_t works[10] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
    struct arena arena = {0};
    struct trace *trace = trace_of(works, 10);
    struct teg_assignment assignment = teg_assign(trace, 10, 4, 2);
    assert_null(assignment.owners);
    assert_int_equal(assignment.longest, 1);
    expect(&assignment, &arena, 0, (const uint64_t[]){0, 4, 8}, 3);
    expect(&assignment, &arena, 3, (const uint64_t[]){3, 7}, 2);
    assert_true(teg_assigned_work(&assignment, 3) == 7);
    trace_destroy(trace);
    arena_clear(&arena);
}

/* Block 1 does 50 times the work of the 8 others. Two clusters, each with two blocks at once: 0 and 2, 1 and 3. A
 * block of two takes twice its work. At 20 all three small ones end: of both, which had as many blocks, the first cluster
 * takes 4, then the second 5, then the first 6. At 40 the second, which had fewer, takes 7, the first 8, which
 * it has alone until 50. At 60 the second ends 7, and only the long one is left. */
static void test_one_long_block(void **state)
{
    (void)state;
    static const uint64_t works[9] = {10, 500, 10, 10, 10, 10, 10, 10, 10};
    struct arena arena = {0};
    struct trace *trace = trace_of(works, 9);
    struct teg_assignment assignment = teg_assign(trace, 9, 2, 2);
    assert_int_equal(assignment.longest, 1);
    expect(&assignment, &arena, 0, (const uint64_t[]){0, 2, 4, 6, 8}, 5);
    expect(&assignment, &arena, 1, (const uint64_t[]){1, 3, 5, 7}, 4);
    assert_true(teg_assigned_work(&assignment, 1) == 530 / 4.0);
    assert_int_equal(assignment.running[0], 2);
    assert_int_equal(assignment.running[2], 2);
    assert_int_equal(assignment.running[3], 1);
    assert_int_equal(assignment.running[4], 0);
    trace_destroy(trace);
    arena_clear(&arena);
}

/* Dealt once for each number of clusters and of resident blocks, and kept with the trace. */
static void test_kept(void **state)
{
    (void)state;
    static const uint64_t works[9] = {10, 500, 10, 10, 10, 10, 10, 10, 10};
    struct trace *trace = trace_of(works, 9);
    struct teg_assignment once = teg_assign(trace, 9, 2, 2), again = teg_assign(trace, 9, 2, 2);
    assert_non_null(once.owners);
    assert_ptr_equal(once.owners, again.owners);
    assert_ptr_equal(once.works, again.works);
    assert_ptr_not_equal(once.owners, teg_assign(trace, 9, 2, 1).owners);
    assert_ptr_not_equal(once.owners, teg_assign(trace, 9, 3, 2).owners);
    trace_destroy(trace);
}

/* Fewer blocks than clusters: the longest block decides. */
static void test_one_block_each(void **state)
{
    (void)state;
    static const uint64_t works[3] = {10, 10, 500};
    struct arena arena = {0};
    struct trace *trace = trace_of(works, 3);
    struct teg_assignment assignment = teg_assign(trace, 3, 80, 1);
    assert_int_equal(assignment.longest, 2);
    expect(&assignment, &arena, 2, (const uint64_t[]){2}, 1);
    trace_destroy(trace);
    arena_clear(&arena);
}

/* Whole waves from all over the cluster's blocks and the rest of the last one: no block twice, those of a wave
 * beside each other. 1,003 blocks on one cluster, 23 of them in waves of 5. */
static void test_some_waves(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct trace *trace = trace_of((const uint64_t[]){1}, 1);
    struct teg_assignment assignment = teg_assign(trace, 1003, 1, 5);
    const uint64_t *got = teg_assigned_blocks(&arena, &assignment, 0, 23, 5);
    for (unsigned i = 0; i < 20; i++) {
        if (i % 5) assert_int_equal(got[i], got[i - 1] + 1);
        assert_int_equal(got[i] % 5, i % 5);
        assert_in_range(got[i], i / 5 * 250, i / 5 * 250 + 249);
    }
    for (unsigned i = 20; i < 23; i++)
        assert_int_equal(got[i], 980 + i);
    trace_destroy(trace);
    arena_clear(&arena);
}

/* A quarter of 400 blocks was executed, each on a cluster of its own. The 40 longest, which stand for ten that were
 * executed, the root of 100, execute twice as much as the next: the mean of their logarithms is ln 2, and the
 * longest of all is 4^ln 2 times as long. Equal blocks: nothing is missed. */
static void test_unseen(void **state)
{
    (void)state;
    uint64_t works[400];
    for (unsigned kind = 0; kind < 2; kind++) {
        struct arena arena = {0};
        for (unsigned i = 0; i < 400; i++)
            works[i] = kind && i % 10 == 0 ? 200 : 100;
        struct trace *trace = trace_of(works, 400);
        struct teg_assignment assignment = teg_assign(trace, 400, 400, 1);
        double share, want = kind ? pow(4, log(2)) : 1;
        assert_true(fabs(teg_assigned_unseen(&assignment, 0.25, &share) - want) < 1e-9);
        assert_true(share == 1);
        assert_true(teg_assigned_unseen(&assignment, 1, &share) == 1);
        trace_destroy(trace);
        arena_clear(&arena);
    }
}

/* A grid of 40 x 40 whose left half does less, a quarter executed: tiles of 4 x 3, so that three blocks of each were.
 * None lies in both halves: the others get what was executed on their side, and of a side that differs from
 * block to block, not always the same. */
static void test_blocks_that_were_not_executed(void **state)
{
    (void)state;
    enum { WIDTH = 40 };
    struct trace_head head = {
        .kernel = "by_hand", .isa = "hand-written", .grid = {WIDTH, WIDTH, 1}, .block = {32, 1, 1}};
    struct trace_builder *builder = trace_builder_create(&head);
    trace_builder_begin_block(builder, 0);
    struct trace *trace = trace_builder_finish(builder);
    struct grid_work work;
    grid_work_init(&work, WIDTH * WIDTH);
    for (uint64_t y = 0; y < WIDTH; y++)
        for (uint64_t x = y % 4; x < WIDTH; x += 4)
            grid_work_add(&work, y * WIDTH + x, x < WIDTH / 2 ? 10 : y % 2 ? 1000 : 2000);
    trace_set_parts(trace, &work);
    unsigned long_ones = 0;
    for (uint32_t i = 0; i < WIDTH * WIDTH; i++) {
        assert_true(i % WIDTH < WIDTH / 2 ? trace->work[i] == 10 : trace->work[i] >= 1000);
        long_ones += trace->work[i] > 1500;
    }
    assert_in_range(long_ones, 320, 480); /* of 800 */
    grid_work_clear(&work);
    trace_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_one_long_block),
        cmocka_unit_test(test_one_block_each),
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_some_waves),
        cmocka_unit_test(test_unseen),
        cmocka_unit_test(test_blocks_that_were_not_executed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
