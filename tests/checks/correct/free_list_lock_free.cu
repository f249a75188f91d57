// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a pool of nodes in one allocation; a stack of indices with a counter against ABA, by 64-bit compare and swap
#include "../array.h"
typedef unsigned long long word;

struct pool {
    word head; /* low: index + 1; high: count of changes */
    int next[64];
    int payload[64];
};

__device__ int take(pool *p)
{
    word now = atomicAdd(&p->head, 0ull);
    for (;;) {
        unsigned top = (unsigned)now;
        if (!top) return -1;
        __threadfence();
        int next = atomicAdd(&p->next[top - 1], 0);
        word wanted = ((now >> 32) + 1) << 32 | (unsigned)next, seen = atomicCAS(&p->head, now, wanted);
        if (seen == now) {
            __threadfence();
            return (int)top - 1;
        }
        now = seen;
    }
}

__device__ void give(pool *p, int index)
{
    __threadfence();
    word now = atomicAdd(&p->head, 0ull);
    for (;;) {
        atomicExch(&p->next[index], (int)(unsigned)now);
        __threadfence();
        word seen = atomicCAS(&p->head, now, ((now >> 32) + 1) << 32 | (unsigned)(index + 1));
        if (seen == now) return;
        now = seen;
    }
}

__global__ void work(pool *p, int *sum)
{
    if (threadIdx.x != 0) return;
    for (int i = 0; i < 5; i++) {
        int node = take(p);
        if (node < 0) continue;
        p->payload[node] = blockIdx.x + i;
        atomicAdd(sum, p->payload[node]);
        give(p, node);
    }
}

int main()
{
    static pool host;
    for (int i = 0; i < 64; i++) host.next[i] = i + 1 < 64 ? i + 2 : 0;
    host.head = 1;
    array<pool> p(1);
    array<int> sum(1);
    sum.zero();
    CHECK(cudaMemcpy(p, &host, sizeof host, cudaMemcpyHostToDevice));
    work<<<12, 32>>>(p, sum);
    int wanted = 0;
    for (int b = 0; b < 12; b++)
        for (int i = 0; i < 5; i++) wanted += b + i;
    return verdict(sum.get()[0] == wanted);
}
