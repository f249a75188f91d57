// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a slot of the queue is declared full before its item is stored
#include "../array.h"
#include <cuda/atomic>

__global__ void queue(int *items, cuda::atomic<int, cuda::thread_scope_device> *full, int *out)
{
    int i = threadIdx.x;
    if (blockIdx.x == 0) {
        full[i].store(1, cuda::memory_order_release);
        items[i] = i * i + 1; // BUG
    } else {
        while (full[i].load(cuda::memory_order_acquire) == 0) {}
        out[i] = items[i]; // BUG
    }
}

int main()
{
    array<int> items(32), flags(32), out(32);
    flags.zero(), items.zero();
    queue<<<2, 32>>>(items, (cuda::atomic<int, cuda::thread_scope_device> *)(int *)flags, out);
    return verdict(out.get()[0] >= 0);
}
