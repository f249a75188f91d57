// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: PTX memory model: accesses conflict if they overlap; different bytes of one word do not
#include "../array.h"

__global__ void encode(const int *in, unsigned char *out, int n)
{
    __shared__ unsigned char s[256];
    __shared__ short pairs[128];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[t] = i < n ? (unsigned char)(in[i] + t) : 0;
    __syncthreads();
    if (t < 128) pairs[t] = (short)(s[2 * t] << 8 | s[2 * t + 1]);
    __syncthreads();
    unsigned char mine = (unsigned char)(t % 2 ? pairs[t / 2] : pairs[t / 2] >> 8);
    if (i < n) out[n - 1 - i] = mine;
}

int main()
{
    const int n = 600;
    std::vector<int> host = random_ints(n, 100);
    array<int> in(host);
    array<unsigned char> out(n);
    encode<<<3, 256>>>(in, out, n);
    std::vector<unsigned char> got = out.get();
    bool ok = true;
    for (int i = 0; i < n; i++) ok &= got[n - 1 - i] == (unsigned char)(host[i] + i % 256);
    return verdict(ok);
}
