// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: release and acquire of device scope order the payload between blocks
#include "../array.h"
#include <cuda/atomic>

__global__ void relay(int *payload, int *flags, int n)
{
    int b = blockIdx.x;
    if (threadIdx.x == 0 && b > 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> before(flags[b - 1]);
        while (before.load(cuda::memory_order_acquire) == 0) continue;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) payload[b * n + i] = b ? payload[(b - 1) * n + (i + 1) % n] + 1 : i;
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::atomic_ref<int, cuda::thread_scope_device> mine(flags[b]);
        mine.store(1, cuda::memory_order_release);
    }
}

int main()
{
    const int n = 100, blocks = 6;
    array<int> payload(n * blocks), flags(blocks);
    flags.zero();
    relay<<<blocks, 64>>>(payload, flags, n);
    std::vector<int> got = payload.get();
    bool ok = true;
    for (int i = 0; i < n; i++) ok &= got[(blocks - 1) * n + i] == (i + blocks - 1) % n + blocks - 1;
    return verdict(ok);
}
