// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: no
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: two stages are in flight, and __pipeline_wait_prior(2) leaves the one that is read
#include "../checks.h"
#include <cuda_pipeline.h>

__global__ void stream_sum(const int *in, int *out, int tiles)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], sizeof(int)); // BUG
    __pipeline_commit();
    for (int i = 0; i < tiles; i++) {
        if (i + 1 < tiles)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * 64 + t], sizeof(int)); // BUG
        __pipeline_commit();
        __pipeline_wait_prior(2);
        __syncthreads();
        sum += s[i % 2][63 - t]; // BUG
        __syncthreads();
    }
    out[t] = sum;
}

int main()
{
    int host[256], *in, *out;
    for (int i = 0; i < 256; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 64 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    stream_sum<<<1, 64>>>(in, out, 4);
    CHECK(cudaMemcpy(host, out, 64 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
