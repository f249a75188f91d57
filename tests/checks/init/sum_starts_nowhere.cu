// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: the sum of lanes without work is never set, but all lanes add it atomically
#include "../array.h"
__global__ void dot(const float *a, const float *b, float *out, int n)
{
    float sum;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum = i < (int)blockDim.x ? a[i] * b[i] : sum + a[i] * b[i];
    atomicAdd(out, sum); // BUG
}

int main()
{
    array<float> a(std::vector<float>(40, 1.0f)), b(std::vector<float>(40, 2.0f)), out(1);
    out.zero();
    dot<<<1, 64>>>(a, b, out, 40);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
