// SPDX-License-Identifier: Apache-2.0
// A loop whose instructions are easy to count: tests/cli/code.case does.

extern "C" __global__ void sums(float *out, const float *in, int n)
{
    __shared__ float last[64];
    float sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++)
        sum += in[i * 64 + threadIdx.x];
    last[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x < 16)
        out[blockIdx.x * 16 + threadIdx.x] = last[threadIdx.x * 2];
}
