// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: memory of a pool is not cleared; a counter in it is incremented
#include "../array.h"
__global__ void count(const int *in, int *positive, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 10) atomicInc((unsigned *)positive, 1u << 30); // BUG
}

int main()
{
    array<int> in(random_ints(100, 50));
    int *positive;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&positive, sizeof(int), stream));
    count<<<1, 128, 0, stream>>>(in, positive, 100);
    CHECK(cudaFreeAsync(positive, stream));
    puts(cudaGetErrorName(cudaStreamSynchronize(stream)));
    cudaStreamDestroy(stream);
    return 0;
}
