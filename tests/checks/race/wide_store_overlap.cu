// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a 16-byte store covers a word that another thread writes alone: ranges overlap, addresses differ
#include "../checks.h"

__global__ void pack(float *out, int n)
{
    int t = threadIdx.x;
    if (t < n / 4) ((float4 *)out)[t] = make_float4(1, 2, 3, 4); // BUG
    else if (t >= 64) out[4 * (t - 64) + 3] = 9;                 // BUG
}

int main()
{
    float *out;
    CHECK(cudaMalloc(&out, 128 * sizeof(float)));
    pack<<<1, 96>>>(out, 128);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(out));
    return 0;
}
