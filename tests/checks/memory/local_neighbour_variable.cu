// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// missed: without -G all local arrays of a kernel are one variable of PTX (__local_depot)
// why: memcheck: accesses beyond a local array, here into the one beside it
#include "../checks.h"

__global__ void bins(const unsigned char *in, int n, int *low, int *high)
{
    int few[4], many[16];
    for (int i = 0; i < 4; i++) few[i] = 0;
    for (int i = 0; i < 16; i++) many[i] = 0;
    for (int i = threadIdx.x; i < n; i += 32) {
        few[in[i] % 5]++; // BUG
        many[in[i] % 16]++;
    }
    for (int i = 0; i < 4; i++) atomicAdd(&low[i], few[i]);
    for (int i = 0; i < 16; i++) atomicAdd(&high[i], many[i]);
}

int main()
{
    unsigned char host[256], *in;
    int *low, *high;
    for (int i = 0; i < 256; i++) host[i] = (unsigned char)i;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&low, 4 * sizeof(int)));
    CHECK(cudaMalloc(&high, 16 * sizeof(int)));
    CHECK(cudaMemset(low, 0, 4 * sizeof(int)));
    CHECK(cudaMemset(high, 0, 16 * sizeof(int)));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    bins<<<1, 32>>>(in, 256, low, high);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(low));
    CHECK(cudaFree(high));
    return 0;
}
