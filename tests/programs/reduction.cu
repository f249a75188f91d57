// SPDX-License-Identifier: Apache-2.0
/* Sums in shared memory, with shuffles and with atomics on managed memory. */
#include "check.h"

__global__ void sum_shared(const int *in, int *out, int n)
{
    __shared__ int partial[256];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

__global__ void sum_shuffle(const int *in, int *total, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = i < n ? in[i] : 0;
    for (int delta = 16; delta; delta /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, delta);
    if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

int main()
{
    const int n = 100003, blocks = 32;
    int *in, *out, *total, expected = 0;
    CHECK(cudaMallocManaged(&in, n * sizeof(int)));
    CHECK(cudaMallocManaged(&out, blocks * sizeof(int)));
    CHECK(cudaMallocManaged(&total, sizeof(int)));
    unsigned state = 1;
    for (int i = 0; i < n; i++) {
        in[i] = next_random(&state) % 1000;
        expected += in[i];
    }
    *total = 0;
    sum_shared<<<blocks, 256>>>(in, out, n);
    sum_shuffle<<<(n + 127) / 128, 128>>>(in, total, n);
    CHECK(cudaDeviceSynchronize());
    int sum = 0;
    for (int i = 0; i < blocks; i++)
        sum += out[i];
    printf("%d %d %d\n", expected, sum, *total);
    bool ok = sum == expected && *total == expected;
    CHECK(cudaFree(in));
    return verdict(ok);
}
