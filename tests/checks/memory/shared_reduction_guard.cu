// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: the tree reads s[t + stride] without asking for t < stride; the last threads leave the array
#include "../checks.h"

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 128 + t];
    __syncthreads();
    for (int stride = 64; stride > 0; stride /= 2) {
        int other = s[t + stride]; // BUG
        __syncthreads();
        s[t] += other;
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main()
{
    int host[256], *in, *out;
    for (int i = 0; i < 256; i++) host[i] = 1;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, 2 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    sum<<<2, 128>>>(in, out);
    cudaError_t error = cudaMemcpy(host, out, 2 * sizeof(int), cudaMemcpyDeviceToHost);
    puts(cudaGetErrorName(error));
    cudaFree(in);
    cudaFree(out);
    return 0;
}
