// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: addresses out of range are clamped, wrapped or the border's zero: the address mode defines them
#include "../array.h"

__global__ void blur(cudaTextureObject_t image, float *out, int width, int height)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += tex2D<float>(image, x + dx + 0.5f, y + dy + 0.5f);
    out[y * width + x] = sum;
}

int main()
{
    const int width = 40, height = 20;
    std::vector<float> host(width * height, 1.0f), got;
    bool ok = true;
    for (cudaTextureAddressMode mode : {cudaAddressModeClamp, cudaAddressModeBorder}) {
        cudaArray_t image;
        cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        CHECK(cudaMallocArray(&image, &format, width, height));
        CHECK(cudaMemcpy2DToArray(image, 0, 0, host.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = image;
        cudaTextureDesc how = {};
        how.addressMode[0] = how.addressMode[1] = mode;
        cudaTextureObject_t texture;
        CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
        array<float> out(host.size());
        blur<<<dim3(3, 3), dim3(16, 8)>>>(texture, out, width, height);
        got = out.get();
        ok &= got[0] == (mode == cudaAddressModeClamp ? 9 : 4) && got[width + 1] == 9;
        CHECK(cudaDestroyTextureObject(texture));
        CHECK(cudaFreeArray(image));
    }
    return verdict(ok);
}
