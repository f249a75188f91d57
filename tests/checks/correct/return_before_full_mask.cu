// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: threads beyond n return; the others reduce with a full mask, and what they read of those that left is not used
#include "../array.h"
__global__ void sums(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    if (i >= n) {
        return;
    }
    int value = in[i], last = n - (i - lane) < 32 ? n - (i - lane) - 1 : 31;
    for (int k = 1; k < 32; k *= 2) {
        int other = __shfl_down_sync(0xffffffffu, value, k);
        if (lane + k <= last) value += other;
    }
    if (lane == 0) out[i / 32] = value;
}

int main()
{
    const int n = 75;
    std::vector<int> host = random_ints(n, 50);
    array<int> in(host), out(3);
    sums<<<1, 96>>>(in, out, n);
    std::vector<int> found = out.get();
    bool ok = true;
    for (int w = 0; w < 3; w++) {
        int sum = 0;
        for (int i = 32 * w; i < n && i < 32 * w + 32; i++) sum += host[i];
        ok = ok && found[w] == sum;
    }
    return verdict(ok);
}
