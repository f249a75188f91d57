// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: the Volta form of warp-synchronous code: read, __syncwarp, write, __syncwarp
#include "../array.h"

__global__ void sum(const int *in, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    if (t < 32) {
        int value = s[t] + s[t + 32];
        __syncwarp();
        s[t] = value;
        __syncwarp();
        for (int k = 16; k > 0; k /= 2) {
            if (t < k) value += s[t + k];
            __syncwarp();
            if (t < k) s[t] = value;
            __syncwarp();
        }
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main()
{
    std::vector<int> host = random_ints(192, 100), wanted(3);
    array<int> in(host), out(3);
    sum<<<3, 64>>>(in, out);
    for (int i = 0; i < 192; i++) wanted[i / 64] += host[i];
    return verdict(out.get() == wanted);
}
