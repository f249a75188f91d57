// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: the tile's halo is loaded behind the barrier and read at once
#include "../array.h"

__global__ void blur(const float *in, float *out, int n)
{
    __shared__ float s[130];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + 1] = in[i];
    __syncthreads();
    if (t == 127) s[129] = i + 1 < n ? in[i + 1] : 0; // BUG
    if (t == 127) s[0] = i >= 128 ? in[i - 128] : 0; // BUG
    out[i] = s[t] + s[t + 1] + s[t + 2]; // BUG
}

int main()
{
    std::vector<float> host(256);
    for (int i = 0; i < 256; i++) host[i] = (float)(i % 13 + 1);
    array<float> in(host), out(256);
    blur<<<2, 128>>>(in, out, 256);
    return verdict(out.get()[0] > 0);
}
