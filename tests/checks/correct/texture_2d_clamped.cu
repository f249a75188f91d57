// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: texture fetches beyond the edge of an image, which the address mode allows
#include "../array.h"
__global__ void blur(cudaTextureObject_t image, float *out, int width, int height)
{
    int x = threadIdx.x, y = blockIdx.x;
    float sum = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) sum += tex2D<float>(image, x + dx + 0.5f, y + dy + 0.5f);
    out[y * width + x] = sum;
}

int main()
{
    const int width = 33, height = 7;
    std::vector<float> host(width * height, 1.0f);
    float *image;
    size_t pitch;
    CHECK(cudaMallocPitch(&image, &pitch, width * 4, height));
    CHECK(cudaMemcpy2D(image, pitch, host.data(), width * 4, width * 4, height, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = image;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc description = {};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    array<float> out(width * height);
    blur<<<height, width>>>(texture, out, width, height);
    host = out.get();
    bool ok = true;
    for (float one : host) ok = ok && one == 25.0f;
    CHECK(cudaDestroyTextureObject(texture));
    CHECK(cudaFree(image));
    return verdict(ok);
}
