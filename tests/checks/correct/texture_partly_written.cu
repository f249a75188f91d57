// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: texels that were never written are fetched beside those that count, with weight 0 or without use
#include "../array.h"
__global__ void sample(cudaTextureObject_t image, float *out, int width)
{
    int x = threadIdx.x;
    float right = tex2D<float>(image, x + 1.5f, 0.5f), own = tex2D<float>(image, x + 0.5f, 0.5f);
    out[x] = x + 1 < width ? own + right : own;
}

int main()
{
    const int width = 20, room = 32;
    cudaArray_t array_of_texels;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    std::vector<float> host(width, 2.0f);
    CHECK(cudaMallocArray(&array_of_texels, &format, room, 1));
    CHECK(cudaMemcpy2DToArray(array_of_texels, 0, 0, host.data(), width * 4, width * 4, 1, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_of_texels;
    cudaTextureDesc description = {};
    description.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    array<float> out(width);
    sample<<<1, width>>>(texture, out, width);
    host = out.get();
    bool ok = true;
    for (int i = 0; i < width; i++) ok = ok && host[i] == (i + 1 < width ? 4.0f : 2.0f);
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFreeArray(array_of_texels));
    return verdict(ok);
}
