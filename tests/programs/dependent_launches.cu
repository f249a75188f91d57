// SPDX-License-Identifier: Apache-2.0
// Programmatic dependent launches: each kernel says early that the next may begin, and that waits for its results.
#include "check.h"

enum { THREADS = 128, COUNT = 4096, STEPS = 6 };

__global__ void step(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, more = i % 7; /* what needs nothing of the kernel before */
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    out[i] = 3 * in[i] + more;
}

int main()
{
    int *buffers[2];
    bool good = true;
    cudaStream_t stream;
    std::vector<int> values(COUNT), results(COUNT);
    CHECK(cudaStreamCreate(&stream));
    for (int *&buffer : buffers)
        CHECK(cudaMalloc(&buffer, COUNT * sizeof *buffer));
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    CHECK(cudaMemcpy(buffers[0], values.data(), COUNT * sizeof(int), cudaMemcpyHostToDevice));
    for (int s = 0; s < STEPS; s++) {
        cudaLaunchAttribute attribute;
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config = {};
        config.gridDim = COUNT / THREADS;
        config.blockDim = THREADS;
        config.stream = stream;
        config.attrs = &attribute;
        config.numAttrs = 1;
        CHECK(cudaLaunchKernelEx(&config, step, (const int *)buffers[s % 2], buffers[(s + 1) % 2]));
        for (int i = 0; i < COUNT; i++)
            values[i] = 3 * values[i] + i % 7;
    }
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(results.data(), buffers[STEPS % 2], COUNT * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++)
        good = good && results[i] == values[i];
    for (int *buffer : buffers)
        CHECK(cudaFree(buffer));
    CHECK(cudaStreamDestroy(stream));
    return verdict(good);
}
