// SPDX-License-Identifier: Apache-2.0
/* The loops of struct host_loops: each host_loops_*.c is compiled for its level, with contraction to
 * multiply-adds, and defines its table as HOST_LOOPS(name). */
#ifndef HOST_HOST_VECTOR_LOOPS_H
#define HOST_HOST_VECTOR_LOOPS_H

#include "host/host_loops.h"

#if defined(__AVX512F__)
enum { HOST_BYTES = 64 };
#elif defined(__AVX__)
enum { HOST_BYTES = 32 };
#else
enum { HOST_BYTES = 16 };
#endif
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
enum { HOST_FMA = 1 };
#else
enum { HOST_FMA = 0 };
#endif

typedef float host_vector __attribute__((vector_size(HOST_BYTES)));

/* Not known to the compiler; values stay near 1. */
static volatile float factor = 0.999999f, summand = 1e-6f;

static float sum_lanes(host_vector v)
{
    float sum = 0;
    for (unsigned i = 0; i < HOST_BYTES / sizeof(float); i++)
        sum += v[i];
    return sum;
}

static float run_vector(uint64_t rounds)
{
    host_vector chains[HOST_CHAINS], m = {0}, a = {0}, all = {0};
    m += factor;
    a += summand;
    for (unsigned i = 0; i < HOST_CHAINS; i++)
        chains[i] = m + (float)i;
    for (uint64_t round = 0; round < rounds; round++)
        for (unsigned i = 0; i < HOST_CHAINS; i++)
            chains[i] = chains[i] * m + a;
    for (unsigned i = 0; i < HOST_CHAINS; i++)
        all += chains[i];
    return sum_lanes(all);
}

static float run_chain(uint64_t rounds)
{
    float m = factor, a = summand, x = 1;
    for (uint64_t round = 0; round < rounds; round++)
        x = x * m + a;
    return x;
}

static float run_read(const float *values, size_t count)
{
    enum { LANES = HOST_BYTES / sizeof(float), STREAMS = 4 };
    const host_vector *vectors = (const host_vector *)(const void *)values;
    host_vector sums[STREAMS] = {{0}};
    for (size_t i = 0; i < count / LANES; i += STREAMS)
        for (unsigned k = 0; k < STREAMS; k++)
            sums[k] += vectors[i + k];
    return sum_lanes(sums[0] + sums[1] + sums[2] + sums[3]);
}

#define HOST_LOOPS(name_)                                                                          \
    {                                                                                              \
        .name = (name_), .vector_bytes = HOST_BYTES, .fma = HOST_FMA, .vector = run_vector,        \
        .chain = run_chain, .read = run_read,                                                      \
    }

#endif
