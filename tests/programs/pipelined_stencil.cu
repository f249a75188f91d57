// SPDX-License-Identifier: Apache-2.0
/* cuda::pipeline in its three forms: of a thread, of a block, and of a block whose warps have roles. Each copies tiles to shared
 * memory some stages ahead of a 1D stencil. */
#include <cooperative_groups.h>
#include <cuda/pipeline>

#include "check.h"

namespace cg = cooperative_groups;

enum { THREADS = 128, STAGES = 3, TILES = 7, N = THREADS * TILES };

/* x has a number on either side. */
__device__ float stencil(const float *tile, int i)
{
    return 0.25f * tile[i] + 0.5f * tile[i + 1] + 0.25f * tile[i + 2];
}

__global__ void by_threads(const float *x, float *y)
{
    __shared__ float tiles[STAGES][THREADS];
    auto pipeline = cuda::make_pipeline();
    int fetched = 0, i = threadIdx.x;
    for (int tile = 0; tile < TILES; tile++) {
        for (; fetched < TILES && fetched < tile + STAGES; fetched++) {
            pipeline.producer_acquire();
            cuda::memcpy_async(&tiles[fetched % STAGES][i], &x[blockIdx.x * N + fetched * THREADS + i + 1],
                               cuda::aligned_size_t<4>(4), pipeline);
            pipeline.producer_commit();
        }
        pipeline.consumer_wait();
        y[blockIdx.x * N + tile * THREADS + i] = 2 * tiles[tile % STAGES][i];
        pipeline.consumer_release();
    }
}

template <bool has_roles> __global__ void by_blocks(const float *x, float *y)
{
    __shared__ float tiles[STAGES][THREADS + 2];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    const auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipeline = has_roles ? cuda::make_pipeline(block, &state, role) : cuda::make_pipeline(block, &state);
    const bool fetches = !has_roles || threadIdx.x < 32, computes = !has_roles || threadIdx.x >= 32;
    const float *from = x + blockIdx.x * N;
    int fetched = 0;
    for (int tile = 0; tile < TILES; tile++) {
        for (; fetches && fetched < TILES && (has_roles || fetched < tile + STAGES); fetched++) {
            pipeline.producer_acquire();
            if (!has_roles)
                cuda::memcpy_async(block, tiles[fetched % STAGES], from + fetched * THREADS, (THREADS + 2) * sizeof(float),
                                   pipeline);
            for (int i = threadIdx.x; has_roles && i < THREADS + 2; i += 32)
                cuda::memcpy_async(&tiles[fetched % STAGES][i], &from[fetched * THREADS + i], sizeof(float), pipeline);
            pipeline.producer_commit();
        }
        if (!computes) break;
        pipeline.consumer_wait();
        const int first = has_roles ? 32 : 0;
        for (int i = threadIdx.x - first; i < THREADS; i += THREADS)
            y[blockIdx.x * N + tile * THREADS + i] = stencil(tiles[tile % STAGES], i);
        pipeline.consumer_release();
    }
}

int main()
{
    const int blocks = 4;
    float *x, *y;
    CHECK(cudaMallocManaged(&x, (blocks * N + 2) * sizeof(float)));
    CHECK(cudaMallocManaged(&y, blocks * N * sizeof(float)));
    unsigned state = 9;
    for (int i = 0; i < blocks * N + 2; i++)
        x[i] = static_cast<float>(next_random(&state) % 256);
    bool ok = true;
    for (int way = 0; way < 3; way++) {
        CHECK(cudaMemset(y, 0, blocks * N * sizeof(float)));
        if (way == 0) by_threads<<<blocks, THREADS>>>(x, y);
        if (way == 1) by_blocks<false><<<blocks, THREADS>>>(x, y);
        if (way == 2) by_blocks<true><<<blocks, THREADS + 32>>>(x, y);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < blocks * N; i++)
            ok &= y[i] == (way ? 0.25f * x[i] + 0.5f * x[i + 1] + 0.25f * x[i + 2] : 2 * x[i + 1]);
    }
    return verdict(ok);
}
