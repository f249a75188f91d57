// SPDX-License-Identifier: Apache-2.0
/* What passes the caches, in the order of time: streams, chains around a working set, strides. Every
 * expectation is arithmetic in a comment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/teg_fixture.h"
#include "measure/measure_sample.h"

enum { LOAD, LOAD_CG, STORE, ATOMIC, LOCAL_LOAD, BARRIER };

/* One SM of a V100 with an L1 of 16 KiB, 32 sets of 4 lines, and an L2 of 1 MiB; misses fetch sectors. */
static const char *const caches[] = {"machine.sm.count=1",
                                     "machine.l1.size=16384",
                                     "machine.l1.ways=4",
                                     "machine.l2.size=1048576",
                                     "machine.l2.ways=16",
                                     "machine.dram.fetch_bytes=32",
                                     NULL,
                                     NULL,
                                     NULL};
enum { CHANGES = sizeof caches / sizeof caches[0], FIRST_FREE = 6 };

static struct fixture start(uint32_t blocks, uint32_t warps)
{
    struct fixture f;
    const struct trace_insn insns[] = {
        [LOAD] = {.class_id = CLASS_MEM_GLOBAL_LOAD,
                  .operation = TRACE_LOAD,
                  .space = SPACE_GLOBAL,
                  .bytes = 4},
        [LOAD_CG] = {.class_id = CLASS_MEM_GLOBAL_LOAD,
                     .operation = TRACE_LOAD,
                     .space = SPACE_GLOBAL,
                     .bytes = 4,
                     .cache_op = CACHE_CG},
        [STORE] = {.class_id = CLASS_MEM_GLOBAL_STORE,
                   .operation = TRACE_STORE,
                   .space = SPACE_GLOBAL,
                   .bytes = 4},
        [ATOMIC] = {.class_id = CLASS_MEM_GLOBAL_ATOMIC,
                    .operation = TRACE_ATOMIC,
                    .space = SPACE_GLOBAL,
                    .bytes = 4},
        [LOCAL_LOAD] = {.class_id = CLASS_MEM_LOCAL_LOAD,
                        .operation = TRACE_LOAD,
                        .space = SPACE_LOCAL,
                        .bytes = 4},
        [BARRIER] = {.class_id = CLASS_BARRIER, .barrier = TRACE_BARRIER_SYNC},
    };
    fixture_begin(&f, blocks, 32 * warps);
    for (size_t i = 0; i < sizeof insns / sizeof *insns; i++)
        trace_builder_add_insn(f.builder, &insns[i], NULL, 0, NULL, 0);
    return f;
}

static void warp(struct fixture *f, uint32_t block, uint32_t index)
{
    if (index == 0) fixture_block(f, block);
    fixture_warp(f, index);
}

static void step(struct fixture *f, uint32_t insn, uint64_t base, int64_t stride)
{
    fixture_step_at(f, insn, insn == LOCAL_LOAD ? SPACE_LOCAL : SPACE_GLOBAL, 4, base, stride);
}

struct counts {
    uint64_t of[CACHE_COUNT_COUNT];
};

/* All blocks at once on the SM; `change` and `second`: figures of the machine, NULL: none. */
static struct counts follow(struct fixture *f, const char *gpu, const char *change,
                            const char *second)
{
    const char *changes[CHANGES];
    struct teg_result result;
    struct counts out;
    for (unsigned i = 0; i < CHANGES; i++)
        changes[i] = caches[i];
    changes[FIRST_FREE] = change;
    changes[FIRST_FREE + 1] = change ? second : NULL;
    struct machine *machine = fixture_machine(gpu, changes);
    fixture_finish(f);
    uint32_t blocks = f->trace->block_count;
    fixture_run(f, machine, &(struct fixture_run){.blocks_per_sm = blocks, .blocks = blocks},
                &result);
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++)
        out.of[i] = result.memory.caches[i];
    teg_result_clear(&result);
    machine_destroy(machine);
    fixture_clear(f);
    return out;
}

#define COUNTS(counts, ...)                                                                        \
    do {                                                                                           \
        const uint64_t expected_[CACHE_COUNT_COUNT] = {__VA_ARGS__};                               \
        for (int i_ = 0; i_ < CACHE_COUNT_COUNT; i_++)                                             \
            if ((counts).of[i_] != expected_[i_])                                                  \
                fail_msg("%s: %llu, expected %llu", cache_count_infos[i_].id,                      \
                         (unsigned long long)(counts).of[i_], (unsigned long long)expected_[i_]);  \
    } while (0)

