// SPDX-License-Identifier: Apache-2.0
// expect: error|warning memory
// silent: yes
// why: of the two events of a timer one is destroyed twice by name, the other never
#include "../checks.h"

__global__ void spin(int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += i * threadIdx.x;
    out[threadIdx.x] = sum;
}

int main()
{
    cudaEvent_t begin, end;
    int *out;
    float ms;
    CHECK(cudaMalloc(&out, 128 * sizeof(int)));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end)); // BUG
    CHECK(cudaEventRecord(begin));
    spin<<<1, 128>>>(out, 10);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaFree(out));
    return verdict(ms >= 0);
}
