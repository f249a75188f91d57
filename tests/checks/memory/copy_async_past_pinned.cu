// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: copies beyond the end of an allocation
#include "../checks.h"
int main()
{
    const size_t n = 1000;
    float *device, *host;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&device, n * sizeof(float)));
    CHECK(cudaMallocHost(&host, n)); /* bytes, not numbers */
    CHECK(cudaMemsetAsync(device, 0, n * sizeof(float), stream));
    cudaMemcpyAsync(host, device, n * sizeof(float), cudaMemcpyDeviceToHost, stream); // BUG
    cudaStreamSynchronize(stream);
    cudaFreeHost(host);
    cudaFree(device);
    cudaStreamDestroy(stream);
    return 0;
}
