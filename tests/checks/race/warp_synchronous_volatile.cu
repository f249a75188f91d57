// SPDX-License-Identifier: Apache-2.0
// expect: warning race
// silent: yes
// why: issue: warp-synchronous code without __syncwarp on sm_70 and later is a warning (Volta tuning guide)
#include "../checks.h"

__global__ void sum(const int *in, int *out)
{
    __shared__ volatile int s[64];
    int t = threadIdx.x;
    s[t] = in[t]; // BUG
    __syncthreads();
    if (t < 32) {
        for (int k = 32; k > 0; k /= 2) s[t] = s[t] + s[t + k]; // BUG
    }
    if (t == 0) *out = s[0]; // BUG
}

int main()
{
    int host[64], *in, *out;
    for (int i = 0; i < 64; i++) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sum<<<1, 64>>>(in, out);
    CHECK(cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
