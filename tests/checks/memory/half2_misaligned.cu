// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide: an access to a word of 4 bytes needs an address that is a multiple of 4
#include "../array.h"
#include <cuda_fp16.h>

__global__ void scale(__half *row, int n)
{
    int i = threadIdx.x;
    __half2 *pairs = reinterpret_cast<__half2 *>(row + 1); /* all but the first */
    if (2 * i + 1 < n - 1) pairs[i] = __hmul2(pairs[i], __float2half2_rn(2)); // BUG
}

int main()
{
    array<__half> row(65);
    row.zero();
    scale<<<1, 32>>>(row, 65);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
