// SPDX-License-Identifier: Apache-2.0
/* Half precision and bfloat16 through their headers, beside floats that are rounded once by the host: sums, products and fused
 * products of these are exact in double. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

enum { RESULTS = 6 };

template <typename Two> __global__ void combine(const Two *a, const Two *b, Two *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Two *to = out + RESULTS * i;
    to[0] = __hadd2(a[i], b[i]);
    to[1] = __hmul2(a[i], b[i]);
    to[2] = __hfma2(a[i], b[i], a[i]);
    to[3] = __hmax2(a[i], __hneg2(b[i]));
    to[4] = __hsub2(__habs2(b[i]), a[i]);
    to[5] = __hgt2(a[i], b[i]);
}

template <typename Two> __global__ void count(const Two *a, Two *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(sums, __hge2(a[i], __hneg2(a[i]))); /* 1 for what is not below 0 */
}

template <typename One> static One rounded(double value)
{
    return One(value);
}
template <> __nv_bfloat16 rounded(double value)
{
    return __double2bfloat16(value);
}

template <typename Two, typename One> static bool check(unsigned seed)
{
    const int n = 1000;
    Two *a, *b, *out, *sums;
    CHECK(cudaMallocManaged(&a, n * sizeof(Two)));
    CHECK(cudaMallocManaged(&b, n * sizeof(Two)));
    CHECK(cudaMallocManaged(&out, RESULTS * n * sizeof(Two)));
    CHECK(cudaMallocManaged(&sums, sizeof(Two)));
    One *x = reinterpret_cast<One *>(a), *y = reinterpret_cast<One *>(b), *z = reinterpret_cast<One *>(out);
    for (int i = 0; i < 2 * n; i++) {
        x[i] = One(static_cast<float>(next_random(&seed) % 4001) / 16 - 125);
        y[i] = One(static_cast<float>(next_random(&seed) % 4001) / 512 - 4);
    }
    combine<<<(n + 127) / 128, 128>>>(a, b, out, n);
    count<<<1, 128>>>(a, sums, 128);
    CHECK(cudaDeviceSynchronize());
    bool ok = true;
    for (int i = 0; i < 2 * n; i++) {
        double p = static_cast<float>(x[i]), q = static_cast<float>(y[i]);
        double wanted[RESULTS] = {p + q, p * q, p * q + p, std::fmax(p, -q), std::fabs(q) - p, p > q ? 1.0 : 0.0};
        for (int k = 0; k < RESULTS; k++) {
            float got = static_cast<float>(z[2 * (RESULTS * (i / 2) + k) + i % 2]);
            ok &= got == static_cast<float>(rounded<One>(wanted[k]));
        }
    }
    int first[2] = {};
    for (int i = 0; i < 256; i++)
        first[i % 2] += static_cast<float>(x[i]) >= 0;
    ok &= static_cast<float>(sums->x) == first[0] && static_cast<float>(sums->y) == first[1];
    return ok;
}

int main()
{
    bool ok = check<__half2, __half>(1);
    ok &= check<__nv_bfloat162, __nv_bfloat16>(2);
    return verdict(ok);
}
