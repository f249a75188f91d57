// SPDX-License-Identifier: Apache-2.0
// expect: error|warning|note memory
// silent: yes
// why: issue: texture bounds; tex1Dfetch beyond the resource returns 0 silently
#include "../checks.h"

__global__ void gather(cudaTextureObject_t texture, const int *index, float *out, int n)
{
    int i = threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(texture, index[i]); // BUG
}

int main()
{
    const int n = 64;
    float *data, *out, host[n];
    int index[n], *places;
    for (int i = 0; i < n; i++) host[i] = 1.0f, index[i] = n - i; /* 1-based by mistake */
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMalloc(&places, sizeof index));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(places, index, sizeof index, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = sizeof host;
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    gather<<<1, n>>>(texture, places, out, n);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    CHECK(cudaFree(places));
    return 0;
}
