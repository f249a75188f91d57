// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: cudaDestroyTextureObject ends the object; a later kernel still gets its handle
#include "../checks.h"

__global__ void sample(cudaTextureObject_t texture, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(texture, i); // BUG
}

int main()
{
    const int n = 64;
    float *data, *out;
    CHECK(cudaMalloc(&data, n * sizeof(float)));
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    CHECK(cudaMemset(data, 0, n * sizeof(float)));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    sample<<<1, n>>>(texture, out, n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaDestroyTextureObject(texture));
    sample<<<1, n>>>(texture, out, n); // BUG
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    cudaFree(data);
    cudaFree(out);
    return 0;
}
