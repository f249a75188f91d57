// SPDX-License-Identifier: Apache-2.0
/* Loads, stores and atomics in every form (tests/kernels/memory_forms.ptx), against plain C and the
 * words of the PTX ISA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_check.h"

#define FORMS "tests/kernels/memory_forms.ptx"

static void random_bytes(void *out, size_t bytes, uint64_t seed)
{
    unsigned char *at = out;
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(random_u32(&seed) >> 11);
}

/* ---- vectors --------------------------------------------------------------------------------- */

enum { THREADS = 45 };

static void wide_setup(struct run *run)
{
    uint32_t in[THREADS][8];
    random_bytes(in, sizeof in, 1);
    run_shape(run, 1, THREADS);
    run_input(run, in, sizeof in);
    for (int i = 0; i < 3; i++)
        run_output(run, sizeof in);
}

static void wide_check(struct run *run)
{
    uint32_t in[THREADS][8], a[THREADS][8], c[THREADS][8];
    uint64_t b[THREADS][4];
    random_bytes(in, sizeof in, 1);
    for (size_t i = 0; i < THREADS; i++) {
        static const size_t order[4] = {1, 3, 2, 0};
        for (size_t k = 0; k < 8; k++) {
            a[i][k] = in[i][7 - k];
            c[i][k] = in[i][(k + 4) % 8];
        }
        for (size_t k = 0; k < 4; k++)
            memcpy(&b[i][k], &in[i][2 * order[k]], 8);
    }
    expect_bytes(run, 1, a, sizeof a);
    expect_bytes(run, 2, b, sizeof b);
    expect_bytes(run, 3, c, sizeof c);
    expect_counter(run, "mem.global.load.bytes_requested", THREADS * (32 + 32 + 16 + 16 + 16));
    /* every load touches each of the 32-byte pieces once */
    expect_counter(run, "mem.global.load.sectors32", 5 * THREADS);
    expect_counter(run, "mem.global.store.bytes_requested", THREADS * (32 + 32 + 16 + 16));
}

static void test_wide_vectors(void **state)
{
    (void)state;
    run_kernel(FORMS, "wide_vectors", wide_setup, wide_check);
}

static void test_wide_generic(void **state)
{
    (void)state;
    static const uint64_t in[4] = {1, 2, 3, 4}, out[4] = {4, 3, 2, 1};
    for (int shared = 0; shared < 2; shared++) {
        struct run run;
        run_begin(&run, FORMS, "wide_generic", 1);
        run_input(&run, in, sizeof in);
        run_int(&run, shared);
        assert_int_equal(run_try(&run), shared ? WS_ERR_FAULT : WS_OK);
        if (shared) assert_non_null(strstr(ws_context_error(run.context), "load of 32 bytes"));
        expect_bytes(&run, 0, shared ? in : out, sizeof out);
        run_end(&run);
    }
}

/* ---- registers wider than memory ------------------------------------------------------------- */

enum { OUT_BYTES = 112 };

static void extensions_setup(struct run *run)
{
    unsigned char in[THREADS][16];
    static unsigned char out[THREADS * OUT_BYTES];
    random_bytes(in, sizeof in, 2);
    memset(out, 0x5a, sizeof out);
    run_shape(run, 1, THREADS);
    run_input(run, in, sizeof in);
    run_input(run, out, sizeof out);
}

static void extended(const unsigned char *in, unsigned char *out)
{
    int16_t s16;
    int32_t s32;
    uint32_t u32, f32;
    memcpy(&s16, in + 2, 2);
    memcpy(&u32, in + 4, 4);
    memcpy(&s32, in + 8, 4);
    memcpy(&f32, in + 12, 4);
    const int64_t wide[6] = {(int8_t)in[0], in[1], s16, u32, s32, f32};
    int32_t signs[4];
    uint16_t halves[4];
    for (size_t k = 0; k < 4; k++) {
        signs[k] = (int8_t)in[8 + k];
        halves[k] = in[7 - k];
    }
    const int64_t tail[3] = {s32, s32 < 0 ? -1 : 0, -2};
    memcpy(out, wide, sizeof wide);
    memcpy(out + 48, signs, sizeof signs);
    memcpy(out + 64, halves, sizeof halves);
    const unsigned char bytes[5] = {in[3], in[2], in[1], 255, in[0]};
    memcpy(out + 72, bytes, sizeof bytes);
    out[77] = 0x5a; /* not written */
    memcpy(out + 78, &signs[1], 2);
    memcpy(out + 80, tail, sizeof tail);
    memset(out + 104, 0x5a, 8);
}

