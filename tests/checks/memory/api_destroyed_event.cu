// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: an event is recorded after cudaEventDestroy
#include "../checks.h"

__global__ void set(int *out, int value)
{
    out[threadIdx.x] = value;
}

int main()
{
    cudaEvent_t done;
    int *out;
    CHECK(cudaMalloc(&out, 32 * sizeof(int)));
    CHECK(cudaEventCreate(&done));
    set<<<1, 32>>>(out, 1);
    CHECK(cudaEventRecord(done));
    CHECK(cudaEventDestroy(done));
    set<<<1, 32>>>(out, 2);
    cudaEventRecord(done); // BUG
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(out));
    return 0;
}
