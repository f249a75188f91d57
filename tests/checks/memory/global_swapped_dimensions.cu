// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: out of bounds; rows and columns are swapped, which a square matrix would hide
#include "../checks.h"

__global__ void transpose(const float *in, float *out, int rows, int columns)
{
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (c < columns && r < rows) out[c * columns + r] = in[r * columns + c]; // BUG
}

int main()
{
    const int rows = 32, columns = 80;
    float *in, *out;
    static float host[rows * columns];
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    transpose<<<dim3(columns / 16, rows / 16), dim3(16, 16)>>>(in, out, rows, columns);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict(true);
}
