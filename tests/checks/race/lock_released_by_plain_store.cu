// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: the lock is released by a plain store: nothing makes the critical section visible before it, and it races with atomicCAS
#include "../array.h"

__global__ void count(int *lock, int *value)
{
    if (threadIdx.x) return;
    while (atomicCAS(lock, 0, 1) != 0) {} // BUG
    __threadfence();
    *value += blockIdx.x + 1; // ALSO
    __threadfence();
    *lock = 0; // BUG
}

int main()
{
    array<int> lock(1), value(1);
    lock.zero(), value.zero();
    count<<<4, 32>>>(lock, value);
    return verdict(value.get()[0] == 10);
}
