// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: no
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: PTX, cp.async: its writes are not visible to the thread before a wait
#include "../checks.h"
#include <cuda_pipeline.h>

__global__ void copy_twice(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[t], sizeof(int)); // BUG
    __pipeline_commit();
    __syncthreads();
    out[t] = 2 * s[t]; // BUG
}

int main()
{
    int host[128], *in, *out;
    for (int i = 0; i < 128; i++) host[i] = i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    copy_twice<<<1, 128>>>(in, out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
