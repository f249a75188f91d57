// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: cudaMemcpy3D: the extent from the position on must lie within the memory
#include "../array.h"
int main()
{
    const int nx = 16, ny = 8, nz = 4;
    cudaPitchedPtr volume;
    std::vector<float> host(nx * ny * nz);
    CHECK(cudaMalloc3D(&volume, make_cudaExtent(nx * sizeof(float), ny, nz)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(host.data(), nx * sizeof(float), nx, ny);
    copy.dstPtr = volume;
    copy.dstPos = make_cudaPos(0, 0, 1);
    copy.extent = make_cudaExtent(nx * sizeof(float), ny, nz);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy); // BUG
    cudaFree(volume.ptr);
    return 0;
}
