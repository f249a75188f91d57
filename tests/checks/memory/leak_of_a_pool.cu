// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: leak check: cudaMallocAsync without cudaFreeAsync
#include "../checks.h"
__global__ void fill(int *p)
{
    p[threadIdx.x] = 1;
}

int main()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int round = 0; round < 3; round++) {
        int *p;
        CHECK(cudaMallocAsync(&p, 128, stream)); // BUG
        fill<<<1, 32, 0, stream>>>(p);
        if (round < 2) CHECK(cudaFreeAsync(p, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
