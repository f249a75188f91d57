// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaFreeHost frees memory of cudaMallocHost or cudaHostAlloc only
#include "../checks.h"
int main()
{
    int *staging;
    CHECK(cudaMalloc(&staging, 4096));
    CHECK(cudaMemset(staging, 0, 4096));
    cudaFreeHost(staging); // BUG
    cudaFree(staging);
    return 0;
}
