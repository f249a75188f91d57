// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: programming guide, memory fences: a flag may be seen before the data if no __threadfence lies between
#include "../checks.h"

__global__ void produce_consume(int *data, volatile int *flag, int *out)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        data[t] = t * t; // BUG
        __syncthreads();
        if (t == 0) *flag = 1;
    } else {
        if (t == 0)
            while (*flag == 0) continue;
        __syncthreads();
        __threadfence();
        out[t] = data[t]; // BUG
    }
}

int main()
{
    int *data, *flag, *out;
    CHECK(cudaMalloc(&data, 64 * sizeof(int)));
    CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    CHECK(cudaMalloc(&flag, sizeof(int)));
    CHECK(cudaMemset(flag, 0, sizeof(int)));
    produce_consume<<<2, 64>>>(data, flag, out);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    CHECK(cudaFree(flag));
    return 0;
}
