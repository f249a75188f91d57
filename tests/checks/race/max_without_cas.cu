// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a maximum of floats by comparing and storing; atomicCAS or an integer atomicMax is needed
#include "../array.h"

__global__ void maximum(const float *in, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (in[i] > *out) *out = in[i]; // BUG
}

int main()
{
    std::vector<float> host(256);
    unsigned state = 8;
    for (float &one : host) one = (float)(next_random(&state) % 1000);
    array<float> in(host), out(1);
    out.zero();
    maximum<<<2, 64>>>(in, out, 256);
    return verdict(out.get()[0] > 0);
}
