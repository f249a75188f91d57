// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// also: init
// why: the column index reaches 32 of a tile of 32 columns and, in its last row, leaves the array
#include "../array.h"
__global__ void shift_left(const float *in, float *out)
{
    __shared__ float tile[8][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x + 1]; // BUG
}

int main()
{
    array<float> in(std::vector<float>(256, 1.0f)), out(256);
    shift_left<<<1, dim3(32, 8)>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
