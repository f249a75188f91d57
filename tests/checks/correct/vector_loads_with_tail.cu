// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: aligned 16-byte loads for whole quads, single ones for the rest
#include "../array.h"

__global__ void scale(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = ((const float4 *)in)[i];
        ((float4 *)out)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
    } else if (i < n / 4 + n % 4) {
        int k = n / 4 * 4 + i - n / 4;
        out[k] = 2 * in[k];
    }
}

int main()
{
    const int n = 1003;
    std::vector<float> host(n, 1.5f), got;
    array<float> in(host), out(n);
    scale<<<2, 128>>>(in, out, n);
    scale<<<2, 128>>>(out, in, n);
    got = in.get();
    bool ok = true;
    for (float one : got) ok &= one == 6.0f;
    return verdict(ok);
}
