// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: cudaMemcpy2D: the rows must lie in the allocation; width and height are swapped
#include "../checks.h"

__global__ void clear(float *image, size_t pitch, int width)
{
    float *row = (float *)((char *)image + blockIdx.x * pitch);
    if (threadIdx.x < width) row[threadIdx.x] = 0;
}

int main()
{
    const int width = 128, height = 16;
    static float host[width * width];
    float *image;
    size_t pitch;
    CHECK(cudaMallocPitch(&image, &pitch, width * sizeof(float), height));
    clear<<<height, width>>>(image, pitch, width);
    cudaMemcpy2D(host, width * sizeof(float), image, pitch, height * sizeof(float), width, cudaMemcpyDeviceToHost); // BUG
    CHECK(cudaFree(image));
    return 0;
}
