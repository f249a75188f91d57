// SPDX-License-Identifier: Apache-2.0
// expect: error|warning memory
// silent: yes
// why: the owner's destructor never runs: it was released from its holder and forgotten
#include "../checks.h"

template <class T> struct device_array {
    T *data = nullptr;
    explicit device_array(size_t n)
    {
        CHECK(cudaMalloc(&data, n * sizeof(T))); // BUG
        CHECK(cudaMemset(data, 0, n * sizeof(T)));
    }
    ~device_array() { cudaFree(data); }
    T *release()
    {
        T *was = data;
        data = nullptr;
        return was;
    }
};

__global__ void mark(int *out)
{
    out[threadIdx.x] = 1;
}

int main()
{
    int *kept = nullptr;
    {
        device_array<int> one(64), other(32);
        kept = one.release();
        mark<<<1, 32>>>(other.data);
    }
    mark<<<1, 64>>>(kept);
    CHECK(cudaDeviceSynchronize());
    return verdict(true);
}
