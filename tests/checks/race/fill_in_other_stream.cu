// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: streams created as non-blocking do not wait for the legacy stream, in which cudaMemset runs asynchronously
#include "../array.h"

__global__ void count(int *bins)
{
    bins[threadIdx.x] += threadIdx.x; // BUG
}

int main()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    {
        array<int> bins(64);
        CHECK(cudaMemset(bins, 0, 64 * sizeof(int))); // BUG
        count<<<1, 64, 0, stream>>>(bins); // BUG
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
