// SPDX-License-Identifier: Apache-2.0
/* Loops and paths of the compiled engine beside the interpreter: memory, profiles and messages are the same where lanes
 * part within a loop, where an access in the middle fails, and where a launch is stopped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

#define PATHS "tests/kernels/paths.ptx"
enum {
    BLOCKS = 3,
    THREADS = 256,
    WORDS = BLOCKS * THREADS + 640,
    OUT_BYTES = BLOCKS * THREADS * 32
};

/* What one launch leaves behind. */
struct trace {
    ws_status status;
    char *message, *profile;
    unsigned char *out;
};

typedef void arrange_fn(struct run *run, uint32_t number);

static struct trace launch(const char *engine, unsigned threads, const char *kernel,
                           arrange_fn *arrange, uint32_t number)
{
    struct run run;
    struct trace trace = {0};
    setenv("WARPSAGE_ENGINE", engine, 1);
    run_begin(&run, PATHS, kernel, threads);
    run.launch.trace_blocks = WS_TRACE_NONE; /* traced blocks follow no paths */
    arrange(&run, number);
    trace.status = run_try(&run);
    trace.message = strdup(ws_context_error(run.context));
    trace.out = run_read(&run, 1);
    if (trace.status == WS_OK) trace.profile = run_profile_text(&run);
    run_end(&run);
    return trace;
}

static void drop(struct trace *trace)
{
    free(trace->message);
    free(trace->profile);
    free(trace->out);
}

/* Returns the status, which is the same by both. */
static ws_status compare(const char *kernel, arrange_fn *arrange, uint32_t number,
                         unsigned most_threads)
{
    struct trace expected = launch("interpreter", 1, kernel, arrange, number);
    ws_status status = expected.status;
    for (unsigned threads = 1; threads <= most_threads; threads++) {
        struct trace got = launch("compiled", threads, kernel, arrange, number);
        assert_string_equal(got.message, expected.message);
        assert_int_equal(got.status, expected.status);
        assert_int_equal(expected.profile != NULL, got.profile != NULL);
        if (expected.profile) {
            assert_memory_equal(got.out, expected.out, OUT_BYTES);
            assert_string_equal(got.profile, expected.profile);
        }
        drop(&got);
    }
    drop(&expected);
    return status;
}

/* ---- lanes that part ------------------------------------------------------------------------- */

/* Words of all kinds, NaNs with payloads among them. */
static void fill(uint32_t *words, size_t count)
{
    uint64_t state = 5;
    for (size_t i = 0; i < count; i++)
        words[i] = i % 5 == 0 ? 0x7f800001 + (random_u32(&state) & 0xffff) : random_u32(&state);
}

static void arrange_turns(struct run *run, uint32_t most)
{
    uint32_t words[WORDS];
    fill(words, WORDS);
    unsigned char zeros[OUT_BYTES] = {0};
    run_shape(run, BLOCKS, THREADS);
    run_input(run, words, sizeof words);
    run_input(run, zeros, sizeof zeros);
    run_int(run, (int)most);
}

/* No turn, one, a few, and more than are made between two looks at the limit. */
static void test_turns(void **state)
{
    static const uint32_t most[] = {1, 2, 3, 9, 255, 256, 257, 700};
    (void)state;
    for (unsigned i = 0; i < sizeof most / sizeof *most; i++) {
        assert_int_equal(compare("turns", arrange_turns, most[i], 3), WS_OK);
        assert_int_equal(compare("places", arrange_turns, most[i], 3), WS_OK);
    }
}

/* Turns that end in the middle of a path, as many as looks at the limit allow; and more stages than are told apart. */
static void test_barriers(void **state)
{
    static const uint32_t most[] = {1, 2, 63, 64, 65, 85, 86, 127, 128, 129, 255, 256, 257, 540};
    (void)state;
    for (unsigned i = 0; i < sizeof most / sizeof *most; i++)
        assert_int_equal(compare("barriers", arrange_turns, most[i], 2), WS_OK);
}

