// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: device memory, a stream and an event that a static object frees after main
#include "../checks.h"

struct resources {
    int *data = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t event = nullptr;
    void open()
    {
        CHECK(cudaMalloc(&data, 256));
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaEventCreate(&event));
    }
    ~resources()
    {
        cudaFree(data);
        cudaStreamDestroy(stream);
        cudaEventDestroy(event);
    }
};

static resources mine;

__global__ void fill(int *out)
{
    out[threadIdx.x] = threadIdx.x;
}

int main()
{
    int host[64];
    mine.open();
    fill<<<1, 64, 0, mine.stream>>>(mine.data);
    CHECK(cudaEventRecord(mine.event, mine.stream));
    CHECK(cudaEventSynchronize(mine.event));
    CHECK(cudaMemcpy(host, mine.data, sizeof host, cudaMemcpyDeviceToHost));
    return verdict(host[63] == 63);
}
