// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: readers count themselves up and down, the writer waits for none and holds -1; fences around both sections
#include "../array.h"

__global__ void work(int *lock, int *data, int *bad)
{
    if (threadIdx.x) return;
    for (int k = 0; k < 4; k++) {
        if (blockIdx.x % 3 == 0) {
            while (atomicCAS(lock, 0, -1) != 0) {}
            __threadfence();
            data[0] += 1;
            data[1] += 2;
            __threadfence();
            atomicExch(lock, 0);
        } else {
            int seen = atomicAdd(lock, 0);
            while (seen < 0 || atomicCAS(lock, seen, seen + 1) != seen) seen = atomicAdd(lock, 0);
            __threadfence();
            if (data[1] != 2 * data[0]) atomicAdd(bad, 1);
            __threadfence();
            atomicSub(lock, 1);
        }
    }
}

int main()
{
    array<int> lock(1), data(2), bad(1);
    lock.zero(), data.zero(), bad.zero();
    work<<<6, 32>>>(lock, data, bad);
    return verdict(bad.get()[0] == 0 && data.get()[0] == 8);
}