static void extensions_check(struct run *run)
{
    unsigned char in[THREADS][16], expected[THREADS][OUT_BYTES];
    random_bytes(in, sizeof in, 2);
    for (size_t i = 0; i < THREADS; i++)
        extended(in[i], expected[i]);
    expect_bytes(run, 1, expected, sizeof expected);
}

static void test_extensions(void **state)
{
    (void)state;
    run_kernel(FORMS, "extensions", extensions_setup, extensions_check);
}

/* ---- hints, orders, scopes ------------------------------------------------------------------- */

static void hints_setup(struct run *run)
{
    uint32_t in[THREADS];
    random_bytes(in, sizeof in, 3);
    run_shape(run, 1, THREADS);
    run_input(run, in, sizeof in);
    run_output(run, sizeof in);
}

static void hints_check(struct run *run)
{
    uint32_t in[THREADS], expected[THREADS];
    random_bytes(in, sizeof in, 3);
    for (size_t i = 0; i < THREADS; i++)
        expected[i] = 30 * in[i]; /* 27 loads, 3 atomics */
    expect_bytes(run, 0, in, sizeof in);
    expect_bytes(run, 1, expected, sizeof expected);
}

static void test_every_hint(void **state)
{
    (void)state;
    run_kernel(FORMS, "every_hint", hints_setup, hints_check);
}

/* ---- spaces ---------------------------------------------------------------------------------- */

static void spaces_setup(struct run *run)
{
    run_int(run, 5);
    run_output(run, 6 * sizeof(uint32_t));
    run_output(run, 5 * sizeof(uint32_t));
}

/* The window of the parameters lies in that of .global (PTX ISA, generic addressing). */
static void spaces_check(struct run *run)
{
    enum { CONST = 1, GLOBAL = 2, LOCAL = 4, SHARED = 8 + 32 + 64, PARAM = 16 + 128 };
    static const uint32_t values[6] = {1000, 20000, 40, 300, 5, 340};
    static const uint32_t masks[5] = {CONST, GLOBAL, LOCAL, SHARED, PARAM + GLOBAL};
    expect_bytes(run, 0, values, sizeof values);
    expect_bytes(run, 1, masks, sizeof masks);
}

static void test_spaces(void **state)
{
    (void)state;
    run_kernel(FORMS, "spaces", spaces_setup, spaces_check);
}

/* ---- sums of floats -------------------------------------------------------------------------- */

/* Words as bits: where the sum begins, and what adding `subnormal` makes of it. "atom.add.f32 on
 * global memory flushes subnormal inputs and results to sign-preserving zero; on shared memory it
 * supports them" (PTX ISA, atom). */
static const uint32_t subnormal = 0x80000003, negative_zero = 0x80000000, small = 0x00000005;

static void subnormal_setup(struct run *run)
{
    static const uint32_t start[8] = {small, negative_zero, 0x00800002, 0, 0x3f800000, small};
    run_input(run, start, sizeof start);
    run_value(run, &subnormal, sizeof subnormal);
}

static void subnormal_check(struct run *run)
{
    static const uint32_t expected[8] = {
        0,             /* +0 + -0 */
        negative_zero, /* -0 + -0 */
        0x00800002,    /* normal + -0 */
        0,             /* not touched */
        0x3f800000,    /* 1 + -0 */
        0,             /* +0 + -0 */
        0x00000002,    /* 5 - 3 units of the last place */
        0x00000002,
    };
    expect_bytes(run, 0, expected, sizeof expected);
}

static void test_subnormal_sums(void **state)
{
    (void)state;
    run_kernel(FORMS, "subnormal_sums", subnormal_setup, subnormal_check);
}

/* ---- 16 bytes -------------------------------------------------------------------------------- */

enum { PAIR_THREADS = 70, PAIR_BLOCKS = 5 };
static const uint64_t pair_start[2] = {UINT64_MAX - 100, 7};

static void pair_setup(struct run *run)
{
    run_shape(run, PAIR_BLOCKS, PAIR_THREADS);
    run_input(run, pair_start, sizeof pair_start);
    run_output(run, PAIR_BLOCKS * sizeof pair_start);
}

/* The sum passes 2^64, which must not touch the count beside it. */
static void pair_check(struct run *run)
{
    uint64_t sum = pair_start[0] + PAIR_BLOCKS * (PAIR_THREADS * (PAIR_THREADS - 1) / 2);
    const uint64_t expected[2] = {sum, pair_start[1] + PAIR_BLOCKS * PAIR_THREADS};
    expect_bytes(run, 0, expected, sizeof expected);
    /* The last to exchange in the last block made some state on the way. */
    uint64_t *last = run_read(run, 1);
    uint64_t made = last[2 * (PAIR_BLOCKS - 1) + 1] - pair_start[1];
    assert_true(made > (PAIR_BLOCKS - 1) * PAIR_THREADS && made <= PAIR_BLOCKS * PAIR_THREADS);
    free(last);
}

