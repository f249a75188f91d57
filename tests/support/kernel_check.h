// SPDX-License-Identifier: Apache-2.0
/* What tests of kernels often do: buffers of random floats, results against plain C, counters. All
 * fail the cmocka test with the place of the difference. */
#ifndef SUPPORT_KERNEL_CHECK_H
#define SUPPORT_KERNEL_CHECK_H

#include "support/kernel_run.h"

/* n floats in [-1, 1), to be freed. */
float *random_floats(size_t n, uint64_t seed);
/* The next argument: a buffer of random_floats(n, seed). */
void input_floats(struct run *run, size_t n, uint64_t seed);

/* Buffer `buffer` holds exactly these floats. */
void expect_floats(struct run *run, size_t buffer, const float *expected, size_t n);
/* |got - expected| <= tolerance * max(1, |expected|) */
void expect_close(struct run *run, size_t buffer, const float *expected, size_t n,
                  double tolerance);
void expect_bytes(struct run *run, size_t buffer, const void *expected, size_t bytes);
void expect_counter(struct run *run, const char *id, uint64_t expected);

/* A counter of a launch of its own that `setup` prepares, with one host thread. */
uint64_t launch_counter(const char *ptx, const char *kernel, run_step *setup, const char *id);

#endif
