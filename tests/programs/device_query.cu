// SPDX-License-Identifier: Apache-2.0
/* What a program asks of the device and of a kernel. */
#include <cstring>

#include "check.h"

__global__ void kernel(float *x)
{
    __shared__ float tile[512];
    tile[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = tile[threadIdx.x ^ 1];
}

int main()
{
    int count, device = -1, multiprocessors, block, grid, blocks, runtime, driver, major;
    cudaDeviceProp p;
    cudaFuncAttributes attributes;
    cudaPointerAttributes pointer;
    size_t free_bytes, total;
    float *x;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    printf("%s cc %d.%d, %d SMs, %zu bytes, %d threads, bus %d, L2 %d\n", p.name, p.major, p.minor,
           p.multiProcessorCount, p.totalGlobalMem, p.maxThreadsPerMultiProcessor, p.memoryBusWidth,
           p.l2CacheSize);
    /* The figures of the V100 16GB are NVIDIA's. */
    bool ok = count == 1 && device == 0 && !strcmp(p.name, "Tesla V100 SXM2 16GB") &&
              p.major == 7 && p.minor == 0 && major == 7 && p.multiProcessorCount == 80 &&
              multiprocessors == 80 && p.totalGlobalMem == (size_t)16 << 30 && p.warpSize == 32 &&
              p.maxThreadsPerBlock == 1024 && p.maxThreadsDim[2] == 64 &&
              p.maxGridSize[0] == 2147483647 && p.sharedMemPerBlock == 49152 &&
              p.sharedMemPerBlockOptin == 98304 && p.regsPerBlock == 65536 &&
              p.maxThreadsPerMultiProcessor == 2048 && p.memoryBusWidth == 4096 &&
              p.l2CacheSize == 6 << 20 && p.unifiedAddressing == 1;
    CHECK(cudaMalloc(&x, 1 << 20));
    size_t less;
    CHECK(cudaMemGetInfo(&less, &total));
    ok &= total == p.totalGlobalMem && free_bytes - less == 1 << 20;
    CHECK(cudaPointerGetAttributes(&pointer, x + 5));
    ok &= pointer.type == cudaMemoryTypeDevice && pointer.device == 0;
    CHECK(cudaFuncGetAttributes(&attributes, kernel));
    ok &= attributes.sharedSizeBytes == 2048 && attributes.maxThreadsPerBlock == 1024 &&
          attributes.numRegs > 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDriverGetVersion(&driver));
    printf("%d blocks, block %d, grid %d, runtime %d\n", blocks, block, grid, runtime);
    ok &= blocks == 8 && block == 1024 && grid == 160 && runtime / 1000 == CUDART_VERSION / 1000 &&
          driver >= runtime;
    return verdict(ok);
}
