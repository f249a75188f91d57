// SPDX-License-Identifier: Apache-2.0
#include "../check.h"
#include "library.h"

__constant__ int factor;
__device__ int calls = 7;
__managed__ int managed_total;
static __device__ int own = 2;

static __device__ int square(int x)
{
    return x * x;
}
__device__ int next(int x)
{
    return x + 1;
}
__device__ operation operations[2] = {next, square};

__device__ int scaled(int x)
{
    return x * factor * own;
}

/* Of the dynamic shared memory of whatever kernel calls it. */
__device__ int scratch_sum()
{
    int sum = 0;
    for (unsigned i = 0; i < blockDim.x; i++)
        sum += scratch[i];
    return sum;
}

__device__ void managed_total_add(int x)
{
    atomicAdd(&managed_total, x);
}

static __global__ void fill(int *out)
{
    *out = larger(own, -1) * 20;
}

void set_factor(int value)
{
    CHECK(cudaMemcpyToSymbol(factor, &value, sizeof value));
}

int library_fill()
{
    int *out, got;
    CHECK(cudaMalloc(&out, sizeof *out));
    fill<<<1, 1>>>(out);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    return got;
}
