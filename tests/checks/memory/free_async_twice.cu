// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: each allocation is freed once
#include "../checks.h"
int main()
{
    cudaStream_t stream;
    int *p;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocAsync(&p, 1024, stream));
    CHECK(cudaMemsetAsync(p, 0, 1024, stream));
    CHECK(cudaFreeAsync(p, stream));
    cudaFreeAsync(p, stream); // BUG
    cudaStreamSynchronize(stream);
    cudaStreamDestroy(stream);
    return 0;
}
