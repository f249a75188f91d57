// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaMallocPitch: the pitch is in bytes; rows at row * pitch elements are four times as far apart
#include "../checks.h"

__global__ void brighten(float *image, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) image[y * pitch + x] = 0.5f; // BUG
}

int main()
{
    const int width = 100, height = 64;
    float *image;
    size_t pitch;
    CHECK(cudaMallocPitch(&image, &pitch, width * sizeof(float), height));
    CHECK(cudaMemset2D(image, pitch, 0, width * sizeof(float), height));
    brighten<<<dim3(4, 8), dim3(32, 8)>>>(image, pitch, width, height);
    cudaError_t error = cudaDeviceSynchronize();
    puts(cudaGetErrorName(error));
    cudaFree(image);
    return 0;
}
