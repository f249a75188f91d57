// SPDX-License-Identifier: Apache-2.0
/* How long ago was touched what a launch reads? What launches and copies leave in an L2: arrays swept one after the other, of sizes that fit or do not. Sectors
 * have 32 bytes; expectations are those of a cache that replaces the least recently used sector. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "measure/footprint.h"
#include "measure/l2_history.h"

enum { MB = (1 << 20) / 32 /* sectors */ };
static const double L2 = 6 << 20;

struct array {
    uint64_t first, sectors, step; /* every step-th sector; 0: all */
    bool is_read;
};

/* The arrays at once; returns what an L2 of so many bytes had of those read. */
static uint64_t touch(struct l2_history *history, const struct array *arrays, size_t count,
                      double l2_bytes)
{
    struct l2_sweep sweeps[4] = {0};
    struct l2_found *found = mem_zalloc(1, sizeof *found);
    for (size_t i = 0; i < count; i++) {
        uint64_t step = arrays[i].step ? arrays[i].step : arrays[i].sectors;
        uint64_t width = arrays[i].step ? 1 : arrays[i].sectors;
        for (uint64_t at = 0; at < arrays[i].sectors; at += step)
            l2_ranges_add(&sweeps[i].ranges, arrays[i].first + at, arrays[i].first + at + width);
        sweeps[i].is_read = arrays[i].is_read;
    }
    l2_history_touch(history, sweeps, count, found);
    uint64_t sectors = 0;
    for (uint32_t i = 0; i < found->count; i++)
        if ((double)found->items[i].bytes <= l2_bytes) sectors += found->items[i].sectors;
    for (size_t i = 0; i < count; i++)
        l2_ranges_clear(&sweeps[i].ranges);
    mem_free(found);
    return sectors;
}

static uint64_t read_array(struct l2_history *history, uint64_t first, uint64_t sectors, double l2)
{
    const struct array array = {first, sectors, 0, true};
    return touch(history, &array, 1, l2);
}

/* 5 MB that were written are read again: an L2 of 5 MB has all of them, a smaller one nothing, because each
 * sector goes just before it is needed. */
static void test_producer_and_consumer(void **state)
{
    (void)state;
    const double sizes[] = {6 << 20, 5 << 20, (5 << 20) - 32};
    const uint64_t expected[] = {5 * MB, 5 * MB, 0};
    for (size_t i = 0; i < 3; i++) {
        struct l2_history *history = l2_history_create();
        const struct array written = {1000, 5 * MB, 0, false};
        assert_int_equal(touch(history, &written, 1, sizes[i]), 0);
        assert_int_equal(read_array(history, 1000, 5 * MB, sizes[i]), expected[i]);
        l2_history_destroy(history);
    }
}

/* Only the part that was there before is found. */
static void test_part_of_an_array(void **state)
{
    (void)state;
    struct l2_history *history = l2_history_create();
    read_array(history, 2 * MB, MB, L2);
    assert_int_equal(read_array(history, MB, 4 * MB, L2), MB);
    l2_history_destroy(history);
}

/* a and b of 2 MB each are read, c of 2 MB is written: 6 MB in all. Then b: the L2 of 6 MB has it, one of less than
 * what was touched since its first sector, 6 MB, has not. Then a new array d of 4 MB, and a again: 2 + 4 MB later. */
static void test_two_arrays(void **state)
{
    (void)state;
    const uint64_t a = 0, b = 16 * MB, c = 32 * MB, d = 64 * MB;
    const struct array all[] = {{a, 2 * MB, 0, true}, {b, 2 * MB, 0, true}, {c, 2 * MB, 0, false}};
    struct l2_history *history = l2_history_create();
    assert_int_equal(touch(history, all, 3, L2), 0);
    assert_int_equal(read_array(history, b, 2 * MB, 6 << 20), 2 * MB);
    assert_int_equal(read_array(history, d, 4 * MB, L2), 0);
    /* Since a's first sectors the others of the first launch were touched, too: 10 MB in all. */
    assert_int_equal(read_array(history, a, 2 * MB, 6 << 20), 0);
    l2_history_destroy(history);

    history = l2_history_create();
    touch(history, all, 3, L2);
    read_array(history, b, 2 * MB, L2);
    read_array(history, d, 4 * MB, L2);
    assert_int_equal(read_array(history, a, 2 * MB, 10 << 20), 2 * MB);
    l2_history_destroy(history);
}

