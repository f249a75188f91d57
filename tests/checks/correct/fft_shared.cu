// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: a Stockham FFT in shared memory: read two, barrier, write two, barrier
#include "../array.h"

__global__ void fft(float2 *data)
{
    __shared__ float2 s[64];
    int t = threadIdx.x;
    float2 *mine = data + blockIdx.x * 64;
    s[t] = mine[t];
    s[t + 32] = mine[t + 32];
    __syncthreads();
    for (int n = 1; n < 64; n *= 2) {
        int k = t % n;
        float angle = -3.14159265f * k / n, c = cosf(angle), d = sinf(angle);
        float2 a = s[t], b = s[t + 32], w = {b.x * c - b.y * d, b.x * d + b.y * c};
        __syncthreads();
        int to = (t - k) * 2 + k;
        s[to] = make_float2(a.x + w.x, a.y + w.y);
        s[to + n] = make_float2(a.x - w.x, a.y - w.y);
        __syncthreads();
    }
    mine[t] = s[t];
    mine[t + 32] = s[t + 32];
}

int main()
{
    std::vector<float2> host(128), got;
    for (int i = 0; i < 128; i++) host[i] = make_float2(cosf(2 * 3.14159265f * 5 * i / 64), 0);
    array<float2> data(host);
    fft<<<2, 32>>>(data);
    got = data.get();
    bool ok = true;
    for (int i = 0; i < 64; i++) ok &= fabsf(got[i].x - (i == 5 || i == 59 ? 32.0f : 0.0f)) < 0.01f;
    return verdict(ok);
}