/* 100 loads and 100 stores of 128 new bytes each: 4 sectors a load, nothing ever hits, everything
 * written comes to DRAM. */
static void test_stream(void **state)
{
    (void)state;
    struct fixture f = start(1, 1);
    warp(&f, 0, 0);
    for (uint64_t i = 0; i < 100; i++) {
        step(&f, LOAD, 128 * i, 4);
        step(&f, STORE, (1 << 20) + 128 * i, 4);
    }
    struct counts counts = follow(&f, "v100", NULL, NULL);
    COUNTS(counts, [CACHE_COUNT_LOADS] = 400, [CACHE_COUNT_L1_LOOKUPS] = 400,
           [CACHE_COUNT_L2_LOADS] = 400, [CACHE_COUNT_STORES] = 400, [CACHE_COUNT_DRAM_READ] = 400,
           [CACHE_COUNT_DRAM_WRITTEN] = 400);
}

/* `lines` lines one after the other, ten times round. */
static struct counts chase(uint64_t lines, const char *change, const char *second)
{
    struct fixture f = start(1, 1);
    warp(&f, 0, 0);
    for (unsigned turn = 0; turn < 10; turn++)
        for (uint64_t i = 0; i < lines; i++)
            step(&f, LOAD, 128 * i, 0);
    return follow(&f, "v100", change, second);
}

/* 16 KiB are 128 lines in 32 sets of 4. That many lines: 9 turns of 10 hit. 160 lines are 5 for the 4
 * ways of each set: least recently used out, none ever hits. */
static void test_working_set(void **state)
{
    (void)state;
    struct counts fits = chase(128, NULL, NULL), not = chase(160, NULL, NULL);
    COUNTS(fits, [CACHE_COUNT_LOADS] = 1280, [CACHE_COUNT_L1_LOOKUPS] = 1280,
           [CACHE_COUNT_L1_HITS] = 9 * 128, [CACHE_COUNT_L2_LOADS] = 128,
           [CACHE_COUNT_DRAM_READ] = 128);
    COUNTS(not, [CACHE_COUNT_LOADS] = 1600, [CACHE_COUNT_L1_LOOKUPS] = 1600,
           [CACHE_COUNT_L2_LOADS] = 1600, [CACHE_COUNT_L2_LOAD_HITS] = 9 * 160,
           [CACHE_COUNT_DRAM_READ] = 160);
    /* 144 lines: in 16 of the sets 5, in the others 4, which hit. */
    struct counts half = chase(144, NULL, NULL);
    assert_int_equal(half.of[CACHE_COUNT_L1_HITS], 9 * 16 * 4);
    /* The L2 forgets, too: 1 KiB, 8 lines, 1 set. */
    struct counts none = chase(160, "machine.l2.size=1024", "machine.l2.ways=8");
    assert_int_equal(none.of[CACHE_COUNT_L2_LOAD_HITS], 0);
    assert_int_equal(none.of[CACHE_COUNT_DRAM_READ], 1600);
    /* A miss fetches 64 bytes: the sectors beside those asked for. */
    struct counts pairs = chase(128, "machine.dram.fetch_bytes=64", NULL);
    assert_int_equal(pairs.of[CACHE_COUNT_DRAM_READ], 2 * 128);
}

/* 32 lanes 128 bytes apart touch 32 sectors; the neighbours 32 bytes on are other sectors of the same
 * lines, which DRAM has brought beside them if it brings 64 bytes. With whole lines filled (cc 2.x) the second
 * load hits. */
static void test_stride(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        struct fixture f = start(1, 1);
        warp(&f, 0, 0);
        step(&f, LOAD, 0, 128);
        step(&f, LOAD, 32, 128);
        bool whole = kind == 1, pairs = kind == 2;
        struct counts counts = follow(&f, "v100",
                                      whole   ? "machine.global.cached_load_bytes=128"
                                      : pairs ? "machine.dram.fetch_bytes=64"
                                              : NULL,
                                      NULL);
        COUNTS(counts, [CACHE_COUNT_LOADS] = 64, [CACHE_COUNT_L1_LOOKUPS] = 64,
               [CACHE_COUNT_L1_HITS] = whole ? 32 : 0, [CACHE_COUNT_L2_LOADS] = whole ? 128 : 64,
               [CACHE_COUNT_L2_LOAD_HITS] = pairs ? 32 : 0,
               [CACHE_COUNT_DRAM_READ] = whole ? 128 : 64);
    }
}

/* .cg goes past the L1, atomics and stores work in the L2; local words of the lanes are interleaved:
 * one word of 32 lanes is one line. */
