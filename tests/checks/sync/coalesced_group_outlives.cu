// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: a coalesced group is used after the branch in which it was made, by lanes that are not in it and without some that are
#include "../array.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void share(const int *in, int *out)
{
    int lane = threadIdx.x, value = in[lane];
    unsigned mask = 0xffffffffu;
    if (value & 1) mask = __activemask();
    out[lane] = __shfl_sync(mask, value, __ffs(mask) - 1); // BUG
}

int main()
{
    array<int> in(random_ints(32, 100)), out(32);
    share<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
