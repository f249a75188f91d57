// SPDX-License-Identifier: Apache-2.0
/* Address spaces, access widths and global atomics (tests/kernels/memory.cu) against plain C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

#define MEMORY "tests/kernels/memory.ptx"

static void expect_counter(struct run *run, const char *id, uint64_t expected)
{
    uint64_t got = run_counter(run, id);
    if (got != expected)
        fail_msg("%s: %llu, not %llu", id, (unsigned long long)got, (unsigned long long)expected);
}

static void must(struct run *run, ws_status status)
{
    if (status != WS_OK) fail_msg("%s", ws_context_error(run->context));
}

/* ---- constants and globals ------------------------------------------------------------------- */

static void constants_setup(struct run *run)
{
    float scale = 2.25f;
    uint64_t address;
    size_t bytes;
    must(run, ws_device_symbol(run->device, run->module, "scale", &address, &bytes));
    assert_int_equal(bytes, sizeof scale);
    must(run, ws_device_copy_in(run->device, address, &scale, sizeof scale));
    run_shape(run, 2, 64);
    run_int(run, 100);
    run_output(run, 100 * sizeof(int32_t));
}

static void constants_check(struct run *run)
{
    static const int32_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19}, offsets[] = {10, 20, 30, 40};
    int32_t *got = run_read(run, 0);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(got[i], primes[i & 7] * 1000 + offsets[i & 3] + 40 + 18);
    free(got);
    expect_counter(run, "inst.warp.mem.const.load", 4 * 2); /* primes[i & 7], scale; 4 warps */
}

static void test_constants(void **state)
{
    (void)state;
    run_kernel(MEMORY, "constants", constants_setup, constants_check);
}

/* ---- a local array --------------------------------------------------------------------------- */

static void local_setup(struct run *run)
{
    uint64_t seed = 12;
    uint32_t in[128];
    for (size_t i = 0; i < 128; i++)
        in[i] = random_u32(&seed);
    run_shape(run, 2, 64);
    run_int(run, 128);
    run_input(run, in, sizeof in);
    run_output(run, sizeof in);
}

static void local_check(struct run *run)
{
    uint64_t seed = 12;
    uint32_t *got = run_read(run, 1);
    for (size_t i = 0; i < 128; i++) {
        uint32_t x = random_u32(&seed), packed = 0;
        for (unsigned k = 0; k < 32; k += 2)
            packed += UINT32_C(1) << 8 * (x >> k & 3);
        assert_int_equal(got[i], packed);
    }
    free(got);
    /* 4 warps: a vector of four zeros, 16 digits, a vector read back. Words of all lanes of a warp
     * lie together: a vector of 4 words is 4 lines of 128 bytes. */
    expect_counter(run, "mem.local.store.requests", 4 * (1 + 16));
    expect_counter(run, "mem.local.load.requests", 4 * (16 + 1));
    expect_counter(run, "mem.local.store.bytes_requested", 128 * (16 + 16 * 4));
    assert_true(run_counter(run, "mem.local.load.lines128") >= 4 * (16 + 4));
    assert_true(run_counter(run, "mem.local.load.lines128") <= 4 * (16 * 4 + 4));
}

static void test_local_array(void **state)
{
    (void)state;
    run_kernel(MEMORY, "local_array", local_setup, local_check);
}

/* ---- vectors --------------------------------------------------------------------------------- */

enum { VECTORS = 200 };

static void vector_input(float in[4 * VECTORS])
{
    uint64_t seed = 13;
    for (size_t i = 0; i < 4 * VECTORS; i++)
        in[i] = random_float(&seed);
}

static void vectors_setup(struct run *run)
{
    float in[4 * VECTORS];
    vector_input(in);
    run_shape(run, 4, 64);
    run_int(run, VECTORS);
    run_input(run, in, sizeof in);
    run_output(run, sizeof in);
    run_output(run, 2 * VECTORS * sizeof(double));
    run_output(run, 4 * VECTORS);
    run_output(run, VECTORS * sizeof(int16_t));
}

