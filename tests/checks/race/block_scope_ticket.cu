// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: atomicAdd_block is atomic with respect to threads of the same block only, but all blocks take tickets
#include "../array.h"

__global__ void take(int *next, int *owner, int count)
{
    for (;;) {
        int mine = atomicAdd_block(next, 1); // BUG
        if (mine >= count) break;
        atomicAdd(&owner[mine], 1);
    }
}

int main()
{
    array<int> next(1), owner(50);
    next.zero(), owner.zero();
    take<<<3, 8>>>(next, owner, 50);
    return verdict(owner.get()[0] > 0);
}