static void test_pair_sums(void **state)
{
    (void)state;
    run_kernel(FORMS, "pair_sums", pair_setup, pair_check);
}

static void pair_end_check(struct run *run)
{
    uint64_t *pair = run_read(run, 0);
    assert_true(pair[1] == pair_start[1] + PAIR_BLOCKS * PAIR_THREADS);
    free(pair);
}

/* Blocks side by side on several host threads. */
static void test_pair_sums_unordered(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 5; round++) {
        struct run run;
        run_begin(&run, FORMS, "pair_sums", 3);
        run.launch.unordered = true;
        pair_setup(&run);
        run_launch(&run);
        pair_end_check(&run);
        run_end(&run);
    }
}

/* ---- vectors of halves ----------------------------------------------------------------------- */

/* f16: 1 is 3c00, 2 is 4000, 3 is 4200; bf16: 1 is 3f80, 2 is 4000, 3 is 4040. */
static const uint16_t half_values[8] = {0x3c00, 0x4000, 0x7e00, 0x8000,
                                        0x0001, 0x7bff, 0xfc00, 0xbc00};
static const uint16_t half_memory[56] = {
    0x3c00, 0x3c00, 0x3c00, 0x8000, 0x0001, 0x7bff, 0x7c00, 0x4000, /* add f16 */
    0x4000, 0x3c00, 0x3c00, 0x0000, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, /* min f16 */
    0x4000, 0x3c00, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, /* max f16 */
    0x3c00, 0x4000, 0x7fc0, 0x8000, 0x0001, 0x7bff, 0xfc00, 0x3c00, /* add bf16 */
    0x4000, 0x3f80, 0x7fc0, 0x0000, 0x8000, 0x7f80, 0xff80, 0xc000, /* max bf16x2 */
    0x4000, 0x3c00, 0x3c00, 0x0000, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, /* min f16x2 */
    0x3c00, 0x3c00, 0x3c00, 0x8000, 0x0001, 0x7bff, 0x7c00, 0x4000, /* add f16x2 */
};
/* A sum with a NaN or of opposite infinities is the canonical NaN, 7fff; an extreme with a NaN the
 * number; -0 lies below +0; 65504 + 65504 is infinite. As bf16 the values are 2^-7, 2, 1.69e38 ... */
static const uint16_t half_expected[56] = {
    0x4000, 0x4200, 0x7fff, 0x8000, 0x0002, 0x7c00, 0x7fff, 0x3c00, /* add f16 */
    0x3c00, 0x3c00, 0x3c00, 0x8000, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, /* min f16 */
    0x4000, 0x4000, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, /* max f16 */
    0x3c80, 0x4080, 0x7fff, 0x8000, 0x0002, 0x7c7f, 0xfc80, 0x0000, /* add bf16 */
    0x4000, 0x4000, 0x7e00, 0x0000, 0x0001, 0x7f80, 0xfc00, 0xbc00, /* max bf16x2 */
    0x3c00, 0x3c00, 0x3c00, 0x8000, 0xaaaa, 0xaaaa, 0xaaaa, 0xaaaa, /* min f16x2 */
    0x4000, 0x4200, 0x7fff, 0x8000, 0x0002, 0x7c00, 0x7fff, 0x3c00, /* add f16x2 */
};

static void halves_setup(struct run *run)
{
    static const uint16_t nothing[24];
    run_input(run, half_memory, sizeof half_memory);
    run_input(run, half_values, sizeof half_values);
    run_input(run, nothing, sizeof nothing);
}

static void halves_check(struct run *run)
{
    uint16_t old[24] = {0};
    memcpy(old, half_memory, 16);
    memcpy(old + 8, half_memory + 8, 8);
    old[9] = old[8]; /* the element that nobody wanted */
    memcpy(old + 16, half_memory + 32, 16);
    expect_bytes(run, 0, half_expected, sizeof half_expected);
    expect_bytes(run, 2, old, sizeof old);
}

static void test_half_vectors(void **state)
{
    (void)state;
    run_kernel(FORMS, "half_vectors", halves_setup, halves_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_vectors),   cmocka_unit_test(test_extensions),
        cmocka_unit_test(test_every_hint),     cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_subnormal_sums), cmocka_unit_test(test_pair_sums),
        cmocka_unit_test(test_half_vectors),   cmocka_unit_test(test_pair_sums_unordered),
        cmocka_unit_test(test_wide_generic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
