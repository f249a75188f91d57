// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: programming guide's last-block pattern with a fence on both sides
#include "../array.h"

__global__ void total(const int *in, int *partial, unsigned *done, int *out, int n)
{
    __shared__ int s[128];
    __shared__ bool is_last;
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) sum += in[i];
    s[t] = sum;
    for (int k = 64; k > 0; k /= 2) {
        __syncthreads();
        if (t < k) s[t] += s[t + k];
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) return;
    sum = t < gridDim.x ? partial[t] : 0;
    s[t] = sum;
    for (int k = 64; k > 0; k /= 2) {
        __syncthreads();
        if (t < k) s[t] += s[t + k];
    }
    if (t == 0) *out = s[0];
}

int main()
{
    const int n = 5000;
    array<int> in(std::vector<int>(n, 2)), partial(16), out(1);
    array<unsigned> done(1);
    done.zero();
    bool ok = true;
    for (int i = 0; i < 2; i++) {
        total<<<16, 128>>>(in, partial, done, out, n);
        ok &= out.get()[0] == 2 * n;
    }
    return verdict(ok);
}
