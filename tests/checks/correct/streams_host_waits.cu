// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: the host's cudaStreamSynchronize orders work that it submits afterwards to any stream; host functions, too
#include "../array.h"

__global__ void fill(int *data, const int *by)
{
    data[threadIdx.x] = by[0] + threadIdx.x;
}

static void CUDART_CB next(void *where) { *(int *)where += 10; }

int main()
{
    cudaStream_t a, b;
    int *by;
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaMallocHost(&by, sizeof(int)));
    *by = 1;
    bool ok = true;
    {
        array<int> data(32), copy(32);
        fill<<<1, 32, 0, a>>>(data, by);
        CHECK(cudaLaunchHostFunc(a, next, by));
        fill<<<1, 32, 0, a>>>(data, by);
        CHECK(cudaStreamSynchronize(a));
        CHECK(cudaMemcpyAsync(copy, data, 32 * sizeof(int), cudaMemcpyDeviceToDevice, b));
        CHECK(cudaStreamSynchronize(b));
        ok &= copy.get()[5] == 16;
    }
    CHECK(cudaFreeHost(by));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    return verdict(ok);
}
