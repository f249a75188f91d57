// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: the pitch is in bytes, the kernel uses it as a count of numbers: rows beyond the image
#include "../checks.h"
__global__ void clear(float *image, size_t pitch, int width, int height)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < width && y < height) image[y * pitch + x] = 0; // BUG
}

int main()
{
    float *image;
    size_t pitch;
    CHECK(cudaMallocPitch(&image, &pitch, 40 * sizeof(float), 30));
    clear<<<30, 64>>>(image, pitch, 40, 30); // ALSO
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(image);
    return 0;
}
