// SPDX-License-Identifier: Apache-2.0
/* A cube map: every texel is fetched by the direction that the programming guide's table gives for it, of several lengths. */
#include "check.h"

enum { EDGE = 16, TEXELS = 6 * EDGE * EDGE };

__global__ void fetch(cudaTextureObject_t cube, float *out)
{
    const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
    const float s = 2 * (x + 0.5f) / EDGE - 1, t = 2 * (y + 0.5f) / EDGE - 1, length = 1 << (x + y) % 4;
    const float3 directions[6] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
    const float3 d = directions[face];
    out[(face * EDGE + y) * EDGE + x] = texCubemap<float>(cube, length * d.x, length * d.y, length * d.z);
}

int main()
{
    std::vector<float> texels(TEXELS);
    for (int i = 0; i < TEXELS; i++)
        texels[i] = static_cast<float>(i * 7 % 1021);
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(EDGE, EDGE, 6), cudaArrayCubemap));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels.data(), EDGE * sizeof(float), EDGE, EDGE);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(EDGE, EDGE, 6);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.normalizedCoords = 1;
    cudaTextureObject_t cube;
    CHECK(cudaCreateTextureObject(&cube, &resource, &description, nullptr));
    float *out;
    CHECK(cudaMallocManaged(&out, TEXELS * sizeof *out));
    fetch<<<6, dim3(EDGE, EDGE)>>>(cube, out);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < TEXELS; i++)
        wrong += out[i] != texels[i];
    printf("%d wrong\n", wrong);
    return verdict(!wrong);
}
