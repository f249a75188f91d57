// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: an odd number of halves, padded to a pair: the last pair is read, its upper half is not used
#include "../array.h"
#include <cuda_fp16.h>

__global__ void halve(const __half *in, __half *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i >= n) return;
    __half2 pair = __hmul2(reinterpret_cast<const __half2 *>(in)[i], __float2half2_rn(0.5f));
    if (2 * i + 1 < n)
        reinterpret_cast<__half2 *>(out)[i] = pair;
    else
        out[2 * i] = __low2half(pair);
}

int main()
{
    const int n = 301;
    std::vector<__half> host(n);
    for (int i = 0; i < n; i++) host[i] = __float2half((float)i);
    array<__half> in(n + 1), out(n + 1);
    CHECK(cudaMemcpy(in, host.data(), n * sizeof(__half), cudaMemcpyHostToDevice));
    halve<<<3, 64>>>(in, out, n);
    CHECK(cudaMemcpy(host.data(), out, n * sizeof(__half), cudaMemcpyDeviceToHost));
    bool ok = true;
    for (int i = 0; i < n; i++) ok = ok && __half2float(host[i]) == 0.5f * i;
    return verdict(ok);
}
