// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a pitch in bytes, rows that end before it, and 2D copies of the width only
#include "../checks.h"

__global__ void transpose(const float *in, size_t in_pitch, float *out, size_t out_pitch, int rows, int columns)
{
    __shared__ float tile[16][17];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (r < rows && c < columns) tile[threadIdx.y][threadIdx.x] = ((const float *)((const char *)in + r * in_pitch))[c];
    __syncthreads();
    c = blockIdx.y * 16 + threadIdx.x, r = blockIdx.x * 16 + threadIdx.y;
    if (r < columns && c < rows) ((float *)((char *)out + r * out_pitch))[c] = tile[threadIdx.x][threadIdx.y];
}

int main()
{
    const int rows = 45, columns = 70;
    static float host[rows * columns], got[columns * rows];
    for (int i = 0; i < rows * columns; i++) host[i] = (float)i;
    float *in, *out;
    size_t in_pitch, out_pitch;
    CHECK(cudaMallocPitch(&in, &in_pitch, columns * 4, rows));
    CHECK(cudaMallocPitch(&out, &out_pitch, rows * 4, columns));
    CHECK(cudaMemcpy2D(in, in_pitch, host, columns * 4, columns * 4, rows, cudaMemcpyHostToDevice));
    transpose<<<dim3(5, 3), dim3(16, 16)>>>(in, in_pitch, out, out_pitch, rows, columns);
    CHECK(cudaMemcpy2D(got, rows * 4, out, out_pitch, rows * 4, columns, cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) ok &= got[c * rows + r] == host[r * columns + c];
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict(ok);
}
