// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: no
// why: programming guide, surface functions: in the mode cudaBoundaryModeTrap out-of-range accesses fail the kernel
#include "../checks.h"

__global__ void checker(cudaSurfaceObject_t surface, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x <= width && y < height) surf2Dwrite((x + y) % 2 ? 1.0f : 0.0f, surface, x * 4, y); // BUG
}

int main()
{
    const int width = 48, height = 16;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    checker<<<dim3(4, 2), dim3(16, 8)>>>(surface, width, height);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    return 0;
}
