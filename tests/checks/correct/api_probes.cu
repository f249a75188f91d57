// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: calls whose results are answers: queries of streams and events, limits, pointers, free of null, expected failure
#include "../checks.h"

__global__ void fill(int *out)
{
    out[threadIdx.x] = 1;
}

int main()
{
    int devices = 0, *data, blocks = 0;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaPointerAttributes attributes;
    cudaFuncAttributes function;
    CHECK(cudaGetDeviceCount(&devices));
    CHECK(cudaFree(nullptr));
    CHECK(cudaFreeHost(nullptr));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMalloc(&data, 128));
    CHECK(cudaFuncGetAttributes(&function, fill));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 32, 0));
    CHECK(cudaPointerGetAttributes(&attributes, data));
    bool ok = attributes.type == cudaMemoryTypeDevice && blocks > 0 && devices > 0;
    CHECK(cudaPointerGetAttributes(&attributes, &devices));
    ok &= attributes.type == cudaMemoryTypeUnregistered;
    fill<<<1, 32, 0, stream>>>(data);
    CHECK(cudaEventRecord(event, stream));
    while (cudaEventQuery(event) == cudaErrorNotReady) continue;
    while (cudaStreamQuery(stream) == cudaErrorNotReady) continue;
    ok &= cudaPeekAtLastError() == cudaSuccess && cudaGetLastError() == cudaSuccess;
    CHECK(cudaFree(data));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
    return verdict(ok);
}
