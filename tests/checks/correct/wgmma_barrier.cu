// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: wgmma reads matrices in shared memory that the threads of all four warps wrote: they meet before
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
// heavy: yes
#include "../array.h"

#include <cstdint>

__global__ void product(float *out)
{
    __shared__ __align__(1024) unsigned short a[64 * 64], b[8 * 64];
    for (int i = threadIdx.x; i < 64 * 64; i += 128)
        a[i] = 0;
    for (int i = threadIdx.x; i < 8 * 64; i += 128)
        b[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    float d[4] = {};
    const uint64_t lines = 1ull << 16 | 64ull << 32 | 1ull << 62; // of 128 bytes, swizzled
    uint64_t da = (__cvta_generic_to_shared(a) & 0x3ffff) >> 4 | lines;
    uint64_t db = (__cvta_generic_to_shared(b) & 0x3ffff) >> 4 | lines;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

int main()
{
    array<float> out(128);
    product<<<1, 128>>>(out);
    return verdict(true);
}
