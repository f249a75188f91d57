// SPDX-License-Identifier: Apache-2.0
// expect: error race
// silent: yes
// why: a warpgroup that has waited writes new operands while the other one may not have waited for its product
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

typedef unsigned short half_bits;
enum { ONE = 0x3c00, ROUNDS = 3, A = 64 * 64, B = 8 * 64 };

/* Products of matrices of one value each, 16 deep, by two warpgroups of the same operands. */
__global__ void products(float *out)
{
    __shared__ alignas(1024) half_bits a[A], b[B];
    float d[4] = {};
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = threadIdx.x; i < A; i += 256)
            a[i] = ONE; // A // BUG
        for (int i = threadIdx.x; i < B; i += 256)
            b[i] = ONE + (round << 10); // BUG
        fence_async();
        __syncthreads();
        product_fence();
        product(d, a, b); // BUG
        product_commit();
        product_wait<0>();
    }
    out[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

int main()
{
    array<float> out(256);
    products<<<1, 256>>>(out);
    bool ok = true;
    for (float one : out.get())
        ok &= one == 4 * 16 * (1 + 2 + 4);
    return verdict(ok);
}
