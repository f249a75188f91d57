// SPDX-License-Identifier: Apache-2.0
/* What lanes and warps tell each other (tests/kernels/warp.cu, block.cu) against plain C that looks
 * at a whole warp or block at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/kernel_run.h"

#define WARP "tests/kernels/warp.ptx"
#define BLOCK "tests/kernels/block.ptx"

enum { N = 512 }; /* 4 blocks of 128 threads */

static void random_ints(int32_t *values, size_t n)
{
    uint64_t seed = 11;
    for (size_t i = 0; i < n; i++)
        values[i] = (int32_t)random_u32(&seed);
    for (size_t i = 0; i < 32 && i < n; i++)
        values[i] = (int32_t)(2 * i + 1); /* one warp of odd and positive numbers */
}

static void input_ints(struct run *run, size_t n)
{
    int32_t values[2048];
    assert_true(n <= sizeof values / sizeof *values);
    random_ints(values, n);
    run_input(run, values, n * sizeof *values);
}

static void expect_ints(struct run *run, size_t buffer, const int32_t *expected, size_t n,
                        const char *what)
{
    int32_t *got = run_read(run, buffer);
    for (size_t i = 0; i < n; i++)
        if (got[i] != expected[i])
            fail_msg("%s, element %zu: %#x, not %#x", what, i, (unsigned)got[i],
                     (unsigned)expected[i]);
    free(got);
}

static void expect_counter(struct run *run, const char *id, uint64_t expected)
{
    uint64_t got = run_counter(run, id);
    if (got != expected)
        fail_msg("%s: %llu, not %llu", id, (unsigned long long)got, (unsigned long long)expected);
}

/* ---- shuffles -------------------------------------------------------------------------------- */

enum { SHUFFLES = 11 };

static void warp_setup(struct run *run, size_t outputs)
{
    run_shape(run, N / 128, 128);
    run_int(run, N);
    input_ints(run, N);
    run_output(run, outputs * N * sizeof(int32_t));
}

static void shuffles_setup(struct run *run)
{
    warp_setup(run, SHUFFLES);
}

/* `w`: the values of the lane's warp. A source outside its part of the warp: the own value. */
static void shuffle_lane(const int32_t w[32], unsigned lane, int32_t out[SHUFFLES])
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < 32; i++)
        sum += (uint32_t)w[i];
    out[0] = lane >= 3 ? w[lane - 3] : w[lane];
    out[1] = lane + 5 < 32 ? w[lane + 5] : w[lane];
    out[2] = w[lane ^ 9];
    out[3] = w[w[lane] & 31];
    out[4] = lane % 8 >= 1 ? w[lane - 1] : w[lane];
    out[5] = lane % 16 + 6 < 16 ? w[lane + 6] : w[lane];
    out[6] = w[lane / 8 * 8 + 3];
    out[7] = lane + 20 < 32 ? w[lane + 20] : w[lane];
    out[8] = lane + 20 < 32;
    out[9] = (int32_t)sum;
    out[10] = w[7];
}

static void shuffles_check(struct run *run)
{
    int32_t in[N], expected[SHUFFLES * N], lane_out[SHUFFLES];
    random_ints(in, N);
    for (size_t i = 0; i < N; i++) {
        shuffle_lane(in + i / 32 * 32, i % 32, lane_out);
        for (size_t k = 0; k < SHUFFLES; k++)
            expected[k * N + i] = lane_out[k];
    }
    expect_ints(run, 1, expected, SHUFFLES * N, "shuffles");
    expect_counter(run, "branch.divergent", 0);
    /* 8 shuffles, 5 of the sum, 2 for the halves of a double; 16 warps. */
    expect_counter(run, "inst.warp.shuffle", 16 * (8 + 5 + 2));
}

static void test_shuffles(void **state)
{
    (void)state;
    run_kernel(WARP, "shuffles", shuffles_setup, shuffles_check);
}

/* ---- votes ----------------------------------------------------------------------------------- */

enum { VOTES = 10 };

static void votes_setup(struct run *run)
{
    warp_setup(run, VOTES);
}

static int32_t bits_of(uint32_t mask)
{
    int32_t n = 0;
    for (; mask != 0; mask &= mask - 1)
        n++;
    return n;
}

/* The lanes i of the warp for which (w[i] & bit) is not 0. */
static uint32_t lanes_with(const int32_t w[32], int32_t bit)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < 32; i++)
        mask |= (uint32_t)((w[i] & bit) != 0) << i;
    return mask;
}

