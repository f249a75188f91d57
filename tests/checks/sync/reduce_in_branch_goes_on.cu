// SPDX-License-Identifier: Apache-2.0
// expect: error sync
// silent: yes
// nvcc: -arch=compute_80
// gpu: a100-sxm4-40gb
// why: each lane that the mask names must execute the intrinsic: half of the warp waits behind the branch instead
#include "../array.h"
__global__ void odd_sum(const unsigned *in, unsigned *out)
{
    unsigned lane = threadIdx.x, value = in[lane], sum = 0;
    if (value & 1) sum = __reduce_add_sync(0xffffffffu, value); // BUG
    out[lane] = sum + __shfl_xor_sync(0xffffffffu, value, 1);
}

int main()
{
    std::vector<unsigned> host(32);
    for (unsigned i = 0; i < 32; i++) host[i] = i;
    array<unsigned> in(host), out(32);
    odd_sum<<<1, 32>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
