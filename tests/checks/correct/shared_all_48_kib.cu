// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: exactly 48 KiB of static shared memory in two arrays
#include "../array.h"
__global__ void transpose(const float *in, float *out)
{
    __shared__ float a[64][96], b[96][64];
    int t = threadIdx.x;
    for (int i = t; i < 64 * 96; i += blockDim.x) a[i / 96][i % 96] = in[i];
    __syncthreads();
    for (int i = t; i < 64 * 96; i += blockDim.x) b[i / 64][i % 64] = a[i % 64][i / 64];
    __syncthreads();
    for (int i = t; i < 64 * 96; i += blockDim.x) out[i] = b[i / 64][i % 64];
}

int main()
{
    const int n = 64 * 96;
    std::vector<float> host(n);
    for (int i = 0; i < n; i++) host[i] = (float)i;
    array<float> in(host), out(n);
    transpose<<<1, 256>>>(in, out);
    host = out.get();
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && host[i] == (float)((i % 64) * 96 + i / 64);
    return verdict(ok);
}
