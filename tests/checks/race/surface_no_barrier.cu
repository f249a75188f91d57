// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: writes to surfaces are seen by other threads of the block behind a barrier only
// heavy: yes
#include "../array.h"

__global__ void mirror(cudaSurfaceObject_t s, int *out)
{
    int x = threadIdx.x;
    surf1Dwrite(x, s, x * 4); // BUG
    out[x] = surf1Dread<int>(s, (127 - x) * 4); // BUG
}

int main()
{
    cudaArray_t line;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&line, &format, 128, 0, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = line;
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &resource));
    {
        array<int> out(128);
        mirror<<<1, 128>>>(s, out);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaDestroySurfaceObject(s));
    CHECK(cudaFreeArray(line));
    return verdict(true);
}
