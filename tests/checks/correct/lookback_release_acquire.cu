// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: chained scan: prefix and flag are two words, the flag is released and acquired through cuda::atomic
#include "../array.h"
#include <cuda/atomic>
typedef cuda::atomic<int, cuda::thread_scope_device> flag;

__global__ void chain(const int *in, int *out, int *prefix, flag *ready)
{
    __shared__ int total, before;
    int value = in[blockIdx.x * 64 + threadIdx.x];
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, value);
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        if (blockIdx.x > 0) {
            while (!ready[blockIdx.x - 1].load(cuda::memory_order_acquire)) {}
            sum = prefix[blockIdx.x - 1];
        }
        before = sum;
        prefix[blockIdx.x] = sum + total;
        ready[blockIdx.x].store(1, cuda::memory_order_release);
    }
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = before + value;
}

int main()
{
    const int n = 64 * 7;
    std::vector<int> host = random_ints(n, 30), wanted(n);
    array<int> in(host), out(n), prefix(7), ready(7);
    ready.zero();
    chain<<<7, 64>>>(in, out, prefix, (flag *)(int *)ready);
    for (int b = 0, sum = 0; b < 7; b++) {
        for (int t = 0; t < 64; t++) wanted[b * 64 + t] = sum + host[b * 64 + t];
        for (int t = 0; t < 64; t++) sum += host[b * 64 + t];
    }
    return verdict(out.get() == wanted);
}
