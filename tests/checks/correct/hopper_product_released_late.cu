// SPDX-License-Identifier: Apache-2.0
// expect: none
// why: CUTLASS's mainloop: the stage of the product before is released while the next one runs (wait_group 1)
// nvcc: -gencode arch=compute_90a,code=compute_90a
// gpu: h200
#include "../hopper.h"

typedef unsigned short half_bits;
enum { ROUNDS = 4, A = 64 * 64, B = 8 * 64 };

/* Operands by copies in bulk, two stages; a warp loads, four multiply. */
__global__ void products(const half_bits *as, const half_bits *bs, float *out)
{
    __shared__ alignas(1024) half_bits a[2][A], b[2][B];
    __shared__ barrier full[2], empty[2];
    int t = threadIdx.x;
    float d[4] = {};
    if (t == 0) {
        for (int s = 0; s < 2; s++) {
            barrier_init(&full[s], 1);
            barrier_init(&empty[s], 128);
        }
        fence_barrier_init();
    }
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        int s = round % 2, parity = round / 2 % 2;
        if (t == 128) {
            barrier_wait(&empty[s], parity ^ 1);
            barrier_expect(&full[s], sizeof a[s] + sizeof b[s]);
            load_bulk(a[s], as + round * A, sizeof a[s], &full[s]);
            load_bulk(b[s], bs + round * B, sizeof b[s], &full[s]);
        } else if (t < 128) {
            barrier_wait(&full[s], parity);
            product_fence();
            product(d, a[s], b[s]);
            product_commit();
            product_wait<1>();
            if (round) barrier_arrive(&empty[s ^ 1]);
        }
    }
    if (t < 128) product_wait<0>();
    if (t < 128) out[t] = d[0] + d[1] + d[2] + d[3];
}

int main()
{
    std::vector<half_bits> as(ROUNDS * A, 0x3c00), bs(ROUNDS * B, 0x3c00); // ones, so that the layout is no matter
    array<half_bits> a(as), b(bs);
    array<float> out(128);
    products<<<1, 160>>>(a, b, out);
    bool ok = true;
    for (float one : out.get())
        ok &= one == 4 * 16 * ROUNDS;
    return verdict(ok);
}
