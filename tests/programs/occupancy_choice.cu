// SPDX-License-Identifier: Apache-2.0
/* Launches that the occupancy functions choose. What they say follows from the A100's limits: 64 warps, 32 blocks, 164 KiB of
 * shared memory (of which each block costs 1 KiB more than it asks for) and 65536 registers per SM, 108 SMs. */
#include "check.h"

__global__ void square(int *x, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] *= x[i];
}

/* A slot of shared memory for each thread. */
__global__ void reverse(int *x, int n)
{
    extern __shared__ int slots[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    slots[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) x[i] = slots[blockDim.x - 1 - threadIdx.x];
}

static bool check_limits()
{
    int blocks;
    bool ok = true;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, 32, 0));
    ok &= blocks == 32;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, square, 1024, 0));
    ok &= blocks == 2;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 64, 40 << 10));
    ok &= blocks == 4; /* 164 / 41 */
    size_t bytes;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, reverse, 4, 64));
    ok &= bytes >= 39 << 10 && bytes <= 40 << 10;
    return ok;
}

int main()
{
    const int n = 1 << 18;
    std::vector<int> host(n);
    for (int i = 0; i < n; i++)
        host[i] = i % 1000;
    int *x, grid, block;
    CHECK(cudaMalloc(&x, n * sizeof(int)));
    CHECK(cudaMemcpy(x, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, square, 0, 0));
    bool ok = grid * block == 108 * 2048; /* it fills the GPU */
    square<<<grid, block>>>(x, n);
    CHECK(cudaGetLastError());

    auto bytes_of = [] __host__ __device__(int threads) { return threads * sizeof(int); };
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, reverse, bytes_of, 256));
    ok &= block <= 256 && block % 32 == 0 && grid * block == 108 * 2048;
    reverse<<<n / block, block, bytes_of(block)>>>(x, n);
    CHECK(cudaGetLastError());

    std::vector<int> out(n);
    CHECK(cudaMemcpy(out.data(), x, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int from = host[i / block * block + block - 1 - i % block];
        ok &= out[i] == from * from;
    }
    ok &= check_limits();
    return verdict(ok);
}
