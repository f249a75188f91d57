// SPDX-License-Identifier: Apache-2.0
// expect: error|warning memory
// silent: yes
// why: a stream that is created for each frame and never destroyed
#include "../checks.h"

__global__ void invert(unsigned char *frame, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) frame[i] = 255 - frame[i];
}

int main()
{
    unsigned char *frame;
    CHECK(cudaMalloc(&frame, 4096));
    CHECK(cudaMemset(frame, 1, 4096));
    for (int i = 0; i < 3; i++) {
        cudaStream_t stream;
        CHECK(cudaStreamCreate(&stream)); // BUG
        invert<<<16, 256, 0, stream>>>(frame, 4096);
        CHECK(cudaStreamSynchronize(stream));
    }
    CHECK(cudaFree(frame));
    return verdict(true);
}