static void vectors_check(struct run *run)
{
    float in[4 * VECTORS], *out = run_read(run, 1);
    double *sums = run_read(run, 2);
    uint8_t *bytes = run_read(run, 3);
    int16_t *shorts = run_read(run, 4);
    vector_input(in);
    for (size_t i = 0; i < VECTORS; i++) {
        const float *v = in + 4 * i;
        for (size_t k = 0; k < 4; k++)
            assert_true(out[4 * i + k] == v[3 - k]);
        assert_true(sums[2 * i] == (double)v[0] + (double)v[1]);
        assert_true(sums[2 * i + 1] == (double)v[2] * (double)v[3]);
        uint8_t expected[4] = {(uint8_t)i, (uint8_t)(i >> 8), (uint8_t)(i * 3), (uint8_t)(255 - i)};
        assert_memory_equal(bytes + 4 * i, expected, 4);
        assert_int_equal(shorts[i], (int16_t)(-7 * (int)i));
    }
    free(out);
    free(sums);
    free(bytes);
    free(shorts);
    /* 200 threads: 6 full warps and one of 8. A full warp loads 512 bytes, 8 lanes load 128. */
    expect_counter(run, "mem.global.load.requests", 7);
    expect_counter(run, "mem.global.load.bytes_requested", 16 * VECTORS);
    expect_counter(run, "mem.global.load.sectors32", 6 * 16 + 4);
    expect_counter(run, "mem.global.load.lines128", 6 * 4 + 1);
    expect_counter(run, "mem.global.store.requests", 7 * 4);
    expect_counter(run, "mem.global.store.bytes_requested", VECTORS * (16 + 16 + 4 + 2));
    /* float4 and double2: as the load; uchar4: 4 and 1; short: 2 and 1. */
    expect_counter(run, "mem.global.store.sectors32", 2 * (6 * 16 + 4) + (6 * 4 + 1) + (6 * 2 + 1));
}

static void test_vectors(void **state)
{
    (void)state;
    run_kernel(MEMORY, "vectors", vectors_setup, vectors_check);
}

/* ---- generic addresses ----------------------------------------------------------------------- */

static void generic_setup(struct run *run)
{
    int32_t table[64];
    for (int32_t i = 0; i < 64; i++)
        table[i] = 500 + i;
    run_shape(run, 1, 64);
    run_input(run, table, sizeof table);
    run_output(run, 64 * sizeof(int32_t));
}

static void generic_check(struct run *run)
{
    int32_t *got = run_read(run, 1);
    for (int32_t i = 0; i < 64; i++)
        assert_int_equal(got[i], i < 32 ? 100 + 63 - i + 1000 : 500 + 63 - i);
    free(got);
    expect_counter(run, "mem.shared.load.requests", 1);
    expect_counter(run, "mem.global.load.requests", 1);
}

static void test_generic(void **state)
{
    (void)state;
    run_kernel(MEMORY, "generic", generic_setup, generic_check);
}

/* ---- atomics --------------------------------------------------------------------------------- */

enum { THREADS = 3 * 70 };

static const int32_t words_before[12] = {1, 2, 100, 100, -1, 0, 0x5555, 0, 0, 0, 1, 0};

static void atomics_setup(struct run *run)
{
    uint64_t sum = 7;
    float total = 1.0f;
    run_shape(run, 3, 70);
    run_input(run, words_before, sizeof words_before);
    run_input(run, &sum, sizeof sum);
    run_input(run, &total, sizeof total);
    run_output(run, THREADS * sizeof(uint32_t));
}

static void check_words(const int32_t *got)
{
    uint32_t sum = 0, product = 1, bits = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        sum += i;
        product *= 3;
        bits ^= i;
    }
    assert_int_equal(got[0], 1 + (int32_t)sum);
    assert_int_equal(got[1], 2 - (int32_t)sum);
    assert_int_equal(got[2], 5 - (THREADS - 1));
    assert_int_equal(got[3], 3 * (THREADS - 1));
    assert_int_equal(got[4], (int32_t)0xffff0000);
    assert_int_equal(got[5], -1);
    assert_int_equal(got[6], 0x5555 ^ (int32_t)bits);
    assert_int_equal(got[7], THREADS % 10);
    assert_int_equal(got[8], (10 - THREADS % 10) % 10);
    assert_int_equal(got[9], THREADS);
    assert_int_equal((uint32_t)got[10], product);
    assert_int_equal(got[11], 77);
}

static void atomics_check(struct run *run)
{
    int32_t *words = run_read(run, 0);
    uint64_t *sum = run_read(run, 1);
    float *total = run_read(run, 2);
    uint32_t *tickets = run_read(run, 3);
    bool seen[THREADS] = {false};
    check_words(words);
    assert_true(*sum == 7 + ((uint64_t)THREADS << 33));
    assert_true(*total == 1.0f + 0.5f * THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        assert_true(tickets[i] < THREADS && !seen[tickets[i]]);
        seen[tickets[i]] = true;
    }
    free(words);
    free(sum);
    free(total);
    free(tickets);
}

static void test_atomics(void **state)
{
    (void)state;
    run_kernel(MEMORY, "atomics", atomics_setup, atomics_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constants), cmocka_unit_test(test_local_array),
        cmocka_unit_test(test_vectors),   cmocka_unit_test(test_generic),
        cmocka_unit_test(test_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
