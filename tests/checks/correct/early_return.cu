// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: threads that have returned count as arrived from sm_70 on; compute-sanitizer's synccheck accepts it
#include "../array.h"

__global__ void scale_rows(const int *in, int *out, int n)
{
    __shared__ int factor;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (threadIdx.x == 0) factor = blockIdx.x + 1;
    __syncthreads();
    out[i] = in[i] * factor;
}

int main()
{
    const int n = 150;
    std::vector<int> host = random_ints(n, 100);
    array<int> in(host), out(n);
    scale_rows<<<3, 64>>>(in, out, n);
    for (int i = 0; i < n; i++) host[i] *= i / 64 + 1;
    return verdict(out.get() == host);
}
