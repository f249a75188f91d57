// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: programming guide: the legacy default stream waits for blocking streams, and they for it
#include "../array.h"

__global__ void add(int *data, int value)
{
    data[threadIdx.x] += value;
}

__global__ void twice(int *data)
{
    data[threadIdx.x] = 2 * data[threadIdx.x];
}

int main()
{
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    bool ok = true;
    {
        array<int> data(64);
        data.zero();
        add<<<1, 64, 0, a>>>(data, 3);
        twice<<<1, 64>>>(data);
        add<<<1, 64, 0, b>>>(data, 1);
        twice<<<1, 64>>>(data);
        for (int one : data.get()) ok &= one == 14;
    }
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    return verdict(ok);
}
