// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: ticket lock: no fence between the critical section and the store that serves the next
#include "../array.h"

__global__ void add(int *ticket, volatile int *serving, int *value)
{
    if (threadIdx.x) return;
    int mine = atomicAdd(ticket, 1);
    while (*serving != mine) {}
    __threadfence();
    *value = *value * 2 + blockIdx.x; // BUG
    *serving = mine + 1;
}

int main()
{
    array<int> ticket(1), serving(1), value(1);
    ticket.zero(), serving.zero(), value.zero();
    add<<<5, 32>>>(ticket, serving, value);
    return verdict(true);
}
