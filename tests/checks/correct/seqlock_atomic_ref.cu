// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: sequence lock whose payload is read and written by relaxed atomics, ordered by fences
#include "../array.h"
#include <cuda/atomic>
typedef cuda::atomic_ref<int, cuda::thread_scope_device> ref;

__global__ void seqlock(int *sequence, int *payload, int *out)
{
    if (threadIdx.x) return;
    ref seq(*sequence), a(payload[0]), b(payload[1]);
    if (blockIdx.x == 1) {
        for (int i = 1; i <= 5; i++) {
            seq.store(2 * i - 1, cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
            a.store(i, cuda::memory_order_relaxed);
            b.store(3 * i, cuda::memory_order_relaxed);
            seq.store(2 * i, cuda::memory_order_release);
        }
    } else {
        int before, after, x, y;
        do {
            before = seq.load(cuda::memory_order_acquire);
            x = a.load(cuda::memory_order_relaxed);
            y = b.load(cuda::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
            after = seq.load(cuda::memory_order_relaxed);
        } while (before != after || before & 1);
        out[blockIdx.x] = y - 3 * x;
    }
}

int main()
{
    array<int> sequence(1), payload(2), out(4);
    sequence.zero(), payload.zero(), out.zero();
    seqlock<<<4, 32>>>(sequence, payload, out);
    return verdict(out.get() == std::vector<int>(4, 0));
}
