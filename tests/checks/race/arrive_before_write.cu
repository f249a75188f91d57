// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: bar.arrive orders what its thread did before it; the producer writes after it
#include "../array.h"

__global__ void pipe(const int *in, int *out)
{
    __shared__ int s[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        asm volatile("bar.arrive 3, 64;" ::: "memory");
        s[lane] = in[lane] + 7; // BUG
    } else {
        asm volatile("bar.sync 3, 64;" ::: "memory");
        out[lane] = s[31 - lane]; // BUG
    }
}

int main()
{
    array<int> in(random_ints(32, 100)), out(32);
    pipe<<<1, 64>>>(in, out);
    return verdict(true);
}
