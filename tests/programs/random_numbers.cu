// SPDX-License-Identifier: Apache-2.0
/* cuRAND's device API: Philox beside its rounds as published (Salmon et al., Parallel random numbers: as easy as 1, 2, 3),
 * XORWOW and MRG32k3a by their moments, and skipping ahead beside drawing. */
#include <cstdint>
#include <curand_kernel.h>

#include "check.h"

enum { THREADS = 256, DRAWS = 400 };

template <typename State> __global__ void draw(double *sums, unsigned *mismatches)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    State state, ahead;
    curand_init(1234, i, 0, &state);
    curand_init(1234, i, DRAWS, &ahead);
    double sum = 0, squares = 0;
    for (int k = 0; k < DRAWS; k++) {
        float x = curand_uniform(&state);
        sum += x;
        squares += x * x;
    }
    if (curand(&state) != curand(&ahead)) atomicAdd(mismatches, 1);
    float normal = curand_normal(&state);
    atomicAdd(&sums[0], sum);
    atomicAdd(&sums[1], squares);
    atomicAdd(&sums[2], normal);
    atomicAdd(&sums[3], normal * normal);
}

__global__ void philox(uint4 *out)
{
    curandStatePhilox4_32_10_t state;
    curand_init(0x123456789abcdefULL, threadIdx.x, 8, &state); /* eight draws are two counts */
    out[threadIdx.x] = curand4(&state);
}

static void expect_philox(uint64_t seed, uint64_t sequence, uint32_t count, uint32_t (&c)[4])
{
    uint32_t key[2] = {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)};
    uint32_t start[4] = {count, 0, static_cast<uint32_t>(sequence), static_cast<uint32_t>(sequence >> 32)};
    std::copy(start, start + 4, c);
    for (int round = 0; round < 10; round++) {
        uint64_t p = static_cast<uint64_t>(0xD2511F53u) * c[0], q = static_cast<uint64_t>(0xCD9E8D57u) * c[2];
        uint32_t next[4] = {static_cast<uint32_t>(q >> 32) ^ c[1] ^ key[0], static_cast<uint32_t>(q),
                            static_cast<uint32_t>(p >> 32) ^ c[3] ^ key[1], static_cast<uint32_t>(p)};
        std::copy(next, next + 4, c);
        key[0] += 0x9E3779B9u, key[1] += 0xBB67AE85u;
    }
}

template <typename State> static bool check_moments()
{
    double *sums;
    unsigned *mismatches;
    CHECK(cudaMallocManaged(&sums, 4 * sizeof(double)));
    CHECK(cudaMallocManaged(&mismatches, sizeof(unsigned)));
    draw<State><<<1, THREADS>>>(sums, mismatches);
    CHECK(cudaDeviceSynchronize());
    const double n = THREADS * DRAWS; /* five deviations */
    return *mismatches == 0 && std::fabs(sums[0] / n - 0.5) < 5 * std::sqrt(1 / 12.0 / n) &&
           std::fabs(sums[1] / n - 1 / 3.0) < 5 * std::sqrt(4 / 45.0 / n) &&
           std::fabs(sums[2] / THREADS) < 5 * std::sqrt(1.0 / THREADS) &&
           std::fabs(sums[3] / THREADS - 1) < 5 * std::sqrt(2.0 / THREADS);
}

int main()
{
    uint4 *out;
    CHECK(cudaMallocManaged(&out, 64 * sizeof *out));
    philox<<<1, 64>>>(out);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < 64; i++) {
        uint32_t expected[4];
        expect_philox(0x123456789abcdefULL, i, 2, expected);
        ok &= out[i].x == expected[0] && out[i].y == expected[1] && out[i].z == expected[2] && out[i].w == expected[3];
    }
    ok &= check_moments<curandStateXORWOW_t>();
    ok &= check_moments<curandStateMRG32k3a_t>();
    ok &= check_moments<curandStatePhilox4_32_10_t>();
    return verdict(ok);
}
