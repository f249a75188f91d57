// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: initcheck: a texture of memory that was filled in part; a branch depends on the rest
#include "../array.h"
__global__ void threshold(cudaTextureObject_t image, int *count)
{
    if (tex1Dfetch<float>(image, threadIdx.x) > 0.5f) atomicAdd(count, 1); // BUG
}

int main()
{
    array<float> texels(64);
    array<int> count(1);
    count.zero();
    CHECK(cudaMemset(texels, 0, 32 * sizeof(float)));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = texels;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 256;
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    threshold<<<1, 64>>>(texture, count);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaDestroyTextureObject(texture);
    return 0;
}