/* x of 1 MB stays beside a stream of 32 MB only if it is touched meanwhile; each launch reads the next 4 MB of the
 * stream with all of x. Since a sector of x 5 MB were touched, whatever was streamed before. */
static void test_vector_beside_a_stream(void **state)
{
    (void)state;
    struct l2_history *history = l2_history_create();
    for (uint64_t i = 0; i < 8; i++) {
        const struct array both[] = {{0, MB, 0, true}, {100 * MB + 4 * MB * i, 4 * MB, 0, true}};
        assert_int_equal(touch(history, both, 2, 5 << 20), i ? MB : 0);
    }
    read_array(history, 200 * MB, 5 * MB, L2);
    assert_int_equal(read_array(history, 0, MB, L2), 0);
    l2_history_destroy(history);
}

/* A column: every 64th sector. A second time it is there, at the cost of what it touched alone, whether or not
 * it is kept as one range. */
static void test_column(void **state)
{
    (void)state;
    const uint64_t counts[] = {100, 50000};
    for (size_t i = 0; i < 2; i++) {
        struct l2_history *history = l2_history_create();
        const struct array column = {0, 64 * counts[i], 64, true};
        assert_int_equal(touch(history, &column, 1, L2), 0);
        assert_int_equal(touch(history, &column, 1, (double)counts[i] * 32), counts[i]);
        assert_int_equal(touch(history, &column, 1, (double)(counts[i] - 1) * 32), 0);
        l2_history_destroy(history);
    }
}

/* However many launches there were, what was touched a little while ago is known: 16 KiB a launch, of 64 arrays in
 * turn, then 100 MB, then the arrays again. */
static void test_many_launches(void **state)
{
    (void)state;
    struct l2_history *history = l2_history_create();
    for (uint64_t i = 0; i < 50000; i++)
        assert_int_equal(read_array(history, i % 64 * 1000, 512, 1 << 20), i < 64 ? 0 : 512);
    assert_int_equal(read_array(history, 100 * MB, 100 * MB, L2), 0);
    for (uint64_t i = 0; i < 50000; i++)
        assert_int_equal(read_array(history, i % 64 * 1000, 512, 1 << 20), i < 64 ? 0 : 512);
    l2_history_destroy(history);
}

/* Sectors of a far and a near part of memory come by address, and runs over words go on. */
static void test_footprint(void **state)
{
    (void)state;
    struct footprint footprint = {0};
    struct access access = {.shape = ACCESS_STRIDED,
                            .bytes = 4,
                            .mask = UINT32_MAX,
                            .stride = 4,
                            .base = UINT64_C(1) << 45};
    footprint_add(&footprint, &access);
    for (uint64_t i = 0; i < 100; i++) {
        access.base = 4096 + i * 128;
        footprint_add(&footprint, &access);
    }
    struct l2_ranges ranges = {0};
    l2_ranges_take(&ranges, &footprint);
    assert_int_equal(ranges.count, 2);
    assert_int_equal(ranges.items[0].first, 128);
    assert_int_equal(ranges.items[0].end, 128 + 400);
    assert_int_equal(ranges.items[1].first, UINT64_C(1) << 40);
    assert_int_equal(ranges.items[1].touched, 4);
    l2_ranges_clear(&ranges);
    footprint_clear(&footprint);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_producer_and_consumer),
        cmocka_unit_test(test_part_of_an_array),
        cmocka_unit_test(test_two_arrays),
        cmocka_unit_test(test_vector_beside_a_stream),
        cmocka_unit_test(test_column),
        cmocka_unit_test(test_many_launches),
        cmocka_unit_test(test_footprint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
