// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: memcheck reports device-side assertions
#include "../array.h"
#undef NDEBUG
#include <cassert>

__global__ void lookup(const int *keys, int *out, int n)
{
    int key = keys[threadIdx.x];
    assert(key >= 0 && key < n); // BUG
    out[threadIdx.x] = key;
}

int main()
{
    std::vector<int> host(32, 3);
    host[17] = 40;
    array<int> keys(host), out(32);
    lookup<<<1, 32>>>(keys, out, 32);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
