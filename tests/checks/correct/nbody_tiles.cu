// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: nbody of cuda-samples: tiles of float4 in shared memory, two barriers a tile
#include "../array.h"

__global__ void forces(const float4 *bodies, float4 *out, int n)
{
    __shared__ float4 tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 me = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 sum = {0, 0, 0};
    for (int first = 0; first < n; first += 64) {
        int k = first + threadIdx.x;
        tile[threadIdx.x] = k < n ? bodies[k] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 64; j++) {
            float4 other = tile[j];
            float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
            float inverse = rsqrtf(x * x + y * y + z * z + 0.1f), w = other.w * inverse * inverse * inverse;
            sum.x += w * x, sum.y += w * y, sum.z += w * z;
        }
        __syncthreads();
    }
    if (i < n) out[i] = make_float4(sum.x, sum.y, sum.z, me.w);
}

int main()
{
    const int n = 150;
    std::vector<float4> host(n), got;
    for (int i = 0; i < n; i++) host[i] = make_float4((float)(i % 7), (float)(i % 11), (float)(i % 13), 1.0f);
    array<float4> bodies(host), out(n);
    forces<<<3, 64>>>(bodies, out, n);
    got = out.get();
    float3 sum = {0, 0, 0};
    for (const float4 &one : got) sum.x += one.x, sum.y += one.y, sum.z += one.z;
    return verdict(fabsf(sum.x) < 0.01f && fabsf(sum.y) < 0.01f && fabsf(sum.z) < 0.01f && got[1].w == 1.0f);
}
