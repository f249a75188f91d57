// SPDX-License-Identifier: Apache-2.0
/* Many launches of one kernel whose scalar arguments change. */
#include <algorithm>

#include "check.h"

__global__ void step(unsigned *keys, unsigned distance, unsigned length)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ distance;
    if (other <= i) return;
    bool up = (i & length) == 0;
    unsigned a = keys[i], b = keys[other];
    if ((a > b) == up) {
        keys[i] = b;
        keys[other] = a;
    }
}

int main()
{
    const unsigned n = 1 << 14;
    std::vector<unsigned> keys(n), sorted(n);
    unsigned state = 5, *d;
    for (unsigned &key : keys)
        key = next_random(&state);
    CHECK(cudaMalloc(&d, n * sizeof *d));
    CHECK(cudaMemcpy(d, keys.data(), n * sizeof *d, cudaMemcpyHostToDevice));
    for (unsigned length = 2; length <= n; length *= 2)
        for (unsigned distance = length / 2; distance; distance /= 2)
            step<<<n / 256, 256>>>(d, distance, length);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(sorted.data(), d, n * sizeof *d, cudaMemcpyDeviceToHost));
    std::sort(keys.begin(), keys.end());
    return verdict(keys == sorted);
}
