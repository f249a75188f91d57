// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: the same shared memory serves two phases of other types, with a barrier between them
#include "../array.h"

__global__ void two_phases(const int *in, float *out)
{
    __shared__ union {
        int counts[32];
        float values[128];
    } u;
    int t = threadIdx.x;
    if (t < 32) u.counts[t] = 0;
    __syncthreads();
    atomicAdd(&u.counts[in[t] & 31], 1);
    __syncthreads();
    int count = u.counts[in[t] & 31];
    __syncthreads();
    u.values[t] = (float)count;
    __syncthreads();
    out[t] = u.values[t] + u.values[127 - t];
}

int main()
{
    std::vector<int> host = random_ints(128, 1000);
    array<int> in(host);
    array<float> out(128);
    two_phases<<<1, 128>>>(in, out);
    int counts[32] = {};
    for (int one : host) counts[one & 31]++;
    std::vector<float> got = out.get();
    bool ok = true;
    for (int i = 0; i < 128; i++) ok &= got[i] == (float)(counts[host[i] & 31] + counts[host[127 - i] & 31]);
    return verdict(ok);
}
