// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: a mask from before the loop names lanes that have left the loop
#include "../array.h"
__global__ void march(const int *steps, int *out)
{
    int lane = threadIdx.x, sum = 0;
    unsigned mask = __ballot_sync(0xffffffffu, steps[lane] > 0);
    for (int k = 0; k < steps[lane]; k++) sum += __shfl_sync(mask, k, __ffs(mask) - 1); // BUG
    __syncwarp();
    out[lane] = sum; // ALSO
}

int main()
{
    array<int> steps(random_ints(32, 6)), out(32);
    march<<<1, 32>>>(steps, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