static void vote_lane(const int32_t w[32], unsigned lane, int32_t out[VOTES])
{
    uint32_t odd = lanes_with(w, 1), alike = 0, negative = lanes_with(w, INT32_MIN);
    bool top_same = true;
    for (unsigned i = 0; i < 32; i++) {
        alike |= (uint32_t)((w[i] & 3) == (w[lane] & 3)) << i;
        top_same = top_same && (uint32_t)w[i] >> 30 == (uint32_t)w[0] >> 30;
    }
    out[0] = odd == UINT32_MAX;
    out[1] = odd != 0;
    out[2] = odd == UINT32_MAX || odd == 0;
    out[3] = (int32_t)odd;
    out[4] = negative == 0;
    out[5] = (int32_t)alike;
    out[6] = top_same ? -1 : 0;
    out[7] = top_same;
    out[8] = w[lane] & 1 ? bits_of(lanes_with(w, 2) & odd) + (bits_of(odd) << 8)
                         : bits_of(lanes_with(w, 4) & ~odd);
    out[9] = bits_of(odd & ((UINT32_C(1) << lane) - 1));
}

static void votes_check(struct run *run)
{
    int32_t in[N], expected[VOTES * N], lane_out[VOTES];
    random_ints(in, N);
    for (size_t i = 0; i < N; i++) {
        vote_lane(in + i / 32 * 32, i % 32, lane_out);
        for (size_t k = 0; k < VOTES; k++)
            expected[k * N + i] = lane_out[k];
    }
    expect_ints(run, 1, expected, VOTES * N, "votes");
    expect_counter(run, "branch.divergent", 15); /* all warps but the odd one */
}

static void test_votes(void **state)
{
    (void)state;
    run_kernel(WARP, "votes", votes_setup, votes_check);
}

static void compact_setup(struct run *run)
{
    run_shape(run, N / 128, 128);
    input_ints(run, N);
    run_output(run, N * sizeof(int32_t));
}

static void compact_check(struct run *run)
{
    int32_t in[N], expected[N];
    random_ints(in, N);
    for (size_t first = 0; first < N; first += 32) {
        size_t to = first;
        for (size_t i = first; i < first + 32; i++)
            expected[i] = -1;
        for (size_t i = first; i < first + 32; i++)
            if (in[i] > 0) expected[to++] = in[i];
    }
    expect_ints(run, 1, expected, N, "compact");
}

static void test_compact(void **state)
{
    (void)state;
    run_kernel(WARP, "compact", compact_setup, compact_check);
}

/* ---- barriers -------------------------------------------------------------------------------- */

static void barrier_votes_setup(struct run *run)
{
    /* 80 threads: the last warp of a block has 16. */
    run_shape(run, 5, 80);
    input_ints(run, 5 * 80);
    run_output(run, 15 * sizeof(int32_t));
}

static void barrier_votes_check(struct run *run)
{
    int32_t in[5 * 80], expected[15];
    random_ints(in, 5 * 80);
    for (size_t block = 0; block < 5; block++) {
        int32_t count = 0;
        for (size_t i = 0; i < 80; i++)
            count += in[block * 80 + i] & 1;
        expected[3 * block] = count;
        expected[3 * block + 1] = count == 80;
        expected[3 * block + 2] = count > 0;
    }
    expect_ints(run, 1, expected, 15, "barrier votes");
    expect_counter(run, "barrier.warp", 5 * 3 * 3);
    expect_counter(run, "warps.executed", 5 * 3);
}

static void test_barrier_votes(void **state)
{
    (void)state;
    run_kernel(BLOCK, "barrier_votes", barrier_votes_setup, barrier_votes_check);
}

enum { ROUNDS = 10 };

static void producer_setup(struct run *run)
{
    run_shape(run, 1, 128);
    run_int(run, ROUNDS);
    run_output(run, ROUNDS * 64 * sizeof(int32_t));
}

static void producer_check(struct run *run)
{
    int32_t expected[ROUNDS * 64];
    for (int32_t r = 0; r < ROUNDS; r++)
        for (int32_t t = 0; t < 64; t++)
            expected[r * 64 + t] = r * 1000 + 63 - t;
    expect_ints(run, 0, expected, ROUNDS * 64, "producer and consumer");
    expect_counter(run, "barrier.warp", ROUNDS * 4 * 2); /* 4 warps, arrive and sync */
}

static void test_producer_consumer(void **state)
{
    (void)state;
    run_kernel(BLOCK, "producer_consumer", producer_setup, producer_check);
}

/* ---- shared memory --------------------------------------------------------------------------- */

static void reverse_setup(struct run *run)
{
    run_shape(run, 4, 100);
    run->launch.dynamic_shared_bytes = 400;
    input_ints(run, 400);
    run_output(run, 400 * sizeof(int32_t));
}

static void reverse_check(struct run *run)
{
    int32_t in[400], expected[400];
    random_ints(in, 400);
    for (size_t i = 0; i < 400; i++)
        expected[i] = in[i / 100 * 100 + 99 - i % 100];
    expect_ints(run, 1, expected, 400, "reverse");
}

