// SPDX-License-Identifier: Apache-2.0
#include "support/kernel_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

float *random_floats(size_t n, uint64_t seed)
{
    float *values = malloc(n * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++)
        values[i] = random_float(&seed);
    return values;
}

void input_floats(struct run *run, size_t n, uint64_t seed)
{
    float *values = random_floats(n, seed);
    run_input(run, values, n * sizeof *values);
    free(values);
}

void expect_floats(struct run *run, size_t buffer, const float *expected, size_t n)
{
    float *got = run_read(run, buffer);
    for (size_t i = 0; i < n; i++)
        if (memcmp(&got[i], &expected[i], sizeof *got) != 0)
            fail_msg("element %zu: %a, not %a", i, (double)got[i], (double)expected[i]);
    free(got);
}

void expect_close(struct run *run, size_t buffer, const float *expected, size_t n, double tolerance)
{
    float *got = run_read(run, buffer);
    for (size_t i = 0; i < n; i++) {
        double want = (double)expected[i], error = fabs((double)got[i] - want);
        if (!(error <= tolerance * fmax(1.0, fabs(want))))
            fail_msg("element %zu: %.9g, not %.9g", i, (double)got[i], want);
    }
    free(got);
}

void expect_bytes(struct run *run, size_t buffer, const void *expected, size_t bytes)
{
    void *got = run_read(run, buffer);
    assert_memory_equal(got, expected, bytes);
    free(got);
}

void expect_counter(struct run *run, const char *id, uint64_t expected)
{
    uint64_t got = run_counter(run, id);
    if (got != expected)
        fail_msg("%s: %llu, not %llu", id, (unsigned long long)got, (unsigned long long)expected);
}

uint64_t launch_counter(const char *ptx, const char *kernel, run_step *setup, const char *id)
{
    struct run run;
    run_begin(&run, ptx, kernel, 1);
    setup(&run);
    run_launch(&run);
    uint64_t value = run_counter(&run, id);
    run_end(&run);
    return value;
}
