// SPDX-License-Identifier: Apache-2.0
/* The cache and the replay of traces on caches: streams, chains around a working set, strides. Every
 * expectation is arithmetic in a comment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "measure/cache.h"
#include "measure/cache_replay.h"
#include "measure/trace.h"

static void test_a_set_forgets_the_oldest(void **state)
{
    (void)state;
    struct cache cache;
    cache_init(&cache, 4 * 128, 128, 2); /* 2 sets of 2 lines: 0, 3 and 5 in one, 1 in the other */
    assert_int_equal(cache_access(&cache, 0, 1, CACHE_ALLOCATE), 0);
    assert_int_equal(cache_access(&cache, 3, 15, CACHE_CHANGE), 0);
    assert_int_equal(cache_access(&cache, 0, 3, CACHE_ALLOCATE), 1); /* a sector is missing */
    assert_int_equal(cache_access(&cache, 0, 3, CACHE_ALLOCATE), 3);
    assert_int_equal(cache_access(&cache, 1, 1, CACHE_ALLOCATE), 0); /* the other set */
    assert_int_equal(cache_changed(&cache), 4);
    assert_int_equal(cache_access(&cache, 5, 1, CACHE_LOOK), 0);
    assert_int_equal(cache_access(&cache, 3, 15, CACHE_LOOK), 15);
    assert_int_equal(cache_access(&cache, 5, 1, CACHE_ALLOCATE), 0); /* drives out line 0 */
    assert_int_equal(cache_access(&cache, 0, 3, CACHE_LOOK), 0);
    assert_int_equal(cache.written_back, 0);
    assert_int_equal(cache_access(&cache, 0, 1, CACHE_ALLOCATE), 0); /* and this line 3 */
    assert_int_equal(cache.written_back, 4);
    assert_int_equal(cache_access(&cache, 1, 1, CACHE_LOOK), 1);
    cache_clear(&cache);
    cache_init(&cache, 100, 128, 4);
    assert_int_equal(cache_access(&cache, 0, 1, CACHE_ALLOCATE), 0);
    assert_int_equal(cache_access(&cache, 0, 1, CACHE_ALLOCATE), 0); /* there is no cache */
    cache_clear(&cache);
}

/* Strides of powers of two: 32 sets of 4 lines keep 128 lines that are 32 or 1024 apart. */
static void test_strides_spread(void **state)
{
    (void)state;
    for (uint64_t stride = 1; stride <= 1024; stride *= 32) {
        struct cache cache;
        cache_init(&cache, 128 * 128, 128, 4);
        for (uint64_t i = 0; i < 128; i++)
            cache_access(&cache, i * stride, 1, CACHE_ALLOCATE);
        for (uint64_t i = 0; i < 128; i++)
            assert_int_equal(cache_access(&cache, i * stride, 1, CACHE_LOOK), 1);
        cache_clear(&cache);
    }
}

/* ---- replays --------------------------------------------------------------------------------- */

enum { LOAD, LOAD_CG, STORE, ATOMIC, LOCAL_LOAD, BARRIER };

static const struct cache_geometry geometry = {.l1_bytes = 16 << 10,
                                               .l2_bytes = 1 << 20,
                                               .line_bytes = 128,
                                               .l1_ways = 4,
                                               .l2_ways = 16,
                                               .fill_bytes = 32,
                                               .l1_loads = 1,
                                               .blocks_per_sm = 1,
                                               .sm_count = 1};

