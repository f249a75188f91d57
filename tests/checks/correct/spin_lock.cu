// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a lock with fences after taking and before releasing it
#include "../array.h"

__global__ void insert(int *lock, int *list, int *length)
{
    if (threadIdx.x != 0) return;
    while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
    __threadfence();
    list[*length] = blockIdx.x;
    *length += 1;
    __threadfence();
    atomicExch(lock, 0);
}

int main()
{
    array<int> lock(1), list(40), length(1);
    lock.zero();
    length.zero();
    insert<<<40, 32>>>(lock, list, length);
    long long seen = 0;
    for (int one : list.get()) seen |= 1ll << one;
    return verdict(length.get()[0] == 40 && seen == (1ll << 40) - 1);
}
