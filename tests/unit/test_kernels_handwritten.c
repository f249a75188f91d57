// SPDX-License-Identifier: Apache-2.0
/* PTX that today's nvcc does not write: old versions with 32-bit addresses, tables of branches; and
 * all that it does write, form by form. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

enum { N = 90 };

/* ---- PTX 1.4 --------------------------------------------------------------------------------- */

/* A pointer is a 32-bit parameter there. */
static void pointer32(struct run *run, const void *data, size_t bytes)
{
    struct run_buffer *buffer = &run->buffers[run->buffer_count++];
    buffer->bytes = bytes;
    assert_int_equal(ws_device_alloc(run->device, bytes, &buffer->address), WS_OK);
    if (data) assert_int_equal(ws_device_copy_in(run->device, buffer->address, data, bytes), WS_OK);
    assert_true(buffer->address <= UINT32_MAX);
    uint32_t address = (uint32_t)buffer->address;
    run_value(run, &address, sizeof address);
}

static void float_inputs(float x[N], float y[N])
{
    uint64_t seed = 16;
    for (size_t i = 0; i < N; i++) {
        x[i] = random_float(&seed);
        y[i] = random_float(&seed);
    }
}

static void saxpy_setup(struct run *run)
{
    float x[N], y[N], a = -2.0f;
    float_inputs(x, y);
    run_shape(run, 3, 32);
    run_int(run, N - 1);
    run_value(run, &a, sizeof a);
    pointer32(run, x, sizeof x);
    pointer32(run, y, sizeof y);
}

/* A power of two as factor: the product is exact, so that the mad of sm_13, which truncates it, and
 * an fma agree. */
static void saxpy_check(struct run *run)
{
    float x[N], y[N], *got = run_read(run, 1);
    float_inputs(x, y);
    for (size_t i = 0; i < N - 1; i++)
        if (got[i] != fmaf(-2.0f, x[i], y[i]))
            fail_msg("element %zu: %a, not %a", i, (double)got[i], (double)fmaf(-2.0f, x[i], y[i]));
    assert_true(got[N - 1] == y[N - 1]);
    free(got);
    assert_int_equal(run_counter(run, "mem.global.store.bytes_requested"), 4 * (N - 1));
    assert_int_equal(run_counter(run, "inst.warp.fp32.fma"), 3);
}

static void test_saxpy_old(void **state)
{
    (void)state;
    run_kernel("tests/kernels/old.ptx", "saxpy_old", saxpy_setup, saxpy_check);
}

static void word_inputs(uint32_t a[64], uint32_t b[64])
{
    uint64_t seed = 17;
    for (size_t i = 0; i < 64; i++) {
        a[i] = random_u32(&seed) >> (i % 32);
        b[i] = random_u32(&seed) >> (i * 7 % 32);
    }
    a[5] = b[5] = 0;
}

static void old_setup(struct run *run)
{
    uint32_t a[64], b[64];
    word_inputs(a, b);
    run_shape(run, 1, 64);
    pointer32(run, a, sizeof a);
    pointer32(run, b, sizeof b);
    pointer32(run, NULL, 64 * 32);
}

static int64_t signed24(uint32_t x)
{
    return (int64_t)(x & 0xffffff) - (x & 0x800000 ? 1 << 24 : 0);
}

static void old_check(struct run *run)
{
    uint32_t a[64], b[64], *got = run_read(run, 2);
    word_inputs(a, b);
    for (uint32_t i = 0; i < 64; i++) {
        uint64_t product24 = (uint64_t)(a[i] & 0xffffff) * (b[i] & 0xffffff);
        int32_t x = (int32_t)a[i], y = (int32_t)b[i];
        const uint32_t expected[8] = {
            (uint32_t)(signed24(a[i]) * signed24(b[i])),
            (uint32_t)(product24 >> 16), /* mul24.hi: bits 47 to 16 */
            (uint32_t)product24 + i,
            x < y ? UINT32_MAX : 0,
            x >= 0 ? a[i] : b[i],
            x > y ? 1 : 2,
            (uint32_t)((uint64_t)a[i] * b[i] >> 32) + i,
            a[i] == 0,
        };
        for (size_t k = 0; k < 8; k++)
            if (got[8 * i + k] != expected[k])
                fail_msg("thread %u (%#x, %#x), word %zu: %#x, not %#x", i, a[i], b[i], k,
                         got[8 * i + k], expected[k]);
    }
    free(got);
}

static void test_old_instructions(void **state)
{
    (void)state;
    run_kernel("tests/kernels/old.ptx", "old_instructions", old_setup, old_check);
}

/* ---- a table of branches --------------------------------------------------------------------- */

static void table_setup(struct run *run)
{
    uint32_t in[N], out[N];
    for (uint32_t i = 0; i < N; i++) {
        in[i] = i < 32 ? 5 * i + 2 : i * i + i / 3; /* one warp goes one way */
        out[i] = 1000 + i;
    }
    run_shape(run, 1, N);
    run_input(run, in, sizeof in);
    run_input(run, out, sizeof out);
}

static void table_check(struct run *run)
{
    uint32_t *in = run_read(run, 0), *got = run_read(run, 1);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t x = in[i];
        const uint32_t results[5] = {x + 100, x * 3, ~x, x / 2, 1000 + i};
        assert_int_equal(got[i], results[x % 5]);
    }
    free(in);
    free(got);
    assert_int_equal(run_counter(run, "branch.divergent"), 2);
}

static void test_branch_table(void **state)
{
    (void)state;
    run_kernel("tests/kernels/branch_table.ptx", "branch_table", table_setup, table_check);
}

/* ---- vectors of registers -------------------------------------------------------------------- */

static void vectors_setup(struct run *run)
{
    float in[N];
    for (unsigned i = 0; i < N; i++)
        in[i] = 0.5f * (float)i;
    run_shape(run, 1, 16);
    run_input(run, in, sizeof in);
    run_output(run, 64 * sizeof(float));
}

static void vectors_check(struct run *run)
{
    float *in = run_read(run, 0), *got = run_read(run, 1);
    for (unsigned i = 0; i < 64; i += 4) {
        assert_true(got[i] == in[i] + in[i + 3]);
        assert_true(got[i + 1] == in[i + 1] * in[i + 1]);
        assert_true(got[i + 2] == in[i + 2]);
        assert_true(got[i + 3] == 2.0f);
    }
    free(in);
    free(got);
}

static void test_vector_registers(void **state)
{
    (void)state;
    run_kernel("tests/kernels/vector_registers.ptx", "vector_registers", vectors_setup,
               vectors_check);
}

/* ---- forms that programs use ----------------------------------------------------------------- */

static void forms_setup(struct run *run)
{
    static const unsigned char parameter[64], buffer[256];
    run_shape(run, 1, 64);
    run_value(run, parameter, sizeof parameter);
    run_input(run, buffer, sizeof buffer);
}

/* The last instruction says that all were executed. */
static void forms_check(struct run *run)
{
    uint32_t *got = run_read(run, 0);
    assert_int_equal(got[0], 24589);
    free(got);
}

static void test_forms(void **state)
{
    (void)state;
    run_kernel("tests/kernels/forms.ptx", "forms", forms_setup, forms_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_saxpy_old),    cmocka_unit_test(test_old_instructions),
        cmocka_unit_test(test_branch_table), cmocka_unit_test(test_vector_registers),
        cmocka_unit_test(test_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