static struct trace_builder *start(uint32_t blocks, uint32_t warps)
{
    const struct trace_head head = {.grid = {blocks, 1, 1}, .block = {32 * warps, 1, 1}};
    struct trace_builder *builder = trace_builder_create(&head);
    const struct trace_insn insns[] = {
        [LOAD] = {.operation = TRACE_LOAD, .space = SPACE_GLOBAL, .bytes = 4},
        [LOAD_CG] = {.operation = TRACE_LOAD,
                     .space = SPACE_GLOBAL,
                     .bytes = 4,
                     .cache_op = CACHE_CG},
        [STORE] = {.operation = TRACE_STORE, .space = SPACE_GLOBAL, .bytes = 4},
        [ATOMIC] = {.operation = TRACE_ATOMIC, .space = SPACE_GLOBAL, .bytes = 4},
        [LOCAL_LOAD] = {.operation = TRACE_LOAD, .space = SPACE_LOCAL, .bytes = 4},
        [BARRIER] = {.class_id = CLASS_BARRIER, .barrier = TRACE_BARRIER_SYNC},
    };
    for (size_t i = 0; i < sizeof insns / sizeof *insns; i++)
        trace_builder_add_insn(builder, &insns[i], NULL, 0, NULL, 0);
    return builder;
}

static void warp(struct trace_builder *builder, uint32_t block, uint32_t index)
{
    if (index == 0) trace_builder_begin_block(builder, block);
    trace_builder_begin_warp(builder, index, UINT32_MAX);
}

static void step(struct trace_builder *builder, uint32_t insn, uint64_t base, int64_t stride)
{
    const struct access access = {.space = insn == LOCAL_LOAD ? SPACE_LOCAL : SPACE_GLOBAL,
                                  .shape = ACCESS_STRIDED,
                                  .bytes = 4,
                                  .mask = UINT32_MAX,
                                  .base = base,
                                  .stride = stride};
    trace_builder_step(builder, insn, UINT32_MAX, UINT32_MAX, &access, insn != BARRIER);
}

static struct cache_section replay(struct trace_builder *builder,
                                   const struct cache_geometry *caches)
{
    struct cache_section section;
    struct profile *profile = profile_create();
    profile->trace = trace_builder_finish(builder);
    memcpy(profile->grid, profile->trace->head.grid, sizeof profile->grid);
    memcpy(profile->block, profile->trace->head.block, sizeof profile->block);
    cache_replay(profile, caches, &section);
    profile_add_caches(profile, &section);
    assert_non_null(profile_find_caches(profile, caches));
    struct cache_geometry other = *caches;
    other.l1_ways++;
    assert_null(profile_find_caches(profile, &other));
    profile_destroy(profile);
    return section;
}

#define COUNTS(section, ...)                                                                       \
    do {                                                                                           \
        const uint64_t expected_[CACHE_COUNT_COUNT] = {__VA_ARGS__};                               \
        for (int i_ = 0; i_ < CACHE_COUNT_COUNT; i_++)                                             \
            if ((section).counts[i_] != expected_[i_])                                             \
                fail_msg("%s: %llu, expected %llu", cache_count_infos[i_].id,                      \
                         (unsigned long long)(section).counts[i_],                                 \
                         (unsigned long long)expected_[i_]);                                       \
    } while (0)

/* 100 loads and 100 stores of 128 new bytes each: 4 sectors a load, nothing ever hits, everything
 * written comes to DRAM. */
static void test_stream(void **state)
{
    (void)state;
    struct trace_builder *builder = start(1, 1);
    warp(builder, 0, 0);
    for (uint64_t i = 0; i < 100; i++) {
        step(builder, LOAD, 128 * i, 4);
        step(builder, STORE, (1 << 20) + 128 * i, 4);
    }
    struct cache_section section = replay(builder, &geometry);
    COUNTS(section, [CACHE_COUNT_LOADS] = 400, [CACHE_COUNT_L1_LOOKUPS] = 400,
           [CACHE_COUNT_L2_LOADS] = 400, [CACHE_COUNT_STORES] = 400, [CACHE_COUNT_DRAM_READ] = 400,
           [CACHE_COUNT_DRAM_FIRST] = 400, [CACHE_COUNT_DRAM_WRITTEN] = 400);
    assert_true(cache_l1_hit_rate(&section) == 0 && cache_l2_hit_rate(&section) == 0);
}

