// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// why: each lane in the mask must execute the same intrinsic: lanes that leave the loop early do not
#include "../array.h"
__global__ void count_rounds(const int *trips, int *out)
{
    int lane = threadIdx.x, active = 0;
    for (int k = 0; k < trips[lane]; k++) active += __popc(__ballot_sync(0xffffffffu, k & 1)); // BUG
    active += __shfl_xor_sync(0xffffffffu, active, 1); // ALSO
    out[lane] = active;
}

int main()
{
    array<int> trips(random_ints(32, 7)), out(32);
    count_rounds<<<1, 32>>>(trips, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
