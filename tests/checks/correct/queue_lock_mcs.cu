// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: MCS lock: exchange of the tail, each waiter spins on its own flag, fences at lock and unlock
#include "../array.h"

struct node {
    volatile int waits;
    node *volatile next;
};

__global__ void add(node *nodes, node **tail, int *value)
{
    if (threadIdx.x) return;
    node *mine = &nodes[blockIdx.x];
    mine->next = nullptr;
    mine->waits = 1;
    __threadfence();
    node *before = (node *)atomicExch((unsigned long long *)tail, (unsigned long long)mine);
    if (before) {
        __threadfence();
        before->next = mine;
        while (mine->waits) {}
    }
    __threadfence();
    *value = *value + blockIdx.x + 1;
    __threadfence();
    if (!mine->next) {
        if ((node *)atomicCAS((unsigned long long *)tail, (unsigned long long)mine, 0ull) == mine) return;
        while (!mine->next) {}
    }
    mine->next->waits = 0;
}

int main()
{
    array<char> nodes(8 * sizeof(node)), tail(8);
    array<int> value(1);
    nodes.zero(), tail.zero(), value.zero();
    add<<<8, 32>>>((node *)(char *)nodes, (node **)(char *)tail, value);
    return verdict(value.get()[0] == 36);
}