/* `lines` lines one after the other, ten times round. */
static struct cache_section chase(uint64_t lines, const struct cache_geometry *caches)
{
    struct trace_builder *builder = start(1, 1);
    warp(builder, 0, 0);
    for (unsigned turn = 0; turn < 10; turn++)
        for (uint64_t i = 0; i < lines; i++)
            step(builder, LOAD, 128 * i, 0);
    return replay(builder, caches);
}

/* 16 KiB are 128 lines in 32 sets of 4. That many lines: 9 turns of 10 hit. 160 lines are 5 for the 4
 * ways of each set: least recently used out, none ever hits. */
static void test_working_set(void **state)
{
    (void)state;
    struct cache_section fits = chase(128, &geometry), not = chase(160, &geometry);
    COUNTS(fits, [CACHE_COUNT_LOADS] = 1280, [CACHE_COUNT_L1_LOOKUPS] = 1280,
           [CACHE_COUNT_L1_HITS] = 9 * 128, [CACHE_COUNT_L2_LOADS] = 128,
           [CACHE_COUNT_DRAM_READ] = 128, [CACHE_COUNT_DRAM_FIRST] = 128);
    COUNTS(not, [CACHE_COUNT_LOADS] = 1600, [CACHE_COUNT_L1_LOOKUPS] = 1600,
           [CACHE_COUNT_L2_LOADS] = 1600, [CACHE_COUNT_L2_LOAD_HITS] = 9 * 160,
           [CACHE_COUNT_DRAM_READ] = 160, [CACHE_COUNT_DRAM_FIRST] = 160);
    /* 144 lines: in 16 of the sets 5, in the others 4, which hit. */
    struct cache_section half = chase(144, &geometry);
    assert_int_equal(half.counts[CACHE_COUNT_L1_HITS], 9 * 16 * 4);
    struct cache_geometry small = geometry; /* the L2 forgets, too: 1 KiB, 8 lines, 1 set */
    small.l2_bytes = 1 << 10;
    small.l2_ways = 8;
    struct cache_section none = chase(160, &small);
    assert_int_equal(none.counts[CACHE_COUNT_L2_LOAD_HITS], 0);
    assert_int_equal(none.counts[CACHE_COUNT_DRAM_READ], 1600);
}

/* 32 lanes 128 bytes apart touch 32 sectors; the neighbours 32 bytes on are other sectors of the same
 * lines. With whole lines filled (cc 2.x) the second load hits. */
static void test_stride(void **state)
{
    (void)state;
    struct cache_geometry lines = geometry;
    lines.fill_bytes = 128;
    for (int whole = 0; whole < 2; whole++) {
        struct trace_builder *builder = start(1, 1);
        warp(builder, 0, 0);
        step(builder, LOAD, 0, 128);
        step(builder, LOAD, 32, 128);
        struct cache_section section = replay(builder, whole ? &lines : &geometry);
        COUNTS(section, [CACHE_COUNT_LOADS] = 64, [CACHE_COUNT_L1_LOOKUPS] = 64,
               [CACHE_COUNT_L1_HITS] = whole ? 32 : 0, [CACHE_COUNT_L2_LOADS] = whole ? 128 : 64,
               [CACHE_COUNT_DRAM_READ] = whole ? 128 : 64,
               [CACHE_COUNT_DRAM_FIRST] = whole ? 128 : 64);
    }
}

/* .cg goes past the L1, atomics and stores work in the L2; local words of the lanes are interleaved:
 * one word of 32 lanes is one line. */
