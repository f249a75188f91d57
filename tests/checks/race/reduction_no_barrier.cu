// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: programming guide: __syncthreads orders shared memory between the threads of a block; the loop has none
#include "../checks.h"

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int stride = 128; stride > 0; stride /= 2)
        if (t < stride) s[t] += s[t + stride]; // BUG
    if (t == 0) out[blockIdx.x] = s[0];
}

int main()
{
    int host[512], *in, *out;
    for (int i = 0; i < 512; i++) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 2 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sum<<<2, 256>>>(in, out);
    CHECK(cudaMemcpy(host, out, 2 * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
