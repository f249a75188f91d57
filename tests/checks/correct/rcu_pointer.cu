// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a new version is filled, then its pointer released; readers acquire the pointer and read plainly
#include "../array.h"
#include <cuda/atomic>

struct version {
    int number, square;
};
typedef cuda::atomic_ref<version *, cuda::thread_scope_device> pointer;

__global__ void run(version *pool, version **current, int *bad)
{
    if (threadIdx.x) return;
    pointer now(*current);
    if (blockIdx.x == 0) {
        for (int i = 1; i < 6; i++) {
            pool[i].number = i;
            pool[i].square = i * i;
            now.store(&pool[i], cuda::memory_order_release);
        }
    } else {
        for (int k = 0; k < 6; k++) {
            version *seen = now.load(cuda::memory_order_acquire);
            if (seen && seen->square != seen->number * seen->number) atomicAdd(bad, 1);
        }
    }
}

int main()
{
    array<char> pool(6 * sizeof(version)), current(sizeof(version *));
    array<int> bad(1);
    current.zero(), bad.zero();
    run<<<4, 32>>>((version *)(char *)pool, (version **)(char *)current, bad);
    return verdict(bad.get()[0] == 0);
}
