// SPDX-License-Identifier: Apache-2.0
// expect: error init
// silent: yes
// why: one component of the vectors is never written; it decides the clamp
#include "../array.h"
__global__ void make(float4 *v)
{
    float4 *mine = &v[threadIdx.x];
    mine->x = 1;
    mine->y = 2;
    mine->z = 3;
}

__global__ void normalise(const float4 *v, float *out)
{
    float4 mine = v[threadIdx.x];
    if (mine.w > 0) mine.x /= mine.w; // BUG
    out[threadIdx.x] = mine.x;
}

int main()
{
    array<float4> v(32);
    array<float> out(32);
    make<<<1, 32>>>(v);
    normalise<<<1, 32>>>(v, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
