// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: cudaMalloc3D, cudaMemcpy3D and cudaMemset3D of parts; slices are pitch * height apart
#include "../checks.h"
#include <vector>

__global__ void add(cudaPitchedPtr volume, int nx, int ny, int nz)
{
    int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
    if (x >= nx || y >= ny || z >= nz) return;
    float *row = (float *)((char *)volume.ptr + (z * ny + y) * volume.pitch);
    row[x] += (float)(x + 10 * y + 100 * z);
}

int main()
{
    const int nx = 30, ny = 7, nz = 5;
    cudaPitchedPtr volume;
    cudaExtent extent = make_cudaExtent(nx * sizeof(float), ny, nz);
    CHECK(cudaMalloc3D(&volume, extent));
    CHECK(cudaMemset3D(volume, 0, extent));
    add<<<dim3(ny, nz), 32>>>(volume, nx, ny, nz);
    std::vector<float> host(nx * ny * nz);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = volume;
    copy.dstPtr = make_cudaPitchedPtr(host.data(), nx * sizeof(float), nx, ny);
    copy.extent = extent;
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    bool ok = true;
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) ok &= host[(z * ny + y) * nx + x] == (float)(x + 10 * y + 100 * z);
    CHECK(cudaFree(volume.ptr));
    return verdict(ok);
}
