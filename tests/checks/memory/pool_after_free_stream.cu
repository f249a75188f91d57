// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memory of cudaMallocAsync must not be accessed after cudaFreeAsync in stream order
#include "../checks.h"
__global__ void bump(int *p)
{
    p[threadIdx.x] += 1; // BUG
}

int main()
{
    cudaStream_t stream;
    int *p;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&p, 128, stream));
    CHECK(cudaMemsetAsync(p, 0, 128, stream));
    CHECK(cudaFreeAsync(p, stream));
    bump<<<1, 32, 0, stream>>>(p);
    puts(cudaGetErrorName(cudaStreamSynchronize(stream)));
    cudaStreamDestroy(stream);
    return 0;
}
