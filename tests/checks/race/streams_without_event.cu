// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: programming guide: work of different streams is unordered; the consumer does not wait for the producer's event
#include "../checks.h"

__global__ void produce(int *data)
{
    data[blockIdx.x * 64 + threadIdx.x] = threadIdx.x; // BUG
}

__global__ void consume(const int *data, int *out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = data[i] + 1; // BUG
}

int main()
{
    int *data, *out;
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&data, 256 * sizeof(int)));
    CHECK(cudaMalloc(&out, 256 * sizeof(int)));
    produce<<<4, 64, 0, first>>>(data);
    consume<<<4, 64, 0, second>>>(data, out); // BUG
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    return 0;
}
