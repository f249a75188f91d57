// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: cudaStreamWaitEvent waits for what cudaEventRecord captured: here nothing, the kernel came after it
#include "../array.h"

__global__ void fill(int *data)
{
    data[threadIdx.x] = threadIdx.x + 1; // BUG
}

__global__ void twice(const int *data, int *out)
{
    out[threadIdx.x] = 2 * data[threadIdx.x]; // BUG
}

int main()
{
    cudaStream_t a, b;
    cudaEvent_t done;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    {
        array<int> data(64), out(64);
        CHECK(cudaEventRecord(done, a));
        fill<<<1, 64, 0, a>>>(data); // BUG
        CHECK(cudaStreamWaitEvent(b, done, 0));
        twice<<<1, 64, 0, b>>>(data, out); // BUG
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    return 0;
}