/* Warps of a block go on together, or some of them leave the others or end. */
static void test_abreast(void **state)
{
    static const uint32_t most[] = {1, 2, 3, 7, 20, 60};
    (void)state;
    for (unsigned i = 0; i < sizeof most / sizeof *most; i++)
        assert_int_equal(compare("abreast", arrange_turns, most[i], 2), WS_OK);
}

/* All lanes of a warp go one way, or some do: floats whose NaNs are to become 0x7fffffff, and words that must not. */
static void test_kinds(void **state)
{
    static const uint32_t most[] = {0, 1, 64, 80, THREADS};
    (void)state;
    for (unsigned i = 0; i < sizeof most / sizeof *most; i++)
        assert_int_equal(compare("kinds", arrange_turns, most[i], 1), WS_OK);
}

/* ---- lanes that meet, or wait for each other ------------------------------------------------- */

static void test_meetings(void **state)
{
    (void)state;
    for (uint32_t most = 1; most <= 300; most += 23) {
        assert_int_equal(compare("middle", arrange_turns, most, 2), WS_OK);
        assert_int_equal(compare("standing", arrange_turns, most % 33, 2), WS_OK);
    }
}

/* Turns of lanes that poll: fewer than are made without a store, more, and more than with one. */
static void test_polls(void **state)
{
    static const uint32_t most[] = {5, 16, 17, 100, 255, 256, 257, 600};
    (void)state;
    for (unsigned i = 0; i < sizeof most / sizeof *most; i++) {
        assert_int_equal(compare("storing", arrange_turns, most[i], 2), WS_OK);
        assert_int_equal(compare("waiting", arrange_turns, 1 + most[i] % 31, 2), WS_OK);
    }
}

/* ---- what ends a launch ---------------------------------------------------------------------- */

enum { STEPS_WORDS = 4096 };

static void arrange_steps(struct run *run, uint32_t stride)
{
    uint32_t words[STEPS_WORDS];
    unsigned char zeros[OUT_BYTES] = {0};
    for (unsigned i = 0; i < STEPS_WORDS; i++)
        words[i] = 1;
    run_shape(run, 1, 40);
    run_input(run, words, sizeof words);
    run_input(run, zeros, sizeof zeros);
    run_int(run, (int)stride);
}

/* The loads go on beyond the end of the buffer, the last lane first. */
static void test_fault(void **state)
{
    (void)state;
    for (uint32_t stride = 1; stride <= 64; stride *= 2)
        assert_int_equal(compare("steps", arrange_steps, stride, 2), WS_ERR_FAULT);
}

static void arrange_together(struct run *run, uint32_t offset)
{
    unsigned char bytes[OUT_BYTES] = {0};
    run_shape(run, 1, 32);
    run_input(run, bytes, sizeof bytes);
    run_input(run, bytes, sizeof bytes);
    run_int(run, (int)offset);
}

/* Accesses that are checked together: none is bad, each in turn is the first that is, or all are. */
static void test_together(void **state)
{
    static const uint32_t good[] = {8, 16, 200, 256};
    static const uint32_t bad[] = {0,   2,   4,   264, 272, 512,     520,      760,
                                   768, 776, 800, 900, 960, 1 << 20, 1u << 31, 0xfffffff8};
    (void)state;
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
        assert_int_equal(compare("together", arrange_together, good[i], 1), WS_OK);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(compare("together", arrange_together, bad[i], 1), WS_ERR_FAULT);
}

static void arrange_fresh(struct run *run, uint32_t layout)
{
    uint32_t word = 0;
    run_shape(run, 1, 64);
    run_input(run, &word, sizeof word);
    run_output(run, OUT_BYTES);
    run_int(run, (int)layout);
}

