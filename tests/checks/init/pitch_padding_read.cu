// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// also: race
// why: the loop runs over the pitch, not the width: padding is never written
#include "../array.h"
__global__ void any_negative(const int *image, size_t pitch, int height, int *found)
{
    for (int y = threadIdx.x; y < height; y += blockDim.x)
        for (size_t x = 0; x < pitch / sizeof(int); x++)
            if (image[y * (pitch / sizeof(int)) + x] < 0) *found = 1; // BUG
}

int main()
{
    const int width = 50, height = 16;
    std::vector<int> host(width * height, 1);
    int *image;
    size_t pitch;
    array<int> found(1);
    found.zero();
    CHECK(cudaMallocPitch(&image, &pitch, width * sizeof(int), height));
    CHECK(cudaMemcpy2D(image, pitch, host.data(), width * sizeof(int), width * sizeof(int), height,
                       cudaMemcpyHostToDevice));
    any_negative<<<1, 32>>>(image, pitch, height, found); // ALSO
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(image);
    return 0;
}
