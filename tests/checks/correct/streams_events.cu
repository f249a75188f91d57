// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: programming guide: cudaStreamWaitEvent orders the consumer's stream after the producer's event
#include "../array.h"

__global__ void produce(int *data, int n, int seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = i * seed;
}

__global__ void consume(const int *a, const int *b, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[n - 1 - i];
}

int main()
{
    const int n = 300;
    cudaStream_t first, second;
    cudaEvent_t ready, done;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    bool ok = true;
    {
        array<int> a(n), b(n), out(n);
        for (int round = 1; round < 4; round++) {
            produce<<<3, 128, 0, first>>>(a, n, round);
            produce<<<3, 128, 0, second>>>(b, n, 2);
            CHECK(cudaEventRecord(ready, first));
            CHECK(cudaStreamWaitEvent(second, ready, 0));
            consume<<<3, 128, 0, second>>>(a, b, out, n);
            CHECK(cudaEventRecord(done, second));
            CHECK(cudaStreamWaitEvent(first, done, 0));
            CHECK(cudaStreamSynchronize(second));
            ok &= out.get()[10] == 10 * round + 2 * (n - 11);
        }
    }
    CHECK(cudaEventDestroy(ready));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    return verdict(ok);
}
