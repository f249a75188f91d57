// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: programming guide's example of __threadfence: without it the counter may be seen before the partial sum
#include "../checks.h"

__device__ unsigned done = 0;

__global__ void total(const int *in, volatile int *partial, int *out, int n)
{
    __shared__ int s[64];
    __shared__ bool is_last;
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) sum += in[i];
    s[t] = sum;
    __syncthreads();
    if (t == 0) {
        int block_sum = 0;
        for (int i = 0; i < 64; i++) block_sum += s[i];
        ((int *)partial)[blockIdx.x] = block_sum; // BUG
        is_last = atomicInc(&done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && t == 0) {
        int all = 0;
        for (unsigned i = 0; i < gridDim.x; i++) all += ((int *)partial)[i]; // BUG
        *out = all;
    }
}

int main()
{
    int host[1024], *in, *partial, *out;
    for (int i = 0; i < 1024; i++) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&partial, 8 * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    total<<<8, 64>>>(in, partial, out, 1024);
    CHECK(cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(partial));
    CHECK(cudaFree(out));
    return verdict(host[0] == 1024);
}
