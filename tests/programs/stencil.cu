// SPDX-License-Identifier: Apache-2.0
/* Two grids in turns, pitched memory, coefficients in constant memory. */
#include <utility>

#include "check.h"

__constant__ float weights[3];

__global__ void relax(const float *in, float *out, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const float *row = (const float *)((const char *)in + y * pitch);
    const float *above = (const float *)((const char *)row - pitch);
    const float *below = (const float *)((const char *)row + pitch);
    float *to = (float *)((char *)out + y * pitch);
    bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
    to[x] = edge ? row[x]
                 : weights[0] * row[x] + weights[1] * (row[x - 1] + row[x + 1]) +
                       weights[2] * (above[x] + below[x]);
}

int main()
{
    const int width = 100, height = 60, steps = 10;
    const float w[3] = {0.5f, 0.125f, 0.125f}; /* powers of two: host and GPU round alike */
    std::vector<float> grid(width * height), other(width * height), result(width * height);
    for (int i = 0; i < width * height; i++)
        grid[i] = (i * 7) % 64;
    float *a, *b;
    size_t pitch, pitch_b;
    CHECK(cudaMallocPitch(&a, &pitch, width * 4, height));
    CHECK(cudaMallocPitch(&b, &pitch_b, width * 4, height));
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
    CHECK(cudaMemcpy2D(a, pitch, grid.data(), width * 4, width * 4, height,
                       cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        relax<<<dim3((width + 15) / 16, (height + 7) / 8), dim3(16, 8)>>>(a, b, pitch, width,
                                                                         height);
        std::swap(a, b);
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) {
                int i = y * width + x;
                bool edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
                other[i] = edge ? grid[i]
                                : w[0] * grid[i] + w[1] * (grid[i - 1] + grid[i + 1]) +
                                      w[2] * (grid[i - width] + grid[i + width]);
            }
        std::swap(grid, other);
    }
    CHECK(cudaMemcpy2D(result.data(), width * 4, a, pitch, width * 4, height,
                       cudaMemcpyDeviceToHost));
    float worst = 0;
    for (int i = 0; i < width * height; i++)
        worst = fmaxf(worst, fabsf(result[i] - grid[i]));
    printf("pitch %zu, largest error %g\n", pitch, worst);
    return verdict(pitch == pitch_b && worst < 1e-4f);
}
