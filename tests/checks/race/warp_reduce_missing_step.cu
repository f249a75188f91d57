// SPDX-License-Identifier: Apache-2.0
// expect: warning race
// silent: yes
// why: one of the steps of a reduction within a warp has no __syncwarp() between its reads and the next step's
#include "../array.h"

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = 0;
    __syncwarp();
    int v = s[t];
    v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 8]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 4]; s[t] = v; __syncwarp(); // BUG
    v += s[t + 2]; __syncwarp(); s[t] = v; __syncwarp();
    v += s[t + 1];
    if (t == 0) *out = v;
}

int main()
{
    array<int> in(random_ints(32, 100)), out(1);
    sum<<<1, 32>>>(in, out);
    return verdict(true);
}
