// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: inline PTX: vector loads through the read-only cache, predicated stores, prefetches of addresses beyond the end
#include "../array.h"
__global__ void copy(const float4 *in, float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v;
    if (i >= n) return;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(in + i + 64));
    asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "l"(in + i));
    asm volatile("{ .reg .pred p; setp.gt.f32 p, %0, 0f00000000; @p st.global.v4.f32 [%4], {%0, %1, %2, %3}; }" ::"f"(v.x),
                 "f"(v.y), "f"(v.z), "f"(v.w), "l"(out + i)
                 : "memory");
}

int main()
{
    const int n = 100;
    array<float4> in(std::vector<float4>(n, make_float4(1, 2, 3, 4))), out(n);
    copy<<<1, 128>>>(in, out, n);
    bool ok = true;
    for (float4 one : out.get()) ok = ok && one.x == 1 && one.w == 4;
    return verdict(ok);
}
