// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: all bytes of a union are written through one member and read through another
#include "../array.h"

union value {
    float f;
    unsigned u;
    unsigned char bytes[4];
};

__global__ void keys(const float *in, unsigned *out, int *low, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    value v;
    v.f = in[i];
    v.u = v.u & 0x80000000u ? ~v.u : v.u | 0x80000000u;
    out[i] = v.u;
    if (v.bytes[3] < 0x80) atomicAdd(low, 1);
}

int main()
{
    const int n = 120;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)(i - 40);
    array<float> in(host);
    array<unsigned> out(n);
    array<int> low(1);
    low.zero();
    keys<<<1, 128>>>(in, out, low, n);
    std::vector<unsigned> got = out.get();
    bool ok = low.get()[0] == 40;
    for (int i = 1; i < n; i++) ok &= got[i - 1] < got[i];
    return verdict(ok);
}
