// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// also: race
// why: the votes of half of the lanes come from memory that was never written; their count indexes the output
#include "../array.h"
__global__ void compact(const int *keep, int *out)
{
    int lane = threadIdx.x;
    unsigned votes = __ballot_sync(0xffffffffu, keep[lane] & 1);
    int place = __popc(votes & ((1u << lane) - 1));
    out[place] = lane; // BUG
}

int main()
{
    array<int> keep(32), out(32);
    CHECK(cudaMemset(keep, 0, 64));
    compact<<<1, 32>>>(keep, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