static void test_ways_through(void **state)
{
    (void)state;
    struct fixture f = start(1, 1);
    warp(&f, 0, 0);
    step(&f, LOAD_CG, 0, 4);
    step(&f, LOAD_CG, 0, 4);    /* hits in the L2 */
    step(&f, ATOMIC, 0, 4);     /* too */
    step(&f, ATOMIC, 4096, 4);  /* read from DRAM */
    step(&f, STORE, 4096, 4);   /* hits */
    step(&f, LOCAL_LOAD, 0, 0); /* word 0 of each lane */
    step(&f, LOCAL_LOAD, 0, 0); /* hits in the L1 */
    struct counts counts = follow(&f, "v100", NULL, NULL);
    COUNTS(counts, [CACHE_COUNT_LOADS] = 16, [CACHE_COUNT_L1_LOOKUPS] = 8,
           [CACHE_COUNT_L1_HITS] = 4, [CACHE_COUNT_L2_LOADS] = 12, [CACHE_COUNT_L2_LOAD_HITS] = 4,
           [CACHE_COUNT_STORES] = 4, [CACHE_COUNT_L2_STORE_HITS] = 4, [CACHE_COUNT_ATOMICS] = 8,
           [CACHE_COUNT_L2_ATOMIC_HITS] = 4, [CACHE_COUNT_DRAM_READ] = 12,
           [CACHE_COUNT_DRAM_WRITTEN] = 8);
}

/* What a store writes whole the L1 has from cc 7.0 on: the next store and a load of it hit. Before, a store
 * leaves nothing. */
static void test_stores_stay(void **state)
{
    (void)state;
    static const char *const gpus[] = {"v100", "titanx"};
    for (unsigned g = 0; g < 2; g++) {
        struct fixture f = start(1, 1);
        warp(&f, 0, 0);
        step(&f, STORE, 0, 4);
        step(&f, STORE, 0, 4);
        step(&f, LOAD, 0, 4);
        struct counts counts = follow(&f, gpus[g], NULL, NULL);
        assert_int_equal(counts.of[CACHE_COUNT_L1_STORE_HITS], g ? 0 : 4);
        assert_int_equal(counts.of[CACHE_COUNT_L2_LOADS], g ? 4 : 0);
        assert_int_equal(counts.of[CACHE_COUNT_DRAM_READ], 0);
    }
}

/* Two blocks on one SM read the same line: the second hits in the L1. */
static void test_blocks_share_an_l1(void **state)
{
    (void)state;
    struct fixture f = start(2, 1);
    for (uint32_t block = 0; block < 2; block++) {
        warp(&f, block, 0);
        step(&f, LOAD, 0, 4);
    }
    assert_int_equal(follow(&f, "v100", NULL, NULL).of[CACHE_COUNT_L1_HITS], 4);
}

/* An L1 of one line. The second warp's load of line 0 follows the first warp's at once, and hits; or,
 * after a barrier, the first warp's fourth, and misses. */
static void test_barriers_hold_warps_together(void **state)
{
    (void)state;
    for (int synced = 0; synced < 2; synced++) {
        struct fixture f = start(1, 2);
        warp(&f, 0, 0);
        for (uint64_t i = 0; i < 4; i++)
            step(&f, LOAD, 128 * i, 4);
        if (synced) fixture_step(&f, BARRIER);
        step(&f, LOAD, 1 << 16, 4);
        warp(&f, 0, 1);
        if (synced) fixture_step(&f, BARRIER);
        step(&f, LOAD, 0, 4);
        struct counts counts = follow(&f, "v100", "machine.l1.size=128", NULL);
        assert_int_equal(counts.of[CACHE_COUNT_L1_HITS], synced ? 0 : 4);
        assert_int_equal(counts.of[CACHE_COUNT_LOADS], 24);
    }
}

/* Blocks of 32 threads read the 128 bytes from 96 bytes times their index on: neighbours share a sector of four.
 * Then one table that all read, and data at a place that follows from nothing: the square of the index. */
static struct fixture start_stencil(uint32_t grid)
{
    struct fixture f = start(grid, 1);
    struct grid_work work;
    grid_work_init(&work, grid);
    for (uint32_t first = 0; first < grid; first += grid / 8)
        for (uint32_t block = first; block < first + 4; block++) {
            warp(&f, block, 0);
            step(&f, LOAD, 96 * block, 4);
            step(&f, STORE, 1 << 20, 4);
            step(&f, LOAD_CG, (1 << 24) + 128 * block * block, 4);
        }
    fixture_finish(&f);
    for (uint32_t i = 0; i < grid; i++)
        grid_work_add(&work, i, 3);
    trace_set_parts(f.trace, &work);
    grid_work_clear(&work);
    return f;
}