static void test_ways_through(void **state)
{
    (void)state;
    struct trace_builder *builder = start(1, 1);
    warp(builder, 0, 0);
    step(builder, LOAD_CG, 0, 4);
    step(builder, LOAD_CG, 0, 4);    /* hits in the L2 */
    step(builder, ATOMIC, 0, 4);     /* too */
    step(builder, ATOMIC, 4096, 4);  /* read from DRAM */
    step(builder, STORE, 4096, 4);   /* hits */
    step(builder, LOCAL_LOAD, 0, 0); /* word 0 of each lane */
    step(builder, LOCAL_LOAD, 0, 0); /* hits in the L1 */
    struct cache_section section = replay(builder, &geometry);
    COUNTS(section, [CACHE_COUNT_LOADS] = 16, [CACHE_COUNT_L1_LOOKUPS] = 8,
           [CACHE_COUNT_L1_HITS] = 4, [CACHE_COUNT_L2_LOADS] = 12, [CACHE_COUNT_L2_LOAD_HITS] = 4,
           [CACHE_COUNT_STORES] = 4, [CACHE_COUNT_L2_STORE_HITS] = 4, [CACHE_COUNT_ATOMICS] = 8,
           [CACHE_COUNT_L2_ATOMIC_HITS] = 4, [CACHE_COUNT_DRAM_READ] = 12,
           [CACHE_COUNT_DRAM_FIRST] = 8, [CACHE_COUNT_DRAM_WRITTEN] = 8);
}

/* Two blocks read the same line: on one SM the second hits in the L1, on two in the L2. Of a grid that
 * keeps ten SMs busy, these two have a fifth of the L2. */
static void test_blocks_on_sms(void **state)
{
    (void)state;
    for (unsigned together = 0; together < 2; together++) {
        struct cache_geometry caches = geometry;
        caches.blocks_per_sm = 1 + together;
        struct trace_builder *builder = start(2, 1);
        for (uint32_t block = 0; block < 2; block++) {
            warp(builder, block, 0);
            step(builder, LOAD, 0, 4);
        }
        struct cache_section section = replay(builder, &caches);
        assert_int_equal(section.sms, together ? 1 : 2);
        assert_int_equal(section.counts[CACHE_COUNT_L1_HITS], together ? 4 : 0);
        assert_int_equal(section.counts[CACHE_COUNT_L2_LOAD_HITS], together ? 0 : 4);
    }
    struct cache_geometry shared = geometry;
    shared.sm_count = 10;
    shared.l2_bytes = 160 * 128; /* 32 lines for two SMs of ten */
    shared.l1_bytes = 0;
    for (uint64_t lines = 32; lines <= 48; lines += 16) {
        struct trace_builder *builder = start(100, 1);
        warp(builder, 0, 0);
        for (unsigned turn = 0; turn < 2; turn++)
            for (uint64_t i = 0; i < lines; i++)
                step(builder, LOAD, 128 * i, 0);
        warp(builder, 1, 0);
        struct cache_section section = replay(builder, &shared);
        assert_int_equal(section.counts[CACHE_COUNT_L2_LOAD_HITS], lines == 32 ? 32 : 0);
    }
}

/* An L1 of one line. The second warp's load of line 0 follows the first warp's at once, and hits; or,
 * after a barrier, the first warp's fourth, and misses. */
static void test_barriers_hold_warps_together(void **state)
{
    (void)state;
    for (int synced = 0; synced < 2; synced++) {
        struct trace_builder *builder = start(1, 2);
        warp(builder, 0, 0);
        for (uint64_t i = 0; i < 4; i++)
            step(builder, LOAD, 128 * i, 4);
        if (synced) step(builder, BARRIER, 0, 0);
        step(builder, LOAD, 1 << 16, 4);
        warp(builder, 0, 1);
        if (synced) step(builder, BARRIER, 0, 0);
        step(builder, LOAD, 0, 4);
        struct cache_geometry one_line = geometry;
        one_line.l1_bytes = 128;
        struct cache_section section = replay(builder, &one_line);
        assert_int_equal(section.counts[CACHE_COUNT_L1_HITS], synced ? 0 : 4);
        assert_int_equal(section.counts[CACHE_COUNT_LOADS], 24);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_set_forgets_the_oldest),
        cmocka_unit_test(test_strides_spread),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_working_set),
        cmocka_unit_test(test_stride),
        cmocka_unit_test(test_ways_through),
        cmocka_unit_test(test_blocks_on_sms),
        cmocka_unit_test(test_barriers_hold_warps_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
