// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: programming guide: __syncthreads in conditional code only if the condition is the same for the whole block
#include "../checks.h"

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if (t < k) {
            if (t + k < 96) s[t] += s[t + k];
            __syncthreads(); // BUG
        }
    }
    if (t == 0) *out = s[0];
}

int main()
{
    int host[96], *in, *out;
    for (int i = 0; i < 96; i++) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sum<<<1, 96>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
