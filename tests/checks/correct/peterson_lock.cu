// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: Peterson's lock of two blocks by volatile flags with sequentially consistent fences
#include "../array.h"

__global__ void count(volatile int *wants, volatile int *turn, int *value)
{
    int me = blockIdx.x, other = 1 - me;
    if (threadIdx.x) return;
    for (int k = 0; k < 5; k++) {
        wants[me] = 1;
        *turn = other;
        __threadfence();
        while (wants[other] && *turn == other) {}
        __threadfence();
        *value += 1;
        __threadfence();
        wants[me] = 0;
    }
}

int main()
{
    array<int> wants(2), turn(1), value(1);
    wants.zero(), turn.zero(), value.zero();
    count<<<2, 32>>>(wants, turn, value);
    return verdict(value.get()[0] == 10);
}
