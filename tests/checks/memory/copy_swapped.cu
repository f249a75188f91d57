// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaMemcpy: destination first, and the direction must fit
#include "../array.h"
int main()
{
    std::vector<int> host(64, 1);
    int *device;
    CHECK(cudaMalloc(&device, 256));
    cudaMemcpy(host.data(), device, 256, cudaMemcpyHostToDevice); // BUG
    cudaFree(device);
    return 0;
}
