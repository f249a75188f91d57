// SPDX-License-Identifier: Apache-2.0
// expect: error memory
// silent: yes
// why: a texture object does not own its memory: it is freed while the object still reads it
#include "../checks.h"

__global__ void sample(cudaTextureObject_t texture, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(texture, i); // BUG
}

int main()
{
    const int n = 64;
    float *data, *out, host[n];
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
    CHECK(cudaFree(data));
    sample<<<1, n>>>(texture, out, n);
    puts(cudaGetErrorName(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost)));
    cudaDestroyTextureObject(texture);
    cudaFree(out);
    return 0;
}