/* Stores to memory that was never written, and loads that meet such memory in all lanes, some, or none. */
static void test_fresh(void **state)
{
    static const uint32_t pitches[] = {64, 128, 192, 256, 68, 96, 100};
    static const uint32_t backs[] = {0, 4, 32, 60, 64, 68, 128};
    unsigned good = 0, count = 0;
    (void)state;
    for (unsigned i = 0; i < sizeof pitches / sizeof *pitches; i++)
        for (unsigned k = 0; k < sizeof backs / sizeof *backs; k++, count++)
            good += compare("fresh", arrange_fresh, pitches[i] | backs[k] << 16, 1) == WS_OK;
    assert_in_range(good, 6, count - 6);
}

static void arrange_limit(struct run *run, uint32_t limit)
{
    arrange_steps(run, 0);
    run->launch.max_instructions = limit;
}

static void test_limit(void **state)
{
    (void)state;
    for (uint32_t limit = 1000; limit < 1040; limit++)
        assert_int_equal(compare("steps", arrange_limit, limit, 1), WS_ERR_LIMIT);
}

/* Turns that end just within the limit, or just beyond it. */
static void arrange_last_turns(struct run *run, uint32_t limit)
{
    arrange_turns(run, 300);
    run->launch.max_instructions = limit;
}

static void test_limit_at_end(void **state)
{
    static const char *const kernels[] = {"turns", "barriers"};
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        unsigned good = 0, count = 0;
        for (uint32_t limit = 20000; limit < 400000; limit += 10007, count++)
            good += compare(kernels[k], arrange_last_turns, limit, 1) == WS_OK;
        assert_in_range(good, 1, count - 1);
    }
}

static bool is_cancelled(void *user)
{
    unsigned *looks = user;
    return ++*looks > 3;
}

static void test_cancel(void **state)
{
    unsigned looks = 0;
    struct run run;
    (void)state;
    setenv("WARPSAGE_ENGINE", "compiled", 1);
    run_begin(&run, PATHS, "steps", 1);
    run.launch.trace_blocks = WS_TRACE_NONE;
    arrange_steps(&run, 0);
    ws_context_set_cancel(run.context, is_cancelled, &looks);
    assert_int_equal(run_try(&run), WS_ERR_CANCELLED);
    assert_in_range(looks, 4, 100);
    run_end(&run);
}

static bool is_counted(void *user)
{
    ++*(unsigned *)user;
    return false;
}

/* Looks at the user's wish in a launch of 500 turns. */
static unsigned count_looks(const char *engine, const char *kernel)
{
    unsigned looks = 0;
    struct run run;
    setenv("WARPSAGE_ENGINE", engine, 1);
    run_begin(&run, PATHS, kernel, 1);
    run.launch.trace_blocks = WS_TRACE_NONE;
    arrange_turns(&run, 500);
    ws_context_set_cancel(run.context, is_counted, &looks);
    assert_int_equal(run_try(&run), WS_OK);
    run_end(&run);
    return looks;
}

/* Both look every 256 turns: in each block all lanes of at least six warps make 500. The interpreter also looks every 256
 * times that lanes part, which paths with both arms of a branch need not: they come to their ends soon. */
static void test_looks(void **state)
{
    static const char *const kernels[] = {"turns", "barriers"};
    (void)state;
    for (unsigned i = 0; i < 2; i++)
        assert_in_range(count_looks("compiled", kernels[i]), 6 * BLOCKS,
                        count_looks("interpreter", kernels[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),    cmocka_unit_test(test_barriers),
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_meetings),
        cmocka_unit_test(test_polls),    cmocka_unit_test(test_fault),
        cmocka_unit_test(test_together), cmocka_unit_test(test_fresh),
        cmocka_unit_test(test_limit),    cmocka_unit_test(test_limit_at_end),
        cmocka_unit_test(test_cancel),   cmocka_unit_test(test_looks),
        cmocka_unit_test(test_abreast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
