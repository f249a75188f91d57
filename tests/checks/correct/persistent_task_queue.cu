// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: persistent blocks push and pop tasks of a global queue; each slot is published by a release and taken after an acquire
#include "../array.h"
#include <cuda/atomic>
typedef cuda::atomic<int, cuda::thread_scope_device> word;

struct queue {
    word head, tail, pending;
    word full[512];
    int task[512];
};

__device__ void push(queue *q, int task)
{
    int slot = q->tail.fetch_add(1, cuda::memory_order_relaxed);
    q->task[slot] = task;
    q->full[slot].store(1, cuda::memory_order_release);
}

__global__ void tree(queue *q, int *visits, int n)
{
    if (threadIdx.x) return;
    while (q->pending.load(cuda::memory_order_acquire) > 0) {
        int slot = q->head.load(cuda::memory_order_relaxed);
        if (slot >= 512 || !q->full[slot].load(cuda::memory_order_acquire)) continue;
        if (!q->head.compare_exchange_strong(slot, slot + 1, cuda::memory_order_acq_rel)) continue;
        int task = q->task[slot];
        visits[task] += 1;
        for (int child = 2 * task + 1; child <= 2 * task + 2; child++)
            if (child < n) {
                q->pending.fetch_add(1, cuda::memory_order_relaxed);
                push(q, child);
            }
        q->pending.fetch_sub(1, cuda::memory_order_release);
    }
}

__global__ void start(queue *q)
{
    q->pending.store(1);
    push(q, 0);
}

int main()
{
    const int n = 200;
    array<char> memory(sizeof(queue));
    array<int> visits(n);
    memory.zero(), visits.zero();
    start<<<1, 1>>>((queue *)(char *)memory);
    tree<<<4, 32>>>((queue *)(char *)memory, visits, n);
    return verdict(visits.get() == std::vector<int>(n, 1));
}
