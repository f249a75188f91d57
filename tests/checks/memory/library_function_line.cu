// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: memcheck: the place is the line in the inlined function that accesses, with the frames that called it
#include "../checks.h"

__device__ __forceinline__ float at(const float *grid, int nx, int x, int y)
{
    return grid[y * nx + x]; // BUG
}

__device__ __forceinline__ float laplace(const float *g, int nx, int x, int y)
{
    return at(g, nx, x - 1, y) + at(g, nx, x + 1, y) + at(g, nx, x, y - 1) + at(g, nx, x, y + 1) - 4 * at(g, nx, x, y);
}

__global__ void heat(const float *in, float *out, int nx, int ny)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny) out[y * nx + x] = laplace(in, nx, x, y);
}

int main()
{
    const int nx = 64, ny = 32;
    float *in, *out;
    CHECK(cudaMalloc(&in, nx * ny * sizeof(float)));
    CHECK(cudaMalloc(&out, nx * ny * sizeof(float)));
    CHECK(cudaMemset(in, 0, nx * ny * sizeof(float)));
    CHECK(cudaMemset(out, 0, nx * ny * sizeof(float)));
    heat<<<dim3(4, 2), dim3(16, 16)>>>(in, out, nx, ny);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict(true);
}
