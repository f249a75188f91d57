// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: leak check: a texture object that is not destroyed
#include "../array.h"
__global__ void read(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}

int main()
{
    array<float> in(std::vector<float>(32, 1.0f)), out(32);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 128;
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr)); // BUG
    read<<<1, 32>>>(texture, out);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