static struct counts follow_places(struct fixture *f, const uint64_t *places, uint64_t count)
{
    const struct fixture_run run = {.blocks_per_sm = 16, .blocks = count, .places = places};
    struct machine *machine = fixture_machine("v100", caches);
    struct teg_result result;
    struct counts out;
    fixture_run(f, machine, &run, &result);
    for (unsigned i = 0; i < CACHE_COUNT_COUNT; i++)
        out.of[i] = result.memory.caches[i];
    teg_result_clear(&result);
    machine_destroy(machine);
    return out;
}

/* What an L1 sees follows from the places of the SM's own blocks. Of 80 SMs each has every 80th block, which share
 * nothing: of 3 x 4 sectors of each block the second and third block's store hits where the first one's was. Four
 * neighbours: the last three find one sector of the one before. That the traced blocks are neighbours means
 * nothing. */
static void test_places_in_the_grid(void **state)
{
    (void)state;
    struct fixture f = start_stencil(800);
    static const uint64_t apart[] = {40, 120, 200, 280, 360, 440}, neighbours[] = {41, 42, 43, 44};
    struct counts far = follow_places(&f, apart, 6), near = follow_places(&f, neighbours, 4);
    COUNTS(far, [CACHE_COUNT_LOADS] = 6 * 8, [CACHE_COUNT_L1_LOOKUPS] = 6 * 4,
           [CACHE_COUNT_L2_LOADS] = 6 * 8, [CACHE_COUNT_STORES] = 6 * 4,
           [CACHE_COUNT_L1_STORE_HITS] = 5 * 4, [CACHE_COUNT_L2_STORE_HITS] = 5 * 4,
           [CACHE_COUNT_DRAM_READ] = 6 * 8, [CACHE_COUNT_DRAM_WRITTEN] = 4);
    COUNTS(
        near, [CACHE_COUNT_LOADS] = 4 * 8, [CACHE_COUNT_L1_LOOKUPS] = 4 * 4,
        [CACHE_COUNT_L1_HITS] = 3, [CACHE_COUNT_L2_LOADS] = 4 * 8 - 3, [CACHE_COUNT_STORES] = 4 * 4,
        [CACHE_COUNT_L1_STORE_HITS] = 3 * 4, [CACHE_COUNT_L2_STORE_HITS] = 3 * 4,
        [CACHE_COUNT_DRAM_READ] = 4 * 8 - 3, [CACHE_COUNT_DRAM_WRITTEN] = 4);
    fixture_clear(&f);
}

/* A triangle: block i of 10 executes 1 + i instructions, the traced ones are 0 to 3. Block 9 then takes the stand-in of
 * 4 instructions and is 2.5 times as long, by 6 instructions; block 2 stands for itself. */
static void test_longer_than_any_traced(void **state)
{
    (void)state;
    struct fixture f = start(10, 1);
    struct grid_work work;
    grid_work_init(&work, 10);
    for (uint32_t block = 0; block < 10; block++) {
        if (block < 4) warp(&f, block, 0);
        for (uint32_t i = 0; i <= block && block < 4; i++)
            step(&f, LOAD, 128 * i, 4);
        grid_work_add(&work, block, block + 1);
    }
    fixture_finish(&f);
    for (uint32_t i = 0; i < f.trace->block_count; i++)
        f.trace->blocks[i].work = i + 1;
    trace_set_parts(f.trace, &work);
    grid_work_clear(&work);
    static const uint64_t places[] = {2, 9};
    const struct fixture_run run = {.blocks_per_sm = 1, .blocks = 2, .places = places};
    struct machine *machine = fixture_machine("v100", caches);
    struct teg_result result;
    fixture_run(&f, machine, &run, &result);
    assert_int_equal(result.longer.number, 1);
    assert_int_equal(result.longer.ended, result.block_ends[1]);
    assert_true(result.longer.times == 2.5 && result.longer.more == 6);
    teg_result_clear(&result);
    machine_destroy(machine);
    fixture_clear(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_working_set),
        cmocka_unit_test(test_stride),
        cmocka_unit_test(test_ways_through),
        cmocka_unit_test(test_stores_stay),
        cmocka_unit_test(test_blocks_share_an_l1),
        cmocka_unit_test(test_barriers_hold_warps_together),
        cmocka_unit_test(test_places_in_the_grid),
        cmocka_unit_test(test_longer_than_any_traced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
