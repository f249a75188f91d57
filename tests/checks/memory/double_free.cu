// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaFree: "If cudaFree(devPtr) has already been called before, an error is returned"
#include "../checks.h"

struct buffer {
    int *data;
    ~buffer()
    {
        cudaFree(data); // BUG
    }
};

__global__ void count(int *data)
{
    atomicAdd(data, 1);
}

int main()
{
    buffer first;
    CHECK(cudaMalloc(&first.data, sizeof(int)));
    CHECK(cudaMemset(first.data, 0, sizeof(int)));
    buffer second = first; /* a copy that should have been a move */
    count<<<1, 32>>>(second.data);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