static void test_reverse(void **state)
{
    (void)state;
    run_kernel(BLOCK, "reverse", reverse_setup, reverse_check);
}

static void transpose_setup(struct run *run, int padded)
{
    run_shape_2d(run, 1, 1, 32, 32);
    run_int(run, padded);
    input_ints(run, 1024);
    run_output(run, 1024 * sizeof(int32_t));
}

static void padded_setup(struct run *run)
{
    transpose_setup(run, 1);
}

static void unpadded_setup(struct run *run)
{
    transpose_setup(run, 0);
}

static void transpose_check(struct run *run, uint64_t wavefronts_a_read)
{
    int32_t in[1024], expected[1024];
    random_ints(in, 1024);
    for (size_t y = 0; y < 32; y++)
        for (size_t x = 0; x < 32; x++)
            expected[y * 32 + x] = in[x * 32 + y];
    expect_ints(run, 1, expected, 1024, "transpose");
    expect_counter(run, "mem.shared.store.wavefronts32", 32);
    expect_counter(run, "mem.shared.load.requests", 32);
    expect_counter(run, "mem.shared.load.wavefronts32", 32 * wavefronts_a_read);
    expect_counter(run, "mem.shared.load.conflicts32", 32 * (wavefronts_a_read - 1));
}

static void padded_check(struct run *run)
{
    transpose_check(run, 1);
}

static void unpadded_check(struct run *run)
{
    transpose_check(run, 32);
}

static void test_transpose(void **state)
{
    (void)state;
    run_kernel(BLOCK, "transpose", padded_setup, padded_check);
    run_kernel(BLOCK, "transpose", unpadded_setup, unpadded_check);
}

static void shared_atomics_setup(struct run *run)
{
    run_shape(run, 1, 256);
    input_ints(run, 256);
    run_output(run, 11 * sizeof(int32_t));
}

static void shared_atomics_check(struct run *run)
{
    int32_t in[256], expected[11] = {0};
    random_ints(in, 256);
    expected[8] = INT32_MAX;
    expected[9] = INT32_MIN;
    for (size_t i = 0; i < 256; i++) {
        expected[in[i] & 7]++;
        expected[8] = in[i] < expected[8] ? in[i] : expected[8];
        expected[9] = in[i] > expected[9] ? in[i] : expected[9];
        expected[10] |= (int32_t)(UINT32_C(1) << (in[i] & 31));
    }
    expect_ints(run, 1, expected, 11, "shared atomics");
    expect_counter(run, "mem.shared.atomic.requests", 8 * 4);
    expect_counter(run, "mem.shared.atomic.bytes_requested", 256 * 4 * 4);
}

static void test_shared_atomics(void **state)
{
    (void)state;
    run_kernel(BLOCK, "shared_atomics", shared_atomics_setup, shared_atomics_check);
}

/* ---- lanes at different places --------------------------------------------------------------- */

#define MEET "tests/kernels/meet.ptx"

static void apart_setup(struct run *run)
{
    run_shape(run, 1, 64);
    for (unsigned k = 0; k < 3; k++)
        run_output(run, 64 * sizeof(int32_t));
}

static uint32_t apart_value(unsigned lane)
{
    return lane * 3 + 1 + (lane < 7 ? 0 : lane & 1 ? 100 : 1000);
}

static void apart_check(struct run *run)
{
    int32_t shuffled[64], votes[64], matches[64];
    uint32_t vote = 0;
    for (unsigned l = 0; l < 32; l++) {
        uint32_t v = apart_value(l);
        bool yes = l < 7 ? v > 10 : l & 1 ? v >= 160 : v == 1049;
        vote |= (uint32_t)yes << l;
    }
    for (unsigned i = 0; i < 64; i++) {
        unsigned lane = i & 31;
        bool nine = lane == 3 || lane & 4;
        shuffled[i] = (int32_t)apart_value(lane ^ 16);
        votes[i] = (int32_t)vote;
        matches[i] = (int32_t)(nine ? 0xf0f0f0f8u : 0x0f0f0f07u);
    }
    expect_ints(run, 0, shuffled, 64, "shuffle between places");
    expect_ints(run, 1, votes, 64, "vote between places");
    expect_ints(run, 2, matches, 64, "match between places");
}

static void test_meet_apart(void **state)
{
    (void)state;
    run_kernel(MEET, "meet_apart", apart_setup, apart_check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meet_apart),     cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_votes),          cmocka_unit_test(test_compact),
        cmocka_unit_test(test_barrier_votes),  cmocka_unit_test(test_producer_consumer),
        cmocka_unit_test(test_reverse),        cmocka_unit_test(test_transpose),
        cmocka_unit_test(test_shared_atomics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
